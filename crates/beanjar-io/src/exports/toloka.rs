//! Toloka: assignments, a row for each task of each, with INPUT: and OUTPUT: columns.

use super::Held;
use super::answers::{Assignments, inputs, is_rating, is_region, left_out, task_column};
use serde_json::Value;
use std::cell::Cell;

const INPUT: &str = "INPUT:";
const OUTPUT: &str = "OUTPUT:";

pub(super) fn is_export(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("ASSIGNMENT:worker_id") && names.iter().any(|name| name.starts_with(OUTPUT))
}

pub(super) fn read(table: &Held) -> Result<Held, String> {
    let worker = table.at("ASSIGNMENT:worker_id").ok_or("assignments without ASSIGNMENT:worker_id")?;
    let task = task_column(table, INPUT, "ASSIGNMENT:task_id").map_or_else(|| inputs(table, INPUT), |task| vec![task]);
    if task.is_empty() {
        return Err("assignments without ASSIGNMENT:task_id or an INPUT: column".into());
    }
    let (status, reject) = ("ASSIGNMENT:status", "");
    let assignments = Assignments { tool: "Toloka", table, task, worker, status, reject };
    let regions = Cell::new(0);
    let mut held = assignments.long(|row| {
        let answer = |(name, values): (&String, &Vec<String>)| {
            let (question, value) = (name.strip_prefix(OUTPUT)?, values[row].trim());
            let nested = value.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(value).ok()).flatten();
            if nested.is_some_and(|nested| is_region(&nested)) {
                regions.set(regions.get() + 1);
                return None;
            }
            (!value.is_empty()).then(|| (question.to_owned(), value.to_owned(), is_rating(question, value)))
        };
        table.names.iter().zip(&table.columns).filter_map(answer).collect()
    })?;
    held.notes.extend(left_out(regions.get(), "output", "left out: spans or regions"));
    Ok(held)
}
