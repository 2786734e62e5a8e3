//! Surveys: a row for each respondent, and a column for each thing that was judged.

mod google_forms;
mod microsoft_forms;
mod qualtrics;
mod survey_monkey;

use super::answers::left_out;
use super::{Held, Keys};
use crate::class_names::is_plain_number;
use crate::column_roles::{ColumnNames, Header, Role, found, is_nameless};
use crate::error::shown;
use crate::read::wide::{MOST_WORDS, is_annotator, is_prose, words};
use crate::understood::some;
use std::collections::{HashMap, HashSet};

/// Where in a table the answers of a survey are.
struct Survey {
    tool: &'static str,
    /// The first row of answers: what is above it explains the columns.
    first: usize,
    /// The columns that may be tasks, and what each is called.
    tasks: Vec<(usize, String)>,
    /// The column that names respondents, where the program writes one.
    respondent: Option<usize>,
    /// The column that says when an answer was given, where nothing else tells respondents apart.
    moment: Option<usize>,
    /// The rows of answers that are no respondent's, and what they are.
    left_out: Option<(Vec<usize>, &'static str)>,
    /// Whether the program has left a mark that no other table has.
    certain: bool,
}

/// Whether a table with these columns may be a survey.
pub(crate) fn may_be(names: &[String]) -> bool {
    let programs = [qualtrics::may_be, survey_monkey::may_be, microsoft_forms::may_be, google_forms::may_be];
    let given = ColumnNames::default();
    programs.into_iter().any(|may_be| may_be(names))
        || has_nothing_but_workers(&Header { place: "", file: "", names, given: &given })
}

/// Whether a table has a column of workers, and none of what they did.
fn has_nothing_but_workers(header: &Header<'_>) -> bool {
    let others = [Role::Object, Role::Label, Role::Value, Role::Attribute];
    matches!(header.find(Role::Worker), Ok(Some(_)))
        && others.into_iter().all(|role| matches!(header.find(role), Ok(None)))
}

/// The long table of a survey: a task for each column. Without `asked` it has to be one unmistakably, and what only may be
/// one is an error, which says in a clause what to do; none if the table is no survey. The respondents are in the column
/// that the user gave, if any.
pub(crate) fn read(table: &Held, given: &ColumnNames, asked: bool) -> Option<Result<Held, String>> {
    let programs = [qualtrics::find, survey_monkey::find, microsoft_forms::find, google_forms::find];
    let known = programs.into_iter().find_map(|find| find(table));
    let header = Header { place: "", file: "", names: &table.names, given };
    let find = |role| header.find(role).ok().flatten();
    match (known, asked) {
        (Some(survey), false) => {
            // A column of objects makes it a table of rows, and columns called as annotators are one of annotators.
            let annotators = table.names.iter().filter(|name| is_annotator(name)).count();
            let is_other = annotators > 1 || !matches!(header.find(Role::Object), Ok(None));
            (survey.certain || !is_other).then(|| long(table, survey, &header, false))
        }
        // Without a column of what was judged there is nothing else to judge; a row is a worker, if each has one.
        (None, false) => {
            let worker =
                find(Role::Worker).filter(|&worker| has_nothing_but_workers(&header) && is_own(table, worker))?;
            let survey = any(table);
            let columns = survey.tasks.iter().map(|(column, _)| *column).filter(|&column| column != worker);
            let same = alike(table, columns.collect());
            let is_survey = same.len() > 1 && share_words(table, &same) && has_few_words(table, &same);
            is_survey.then(|| long(table, survey, &header, false))
        }
        (Some(survey), true) => Some(long(table, survey, &header, true)),
        (None, true) => Some(match (find(Role::Object), find(Role::Label).or_else(|| find(Role::Value))) {
            (Some(task), Some(_)) => {
                let task = shown(&table.names[task]);
                Err(format!("a table with a row for each label, of tasks in column '{task}'; leave --wide tasks out"))
            }
            _ => long(table, any(table), &header, true),
        }),
    }
}

/// A table that the user says is a survey.
fn any(table: &Held) -> Survey {
    let named = |&column: &usize| !is_nameless(&table.names[column]) && !is_about_answers(&table.names[column]);
    let tasks = (0..table.names.len()).filter(named).map(|column| (column, table.names[column].clone())).collect();
    Survey { tool: "", first: 0, tasks, respondent: Some(0), moment: None, left_out: None, certain: false }
}

/// `StartDate`, `IP Address`, `Duration (in seconds)`: what programs write beside the answers.
fn is_about_answers(name: &str) -> bool {
    const KNOWN: [&str; 31] = [
        "timestamp",
        "startdate",
        "enddate",
        "status",
        "ipaddress",
        "progress",
        "durationinseconds",
        "finished",
        "recordeddate",
        "responseid",
        "recipientlastname",
        "recipientfirstname",
        "recipientemail",
        "externalreference",
        "locationlatitude",
        "locationlongitude",
        "distributionchannel",
        "userlanguage",
        "respondentid",
        "collectorid",
        "emailaddress",
        "email",
        "username",
        "firstname",
        "lastname",
        "customdata",
        "customdata1",
        "datecreated",
        "datemodified",
        "starttime",
        "completiontime",
    ];
    KNOWN.contains(&simplified(name).as_str())
}

fn simplified(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn long(table: &Held, survey: Survey, header: &Header<'_>, asked: bool) -> Result<Held, String> {
    let Survey { tool, first, tasks, respondent, moment, left_out: others, certain } = survey;
    let (without, what) = others.unwrap_or_default();
    let rows: Vec<usize> = (first..table.rows()).filter(|row| !without.contains(row)).collect();
    let column = |column: &Vec<String>| rows.iter().map(|&row| column[row].clone()).collect();
    let body =
        Held { names: table.names.clone(), columns: table.columns.iter().map(column).collect(), ..Held::default() };
    let respondent = match header.given.name_of(Role::Worker) {
        Some(given) => {
            let missing = || format!("no column '{}' (given as worker); found {}", shown(given), found(&table.names));
            Some(table.at(given).ok_or_else(missing)?)
        }
        None => {
            let usual = header.find(Role::Worker).ok().flatten();
            usual.or(respondent).or_else(|| with_own_values(&body, &tasks)).or(moment.filter(|&at| is_own(&body, at)))
        }
    };
    let mut tasks = tasks;
    tasks.retain(|(column, _)| Some(*column) != respondent);
    let answered = alike(&body, tasks.iter().map(|(column, _)| *column).collect());
    if !asked && !(answered.len() > 1 && (certain && has_common_words(&body, &answered) || few_words(&body, &answered)))
    {
        return Err(unclear(tool));
    }
    let kept = if answered.len() > 1 { answered } else { tasks.iter().map(|(column, _)| *column).collect() };
    tasks.retain(|(column, _)| kept.contains(column));
    if tasks.is_empty() || rows.is_empty() {
        return Err("a survey without a single answer".into());
    }
    told_apart(&mut tasks);
    let used = |column: &usize| Some(*column) == respondent || kept.contains(column);
    let ignored: Vec<&String> =
        (0..table.names.len()).filter(|column| !used(column)).map(|i| &table.names[i]).collect();
    let mut notes = Vec::new();
    if !ignored.is_empty() {
        notes.push(format!("ignored: {}", some(&ignored)));
    }
    notes.extend(left_out(without.len(), what, "left out"));
    let mut columns = vec![Vec::new(); 3];
    let mut empty = 0;
    for (column, task) in &tasks {
        for (row, answer) in body.columns[*column].iter().enumerate() {
            let worker = respondent.map_or_else(|| format!("row {}", row + 1), |at| body.columns[at][row].clone());
            if answer.trim().is_empty() || worker.is_empty() {
                empty += 1;
                continue;
            }
            columns.iter_mut().zip([task.clone(), worker, answer.clone()]).for_each(|(column, cell)| column.push(cell));
        }
    }
    notes.extend(left_out(empty, "cell", "without an answer left out"));
    if columns[0].is_empty() {
        return Err("a survey without a single answer".into());
    }
    let names = if on_a_scale(&columns[2]) { ["object", "worker", "value"] } else { ["task", "worker", "label"] };
    let worker = respondent.map_or_else(|| "row".to_owned(), |at| table.names[at].clone());
    let keys = Keys { worker, tasks: tasks.into_iter().map(|(_, task)| task).collect(), ..Keys::default() };
    let tool = Some(tool).filter(|tool| !tool.is_empty());
    Ok(Held { tool, keys: Some(keys), names: names.map(str::to_owned).to_vec(), columns, notes, ..Held::default() })
}

/// What to do with a survey that may be something else.
fn unclear(tool: &str) -> String {
    format!(
        "a survey of {tool}, with a row for each respondent; if each question is a task, say --wide tasks (and --columns worker=NAME for the respondents); if each row is about one task, name the columns: --columns task=NAME,worker=NAME,label=NAME"
    )
}

/// Whether a column has a value of its own in each row.
fn is_own(body: &Held, column: usize) -> bool {
    let known = words(body, column);
    body.rows() > 1 && known.len() == body.rows()
}

/// The first column, before any with answers in common, that has a value of its own in each row: a name, or an id.
fn with_own_values(body: &Held, tasks: &[(usize, String)]) -> Option<usize> {
    let (first, _) = tasks.first()?;
    let own = words(body, *first);
    let is_text = own.iter().any(|text| !is_plain_number(text) || text.len() > 3);
    let alone = tasks.iter().skip(1).all(|(other, _)| words(body, *other).is_disjoint(&own));
    (is_own(body, *first) && is_text && alone).then_some(*first)
}

fn is_numeric(body: &Held, column: usize) -> bool {
    words(body, column).iter().all(|text| is_plain_number(text))
}

/// Those of some columns that may be answers to one question: without texts in words of one's own, without columns that nobody
/// filled, and without the smaller part that has no answer in common with the others, such as a respondent's age. A column
/// between others in which all gave the same answer is a task of a class that has no other.
fn alike(body: &Held, columns: Vec<usize>) -> Vec<usize> {
    let filled: Vec<usize> = columns.into_iter().filter(|&column| !words(body, column).is_empty()).collect();
    let columns: Vec<usize> = filled.iter().copied().filter(|&column| !is_prose(body, column, &filled)).collect();
    let numeric = |column: &usize| is_numeric(body, *column);
    let mostly_numbers = 2 * columns.iter().filter(|column| numeric(column)).count() > columns.len();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in columns.iter().flat_map(|&column| words(body, column)) {
        *counts.entry(word).or_default() += 1;
    }
    let shares = |column: &usize| words(body, *column).iter().any(|word| counts[word] > 1);
    let inner = columns.iter().copied().find(shares).zip(columns.iter().copied().rfind(shares));
    let is_inner = |column: usize| inner.is_some_and(|(first, last)| first < column && column < last);
    let sharing: Vec<usize> = columns.iter().copied().filter(shares).collect();
    let fits = |column: &usize| match mostly_numbers && !has_few_words(body, &sharing) {
        true => numeric(column),
        false => shares(column) || is_inner(*column) && words(body, *column).len() == 1,
    };
    let kept: Vec<usize> = columns.iter().copied().filter(fits).collect();
    if 2 * kept.len() > columns.len() { kept } else { columns }
}

/// Whether some columns may be answers to one question: they are numbers, or share values.
fn has_common_words(body: &Held, columns: &[usize]) -> bool {
    columns.iter().all(|&column| is_numeric(body, column)) || share_words(body, columns)
}

/// Whether most of some columns share a value with another.
fn share_words(body: &Held, columns: &[usize]) -> bool {
    let of: Vec<HashSet<&str>> = columns.iter().map(|&column| words(body, column)).collect();
    let shares = |at: usize| (0..of.len()).any(|other| other != at && !of[other].is_disjoint(&of[at]));
    2 * (0..of.len()).filter(|&at| shares(at)).count() > of.len()
}

/// Whether some columns hold the same few values.
fn few_words(body: &Held, columns: &[usize]) -> bool {
    body.rows() > 1 && has_common_words(body, columns) && has_few_words(body, columns)
}

fn has_few_words(body: &Held, columns: &[usize]) -> bool {
    let all: HashSet<&str> = columns.iter().flat_map(|&column| words(body, column)).collect();
    let filled = |column: &usize| body.columns[*column].iter().filter(|text| !text.trim().is_empty()).count();
    let cells: usize = columns.iter().map(filled).sum();
    all.len() <= MOST_WORDS.min(cells / 2)
}

/// Whether answers are numbers on a scale, and not classes.
fn on_a_scale(answers: &[String]) -> bool {
    let known: HashSet<&str> = answers.iter().map(|answer| answer.trim()).collect();
    known.len() > MOST_WORDS && known.iter().all(|text| text.parse().is_ok_and(f64::is_finite))
}

/// Tasks of one name get a number.
fn told_apart(tasks: &mut [(usize, String)]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (_, task) in tasks {
        let times = seen.entry(task.clone()).or_default();
        *times += 1;
        if *times > 1 {
            *task += &format!(" ({times})");
        }
    }
}
