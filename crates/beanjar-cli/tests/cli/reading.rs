//! Files of every shape a user has.

use crate::support::Folder;

const LABELS: &str = "task,worker,label\nt1,ann,cat\nt1,bob,dog\nt2,ann,cat\nt2,bob,cat\n";

#[test]
fn labels_in_every_format_say_the_same() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    let expected = folder.json(&["inspect", "labels.csv"]);
    assert_eq!(expected["tasks"], 2);
    let names = [
        "a.tsv",
        "a.jsonl",
        "a.parquet",
        "a.arrow",
        "a.csv.gz",
        "a.csv.zst",
        "a.tsv.gz",
        "a.jsonl.zst",
        "a.pq",
        "a.feather",
        "a.ndjson.gz",
    ];
    for name in names {
        let run = folder.run(&["convert", "labels.csv", name]);
        assert_eq!(run.code, 0, "{name}: {}", run.err);
        assert_eq!(folder.json(&["inspect", name]), expected, "{name}");
        folder.run(&["convert", name, "back.csv"]);
        assert_eq!(folder.read("back.csv"), LABELS, "{name} and back");
    }
}

#[test]
fn standard_input_is_recognised_by_its_first_bytes() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    let expected = folder.json(&["inspect", "labels.csv"]);
    for name in ["labels.csv", "a.tsv", "a.jsonl", "a.csv.gz", "a.jsonl.zst", "a.parquet", "a.arrow"] {
        folder.run(&["convert", "labels.csv", name]);
        let bytes = std::fs::read(folder.path(name)).unwrap();
        let run = folder.run_with_input(&["inspect", "-", "--format", "json"], &bytes);
        assert_eq!(run.code, 0, "{name}: {}", run.err);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&run.out).unwrap(), expected, "{name}");
        let run = folder.run_with_input(&["convert", "-", "back.csv"], &bytes);
        assert_eq!((run.code, folder.read("back.csv")), (0, LABELS.to_owned()), "{name}: {}", run.err);
    }
}

#[test]
fn the_example_of_each_help_works() {
    let folder = Folder::new();
    folder
        .write("ratings.csv", "photo,rater,attribute,value\n1,ann,tall,3\n1,bob,tall,4\n2,ann,tall,1\n2,bob,tall,1\n");
    let found = folder.json(&["inspect", "ratings.csv", "--columns", "object=photo,worker=rater"]);
    assert_eq!(found["attributes"][0]["attribute"], "tall");
    assert_eq!(found["objects"], 2);
}

#[test]
fn synonyms_semicolons_a_byte_order_mark_and_windows_line_ends_are_understood() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    let expected = folder.json(&["inspect", "labels.csv"]);
    for (name, text) in [
        ("synonyms.csv", LABELS.replace("task,worker,label", "Item ID,Annotator,Answer")),
        ("semicolons.csv", LABELS.replace(',', ";")),
        ("tabs.csv", LABELS.replace(',', "\t")),
        ("mark.csv", format!("\u{feff}{LABELS}")),
        ("windows.csv", LABELS.replace('\n', "\r\n")),
        ("no-last-newline.csv", LABELS.trim_end().to_owned()),
        ("blank-lines.csv", LABELS.replace("\nt2", "\n\n\nt2")),
        ("quoted.csv", LABELS.replace("ann", "\"ann\"")),
        ("more-columns.csv", LABELS.replace("\nt", "\n\"x,\ny\",t").replace("task", "note,task")),
    ] {
        folder.write(name, text);
        assert_eq!(folder.json(&["inspect", name]), expected, "{name}");
    }
}

#[test]
fn strange_ids_survive_every_format() {
    let folder = Folder::new();
    let text = "task,worker,label\n\"a,b\",\"say \"\"hi\"\"\",🫘\n007,\"two\nlines\",🫘\n spaced ,é,1.0\n";
    folder.write("labels.csv", text);
    for name in ["a.tsv", "a.jsonl", "a.parquet", "a.arrow", "a.csv.gz"] {
        folder.run(&["convert", "labels.csv", name]);
        folder.run(&["convert", name, "back.csv"]);
        assert_eq!(folder.read("back.csv"), text, "{name}");
    }
    let found = folder.json(&["inspect", "labels.csv"]);
    let workers: Vec<&str> =
        found["workers"].as_array().unwrap().iter().map(|w| w["worker"].as_str().unwrap()).collect();
    assert_eq!(workers, ["say \"hi\"", "two\nlines", "é"]);
}

