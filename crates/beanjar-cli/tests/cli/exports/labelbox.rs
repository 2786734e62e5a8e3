//! Labelbox, versions 1 and 2.

use super::{ANSWERS, folder, lines, same_as_long, tasks};
use serde_json::{Value, json};

#[test]
fn labelbox() {
    let folder = folder();
    let row = |(task, answers): (&str, &[(&str, &str, &str)])| {
        let label = |(_, worker, label): &(&str, &str, &str)| {
            json!({"label_kind": "Default", "id": "l", "label_details": {"created_by": worker, "is_benchmark_reference": false},
                   "annotations": {"objects": [], "relationships": [], "classifications": [
                     {"feature_id": "f", "name": "animal", "value": "animal",
                      "radio_answer": {"feature_id": "g", "name": label, "value": label, "classifications": []}}]}})
        };
        let labels: Vec<Value> = answers.iter().map(label).collect();
        json!({"data_row": {"id": "cl0", "global_key": task, "row_data": "https://example.org/x.jpg"}, "media_attributes": {},
               "projects": {"p1": {"name": "Animals", "labels": labels, "project_details": {}}}})
    };
    folder.write("labelbox.ndjson", lines(tasks().map(row)));
    same_as_long(&folder, "labelbox.ndjson", "export of Labelbox");
}

#[test]
fn labelbox_version_1() {
    let folder = folder();
    let record = |(task, worker, label): &(&str, &str, &str)| {
        json!({"ID": "l", "DataRow ID": "d", "External ID": task, "Labeled Data": "x", "Created By": worker, "Skipped": false,
               "Label": {"objects": [], "classifications": [{"featureId": "f", "title": "animal", "value": "animal",
                         "answer": {"featureId": "a", "title": label, "value": label}}]}})
    };
    let mut records: Vec<Value> = ANSWERS.iter().map(record).collect();
    records.push(json!({"ID": "s", "External ID": "t1", "Created By": "dora", "Skipped": true, "Label": {}}));
    folder.write("labelbox.json", Value::Array(records.clone()).to_string());
    same_as_long(&folder, "labelbox.json", "export of Labelbox");
    folder.write("labelbox.ndjson", lines(records));
    same_as_long(&folder, "labelbox.ndjson", "export of Labelbox");
}

#[test]
fn free_texts_are_left_out() {
    let folder = folder();
    let row = |(task, answers): (&str, &[(&str, &str, &str)])| {
        let label = |(_, worker, label): &(&str, &str, &str)| {
            json!({"label_details": {"created_by": worker}, "annotations": {"classifications": [
                     {"name": "animal", "radio_answer": {"name": label}},
                     {"name": "why", "text_answer": {"content": "it looks so"}}]}})
        };
        let labels: Vec<Value> = answers.iter().map(label).collect();
        json!({"data_row": {"id": "cl0", "global_key": task}, "projects": {"p1": {"labels": labels}}})
    };
    folder.write("labelbox.ndjson", lines(tasks().map(row)));
    let line = "export of Labelbox; global_key=task, created_by=worker; question: animal; 12 free texts left out";
    same_as_long(&folder, "labelbox.ndjson", line);
}
