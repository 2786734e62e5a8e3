//! Logs in which a worker judged one thing several times over, and a column says what differed: the model whose answer it
//! was, the turn of a conversation, or the prompt of the judge.

use super::Held;
use crate::column_roles::{ColumnNames, Header, Role};
use std::collections::{HashMap, HashSet};

/// What belongs to the thing that was judged.
const OF_TASK: [&str; 14] = [
    "model",
    "modelid",
    "modelname",
    "targetmodel",
    "judgedmodel",
    "evaluatedmodel",
    "answermodel",
    "responsemodel",
    "system",
    "systemid",
    "systemname",
    "generator",
    "turn",
    "turnid",
];

/// What belongs to the judge.
const OF_WORKER: [&str; 5] = ["prompt", "promptid", "promptname", "prompttemplate", "promptversion"];

fn is_one_of(known: &[&str], name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    known.contains(&plain.as_str())
}

/// The columns of things and workers, and those beside that may say what differed.
struct Columns {
    item: usize,
    worker: usize,
    question: Option<usize>,
    of_task: Vec<usize>,
    of_worker: Vec<usize>,
}

fn columns(names: &[String]) -> Option<Columns> {
    let given = ColumnNames::default();
    let header = Header { place: "", file: "", names, given: &given };
    let find = |role| header.find(role).ok().flatten();
    let (item, worker, question) = (find(Role::Object)?, find(Role::Worker)?, find(Role::Attribute));
    find(Role::Label).or_else(|| find(Role::Value))?;
    let beside = |known: &[&str]| -> Vec<usize> {
        let is_free = |&column: &usize| ![Some(item), Some(worker), question].contains(&Some(column));
        (0..names.len()).filter(is_free).filter(|&column| is_one_of(known, &names[column])).collect()
    };
    let (of_task, of_worker) = (beside(&OF_TASK), beside(&OF_WORKER));
    Some(Columns { item, worker, question, of_task, of_worker })
}

/// Whether a table has a column that may tell several judgments of one thing apart.
pub(crate) fn may_be(names: &[String]) -> bool {
    columns(names).is_some_and(|columns| !columns.of_task.is_empty() || !columns.of_worker.is_empty())
}

/// The same table with such columns made part of the task or the worker; none if nobody judged a thing twice with other
/// values there.
pub(super) fn told_apart(table: &Held) -> Option<Held> {
    let columns = columns(&table.names)?;
    let differs = |&column: &usize| {
        let mut seen: HashMap<Vec<&str>, &str> = HashMap::new();
        (0..table.rows()).any(|row| {
            let cell = |column: usize| table.columns[column][row].as_str();
            let mut key = vec![cell(columns.item), cell(columns.worker)];
            key.extend(columns.question.map(cell));
            !cell(column).is_empty() && *seen.entry(key).or_insert_with(|| cell(column)) != cell(column)
        })
    };
    // A prompt that comes again with another thing is the judge's, and not the text of the thing.
    let comes_again = |&column: &usize| {
        let mut seen: HashMap<&str, &str> = HashMap::new();
        let pairs = table.columns[column].iter().zip(&table.columns[columns.item]);
        let (mut again, mut prompts) = (HashSet::new(), HashSet::new());
        for (prompt, item) in pairs.filter(|(prompt, _)| !prompt.is_empty()) {
            prompts.insert(prompt);
            if *seen.entry(prompt).or_insert(item) != item {
                again.insert(prompt);
            }
        }
        again.len() == prompts.len()
    };
    let of_task: Vec<usize> = columns.of_task.iter().copied().filter(differs).collect();
    let of_worker: Vec<usize> = columns.of_worker.iter().copied().filter(differs).filter(comes_again).collect();
    if of_task.is_empty() && of_worker.is_empty() {
        return None;
    }
    let mut held = table.clone();
    for (parts, whole, role) in [(&of_task, columns.item, "task"), (&of_worker, columns.worker, "worker")] {
        for &part in parts {
            let name = &table.names[part];
            for (row, cell) in held.columns[whole].iter_mut().enumerate() {
                let value = table.columns[part][row].trim();
                match value.parse::<f64>().is_ok() {
                    _ if value.is_empty() || cell.is_empty() => {}
                    true => *cell += &format!(": {name} {value}"),
                    false => *cell += &format!(": {value}"),
                }
            }
            held.notes.push(format!("{name} made part of the {role}, as it tells judgments of one worker apart"));
        }
    }
    let joined: Vec<usize> = of_task.into_iter().chain(of_worker).collect();
    let mut column = 0;
    held.names.retain(|_| {
        column += 1;
        !joined.contains(&(column - 1))
    });
    let mut column = 0;
    held.columns.retain(|_| {
        column += 1;
        !joined.contains(&(column - 1))
    });
    Some(held)
}
