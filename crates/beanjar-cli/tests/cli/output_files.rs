//! Where results go: files by their names, shells, terminals that cannot be written to.

use crate::support::Folder;

const LABELS: &str = "task,worker,label\n1,a,x\n1,b,x\n1,c,y\n2,a,y\n2,b,y\n2,c,y\n";

#[test]
fn the_name_of_an_output_shows_its_format() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    folder.run(&["aggregate", "labels.csv", "--method", "majority", "--out", "truth.csv"]);
    let expected = folder.read("truth.csv");
    assert!(expected.starts_with("task,label,confidence\n1,x,0.66"), "{expected}");
    for name in ["t.tsv", "t.jsonl", "t.parquet", "t.arrow", "t.xlsx", "t.csv.gz", "t.jsonl.zst"] {
        let run = folder.run(&["aggregate", "labels.csv", "--method", "majority", "-o", name]);
        assert_eq!(run.code, 0, "{name}: {}", run.err);
        folder.run(&["convert", name, "back.csv"]);
        assert_eq!(folder.read("back.csv"), expected, "{name}");
        // And it is a table of known answers.
        assert_eq!(folder.json(&["aggregate", "labels.csv", "--truth", name])["truth"]["tasks"], 2, "{name}");
    }
    folder.run(&["aggregate", "labels.csv", "--method", "majority", "--out", "t.md"]);
    assert!(folder.read("t.md").starts_with("| task | label | confidence |\n|---|---|---|\n| 1 | x | 0.66"));
    folder.run(&["aggregate", "labels.csv", "--out", "t.txt"]);
    assert!(folder.read("t.txt").contains("confidence: the probability"));
    folder.run(&["aggregate", "labels.csv", "--out", "t.json"]);
    assert!(folder.read("t.json").starts_with("{"));
    let before = folder.names();
    for name in ["t.docx", "t", "t.parquet.gz", "t.json.gz", "csv"] {
        let error = folder.error(&["aggregate", "labels.csv", "--out", name]);
        assert!(error.contains(&format!("{name}: results are written as .json")), "{error}");
    }
    let error = folder.error(&["gold", "labels.csv", "--n", "1", "--out", "t.html"]);
    assert!(error.contains("t.html: this command has no report to write as .html; results are written as"), "{error}");
    let error = folder.error(&["aggregate", "labels.csv", "--probabilities", "--out", "t.html"]);
    assert!(error.contains("--probabilities is for tables"), "{error}");
    assert_eq!(folder.names(), before, "an ending that is not known leaves no file");
    assert_eq!(
        folder.run(&["inspect", "labels.csv", "--out", "t.docx", "--format", "json"]).code,
        0,
        "unless the user says"
    );
}

#[test]
fn a_page_as_output_is_the_report() {
    let folder = Folder::new();
    folder.run(&["simulate", "labels", "--tasks", "40", "--out", "c"]);
    for command in ["inspect", "aggregate", "workers", "votes"] {
        let run = folder.run(&[command, "c/labels.csv", "--report", "report.html", "-q", "--format", "csv"]);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
        for name in ["page.html", "PAGE.HTM"] {
            let run = folder.run(&[command, "c/labels.csv", "-o", name]);
            assert_eq!((run.code, run.out.as_str()), (0, ""), "{command}: {}", run.err);
            assert!(run.err.contains(&format!("wrote {name}: open it in a browser")), "{command}: {}", run.err);
            assert_eq!(folder.read(name), folder.read("report.html"), "{command}");
        }
    }
    // Two names are two pages, and a format is what it says.
    folder.run(&["inspect", "c/labels.csv", "--report", "one.html", "--out", "two.html"]);
    assert_eq!(folder.read("one.html"), folder.read("two.html"));
    folder.run(&["inspect", "c/labels.csv", "--format", "json", "--out", "json.html"]);
    assert!(folder.read("json.html").starts_with('{'));
}

