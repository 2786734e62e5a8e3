//! Exports of annotation tools and platforms, read without a flag: the same answers as from the long table.

mod argilla;
mod doccano;
mod label_studio;
mod labelbox;
mod mturk;
mod old_spreadsheets;
mod pairs;
mod plain_json;
mod prodigy;
mod spreadsheets;
mod surveys;
mod toloka;

use crate::support::Folder;
use serde_json::Value;

/// Task, worker and label: four tasks, three workers, one of whom differs now and then.
const ANSWERS: [(&str, &str, &str); 12] = [
    ("t1", "ann", "cat"),
    ("t1", "bob", "cat"),
    ("t1", "cy", "dog"),
    ("t2", "ann", "dog"),
    ("t2", "bob", "dog"),
    ("t2", "cy", "dog"),
    ("t3", "ann", "cat"),
    ("t3", "bob", "cat"),
    ("t3", "cy", "cat"),
    ("t4", "ann", "dog"),
    ("t4", "bob", "cat"),
    ("t4", "cy", "dog"),
];

fn tasks() -> impl Iterator<Item = (&'static str, &'static [(&'static str, &'static str, &'static str)])> {
    ANSWERS.chunks(3).map(|answers| (answers[0].0, answers))
}

fn lines(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(|record| format!("{record}\n")).collect()
}

/// The long table in a folder of its own, as `long.csv`.
fn folder() -> Folder {
    let folder = Folder::new();
    let rows: String = ANSWERS.iter().map(|(task, worker, label)| format!("{task},{worker},{label}\n")).collect();
    folder.write("long.csv", format!("task,worker,label\n{rows}"));
    folder
}

/// The export is read as the long table is, and converted to it.
fn same_as_long(folder: &Folder, name: &str, tool: &str) {
    for command in ["inspect", "aggregate"] {
        let expected = folder.json(&[command, "long.csv"]);
        assert_eq!(folder.json(&[command, name]), expected, "{command} {name}");
    }
    let run = folder.run(&["inspect", name]);
    assert!(run.err.starts_with(&format!("read {name}: {tool}")), "{}", run.err);
    let run = folder.run(&["convert", name, "converted.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(folder.read("converted.csv"), folder.read("long.csv"), "{name}");
}
