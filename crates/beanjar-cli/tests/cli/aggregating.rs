//! True labels, from the shell.

use crate::aggregating_methods::METHODS;
use crate::support::Folder;
use serde_json::Value;

/// A simulated crowd with its truth, written by the program itself.
pub(crate) fn crowd(folder: &Folder, more: &[&str]) {
    let made = folder.run(&[&["simulate", "labels", "--out", "crowd"], more].concat());
    assert_eq!(made.code, 0, "{}", made.err);
}

#[test]
fn the_command_prints_the_librarys_outcome() {
    use beanjar::truth::{DawidSkene, Method, WorkersToUse};
    use beanjar::{Aggregate, Context, RankWorkers};
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "60", "--workers", "9", "--classes", "3"]);
    let read = |name: &str| {
        let source = beanjar_io::Source::from(folder.path(name).to_str().unwrap());
        match beanjar_io::read(&source, &beanjar_io::ReadOptions::default(), &Context::new()).unwrap().data {
            beanjar_io::Data::Labels(labels) => labels,
            _ => panic!("labels"),
        }
    };
    let truth = beanjar_io::read_table(&beanjar_io::Source::from(folder.path("crowd/truth.csv").to_str().unwrap()));
    let labels = read("crowd/labels.csv");
    let context = Context::new().with_seed(3);
    let aggregate = Aggregate {
        method: Method::DawidSkene(DawidSkene::default()),
        truth: truth.unwrap().column(0),
        workers: WorkersToUse::Top(6),
        confusion: true,
        ..Aggregate::default()
    };
    let outcome = aggregate.fit(&labels, &context).unwrap();
    let printed = |arguments: &[&str]| folder.run(&[arguments, &["--format", "json", "--seed", "3"]].concat()).out;
    let flags = ["--method", "dawid-skene", "--truth", "crowd/truth.csv", "--workers", "6", "--confusion"];
    let written = serde_json::to_string_pretty(&outcome).unwrap() + "\n";
    assert_eq!(printed(&[&["aggregate", "crowd/labels.csv"], &flags[..]].concat()), written);
    let outcome = RankWorkers { suspicious: true, ..RankWorkers::default() }.fit(&labels, &context).unwrap();
    let written = serde_json::to_string_pretty(&outcome).unwrap() + "\n";
    assert_eq!(printed(&["workers", "crowd/labels.csv", "--suspicious"]), written);
}

#[test]
fn a_table_and_a_csv_say_the_same() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "40", "--workers", "6"]);
    let csv = folder.run(&["aggregate", "crowd/labels.csv", "--format", "csv"]).out;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!((lines[0], lines.len()), ("task,label,confidence", 41));
    let text = folder.run(&["aggregate", "crowd/labels.csv", "--format", "table", "--all"]).out;
    for line in &lines[1..] {
        let task = line.split(',').next().unwrap();
        assert!(text.lines().any(|line| line.split_whitespace().next() == Some(task)), "{task} is in the table");
    }
    let again = folder.run(&["aggregate", "crowd/labels.csv", "--format", "csv", "--threads", "1"]).out;
    assert_eq!(csv, again, "threads change nothing");
}

#[test]
fn workers_and_probabilities_go_to_files_and_the_table_says_how_far_tasks_are_settled() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "300", "--workers", "150", "--classes", "3", "--accuracy", "0.85", "--hard", "0.3"]);
    let printed = folder.json(&["aggregate", "crowd/labels.csv"]);
    let files = ["--out", "truth.csv", "--probabilities", "--workers-out", "workers.csv"];
    assert_eq!(folder.run(&[&["aggregate", "crowd/labels.csv"], &files[..]].concat()).code, 0);
    let (tasks, workers) = (folder.read("truth.csv"), folder.read("workers.csv"));
    assert!(tasks.starts_with("task,label,confidence,P("), "{tasks}");
    for (line, task) in tasks.lines().skip(1).zip(printed["tasks"].as_array().unwrap()) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(cells[0], task["task"].as_str().unwrap());
        let all: Vec<f64> = cells[3..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-9 && all.len() == 3, "{line}");
        assert_eq!(cells[2].parse::<f64>().unwrap(), all.iter().copied().fold(0.0, f64::max), "{line}");
    }
    assert!(workers.starts_with("worker,labels,kept,accuracy,accuracy_low,accuracy_high\n"), "{workers}");
    assert_eq!((tasks.lines().count(), workers.lines().count()), (301, 151));
    let text = folder.run(&["aggregate", "crowd/labels.csv", "--format", "table"]).out;
    let settled = printed["tasks"].as_array().unwrap().iter().filter(|task| task["confidence"].as_f64() > Some(0.95));
    let line = text.lines().find(|line| line.trim_start().starts_with("settled")).unwrap();
    assert_eq!(line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap(), settled.count(), "{text}");
    assert!(text.contains("in doubt") && text.contains("held-out labels"), "{text}");
}

