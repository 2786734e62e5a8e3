//! Answers to questions, and the long table of them.

use super::{Held, Keys, Record};
use crate::column_roles::{Role, role_of};
use crate::error::shown;
use crate::understood::some;
use crate::usual_names::is_remark;
use beanjar::counted;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// What one worker answered to one question about one task.
pub(super) struct Answer {
    pub(super) task: String,
    pub(super) worker: String,
    pub(super) question: String,
    pub(super) value: String,
    /// Whether the answer is a number on a scale, and not a class.
    pub(super) is_number: bool,
}

/// The long table of some answers: judgments if all are numbers, else labels; with a column of questions if there are
/// several. Of several questions, those that people answered in words of their own are left out.
pub(super) fn long(
    tool: &'static str,
    keys: [&str; 2],
    mut answers: Vec<Answer>,
    mut notes: Vec<String>,
) -> Result<Held, String> {
    if answers.is_empty() {
        let why = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        return Err(format!("an export of {tool} without a single answer that is a choice or a rating{why}"));
    }
    let texts = free_texts(&answers);
    if !texts.is_empty() {
        notes.push(format!("free text left out: {}", some(&texts)));
        answers.retain(|answer| !texts.contains(&answer.question));
    }
    notes.extend(several_at_once(&answers));
    let numbers = answers.iter().all(|answer| answer.is_number);
    let questions: HashSet<&str> = answers.iter().map(|answer| answer.question.as_str()).collect();
    let with_questions = numbers || questions.len() > 1;
    let mut asked: Vec<String> = Vec::new();
    for answer in answers.iter().filter(|answer| !answer.question.is_empty()) {
        if !asked.contains(&answer.question) {
            asked.push(answer.question.clone());
        }
    }
    let [task, worker] = keys.map(str::to_owned);
    let keys = Some(Keys { task, worker, questions: asked, ..Keys::default() });
    let (task, value) = if numbers { ("object", "value") } else { ("task", "label") };
    let mut names = vec![task.to_owned(), "worker".to_owned(), value.to_owned()];
    let mut columns = vec![Vec::new(); 3];
    if with_questions {
        names.insert(1, "attribute".to_owned());
        columns.push(Vec::new());
    }
    for Answer { task, worker, question, value, .. } in answers {
        let mut row = vec![task, worker, value];
        if with_questions {
            row.insert(1, question);
        }
        columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
    }
    Ok(Held { tool: Some(tool), keys, names, columns, notes, ..Held::default() })
}

/// Says that people chose several classes at once, if they did, and what became of them.
fn several_at_once(answers: &[Answer]) -> Option<String> {
    let is_joined =
        |answer: &&Answer| answer.value.contains(JOINT) && answer.value.split(JOINT).all(|class| !class.is_empty());
    let mut joined = answers.iter().filter(is_joined);
    let first = joined.next()?;
    let count = counted(1 + joined.count(), "answer");
    Some(format!("{count} of several choices read as one class each, such as '{}'", shown(&first.value)))
}

/// Of several questions, those that ask for a remark, and those with almost as many different answers as answers; none if all
/// are such.
fn free_texts(answers: &[Answer]) -> Vec<String> {
    /// Fewer may differ by chance.
    const FEWEST: usize = 5;
    let mut questions: BTreeMap<&str, (usize, HashSet<&str>)> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| !answer.is_number) {
        let (count, known) = questions.entry(&answer.question).or_default();
        *count += 1;
        known.insert(&answer.value);
    }
    let is_text = |count: usize, known: usize| known >= FEWEST && 10 * known >= 9 * count;
    let found: Vec<String> = questions
        .iter()
        .filter(|(question, (count, known))| is_remark(question) || is_text(*count, known.len()))
        .map(|(question, _)| (*question).to_owned())
        .collect();
    let others = answers.iter().any(|answer| !found.contains(&answer.question));
    if others { found } else { Vec::new() }
}

/// A crowd platform's table of assignments, a row for each task of each.
pub(super) struct Assignments<'a> {
    pub(super) tool: &'static str,
    pub(super) table: &'a Held,
    /// The columns of tasks, which together name one, and that of workers, by number.
    pub(super) task: Vec<usize>,
    pub(super) worker: usize,
    /// The name of the column that says whether the work was accepted.
    pub(super) status: &'static str,
    /// The name of the column in which a requester may have written why it was not.
    pub(super) reject: &'static str,
}

