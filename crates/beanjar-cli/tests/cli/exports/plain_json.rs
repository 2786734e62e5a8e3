//! JSON that is no tool's export.

use super::{ANSWERS, folder, lines, same_as_long, tasks};
use serde_json::{Value, json};

#[test]
fn json_arrays_of_any_make_are_tables() {
    let folder = folder();
    let record = |(task, worker, label): &(&str, &str, &str)| json!({"task": task, "worker": worker, "label": label});
    let records: Vec<Value> = ANSWERS.iter().map(record).collect();
    folder.write("array.json", serde_json::to_string_pretty(&records).expect("JSON"));
    folder.write("lines.json", lines(records.clone()));
    folder.write("within.json", json!({"version": 1, "records": records}).to_string());
    let rows: Vec<Value> = ANSWERS.iter().map(|(task, worker, label)| json!([task, worker, label])).collect();
    folder.write("split.json", json!({"columns": ["task", "worker", "label"], "index": [], "data": rows}).to_string());
    let column = |pick: fn(&(&str, &str, &str)) -> String| -> Value {
        ANSWERS
            .iter()
            .enumerate()
            .map(|(row, answer)| (row.to_string(), Value::from(pick(answer))))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let frame =
        json!({"task": column(|a| a.0.into()), "worker": column(|a| a.1.into()), "label": column(|a| a.2.into())});
    folder.write("frame.json", frame.to_string());
    for name in ["array.json", "lines.json", "within.json", "split.json", "frame.json"] {
        same_as_long(&folder, name, "task=task, worker=worker, label=label");
        let bytes = std::fs::read(folder.path(name)).expect("the file");
        let run = folder.run_with_input(&["convert", "-", "back.csv"], &bytes);
        assert_eq!((run.code, folder.read("back.csv")), (0, folder.read("long.csv")), "{name}: {}", run.err);
    }
    folder.run(&["convert", "long.csv", "back.json"]);
    assert_eq!(serde_json::from_str::<Value>(&folder.read("back.json")).expect("JSON"), Value::Array(records));
    // What a command wrote can be read as a table of known answers.
    folder.run(&["aggregate", "long.csv", "--out", "truth.json"]);
    assert_eq!(folder.json(&["aggregate", "long.csv", "--truth", "truth.json"])["truth"]["accuracy"], 1.0);
    for (text, words) in [
        ("[1, 2]", "element 1"),
        ("[{\"task\": ]", "not JSON"),
        ("[]", "no object column"),
        ("", "empty"),
        ("3", "neither"),
    ] {
        folder.write("bad.json", text);
        assert!(
            folder.error(&["inspect", "bad.json"]).contains(words),
            "{text}: {}",
            folder.error(&["inspect", "bad.json"])
        );
    }
}

#[test]
fn data_frames_by_index_are_rows() {
    let folder = folder();
    let rows: serde_json::Map<String, Value> = ANSWERS
        .iter()
        .enumerate()
        .map(|(row, (task, worker, label))| (row.to_string(), json!({"task": task, "worker": worker, "label": label})))
        .collect();
    folder.write("index.json", Value::Object(rows).to_string());
    same_as_long(&folder, "index.json", "task=task, worker=worker, label=label");
}

#[test]
fn records_may_hold_what_each_annotator_said() {
    let folder = folder();
    let by_name = |(task, answers): (&str, &[(&str, &str, &str)])| {
        let said: serde_json::Map<String, Value> =
            answers.iter().map(|(_, worker, label)| ((*worker).to_owned(), Value::from(*label))).collect();
        json!({"id": task, "text": format!("the text of {task}"), "labels": said})
    };
    let records: Vec<Value> = tasks().map(by_name).collect();
    folder.write("names.jsonl", lines(records.clone()));
    same_as_long(&folder, "names.jsonl", "id=task, annotator=worker");
    folder.write("names.json", Value::Array(records).to_string());
    same_as_long(&folder, "names.json", "id=task, annotator=worker");
    let lists = tasks().map(|(task, answers)| {
        let all = |pick: fn(&(&str, &str, &str)) -> String| answers.iter().map(pick).collect::<Vec<_>>();
        json!({"item_id": task, "annotators": all(|a| a.1.into()), "annotations": all(|a| a.2.into())})
    });
    folder.write("lists.jsonl", lists_with_a_gap(lines(lists)));
    same_as_long(&folder, "lists.jsonl", "item_id=task, annotators=worker; 1 record without a label left out");
    // Counts and probabilities of classes are nobody's answers.
    let counts = json!({"id": 1, "labels": {"cat": 3, "dog": 2}});
    folder.write("counts.jsonl", lines([counts]));
    assert!(folder.error(&["inspect", "counts.jsonl"]).contains("'labels' is nested"));
}

fn lists_with_a_gap(lines: String) -> String {
    lines + "{\"item_id\": \"t9\", \"annotators\": [], \"annotations\": []}\n"
}

#[test]
fn what_is_nested_beside_the_labels_is_converted_as_the_text_that_it_is() {
    let folder = folder();
    let record = |(task, worker, label): &(&str, &str, &str)| json!({"item": task, "model": worker, "verdict": label, "usage": {"tokens": 7}, "log": [{"a": 1}]});
    folder.write("log.jsonl", lines(ANSWERS.iter().map(record)));
    let run = folder.run(&["convert", "log.jsonl", "log.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = folder.read("log.csv");
    assert!(text.contains("t1,ann,cat,\"{\"\"tokens\"\":7}\",\"[{\"\"a\"\":1}]\"\n"), "{text}");
    assert_eq!(folder.json(&["inspect", "log.csv"]), folder.json(&["inspect", "long.csv"]));
}
