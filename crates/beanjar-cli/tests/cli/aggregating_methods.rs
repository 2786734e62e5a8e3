//! Every method of `aggregate`.

use crate::aggregating::crowd;
use crate::support::Folder;
use serde_json::Value;

pub(crate) const METHODS: [&str; 9] =
    ["auto", "majority", "wawa", "dawid-skene", "one-coin", "pooled", "skilled", "spectral", "mixture"];

#[test]
fn every_method_labels_every_task() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "150", "--workers", "12", "--classes", "3"]);
    for method in METHODS {
        let found = folder.json(&[
            "aggregate",
            "crowd/labels.csv",
            "--method",
            method,
            "--truth",
            "crowd/truth.csv",
            if ["majority", "wawa"].contains(&method) { "--all" } else { "--confusion" },
        ]);
        assert_eq!(found["method"], method);
        assert_eq!(found["classes"].as_array().unwrap().len(), 3);
        let tasks = found["tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), 150);
        for task in tasks {
            let probabilities = task["probabilities"].as_object().unwrap();
            let sum: f64 = probabilities.values().map(|p| p.as_f64().unwrap()).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{method}");
            let label = task["label"].as_str().unwrap();
            assert_eq!(probabilities[label], task["confidence"], "{method}");
        }
        let accuracy = found["truth"]["accuracy"].as_f64().unwrap();
        assert!(accuracy > 0.75, "{method}: {accuracy}");
        let workers = found["workers"].as_array().unwrap();
        assert_eq!(workers.iter().map(|worker| worker["labels"].as_u64().unwrap()).sum::<u64>(), 750);
        for worker in workers {
            let number = |key: &str| worker[key].as_f64().unwrap();
            assert!(number("accuracy_low") <= number("accuracy") && number("accuracy") <= number("accuracy_high"));
            assert_eq!(worker["kept"], true);
        }
        let modelled = !["majority", "wawa"].contains(&method);
        assert_eq!(workers[0]["confusion"].is_array(), modelled, "{method}");
    }
}

#[test]
fn one_of_everything_gets_an_answer_from_every_method() {
    let folder = Folder::new();
    folder.write("one.csv", "task,worker,label\nt,w,x\n");
    folder.write("worker.csv", "task,worker,label\na,w,x\nb,w,y\nc,w,x\n");
    folder.write("class.csv", "task,worker,label\na,w,x\na,v,x\nb,v,x\n");
    for (file, count) in [("one.csv", 1), ("worker.csv", 3), ("class.csv", 2)] {
        for method in METHODS {
            let found = folder.json(&["aggregate", file, "--method", method]);
            let tasks = found["tasks"].as_array().unwrap();
            assert_eq!(tasks.len(), count, "{file} {method}");
            assert!(tasks.iter().all(|task| task["confidence"].as_f64().unwrap() > 0.0), "{file} {method}");
        }
        folder.json(&["workers", file, "--suspicious"]);
    }
}

#[test]
fn methods_that_other_packages_have_are_there_too() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "200", "--workers", "20", "--classes", "2"]);
    for method in ["glad", "mace", "kos", "mmsr", "zero-based-skill"] {
        let found = folder.json(&["aggregate", "crowd/labels.csv", "--method", method, "--truth", "crowd/truth.csv"]);
        assert_eq!(found["method"], method);
        let accuracy = found["truth"]["accuracy"].as_f64().unwrap();
        assert!(accuracy > 0.8, "{method}: {accuracy}");
    }
    let weighted = ["aggregate", "crowd/labels.csv", "--method", "gold-majority"];
    assert!(folder.error(&weighted).contains("needs known labels: add --gold FILE"));
    let found = folder.json(&[&weighted[..], &["--gold", "crowd/truth.csv"]].concat());
    assert_eq!(found["tasks"][0]["confidence"], 1.0);
    crowd(&folder, &["--tasks", "50", "--classes", "3"]);
    let wrong = folder.error(&["aggregate", "crowd/labels.csv", "--method", "kos"]);
    assert!(wrong.contains("the number of classes is 3, and must be 2 for the method kos"), "{wrong}");
    let wrong = folder.error(&["aggregate", "crowd/labels.csv", "--method", "kos", "--smoothing", "1"]);
    assert!(wrong.contains("--smoothing is only of use with --method"), "{wrong}");
}

#[test]
fn hundreds_of_classes_have_tables_of_the_cells_that_are_not_zero() {
    let folder = Folder::new();
    let class = |task: usize| task * 37 % 300;
    let said = |task: usize, worker: usize| match (task * 7 + worker * 3).is_multiple_of(11) {
        true => (class(task) + 1 + worker) % 300,
        false => class(task),
    };
    let rows: String = (0..1200)
        .flat_map(|task| (0..4).map(move |vote| (task, (task + vote) % 8)))
        .map(|(task, worker)| format!("t{task},w{worker},c{}\n", said(task, worker)))
        .collect();
    folder.write("labels.csv", format!("task,worker,label\n{rows}"));
    let fitted = folder.json(&["aggregate", "labels.csv", "--method", "dawid-skene", "--model", "m.json"]);
    let right = |found: &Value| {
        let tasks = found["tasks"].as_array().unwrap();
        assert!(tasks.iter().all(|task| task["probabilities"].as_object().unwrap().len() < 10));
        let number = |task: &Value| task["task"].as_str().unwrap()[1..].parse().unwrap();
        tasks.iter().filter(|task| task["label"] == format!("c{}", class(number(task))).as_str()).count()
    };
    assert!(right(&fitted) > 1150, "{}", right(&fitted));
    // A file of all cells would be of 6 MB and more.
    assert!(folder.read("m.json").len() < 1_000_000);
    assert_eq!(right(&folder.json(&["predict", "m.json", "labels.csv"])), right(&fitted));
}
