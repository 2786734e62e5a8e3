//! Amazon Mechanical Turk: the results of a batch, a row for each assignment.

use super::Held;
use super::answers::{Assignments, answer, is_rating, joined, task_column};
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn is_export(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("HITId") && has("WorkerId") && names.iter().any(|name| name.starts_with(ANSWER))
}

/// A column of answers, and the question and class of the box that it is, if it is one.
struct Column<'a> {
    question: &'a str,
    values: &'a [String],
    ticked: Option<(&'a str, &'a str)>,
}

const ANSWER: &str = "Answer.";
const INPUT: &str = "Input.";

pub(super) fn read(table: &Held) -> Result<Held, String> {
    let task = task_column(table, INPUT, "HITId").ok_or("a batch without HITId")?;
    let worker = table.at("WorkerId").ok_or("a batch without WorkerId")?;
    let questions: Vec<Column<'_>> = table
        .names
        .iter()
        .zip(&table.columns)
        .filter_map(|(name, values)| {
            let question = name.strip_prefix(ANSWER)?;
            Some(Column { question, values, ticked: as_box(question, values) })
        })
        .collect();
    let (task, status, reject) = (vec![task], "AssignmentStatus", "Reject");
    let assignments = Assignments { tool: "Mechanical Turk", table, task, worker, status, reject };
    assignments.long(|row| given(&questions, row))
}

/// The question and the class of a box that is ticked or not: `Answer.animal.cat.on`, and `Answer.animal.cat` if nothing but
/// true and false stands there.
fn as_box<'a>(question: &'a str, values: &[String]) -> Option<(&'a str, &'a str)> {
    let is_tick = |value: &String| value.trim().is_empty() || tick(value).is_some();
    match question.strip_suffix(".on") {
        Some(name) => Some(name.rsplit_once('.').unwrap_or(("choice", name))),
        None => question.rsplit_once('.').filter(|_| values.iter().all(is_tick)),
    }
}

fn tick(value: &str) -> Option<bool> {
    match value.trim() {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Whether a value is what a browser calls itself, which many forms send along.
fn is_browser(value: &str) -> bool {
    value.starts_with("Mozilla/")
}

/// The answers in a row: a column each, sets of boxes, or JSON of all of them in `taskAnswers`.
fn given(questions: &[Column<'_>], row: usize) -> Vec<(String, String, bool)> {
    let mut found = Vec::new();
    let mut boxes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Column { question, values, ticked } in questions {
        let value = values[row].trim();
        if let Some((question, class)) = ticked {
            boxes.entry(question).or_default().extend((tick(value) == Some(true)).then(|| (*class).to_owned()));
        } else if *question == "taskAnswers" {
            found.extend(task_answers(value));
        } else if !value.is_empty() && !is_browser(value) {
            let name = question.strip_suffix(".label").unwrap_or(question);
            found.push((name.to_owned(), value.to_owned(), is_rating(name, value)));
        }
    }
    let several =
        boxes.into_iter().filter_map(|(question, ticked)| Some((question.to_owned(), joined(ticked)?, false)));
    found.extend(several);
    found
}

/// `[{"sentiment": {"label": "Positive"}, "animal": {"cat": true, "dog": false}, "size.big": true, "note": "x"}]`.
fn task_answers(text: &str) -> Vec<(String, String, bool)> {
    let Ok(Value::Array(forms)) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let fields = forms.iter().filter_map(Value::as_object).flatten();
    let mut boxes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, on) in fields.clone() {
        if let (Some((question, class)), Some(on)) = (name.rsplit_once('.'), on.as_bool()) {
            boxes.entry(question).or_default().extend(on.then(|| class.to_owned()));
        }
    }
    let fields = fields.filter(|(name, value)| !(value.is_boolean() && name.contains('.')));
    let one = |(question, value): (&String, &Value)| {
        let ticked = value.as_object().filter(|boxes| !boxes.is_empty() && boxes.values().all(Value::is_boolean));
        let value = match ticked {
            Some(boxes) => joined(
                boxes.iter().filter(|(_, on)| on.as_bool() == Some(true)).map(|(class, _)| class.clone()).collect(),
            ),
            None => answer(value).map(|(value, _)| value).filter(|value| !is_browser(value)),
        }?;
        let is_number = is_rating(question, &value);
        Some((question.clone(), value, is_number))
    };
    let ticked = |(question, ticked): (&str, Vec<String>)| Some((question.to_owned(), joined(ticked)?, false));
    fields.filter_map(one).chain(boxes.into_iter().filter_map(ticked)).collect()
}