#[test]
fn wide_and_long_judgments_are_the_same_judgments() {
    let folder = Folder::new();
    folder.write("wide.csv", "object,worker,tall,male\np1,ann,3,1\np1,bob,4,NA\np2,ann,,0\np2,bob,1.5,1\n");
    folder.write(
        "long.csv",
        "object,attribute,worker,value\np1,tall,ann,3\np1,male,ann,1\np1,tall,bob,4\np2,male,ann,0\np2,tall,bob,1.5\np2,male,bob,1\n",
    );
    let run = folder.run(&["inspect", "wide.csv", "--format", "json"]);
    assert!(run.err.contains("2 cells without a value left out"), "{}", run.err);
    let wide: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(wide, folder.json(&["inspect", "long.csv"]));
    for (from, to, form) in
        [("wide.csv", "l.parquet", "long"), ("long.csv", "w.arrow", "wide"), ("l.parquet", "w.csv", "wide")]
    {
        let run = folder.run(&["convert", from, to, "--form", form]);
        assert_eq!(run.code, 0, "{}", run.err);
        // Rows in another order are added in another order.
        assert_eq!(rounded(folder.json(&["inspect", to])), rounded(wide.clone()), "{from} to {to}");
    }
    assert_eq!(folder.read("w.csv"), "object,worker,tall,male\np1,ann,3,1\np1,bob,4,\np2,bob,1.5,1\np2,ann,,0\n");
}

/// The same with numbers to nine digits.
fn rounded(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Number(number) => Value::from((number.as_f64().unwrap_or(f64::NAN) * 1e9).round() / 1e9),
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, rounded(value))).collect(),
        other => other,
    }
}

#[test]
fn judgments_need_neither_workers_nor_an_attribute_column() {
    let folder = Folder::new();
    folder.write("beans.csv", "jar,guess\n1,300\n1,340\n2,40\n2,60\n");
    let found = folder.json(&["inspect", "beans.csv", "--columns", "object=jar,value=guess"]);
    assert_eq!(found["attributes"][0]["attribute"], "guess");
    assert_eq!(found["attributes"][0]["noise"], 500.0);
    assert_eq!(found["workers"].as_array().unwrap().len(), 0);
}

#[test]
fn the_kind_can_be_forced() {
    let folder = Folder::new();
    folder.write("r.csv", "item,rater,rating\n1,a,3\n1,b,4\n2,a,1\n2,b,1\n");
    assert!(folder.json(&["inspect", "r.csv"])["attributes"].is_array());
    let labels = folder.json(&["inspect", "r.csv", "--kind", "labels", "--scale", "interval"]);
    assert_eq!(labels["classes"], serde_json::json!(["1", "3", "4"]));
    folder.write("l.csv", "task,worker,label\n1,a,3\n1,b,4\n");
    assert!(folder.json(&["inspect", "l.csv", "--kind", "judgments"])["attributes"].is_array());
}

#[test]
fn a_typed_file_from_elsewhere_is_read_by_its_values() {
    // Numbers become ids as they are written, and a number column comes out without a needless .0.
    let folder = Folder::new();
    folder.write(
        "j.jsonl",
        "{\"task\": 12, \"worker\": \"w\", \"label\": true}\n{\"task\": 12, \"worker\": null, \"label\": false}\n",
    );
    let run = folder.run(&["inspect", "j.jsonl", "--format", "json"]);
    assert!(run.err.contains("1 row with a missing value left out"), "{}", run.err);
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(found["classes"], serde_json::json!(["true"]));
}

#[test]
fn what_spreadsheets_and_data_frames_leave_behind_is_no_attribute() {
    let folder = Folder::new();
    folder.write("f.csv", ",object,tall,,\n0,p1,3,,\n1,p1,4,,\n2,p2,1,,\n");
    let found = folder.json(&["inspect", "f.csv"]);
    assert_eq!(found["attributes"].as_array().unwrap().len(), 1);
    assert_eq!(found["judgments"], 3);
}

