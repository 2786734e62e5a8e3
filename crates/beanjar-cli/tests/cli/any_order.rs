//! The same table with its rows in another order gives the same answer, command by command.

use crate::support::Folder;
use serde_json::Value;

/// A table with its rows in another order.
fn shuffled(table: &str) -> String {
    let mut lines = table.lines();
    let header = lines.next().unwrap_or_default();
    let mut rows: Vec<&str> = lines.collect();
    let mut state = 1u64;
    for last in (1..rows.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        rows.swap(last, (state >> 33) as usize % (last + 1));
    }
    format!("{header}\n{}\n", rows.join("\n"))
}

/// Lists of things with a name in the order of the names: a result lists tasks and workers as the file does.
fn by_name(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(by_name);
            // A matrix has the order of the attributes; its numbers are the same.
            if let Some(Value::Array(values)) = fields.get_mut("external").and_then(|matrix| matrix.get_mut("values")) {
                values.sort_by(|a, b| a.as_f64().partial_cmp(&b.as_f64()).expect("numbers"));
            }
        }
        Value::Array(rows) => {
            rows.iter_mut().for_each(by_name);
            let name = |row: &Value| ["task", "object", "worker", "attribute"].map(|key| row[key].to_string());
            if rows.iter().all(|row| row.is_object() && row["step"].is_null()) {
                rows.sort_by_key(name);
            }
        }
        _ => {}
    }
}

/// Where two answers differ by more than rounding.
fn difference(one: &Value, other: &Value, at: &str) -> Option<String> {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            // At which step rounding hides the last gain is no part of the answer.
            let mut rest = a.iter().filter(|(key, _)| *key != "iterations");
            rest.find_map(|(key, value)| difference(value, &b[key], &format!("{at}.{key}")))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(i, (a, b))| difference(a, b, &format!("{at}[{i}]")))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
            // EM ends when its gains are small, and sums of another order may have come as far by another rounding.
            let close = (a - b).abs() <= 1e-6 * a.abs().max(1.0);
            (!close).then(|| format!("{at}: {a} and {b}"))
        }
        _ => (one != other).then(|| format!("{at}: {one} and {other}")),
    }
}

/// The command gives the same answer if all tables among its arguments are shuffled.
fn check(folder: &Folder, arguments: &[&str]) {
    let turned: Vec<String> = arguments
        .iter()
        .map(|word| match word.strip_suffix(".csv").filter(|_| folder.path(word).is_file()) {
            Some(name) => {
                let turned = format!("{name}_turned.csv");
                folder.write(&turned, shuffled(&folder.read(word)));
                turned
            }
            None => (*word).to_owned(),
        })
        .collect();
    let turned: Vec<&str> = turned.iter().map(String::as_str).collect();
    assert_ne!(arguments, turned);
    let (mut one, mut other) = (folder.json(arguments), folder.json(&turned));
    by_name(&mut one);
    by_name(&mut other);
    assert_eq!(difference(&one, &other, ""), None, "{arguments:?}");
}

fn made(arguments: &[&str]) -> Folder {
    let folder = Folder::new();
    let run = folder.run(&[&["simulate"][..], arguments, &["--out", "d"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    folder
}

#[test]
fn labels_aggregated_by_any_method() {
    let folder = made(&["labels", "--tasks", "60", "--workers", "12", "--votes", "4", "--hard", "0.3"]);
    for method in [
        "auto",
        "majority",
        "wawa",
        "one-coin",
        "dawid-skene",
        "pooled",
        "skilled",
        "spectral",
        "mixture",
        "glad",
        "mace",
        "kos",
        "mmsr",
        "zero-based-skill",
    ] {
        check(&folder, &["aggregate", "d/labels.csv", "--method", method]);
    }
    check(&folder, &["aggregate", "d/labels.csv", "--gold", "d/truth.csv"]);
    check(&folder, &["aggregate", "d/labels.csv", "--method", "gold-majority", "--gold", "d/truth.csv"]);
    assert_eq!(folder.run(&["aggregate", "d/labels.csv", "--model", "m.json", "--quiet"]).code, 0);
    check(&folder, &["predict", "m.json", "d/labels.csv"]);
}

#[test]
fn workers_gold_and_a_look_at_labels() {
    let folder = made(&["labels", "--tasks", "60", "--workers", "12", "--votes", "4", "--hard", "0.3"]);
    check(&folder, &["inspect", "d/labels.csv"]);
    check(&folder, &["workers", "d/labels.csv"]);
    check(&folder, &["workers", "d/labels.csv", "--by", "score"]);
    check(&folder, &["workers", "d/labels.csv", "--suspicious"]);
    check(&folder, &["gold", "d/labels.csv", "--n", "10"]);
}

#[test]
fn judgments_selected_planned_fitted_and_predicted_from() {
    let folder = made(&["photos", "--objects", "60", "--judgments", "3"]);
    check(&folder, &["inspect", "d/judgments.csv"]);
    let select = ["select", "d/judgments.csv", "--labels", "d/truth.csv", "--label", "height", "--budget", "8"];
    for method in ["full", "scoring", "best", "averages", "copies", "crowd-mean"] {
        check(&folder, &[&select[..], &["--method", method]].concat());
    }
    assert_eq!(folder.run(&[&select[..], &["--at-most", "2", "--out", "s.json"]].concat()).code, 0);
    check(&folder, &["plan", "d/judgments.csv", "--selection", "s.json"]);
    let fit = ["fit", "d/judgments.csv", "--labels", "d/truth.csv", "--label", "height", "--selection", "s.json"];
    check(&folder, &fit);
    assert_eq!(folder.run(&[&fit[..], &["--out", "m.json"]].concat()).code, 0);
    check(&folder, &["predict", "m.json", "d/judgments.csv"]);
}

#[test]
fn tables_converted() {
    let folder = made(&["labels", "--tasks", "20", "--workers", "5", "--votes", "3"]);
    folder.write("turned.csv", shuffled(&folder.read("d/labels.csv")));
    let rows = |table: &str| {
        assert_eq!(folder.run(&["convert", table, "out.jsonl"]).code, 0);
        let mut rows: Vec<String> = folder.read("out.jsonl").lines().map(str::to_owned).collect();
        rows.sort();
        rows
    };
    assert_eq!(rows("d/labels.csv"), rows("turned.csv"));
}
