//! The same tables with their rows in another order, from the shell.

use crate::support::Folder;

/// A table with its rows in another order.
fn shuffled(table: &str) -> String {
    let (header, rows) = table.split_once('\n').unwrap_or_default();
    let rows: Vec<&str> = rows.lines().collect();
    // A step that has no divisor in common with the number of rows visits each once.
    let step = (7..).find(|step| (2..=*step).all(|divisor| step % divisor != 0 || !rows.len().is_multiple_of(divisor)));
    let order = (0..rows.len()).map(|at| rows[(3 + at * step.unwrap_or(1)) % rows.len()]);
    [header].into_iter().chain(order).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn the_same_model_is_learned_from_features_and_labels_in_any_order() {
    for (units, features) in [("80", "8"), ("30", "90")] {
        let folder = Folder::new();
        let simulate = ["simulate", "embeddings", "--units", units, "--features", features, "--classes", "3"];
        let made = folder.run(&[&simulate[..], &["--unlabelled", "9", "--workers", "8", "--out", "e"]].concat());
        assert_eq!(made.code, 0, "{}", made.err);
        folder.write("features.csv", shuffled(&folder.read("e/features.csv")));
        folder.write("labels.csv", shuffled(&folder.read("e/labels.csv")));
        assert_ne!(folder.read("features.csv"), folder.read("e/features.csv"));
        for more in [
            &["--folds", "3", "--restarts", "2", "--penalty", "3"][..],
            &["--folds", "3", "--restarts", "1", "--penalty-kind", "l2", "--experts", "rows"],
            &["--model", "aggregate", "--holdout", "0.3", "--penalty", "3"],
            &["--model", "majority", "--penalty-kind", "l2"],
        ] {
            let learn =
                |table: &str, labels: &str| folder.json(&[&["learn", table, "--labels", labels], more].concat());
            let one = learn("e/features.csv", "e/labels.csv");
            assert_eq!(one, learn("features.csv", "e/labels.csv"), "{units} {more:?}");
            assert_eq!(one, learn("features.csv", "labels.csv"), "{units} {more:?}");
        }
    }
}

#[test]
fn predictions_and_labels_in_any_order_have_the_same_scores() {
    let folder = Folder::new();
    let made =
        folder.run(&["simulate", "embeddings", "--units", "150", "--features", "8", "--classes", "3", "--out", "e"]);
    assert_eq!(made.code, 0, "{}", made.err);
    for (name, penalty) in [("a", "2"), ("b", "60")] {
        let model = format!("{name}.json");
        let learn =
            ["learn", "e/features.csv", "--labels", "e/labels.csv", "--model", "majority", "--penalty", penalty];
        assert_eq!(folder.run(&[&learn[..], &["--out", &model]].concat()).code, 0);
        let table = format!("{name}.csv");
        assert_eq!(folder.run(&["predict", &model, "e/features.csv", "--out", &table]).code, 0);
        folder.write(&format!("shuffled_{table}"), shuffled(&folder.read(&table)));
    }
    folder.write("labels.csv", shuffled(&folder.read("e/labels.csv")));
    folder.write("gold.csv", folder.read("e/truth.csv").lines().take(40).collect::<Vec<_>>().join("\n") + "\n");
    folder.write("shuffled.csv", shuffled(&folder.read("gold.csv")));
    let score = |first: &str, second: &str, labels: &str, gold: &str| {
        folder.json(&["score", first, second, "--labels", labels, "--gold", gold])
    };
    let one = score("a.csv", "b.csv", "e/labels.csv", "gold.csv");
    let other = score("shuffled_a.csv", "shuffled_b.csv", "labels.csv", "shuffled.csv");
    let (one, other) = (one["models"].as_array().unwrap(), other["models"].as_array().unwrap());
    assert_eq!(one.len(), 2);
    for (one, other) in one.iter().zip(other) {
        assert!(other["name"].as_str().unwrap().ends_with(one["name"].as_str().unwrap()));
        assert!(one["gold"]["units"] == 39 && one["surrogate"].is_number());
        same_but_for_rounding(one, other);
    }
}

/// Sums in another order differ by rounding.
fn same_but_for_rounding(one: &serde_json::Value, other: &serde_json::Value) {
    for (key, value) in one.as_object().into_iter().flatten().filter(|(key, _)| *key != "name") {
        match value.as_f64() {
            Some(value) => {
                assert!(other[key].as_f64().is_some_and(|other| (other - value).abs() < 1e-12), "{key}: {one} {other}");
            }
            None if value.is_object() => same_but_for_rounding(value, &other[key]),
            None => assert_eq!(value, &other[key], "{key}"),
        }
    }
}

#[test]
fn votes_and_the_next_questions_are_the_same_for_labels_in_any_order() {
    let folder = Folder::new();
    let simulate = ["simulate", "labels", "--tasks", "60", "--workers", "9", "--votes", "5", "--classes", "3"];
    let made = folder.run(&[&simulate[..], &["--out", "d"]].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    folder.write("labels.csv", shuffled(&folder.read("d/labels.csv")));
    let numbers = |rows: &serde_json::Value, key: &str| -> Vec<f64> {
        rows.as_array().unwrap().iter().filter_map(|row| row[key].as_f64()).collect()
    };
    let curve = |table: &str| {
        let found = folder.json(&["votes", table, "--most", "6"]);
        ["accuracy", "agreement", "ece"].map(|key| numbers(&found["curve"], key))
    };
    let (one, other) = (curve("d/labels.csv"), curve("labels.csv"));
    assert!(one[0].len() == 6, "{one:?}");
    let pairs = one.iter().flatten().zip(other.iter().flatten());
    assert!(pairs.clone().all(|(x, y)| (x - y).abs() < 1e-6), "{one:?} {other:?}");
    let next = |table: &str| {
        let found = folder.json(&["next", table, "--votes", "25"]);
        let mut asked: Vec<String> =
            found["ask"].as_array().unwrap().iter().map(|row| row["task"].to_string()).collect();
        asked.sort();
        asked
    };
    assert_eq!(next("d/labels.csv").len(), 25);
    assert_eq!(next("d/labels.csv"), next("labels.csv"));
}
