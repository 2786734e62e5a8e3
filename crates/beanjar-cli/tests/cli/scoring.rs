//! Models compared by noisy labels alone, from the shell.

use crate::support::Folder;

/// A crowd, and predictions that are wrong on every n-th task.
fn crowd(folder: &Folder, wrong: &[usize]) {
    let made = folder.run(&["simulate", "labels", "--tasks", "2000", "--workers", "7", "--out", "crowd"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let truth = folder.read("crowd/truth.csv");
    let classes: Vec<&str> = truth.lines().skip(1).map(|line| line.split_once(',').expect("two columns").1).collect();
    let other = |class: &str| classes.iter().copied().find(|other| *other != class).unwrap_or_default().to_owned();
    for every in wrong {
        let rows: String = truth
            .lines()
            .skip(1)
            .enumerate()
            .map(|(i, line)| {
                let (task, class) = line.split_once(',').expect("two columns");
                let said = if i % every == 0 { other(class) } else { class.to_owned() };
                format!("{task},{said},0.9\n")
            })
            .collect();
        folder.write(&format!("wrong{every}.csv"), format!("task,label,confidence\n{rows}"));
    }
}

#[test]
fn the_better_model_comes_first_with_its_lead_and_its_risk() {
    let folder = Folder::new();
    crowd(&folder, &[3, 10, 11]);
    let found = folder.json(&["score", "wrong3.csv", "wrong10.csv", "wrong11.csv", "--labels", "crowd/labels.csv"]);
    let models = found["models"].as_array().unwrap();
    let names: Vec<&str> = models.iter().map(|model| model["name"].as_str().unwrap()).collect();
    assert_eq!(names[2], "wrong3.csv");
    let number = |i: usize, key: &str| models[i][key].as_f64().unwrap();
    assert!(models[0]["difference"].is_null());
    assert!(number(2, "difference") > 5.0 * number(2, "difference_se"));
    assert!((number(2, "risk") - 1.0 / 3.0).abs() < 0.05, "{}", models[2]);
    assert!((number(0, "risk") - 0.1).abs() < 0.05, "{}", models[0]);
    let text =
        folder.run(&["score", "wrong3.csv", "wrong10.csv", "--labels", "crowd/labels.csv", "--format", "table"]).out;
    assert!(text.contains("implied risk") && text.contains("by more than two standard errors"), "{text}");
}

#[test]
fn gaps_and_strange_classes_are_counted() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\na,u,x\na,v,x\na,w,y\nb,u,y\nb,v,y\nc,w,x\nc,u,x\n");
    folder.write("full.csv", "task,prediction\na,x\nb,y\nc,x\n");
    folder.write("gaps.csv", "id,label\na,x\nb,z\nc,\nd,x\n");
    let run = folder.run(&["score", "full.csv", "gaps.csv", "--labels", "labels.csv", "--format", "json"]);
    assert!(run.err.contains("no prediction of 1 task for gaps.csv"), "{}", run.err);
    assert!(run.err.contains("gaps.csv: 1 prediction of a class that no expert gave"), "{}", run.err);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let models = found["models"].as_array().unwrap();
    // full: a differs from one label of three. gaps: the same, and b from all.
    assert!((models[0]["surrogate"].as_f64().unwrap() - 1.0 / 9.0).abs() < 1e-12);
    assert!((models[1]["surrogate"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert_eq!((&models[1]["units"], &models[1]["missing"]), (&2.into(), &1.into()));
    assert_eq!(models[1]["difference"], 0.5);
}

#[test]
fn what_cannot_be_compared_is_refused_or_warned_of() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\na,u,x\na,v,y\nb,u,y\nb,v,x\n");
    folder.write("good.csv", "task,label\na,x\nb,y\n");
    folder.write("other.csv", "task,label\nq,x\n");
    folder.write("wide.csv", "task,one,two\na,x,y\n");
    assert!(folder.error(&["score", "other.csv", "--labels", "labels.csv"]).contains("check that both name"));
    assert!(
        folder.error(&["score", "wide.csv", "--labels", "labels.csv"]).contains("no column 'label' or 'prediction'")
    );
    let run = folder.run(&["score", "good.csv", "--labels", "labels.csv", "--format", "csv"]);
    assert!(run.err.contains("fewer than three experts"), "{}", run.err);
    assert!(
        run.out.starts_with("name,surrogate,se,risk,difference,difference_se,units,missing\ngood.csv,0.5,0,"),
        "{}",
        run.out
    );
}

#[test]
fn one_known_answer_is_not_used_and_that_is_said() {
    let folder = Folder::new();
    crowd(&folder, &[3]);
    folder.write("gold.csv", "task,label\nt1,c1\n");
    let run = folder.run(&["score", "wrong3.csv", "--labels", "crowd/labels.csv", "--gold", "gold.csv"]);
    assert!(run.err.contains("known answers of 1 task with a prediction: at least 2 are needed"), "{}", run.err);
}

#[test]
fn what_goes_to_a_file_is_summed_up_on_the_terminal() {
    let folder = Folder::new();
    crowd(&folder, &[3, 10]);
    let run = folder.run(&["score", "wrong3.csv", "wrong10.csv", "--labels", "crowd/labels.csv", "--out", "s.csv"]);
    assert!(run.err.contains("believe wrong10.csv"), "{}", run.err);
    let flags = ["--truth", "crowd/truth.csv", "--out", "a.csv"];
    let run = folder.run(&[&["aggregate", "crowd/labels.csv", "--model", "m.json"], &flags[..]].concat());
    assert!(run.err.contains("by the truth (2,000 tasks)") && run.err.contains("accuracy 0."), "{}", run.err);
    let run = folder.run(&[&["predict", "m.json", "crowd/labels.csv"], &flags[..]].concat());
    assert!(run.err.contains("by the truth (2,000 tasks)"), "{}", run.err);
    let run = folder.run(&[&["predict", "m.json", "crowd/labels.csv", "--quiet"], &flags[..]].concat());
    assert_eq!(run.err, "");
}