impl Assignments<'_> {
    /// The long table of the answers in each row, which `given` finds: of each the question, the value, and whether it is a
    /// number on a scale. Assignments that were rejected or not finished are left out.
    pub(super) fn long(&self, given: impl Fn(usize) -> Vec<(String, String, bool)>) -> Result<Held, String> {
        let &Assignments { tool, table, ref task, worker, status, reject } = self;
        let (status, reject) = (table.column(status), table.column(reject));
        let mut answers = Vec::new();
        let (mut rejected, mut undone, mut empty) = (0, 0, 0);
        for row in 0..table.rows() {
            if status.is_some_and(|status| is_undone(&status[row])) {
                undone += 1;
                continue;
            }
            if status.is_some_and(|status| status[row].trim().eq_ignore_ascii_case("rejected"))
                || reject.is_some_and(|reject| !reject[row].trim().is_empty())
            {
                rejected += 1;
                continue;
            }
            let parts: Vec<&str> =
                task.iter().map(|&part| table.columns[part][row].as_str()).filter(|part| !part.is_empty()).collect();
            let (task, worker) = (parts.join(": "), &table.columns[worker][row]);
            let found = if task.is_empty() || worker.is_empty() { Vec::new() } else { given(row) };
            empty += usize::from(found.is_empty());
            answers.extend(found.into_iter().map(|(question, value, is_number)| Answer {
                task: task.clone(),
                worker: worker.clone(),
                question,
                value,
                is_number,
            }));
        }
        let name: Vec<&str> = task.iter().map(|&part| table.names[part].as_str()).collect();
        let (name, worker) = (name.join(" + "), &table.names[worker]);
        let mut notes = Vec::new();
        notes.extend(left_out(rejected, "rejected assignment", "left out"));
        notes.extend(left_out(undone, "assignment", "left out: skipped, expired or not finished"));
        notes.extend(left_out(empty, "row", "without an answer left out"));
        long(tool, [&name, worker], answers, notes)
    }
}

/// Whether a worker gave an assignment back, let it run out, or is still at it: what stands there is no answer.
fn is_undone(status: &str) -> bool {
    let known = ["skipped", "expired", "active", "returned", "abandoned"];
    known.into_iter().any(|known| status.trim().eq_ignore_ascii_case(known))
}

/// The column that names tasks: an input that is called as ids are, else the platform's own.
pub(super) fn task_column(table: &Held, prefix: &str, own: &str) -> Option<usize> {
    let content = ["image", "photo", "picture", "video", "document", "doc", "question", "text"];
    let is_id = |name: &String| {
        name.strip_prefix(prefix)
            .is_some_and(|name| role_of(name) == Some(Role::Object) && !content.contains(&name.to_lowercase().as_str()))
    };
    table.names.iter().position(is_id).or_else(|| table.at(own))
}

/// The input that tells as many tasks apart as all inputs together; if there is none, all that are not always the same.
pub(super) fn inputs(table: &Held, prefix: &str) -> Vec<usize> {
    let all: Vec<usize> = (0..table.names.len()).filter(|&column| table.names[column].starts_with(prefix)).collect();
    let tasks = |columns: &[usize]| -> usize {
        let task = |row: usize| columns.iter().map(|&column| &table.columns[column][row]).collect::<Vec<_>>();
        (0..table.rows()).map(task).collect::<HashSet<_>>().len()
    };
    let most = tasks(&all);
    match all.iter().find(|&&column| tasks(&[column]) == most) {
        Some(&one) => vec![one],
        None => all.into_iter().filter(|&column| tasks(&[column]) > 1).collect(),
    }
}

/// A number in answer to a question that is called as values are.
pub(super) fn is_rating(question: &str, value: &str) -> bool {
    role_of(question) == Some(Role::Value) && value.parse().is_ok_and(f64::is_finite)
}

/// A clause that something was left out, if it was.
pub(super) fn left_out(count: usize, what: &str, how: &str) -> Option<String> {
    (count > 0).then(|| format!("{} {how}", counted(count, what)))
}

/// A plain JSON value as text; none for one that is missing or nested.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The text under a key.
pub(super) fn field(record: &Record, key: &str) -> Option<String> {
    record.get(key).and_then(text).filter(|text| !text.trim().is_empty())
}

/// What stands between classes that were chosen at once.
const JOINT: char = '|';

