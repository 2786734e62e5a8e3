//! Label Studio: JSON with annotations, JSON_MIN, and CSV.

use super::answers::{Answer, answer, field, is_region, left_out, long, own_id, text};
use super::{Held, Record};
use crate::error::shown;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const TOOL: &str = "Label Studio";

/// A task with its annotations.
pub(super) fn is_export(record: &Record) -> bool {
    let annotations = record.get("annotations").or(record.get("completions"));
    record.get("data").is_some_and(Value::is_object) && annotations.is_some_and(Value::is_array)
}

pub(super) fn read(tasks: &[Record]) -> Result<Held, String> {
    let names = TaskNames::of(tasks);
    let mut answers = Vec::new();
    let (mut cancelled, mut true_ones, mut others) = (0, 0, 0);
    for (row, task) in tasks.iter().enumerate() {
        let Some(id) = names.of_task(task) else { return Err(format!("task {} has no id", row + 1)) };
        let annotations = task.get("annotations").or(task.get("completions")).and_then(Value::as_array);
        for annotation in annotations.into_iter().flatten().filter_map(Value::as_object) {
            if annotation.get("was_cancelled").and_then(Value::as_bool) == Some(true) {
                cancelled += 1;
                continue;
            }
            true_ones += usize::from(annotation.get("ground_truth").and_then(Value::as_bool) == Some(true));
            let worker = annotator(annotation.get("completed_by"))
                .ok_or_else(|| format!("an annotation of task '{}' does not say who made it", shown(&id)))?;
            let results = annotation.get("result").and_then(Value::as_array);
            for result in results.into_iter().flatten().filter_map(Value::as_object) {
                let kind = field(result, "type").unwrap_or_default();
                let found = match kind.as_str() {
                    "choices" | "rating" | "number" | "taxonomy" | "pairwise" => result.get("value").and_then(answer),
                    _ => None,
                };
                let Some((value, _)) = found else {
                    others += 1;
                    continue;
                };
                let question = field(result, "from_name").unwrap_or_else(|| kind.clone());
                let is_number = kind == "rating" || kind == "number";
                answers.push(Answer { task: id.clone(), worker: worker.clone(), question, value, is_number });
            }
        }
    }
    let mut notes: Vec<String> =
        names.own.map(|key| format!("tasks are named by '{}'", shown(key))).into_iter().collect();
    notes.extend(left_out(cancelled, "cancelled annotation", "skipped"));
    notes.extend(left_out(true_ones, "annotation", "marked as ground truth read as any other"));
    notes.extend(left_out(others, "result", "left out: neither choice nor rating of a whole task"));
    long(TOOL, [names.own.unwrap_or("id"), "completed_by"], answers, notes)
}

/// How tasks are named: by an id in their data, or by Label Studio's own.
pub(super) struct TaskNames<'a> {
    own: Option<&'a str>,
}

impl<'a> TaskNames<'a> {
    pub(super) fn of(tasks: &'a [Record]) -> TaskNames<'a> {
        let data: Vec<&Record> = tasks.iter().filter_map(|task| task.get("data")?.as_object()).collect();
        TaskNames { own: own_id(&data).filter(|_| data.len() == tasks.len()) }
    }

    pub(super) fn of_task(&self, task: &Record) -> Option<String> {
        match self.own {
            Some(key) => field(task.get("data")?.as_object()?, key),
            None => field(task, "id"),
        }
    }
}

/// The number or the address of an annotator.
fn annotator(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Object(user) => ["email", "username", "id"].into_iter().find_map(|key| field(user, key)),
        plain => text(plain),
    }
}

/// A row for each annotation: CSV and JSON_MIN.
pub(super) fn is_flat(names: &[String]) -> bool {
    ["id", "annotator", "annotation_id", "lead_time"].iter().all(|wanted| names.iter().any(|name| name == wanted))
}

/// What Label Studio adds to the task's data and the answers.
const OWN: [&str; 8] =
    ["id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement", "history"];

pub(super) fn read_flat(table: &Held) -> Result<Held, String> {
    let (Some(ids), Some(workers)) = (table.column("id"), table.column("annotator")) else {
        return Err("an export of Label Studio without 'id' or 'annotator'".into());
    };
    let mut answers = Vec::new();
    let mut regions = 0;
    let columns: Vec<(&String, &Vec<String>)> =
        table.names.iter().zip(&table.columns).filter(|(name, _)| !OWN.contains(&name.as_str())).collect();
    // The export does not tell a task's data from the answers. Data are the same in all rows of a task, and what differs
    // are answers; where nothing does, values of which there are few.
    let is_answer = |values: &[String]| differs(ids, values) || values.iter().any(|value| is_nested_answer(value));
    let any = columns.iter().any(|(_, values)| is_answer(values));
    for (name, values) in columns {
        if !(is_answer(values) || !any && has_few_values(ids, values)) {
            continue;
        }
        for (row, value) in values.iter().enumerate().filter(|(_, value)| !value.trim().is_empty()) {
            let nested = value.starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(value).ok()).flatten();
            if nested.as_ref().is_some_and(is_region) {
                regions += 1;
                continue;
            }
            // Ratings come as [{"rating": 4}].
            let is_number = nested.as_ref().is_some_and(is_scale);
            let Some((value, _)) = nested.map_or_else(|| Some((value.clone(), false)), |nested| answer(&nested)) else {
                continue;
            };
            let (task, worker) = (ids[row].clone(), workers[row].clone());
            answers.push(Answer { task, worker, question: name.clone(), value, is_number });
        }
    }
    let notes = left_out(regions, "result", "left out: neither choice nor rating of a whole task");
    long(TOOL, ["id", "annotator"], answers, notes.into_iter().collect())
}

/// Whether a nested value is a rating or a number.
fn is_scale(value: &Value) -> bool {
    match value {
        Value::Array(values) => values.len() == 1 && values.iter().all(is_scale),
        Value::Object(fields) => fields.contains_key("rating") || fields.contains_key("number"),
        _ => false,
    }
}

/// Whether the rows of a task have different values.
fn differs(ids: &[String], values: &[String]) -> bool {
    let mut of_task: HashMap<&str, &str> = HashMap::new();
    ids.iter().zip(values).any(|(id, value)| *of_task.entry(id).or_insert(value) != value)
}

/// Whether a value is nested as only answers are: `[{"rating": 4}]`, `{"choices": ["a", "b"]}`.
fn is_nested_answer(value: &str) -> bool {
    let nested = || serde_json::from_str::<Value>(value).ok();
    value.starts_with(['{', '[']) && nested().is_some_and(|value| is_scale(&value) || value.get("choices").is_some())
}

/// Whether there are few values, short ones.
fn has_few_values(ids: &[String], values: &[String]) -> bool {
    let tasks: HashSet<&String> = ids.iter().collect();
    let known: HashSet<&str> = values.iter().map(String::as_str).filter(|value| !value.is_empty()).collect();
    let short = known.iter().all(|value| value.len() <= 60);
    short && !known.is_empty() && known.len() <= 20 && 2 * known.len() <= tasks.len()
}
