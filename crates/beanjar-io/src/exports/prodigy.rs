//! Prodigy: JSON lines of its database, with hashes of input and task and the answer.

use super::answers::{Answer, answer, field, left_out, long, own_id};
use super::{Held, Record};
use std::collections::HashSet;

const TOOL: &str = "Prodigy";

pub(super) fn is_export(record: &Record) -> bool {
    record.contains_key("answer") && (record.contains_key("_task_hash") || record.contains_key("_input_hash"))
}

pub(super) fn read<'a>(records: &'a [Record]) -> Result<Held, String> {
    // With options, the accepted ones are the answer; else there is one label to accept or reject.
    let options = records.iter().any(|record| record.contains_key("options") || record.contains_key("accept"));
    let offered: HashSet<String> = records.iter().filter_map(|record| field(record, "label")).collect();
    let of_input = options || offered.len() > 1;
    let own = task_key(records);
    let mut answers = Vec::new();
    let (mut ignored, mut rejected, mut none, mut spans) = (0, 0, 0, 0);
    let mut keys = ["_task_hash", "_annotator_id"];
    for (row, record) in records.iter().enumerate() {
        let given = field(record, "answer").unwrap_or_default();
        let value = match given.as_str() {
            "accept" | "reject" if has_marks(record) => {
                spans += 1;
                continue;
            }
            "accept" if options && record.get("accept").and_then(answer).is_none() => {
                none += 1;
                continue;
            }
            "accept" if options => record.get("accept").and_then(answer),
            "reject" if options => {
                rejected += 1;
                continue;
            }
            "accept" | "reject" => Some((given.clone(), false)),
            _ => None,
        };
        let Some((value, _)) = value else {
            ignored += 1;
            continue;
        };
        let hash = if of_input { "_input_hash" } else { "_task_hash" };
        let found = |keys: &[&'a str]| keys.iter().find_map(|&key| Some((key, field(record, key)?)));
        let task = own.and_then(|key| found(&[key])).or_else(|| found(&[hash, "_input_hash"]));
        let (task_key, task) = task.ok_or_else(|| format!("record {} has no hash", row + 1))?;
        let worker = found(&["_annotator_id", "_session_id"]);
        let (worker_key, worker) =
            worker.ok_or_else(|| format!("record {} has no _annotator_id, and so nobody to trust", row + 1))?;
        keys = [task_key, worker_key];
        let question = if options { "choice".to_owned() } else { field(record, "label").unwrap_or_default() };
        answers.push(Answer { task, worker, question, value, is_number: false });
    }
    let mut notes: Vec<String> = left_out(ignored, "ignored answer", "skipped").into_iter().collect();
    notes.extend(left_out(rejected, "rejected task", "skipped"));
    notes.extend(left_out(none, "answer", "without a choice left out"));
    notes.extend(left_out(spans, "answer", "left out: spans, regions or relations"));
    long(TOOL, keys, answers, notes)
}

/// Whether the answer is what was marked in the input, by hand; there, to accept is no more than to have done it.
fn has_marks(record: &Record) -> bool {
    if record.contains_key("options") || record.contains_key("accept") || record.contains_key("label") {
        return false;
    }
    match field(record, "_view_id") {
        Some(view) => view.ends_with("_manual") || view == "relations",
        None => ["spans", "relations"].into_iter().any(|key| record.contains_key(key)),
    }
}

/// The user's own id of an input, if there is one in all records and each stands for one input.
fn task_key(records: &[Record]) -> Option<&str> {
    let mut inputs = HashSet::new();
    let firsts: Vec<&Record> = records.iter().filter(|record| inputs.insert(field(record, "_input_hash"))).collect();
    own_id(&firsts).filter(|key| records.iter().all(|record| field(record, key).is_some()))
}