/// Several classes that were chosen at once, as one; the order in which they were chosen does not matter.
pub(crate) fn joined(mut classes: Vec<String>) -> Option<String> {
    classes.retain(|class| !class.trim().is_empty());
    classes.sort();
    (!classes.is_empty()).then(|| classes.join(&JOINT.to_string()))
}

/// A list of plain values as one text; none if it holds more than that.
pub(crate) fn joined_list(list: &Value) -> Option<String> {
    let values: Option<Vec<String>> = list.as_array()?.iter().map(text).collect();
    Some(joined(values?).unwrap_or_default())
}

/// Whether a value marks a place in what was judged: a span of a text, a region of a picture, or a list of such.
pub(super) fn is_region(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.iter().any(is_region),
        Value::Object(fields) => {
            let has = |key: &str| fields.contains_key(key);
            let pairs = [("start", "end"), ("start_offset", "end_offset"), ("x", "y"), ("left", "top")];
            pairs.into_iter().any(|(one, other)| has(one) && has(other)) || has("points") || has("rle")
        }
        _ => false,
    }
}

/// Whether a value puts several things in order: `[{"value": "a", "rank": 2}, {"value": "b", "rank": 1}]`.
pub(super) fn is_ranking(value: &Value) -> bool {
    let is_place = |value: &Value| value.get("rank").is_some_and(Value::is_number);
    value.as_array().is_some_and(|values| !values.is_empty() && values.iter().all(is_place))
}

/// What has the first place in a ranking; several that share it are joined.
fn first_of(ranking: &[Value]) -> Option<String> {
    let place = |value: &Value| value.get("rank").and_then(Value::as_f64);
    let best = ranking.iter().filter_map(place).fold(f64::INFINITY, f64::min);
    let first = ranking.iter().filter(|value| place(value) == Some(best));
    joined(first.filter_map(|value| answer(value).map(|(text, _)| text)).collect())
}

/// The answer in a JSON value: a class, classes that were chosen at once, or a number; of a ranking what comes first.
/// `{"choices": [..]}`, `{"rating": 4}`, `{"value": ..}`, `{"label": ..}` and lists are looked into; places in what was
/// judged are no answers about all of it.
pub(super) fn answer(value: &Value) -> Option<(String, bool)> {
    match value {
        Value::Number(number) => Some((number.to_string(), true)),
        Value::String(_) | Value::Bool(_) => {
            text(value).filter(|text| !text.trim().is_empty()).map(|text| (text, false))
        }
        Value::Array(_) | Value::Object(_) if is_region(value) => None,
        Value::Array(values) if is_ranking(value) => first_of(values).map(|text| (text, false)),
        Value::Array(values) => match &values[..] {
            [one] => answer(one),
            several => joined(several.iter().filter_map(|one| answer(one).map(|(text, _)| text)).collect())
                .map(|text| (text, false)),
        },
        Value::Object(fields) if fields.contains_key("taxonomy") => {
            let paths = fields["taxonomy"].as_array().into_iter().flatten();
            joined(paths.filter_map(path).collect()).map(|text| (text, false))
        }
        Value::Object(fields) => {
            let keys = ["choices", "rating", "number", "selected", "value", "label", "labels"];
            keys.into_iter().find_map(|key| fields.get(key)).and_then(answer)
        }
        Value::Null => None,
    }
}

/// A class in a tree of them, with those above it: `animals/cat`.
fn path(classes: &Value) -> Option<String> {
    let classes: Option<Vec<String>> = classes.as_array()?.iter().map(text).collect();
    classes.filter(|classes| !classes.is_empty()).map(|classes| classes.join("/"))
}

/// A key under which the user's own id of a record may stand: `id`, `item_id`, `document` and the like, each value once.
pub(super) fn own_id<'a>(records: &[&'a Record]) -> Option<&'a str> {
    let keys = records.first()?.keys().map(String::as_str);
    // An image or a text may be the thing itself, and not its name.
    let content = ["image", "photo", "picture", "video", "document", "doc", "question"];
    let is_id = |key: &&str| *key == "id" || role_of(key) == Some(Role::Object) && !content.contains(key);
    let each_once = |key: &&str| {
        let mut seen = HashSet::new();
        records.iter().all(|record| field(record, key).is_some_and(|id| seen.insert(id)))
    };
    keys.filter(is_id).find(each_once)
}
