//! Argilla: records with responses, as its versions 1 and 2 write them, nested or flat.

use super::answers::{Answer, answer, field, is_ranking, is_region, left_out, long};
use super::listed_text::listed_text;
use super::{Held, Record};
use crate::error::shown;
use serde_json::Value;

pub(super) fn is_export(record: &Record) -> bool {
    record.contains_key("fields") && record.contains_key("responses")
        || record.contains_key("annotation_agent") && record.contains_key("annotation")
        || flat_questions(record).next().is_some()
        || listed_questions(record).next().is_some()
}

/// What the status of a response may be that counts; that of a record of its own, too.
const TAKEN: [&str; 4] = ["submitted", "validated", "edited", "default"];

/// One response: the question, who answered, whether it was submitted, and what.
struct Response<'a> {
    question: &'a str,
    user: Option<String>,
    status: Option<String>,
    value: &'a Value,
}

pub(super) fn read(records: &[Record]) -> Result<Held, String> {
    let mut answers = Vec::new();
    let (mut discarded, mut regions, mut rankings) = (0, 0, 0);
    let mut key = "number of the record";
    for (row, record) in records.iter().enumerate() {
        let own = ["id", "external_id", "_server_id"].into_iter().find_map(|key| Some((key, field(record, key)?)));
        // Records on the Hugging Face hub need not have one.
        let task = own.map_or_else(
            || (row + 1).to_string(),
            |(own, task)| {
                key = own;
                task
            },
        );
        discarded += without_values(record);
        for Response { question, user, status, value } in responses(record) {
            if status.is_some_and(|status| !TAKEN.contains(&status.to_lowercase().as_str())) {
                discarded += 1;
                continue;
            }
            regions += usize::from(is_region(value));
            rankings += usize::from(is_ranking(value));
            let Some((value, is_number)) = answer(value) else { continue };
            let worker = user.ok_or_else(|| format!("a response to '{}' does not say who gave it", shown(&task)))?;
            answers.push(Answer { task: task.clone(), worker, question: question.to_owned(), value, is_number });
        }
    }
    let mut notes: Vec<String> = left_out(discarded, "response", "left out: not submitted").into_iter().collect();
    notes.extend(left_out(regions, "response", "left out: spans of the text"));
    notes.extend(left_out(rankings, "ranking", "read as what comes first"));
    long("Argilla", [key, "user"], answers, notes)
}

/// Whether a table has the columns of flat records.
pub(super) fn is_flat(names: &[String]) -> bool {
    let has = |name: &str| names.iter().any(|other| other == name);
    names.iter().filter_map(|name| name.strip_suffix(".responses.users")).any(|q| has(&format!("{q}.responses")))
}

/// Flat records as data frames write them to tables of text.
pub(super) fn read_flat(table: &Held) -> Result<Held, String> {
    let is_list = |name: &str| name.contains(".responses");
    let value = |name: &str, text: &String| match text.trim() {
        "" => Value::Null,
        text if is_list(name) => listed_text(text).unwrap_or_else(|| Value::String(text.to_owned())),
        text => Value::String(text.to_owned()),
    };
    let cells = |row: usize| table.names.iter().zip(&table.columns).map(move |(name, column)| (name, &column[row]));
    let record = |row: usize| cells(row).map(|(name, text)| (name.clone(), value(name, text))).collect();
    let records: Vec<Record> = (0..table.rows()).map(record).collect();
    read(&records)
}

/// How many users of version 1 turned a record down, or have begun, without a single value.
fn without_values(record: &Record) -> usize {
    let users = record.get("responses").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    let is_empty = |user: &&Record| user.get("values").and_then(Value::as_object).is_none_or(Record::is_empty);
    users.filter(is_empty).filter(|user| field(user, "status").is_some_and(|status| status != "submitted")).count()
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
            let status = field(record, "status");
            vec![Response { question: "annotation", user: field(record, "annotation_agent"), status, value }]
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
