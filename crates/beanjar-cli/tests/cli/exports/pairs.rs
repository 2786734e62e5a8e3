//! Verdicts on pairs.

use super::lines;
use crate::support::Folder;
use serde_json::json;

#[test]
fn verdicts_on_pairs_are_turned_to_one_frame() {
    let folder = Folder::new();
    // Judge 'fair' prefers x whatever the order; judge 'first' always takes what stands first.
    let mut records = Vec::new();
    for item in 1..=6 {
        for swapped in [false, true] {
            let (a, b) = if swapped { ("y", "x") } else { ("x", "y") };
            let fair = if swapped { "B" } else { "A" };
            records
                .push(json!({"item": item, "judge": "fair", "model_a": a, "model_b": b, "verdict": fair, "cost": 0.1}));
            records
                .push(json!({"item": item, "judge": "first", "model_a": a, "model_b": b, "verdict": "A", "cost": 0.1}));
        }
    }
    folder.write("pairs.jsonl", lines(records));
    let found = folder.json(&["inspect", "pairs.jsonl"]);
    assert_eq!(found["classes"], json!(["x", "y"]));
    assert_eq!(found["tasks"], 6);
    let expected = json!([
        {"judge": "fair", "verdicts": 12, "first": 0.5, "both_orders": 6, "changed": 0},
        {"judge": "first", "verdicts": 12, "first": 1.0, "both_orders": 6, "changed": 6},
    ]);
    assert_eq!(found["positions"], expected);
    let err = folder.run(&["aggregate", "pairs.jsonl"]).err;
    assert!(
        err.contains("first chose the first of two 100% of 12 times and changed with the order 6 of 6 times"),
        "{err}"
    );
    // The verdict may be the name of what was chosen.
    let named =
        |item: u32, a: &str, b: &str| json!({"item": item, "judge": "x", "model_a": a, "model_b": b, "winner": "x"});
    folder.write("named.jsonl", lines((1..=4).flat_map(|item| [named(item, "x", "y"), named(item, "y", "x")])));
    let found = folder.json(&["inspect", "named.jsonl"]);
    assert_eq!((&found["positions"][0]["first"], &found["positions"][0]["changed"]), (&json!(0.5), &json!(0)));
    // The order may stand in a column of its own.
    let swapped = |item: u32, swapped: bool| json!({"item": item, "model": "fair", "swapped": swapped, "verdict": if swapped { "B" } else { "A" }});
    folder.write("swapped.jsonl", lines((1..=4).flat_map(|item| [swapped(item, false), swapped(item, true)])));
    let found = folder.json(&["inspect", "swapped.jsonl"]);
    assert_eq!((&found["classes"], &found["positions"][0]["changed"]), (&json!(["A"]), &json!(0)));
    let table = folder.run(&["inspect", "pairs.jsonl", "--format", "table"]).out;
    assert!(table.contains("judge  verdicts"), "{table}");
    // A log of one model's verdicts on single items is a table like any other.
    folder.write(
        "log.jsonl",
        lines((1..=4).map(|item| json!({"item": item, "model": "m", "verdict": "yes", "cost": 1, "order": item}))),
    );
    assert_eq!(folder.json(&["inspect", "log.jsonl"])["classes"], json!(["yes"]));
}
