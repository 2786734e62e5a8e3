//! The long table of a survey.

use super::alike::{alike, few_words, has_common_words, is_own, on_a_scale};
use super::{Held, Survey};
use crate::class_names::is_plain_number;
use crate::column_roles::{Header, Role, found};
use crate::error::shown;
use crate::exports::Keys;
use crate::exports::answers::left_out;
use crate::read::wide::words;
use crate::understood::some;
use std::collections::HashMap;

/// A row for each answer, task by task. An error says in a clause what is wrong: that there is none, or, unless the user says
/// that each column is a task, that the answers do not show it.
pub(super) fn long(table: &Held, survey: Survey, header: &Header<'_>, asked: bool) -> Result<Held, String> {
    let (body, without) = answers(table, &survey);
    let respondent = respondent(&body, &survey, header)?;
    let Survey { tool, mut tasks, certain, .. } = survey;
    tasks.retain(|(column, _)| Some(*column) != respondent);
    let same = alike(&body, tasks.iter().map(|(column, _)| *column).collect());
    let is_clear = same.len() > 1 && (certain && has_common_words(&body, &same) || few_words(&body, &same));
    if !asked && !is_clear {
        return Err(unclear(tool));
    }
    if same.len() > 1 {
        tasks.retain(|(column, _)| same.contains(column));
    }
    made_distinct(&mut tasks);
    let is_used = |column: usize| Some(column) == respondent || tasks.iter().any(|(task, _)| *task == column);
    let ignored = (0..table.names.len()).filter(|&column| !is_used(column)).map(|column| &table.names[column]);
    let ignored: Vec<&String> = ignored.collect();
    let mut notes: Vec<String> =
        (!ignored.is_empty()).then(|| format!("ignored: {}", some(&ignored))).into_iter().collect();
    notes.extend(without);
    let (columns, empty) = rows(&body, &tasks, respondent);
    notes.extend(left_out(empty, "cell", "without an answer left out"));
    if columns[0].is_empty() {
        return Err("a survey without a single answer".into());
    }
    let names = if on_a_scale(&columns[2]) { ["object", "worker", "value"] } else { ["task", "worker", "label"] };
    let worker = respondent.map_or_else(|| "row".to_owned(), |at| table.names[at].clone());
    let keys = Keys { worker, tasks: tasks.into_iter().map(|(_, task)| task).collect(), ..Keys::default() };
    let tool = Some(tool).filter(|tool| !tool.is_empty());
    let (keys, names, columns) = (Some(keys), names.map(str::to_owned).to_vec(), columns.to_vec());
    Ok(Held { tool, keys, names, columns, notes, ..Held::default() })
}

/// The rows of a survey that are answers, and what was left out of them.
fn answers(table: &Held, survey: &Survey) -> (Held, Option<String>) {
    let without = survey.left_out.as_ref();
    let is_answer = |row: &usize| without.is_none_or(|(rows, _)| !rows.contains(row));
    let rows: Vec<usize> = (survey.first..table.rows()).filter(is_answer).collect();
    let column = |column: &Vec<String>| rows.iter().map(|&row| column[row].clone()).collect();
    let columns = table.columns.iter().map(column).collect();
    let note = without.and_then(|(rows, what)| left_out(rows.len(), what, "left out"));
    (Held { names: table.names.clone(), columns, ..Held::default() }, note)
}

/// The column that names respondents: that of the user's word, of a usual name, of the program, or one with a value of its own
/// in each row. None if rows are all that tells them apart.
fn respondent(body: &Held, survey: &Survey, header: &Header<'_>) -> Result<Option<usize>, String> {
    if let Some(given) = header.given.name_of(Role::Worker) {
        let missing = || format!("no column '{}' (given as worker); found {}", shown(given), found(&body.names));
        return body.at(given).ok_or_else(missing).map(Some);
    }
    let usual = header.find(Role::Worker).ok().flatten();
    let known = usual.or(survey.respondent).or_else(|| with_own_values(body, &survey.tasks));
    Ok(known.or(survey.moment.filter(|&at| is_own(body, at))))
}

/// Tasks, workers and answers, and how many cells have none.
fn rows(body: &Held, tasks: &[(usize, String)], respondent: Option<usize>) -> ([Vec<String>; 3], usize) {
    let mut columns: [Vec<String>; 3] = Default::default();
    let mut empty = 0;
    for (column, task) in tasks {
        for (row, answer) in body.columns[*column].iter().enumerate() {
            let worker = respondent.map_or_else(|| format!("row {}", row + 1), |at| body.columns[at][row].clone());
            if answer.trim().is_empty() || worker.is_empty() {
                empty += 1;
                continue;
            }
            columns.iter_mut().zip([task.clone(), worker, answer.clone()]).for_each(|(column, cell)| column.push(cell));
        }
    }
    (columns, empty)
}

/// What to do with a survey that may be something else.
fn unclear(tool: &str) -> String {
    format!(
        "a survey of {tool}, with a row for each respondent; if each question is a task, say --wide tasks (and --columns worker=NAME for the respondents); if each row is about one task, name the columns: --columns task=NAME,worker=NAME,label=NAME"
    )
}

/// The first column, before any with answers in common, that has a value of its own in each row: a name, or an id.
fn with_own_values(body: &Held, tasks: &[(usize, String)]) -> Option<usize> {
    let (first, _) = tasks.first()?;
    let own = words(body, *first);
    let is_text = own.iter().any(|text| !is_plain_number(text) || text.len() > 3);
    let alone = tasks.iter().skip(1).all(|(other, _)| words(body, *other).is_disjoint(&own));
    (is_own(body, *first) && is_text && alone).then_some(*first)
}

/// Tasks of one name get a number.
fn made_distinct(tasks: &mut [(usize, String)]) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (_, task) in tasks {
        let times = seen.entry(task.clone()).or_default();
        *times += 1;
        if *times > 1 {
            *task += &format!(" ({times})");
        }
    }
}
