//! Runs the real program on folders with few data sets.

use std::path::Path;
use std::process::{Command, Output};

fn papers(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beanjar-papers"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the beanjar-papers binary")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_folder_or_a_set_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (vec!["worker-selection", "--data", "nowhere"], "nowhere: no such folder"),
        (vec!["multi-selection", "--data", "nowhere"], "nowhere: no such folder"),
        (vec!["many-experts", "--data", ".", "--sets", "galaxies"], "no set 'galaxies'"),
        (vec!["worker-selection", "--data", ".", "--sets", "cats"], "no set 'cats'"),
    ] {
        let run = papers(folder.path(), &arguments);
        let error = text(&run.stderr);
        assert_eq!((run.status.code(), error.lines().count(), run.stdout.len()), (Some(2), 1, 0), "{error}");
        assert!(error.starts_with("error: ") && error.contains(words), "{arguments:?}: {error}");
    }
}

#[test]
fn votes_are_halved_and_revealed_on_the_sets_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let (mut labels, mut truth) = (String::from("task,worker,label\n"), String::from("task,label\n"));
    for task in 0..60 {
        let class = task % 2;
        truth += &format!("{task},{class}\n");
        for vote in 0..6 {
            let worker = (task + vote) % 9;
            // Each is wrong on every fifth of their tasks, but never all on the same.
            let wrong = (task * 7 + worker * 3) % 5 == 0;
            labels += &format!("{task},w{worker},{}\n", if wrong { 1 - class } else { class });
        }
    }
    let set = folder.path().join("data/crowd/small");
    std::fs::create_dir_all(&set).unwrap();
    std::fs::write(set.join("labels.csv"), labels).unwrap();
    std::fs::write(set.join("truth.csv"), truth).unwrap();
    let run = papers(folder.path(), &["votes", "--data", "data", "--out", "figures"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let found = text(&run.stdout);
    for words in
        ["3 of 6", "within its band on", "least sure", "reached with at most 60%", "within a standard error of it"]
    {
        assert!(found.contains(words), "{words}: {found}");
    }
    for figure in ["votes-small.svg", "next-small.svg"] {
        assert!(folder.path().join("figures").join(figure).exists(), "{figure}");
    }
    let other = papers(folder.path(), &["votes", "--data", "data", "--sets", "cats"]);
    assert!(text(&other.stderr).contains("no set 'cats'; there are small"), "{}", text(&other.stderr));
}

#[test]
fn the_comparison_of_classifiers_runs_on_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    // A small set in the place of a real one: the class is whether the first feature is above its mean.
    let (mut features, mut truth) = (String::from("object,x1,x2,x3,x4\n"), String::from("object,label\n"));
    for unit in 0..260 {
        let x = [unit * 37 % 101, unit * 53 % 97, unit * 71 % 89, unit * 29 % 83];
        features += &format!("{unit},{},{},{},{}\n", x[0], x[1], x[2], x[3]);
        truth += &format!("{unit},{}\n", if x[0] > 50 { "g" } else { "b" });
    }
    let set = folder.path().join("data/experts/ionosphere");
    std::fs::create_dir_all(&set).unwrap();
    std::fs::write(set.join("features.csv"), &features).unwrap();
    std::fs::write(set.join("truth.csv"), &truth).unwrap();
    let arguments =
        ["many-experts", "--data", "data", "--runs", "2", "--sets", "ionosphere,wine,music", "--out", "figures"];
    let run = papers(folder.path(), &arguments);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let found = text(&run.stdout);
    for words in ["wine: left out", "music: left out", "ionosphere (iii)", "of 3 cases", "is not public"] {
        assert!(found.contains(words), "{words}: {found}");
    }
    let figure = std::fs::read_to_string(folder.path().join("figures/experts-ionosphere.svg")).unwrap();
    assert!(figure.contains("smallest risk"));
    // The class follows from one feature, so a regression on the truth errs seldom.
    let risks = found.split("Risk, with").nth(1).unwrap_or_default();
    let row = risks.lines().find(|line| line.contains("ionosphere (i)")).unwrap_or_default();
    let trained: f64 = row.split_whitespace().rev().nth(1).unwrap_or_default().parse().unwrap();
    assert!(trained < 0.2, "{row}");
}