#[test]
fn a_model_is_json_and_nothing_else() {
    let folder = Folder::new();
    folder.run(&["simulate", "photos", "--objects", "60", "--out", "p"]);
    let common = ["fit", "p/judgments.csv", "--labels", "p/truth.csv", "--label", "height", "--selection", "s.csv"];
    folder.write("s.csv", "attribute,judgments\nmale,2\n");
    let run = folder.run(&[&common[..], &["--predictor", "moments", "--out", "m.json"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.error(&[&common[..], &["--out", "m.csv"]].concat()).contains("a model is written as .json"));
    assert!(folder.error(&[&common[..], &["--format", "csv"]].concat()).contains("a model is JSON"));
}

#[test]
fn one_file_is_one_file_whatever_it_is_called() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    let error = folder.error(&["aggregate", "labels.csv", "--model", "m.json", "--out", "./m.json"]);
    assert!(error.contains("name the same file"), "{error}");
}

#[test]
fn shells_get_completions_and_readers_a_manual() {
    let folder = Folder::new();
    for (shell, word) in [("bash", "complete"), ("zsh", "#compdef"), ("fish", "complete"), ("powershell", "Register")] {
        let run = folder.run(&["completions", shell]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains(word) && run.out.contains("aggregate"), "{shell}");
    }
    assert!(folder.run(&["man"]).out.contains(".TH beanjar"));
    let page = folder.run(&["man", "aggregate"]).out;
    assert!(page.contains(".TH beanjar-aggregate") && page.contains("dawid"), "{page}");
    assert!(folder.error(&["man", "nothing"]).contains("no command 'nothing'; there are inspect"));
}

#[test]
fn predictions_of_every_model_are_compared_with_the_truth() {
    let folder = Folder::new();
    folder.run(&["simulate", "experts", "--units", "200", "--out", "e"]);
    let learn =
        ["learn", "e/features.csv", "--labels", "e/labels.csv", "--penalty", "2", "--restarts", "2", "--out", "m.json"];
    let run = folder.run(&learn);
    assert_eq!(run.code, 0, "{}", run.err);
    let found = folder.json(&["predict", "m.json", "e/features.csv", "--truth", "e/truth.csv"]);
    let rate = found["error_rate"].as_f64().expect("an error rate");
    assert_eq!(found["compared"], 200);
    let truth = folder.read("e/truth.csv");
    let classes: Vec<(&str, &str)> = truth
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut cells = line.split(',');
            Some((cells.next()?, cells.next()?))
        })
        .collect();
    let label = |object: &str| classes.iter().find(|(id, _)| *id == object).map(|(_, class)| *class);
    let predictions = found["predictions"].as_array().expect("predictions");
    let wrong =
        predictions.iter().filter(|row| label(row["object"].as_str().unwrap_or("")) != row["label"].as_str()).count();
    assert_eq!(rate, wrong as f64 / 200.0);
}

#[test]
#[cfg(target_os = "linux")]
fn warnings_may_be_lost_but_results_are_not() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.write("f.csv", "object,attribute,worker,value\n1,a,w,2\n1,a,w,3\n2,a,w,1\n");
    let full = std::fs::File::create("/dev/full").expect("/dev/full");
    let output = Command::new(env!("CARGO_BIN_EXE_beanjar"))
        .args(["inspect", "f.csv", "--format", "json"])
        .current_dir(folder.path("."))
        .stderr(Stdio::from(full))
        .output()
        .expect("the binary");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"judgments\": 3"));
}

#[test]
fn a_misspelt_worker_is_answered_with_the_nearest() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS.replace(",a,", ",annabel,").replace(",b,", ",bob,"));
    folder.write("workers.csv", "worker\nbob\nanabel\n");
    let err = folder.run(&["aggregate", "labels.csv", "--workers", "workers.csv"]).err;
    assert!(err.contains("1 worker to be used gave no label, such as 'anabel' (did you mean 'annabel'?)"), "{err}");
}

#[test]
fn a_damaged_file_is_one_sentence_whichever_byte_is_wrong() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    for name in ["f.parquet", "f.arrow", "f.xlsx"] {
        folder.run(&["convert", "labels.csv", name]);
        let bytes = std::fs::read(folder.path(name)).expect("the file");
        // A hundred bytes, spread over the file.
        for at in (0..bytes.len()).step_by(bytes.len().div_ceil(100)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x15;
            folder.write(name, &damaged);
            let run = folder.run(&["inspect", name, "--quiet", "--format", "json"]);
            assert!([0, 2].contains(&run.code), "{name}, byte {at}: exit {}: {}", run.code, run.err);
            assert!(
                run.code == 0 || run.err.starts_with("error: ") && run.err.lines().count() == 1,
                "{name}, byte {at}: {}",
                run.err
            );
        }
    }
}
