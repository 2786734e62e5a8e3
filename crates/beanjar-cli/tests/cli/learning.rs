//! Classifiers from features and noisy experts, from the shell.

use crate::support::Folder;

pub fn experts(folder: &Folder) {
    let made =
        folder.run(&["simulate", "experts", "--units", "300", "--noise-features", "4", "--case", "ii", "--out", "e"]);
    assert_eq!(made.code, 0, "{}", made.err);
}

pub const LEARN: [&str; 4] = ["learn", "e/features.csv", "--labels", "e/labels.csv"];

#[test]
fn a_model_is_learned_and_predicts_with_and_without_labels() {
    let folder = Folder::new();
    experts(&folder);
    let learned = folder.run(&[&LEARN[..], &["--penalty", "4", "--restarts", "3", "--out", "model.json"]].concat());
    assert_eq!(learned.code, 0, "{}", learned.err);
    assert!(learned.err.contains("P(1): ") && learned.err.contains("3 experts: right"), "{}", learned.err);
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
    let of_kind = |kind: &str| path.iter().filter(|point| point["penalty_kind"] == kind).count();
    // The path of L2 ends where S rises.
    assert!(of_kind("l1") == 50 && (2..=50).contains(&of_kind("l2")) && path.len() == 50 + of_kind("l2"));
    let least = path.iter().map(|point| point["surrogate"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    let keys = ["penalty", "penalty_kind"];
    let chosen = path.iter().find(|point| keys.iter().all(|key| point[key] == found[key])).unwrap();
    assert_eq!(chosen["surrogate"].as_f64().unwrap(), least);
}

#[test]
fn embeddings_of_many_classes_are_learned_from_with_every_kind_of_penalty() {
    let folder = Folder::new();
    let made = folder.run(
        &[
            &["simulate", "embeddings", "--units", "120", "--unlabelled", "30", "--features", "30"][..],
            &[
                "--classes",
                "3",
                "--workers",
                "12",
                "--votes",
                "2-3",
                "--separation",
                "6",
                "--accuracy",
                "0.85",
                "--out",
                "m",
            ],
        ]
        .concat(),
    );
    assert_eq!(made.code, 0, "{}", made.err);
    let learn = ["learn", "m/features.csv", "--labels", "m/labels.csv", "--restarts", "1", "--folds", "2", "-q"];
    let mut least = f64::INFINITY;
    for kind in ["l1", "l2", "elastic", "auto"] {
        let found = folder.json(&[&learn[..], &["--penalty-kind", kind]].concat());
        let (s, used) = (found["surrogate"].as_f64().unwrap(), found["penalty_kind"].as_str().unwrap());
        assert!(used == kind || (kind == "auto" && s == least), "{kind} {used} {s} {least}");
        assert!(found["iterations"].as_u64().unwrap() > 0 && found["converged"] == true);
        // Three classes: by chance two labels of three would differ.
        assert!(s < 0.5, "{kind}: {s}");
        least = if kind == "elastic" { least } else { least.min(s) };
        let zero = |row: &&serde_json::Value| row["truth"].as_object().unwrap().values().all(|b| b == 0.0);
        let zeros = found["features"].as_array().unwrap().iter().filter(zero).count();
        assert!(used != "l2" || zeros == 0, "{kind}: {zeros}");
    }
    let threads = |count: &str| folder.json(&[&learn[..], &["--penalty-kind", "l2", "--threads", count]].concat());
    assert_eq!(threads("1"), threads("3"), "threads change nothing");
    // Sizes of two kinds mean two things: one that is given is of L1.
    let given = |kind: &str| folder.json(&[&learn[..], &["--penalty-kind", kind, "--penalty", "3"]].concat());
    assert_eq!(given("auto"), given("l1"));
}

#[test]
fn predictions_say_how_sure_they_are_and_what_they_learned_from() {
    let folder = Folder::new();
    experts(&folder);
    let made = folder
        .run(&[&LEARN[..], &["--folds", "2", "--penalty", "4", "--restarts", "1", "--out", "model.json"]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    // The probability is that of the label.
    let found = folder.json(&["predict", "model.json", "e/features.csv", "--truth", "e/truth.csv"]);
    for row in found["predictions"].as_array().unwrap() {
        assert_eq!(row["probability"], row["probabilities"][row["label"].as_str().unwrap()]);
        assert!(row["probability"].as_f64().unwrap() >= 0.5 && row["learned_from"] == true);
    }
    let (truth, lines) = (&found["truth"], folder.read("e/truth.csv"));
    let rows = found["predictions"].as_array().unwrap();
    let right = rows
        .iter()
        .zip(lines.lines().skip(1))
        .filter(|(row, line)| line.ends_with(&format!(",{}", row["label"].as_str().unwrap())));
    assert_eq!(truth["accuracy"].as_f64().unwrap(), right.count() as f64 / 300.0);
    let counts: u64 = truth["confusion"]
        .as_object()
        .unwrap()
        .values()
        .flat_map(|row| row.as_object().unwrap().values())
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!((counts, truth["tasks"].as_u64()), (300, Some(300)));
    // All classes as columns, and whether a unit was learned from.
    let made = folder.run(&["predict", "model.json", "e/features.csv", "--probabilities", "--out", "p.csv"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let csv = folder.read("p.csv");
    assert_eq!(csv.lines().next(), Some("object,label,probability,learned_from,learned_labels,P(0),P(1)"));
    let cells: Vec<&str> = csv.lines().nth(1).unwrap().split(',').collect();
    let sum = cells[5].parse::<f64>().unwrap() + cells[6].parse::<f64>().unwrap();
    assert!((sum - 1.0).abs() < 1e-12 && cells[3] == "true" && (cells[2] == cells[5] || cells[2] == cells[6]));
    assert_eq!(cells[4].len(), 3 * 8, "a number for each of three experts: {csv}");
    assert!(
        folder
            .error(&["predict", "model.json", "e/features.csv", "--probabilities", "--format", "json"])
            .contains("CSV")
    );
    // S on labels that a model learned from is warned of, first.
    let run = folder.run(&["score", "p.csv", "--labels", "e/labels.csv", "--format", "json"]);
    let first = run.err.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default();
    assert!(first.starts_with("warning: p.csv was learned from 900 of the 900 labels"), "{}", run.err);
    // With known answers of some tasks, the risk has an interval.
    let known: String = lines.lines().take(81).map(|line| line.to_owned() + "\n").collect();
    folder.write("gold.csv", &known);
    let found = folder.json(&["score", "p.csv", "--labels", "e/labels.csv", "--gold", "gold.csv", "-q"]);
    let gold = &found["models"][0]["gold"];
    let at = |key: &str| gold[key].as_f64().unwrap();
    assert!(
        gold["units"] == 80 && at("low") < at("risk") && at("risk") < at("high") && at("alone_low") < at("alone_high")
    );
    // A model file of an earlier version.
    let mut model: serde_json::Value = serde_json::from_str(&folder.read("model.json")).unwrap();
    for key in ["temperature", "learned_from", "fold_classifiers"] {
        assert!(model.as_object_mut().unwrap().remove(key).is_some(), "{key}");
    }
    folder.write("old.json", model.to_string());
    let old = folder.json(&["predict", "old.json", "e/features.csv"]);
    assert!(old["predictions"][0].get("learned_from").is_none());
}

#[test]
fn models_are_compared_on_the_same_folds() {
    let folder = Folder::new();
    let made = folder.run(&["simulate", "experts", "--units", "150", "--noise-features", "1", "--out", "e"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let compare = [&LEARN[..], &["--compare", "--folds", "2", "--restarts", "0", "-q"]].concat();
    let found = folder.json(&compare);
    let models = found["models"].as_array().unwrap();
    let mut names: Vec<&str> = models.iter().map(|model| model["name"].as_str().unwrap()).collect();
    assert!(models.windows(2).all(|pair| pair[0]["surrogate"].as_f64() <= pair[1]["surrogate"].as_f64()));
    names.sort_unstable();
    assert_eq!(names, ["aggregate, L1", "aggregate, L2", "experts, L1", "experts, L2", "majority, L1", "majority, L2"]);
    // S is that of the model alone, but for the rounding of a sum over units in another order.
    let alone = folder.json(&[&LEARN[..], &["--model", "majority", "--folds", "2", "-q"]].concat());
    let same = models.iter().find(|model| model["name"] == "majority, L1").unwrap();
    assert!((alone["surrogate"].as_f64().unwrap() - same["surrogate"].as_f64().unwrap()).abs() < 1e-12);
}

#[test]
fn models_are_scored_on_labels_that_were_held_out() {
    let folder = Folder::new();
    experts(&folder);
    let held = [&LEARN[..], &["--penalty", "6", "--restarts", "2", "--holdout", "0.3"]].concat();
    let found = folder.json(&held);
    let (s, error) = (found["surrogate"].as_f64().unwrap(), found["expert_error"].as_f64().unwrap());
    assert!(s > 0.2 && s < 0.6 && found["surrogate_se"].as_f64().unwrap() > 0.0);
    match found["risk"].as_f64() {
        Some(risk) => {
            assert!((s - ((1.0 - 2.0 * error) * risk + error)).abs() < 1e-9);
            let [of_s, of_risk] = ["surrogate_se", "risk_se"].map(|key| found[key].as_f64().unwrap());
            assert!((of_s - (1.0 - 2.0 * error) * of_risk).abs() < 1e-12);
        }
        None => assert!(1.0 - 2.0 * error <= 0.05),
    }
    assert_eq!(found, folder.json(&held), "the same units are held out again");

    // S of a test file is that of 'score' on the predictions of the model.
    let labels = folder.read("e/labels.csv");
    let of_units = |keep: &dyn Fn(usize) -> bool| {
        let mut lines = labels.lines();
        let header = lines.next().unwrap_or_default().to_owned();
        let units = lines.enumerate().filter(|(i, _)| keep(i / 3)).map(|(_, line)| line.to_owned());
        [header].into_iter().chain(units).collect::<Vec<_>>().join("\n") + "\n"
    };
    folder.write("train.csv", of_units(&|unit| unit % 3 != 0));
    folder.write("test.csv", of_units(&|unit| unit % 3 == 0));
    for model in ["experts", "majority", "aggregate"] {
        let learn = ["learn", "e/features.csv", "--labels", "train.csv", "--test", "test.csv", "--penalty", "6"];
        let learned = folder.run(&[&learn[..], &["--model", model, "--out", "m.json"]].concat());
        assert_eq!(learned.code, 0, "{}", learned.err);
        let model: serde_json::Value = serde_json::from_str(&folder.read("m.json")).unwrap();
        assert_eq!(folder.run(&["predict", "m.json", "e/features.csv", "--out", "p.csv"]).code, 0);
        let scored = folder.json(&["score", "p.csv", "--labels", "test.csv"]);
        let (ours, theirs) = (&model["surrogate"], &scored["models"][0]["surrogate"]);
        assert!((ours.as_f64().unwrap() - theirs.as_f64().unwrap()).abs() < 1e-12, "{ours} {theirs}");
    }
    // A test file with units that were learned from, and with a class never seen.
    folder.write("seen.csv", &(of_units(&|unit| unit < 20) + "u1,e9,another\n"));
    let run = folder.run(&[&LEARN[..], &["--penalty", "6", "--restarts", "0", "--test", "seen.csv"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("it learned from") && run.err.contains("1 label to test by of classes"), "{}", run.err);
}

#[test]
fn labels_given_twice_are_one_opinion_to_experts_too() {
    let folder = Folder::new();
    experts(&folder);
    let labels = folder.read("e/labels.csv");
    let (header, rows) = labels.split_once('\n').unwrap();
    // All labels again: as one opinion they count as before, as others' they count twice.
    folder.write("twice.csv", format!("{header}\n{rows}{rows}"));
    let learn = |labels: &str, repeats: &[&str]| {
        let learn = ["learn", "e/features.csv", "--labels", labels, "--penalty", "8", "--restarts", "2"];
        folder.json(&[&learn[..], repeats].concat())
    };
    let (once, average) = (learn("e/labels.csv", &[]), learn("twice.csv", &[]));
    assert_eq!(once["features"], average["features"]);
    assert_eq!(once["features"], learn("twice.csv", &["--repeats", "first"])["features"]);
    let all = learn("twice.csv", &["--repeats", "all"]);
    let log = |of: &serde_json::Value| of["path"][0]["log_likelihood"].as_f64().unwrap();
    assert!(log(&all) < 1.5 * log(&once), "{} {}", log(&all), log(&once));
    // Labels that differ are read by their weights: a third of the units have an expert of two minds.
    let minds: String =
        rows.lines().step_by(9).map(|row| format!("{},{}\n", row.rsplit_once(',').unwrap().0, 0)).collect();
    folder.write("minds.csv", format!("{header}\n{rows}{minds}"));
    let run = folder.run(&["learn", "e/features.csv", "--labels", "minds.csv", "--penalty", "8", "--out", "m.json"]);
    assert!(run.code == 0 && run.err.contains("one opinion"), "{}", run.err);
    assert_eq!(folder.run(&["predict", "m.json", "e/features.csv", "--labels", "minds.csv"]).code, 0);
}

#[test]
fn baselines_are_logistic_regressions() {
    let folder = Folder::new();
    experts(&folder);
    let truth = folder.json(&[&LEARN[..], &["--model", "truth", "--truth", "e/truth.csv", "--penalty", "1"]].concat());
    let majority =
        folder.json(&[&LEARN[..], &["--model", "majority", "--folds", "3", "--penalty-kind", "l1"]].concat());
    assert_eq!(majority["path"].as_array().unwrap().len(), 50);
    assert_eq!(majority["path"][0]["nonzero"], 0);
    assert!(truth["features"].as_array().unwrap().len() == 9 && truth["experts"].as_array().unwrap().is_empty());
    // The first feature has the largest effect on the true class.
    assert!(truth["features"][0]["truth"].as_f64().unwrap() > 0.3);
    let out = folder.run(&[&LEARN[..], &["--model", "majority", "--penalty", "1", "--out", "m.json"]].concat());
    assert_eq!(out.code, 0, "{}", out.err);
    let said = folder.error(&["predict", "m.json", "e/features.csv", "--labels", "e/labels.csv"]);
    assert!(said.contains("no experts"), "{said}");
}

#[test]
fn several_classes_are_learned_and_predicted() {
    let folder = Folder::new();
    let (mut features, mut labels) = (String::from("unit,x,y,noise\n"), String::from("task,worker,label\n"));
    let mut wobble = 1u64;
    let mut chance = || {
        wobble = wobble.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (wobble >> 33) as f64 / (1u64 << 31) as f64
    };
    let names = ["ape, great", "\"bat\"", "cat 🐈"];
    let mut truth = Vec::new();
    for unit in 0..240 {
        let class = (chance() * 3.0) as usize;
        let centre = [(0.0, 0.0), (2.0, 0.0), (0.0, 2.0)][class];
        features += &format!("u{unit},{},{},{}\n", centre.0 + chance(), centre.1 + chance(), chance());
        for worker in 0..3 {
            let said = if chance() < 0.75 { class } else { (chance() * 3.0) as usize };
            labels += &format!("u{unit},w{worker},\"{}\"\n", names[said].replace('"', "\"\""));
        }
        truth.push(names[class]);
    }
    folder.write("f.csv", &features);
    folder.write("l.csv", &labels);
    let run = folder.run(&["learn", "f.csv", "--labels", "l.csv", "--penalty", "3", "--out", "m.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let model: serde_json::Value = serde_json::from_str(&folder.read("m.json")).unwrap();
    assert_eq!(model["features"][0]["truth"].as_object().unwrap().len(), 3);
    let right = |more: &[&str]| {
        let found = folder.json(&[&["predict", "m.json", "f.csv"], more].concat());
        let rows = found["predictions"].as_array().unwrap().clone();
        let sum: f64 =
            rows[0]["probabilities"].as_object().unwrap().values().filter_map(serde_json::Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-12);
        rows.iter().zip(&truth).filter(|(row, truth)| row["label"] == ***truth).count()
    };
    assert!(right(&[]) > 225 && right(&["--labels", "l.csv"]) > 225, "{}", right(&[]));
    let table = folder.run(&["learn", "f.csv", "--labels", "l.csv", "--penalty", "3", "--format", "table"]);
    assert!(table.out.contains("P of 3 classes"), "{}", table.out);
    for format in ["csv", "json"] {
        let path = folder.run(&["learn", "f.csv", "--labels", "l.csv", "--holdout", "0.4", "--format", format]);
        assert_eq!(path.code, 0, "{}", path.err);
    }
}

#[test]
fn experts_may_have_a_matrix_each_and_labels_that_were_learned_from_do_not_count_twice() {
    let folder = Folder::new();
    let simulate = ["simulate", "embeddings", "--units", "150", "--features", "12", "--classes", "4", "--workers", "8"];
    let made = folder.run(&[&simulate[..], &["--votes", "2-3", "--model", "pairs", "--out", "e"]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    let learn = [&LEARN[..], &["--penalty", "20", "--penalty-kind", "l2", "--folds", "3", "--restarts", "0"]].concat();
    let found = folder.json(&[&learn[..], &["--experts", "rows", "-q"]].concat());
    assert_eq!(
        (&found["error_model"], found["model_experts"]["rows"]["behind"].as_array().unwrap().len()),
        (&"rows".into(), 8)
    );
    assert!(found["error_models"]["difference"].as_f64().is_some());
    let skill = folder.json(&[&learn[..], &["--experts", "skill", "-q"]].concat());
    assert!(skill["error_model"] == "skill" && skill.get("error_models").is_none());
    let made = folder.run(&[&learn[..], &["--experts", "rows", "--out", "m.json"]].concat());
    assert!(made.code == 0 && made.err.contains("a confusion matrix each"), "{}", made.err);
    let predicted =
        folder.json(&["predict", "m.json", "e/features.csv", "--labels", "e/labels.csv", "--truth", "e/truth.csv"]);
    assert!(predicted["truth"]["accuracy"].as_f64().unwrap() > 0.7);
    // The same labels under other names of workers were not learned from, and are not known.
    let others = folder.read("e/labels.csv").replace(",w", ",v").replace(",vorker", ",worker");
    folder.write("others.csv", others);
    let run = folder.run(&["predict", "m.json", "e/features.csv", "--labels", "others.csv", "--out", "p.csv"]);
    assert!(run.code == 0 && run.err.contains("expert"), "{}", run.err);
    // Scored on labels of workers whom the model never saw, of the same units, S is honest; not so if they were read.
    let warned =
        |labels: &str| folder.run(&["score", "p.csv", "--labels", labels]).err.contains("labels that it is scored on");
    assert!(warned("e/labels.csv") && warned("others.csv"));
    assert_eq!(folder.run(&["predict", "m.json", "e/features.csv", "--out", "p.csv"]).code, 0);
    assert!(warned("e/labels.csv") && !warned("others.csv"));
    let error = folder.error(&[&learn[..], &["--experts", "rows", "--asymmetric"]].concat());
    assert!(error.contains("leave --asymmetric out"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_long_learn_that_is_stopped_ends_at_once_and_leaves_nothing() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let simulate = ["simulate", "embeddings", "--units", "1500", "--features", "300", "--classes", "8", "--out", "e"];
    assert_eq!(folder.run(&simulate).code, 0);
    folder.write("old.json", "old");
    let before = std::fs::read_dir(folder.path(".")).unwrap().count();
    let mut child = Command::new(env!("CARGO_BIN_EXE_beanjar"))
        .args([&LEARN[..], &["--out", "old.json"]].concat())
        .current_dir(folder.path("."))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Said once all is read: what is left is to learn, which takes more than a second.
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.starts_with("read e/labels.csv")));
    let stopped = Instant::now();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    // At once, with room for a busy machine.
    assert!(stopped.elapsed() < Duration::from_secs(15));
    assert_eq!((std::fs::read_dir(folder.path(".")).unwrap().count(), folder.read("old.json")), (before, "old".into()));
}
