//! Answers to questions, and the long table of them.

use super::{Held, Record};
use crate::column_roles::{Role, role_of};
use beanjar::counted;
use serde_json::Value;
use std::collections::HashSet;

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
/// several.
pub(super) fn long(tool: &'static str, answers: Vec<Answer>, notes: Vec<String>) -> Result<Held, String> {
    if answers.is_empty() {
        return Err(format!("an export of {tool} without a single answer that is a choice or a rating"));
    }
    let numbers = answers.iter().all(|answer| answer.is_number);
    let questions: HashSet<&str> = answers.iter().map(|answer| answer.question.as_str()).collect();
    let with_questions = numbers || questions.len() > 1;
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
    Ok(Held { tool: Some(tool), names, columns, notes, ..Held::default() })
}

/// A crowd platform's table of assignments, a row for each task of each.
pub(super) struct Assignments<'a> {
    pub(super) tool: &'static str,
    pub(super) table: &'a Held,
    /// The columns of tasks and workers, by number.
    pub(super) task: usize,
    pub(super) worker: usize,
    /// The name of the column that says whether the work was accepted.
    pub(super) status: &'static str,
}

impl Assignments<'_> {
    /// The long table of the answers in each row, which `given` finds: of each the question, the value, and whether it is a
    /// number on a scale. Rejected assignments are left out.
    pub(super) fn long(&self, given: impl Fn(usize) -> Vec<(String, String, bool)>) -> Result<Held, String> {
        let Assignments { tool, table, task, worker, status } = *self;
        let status = table.column(status);
        let mut answers = Vec::new();
        let (mut rejected, mut empty) = (0, 0);
        for row in 0..table.rows() {
            if status.is_some_and(|status| status[row].trim().eq_ignore_ascii_case("rejected")) {
                rejected += 1;
                continue;
            }
            let (task, worker) = (&table.columns[task][row], &table.columns[worker][row]);
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
        let mut notes = vec![format!("{}=task, {}=worker", table.names[task], table.names[worker])];
        notes.extend(left_out(rejected, "rejected assignment", "left out"));
        notes.extend(left_out(empty, "row", "without an answer left out"));
        long(tool, answers, notes)
    }
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

/// Several classes that were chosen at once, as one; the order in which they were chosen does not matter.
pub(super) fn joined(mut classes: Vec<String>) -> Option<String> {
    classes.retain(|class| !class.trim().is_empty());
    classes.sort();
    (!classes.is_empty()).then(|| classes.join("|"))
}

/// The answer in a JSON value: a class, classes that were chosen at once, or a number. `{"choices": [..]}`, `{"rating":
/// 4}`, `{"value": ..}`, `{"label": ..}` and lists are looked into.
pub(super) fn answer(value: &Value) -> Option<(String, bool)> {
    match value {
        Value::Number(number) => Some((number.to_string(), true)),
        Value::String(_) | Value::Bool(_) => {
            text(value).filter(|text| !text.trim().is_empty()).map(|text| (text, false))
        }
        Value::Array(values) => match &values[..] {
            [one] => answer(one),
            several => joined(several.iter().filter_map(|one| answer(one).map(|(text, _)| text)).collect())
                .map(|text| (text, false)),
        },
        Value::Object(fields) => {
            let keys = ["choices", "rating", "number", "selected", "value", "label", "labels", "taxonomy"];
            keys.into_iter().find_map(|key| fields.get(key)).and_then(answer)
        }
        Value::Null => None,
    }
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
