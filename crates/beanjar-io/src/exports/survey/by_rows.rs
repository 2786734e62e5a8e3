//! Forms that were filled in once for each task: a row is what one person says of one task.

use super::alike::has_few_words;
use super::{Held, Survey, simplified};
use crate::column_roles::{Header, Role, role_of};
use crate::exports::Keys;
use crate::exports::answers::left_out;
use crate::read::wide::words;
use crate::understood::some;
use crate::usual_names::is_remark;
use std::collections::{HashMap, HashSet};

/// The long table of such a form, if the rows show it: people come again, one column names what they judged, each thing
/// once, and others hold few answers. None if anything else may be meant.
pub(super) fn by_rows(table: &Held, survey: &Survey, header: &Header<'_>) -> Option<Held> {
    let who = people(table, survey, header)?;
    let others: Vec<usize> = survey
        .tasks
        .iter()
        .map(|(column, _)| *column)
        .filter(|&column| column != who && is_filled(table, column))
        .collect();
    let things: Vec<usize> = others.iter().copied().filter(|&column| is_judged_once(table, who, column)).collect();
    let called: Vec<usize> = things.iter().copied().filter(|&column| names_a_thing(&table.names[column])).collect();
    let thing = match (&called[..], &things[..]) {
        ([one], _) | ([], [one]) => *one,
        _ => return None,
    };
    let is_answer =
        |column: &usize| *column != thing && !is_remark(&table.names[*column]) && has_few_words(table, &[*column]);
    let questions: Vec<usize> = others.iter().copied().filter(is_answer).collect();
    (!questions.is_empty()).then(|| long(table, survey.tool, [thing, who], &questions))
}

/// The column of people who have several rows each, most of them: by the user's word, by a usual name, or of addresses.
fn people(table: &Held, survey: &Survey, header: &Header<'_>) -> Option<usize> {
    let is_address = |column: &usize| {
        let name = simplified(&table.names[*column]);
        ["email", "emailaddress", "name", "username", "yourname", "initials", "yourinitials"].contains(&name.as_str())
    };
    let known = header.find(Role::Worker).ok().flatten();
    let addresses = (0..table.names.len()).filter(is_address);
    known.into_iter().chain(survey.respondent).chain(addresses).find(|&column| {
        let mut rows: HashMap<&str, usize> = HashMap::new();
        table.columns[column].iter().for_each(|name| *rows.entry(name.trim()).or_default() += 1);
        let again = rows.values().filter(|&&rows| rows > 1).count();
        !rows.contains_key("") && rows.len() > 1 && 2 * again > rows.len()
    })
}

fn is_filled(table: &Held, column: usize) -> bool {
    !words(table, column).is_empty()
}

/// Whether no person has the same value twice, and several have one in common.
fn is_judged_once(table: &Held, who: usize, column: usize) -> bool {
    let mut seen = HashSet::new();
    let cells = || table.columns[who].iter().zip(&table.columns[column]);
    let values = words(table, column).len();
    cells().all(|(who, value)| !value.trim().is_empty() && seen.insert((who.trim(), value.trim())))
        && 1 < values
        && values < table.rows()
}

/// `Which item?`, `Photo number`.
fn names_a_thing(name: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|word| role_of(word) == Some(Role::Object))
}

/// The long table of rows that say what one person thinks of one thing.
pub(in crate::exports) fn long(
    table: &Held,
    tool: &'static str,
    [thing, who]: [usize; 2],
    questions: &[usize],
) -> Held {
    let several = questions.len() > 1;
    let mut columns = vec![Vec::new(); if several { 4 } else { 3 }];
    let mut empty = 0;
    for &question in questions {
        for (row, answer) in table.columns[question].iter().enumerate() {
            if answer.trim().is_empty() {
                empty += 1;
                continue;
            }
            let (task, worker) = (&table.columns[thing][row], &table.columns[who][row]);
            let mut cells = vec![task, worker, answer];
            if several {
                cells.push(&table.names[question]);
            }
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell.clone()));
        }
    }
    let is_used = |column: &usize| *column == thing || *column == who || questions.contains(column);
    let ignored: Vec<&String> = (0..table.names.len()).filter(|i| !is_used(i)).map(|i| &table.names[i]).collect();
    let mut notes: Vec<String> =
        (!ignored.is_empty()).then(|| format!("ignored: {}", some(&ignored))).into_iter().collect();
    notes.extend(left_out(empty, "cell", "without an answer left out"));
    let name = |column: &usize| table.names[*column].clone();
    let questions = questions.iter().map(name).collect();
    let keys = Keys { task: name(&thing), worker: name(&who), questions, ..Keys::default() };
    let names = ["task", "worker", "label", "attribute"].into_iter().take(columns.len()).map(str::to_owned).collect();
    let tool = Some(tool).filter(|tool| !tool.is_empty());
    Held { tool, keys: Some(keys), names, columns, notes, ..Held::default() }
}
