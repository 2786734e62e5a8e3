//! Amazon Mechanical Turk: the results of a batch, a row for each assignment.

use super::Held;
use super::answers::{Assignments, answer, inputs, is_rating, joined, task_column};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

pub(super) fn is_export(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let starts = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
    has("WorkerId") && starts(ANSWER) && (has("HITId") || starts(INPUT))
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
    let task = task_column(table, INPUT, "HITId").map_or_else(|| inputs(table, INPUT), |task| vec![task]);
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
    let (status, reject) = ("AssignmentStatus", "Reject");
    let assignments = Assignments { tool: "Mechanical Turk", table, task, worker, status, reject };
    let are_one = is_one_of_several((0..table.rows()).map(|row| buttons(&questions, row)));
    assignments.long(|row| {
        let mut found = given(&questions, row);
        if are_one {
            let buttons = buttons(&questions, row);
            found.retain(|(question, ..)| buttons.iter().all(|button| button.name != *question));
            found.extend(
                buttons.into_iter().filter(|button| button.on).map(|button| ("choice".into(), button.class, false)),
            );
        }
        found
    })
}

/// A button with a name of its own, which is pressed or not: `Answer.btn1.yes`, `{"btn1": {"yes": true}}`.
struct Button {
    name: String,
    class: String,
    on: bool,
}

/// The buttons in a row, of which each is alone under its name.
fn buttons(questions: &[Column<'_>], row: usize) -> Vec<Button> {
    let mut found: Vec<Button> = Vec::new();
    for Column { question, values, ticked } in questions {
        let value = values[row].trim();
        if let Some((name, class)) = ticked {
            found.extend(tick(value).map(|on| Button { name: (*name).to_owned(), class: (*class).to_owned(), on }));
        } else if *question == "taskAnswers"
            && let Ok(Value::Array(forms)) = serde_json::from_str::<Value>(value)
        {
            for (name, boxes) in forms.iter().filter_map(Value::as_object).flatten() {
                let boxes = boxes.as_object().into_iter().flatten();
                let button = |(class, on): (&String, &Value)| {
                    Some(Button { name: name.clone(), class: class.clone(), on: on.as_bool()? })
                };
                found.extend(boxes.filter_map(button));
            }
        }
    }
    let alone = |name: &str| found.iter().filter(|button| button.name == name).count() == 1;
    let alone: HashSet<String> =
        found.iter().filter(|button| alone(&button.name)).map(|button| button.name.clone()).collect();
    found.retain(|button| alone.contains(&button.name));
    found
}

/// Whether buttons with names of their own are the answers to one question: several classes, of which each row has one.
fn is_one_of_several(rows: impl Iterator<Item = Vec<Button>>) -> bool {
    let mut any = false;
    for buttons in rows.filter(|buttons| !buttons.is_empty()) {
        let classes: HashSet<&str> = buttons.iter().map(|button| button.class.as_str()).collect();
        if buttons.len() < 2 || classes.len() < buttons.len() || buttons.iter().filter(|button| button.on).count() != 1
        {
            return false;
        }
        any = true;
    }
    any
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
