//! `workers`: verdicts, the ranking, copies, and labels held against the truth.

use crate::aggregating::crowd;
use crate::support::Folder;
use serde_json::Value;

#[test]
fn workers_are_ranked_kept_and_used() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "300", "--workers", "12", "--accuracy", "0.85", "--spammers", "0.5", "--votes", "6"]);
    let found = folder.json(&["workers", "crowd/labels.csv", "--by", "score"]);
    let workers = found["workers"].as_array().unwrap();
    assert_eq!(workers.len(), 12);
    for (i, worker) in workers.iter().enumerate() {
        assert_eq!(worker["rank"], i + 1);
        assert_eq!(worker["kept"], i < found["keep"].as_u64().unwrap() as usize);
    }
    assert!(workers.windows(2).all(|pair| pair[0]["score"].as_f64() >= pair[1]["score"].as_f64()));
    assert_eq!(found["rule"], "predictive");
    let arguments = ["workers", "crowd/labels.csv", "--by", "score", "--keep", "5", "--out", "kept.csv"];
    let by_number = folder.run(&arguments);
    assert_eq!(by_number.code, 0, "{}", by_number.err);
    let from_file = folder.json(&["aggregate", "crowd/labels.csv", "--workers", "kept.csv"]);
    let from_number = folder.json(&["aggregate", "crowd/labels.csv", "--workers", "5"]);
    assert_eq!(from_file, from_number);
    let kept = from_file["workers"].as_array().unwrap().iter().filter(|worker| worker["kept"] == true).count();
    assert_eq!(kept, 5);
    for more in [
        vec!["--rule", "elbow"],
        vec!["--rule", "surrogate"],
        vec!["--rule", "goodness"],
        vec!["--missing-labels", "pair"],
    ] {
        let found = folder.json(&[&["workers", "crowd/labels.csv"], &more[..]].concat());
        assert!((1..=12).contains(&found["keep"].as_u64().unwrap()), "{more:?}");
    }
    let subset =
        folder.json(&["workers", "crowd/labels.csv", "--keep", "4", "--by", "subset", "--missing-labels", "full"]);
    assert_eq!(subset["workers"].as_array().unwrap().iter().filter(|worker| worker["kept"] == true).count(), 4);
    let all = folder.json(&["aggregate", "crowd/labels.csv", "--workers", "auto", "--method", "dawid-skene"]);
    assert!(all["workers"].as_array().unwrap().iter().any(|worker| worker["kept"] == true));
}

#[test]
fn every_worker_gets_a_verdict_with_its_evidence() {
    let folder = Folder::new();
    let kinds = ["--random", "1", "--constant", "1", "--contrary", "1", "--families", "1", "--family-size", "2"];
    let shape = ["--tasks", "900", "--workers", "30", "--classes", "3", "--votes", "8", "--copying", "1"];
    crowd(&folder, &[&shape[..], &kinds, &["--accuracy", "0.75", "--spread", "40"]].concat());
    let found = folder.json(&["workers", "crowd/labels.csv"]);
    let workers = found["workers"].as_array().unwrap();
    let verdict = |name: &str| workers.iter().find(|worker| worker["worker"] == name).unwrap()["verdict"].clone();
    assert_eq!(verdict("w28"), "random");
    assert_eq!(verdict("w29"), "always the same answer");
    assert_eq!(verdict("w30"), "contrary");
    let (one, other) = (verdict("w1"), verdict("w2"));
    assert!(one == "copies w2" || other == "copies w1", "{one} {other}");
    assert_eq!(found["families"].as_array().unwrap().len(), 1);
    assert!(workers.iter().filter(|worker| worker["verdict"] == "good").count() > 20);
    assert_eq!((&found["rule"], &found["keep"]), (&"verdict".into(), &26.into()));
    let bound = |worker: &Value| worker["accuracy_low"].as_f64();
    let own = workers.iter().filter(|worker| worker["copies"].is_null()).collect::<Vec<_>>();
    assert!(own.windows(2).all(|pair| bound(pair[0]) >= bound(pair[1])));
    let csv = folder.run(&["workers", "crowd/labels.csv", "--format", "csv"]).out;
    let header = "worker,labels,score,rank,kept,verdict,accuracy,accuracy_low,accuracy_high,most_given,copies";
    assert_eq!((csv.lines().next(), csv.lines().count()), (Some(header), 31));
    let table = folder.run(&["workers", "crowd/labels.csv", "--format", "table"]).out;
    assert!(table.contains("30 workers; keep 26 (by verdict)") && table.contains("copies w"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");
    folder.run(&["workers", "crowd/labels.csv", "--out", "kept.csv"]);
    let used = folder.json(&["aggregate", "crowd/labels.csv", "--workers", "kept.csv"]);
    assert_eq!(used["workers"].as_array().unwrap().iter().filter(|worker| worker["kept"] == true).count(), 26);
    assert!(folder.error(&["workers", "crowd/labels.csv", "--by", "accuracy", "--rule", "elbow"]).contains("--rule"));
}

#[test]
fn copiers_are_suspicious() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "200", "--workers", "8", "--classes", "3", "--votes", "8", "--accuracy", "0.6"]);
    let labels = folder.read("crowd/labels.csv");
    let first = labels.lines().nth(1).unwrap().split(',').nth(1).unwrap().to_owned();
    let copies: String = labels
        .lines()
        .filter(|line| line.split(',').nth(1) == Some(&first))
        .map(|line| line.replace(&format!(",{first},"), ",copier,") + "\n")
        .collect();
    folder.write("labels.csv", labels + &copies);
    let found = folder.json(&["workers", "labels.csv", "--suspicious", "--keep", "all"]);
    let pairs = found["suspicious"]["pairs"].as_array().unwrap();
    assert_eq!(found["suspicious"]["looked_at"], 36);
    assert!(!pairs.is_empty());
    let names: Vec<&str> = pairs[0]["workers"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(names.contains(&"copier") && names.contains(&first.as_str()), "{names:?}");
    assert_eq!(pairs[0]["agreement"], 1.0);
    assert!(found["goodness"].as_f64().unwrap() > 0.0);
}