#[test]
fn yes_and_no_may_be_true_and_false() {
    let folder = Folder::new();
    folder.write(
        "f.jsonl",
        "{\"object\": 1, \"male\": true}\n{\"object\": 1, \"male\": false}\n{\"object\": 2, \"male\": true}\n",
    );
    assert_eq!(folder.json(&["inspect", "f.jsonl"])["attributes"][0]["noise"], 0.5);
}

#[test]
fn numbers_that_a_double_cannot_hold_stay_as_they_are_written() {
    let folder = Folder::new();
    let text = "object,time,code,x\na,1700000000123456789,007,0.5\nb,1,8,1e300\n";
    folder.write("f.csv", text);
    for name in ["a.parquet", "a.arrow", "a.jsonl"] {
        folder.run(&["convert", "f.csv", name]);
        folder.run(&["convert", name, "back.csv"]);
        assert_eq!(folder.read("back.csv"), text, "{name}");
    }
}

#[test]
fn a_long_first_line_of_accents_is_text() {
    let folder = Folder::new();
    folder.write("f.jsonl", format!("{{\"task\": \"{}\", \"worker\": 1, \"label\": 1}}\n", "é".repeat(140_000)));
    assert_eq!(folder.json(&["inspect", "f.jsonl"])["tasks"], 1);
}

#[test]
fn one_task_with_very_many_votes_by_few_workers_is_no_trouble() {
    let folder = Folder::new();
    let rows: String = (0..200_000).map(|i| format!("t,w{},{}\n", i % 2, i % 3)).collect();
    folder.write("f.csv", format!("task,worker,label\n{rows}"));
    let found = folder.json(&["inspect", "f.csv", "--bootstrap", "10"]);
    assert_eq!(found["repeated"], 199_998);
    folder.write("j.csv", format!("task,worker,beans\n{rows}"));
    folder.run(&["convert", "j.csv", "w.csv", "--form", "wide"]);
    assert_eq!(folder.read("w.csv").lines().count(), 200_001);
}

