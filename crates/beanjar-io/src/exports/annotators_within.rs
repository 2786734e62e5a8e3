//! Records that hold what each annotator said: `{"id": 7, "labels": {"ann": "x", "bob": "y"}}`, or lists side by side,
//! `{"id": 7, "annotators": ["ann", "bob"], "labels": ["x", "y"]}`.

use super::answers::{Answer, field, left_out, long, text};
use super::{Held, Record};
use crate::class_names::is_plain_number;
use crate::column_roles::{Role, role_of};
use crate::read::wide::is_annotator;
use serde_json::Value;

pub(super) fn is_export(record: &Record) -> bool {
    !votes(record).is_empty()
}

pub(super) fn read(records: &[Record]) -> Result<Held, String> {
    let key = records.iter().find_map(task_key);
    let mut answers = Vec::new();
    let mut empty = 0;
    for (row, record) in records.iter().enumerate() {
        let task = key.map_or_else(|| Some((row + 1).to_string()), |key| field(record, key));
        let Some(task) = task else { return Err(format!("record {} has no {}", row + 1, key.unwrap_or("id"))) };
        let votes = votes(record);
        empty += usize::from(votes.is_empty());
        for (worker, value) in votes {
            let question = String::new();
            answers.push(Answer { task: task.clone(), worker, question, value, is_number: false });
        }
    }
    let names = [key.unwrap_or("number of the record"), records.iter().find_map(people_key).unwrap_or("annotator")];
    let notes = left_out(empty, "record", "without a label left out").into_iter().collect();
    Ok(Held { tool: None, ..long("", names, answers, notes)? })
}

/// The key of what was judged: the only one that is called so, an id before any other.
fn task_key(record: &Record) -> Option<&str> {
    let is_task = |key: &&str| role_of(key) == Some(Role::Object) && field(record, key).is_some();
    let keys: Vec<&str> = record.keys().map(String::as_str).filter(is_task).collect();
    keys.iter().copied().find(|key| *key == "id").or(if let [one] = keys[..] { Some(one) } else { None })
}

/// `labels`, `answers`, `annotations`.
fn are_answers(key: &str) -> bool {
    role_of(key) == Some(Role::Label) || key.strip_suffix('s').and_then(role_of) == Some(Role::Label)
}

/// The key of a list of people.
fn people_key(record: &Record) -> Option<&str> {
    let is_people = |key: &&String| {
        let is_worker = key.strip_suffix('s').and_then(role_of) == Some(Role::Worker);
        is_worker && record[key.as_str()].as_array().is_some_and(|people| people.iter().all(|one| text(one).is_some()))
    };
    record.keys().find(is_people).map(String::as_str)
}

/// Who said what in a record; none if it is not of this kind. What is missing is left out.
fn votes(record: &Record) -> Vec<(String, String)> {
    // Columns under names are no record, and one that says who judged holds one judgment.
    let is_worker = |(key, value): (&String, &Value)| role_of(key) == Some(Role::Worker) && text(value).is_some();
    if !record.values().any(|value| text(value).is_some()) || record.iter().any(is_worker) {
        return Vec::new();
    }
    let people = people_key(record).and_then(|key| record[key].as_array());
    for (_, value) in record.iter().filter(|(key, _)| are_answers(key)) {
        let pairs: Vec<(Option<String>, &Value)> = match (value, people) {
            (Value::Object(said), _) if are_people(said) => {
                said.iter().map(|(who, what)| (Some(who.clone()), what)).collect()
            }
            (Value::Array(said), Some(people)) if said.len() == people.len() => {
                people.iter().map(text).zip(said).collect()
            }
            _ => continue,
        };
        if pairs.iter().all(|(_, what)| what.is_null() || text(what).is_some()) {
            let vote =
                |(who, what): (Option<String>, &Value)| Some((who?, text(what).filter(|text| !text.is_empty())?));
            return pairs.into_iter().filter_map(vote).collect();
        }
    }
    Vec::new()
}

/// Whether the keys of some answers are people: `{"label": "x", "score": 0.9}` is one answer, and `{"cat": 3, "dog": 2}` says how
/// often each class was given, or how likely it is.
fn are_people(said: &Record) -> bool {
    let is_word = |value: &Value| text(value).is_none_or(|text| !is_plain_number(&text));
    said.keys().all(|who| is_annotator(who))
        || said.keys().all(|who| role_of(who).is_none()) && said.values().all(is_word)
}
