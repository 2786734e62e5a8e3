//! Argilla: records with responses, as its versions 1 and 2 write them, nested or flat.

use super::answers::{Answer, answer, field, left_out, long};
use super::{Held, Record};
use crate::error::shown;
use serde_json::Value;

pub(super) fn is_export(record: &Record) -> bool {
    record.contains_key("fields") && record.contains_key("responses")
        || record.contains_key("annotation_agent") && record.contains_key("annotation")
        || flat_questions(record).next().is_some()
        || listed_questions(record).next().is_some()
}

/// One response: the question, who answered, whether it was submitted, and what.
struct Response<'a> {
    question: &'a str,
    user: Option<String>,
    status: Option<String>,
    value: &'a Value,
}

pub(super) fn read(records: &[Record]) -> Result<Held, String> {
    let mut answers = Vec::new();
    let mut discarded = 0;
    for (row, record) in records.iter().enumerate() {
        let task = ["id", "external_id", "_server_id"].into_iter().find_map(|key| field(record, key));
        // Records on the Hugging Face hub need not have one.
        let task = task.unwrap_or_else(|| (row + 1).to_string());
        for Response { question, user, status, value } in responses(record) {
            if status.is_some_and(|status| status != "submitted") {
                discarded += 1;
                continue;
            }
            let Some((value, is_number)) = answer(value) else { continue };
            let worker = user.ok_or_else(|| format!("a response to '{}' does not say who gave it", shown(&task)))?;
            answers.push(Answer { task: task.clone(), worker, question: question.to_owned(), value, is_number });
        }
    }
    let notes = left_out(discarded, "response", "that was not submitted left out").into_iter().collect();
    long("Argilla", answers, notes)
}

fn responses(record: &Record) -> Vec<Response<'_>> {
    match record.get("responses") {
        // Version 2: of each question the responses.
        Some(Value::Object(questions)) => {
            questions.iter().flat_map(|(question, list)| of_question(question, list)).collect()
        }
        // Version 1: of each user the values.
        Some(Value::Array(users)) => users
            .iter()
            .filter_map(Value::as_object)
            .flat_map(|response| {
                let values = response.get("values").and_then(Value::as_object).into_iter().flatten();
                values.filter_map(|(question, value)| {
                    let (user, status) = (user(response), field(response, "status"));
                    Some(Response { question, user, status, value: value.get("value")? })
                })
            })
            .collect(),
        // The records of version 1 for one task: one annotation, and who made it.
        _ if record.contains_key("annotation_agent") => {
            let value = record.get("annotation").unwrap_or(&Value::Null);
            vec![Response { question: "annotation", user: field(record, "annotation_agent"), status: None, value }]
        }
        _ => {
            let flat = flat_questions(record).flat_map(|question| flat(record, question));
            let listed = listed_questions(record).flat_map(|(question, list)| of_question(question, list));
            flat.chain(listed).collect()
        }
    }
}

/// The responses to a question, each with its user.
fn of_question<'a>(question: &'a str, list: &'a Value) -> impl Iterator<Item = Response<'a>> {
    let list = list.as_array().into_iter().flatten().filter_map(Value::as_object);
    list.filter_map(move |response| {
        let (user, status) = (user(response), field(response, "status"));
        Some(Response { question, user, status, value: response.get("value")? })
    })
}

/// The questions of a record on the Hugging Face hub: a list of responses under the name of each.
fn listed_questions(record: &Record) -> impl Iterator<Item = (&str, &Value)> {
    let is_response = |value: &Value| value.get("user_id").is_some() && value.get("value").is_some();
    let is_list =
        move |value: &Value| value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_response));
    record.iter().filter(move |(_, value)| is_list(value)).map(|(question, list)| (question.as_str(), list))
}

fn user(response: &Record) -> Option<String> {
    ["user_id", "user", "username"].into_iter().find_map(|key| field(response, key))
}

/// The questions of a flat record, whose keys are `QUESTION.responses` and `QUESTION.responses.users`.
fn flat_questions(record: &Record) -> impl Iterator<Item = &str> {
    record.keys().filter_map(|key| key.strip_suffix(".responses.users"))
}

fn flat<'a>(record: &'a Record, question: &'a str) -> Vec<Response<'a>> {
    let list = |key: String| record.get(&key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let (values, users) = (list(format!("{question}.responses")), list(format!("{question}.responses.users")));
    let statuses = list(format!("{question}.responses.status"));
    let one = |(row, value): (usize, &'a Value)| Response {
        question,
        user: users.get(row).and_then(super::answers::text),
        status: statuses.get(row).and_then(super::answers::text),
        value,
    };
    values.iter().enumerate().map(one).collect()
}