#[test]
fn ties_are_shared_flagged_and_broken_by_the_seed() {
    let folder = Folder::new();
    let rows: String = (0..40).map(|i| format!("t{i},ann,yes\nt{i},bob,no\n")).collect();
    folder.write("labels.csv", format!("task,worker,label\n{rows}"));
    let labels = |seed: &str| -> Vec<String> {
        let found = folder.json(&["aggregate", "labels.csv", "--method", "majority", "--seed", seed]);
        let tasks = found["tasks"].as_array().unwrap().clone();
        assert!(tasks.iter().all(|task| task["tied"] == true && task["confidence"] == 0.5));
        tasks.iter().map(|task| task["label"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(labels("1"), labels("1"));
    assert_ne!(labels("1"), labels("2"));
    assert!(labels("1").contains(&"yes".to_owned()) && labels("1").contains(&"no".to_owned()));
}

#[test]
fn a_saved_model_labels_new_tasks_as_the_fit_did() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "200", "--workers", "10", "--classes", "3"]);
    for method in ["majority", "wawa", "dawid-skene", "one-coin", "pooled", "spectral", "mixture"] {
        let fitted = folder.json(&["aggregate", "crowd/labels.csv", "--method", method, "--model", "model.json"]);
        let predicted = folder.json(&["predict", "model.json", "crowd/labels.csv", "--labels", "crowd/truth.csv"]);
        let probabilities = |found: &Value| -> Vec<f64> {
            let tasks = found["tasks"].as_array().unwrap().iter();
            tasks
                .flat_map(|task| {
                    task["probabilities"].as_object().unwrap().values().map(|p| p.as_f64().unwrap()).collect::<Vec<_>>()
                })
                .collect()
        };
        let pairs = probabilities(&fitted).into_iter().zip(probabilities(&predicted));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9), "{method}");
        assert!(predicted["truth"]["accuracy"].as_f64().unwrap() > 0.75, "{method}");
    }
    for method in ["skilled", "auto"] {
        // These read a task's own votes without themselves when they fit, so new tasks differ a little.
        folder.json(&["aggregate", "crowd/labels.csv", "--method", method, "--model", "model.json"]);
        let predicted = folder.json(&["predict", "model.json", "crowd/labels.csv", "--labels", "crowd/truth.csv"]);
        assert!(predicted["truth"]["accuracy"].as_f64().unwrap() > 0.75, "{method}");
    }
}

#[test]
fn workers_left_out_stay_out_of_the_model() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "300", "--workers", "12", "--accuracy", "0.85", "--spammers", "0.5", "--votes", "6"]);
    for method in ["majority", "dawid-skene"] {
        let fitted = folder.json(&[
            "aggregate",
            "crowd/labels.csv",
            "--workers",
            "5",
            "--method",
            method,
            "--model",
            "model.json",
        ]);
        let run = folder.run(&["predict", "model.json", "crowd/labels.csv", "--format", "json"]);
        assert!(run.err.contains("of workers whom the model leaves out"), "{}", run.err);
        let predicted: Value = serde_json::from_str(&run.out).unwrap();
        for (a, b) in fitted["tasks"].as_array().unwrap().iter().zip(predicted["tasks"].as_array().unwrap()) {
            assert!((a["confidence"].as_f64().unwrap() - b["confidence"].as_f64().unwrap()).abs() < 1e-9, "{method}");
        }
    }
}

