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

#[test]
fn rankings_are_their_first_and_spans_are_left_out() {
    let folder = folder();
    let records = |extra: bool| {
        tasks().map(move |(task, answers)| {
            let rank = |place: &str, label: &str| if place == label { 1 } else { 2 };
            let ranking = |(_, worker, label): &(&str, &str, &str)| {
                json!({"user_id": worker, "value": [{"value": "cat", "rank": rank("cat", label)},
                                                    {"value": "dog", "rank": rank("dog", label)}]})
            };
            let mut responses = json!({"animal": answers.iter().map(ranking).collect::<Vec<_>>()});
            if extra {
                let span = |(_, worker, _): &(&str, &str, &str)| {
                    json!({"user_id": worker, "value": [{"start": 0, "end": 3, "label": "PER"}]})
                };
                responses["entities"] = answers.iter().map(span).collect();
            }
            json!({"id": task, "fields": {"text": "x"}, "responses": responses})
        })
    };
    folder.write("ranks.jsonl", lines(records(false)));
    same_as_long(
        &folder,
        "ranks.jsonl",
        "export of Argilla; id=task, user=worker; question: animal; 12 rankings read as what comes first",
    );
    folder.write("spans.jsonl", lines(records(true)));
    same_as_long(&folder, "spans.jsonl", "export of Argilla");
    assert!(folder.run(&["inspect", "spans.jsonl"]).err.contains("12 responses left out: spans of the text"));
}

#[test]
fn discarded_records_do_not_count_and_those_without_answers_may_come_first() {
    let folder = folder();
    let legacy = |task: &str, worker: &str, label: &str, status: &str| json!({"id": task, "text": "x", "annotation": label, "annotation_agent": worker, "status": status});
    let mut records: Vec<Value> =
        ANSWERS.iter().map(|(task, worker, label)| legacy(task, worker, label, "Validated")).collect();
    records.push(legacy("t1", "dora", "dog", "Discarded"));
    folder.write("legacy.jsonl", lines(records));
    same_as_long(&folder, "legacy.jsonl", "export of Argilla");
    assert!(folder.run(&["inspect", "legacy.jsonl"]).err.contains("1 response left out: not submitted"));
    let listed = tasks().map(|(task, answers)| {
        let responses: Vec<Value> = answers
            .iter()
            .map(|(_, worker, label)| json!({"user_id": worker, "value": label, "status": "submitted"}))
            .collect();
        json!({"id": task, "text": "x", "label": responses})
    });
    let unanswered = json!({"id": "t0", "text": "x", "label": []});
    folder.write("hub.jsonl", lines(std::iter::once(unanswered).chain(listed)));
    same_as_long(&folder, "hub.jsonl", "export of Argilla");
    // Users who turned a record down without a value count too.
    let by_user = tasks().map(|(task, answers)| {
        let mut responses: Vec<Value> = answers
            .iter()
            .map(|(_, worker, label)| json!({"values": {"animal": {"value": label}}, "status": "submitted", "user_id": worker}))
            .collect();
        responses.push(json!({"values": {}, "status": "discarded", "user_id": "dora"}));
        json!({"id": task, "fields": {"text": "x"}, "responses": responses})
    });
    folder.write("users.jsonl", lines(by_user));
    same_as_long(&folder, "users.jsonl", "export of Argilla");
    assert!(folder.run(&["inspect", "users.jsonl"]).err.contains("4 responses left out: not submitted"));
}
