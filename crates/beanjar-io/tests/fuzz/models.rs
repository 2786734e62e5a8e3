//! Model files and selections.

use crate::Case;
use crate::json::change;
use crate::random::Random;
use beanjar::judgments::Grouped;
use beanjar::multiselect::{Plan, Selection};
use beanjar::{Context, Judgments, Labels, Model};
use serde_json::{Value, json};
use std::path::Path;

pub fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../beanjar/src/model/file/version_1");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 8, "model files of every kind");
    let mut all: Vec<Case> =
        paths.iter().map(|path| Case { ending: "model.json", bytes: std::fs::read(path).unwrap() }).collect();
    let selection = json!({"method": "full", "label": {"name": "height"}, "ridge": 0.1, "selection": [
        {"attribute": "a", "judgments": 3, "cost": 1.0}, {"attribute": "b", "judgments": 2, "cost": 4.5}]});
    all.push(Case { ending: "model.json", bytes: selection.to_string().into_bytes() });
    all
}

pub fn changed(corpus: &[Case], random: &mut Random) -> Case {
    let mut case = random.of(corpus).clone();
    if random.once_in(8) {
        random.change_bytes(&mut case.bytes);
        return case;
    }
    let mut value: Value = serde_json::from_slice(&case.bytes).unwrap();
    for _ in 0..1 + random.below(3) {
        change(&mut value, random);
    }
    case.bytes = value.to_string().into_bytes();
    case
}

/// Loads a model or a selection, and uses it: what comes out is finite.
pub fn try_file(path: &Path) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let context = Context::new();
    let judgments = judgments();
    match Model::from_json(&text) {
        Err(error) => check(&error),
        Ok(Model::Multiselect(predictor)) => match predictor.predict(&judgments, &context) {
            Err(error) => check(&error),
            Ok(outcome) => {
                let all = outcome.predictions.iter().chain(&outcome.standard_errors);
                assert!(all.clone().all(|number| number.is_finite()), "{:?}", all.collect::<Vec<_>>());
            }
        },
        Ok(Model::Crowd(model)) => match model.predict(&labels(&model), &context) {
            Err(error) => check(&error),
            Ok(outcome) => {
                let json = serde_json::to_value(&outcome).unwrap();
                let tasks = json["tasks"].as_array().unwrap();
                let sure = |task: &Value| task["confidence"].as_f64().is_some_and(|p| (0.0..=1.0 + 1e-9).contains(&p));
                assert!(tasks.iter().all(sure), "{json}");
            }
        },
        // What it is given is read from a file by the names it has.
        Ok(_) => {}
    }
    match Selection::from_json(&text) {
        Err(error) => check(&error),
        Ok(selection) => match (Plan { selection, objects: None }).run(&judgments, &context) {
            Err(error) => check(&error),
            Ok(outcome) => assert!(outcome.cost.is_finite(), "{}", outcome.cost),
        },
    }
}

fn judgments() -> Judgments {
    let names = ["a", "b", "c", "male", "tall", "height", "weight", "x1"];
    let objects = ["o1", "o2", "o3"];
    let rows = objects.iter().enumerate().flat_map(|(o, object)| {
        names.iter().enumerate().map(move |(a, name)| (*object, *name, "ann", (o * 7 + a * 3 % 5) as f64))
    });
    let judgments = Judgments::from_rows(rows).unwrap();
    assert_eq!(judgments.objects(), 3);
    judgments
}

/// Labels in the model's own words.
fn labels(model: &beanjar::model::CrowdModel) -> Labels {
    let classes = model.classes();
    let workers: Vec<&str> = model.workers().iter().map(String::as_str).take(5).chain(["newcomer"]).collect();
    let rows = workers.iter().enumerate().flat_map(|(w, worker)| {
        (0..6).map(move |task| {
            (["t1", "t2", "t3", "t4", "t5", "t6"][task], *worker, classes[(w + task) % classes.len()].as_str())
        })
    });
    Labels::from_rows(rows.filter(|(_, worker, label)| !worker.is_empty() && !label.is_empty())).unwrap()
}

fn check(error: &beanjar::Error) {
    let text = error.to_string();
    assert!(text.chars().count() < 1500, "too long: {text}");
}