#[test]
fn strangers_and_strange_labels_are_counted_and_answered() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "200", "--workers", "10", "--accuracy", "0.9"]);
    for method in METHODS {
        folder.json(&["aggregate", "crowd/labels.csv", "--method", method, "--model", "model.json"]);
        let classes = folder.json(&["aggregate", "crowd/labels.csv"])["classes"].clone();
        let (first, second) = (classes[0].as_str().unwrap(), classes[1].as_str().unwrap());
        folder.write(
            "new.csv",
            format!(
                "task,worker,label\nn1,zoe,{first}\nn1,yan,{first}\nn2,zoe,{second}\nn2,yan,{second}\nn3,zoe,other\n"
            ),
        );
        let run = folder.run(&["predict", "model.json", "new.csv", "--format", "json"]);
        assert!(run.err.contains("2 workers whom the model has never seen"), "{method}: {}", run.err);
        assert!(run.err.contains("1 label of classes that the model has never seen"), "{method}: {}", run.err);
        let found: Value = serde_json::from_str(&run.out).unwrap();
        let tasks = found["tasks"].as_array().unwrap();
        assert_eq!((&tasks[0]["label"], &tasks[1]["label"]), (&first.into(), &second.into()), "{method}");
        assert_eq!(tasks[2]["tied"], true, "{method}");
    }
    folder.write("none.csv", "task,worker,label\nn3,zoe,other\n");
    assert!(folder.error(&["predict", "model.json", "none.csv"]).contains("no label is of a class of the model"));
    let damaged = folder.read("model.json").replace("\"prior\"", "\"priors\"");
    folder.write("damaged.json", damaged);
    assert!(folder.error(&["predict", "damaged.json", "crowd/labels.csv"]).contains("damaged"));
}

#[test]
fn a_task_that_no_kept_worker_labelled_is_open() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\na,ann,x\na,bob,x\nb,ann,y\nb,bob,y\nc,cy,x\n");
    folder.write("crew.csv", "worker\nann\nbob\nnobody\n");
    let run = folder.run(&[
        "aggregate",
        "labels.csv",
        "--workers",
        "crew.csv",
        "--method",
        "dawid-skene",
        "--format",
        "json",
    ]);
    assert!(run.err.contains("1 worker to be used gave no label"), "{}", run.err);
    let found: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&found["tasks"][2]["tied"], &found["tasks"][2]["confidence"]), (&true.into(), &0.5.into()));
    folder.write("strangers.csv", "worker\nzoe\n");
    let said = folder.error(&["aggregate", "labels.csv", "--workers", "strangers.csv"]);
    assert!(said.contains("none of the 3 workers"), "{said}");
}

#[test]
fn odd_names_and_repeated_labels_survive() {
    let folder = Folder::new();
    folder.write(
        "labels.csv",
        "task,worker,label\n\"a,1\",\"w\"\"q\",🫘\n\"a,1\",v,🫘\nb,v,no\nb,\"w\"\"q\",no\nb,v,no\n",
    );
    let run = folder.run(&["aggregate", "labels.csv", "--format", "csv"]);
    assert!(run.err.contains("1 label with the (task, worker) of an earlier row"), "{}", run.err);
    assert!(run.out.starts_with("task,label,confidence\n\"a,1\",🫘,"), "{}", run.out);
}

#[test]
fn repeated_labels_have_one_meaning() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\na,w,x\na,v,y\na,w,y\nb,v,x\nb,w,x\n");
    let share = |repeats: &[&str]| {
        let found = folder.json(&[&["aggregate", "labels.csv", "--method", "majority"], repeats].concat());
        found["tasks"][0]["probabilities"]["y"].as_f64().unwrap()
    };
    assert_eq!((share(&[]), share(&["--repeats", "average"])), (0.75, 0.75));
    assert_eq!((share(&["--repeats", "first"]), share(&["--repeats", "all"])), (0.5, 2.0 / 3.0));
    for (repeats, said) in [("average", "one opinion"), ("first", "the first counts"), ("all", "all are kept")] {
        for command in ["aggregate", "workers"] {
            let run = folder.run(&[command, "labels.csv", "--repeats", repeats]);
            assert!(run.err.contains(said), "{}", run.err);
        }
    }
    // Alpha counts whole labels: all, or the first.
    let labels = |repeats: &str| folder.json(&["inspect", "labels.csv", "--repeats", repeats])["labels"].clone();
    assert_eq!((labels("all"), labels("first")), (5.into(), 4.into()));
    let run = folder.run(&["inspect", "labels.csv", "--repeats", "average"]);
    assert!(run.code == 2 && run.err.contains("possible values: all, first"), "{}", run.err);
}

