//! Label Studio: JSON, JSON_MIN, CSV, and back as predictions.

use super::{ANSWERS, folder, same_as_long, tasks};
use serde_json::{Value, json};

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
fn data_of_a_task_are_no_answers() {
    let folder = folder();
    // 'source' has as few values as the answers, and is the same in all rows of a task.
    let record = |row: usize| {
        let (task, worker, label) = ANSWERS[row];
        let source = if task == "t1" || task == "t2" { "web" } else { "news" };
        json!({"text": format!("a text, {task}"), "source": source, "id": task, "animal": label, "annotator": worker,
               "annotation_id": row, "lead_time": 1.5})
    };
    folder.write("min.json", Value::Array((0..12).map(record).collect()).to_string());
    same_as_long(&folder, "min.json", "export of Label Studio");
}

#[test]
fn spans_and_regions_are_no_labels_of_the_task() {
    let folder = folder();
    let span = |row: usize| json!([{"start": row, "end": row + 3, "text": "abc", "labels": ["PER"]}]);
    let record = |row: usize| {
        let (task, worker, label) = ANSWERS[row];
        json!({"text": "x", "id": task, "animal": label, "label": span(row), "annotator": worker, "annotation_id": row,
               "lead_time": 1.5})
    };
    folder.write("min.json", Value::Array((0..12).map(record).collect()).to_string());
    same_as_long(
        &folder,
        "min.json",
        "export of Label Studio; id=task, annotator=worker; question: animal; 12 results left out",
    );
    folder.write("min.jsonl", super::lines((0..12).map(record)));
    same_as_long(&folder, "min.jsonl", "export of Label Studio");
    let quoted = |row: usize| span(row).to_string().replace('"', "\"\"");
    let rows: String = ANSWERS
        .iter()
        .enumerate()
        .map(|(row, (task, worker, label))| format!("{label},{row},{worker},{task},1.5,\"{}\"\n", quoted(row)))
        .collect();
    folder.write("ls.csv", format!("animal,annotation_id,annotator,id,lead_time,label\n{rows}"));
    same_as_long(&folder, "ls.csv", "export of Label Studio");
    // A choice for a region is none for the task.
    let mut tasks = label_studio();
    for annotation in tasks.iter_mut().flat_map(|task| task["annotations"].as_array_mut().expect("annotations")) {
        let region = json!({"from_name": "part", "to_name": "text", "type": "choices",
                            "value": {"start": 0, "end": 2, "choices": ["tail"]}});
        annotation["result"].as_array_mut().expect("results").push(region);
        annotation["ground_truth"] = json!(true);
    }
    folder.write("regions.json", Value::Array(tasks).to_string());
    same_as_long(&folder, "regions.json", "export of Label Studio");
    let err = folder.run(&["inspect", "regions.json"]).err;
    assert!(err.contains("12 annotations marked as ground truth read as any other"), "{err}");
    assert!(err.contains("12 results left out: neither choice nor rating of a whole task"), "{err}");
}

#[test]
fn comments_are_no_question_beside_one() {
    let folder = folder();
    let record = |row: usize| {
        let (task, worker, label) = ANSWERS[row];
        json!({"text": "x", "id": task, "animal": label, "comment": format!("word {row}"), "annotator": worker,
               "annotation_id": row, "lead_time": 1.5})
    };
    folder.write("min.json", Value::Array((0..12).map(record).collect()).to_string());
    same_as_long(
        &folder,
        "min.json",
        "export of Label Studio; id=task, annotator=worker; question: animal; free text left out: comment",
    );
}

#[test]
fn several_choices_and_paths_of_a_tree_are_classes_and_said() {
    let folder = folder();
    let task = |number: usize, values: [Value; 2]| {
        let annotation = |(worker, value): (usize, Value)| {
            let kind = if value.get("taxonomy").is_some() { "taxonomy" } else { "choices" };
            let result = json!([{"from_name": "animal", "to_name": "text", "type": kind, "value": value}]);
            json!({"completed_by": worker, "was_cancelled": false, "result": result})
        };
        let annotations: Vec<Value> = values.into_iter().enumerate().map(annotation).collect();
        json!({"id": number, "data": {"text": "x"}, "annotations": annotations})
    };
    let both = json!({"choices": ["dog", "cat"]});
    let one = json!({"choices": ["cat"]});
    folder.write("choices.json", json!([task(1, [both.clone(), one.clone()]), task(2, [both, one])]).to_string());
    assert_eq!(folder.json(&["inspect", "choices.json"])["classes"], json!(["cat", "cat|dog"]));
    let err = folder.run(&["inspect", "choices.json"]).err;
    assert!(err.contains("2 answers of several choices read as one class each, such as 'cat|dog'"), "{err}");
    let path = |class: &str| json!({"taxonomy": [["pets", class]]});
    folder.write(
        "tree.json",
        json!([task(1, [path("cat"), path("dog")]), task(2, [path("cat"), path("cat")])]).to_string(),
    );
    assert_eq!(folder.json(&["inspect", "tree.json"])["classes"], json!(["pets/cat", "pets/dog"]));
    assert!(!folder.run(&["inspect", "tree.json"]).err.contains("several choices"));
}
