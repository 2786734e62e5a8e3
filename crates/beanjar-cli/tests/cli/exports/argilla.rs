//! Argilla's records, of versions 1 and 2.

use super::{ANSWERS, folder, lines, same_as_long, tasks};
use serde_json::{Value, json};

#[test]
fn argilla() {
    let folder = folder();
    let nested = tasks().map(|(task, answers)| {
        let responses: Vec<Value> =
            answers.iter().map(|(_, worker, label)| json!({"value": label, "user_id": worker, "status": "submitted"})).collect();
        json!({"id": task, "fields": {"text": "x"}, "metadata": {}, "suggestions": {}, "responses": {"animal": responses},
               "vectors": {}, "status": "completed"})
    });
    folder.write("argilla.json", Value::Array(nested.collect()).to_string());
    same_as_long(&folder, "argilla.json", "export of Argilla");
    let by_user = tasks().map(|(task, answers)| {
        let mut responses: Vec<Value> = answers
            .iter()
            .map(|(_, worker, label)| json!({"values": {"animal": {"value": label}}, "status": "submitted", "user_id": worker}))
            .collect();
        responses.push(json!({"values": {"animal": {"value": "dog"}}, "status": "discarded", "user_id": "dora"}));
        json!({"id": task, "fields": {"text": "x"}, "metadata": {}, "responses": responses, "suggestions": []})
    });
    folder.write("argilla1.jsonl", lines(by_user));
    same_as_long(&folder, "argilla1.jsonl", "export of Argilla");
    let flat = tasks().map(|(task, answers)| {
        let labels: Vec<&str> = answers.iter().map(|(_, _, label)| *label).collect();
        let users: Vec<&str> = answers.iter().map(|(_, worker, _)| *worker).collect();
        json!({"id": task, "text": "x", "animal.responses": labels, "animal.responses.users": users,
               "animal.responses.status": ["submitted", "submitted", "submitted"]})
    });
    folder.write("flat.json", Value::Array(flat.collect()).to_string());
    same_as_long(&folder, "flat.json", "export of Argilla");
    let listed = tasks().map(|(task, answers)| {
        let responses: Vec<Value> = answers
            .iter()
            .map(|(_, worker, label)| json!({"user_id": worker, "value": label, "status": "submitted"}))
            .collect();
        json!({"text": "x", "animal": responses, "animal-suggestion": null, "external_id": task, "metadata": "{}"})
    });
    folder.write("hub.jsonl", lines(listed));
    same_as_long(&folder, "hub.jsonl", "export of Argilla");
}

#[test]
fn argilla_with_one_annotation_a_record_or_a_list_a_column() {
    let folder = folder();
    let legacy = ANSWERS.iter().map(|(task, worker, label)| {
        json!({"id": task, "text": "x", "inputs": {"text": "x"}, "annotation": label, "annotation_agent": worker,
               "prediction": [{"label": "cat", "score": 0.4}], "multi_label": false, "status": "Validated"})
    });
    folder.write("legacy.jsonl", lines(legacy));
    same_as_long(&folder, "legacy.jsonl", "export of Argilla");
    let of_tasks = |pick: fn(&(&str, &str, &str)) -> Value| -> Vec<Value> {
        tasks().map(|(_, answers)| answers.iter().map(pick).collect()).collect()
    };
    let columns = json!({"id": tasks().map(|(task, _)| task).collect::<Vec<_>>(),
                         "animal.responses": of_tasks(|answer| json!(answer.2)),
                         "animal.responses.users": of_tasks(|answer| json!(answer.1))});
    folder.write("columns.json", columns.to_string());
    same_as_long(&folder, "columns.json", "export of Argilla");
}
