//! Amazon Mechanical Turk: the results of a batch, a row for each assignment.

use super::Held;
use super::answers::{Answer, answer, joined, left_out, long};
use crate::column_roles::{Role, role_of};
use serde_json::Value;
use std::collections::HashMap;

pub(super) fn is_export(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("HITId") && has("WorkerId") && names.iter().any(|name| name.starts_with(ANSWER))
}

const ANSWER: &str = "Answer.";
const INPUT: &str = "Input.";

pub(super) fn read(table: &Held) -> Result<Held, String> {
    let workers = table.column("WorkerId").unwrap_or_default();
    let task = task_column(table, INPUT, "HITId").ok_or("a batch without HITId")?;
    let status = table.column("AssignmentStatus");
    let questions: Vec<(&str, &[String])> = table
        .names
        .iter()
        .zip(&table.columns)
        .filter_map(|(name, values)| Some((name.strip_prefix(ANSWER)?, values.as_slice())))
        .collect();
    let mut answers = Vec::new();
    let (mut rejected, mut empty) = (0, 0);
    for row in 0..table.rows() {
        if status.is_some_and(|status| status[row].eq_ignore_ascii_case("rejected")) {
            rejected += 1;
            continue;
        }
        let before = answers.len();
        for (question, value, is_number) in given(&questions, row) {
            let (task, worker) = (table.columns[task][row].clone(), workers[row].clone());
            answers.push(Answer { task, worker, question, value, is_number });
        }
        empty += usize::from(answers.len() == before);
    }
    let mut notes = vec![format!("{}=task, WorkerId=worker", table.names[task])];
    notes.extend(left_out(rejected, "rejected assignment", "left out"));
    notes.extend(left_out(empty, "assignment", "without an answer left out"));
    long("Mechanical Turk", answers, notes)
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

/// The answers in a row: a column each, a set of boxes `NAME.on`, or JSON of all of them in `taskAnswers`.
fn given(questions: &[(&str, &[String])], row: usize) -> Vec<(String, String, bool)> {
    let mut found = Vec::new();
    let mut boxes: HashMap<String, (bool, Vec<String>)> = HashMap::new();
    for (question, values) in questions {
        let value = values[row].trim();
        if let Some(name) = question.strip_suffix(".on") {
            // `Answer.animal.cat.on` is a box of the question 'animal'.
            let (question, class) = name.rsplit_once('.').unwrap_or(("choice", name));
            let (_, ticked) = boxes.entry(question.to_owned()).or_default();
            ticked.extend(value.eq_ignore_ascii_case("true").then(|| class.to_owned()));
        } else if *question == "taskAnswers" {
            found.extend(task_answers(value));
        } else if !value.is_empty() {
            let name = question.strip_suffix(".label").unwrap_or(question);
            found.push((name.to_owned(), value.to_owned(), is_rating(name, value)));
        }
    }
    let mut boxes: Vec<_> = boxes.into_iter().collect();
    boxes.sort_unstable();
    found.extend(boxes.into_iter().filter_map(|(question, (_, ticked))| Some((question, joined(ticked)?, false))));
    found
}

/// A number in answer to a question that is called as values are.
pub(super) fn is_rating(question: &str, value: &str) -> bool {
    role_of(question) == Some(Role::Value) && value.parse().is_ok_and(f64::is_finite)
}

/// `[{"sentiment": {"label": "Positive"}, "animal": {"cat": true, "dog": false}, "note": "x"}]`.
fn task_answers(text: &str) -> Vec<(String, String, bool)> {
    let Ok(Value::Array(forms)) = serde_json::from_str::<Value>(text) else { return Vec::new() };
    let fields = forms.iter().filter_map(Value::as_object).flatten();
    let one = |(question, value): (&String, &Value)| {
        let ticked = value.as_object().filter(|boxes| !boxes.is_empty() && boxes.values().all(Value::is_boolean));
        let value = match ticked {
            Some(boxes) => joined(
                boxes.iter().filter(|(_, on)| on.as_bool() == Some(true)).map(|(class, _)| class.clone()).collect(),
            ),
            None => answer(value).map(|(value, _)| value),
        }?;
        let is_number = is_rating(question, &value);
        Some((question.clone(), value, is_number))
    };
    fields.filter_map(one).collect()
}
