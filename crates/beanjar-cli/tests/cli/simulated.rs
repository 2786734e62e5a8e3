//! What `simulate` writes, `inspect` reads, and the demo.

use crate::support::Folder;

#[test]
fn photos_come_with_height_and_weight() {
    let folder = Folder::new();
    let run = folder.run(&["simulate", "photos", "--objects", "40", "--judgments", "3", "--out", "p"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let found = folder.json(&["inspect", "p/judgments.csv", "--labels", "p/truth.csv"]);
    assert_eq!(
        (&found["objects"], &found["judgments"], &found["labelled"]),
        (&40.into(), &(40 * 39 * 3).into(), &40.into())
    );
    assert_eq!(found["attributes"].as_array().unwrap().len(), 39);
    assert_eq!(folder.read("p/truth.csv").lines().next(), Some("object,height,weight"));
}

#[test]
fn a_crowd_has_the_shape_that_was_asked_for() {
    let folder = Folder::new();
    let arguments = ["simulate", "labels", "--tasks", "300", "--workers", "20", "--classes", "4", "--votes", "2-6"];
    folder.run(
        &[&arguments[..], &["--model", "confusion", "--spammers", "0.5", "--out", "c", "--as", "jsonl.gz"]].concat(),
    );
    let found = folder.json(&["inspect", "c/labels.jsonl.gz", "--labels", "c/truth.jsonl.gz"]);
    assert_eq!((&found["tasks"], &found["labelled"]), (&300.into(), &300.into()));
    assert_eq!(found["classes"], serde_json::json!(["c1", "c2", "c3", "c4"]));
    let votes = found["votes_per_task"].as_array().unwrap();
    assert_eq!((&votes[0]["votes"], &votes.last().unwrap()["votes"]), (&2.into(), &6.into()));
    assert_eq!(found["fleiss_kappa"], serde_json::Value::Null);
}

#[test]
fn kinds_of_tasks_and_workers_are_written_beside_the_truth() {
    let folder = Folder::new();
    let shape = ["simulate", "labels", "--tasks", "400", "--workers", "12", "--classes", "3", "--rare", "0.02"];
    let kinds = ["--misleading", "0.3", "--families", "1", "--family-size", "3", "--copying", "1", "--contrary", "1"];
    let run = folder.run(&[&shape[..], &kinds, &["--random", "1", "--constant", "1", "--out", "c"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let (workers, tasks) = (folder.read("c/workers.csv"), folder.read("c/tasks.csv"));
    let kind = |name: &str| workers.lines().find(|line| line.starts_with(&format!("{name},"))).map(str::to_owned);
    assert_eq!(workers.lines().next(), Some("worker,accuracy,kind"));
    for (worker, expected) in [("w1", "honest"), ("w3", "copies w1"), ("w10", "random"), ("w12", "contrary")] {
        assert!(kind(worker).unwrap().ends_with(expected), "{worker}");
    }
    assert_eq!((tasks.lines().next(), tasks.lines().count()), (Some("task,kind,favourite"), 401));
    assert!((80..160).contains(&tasks.lines().filter(|line| line.contains(",misleading,c")).count()));
    let run = folder.run(&["simulate", "labels", "--families", "30", "--out", "d"]);
    assert!(run.code == 2 && run.err.contains("workers of all kinds"), "{}", run.err);
    let run = folder.run(&["simulate", "labels", "--rare", "2", "--out", "d"]);
    assert!(run.code == 2 && run.err.contains("--rare"), "{}", run.err);
}

#[test]
fn parts_hold_what_one_file_holds() {
    let folder = Folder::new();
    let shape = ["simulate", "labels", "--tasks", "50", "--workers", "7", "--hard", "0.5", "--out"];
    assert_eq!(folder.run(&[&shape[..], &["whole"]].concat()).code, 0);
    let run = folder.run(&[&shape[..], &["parts", "--parts", "3"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(folder.read("whole/workers.csv"), folder.read("parts/workers.csv"));
    for name in ["labels", "truth", "tasks"] {
        let parts = (1..=3).map(|part| folder.read(&format!("parts/{name}/part-00{part}.csv")));
        let rows: Vec<String> =
            parts.flat_map(|part| part.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()).collect();
        assert!(rows.iter().eq(folder.read(&format!("whole/{name}.csv")).lines().skip(1)), "{name}");
    }
    let run = folder.run(&[&shape[..], &["none", "--parts", "0"]].concat());
    assert!(run.code == 2 && run.err.contains("--parts"), "{}", run.err);
}

#[test]
fn experts_come_with_features_and_truth() {
    let folder = Folder::new();
    for case in ["i", "ii", "iii"] {
        folder.run(&["simulate", "experts", "--case", case, "--units", "100", "--out", case]);
        let found = folder.json(&["inspect", &format!("{case}/labels.csv"), "--labels", &format!("{case}/truth.csv")]);
        assert_eq!((&found["tasks"], &found["labels"], &found["labelled"]), (&100.into(), &300.into(), &100.into()));
        assert!(found["fleiss_kappa"].is_number());
        assert_eq!(folder.read(&format!("{case}/features.csv")).lines().next().unwrap().split(',').count(), 56);
    }
}

#[test]
fn the_seed_decides_everything() {
    let folder = Folder::new();
    for (seed, out) in [("1", "a"), ("1", "b"), ("2", "c")] {
        folder.run(&["simulate", "labels", "--tasks", "50", "--seed", seed, "--out", out]);
    }
    assert_eq!(folder.read("a/labels.csv"), folder.read("b/labels.csv"));
    assert_ne!(folder.read("a/labels.csv"), folder.read("c/labels.csv"));
}

#[test]
fn the_demo_tells_a_story_that_fits_a_terminal() {
    let folder = Folder::new();
    let run = folder.run(&["demo", "--out", "story"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert!(run.out.lines().all(|line| line.chars().count() <= 100), "{}", run.out);
    for said in ["good-posture", "as beanjar says", "copies another", "plain vote", "fresh units", "beanjar aggregate"]
    {
        assert!(run.out.contains(said), "{said}: {}", run.out);
    }
    assert!(run.out.contains("story/report.html"));
    let page = folder.read("story/report.html");
    let parts = ["inspect", "select", "workers", "aggregate", "learn", "score"];
    assert!(parts.iter().all(|part| page.contains(&format!("<section id=\"{part}\""))));
    assert!(page.len() < 1_000_000, "{}", page.len());
    for said in ["On 1000 fresh photos the squared error is: as beanjar says", "fresh units, which no expert saw"] {
        assert!(page.contains(said), "the page tells the story as well: {said}");
    }
    assert_eq!(folder.json(&["demo"])["objects"], 880);
}
