//! Toloka's assignments.

use super::{ANSWERS, folder, same_as_long};

#[test]
fn toloka() {
    let folder = folder();
    let header = "INPUT:image\tOUTPUT:result\tGOLDEN:result\tHINT:text\tASSIGNMENT:task_id\tASSIGNMENT:assignment_id\tASSIGNMENT:worker_id\tASSIGNMENT:status\tASSIGNMENT:started";
    let rows: String = ANSWERS
        .iter()
        .map(|(task, worker, label)| {
            format!("https://example.org/{task}\t{label}\t\t\t{task}\ta1\t{worker}\tAPPROVED\t2024\n")
        })
        .collect();
    let skipped = "https://example.org/t1\t\t\t\tt1\ta9\tdora\tSKIPPED\t2024\n";
    folder.write("assignments.tsv", format!("{header}\n{rows}{skipped}"));
    same_as_long(&folder, "assignments.tsv", "export of Toloka");
}
