//! Toloka: assignments, a row for each task of each, with INPUT: and OUTPUT: columns.

use super::Held;
use super::answers::{Answer, left_out, long};
use super::mturk::{is_rating, task_column};

const INPUT: &str = "INPUT:";
const OUTPUT: &str = "OUTPUT:";

pub(super) fn is_export(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("ASSIGNMENT:worker_id") && names.iter().any(|name| name.starts_with(OUTPUT))
}

pub(super) fn read(table: &Held) -> Result<Held, String> {
    let workers = table.column("ASSIGNMENT:worker_id").unwrap_or_default();
    let input = || table.names.iter().position(|name| name.starts_with(INPUT));
    let task = task_column(table, INPUT, "ASSIGNMENT:task_id").or_else(input);
    let task = task.ok_or("assignments without ASSIGNMENT:task_id or an INPUT: column")?;
    let status = table.column("ASSIGNMENT:status");
    let mut answers = Vec::new();
    let (mut rejected, mut empty) = (0, 0);
    for row in 0..table.rows() {
        if status.is_some_and(|status| status[row].eq_ignore_ascii_case("rejected")) {
            rejected += 1;
            continue;
        }
        let before = answers.len();
        for (name, values) in table.names.iter().zip(&table.columns) {
            let (Some(question), value) = (name.strip_prefix(OUTPUT), values[row].trim()) else { continue };
            if !value.is_empty() && !workers[row].is_empty() && !table.columns[task][row].is_empty() {
                let (task, worker) = (table.columns[task][row].clone(), workers[row].clone());
                let is_number = is_rating(question, value);
                answers.push(Answer {
                    task,
                    worker,
                    question: question.to_owned(),
                    value: value.to_owned(),
                    is_number,
                });
            }
        }
        empty += usize::from(answers.len() == before);
    }
    let mut notes = vec![format!("{}=task, ASSIGNMENT:worker_id=worker", table.names[task])];
    notes.extend(left_out(rejected, "rejected assignment", "left out"));
    notes.extend(left_out(empty, "row", "without an answer left out"));
    long("Toloka", answers, notes)
}