#[test]
fn somebody_holds_the_workers_against_the_truth() {
    let folder = Folder::new();
    let votes: String = (0..40)
        .flat_map(|task| {
            let truth = if task % 2 == 0 { "yes" } else { "no" };
            let other = if task % 2 == 0 { "no" } else { "yes" };
            let slips = |by: usize| if task % by == 0 { other } else { truth };
            [("ann", truth), ("bob", slips(10)), ("cy", slips(8)), ("dora", "yes")]
                .map(|(w, l)| format!("{task},{w},{l}\n"))
        })
        .collect();
    folder.write("labels.csv", format!("task,worker,label\n{votes}"));
    let truth: String = (0..30).map(|task| format!("{task},{}\n", if task % 2 == 0 { "yes" } else { "no" })).collect();
    folder.write("truth.csv", format!("task,truth\n{truth}"));
    let found = folder.json(&["workers", "labels.csv", "--truth", "truth.csv"]);
    let of =
        |name: &str| found["workers"].as_array().unwrap().iter().find(|row| row["worker"] == name).unwrap().clone();
    assert_eq!(of("ann")["truth"], serde_json::json!({ "labels": 30, "right": 30, "accuracy": 1.0 }));
    assert_eq!(of("bob")["truth"], serde_json::json!({ "labels": 30, "right": 27, "accuracy": 0.9 }));
    assert_eq!(of("dora")["truth"]["right"], 15);
    assert_eq!(of("dora")["kept"], false);
    assert_eq!(found["truth"]["others"], serde_json::json!({ "labels": 30, "right": 15, "accuracy": 0.5 }));
    assert_eq!(found["truth"]["kept"]["right"], 30 + 27 + 26);
    // It changes nothing else.
    let alone = folder.json(&["workers", "labels.csv"]);
    assert_eq!(
        (&alone["keep"], alone["workers"][0]["score"].clone()),
        (&found["keep"], found["workers"][0]["score"].clone())
    );
    let rows = folder.run(&["workers", "labels.csv", "--truth", "truth.csv", "--format", "csv"]).out;
    assert!(rows.lines().next().unwrap().ends_with(",copies,truth_labels,truth_accuracy"), "{rows}");
    assert!(rows.lines().any(|row| row.starts_with("bob,") && row.ends_with(",30,0.9")), "{rows}");
    let text = folder.run(&["workers", "labels.csv", "--truth", "truth.csv", "--format", "table"]).out;
    assert!(text.contains("right of those kept: 0.922 of 90 labels; of the others: 0.500 of 30 labels"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    folder.write("other.csv", "task,label\nx,yes\n");
    let error = folder.error(&["workers", "labels.csv", "--truth", "other.csv"]);
    assert!(error.contains("labels.csv and other.csv"), "{error}");
}

#[test]
fn where_no_two_labelled_the_same_task_nobody_is_judged_and_the_vote_is_the_answer() {
    let folder = Folder::new();
    let rows: String = (0..300).map(|task| format!("t{task},w{},{}\n", task % 7, ["a", "b"][task % 3 % 2])).collect();
    folder.write("one.csv", format!("task,worker,label\n{rows}"));
    let run = folder.run(&["workers", "one.csv", "--format", "json"]);
    assert!(run.err.contains("no two workers labelled the same task"), "{}", run.err);
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let too_few = |worker: &Value| worker["verdict"] == "too few labels to say" && worker["score"] == 0.0;
    assert!(found["workers"].as_array().unwrap().iter().all(too_few));
    assert!(!run.out.contains("-0.0"), "{}", run.out);
    let labels = folder.json(&["aggregate", "one.csv"]);
    assert_eq!(labels["chosen"]["plain_vote"], true, "{labels}");
}
