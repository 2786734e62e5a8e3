//! doccano: a text a line, with its labels, or with annotations of several users.

use super::answers::{Answer, answer, field, is_region, left_out, long};
use super::{Held, Record};
use crate::column_roles::{Role, role_of};
use serde_json::Value;

const TOOL: &str = "doccano";

pub(super) fn is_export(record: &Record) -> bool {
    let with_text = record.contains_key("text") || record.contains_key("data") || record.contains_key("filename");
    let is_list = |key| record.get(key).is_some_and(Value::is_array);
    with_text && ["label", "labels", "annotations", "cats", "entities"].into_iter().any(is_list)
}

pub(super) fn read(records: &[Record]) -> Result<Held, String> {
    let mut answers = Vec::new();
    let mut spans = 0;
    let mut key = "id";
    for (row, record) in records.iter().enumerate() {
        // The first versions called it otherwise.
        let own = ["id", "doc_id", "example_id"].into_iter().find_map(|key| Some((key, field(record, key)?)));
        let (own, task) = own.ok_or_else(|| format!("record {} has no id", row + 1))?;
        key = own;
        for (worker, value) in labels(record) {
            // A span is a list of start, end and label.
            if is_region(&value) || value.as_array().is_some_and(|values| values.iter().any(Value::is_array)) {
                spans += 1;
                continue;
            }
            let Some((value, _)) = answer(&value) else { continue };
            let worker = worker.ok_or_else(|| {
                format!("an export of {TOOL} that does not say who labelled record {}: doccano writes a file for each user, which can be joined with a further key 'user' in each line", row + 1)
            })?;
            answers.push(Answer { task: task.clone(), worker, question: String::new(), value, is_number: false });
        }
    }
    let notes = left_out(spans, "record", "with spans left out").into_iter().collect();
    long(TOOL, [key, "user"], answers, notes)
}

/// Who gave which label to a record.
fn labels(record: &Record) -> Vec<(Option<String>, Value)> {
    if let Some(Value::Array(annotations)) = record.get("annotations") {
        // Several labels of one user were chosen at once.
        let mut found: Vec<(Option<String>, Vec<Value>)> = Vec::new();
        for annotation in annotations.iter().filter_map(Value::as_object) {
            let user = who(annotation);
            let label = annotation.get("label").cloned().unwrap_or(Value::Null);
            match found.iter_mut().find(|(other, _)| *other == user) {
                Some((_, labels)) => labels.push(label),
                None => found.push((user, vec![label])),
            }
        }
        // A number here is that of a label, and no rating.
        let text = |label: Value| if label.is_number() { Value::String(label.to_string()) } else { label };
        return found
            .into_iter()
            .map(|(user, labels)| (user, Value::Array(labels.into_iter().map(text).collect())))
            .collect();
    }
    let keys = ["label", "labels", "cats", "entities"];
    let label = keys.into_iter().find_map(|key| record.get(key)).cloned().unwrap_or(Value::Null);
    vec![(who(record), label)]
}

/// Who labelled.
fn who(record: &Record) -> Option<String> {
    let key = |key: &&String| role_of(key) == Some(Role::Worker) || key.as_str() == "username";
    record.keys().find(key).and_then(|key| field(record, key))
}