#[test]
fn threads_do_not_change_a_byte() {
    let folder = Folder::new();
    folder.run(&["simulate", "labels", "--tasks", "30000", "--classes", "4", "--out", "."]);
    let one = folder.run(&["inspect", "labels.csv", "--threads", "1", "--format", "json"]).out;
    for threads in ["2", "5", "16"] {
        let more = folder.run(&["inspect", "labels.csv", "--threads", threads, "--format", "json"]).out;
        assert!(one == more, "{threads} threads");
    }
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    folder.run(&["simulate", "labels", "--workers", "20000", "--tasks", "20000", "--out", "."]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_beanjar"))
        .args(["inspect", "labels.csv", "--format", "csv", "--quiet"])
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn a_column_for_each_annotator_is_understood() {
    let folder = Folder::new();
    folder.write(
        "long.csv",
        "task,worker,label\nt1,ann1,cat\nt1,ann2,dog\nt2,ann1,cat\nt2,ann2,cat\nt2,ann3,cat\nt3,ann3,dog\n",
    );
    let expected = folder.json(&["inspect", "long.csv"]);
    folder.write("wide.csv", "task,ann1,ann2,ann3\nt1,cat,dog,\nt2,cat,cat,cat\nt3,NA,,dog\n");
    assert_eq!(folder.json(&["inspect", "wide.csv"]), expected);
    let err = folder.run(&["inspect", "wide.csv"]).err;
    assert!(
        err.starts_with("read wide.csv: task=task; annotators: ann1, ann2, ann3; 3 cells without a value left out\n"),
        "{err}"
    );
    for name in ["wide.parquet", "wide.jsonl", "wide.xlsx"] {
        folder.run(&["convert", "wide.csv", name]);
        assert_eq!(folder.json(&["inspect", name]), expected, "{name}");
    }
    // Names that say nothing, over the same few words.
    let people = folder.read("wide.csv").replace("task,ann1,ann2,ann3", "file,anna,ben,carl");
    folder.write("people.csv", people);
    let found = folder.json(&["inspect", "people.csv"]);
    assert_eq!((&found["alpha"], &found["workers"][0]["worker"]), (&expected["alpha"], &serde_json::json!("anna")));
    // The text of the tasks beside them, and the number of the row before.
    let text = |row: usize| format!("What is on picture {row}, \"{row}\"?");
    let votes = ["cat,dog,", "cat,cat,cat", "NA,,dog"];
    for (name, header) in [("texts.csv", ",task,text,ann1,ann2,ann3"), ("prose.csv", ",file,text,anna,ben,carl")] {
        let rows = (0..30).map(|row| {
            let (task, votes) = (format!("t{}", row + 1), if row < 3 { votes[row] } else { ",," });
            format!("{row},{task},\"{}\",{votes}\n", text(row).replace('"', "\"\""))
        });
        folder.write(name, format!("{header}\n{}", rows.collect::<String>()));
        let found = folder.json(&["inspect", name]);
        assert_eq!(found["alpha"], expected["alpha"], "{name}");
        assert!(folder.run(&["inspect", name]).err.contains("ignored: '', text"), "{name}");
    }
    // Numbers are attributes, unless the names or the user say otherwise.
    folder.write("numbers.csv", "object,anna,ben\n1,3,4\n2,1,1\n3,2,2\n");
    assert_eq!(folder.json(&["inspect", "numbers.csv"])["attributes"][0]["attribute"], "anna");
    let labels = folder.json(&["inspect", "numbers.csv", "--wide", "annotators"]);
    assert_eq!(labels["classes"], serde_json::json!(["1", "2", "3", "4"]));
    let judgments = folder.json(&["inspect", "numbers.csv", "--wide", "annotators", "--kind", "judgments"]);
    assert_eq!(
        (&judgments["workers"][1]["worker"], &judgments["objects"]),
        (&serde_json::json!("ben"), &serde_json::json!(3))
    );
    folder.write("raters.csv", "object,rater_1,rater_2\n1,3,4\n2,1,1\n3,2,2\n");
    assert_eq!(folder.json(&["inspect", "raters.csv"])["workers"][0]["worker"], "rater_1");
}

#[test]
fn repeated_columns_are_repeats_of_one_attribute() {
    let folder = Folder::new();
    folder.write("long.csv", "object,attribute,value\n1,happy,3\n1,happy,4\n1,sad,1\n2,happy,1\n2,happy,2\n2,sad,5\n");
    let expected = folder.json(&["inspect", "long.csv"]);
    folder.write("wide.csv", "object,happy_1,happy_2,sad\n1,3,4,1\n2,1,2,5\n");
    assert_eq!(folder.json(&["inspect", "wide.csv"]), expected);
    assert!(folder.run(&["inspect", "wide.csv"]).err.contains("repeats of one attribute: happy"));
    folder.write("frame.csv", "object,happy,happy.1,sad\n1,3,4,1\n2,1,2,5\n");
    assert_eq!(folder.json(&["inspect", "frame.csv"]), expected);
    let found = folder.json(&["inspect", "wide.csv", "--wide", "attributes"]);
    assert_eq!(found["attributes"].as_array().unwrap().len(), 3);
    folder.write("x.csv", "object,x1,x2\n1,3,4\n2,1,2\n");
    assert_eq!(folder.json(&["inspect", "x.csv"])["attributes"].as_array().unwrap().len(), 2);
    assert_eq!(folder.json(&["inspect", "x.csv", "--wide", "repeats"])["attributes"].as_array().unwrap().len(), 1);
}

#[test]
fn the_index_of_a_data_frame_is_no_id() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    for first in ["", "index", "Unnamed: 0"] {
        folder.write("truth.csv", format!("{first},task,label\n0,t1,cat\n1,t2,cat\n"));
        let found = folder.json(&["aggregate", "labels.csv", "--truth", "truth.csv"]);
        assert_eq!(found["truth"]["tasks"], 2, "{first}");
        folder.write("l.csv", format!("{first},task,worker,label\n0,t1,ann,cat\n1,t1,bob,dog\n"));
        assert_eq!(folder.json(&["inspect", "l.csv"])["labels"], 2, "{first}");
    }
    // An index that has a name for every row is one.
    folder.write("truth.csv", ",label\nt1,cat\nt2,cat\n");
    assert_eq!(folder.json(&["aggregate", "labels.csv", "--truth", "truth.csv"])["truth"]["tasks"], 2);
}

#[test]
fn beside_annotators_stand_texts_categories_and_answers_of_nobody() {
    let folder = Folder::new();
    folder.write("plain.csv", "task,ann,bob,cy\n1,cat,dog,cat\n2,dog,dog,dog\n3,cat,cat,dog\n4,dog,cat,dog\n");
    let expected = folder.json(&["inspect", "plain.csv"]);
    let more = "task,text,source,ann,bob,cy,gold,majority_vote\n1,a small one,web,cat,dog,cat,cat,cat\n\
                2,a big one,shop,dog,dog,dog,dog,dog\n3,so so,web,cat,cat,dog,cat,cat\n4,who knows,shop,dog,cat,dog,dog,dog\n";
    folder.write("more.csv", more);
    assert_eq!(folder.json(&["inspect", "more.csv"]), expected);
    let err = folder.run(&["inspect", "more.csv"]).err;
    assert!(err.contains("annotators: ann, bob, cy; ignored: text, source, gold, majority_vote"), "{err}");
    // Tasks have labels; of anything else codes could be attributes.
    let codes =
        more.replace("cat", "1").replace("dog", "2").replace(",web", "").replace(",shop", "").replace(",source", "");
    folder.write("codes.csv", &codes);
    folder.write("photos.csv", codes.replace("task,", "photo,"));
    let said = folder.error(&["inspect", "photos.csv"]);
    assert!(
        said.contains("say --wide annotators if each is an annotator") && said.contains("--wide repeats"),
        "{said}"
    );
    for flags in [&["codes.csv"][..], &["photos.csv", "--wide", "annotators"]] {
        let found = folder.json(&[&["inspect"], flags].concat());
        assert_eq!((&found["alpha"], &found["tasks"]), (&expected["alpha"], &expected["tasks"]));
    }
}

#[test]
fn a_title_above_the_header_is_passed_over() {
    let folder = Folder::new();
    let rows = "task,worker,label\n1,a,x\n1,b,y\n2,a,y\n2,b,y\n";
    folder.write("plain.csv", rows);
    let expected = folder.json(&["inspect", "plain.csv"]);
    for above in ["Results of May\n", "Results; of May\n\nAsk Ann, please\n", ",,\n\"Results,\nof May\",,\n,,\n"] {
        folder.write("title.csv", format!("{above}{rows}"));
        assert_eq!(folder.json(&["inspect", "title.csv"]), expected, "{above:?}");
        let rows = if above.contains("Ann") { "2 rows" } else { "1 row" };
        let err = folder.run(&["inspect", "title.csv"]).err;
        let line = format!("read title.csv: task=task, worker=worker, label=label; {rows} above the header skipped\n");
        assert_eq!(err, line, "{above:?}");
    }
    // Lines are counted from the top of the file.
    folder.write("title.csv", format!("Results\n\n{rows}3,a\n"));
    assert!(folder.error(&["inspect", "title.csv"]).contains("title.csv, line 8: 2 fields"));
    folder.write("title.csv", "Results\n\ntask,label,vote\n1,x,y\n");
    assert!(folder.error(&["inspect", "title.csv"]).contains("title.csv, line 3: the columns 'label' and 'vote'"));
    // Blank rows of a spreadsheet say nothing.
    folder.write("blank.csv", format!(",,\n{rows}"));
    assert_eq!(folder.json(&["inspect", "blank.csv"]), expected);
    assert!(!folder.run(&["inspect", "blank.csv"]).err.contains("skipped"));
    // Known answers may have a title as well.
    folder.write("truth.csv", "What Ann says\ntask,label\n1,x\n2,y\n");
    assert_eq!(folder.json(&["aggregate", "plain.csv", "--truth", "truth.csv"])["truth"]["tasks"], 2);
    let err = folder.run(&["aggregate", "plain.csv", "--truth", "truth.csv"]).err;
    assert!(err.contains("read truth.csv: task=task, label=known label; 1 row above the header skipped"), "{err}");
    // A column for each annotator, whatever their names, may have one too.
    folder.write("wide.csv", "Results of May\n\nitem,anna,ben,carl\n1,x,y,x\n2,y,y,y\n3,x,x,y\n4,y,x,y\n");
    let line = "read wide.csv: item=task; annotators: anna, ben, carl; 1 row above the header skipped\n";
    assert_eq!(folder.run(&["inspect", "wide.csv"]).err, line);
    // What may be a name of a column is no title.
    folder.write("names.csv", "Results of May\nx,y,z\n1,2,3\n");
    assert!(folder.error(&["inspect", "names.csv"]).contains("found 'Results of May'"));
}
