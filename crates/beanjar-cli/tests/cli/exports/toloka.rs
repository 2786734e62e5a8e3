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

#[test]
fn assignments_that_were_not_finished_are_no_answers() {
    let folder = folder();
    let header = "INPUT:image\tOUTPUT:result\tASSIGNMENT:task_id\tASSIGNMENT:worker_id\tASSIGNMENT:status";
    let rows: String = ANSWERS
        .iter()
        .map(|(task, worker, label)| format!("{task}.png\t{label}\t{task}\t{worker}\tACCEPTED\n"))
        .collect();
    // What was filled in before the assignment was given back, ran out, or was refused.
    let others: String = ["SKIPPED", "EXPIRED", "ACTIVE", "REJECTED"]
        .map(|status| format!("t1.png\tdog\tt1\t{status}\t{status}\n"))
        .concat();
    folder.write("assignments.tsv", format!("{header}\n{rows}{others}"));
    let line = "export of Toloka; ASSIGNMENT:task_id=task, ASSIGNMENT:worker_id=worker; question: result; 1 rejected assignment left out; 3 assignments left out: skipped, expired or not finished";
    same_as_long(&folder, "assignments.tsv", line);
}

#[test]
fn the_task_is_the_input_that_tells_tasks_apart() {
    let folder = folder();
    let header =
        "INPUT:question\tINPUT:kind\tINPUT:image\tOUTPUT:result\tOUTPUT:box\tASSIGNMENT:worker_id\tASSIGNMENT:status";
    let rows: String = ANSWERS
        .iter()
        .map(|(task, worker, label)| {
            let kind = if *task == "t1" { "pet" } else { "other" };
            format!("Is it one?\t{kind}\t{task}\t{label}\t[{{\"\"x\"\":1,\"\"y\"\":2}}]\t{worker}\tAPPROVED\n")
                .replace("\"\"", "\"")
        })
        .collect();
    folder.write("assignments.tsv", format!("{header}\n{rows}"));
    let line = "export of Toloka; INPUT:image=task, ASSIGNMENT:worker_id=worker; question: result; 12 outputs left out";
    same_as_long(&folder, "assignments.tsv", line);
    // If none does, it is all that vary.
    let rows: String = ANSWERS
        .iter()
        .map(|(task, worker, label)| {
            let (kind, image) = if *task == "t1" || *task == "t2" { ("pet", task) } else { ("other", task) };
            let image = if *image == "t3" { "t1" } else { image };
            format!("Is it one?\t{kind}\t{image}\t{label}\t\t{worker}\tAPPROVED\n")
        })
        .collect();
    folder.write("joined.tsv", format!("{header}\n{rows}"));
    assert_eq!(folder.json(&["inspect", "joined.tsv"])["tasks"], 4);
    assert!(folder.run(&["inspect", "joined.tsv"]).err.contains("'INPUT:kind + INPUT:image'=task"));
}
