//! Labelbox: one data row a line, with the labels of its projects.

use super::answers::{Answer, field, joined, left_out, long};
use super::{Held, Record};
use crate::error::shown;
use serde_json::Value;

pub(super) fn is_export(record: &Record) -> bool {
    record.get("data_row").is_some_and(Value::is_object) && record.get("projects").is_some_and(Value::is_object)
        || is_version_1(record)
}

/// Version 1 has a record for each label.
fn is_version_1(record: &Record) -> bool {
    record.contains_key("Label") && record.contains_key("Created By")
}

pub(super) fn read(records: &[Record]) -> Result<Held, String> {
    if records.first().is_some_and(is_version_1) {
        return read_version_1(records);
    }
    let mut answers = Vec::new();
    let (mut skipped, mut regions, mut texts) = (0, 0, 0);
    let mut key = "id";
    for (row, record) in records.iter().enumerate() {
        let data_row = record.get("data_row").and_then(Value::as_object);
        let id = data_row.and_then(|data_row| {
            ["global_key", "external_id", "id"].into_iter().find_map(|key| Some((key, field(data_row, key)?)))
        });
        let Some((own, task)) = id else { return Err(format!("data row {} has no id", row + 1)) };
        key = own;
        let projects = record.get("projects").and_then(Value::as_object).into_iter().flatten();
        let labels = projects.filter_map(|(_, project)| project.get("labels")?.as_array()).flatten();
        for label in labels.filter_map(Value::as_object) {
            let details = label.get("label_details").and_then(Value::as_object);
            let is =
                |record: Option<&Record>, key: &str| record.and_then(|record| record.get(key)?.as_bool()) == Some(true);
            if is(Some(label), "skipped") || is(details, "is_skipped") || is(details, "skipped") {
                skipped += 1;
                continue;
            }
            let worker =
                details.and_then(|details| field(details, "created_by")).or_else(|| field(label, "created_by"));
            let worker = worker.ok_or_else(|| format!("a label of '{}' does not say who made it", shown(&task)))?;
            let annotations = label.get("annotations");
            regions += annotations.and_then(|all| all.get("objects")?.as_array()).map_or(0, Vec::len);
            let classifications = annotations.and_then(|all| all.get("classifications")?.as_array());
            for classification in classifications.into_iter().flatten().filter_map(Value::as_object) {
                let question = field(classification, "name").or_else(|| field(classification, "value"));
                texts += usize::from(classification.contains_key("text_answer"));
                if let Some(value) = chosen(classification) {
                    let question = question.unwrap_or_default();
                    answers.push(Answer {
                        task: task.clone(),
                        worker: worker.clone(),
                        question,
                        value,
                        is_number: false,
                    });
                }
            }
        }
    }
    let mut notes: Vec<String> = left_out(skipped, "skipped label", "left out").into_iter().collect();
    notes.extend(left_out(regions, "object", "left out: no classification"));
    notes.extend(left_out(texts, "free text", "left out"));
    long("Labelbox", [key, "created_by"], answers, notes)
}

fn read_version_1(records: &[Record]) -> Result<Held, String> {
    let mut answers = Vec::new();
    let (mut skipped, mut regions) = (0, 0);
    let mut key = "ID";
    for (row, record) in records.iter().enumerate() {
        let label = record.get("Label").and_then(Value::as_object);
        if record.get("Skipped").and_then(Value::as_bool) == Some(true) || label.is_none_or(Record::is_empty) {
            skipped += 1;
            continue;
        }
        let id = ["Global Key", "External ID", "DataRow ID", "ID"];
        let id = id.into_iter().find_map(|key| Some((key, field(record, key)?)));
        let (own, task) = id.ok_or_else(|| format!("label {} has no DataRow ID", row + 1))?;
        key = own;
        let worker = field(record, "Created By")
            .ok_or_else(|| format!("a label of '{}' does not say who made it", shown(&task)))?;
        let list =
            |key: &str| label.and_then(|label| label.get(key)?.as_array()).map(Vec::as_slice).unwrap_or_default();
        regions += list("objects").len();
        for classification in list("classifications").iter().filter_map(Value::as_object) {
            let question =
                field(classification, "title").or_else(|| field(classification, "value")).unwrap_or_default();
            if let Some(value) = chosen_in_version_1(classification) {
                answers.push(Answer { task: task.clone(), worker: worker.clone(), question, value, is_number: false });
            }
        }
    }
    let mut notes: Vec<String> = left_out(skipped, "skipped label", "left out").into_iter().collect();
    notes.extend(left_out(regions, "object", "left out: no classification"));
    long("Labelbox", [key, "Created By"], answers, notes)
}

fn chosen_in_version_1(classification: &Record) -> Option<String> {
    let name = |answer: &Value| match answer {
        Value::Object(answer) => field(answer, "title").or_else(|| field(answer, "value")),
        plain => super::answers::text(plain).filter(|text| !text.trim().is_empty()),
    };
    match classification.get("answers").or(classification.get("answer"))? {
        Value::Array(several) => joined(several.iter().filter_map(name).collect()),
        one => name(one),
    }
}

/// The class, or classes, that were chosen.
fn chosen(classification: &Record) -> Option<String> {
    let name = |answer: &Value| {
        let answer = answer.as_object()?;
        field(answer, "name").or_else(|| field(answer, "value"))
    };
    if let Some(answer) = classification.get("radio_answer") {
        return name(answer);
    }
    let several = classification.get("checklist_answers").or(classification.get("checklist_answer"))?;
    joined(several.as_array()?.iter().filter_map(name).collect())
}
