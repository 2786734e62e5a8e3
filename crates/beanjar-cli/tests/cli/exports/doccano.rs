//! doccano's JSON lines, and its archives of a file for each user.

use super::{ANSWERS, folder, lines, same_as_long, tasks};
use serde_json::{Value, json};

#[test]
fn doccano() {
    let folder = folder();
    let joined = ANSWERS
        .iter()
        .map(|(task, user, label)| json!({"id": task, "text": "x", "label": [label], "user": user, "Comments": []}));
    folder.write("doccano.jsonl", lines(joined));
    same_as_long(&folder, "doccano.jsonl", "export of doccano");
    let annotations = tasks().map(|(task, answers)| {
        let all: Vec<Value> = answers.iter().map(|(_, user, label)| json!({"label": label, "user": user})).collect();
        json!({"id": task, "text": "x", "annotations": all, "meta": {}, "annotation_approver": null})
    });
    folder.write("annotations.jsonl", lines(annotations));
    same_as_long(&folder, "annotations.jsonl", "export of doccano");
    // As its first version wrote them.
    let named = ANSWERS
        .iter()
        .map(|(task, user, label)| json!({"doc_id": task, "text": "x", "labels": [label], "username": user}));
    folder.write("first.jsonl", lines(named));
    same_as_long(&folder, "first.jsonl", "export of doccano; doc_id=task, user=worker");
    folder.write("one.jsonl", lines([json!({"id": 1, "text": "x", "label": ["cat"]})]));
    assert!(folder.error(&["inspect", "one.jsonl"]).contains("a file for each user"));
}

#[test]
fn doccano_writes_an_archive_with_a_file_for_each_user() {
    use std::io::Write;
    let folder = folder();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for user in ["ann", "bob", "cy"] {
        let own = ANSWERS.iter().filter(|answer| answer.1 == user);
        let text =
            lines(own.map(|(task, _, label)| json!({"id": task, "text": "x", "label": [label], "Comments": []})));
        zip.start_file(format!("{user}.jsonl"), zip::write::SimpleFileOptions::default()).expect("a file");
        zip.write_all(text.as_bytes()).expect("its text");
    }
    folder.write("doccano.zip", zip.finish().expect("an archive").into_inner());
    let expected = folder.json(&["aggregate", "long.csv"]);
    let label = |found: &Value, task: &str| {
        found["tasks"]
            .as_array()
            .and_then(|all| all.iter().find(|found| found["task"] == task))
            .map(|found| found["label"].clone())
    };
    let found = folder.json(&["aggregate", "doccano.zip"]);
    for (task, _) in tasks() {
        assert_eq!(label(&found, task), label(&expected, task), "{task}");
    }
    assert!(folder.run(&["inspect", "doccano.zip"]).err.starts_with("read doccano.zip: export of doccano"));
    folder.write("empty.zip", zip::ZipWriter::new(std::io::Cursor::new(Vec::new())).finish().expect("it").into_inner());
    assert!(folder.error(&["inspect", "empty.zip"]).contains("an archive without"));
}

#[test]
fn archives_of_other_formats_hold_a_file_for_each_user_too() {
    use std::io::Write;
    let folder = folder();
    let archive = |name: &str, ending: &str, text: &dyn Fn(&str) -> String| {
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for user in ["ann", "bob", "cy"] {
            zip.start_file(format!("{user}.{ending}"), zip::write::SimpleFileOptions::default()).expect("a file");
            zip.write_all(text(user).as_bytes()).expect("its text");
        }
        folder.write(name, zip.finish().expect("an archive").into_inner());
    };
    let own = |user: &str| ANSWERS.iter().filter(|answer| answer.1 == user).collect::<Vec<_>>();
    archive("json.zip", "json", &|user| {
        let record = |(task, _, label): &&(&str, &str, &str)| json!({"id": task, "text": "x", "cats": [label], "entities": [[0, 1, "A"]]});
        Value::Array(own(user).iter().map(record).collect()).to_string()
    });
    archive("csv.zip", "csv", &|user| {
        let rows: String = own(user).iter().map(|(task, _, label)| format!("{task},\"a, {task}\",{label}\n")).collect();
        format!("id,text,label\n{rows}")
    });
    let labels = |name: &str| {
        let found = folder.json(&["aggregate", name]);
        let mut labels: Vec<String> = found["tasks"]
            .as_array()
            .expect("tasks")
            .iter()
            .map(|task| format!("{} {}", task["task"], task["label"]))
            .collect();
        labels.sort();
        labels
    };
    for name in ["json.zip", "csv.zip"] {
        assert_eq!(labels(name), labels("long.csv"), "{name}");
    }
    // Tables that say who judged are not of one annotator each.
    archive("tables.zip", "csv", &|_| folder.read("long.csv"));
    assert!(folder.error(&["inspect", "tables.zip"]).contains("an archive of 3 tables (ann.csv, bob.csv, cy.csv)"));
}