#[test]
fn copies_of_a_judge_vote_as_one() {
    let folder = Folder::new();
    let shape = ["--tasks", "300", "--workers", "16", "--classes", "3", "--votes", "16", "--spread", "30"];
    crowd(&folder, &[&shape[..], &["--families", "1", "--family-size", "4", "--copying", "1"]].concat());
    let found = folder.json(&["aggregate", "crowd/labels.csv"]);
    let families = found["families"].as_array().unwrap();
    assert_eq!(families.len(), 1);
    let mut family: Vec<&str> = families[0].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    family.sort_unstable();
    assert_eq!(family, ["w1", "w2", "w3", "w4"]);
    let table = folder.run(&["aggregate", "crowd/labels.csv", "--format", "table"]).out;
    assert!(table.contains("copies of one another and vote as one: w"), "{table}");
}

#[test]
fn bad_wishes_are_refused_in_one_sentence() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\nt1,a,x\nt1,b,y\nt2,a,y\n");
    folder.write("judgments.csv", "object,attribute,worker,value\no,a,w,1\n");
    folder.write("empty.csv", "");
    folder.write("header.csv", "task,worker,label\n");
    folder.write("gold.csv", "task,label\nzzz,x\n");
    folder.write("weights.csv", "worker,weight\na,-1\n");
    folder.write("kept.csv", "worker,kept\na,false\n");
    for (arguments, said) in [
        (vec!["aggregate", "judgments.csv"], "this file holds judgments"),
        (vec!["aggregate", "empty.csv"], "empty.csv"),
        (vec!["aggregate", "header.csv"], "header.csv"),
        (vec!["aggregate", "missing.csv"], "missing.csv"),
        (vec!["aggregate", "labels.csv", "--gold", "gold.csv"], "none of the 2 tasks"),
        (
            vec!["aggregate", "labels.csv", "--method", "majority", "--weights", "weights.csv"],
            "the weight of 'a' is '-1'",
        ),
        (vec!["aggregate", "labels.csv", "--smoothing", "1"], "--smoothing is only of use with --method dawid-skene"),
        (vec!["aggregate", "labels.csv", "--method", "one-coin", "--smoothing", "-1"], "smoothing is -1"),
        (vec!["aggregate", "labels.csv", "--prior", "0.2,0.3,0.5"], "the prior is"),
        (
            vec!["aggregate", "labels.csv", "--method", "dawid-skene", "--iterations", "0"],
            "the number of iterations is 0",
        ),
        (vec!["aggregate", "labels.csv", "--method", "mixture", "--components", "0"], "the number of components is 0"),
        (vec!["aggregate", "labels.csv", "--out", "labels.csv"], "labels.csv"),
        (vec!["aggregate", "labels.csv", "--model", "labels.csv"], "labels.csv"),
        (vec!["aggregate", "labels.csv", "--out", "x.json", "--model", "x.json"], "name the same file"),
        (vec!["aggregate", "labels.csv", "--out", "x.docx"], "results are written as .json, .txt, .md"),
        (vec!["aggregate", "labels.csv", "--method", "majority", "--confusion"], "--confusion is only of use with"),
        (vec!["aggregate", "labels.csv", "--workers", "kept.csv"], "no worker is kept"),
        (vec!["workers", "header.csv"], "header.csv"),
        (vec!["workers", "labels.csv", "--keep", "3"], "3 workers cannot be kept, for there are 2 (--keep)"),
        (vec!["predict", "labels.csv", "labels.csv"], "not a model file"),
    ] {
        let error = folder.error(&arguments);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    let names = folder.names();
    assert_eq!(
        names,
        ["empty.csv", "gold.csv", "header.csv", "judgments.csv", "kept.csv", "labels.csv", "weights.csv"]
    );
}

#[test]
fn weights_silence_workers() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\nt,a,x\nt,b,y\nt,c,y\n");
    folder.write("weights.csv", "worker,weight\na,3\nb,1\nc,1\n");
    let found = folder.json(&["aggregate", "labels.csv", "--method", "majority", "--weights", "weights.csv"]);
    assert_eq!((&found["tasks"][0]["label"], &found["tasks"][0]["confidence"]), (&"x".into(), &0.6.into()));
}
