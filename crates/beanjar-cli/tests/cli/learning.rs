//! Classifiers from features and noisy experts, from the shell.

use crate::support::Folder;

fn experts(folder: &Folder) {
    let made =
        folder.run(&["simulate", "experts", "--units", "300", "--noise-features", "4", "--case", "ii", "--out", "e"]);
    assert_eq!(made.code, 0, "{}", made.err);
}

const LEARN: [&str; 4] = ["learn", "e/features.csv", "--labels", "e/labels.csv"];

#[test]
fn a_model_is_learned_and_predicts_with_and_without_labels() {
    let folder = Folder::new();
    experts(&folder);
    let learned = folder.run(&[&LEARN[..], &["--penalty", "4", "--restarts", "3", "--out", "model.json"]].concat());
    assert_eq!(learned.code, 0, "{}", learned.err);
    let model: serde_json::Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    assert_eq!((&model["penalty"], model["path"].as_array().unwrap().len()), (&4.0.into(), 1));
    assert_eq!(model["features"].as_array().unwrap().len(), 9);
    assert_eq!(model["experts"].as_array().unwrap().len(), 3);
    let accuracy = |more: &[&str]| {
        let found = folder.json(&[&["predict", "model.json", "e/features.csv"], more].concat());
        let truth = folder.read("e/truth.csv");
        let right = found["predictions"].as_array().unwrap().iter().zip(truth.lines().skip(1)).filter(|(row, line)| {
            let (object, label) = line.split_once(',').unwrap_or_default();
            assert_eq!(row["object"], object);
            row["label"] == label
        });
        right.count() as f64 / 300.0
    };
    let (alone, with_labels) = (accuracy(&[]), accuracy(&["--labels", "e/labels.csv"]));
    assert!(alone > 0.52 && with_labels >= alone - 0.02, "{alone} {with_labels}");
}

#[test]
fn the_penalty_is_chosen_by_held_out_labels() {
    let folder = Folder::new();
    experts(&folder);
    let found = folder.json(&[&LEARN[..], &["--restarts", "1", "--folds", "2"]].concat());
    let path = found["path"].as_array().unwrap();
    assert_eq!(path.len(), 50);
    let least = path.iter().map(|point| point["surrogate"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    let chosen = path.iter().find(|point| point["penalty"] == found["penalty"]).unwrap();
    assert_eq!(chosen["surrogate"].as_f64().unwrap(), least);
}

#[test]
fn bad_features_and_wishes_are_named() {
    let folder = Folder::new();
    experts(&folder);
    folder.write("text.csv", "unit,height,split\nu1,1.5,train\nu2,2,test\nu3,3,train\n");
    folder.write("gap.csv", "unit,height\nu1,1.5\nu2,\nu3,3\n");
    folder.write("other.csv", "unit,height\nq,1\n");
    folder.write("three.csv", "task,worker,label\nu1,a,x\nu2,a,y\nu3,a,z\n");
    folder.write("two.csv", "task,worker,label\nu1,a,x\nu2,a,y\nu3,b,y\nu9,b,x\n");
    for (arguments, said) in [
        (vec!["learn", "text.csv", "--labels", "two.csv"], "'u1' in column 'split' is 'train', which is not a number"),
        (vec!["learn", "gap.csv", "--labels", "two.csv"], "'u2' in column 'height' has no value"),
        (vec!["learn", "other.csv", "--labels", "two.csv"], "check that both name"),
        (vec!["learn", "gap.csv", "--labels", "three.csv", "--impute", "mean", "-q"], "3 classes"),
        (
            vec!["learn", "gap.csv", "--labels", "two.csv", "--impute", "mean", "-q", "--penalty", "-1"],
            "the penalty is -1",
        ),
        (
            vec!["learn", "gap.csv", "--labels", "two.csv", "--impute", "mean", "--folds", "9", "-q"],
            "the number of folds is 9",
        ),
    ] {
        let error = folder.error(&arguments);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    let run = folder.run(&[
        "learn",
        "gap.csv",
        "--labels",
        "two.csv",
        "--impute",
        "mean",
        "--penalty",
        "1",
        "--format",
        "json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("1 missing value filled in") && run.err.contains("1 labelled task without features"),
        "{}",
        run.err
    );
    let run = folder.run(&[
        "learn",
        "text.csv",
        "--ignore",
        "split",
        "--labels",
        "two.csv",
        "--penalty",
        "1",
        "--out",
        "m.json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.error(&["predict", "m.json", "e/features.csv"]).contains("no column 'height'"));
}
