//! Toloka: assignments, a row for each task of each, with INPUT: and OUTPUT: columns.

use super::Held;
use super::answers::{Assignments, is_rating, task_column};

const INPUT: &str = "INPUT:";
const OUTPUT: &str = "OUTPUT:";

pub(super) fn is_export(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("ASSIGNMENT:worker_id") && names.iter().any(|name| name.starts_with(OUTPUT))
}

pub(super) fn read(table: &Held) -> Result<Held, String> {
    let worker = table.at("ASSIGNMENT:worker_id").ok_or("assignments without ASSIGNMENT:worker_id")?;
    let input = || table.names.iter().position(|name| name.starts_with(INPUT));
    let task = task_column(table, INPUT, "ASSIGNMENT:task_id").or_else(input);
    let task = task.ok_or("assignments without ASSIGNMENT:task_id or an INPUT: column")?;
    let assignments = Assignments { tool: "Toloka", table, task, worker, status: "ASSIGNMENT:status" };
    assignments.long(|row| {
        let answer = |(name, values): (&String, &Vec<String>)| {
            let (question, value) = (name.strip_prefix(OUTPUT)?, values[row].trim());
            (!value.is_empty()).then(|| (question.to_owned(), value.to_owned(), is_rating(question, value)))
        };
        table.names.iter().zip(&table.columns).filter_map(answer).collect()
    })
}
