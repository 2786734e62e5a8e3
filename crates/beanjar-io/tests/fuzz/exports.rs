//! JSON as annotation tools write it, and other JSON that holds a table.

use crate::Case;
use serde_json::{Value, json};

pub fn all() -> Vec<Case> {
    let whole = |value: Value| Case { ending: "json", bytes: value.to_string().into_bytes() };
    let lines = |values: Vec<Value>| {
        let text: String = values.iter().map(|value| format!("{value}\n")).collect();
        Case { ending: "jsonl", bytes: text.into_bytes() }
    };
    let rows = || {
        json!([{"task": "t1", "worker": "ann", "label": "cat"}, {"task": 2, "worker": "bob", "label": null},
                         {"task": 2, "worker": "ann", "label": "dog"}])
    };
    vec![
        whole(label_studio()),
        whole(
            json!([{"id": 1, "annotator": 1, "annotation_id": 4, "lead_time": 1.5, "animal": "cat", "quality": [{"rating": 3}],
                      "text": "x"},
                     {"id": 1, "annotator": 2, "annotation_id": 5, "lead_time": null, "animal": {"choices": ["cat", "dog"]},
                      "text": "x"}]),
        ),
        lines(prodigy()),
        whole(json!([argilla_2("r1"), argilla_2("r2")])),
        lines(vec![argilla_1("r1"), argilla_1("r2")]),
        whole(json!([{"id": "r1", "animal.responses": ["cat", "dog"], "animal.responses.users": ["ann", "bob"],
                      "animal.responses.status": ["submitted", "draft"]}])),
        lines(vec![
            json!({"id": 1, "text": "x", "label": ["cat"], "user": "ann"}),
            json!({"id": 1, "text": "x", "label": ["dog", "cat"], "user": "bob"}),
        ]),
        lines(vec![json!({"id": 1, "text": "x", "annotations": [{"label": 3, "user": 1}, {"label": 4, "user": 2}]})]),
        lines(vec![labelbox("d1"), labelbox("d2")]),
        whole(rows()),
        whole(json!({"version": 1, "records": rows()})),
        whole(json!({"columns": ["task", "worker", "label"], "index": [0], "data": [["t1", "ann", "cat"]]})),
        whole(
            json!({"task": {"0": "t1", "1": "t2"}, "worker": {"0": "ann", "1": "bob"}, "label": {"0": "a", "1": "b"}}),
        ),
        lines(vec![
            json!({"item": 1, "judge": "m", "model_a": "x", "model_b": "y", "verdict": "A", "cost": 0.1, "repeat": 1}),
            json!({"item": 1, "judge": "m", "model_a": "y", "model_b": "x", "verdict": "A", "cost": 0.1, "repeat": 2}),
        ]),
        lines(vec![
            json!({"item": 1, "model": "m", "swapped": false, "verdict": "A"}),
            json!({"item": 1, "model": "m", "swapped": true, "verdict": "tie"}),
        ]),
    ]
}

fn label_studio() -> Value {
    let result = |label: &str| {
        json!([{"from_name": "animal", "to_name": "text", "type": "choices", "value": {"choices": [label]}},
               {"from_name": "quality", "to_name": "text", "type": "rating", "value": {"rating": 3}},
               {"from_name": "span", "to_name": "text", "type": "labels", "value": {"start": 0, "end": 2, "labels": ["A"]}}])
    };
    let task = |id: u32| {
        json!({"id": id, "data": {"text": "x", "item_id": format!("i{id}")}, "predictions": [],
               "annotations": [{"id": 7, "completed_by": {"id": 1, "email": "ann@x"}, "was_cancelled": false, "result": result("cat")},
                               {"id": 8, "completed_by": 2, "was_cancelled": false, "result": result("dog")},
                               {"id": 9, "completed_by": 3, "was_cancelled": true, "result": result("dog")}]})
    };
    json!([task(1), task(2)])
}

fn prodigy() -> Vec<Value> {
    vec![
        json!({"text": "x", "_input_hash": 1, "_task_hash": 2, "options": [{"id": "a"}, {"id": "b"}], "accept": ["a"],
               "answer": "accept", "_annotator_id": "ann", "_session_id": "s-ann"}),
        json!({"text": "x", "_input_hash": 1, "_task_hash": 2, "options": [{"id": "a"}, {"id": "b"}], "accept": ["a", "b"],
               "answer": "accept", "_annotator_id": "bob"}),
        json!({"text": "y", "_input_hash": 3, "_task_hash": 4, "accept": [], "answer": "ignore", "_annotator_id": "bob"}),
    ]
}

fn argilla_2(id: &str) -> Value {
    json!({"id": id, "fields": {"text": "x"}, "metadata": {}, "suggestions": {}, "vectors": {}, "status": "completed",
           "responses": {"animal": [{"value": "cat", "user_id": "ann", "status": "submitted"},
                                    {"value": ["dog", "cat"], "user_id": "bob", "status": "discarded"},
                                    {"value": "dog", "user_id": "cy", "status": "submitted"}],
                         "stars": [{"value": 4, "user_id": "ann", "status": "submitted"}]}})
}

fn argilla_1(id: &str) -> Value {
    json!({"id": id, "fields": {"text": "x"}, "suggestions": [],
           "responses": [{"user_id": "ann", "status": "submitted", "values": {"animal": {"value": "cat"}}},
                         {"user_id": "bob", "status": "submitted", "values": {"animal": {"value": "dog"}}}]})
}

fn labelbox(key: &str) -> Value {
    let label = |who: &str, class: &str| {
        json!({"label_details": {"created_by": who}, "annotations": {"objects": [{"name": "box"}], "classifications": [
            {"name": "animal", "value": "animal", "radio_answer": {"name": class, "value": class}},
            {"name": "seen", "checklist_answers": [{"name": "a"}, {"name": "b"}]},
            {"name": "note", "text_answer": {"content": "x"}}]}})
    };
    json!({"data_row": {"id": "c1", "global_key": key}, "media_attributes": {},
           "projects": {"p": {"name": "P", "labels": [label("ann", "cat"), label("bob", "dog")]}}})
}
