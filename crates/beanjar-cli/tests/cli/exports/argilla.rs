//! Argilla's records, of versions 1 and 2.

use super::{ANSWERS, folder, lines, same_as_long, tasks};
use crate::support::Folder;
use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Fields};
use serde_json::{Value, json};
use std::fs::File;
use std::sync::Arc;

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

/// Writes a table as pandas does, to Parquet and to Arrow.
fn write_columns(folder: &Folder, name: &str, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("a table");
    let file = |ending: &str| File::create(folder.path(&format!("{name}.{ending}"))).expect("a file");
    let mut parquet = parquet::arrow::ArrowWriter::try_new(file("parquet"), batch.schema(), None).expect("a writer");
    parquet.write(&batch).expect("rows");
    parquet.close().expect("a file");
    let mut arrow = arrow_ipc::writer::FileWriter::try_new(file("arrow"), &batch.schema()).expect("a writer");
    arrow.write(&batch).expect("rows");
    arrow.finish().expect("a file");
}

/// Of each task a list of texts.
fn lists(pick: fn(&(&'static str, &'static str, &'static str)) -> &'static str) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for (_, answers) in tasks() {
        answers.iter().for_each(|answer| lists.values().append_value(pick(answer)));
        lists.append(true);
    }
    Arc::new(lists.finish())
}

#[test]
fn argilla_in_columns_of_lists() {
    let folder = folder();
    let ids = || -> ArrayRef { Arc::new(StringArray::from_iter_values(tasks().map(|(task, _)| task))) };
    let columns = vec![
        ("id", ids()),
        ("animal.responses", lists(|answer| answer.2)),
        ("animal.responses.users", lists(|answer| answer.1)),
        ("animal.responses.status", lists(|_| "submitted")),
    ];
    write_columns(&folder, "flat", columns);
    // A list of responses under the name of the question, as on the Hugging Face hub.
    let fields: Fields =
        ["user_id", "value", "status"].map(|name| Field::new(name, DataType::Utf8, true)).to_vec().into();
    let mut responses = ListBuilder::new(StructBuilder::from_fields(fields, 12));
    for (_, answers) in tasks() {
        for (_, worker, label) in answers {
            for (i, text) in [*worker, *label, "submitted"].into_iter().enumerate() {
                let builder = responses.values().field_builder::<StringBuilder>(i);
                builder.expect("a column of texts").append_value(text);
            }
            responses.values().append(true);
        }
        responses.append(true);
    }
    write_columns(&folder, "hub", vec![("id", ids()), ("animal", Arc::new(responses.finish()))]);
    for name in ["flat.parquet", "flat.arrow", "hub.parquet", "hub.arrow"] {
        same_as_long(&folder, name, "export of Argilla; id=task, user=worker; question: animal");
    }
}

#[test]
fn argilla_in_a_table_of_text() {
    let folder = folder();
    for (between, quote) in [(", ", '\''), (" ", '\''), (",", '"')] {
        let mut text = "id,status,text,animal.responses,animal.responses.users,animal.responses.status\n".to_owned();
        text += "t0,pending,x,,,\n";
        for (task, answers) in tasks() {
            let list = |pick: fn(&(&'static str, &'static str, &'static str)) -> &'static str| {
                let items: Vec<String> =
                    answers.iter().map(|answer| format!("{quote}{}{quote}", pick(answer))).collect();
                format!("\"[{}]\"", items.join(between).replace('"', "\"\""))
            };
            let (labels, users, status) = (list(|a| a.2), list(|a| a.1), list(|_| "submitted"));
            text += &format!("{task},completed,\"x, y\",{labels},{users},{status}\n");
        }
        folder.write("pandas.csv", text);
        same_as_long(&folder, "pandas.csv", "export of Argilla; id=task, user=worker; question: animal");
    }
}

#[test]
fn a_column_of_lists_is_read_as_in_json() {
    let folder = folder();
    let texts = |pick: fn(&(&'static str, &'static str, &'static str)) -> &'static str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(ANSWERS.iter().map(pick)))
    };
    let mut labels = ListBuilder::new(StringBuilder::new());
    for (_, _, label) in ANSWERS {
        let several: &[&str] = if label == "dog" { &["dog", "animal"] } else { &["cat"] };
        several.iter().for_each(|label| labels.values().append_value(label));
        labels.append(true);
    }
    let columns =
        vec![("task", texts(|a| a.0)), ("worker", texts(|a| a.1)), ("label", Arc::new(labels.finish()) as ArrayRef)];
    write_columns(&folder, "lists", columns);
    folder.write("joined.csv", folder.read("long.csv").replace("dog", "animal|dog"));
    for name in ["lists.parquet", "lists.arrow"] {
        assert_eq!(folder.json(&["inspect", name]), folder.json(&["inspect", "joined.csv"]), "{name}");
    }
}
