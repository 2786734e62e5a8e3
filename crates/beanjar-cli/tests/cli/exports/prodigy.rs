//! Prodigy's JSON lines.

use super::{ANSWERS, folder, lines, same_as_long};
use serde_json::{Value, json};

#[test]
fn prodigy() {
    let folder = folder();
    let choice = |(task, worker, label): &(&str, &str, &str)| {
        json!({"text": format!("a text, {task}"), "id": task, "_input_hash": task.len(), "_task_hash": -5, "options": [
                 {"id": "cat", "text": "Cat"}, {"id": "dog", "text": "Dog"}], "_view_id": "choice",
               "accept": [label], "answer": "accept", "_annotator_id": worker, "_session_id": worker})
    };
    let hashed = |answer: &(&str, &str, &str)| {
        let mut record = choice(answer);
        record["_input_hash"] = json!(answer.0);
        record
    };
    let mut records: Vec<Value> = ANSWERS.iter().map(hashed).collect();
    let mut ignored = records[0].clone();
    ignored["answer"] = json!("ignore");
    ignored["_annotator_id"] = json!("dora");
    records.insert(3, ignored);
    folder.write("prodigy.jsonl", lines(records));
    same_as_long(
        &folder,
        "prodigy.jsonl",
        "export of Prodigy; id=task, _annotator_id=worker; question: choice; 1 ignored answer skipped",
    );
    // One label to accept or reject.
    let binary = |(task, worker, label): &(&str, &str, &str)| {
        let answer = if *label == "cat" { "accept" } else { "reject" };
        json!({"text": task, "_input_hash": task, "_task_hash": task, "label": "CAT", "answer": answer, "_session_id": worker})
    };
    folder.write("binary.jsonl", lines(ANSWERS.iter().map(binary)));
    let found = folder.json(&["inspect", "binary.jsonl"]);
    assert_eq!(found["classes"], json!(["accept", "reject"]));
    assert_eq!(found["alpha"], folder.json(&["inspect", "long.csv"])["alpha"]);
}

#[test]
fn what_was_marked_by_hand_is_no_label() {
    let folder = folder();
    let record = |(task, worker, _): &(&str, &str, &str)| {
        json!({"text": task, "_input_hash": task, "_task_hash": task, "_view_id": "ner_manual", "answer": "accept",
               "spans": [{"start": 0, "end": 2, "label": "ORG"}], "_annotator_id": worker})
    };
    folder.write("ner.jsonl", lines(ANSWERS.iter().map(record)));
    let error = folder.error(&["aggregate", "ner.jsonl"]);
    assert!(error.contains("ner.jsonl: an export of Prodigy without a single answer"), "{error}");
    assert!(error.contains("12 answers left out: spans, regions or relations"), "{error}");
    // Of several options none may be right.
    let choice = |(task, worker, label): &(&str, &str, &str)| {
        let accept = if *label == "cat" { json!(["cat"]) } else { json!([]) };
        json!({"text": task, "_input_hash": task, "_task_hash": task, "options": [{"id": "cat"}], "accept": accept,
               "answer": "accept", "_annotator_id": worker})
    };
    folder.write("none.jsonl", lines(ANSWERS.iter().map(choice)));
    let err = folder.run(&["aggregate", "none.jsonl"]).err;
    assert!(
        err.contains("_input_hash=task, _annotator_id=worker; question: choice; 6 answers without a choice"),
        "{err}"
    );
}
