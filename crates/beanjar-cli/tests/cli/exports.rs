//! Exports of annotation tools and platforms, read without a flag: the same answers as from the long table.

use crate::support::Folder;
use serde_json::{Value, json};

/// Task, worker and label: four tasks, three workers, one of whom differs now and then.
const ANSWERS: [(&str, &str, &str); 12] = [
    ("t1", "ann", "cat"),
    ("t1", "bob", "cat"),
    ("t1", "cy", "dog"),
    ("t2", "ann", "dog"),
    ("t2", "bob", "dog"),
    ("t2", "cy", "dog"),
    ("t3", "ann", "cat"),
    ("t3", "bob", "cat"),
    ("t3", "cy", "cat"),
    ("t4", "ann", "dog"),
    ("t4", "bob", "cat"),
    ("t4", "cy", "dog"),
];

fn tasks() -> impl Iterator<Item = (&'static str, &'static [(&'static str, &'static str, &'static str)])> {
    ANSWERS.chunks(3).map(|answers| (answers[0].0, answers))
}

fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(|record| format!("{record}\n")).collect()
}

/// The long table in a folder of its own, as `long.csv`.
fn folder() -> Folder {
    let folder = Folder::new();
    let rows: String = ANSWERS.iter().map(|(task, worker, label)| format!("{task},{worker},{label}\n")).collect();
    folder.write("long.csv", format!("task,worker,label\n{rows}"));
    folder
}

/// The export is read as the long table is, and converted to it.
fn same_as_long(folder: &Folder, name: &str, tool: &str) {
    for command in ["inspect", "aggregate"] {
        let expected = folder.json(&[command, "long.csv"]);
        assert_eq!(folder.json(&[command, name]), expected, "{command} {name}");
    }
    let run = folder.run(&["inspect", name]);
    assert!(run.err.starts_with(&format!("read {name}: {tool}")), "{}", run.err);
    let run = folder.run(&["convert", name, "converted.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(folder.read("converted.csv"), folder.read("long.csv"), "{name}");
}

/// A Label Studio annotation.
fn annotation(worker: &Value, label: &str, cancelled: bool) -> Value {
    json!({
        "id": 7, "completed_by": worker, "was_cancelled": cancelled, "ground_truth": false, "lead_time": 2.5,
        "result": [{"id": "x", "from_name": "animal", "to_name": "text", "type": "choices", "origin": "manual",
                    "value": {"choices": [label]}}]
    })
}

fn label_studio() -> Vec<Value> {
    tasks()
        .map(|(task, answers)| {
            let mut annotations: Vec<Value> = answers
                .iter()
                .map(|(_, worker, label)| annotation(&json!({"id": 1, "email": worker}), label, false))
                .collect();
            annotations.push(annotation(&json!({"id": 9, "email": "gone"}), "cat", true));
            let number: u32 = task[1..].parse().expect("a number");
            json!({"id": 100 + number, "data": {"text": format!("a text, {task}"), "item_id": task},
                   "annotations": annotations, "drafts": [], "predictions": []})
        })
        .collect()
}

#[test]
fn label_studio_json() {
    let folder = folder();
    folder.write("ls.json", Value::Array(label_studio()).to_string());
    same_as_long(&folder, "ls.json", "export of Label Studio");
    let err = folder.run(&["inspect", "ls.json"]).err;
    assert!(err.contains("tasks are named by 'item_id'; 4 cancelled annotations skipped"), "{err}");
    // By the numbers of tasks and annotators where the data have no id.
    let mut tasks = label_studio();
    for task in &mut tasks {
        task["data"].as_object_mut().expect("data").remove("item_id");
        for (number, annotation) in task["annotations"].as_array_mut().expect("annotations").iter_mut().enumerate() {
            annotation["completed_by"] = json!(number);
        }
    }
    folder.write("numbers.json", serde_json::to_string_pretty(&tasks).expect("JSON"));
    let found = folder.json(&["inspect", "numbers.json"]);
    assert_eq!((&found["tasks"], &found["workers"][1]["worker"]), (&json!(4), &json!("1")));
}

#[test]
fn label_studio_with_choices_and_ratings_holds_several_questions() {
    let folder = folder();
    let mut tasks = label_studio();
    for task in &mut tasks {
        for (number, annotation) in task["annotations"].as_array_mut().expect("annotations").iter_mut().enumerate() {
            let rating =
                json!({"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": number + 1}});
            annotation["result"].as_array_mut().expect("results").push(rating);
        }
    }
    folder.write("ls.json", Value::Array(tasks.clone()).to_string());
    let found = folder.json(&["inspect", "ls.json"]);
    let mut expected = folder.json(&["inspect", "long.csv"]);
    expected["question"] = json!("animal");
    assert_eq!(found["questions"][0], expected);
    assert_eq!(found["questions"][1]["classes"], json!(["1", "2", "3"]));
    // Ratings alone are judgments.
    for task in &mut tasks {
        for annotation in task["annotations"].as_array_mut().expect("annotations") {
            annotation["result"].as_array_mut().expect("results").remove(0);
        }
    }
    folder.write("ratings.json", Value::Array(tasks).to_string());
    let found = folder.json(&["inspect", "ratings.json"]);
    assert_eq!(found["attributes"][0]["attribute"], "quality");
    assert_eq!(found["attributes"][0]["mean"], 2.0);
}

#[test]
fn label_studio_csv_and_json_min() {
    let folder = folder();
    let record = |row: usize| {
        let (task, worker, label) = ANSWERS[row];
        json!({"text": format!("a text, {task}"), "id": task, "animal": label, "annotator": worker, "annotation_id": row,
               "created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z", "lead_time": 1.5})
    };
    folder.write("min.json", Value::Array((0..12).map(record).collect()).to_string());
    same_as_long(&folder, "min.json", "export of Label Studio");
    let rows: String = ANSWERS
        .iter()
        .enumerate()
        .map(|(row, (task, worker, label))| {
            format!("{label},{row},{worker},2024-01-01,{task},1.5,\"a text, {task}\",2024-01-01\n")
        })
        .collect();
    folder.write("ls.csv", format!("animal,annotation_id,annotator,created_at,id,lead_time,text,updated_at\n{rows}"));
    same_as_long(&folder, "ls.csv", "export of Label Studio");
}

#[test]
fn aggregated_labels_become_predictions_for_label_studio() {
    let folder = folder();
    folder.write("ls.json", Value::Array(label_studio()).to_string());
    folder.run(&["aggregate", "ls.json", "--out", "truth.csv"]);
    let run = folder.run(&["convert", "truth.csv", "predictions.json", "--label-studio", "ls.json"]);
    assert_eq!((run.code, run.err.as_str()), (0, "predictions.json: 4 tasks with a prediction\n"));
    let predictions: Value = serde_json::from_str(&folder.read("predictions.json")).expect("JSON");
    let scores: Vec<f64> = predictions
        .as_array()
        .expect("tasks")
        .iter()
        .map(|task| task["predictions"][0]["score"].as_f64().expect("a score"))
        .collect();
    assert!(scores.windows(2).all(|pair| pair[0] <= pair[1]), "{scores:?}");
    let truth = folder.json(&["aggregate", "ls.json"]);
    for task in predictions.as_array().expect("tasks") {
        let name = &task["data"]["item_id"];
        let found =
            truth["tasks"].as_array().expect("tasks").iter().find(|found| found["task"] == *name).expect("the task");
        let result = &task["predictions"][0]["result"][0];
        assert_eq!(result["value"]["choices"], json!([found["label"]]));
        assert_eq!(
            (&result["from_name"], &result["to_name"], &result["type"]),
            (&json!("animal"), &json!("text"), &json!("choices"))
        );
    }
    folder.write("other.csv", "task,label\nx,cat\n");
    let error = folder.error(&["convert", "other.csv", "p.json", "--label-studio", "ls.json"]);
    assert!(error.contains("none of its 4 tasks is in other.csv"), "{error}");
    let error = folder.error(&["convert", "truth.csv", "p.json", "--label-studio", "long.csv"]);
    assert!(error.contains("no JSON export of Label Studio"), "{error}");
}

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
    folder.write("one.jsonl", lines([json!({"id": 1, "text": "x", "label": ["cat"]})]));
    assert!(folder.error(&["inspect", "one.jsonl"]).contains("a file for each user"));
}

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
fn mechanical_turk() {
    let folder = folder();
    let header = "HITId,HITTypeId,Title,AssignmentId,WorkerId,AssignmentStatus,WorkTimeInSeconds,Input.image_url";
    let write = |name: &str, answer: &str, cell: &dyn Fn(&str) -> String| {
        let rows: String = ANSWERS
            .iter()
            .enumerate()
            .map(|(row, (task, worker, label))| {
                format!(
                    "{task},3T,\"Cats, dogs\",3A{row},{worker},Approved,12,https://example.org/{task}.jpg,{}\n",
                    cell(label)
                )
            })
            .collect();
        let rejected =
            format!("t1,3T,\"Cats, dogs\",3AX,spammer,Rejected,1,https://example.org/t1.jpg,{}\n", cell("dog"));
        folder.write(name, format!("{header},{answer}\n{rows}{rejected}"));
    };
    write("batch.csv", "Answer.animal", &|label| label.to_owned());
    same_as_long(&folder, "batch.csv", "export of Mechanical Turk");
    assert!(
        folder
            .run(&["inspect", "batch.csv"])
            .err
            .contains("HITId=task, WorkerId=worker; 1 rejected assignment left out")
    );
    // The user's own word on columns goes before what the platform means by them.
    let columns = "object=Input.image_url,worker=WorkerId,label=Answer.animal";
    let found = folder.json(&["aggregate", "batch.csv", "--columns", columns]);
    assert_eq!(found["tasks"][0]["task"], "https://example.org/t1.jpg");
    write("classifier.csv", "Answer.category.label", &|label| label.to_owned());
    same_as_long(&folder, "classifier.csv", "export of Mechanical Turk");
    write("boxes.csv", "Answer.cat.on,Answer.dog.on", &|label| format!("{},{}", label == "cat", label == "dog"));
    same_as_long(&folder, "boxes.csv", "export of Mechanical Turk");
    write("json.csv", "Answer.taskAnswers", &|label| {
        format!("\"[{{\"\"animal\"\":{{\"\"label\"\":\"\"{label}\"\"}}}}]\"")
    });
    same_as_long(&folder, "json.csv", "export of Mechanical Turk");
    write("rating.csv", "Answer.rating", &|label| if label == "cat" { "1".into() } else { "2".into() });
    assert_eq!(folder.json(&["inspect", "rating.csv"])["attributes"][0]["attribute"], "rating");
}

#[test]
fn toloka() {
    let folder = folder();
    let header = "INPUT:image\tOUTPUT:result\tGOLDEN:result\tHINT:text\tASSIGNMENT:task_id\tASSIGNMENT:assignment_id\tASSIGNMENT:worker_id\tASSIGNMENT:status\tASSIGNMENT:started";
    let rows: String = ANSWERS
        .iter()
        .map(|(task, worker, label)| {
            format!("https://example.org/{task}\t{label}\t\t\t{task}\ta1\t{worker}\tAPPROVED\t2024\n")
        })
        .collect();
    let skipped = "https://example.org/t1\t\t\t\tt1\ta9\tdora\tSKIPPED\t2024\n";
    folder.write("assignments.tsv", format!("{header}\n{rows}{skipped}"));
    same_as_long(&folder, "assignments.tsv", "export of Toloka");
}

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
fn spreadsheets_are_read_and_written() {
    let folder = folder();
    let run = folder.run(&["convert", "long.csv", "long.xlsx"]);
    assert_eq!(run.code, 0, "{}", run.err);
    same_as_long(&folder, "long.xlsx", "task=task, worker=worker, label=label");
    let bytes = std::fs::read(folder.path("long.xlsx")).expect("the file");
    let run = folder.run_with_input(&["convert", "-", "back.csv"], &bytes);
    assert_eq!((run.code, folder.read("back.csv")), (0, folder.read("long.csv")), "{}", run.err);
    let strange = "object,note,value\n007,\"a <b> & \"\"c\"\"\nsecond line \",0.1\n\u{e9},,-3\n";
    folder.write("strange.csv", strange);
    folder.run(&["convert", "strange.csv", "strange.xlsx"]);
    folder.run(&["convert", "strange.xlsx", "strange.back.csv"]);
    assert_eq!(folder.read("strange.back.csv"), strange);
    folder.write("no.xlsx", "this is no spreadsheet");
    assert!(folder.error(&["inspect", "no.xlsx"]).contains("no spreadsheet"));
    folder.write("data.sav", "$FL2@(#) SPSS DATA FILE");
    let error = folder.error(&["inspect", "data.sav"]);
    assert!(error.contains("SPSS") && error.contains("save the data as CSV"), "{error}");
}

#[test]
fn verdicts_on_pairs_are_turned_to_one_frame() {
    let folder = Folder::new();
    // Judge 'fair' prefers x whatever the order; judge 'first' always takes what stands first.
    let mut records = Vec::new();
    for item in 1..=6 {
        for swapped in [false, true] {
            let (a, b) = if swapped { ("y", "x") } else { ("x", "y") };
            let fair = if swapped { "B" } else { "A" };
            records
                .push(json!({"item": item, "judge": "fair", "model_a": a, "model_b": b, "verdict": fair, "cost": 0.1}));
            records
                .push(json!({"item": item, "judge": "first", "model_a": a, "model_b": b, "verdict": "A", "cost": 0.1}));
        }
    }
    folder.write("pairs.jsonl", lines(records));
    let found = folder.json(&["inspect", "pairs.jsonl"]);
    assert_eq!(found["classes"], json!(["x", "y"]));
    assert_eq!(found["tasks"], 6);
    let expected = json!([
        {"judge": "fair", "verdicts": 12, "first": 0.5, "both_orders": 6, "changed": 0},
        {"judge": "first", "verdicts": 12, "first": 1.0, "both_orders": 6, "changed": 6},
    ]);
    assert_eq!(found["positions"], expected);
    let err = folder.run(&["aggregate", "pairs.jsonl"]).err;
    assert!(
        err.contains("first chose the first of two 100% of 12 times and changed with the order 6 of 6 times"),
        "{err}"
    );
    // The order may stand in a column of its own.
    let swapped = |item: u32, swapped: bool| json!({"item": item, "model": "fair", "swapped": swapped, "verdict": if swapped { "B" } else { "A" }});
    folder.write("swapped.jsonl", lines((1..=4).flat_map(|item| [swapped(item, false), swapped(item, true)])));
    let found = folder.json(&["inspect", "swapped.jsonl"]);
    assert_eq!((&found["classes"], &found["positions"][0]["changed"]), (&json!(["A"]), &json!(0)));
    let table = folder.run(&["inspect", "pairs.jsonl", "--format", "table"]).out;
    assert!(table.contains("judge  verdicts"), "{table}");
    // A log of one model's verdicts on single items is a table like any other.
    folder.write(
        "log.jsonl",
        lines((1..=4).map(|item| json!({"item": item, "model": "m", "verdict": "yes", "cost": 1, "order": item}))),
    );
    assert_eq!(folder.json(&["inspect", "log.jsonl"])["classes"], json!(["yes"]));
}
