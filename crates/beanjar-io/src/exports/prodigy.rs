//! Prodigy: JSON lines of its database, with hashes of input and task and the answer.

use super::answers::{Answer, answer, field, left_out, long, own_id};
use super::{Held, Record};
use std::collections::HashSet;

const TOOL: &str = "Prodigy";

pub(super) fn is_export(record: &Record) -> bool {
    record.contains_key("answer") && (record.contains_key("_task_hash") || record.contains_key("_input_hash"))
}

pub(super) fn read(records: &[Record]) -> Result<Held, String> {
    // With options, the accepted ones are the answer; else there is one label to accept or reject.
    let options = records.iter().any(|record| record.contains_key("options") || record.contains_key("accept"));
    let offered: HashSet<String> = records.iter().filter_map(|record| field(record, "label")).collect();
    let of_input = options || offered.len() > 1;
    let own = task_key(records);
    let mut answers = Vec::new();
    let (mut ignored, mut rejected) = (0, 0);
    for (row, record) in records.iter().enumerate() {
        let given = field(record, "answer").unwrap_or_default();
        let value = match given.as_str() {
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
        let task = own.and_then(|key| field(record, key)).or_else(|| field(record, hash));
        let task =
            task.or_else(|| field(record, "_input_hash")).ok_or_else(|| format!("record {} has no hash", row + 1))?;
        let worker = field(record, "_annotator_id").or_else(|| field(record, "_session_id"));
        let worker =
            worker.ok_or_else(|| format!("record {} has no _annotator_id, and so nobody to trust", row + 1))?;
        let question = if options { "choice".to_owned() } else { field(record, "label").unwrap_or_default() };
        answers.push(Answer { task, worker, question, value, is_number: false });
    }
    let mut notes: Vec<String> = left_out(ignored, "ignored answer", "skipped").into_iter().collect();
    notes.extend(left_out(rejected, "rejected task", "skipped"));
    long(TOOL, answers, notes)
}

/// The user's own id of an input, if there is one in all records and each stands for one input.
fn task_key(records: &[Record]) -> Option<&str> {
    let mut inputs = HashSet::new();
    let firsts: Vec<&Record> = records.iter().filter(|record| inputs.insert(field(record, "_input_hash"))).collect();
    own_id(&firsts).filter(|key| records.iter().all(|record| field(record, key).is_some()))
}
