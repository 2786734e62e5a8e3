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
        "export of Prodigy; task=task, worker=worker, label=label; 1 ignored answer skipped",
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
