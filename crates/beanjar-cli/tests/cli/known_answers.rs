//! Known answers: which to get, and what they change.

use crate::aggregating::crowd;
use crate::support::Folder;

#[test]
fn known_labels_are_fixed_and_tell_how_good_the_rest_is() {
    let folder = Folder::new();
    crowd(&folder, &["--tasks", "100", "--workers", "8", "--accuracy", "0.6"]);
    let truth = folder.read("crowd/truth.csv");
    let some: String = truth.lines().take(51).map(|line| line.to_owned() + "\n").collect();
    folder.write("gold.csv", &some);
    let found = folder.json(&["aggregate", "crowd/labels.csv", "--gold", "gold.csv"]);
    for line in some.lines().skip(1) {
        let (task, label) = line.split_once(',').unwrap();
        let found = found["tasks"].as_array().unwrap().iter().find(|found| found["task"] == task).unwrap();
        assert_eq!((&found["label"], found["confidence"].as_f64()), (&label.into(), Some(1.0)));
    }
    assert_eq!(found["gold"]["tasks"], 50);
    assert!(found["gold"]["accuracy"].as_f64().unwrap() < 1.0, "judged without the known labels");
    folder.write("odd.csv", "task,label\nt1,never\n");
    folder.write("labels.csv", "task,worker,label\nt1,a,x\nt1,b,y\n");
    let run = folder.run(&["aggregate", "labels.csv", "--gold", "odd.csv"]);
    assert!(run.code == 0 && run.err.contains("a label that no worker gave, such as 'never'"), "{}", run.err);
}

#[test]
fn suggested_tasks_are_written_as_a_table_to_fill_in() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["simulate", "labels", "--tasks", "120", "--out", "crowd"]).code, 0);
    let run = folder.run(&["gold", "crowd/labels.csv", "--n", "12", "--out", "check.csv"]);
    let read = "read crowd/labels.csv: task=task, worker=worker, label=label\n";
    assert_eq!((run.code, run.err.as_str()), (0, read));
    let table = folder.read("check.csv");
    assert!(table.starts_with("task,label,kind,label_so_far,confidence\n"), "{table}");
    assert_eq!(table.lines().count(), 13);
    // Empty as it is, it is refused with a sentence; filled in, it is read.
    assert!(folder.error(&["aggregate", "crowd/labels.csv", "--gold", "check.csv"]).contains("check.csv"));
    let truth = folder.read("crowd/truth.csv");
    let answer = |task: &str| truth.lines().find_map(|line| line.strip_prefix(task)?.strip_prefix(',')).unwrap();
    let filled: String = (table.lines().enumerate())
        .map(|(at, line)| match at {
            0 => format!("{line}\n"),
            _ => {
                let task = line.split(',').next().unwrap();
                format!("{}\n", line.replacen(",,", &format!(",{},", answer(task)), 1))
            }
        })
        .collect();
    folder.write("filled.csv", filled);
    let found = folder.json(&["aggregate", "crowd/labels.csv", "--gold", "filled.csv"]);
    assert_eq!(found["chosen"]["known"]["answers"], 12);
    let others = folder.json(&["gold", "crowd/labels.csv", "--n", "200", "--gold", "filled.csv"]);
    assert_eq!((&others["candidates"], others["tasks"].as_array().unwrap().len()), (&108.into(), 108));
    assert!(folder.error(&["gold", "crowd/labels.csv", "--n", "0"]).contains("--n"));
}
