//! One value, however it is written.

use crate::support::Folder;
use serde_json::json;

#[test]
fn a_class_is_one_class_however_its_number_is_written() {
    let folder = Folder::new();
    folder.write("plain.csv", "task,worker,label\n1,a,1\n1,b,1\n1,c,2\n2,a,2\n2,b,2\n2,c,1\n");
    folder.write("mixed.csv", "task,worker,label\n1,a,1\n1,b,1.0\n1,c,2.00\n2,a, 2\n2,b,2\n2,c,1e0\n");
    let expected = folder.json(&["inspect", "plain.csv"]);
    assert_eq!(folder.json(&["inspect", "mixed.csv"]), expected);
    assert_eq!(expected["classes"], json!(["1", "2"]));
    let run = folder.run(&["inspect", "mixed.csv"]);
    assert_eq!(run.err.matches("read as").count(), 1, "{}", run.err);
    assert!(run.err.contains("label '1.0' read as '1', and 3 more alike"), "{}", run.err);
    // Numbers of typed files are the same classes, and so are those of known answers.
    folder.run(&["convert", "plain.csv", "numbers.parquet", "--columns", "label=worker"]);
    assert_eq!(folder.json(&["inspect", "numbers.parquet"]), expected);
    folder.write("truth.csv", "task,label\n1,1.0\n2,2.0\n");
    let found = folder.json(&["aggregate", "plain.csv", "--truth", "truth.csv"]);
    assert_eq!(found["truth"]["accuracy"], 1.0);
    folder.write("predicted.csv", "task,label\n1,1.0\n2,2.0\n");
    let scored = folder.json(&["score", "predicted.csv", "--labels", "plain.csv"]);
    assert!(scored["models"][0]["surrogate"].as_f64().unwrap() < 0.4, "{scored}");
}

#[test]
fn true_and_false_are_alike_in_any_letters() {
    let folder = Folder::new();
    folder.write("f.csv", "task,worker,label\n1,a,true\n1,b,True\n2,a,FALSE\n2,b,false\n");
    let found = folder.json(&["inspect", "f.csv"]);
    assert_eq!(found["classes"], json!(["false", "true"]));
    assert_eq!(found["alpha"], 1.0);
}

#[test]
fn true_and_false_come_back_as_they_were_written() {
    let folder = Folder::new();
    let rows: String = (0..12)
        .map(|task| {
            let (right, wrong) = if task % 2 == 0 { ("True", "False") } else { ("False", "True") };
            format!("t{task},a,{right}\nt{task},b,{right}\nt{task},c,{}\n", if task < 3 { wrong } else { right })
        })
        .collect();
    folder.write("f.csv", format!("task,worker,label\n{rows}"));
    let run = folder.run(&["aggregate", "f.csv", "--out", "labels.csv", "--model", "m.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.err.contains("read as"), "{}", run.err);
    assert!(folder.read("labels.csv").starts_with("task,label,confidence\nt0,True,"), "{}", folder.read("labels.csv"));
    // Other files may have them in other letters.
    let truth: String = (0..12).map(|task| format!("t{task},{}\n", task % 2 == 0)).collect();
    folder.write("truth.csv", format!("task,label\n{truth}"));
    folder.write("gold.csv", "task,label\nt0,TRUE\nt1,FALSE\n");
    let found = folder.json(&["aggregate", "f.csv", "--truth", "truth.csv", "--gold", "gold.csv"]);
    assert_eq!((&found["classes"], &found["truth"]["accuracy"]), (&json!(["False", "True"]), &json!(1.0)));
    let scored = folder.json(&["score", "truth.csv", "--labels", "f.csv"]);
    assert!((scored["models"][0]["surrogate"].as_f64().unwrap() - 1.0 / 12.0).abs() < 1e-12, "{scored}");
    folder.write("small.csv", format!("task,worker,label\n{}", rows.to_lowercase()));
    let found = folder.json(&["predict", "m.json", "small.csv", "--truth", "truth.csv"]);
    assert_eq!(found["truth"]["accuracy"], 1.0);
    assert_eq!(found["tasks"][0]["label"], "True");
}

#[test]
fn space_around_a_label_is_none_of_it_and_codes_are_no_numbers() {
    let folder = Folder::new();
    folder.write("f.csv", "task,worker,label\n1,a, dog\n1,b,dog\n2,a,cat \n2,b,cat\n");
    assert_eq!(folder.json(&["inspect", "f.csv"])["classes"], json!(["cat", "dog"]));
    folder.write("f.csv", "task,worker,label\n1,a,007\n1,b,7\n2,a,7\n2,b,7\n");
    assert_eq!(folder.json(&["inspect", "f.csv"])["classes"], json!(["007", "7"]));
}

#[test]
fn a_file_may_have_its_own_words_for_a_missing_value() {
    let folder = Folder::new();
    folder.write("f.csv", "object,worker,rating\n1,a,3\n1,b,999\n2,a,-99.0\n2,b,4\n1,c,don't know\n2,c,5\n1,d,2\n");
    let run = folder.run(&["inspect", "f.csv", "--missing", "999,-99,don't know", "--format", "json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("3 rows with a missing value left out"), "{}", run.err);
    assert!(run.out.contains("\"judgments\": 4"), "{}", run.out);
    folder.write("l.csv", "task,worker,label\n1,a,x\n1,b,don't know\n2,a,x\n2,b,y\n");
    assert_eq!(folder.json(&["inspect", "l.csv", "--missing", "don't know"])["classes"], json!(["x", "y"]));
    // One flag for each does as well, and a number may begin with a minus.
    assert_eq!(folder.json(&["inspect", "f.csv", "--missing", "-99", "--missing", "999,don't know"])["judgments"], 4);
    let parquet = folder.run(&["convert", "f.csv", "f.jsonl"]);
    assert_eq!(parquet.code, 0);
    assert_eq!(folder.json(&["inspect", "f.jsonl", "--missing", "999,-99,don't know"])["judgments"], 4);
}

#[test]
fn decimal_commas_are_read_where_the_file_shows_them() {
    let folder = Folder::new();
    folder.write("points.csv", "object,worker,rating\n1,a,3.5\n1,b,4\n2,a,1.125\n2,b,2.25\n");
    let expected = folder.json(&["inspect", "points.csv"]);
    folder.write("commas.csv", "object;worker;rating\n1;a;3,5\n1;b;4\n2;a;1,125\n2;b;2,25\n");
    assert_eq!(folder.json(&["inspect", "commas.csv"]), expected);
    assert!(folder.run(&["inspect", "commas.csv"]).err.contains("; decimal commas"));
    folder.write("quoted.csv", "object,worker,rating\n1,a,\"3,5\"\n1,b,4\n2,a,\"1,1250\"\n2,b,\"2,25\"\n");
    assert_eq!(folder.json(&["inspect", "quoted.csv"]), expected);
    folder.write("thousands.csv", "object,worker,rating\n1,a,\"3,500\"\n1,b,4\n");
    assert!(folder.error(&["inspect", "thousands.csv"]).contains("'3,500' in column 'rating' is not a number"));
    folder.write("both.csv", "object;worker;rating\n1;a;3.5\n1;b;4,5\n");
    let error = folder.error(&["inspect", "both.csv"]);
    assert!(error.contains("both.csv, line 3") && error.contains("decimal comma"), "{error}");
}

#[test]
fn ordinal_labels_have_the_order_that_is_given() {
    let folder = Folder::new();
    let rows = "1,a,low\n1,b,high\n2,a,low\n2,b,medium\n3,a,low\n3,b,low\n4,a,high\n4,b,high\n";
    folder.write("names.csv", format!("task,worker,label\n{rows}"));
    let numbers = rows.replace("low", "1").replace("medium", "2").replace("high", "3");
    folder.write("numbers.csv", format!("task,worker,label\n{numbers}"));
    let error = folder.error(&["inspect", "names.csv", "--scale", "ordinal"]);
    assert!(
        error.contains("names.csv: ") && error.contains("'high'") && error.contains("--order low,medium,high"),
        "{error}"
    );
    let found = folder.json(&["inspect", "names.csv", "--scale", "ordinal", "--order", "low,medium,high"]);
    assert_eq!(found["classes"], json!(["low", "medium", "high"]));
    assert_eq!(found["alpha"], folder.json(&["inspect", "numbers.csv", "--scale", "ordinal"])["alpha"]);
    let error = folder.error(&["inspect", "names.csv", "--scale", "ordinal", "--order", "low,high"]);
    assert!(error.contains("'medium'") && error.contains("--order"), "{error}");
}

#[test]
fn values_between_commas_may_stand_in_quotes() {
    let folder = Folder::new();
    let rows = "1,a,low\n1,b,\"no, never\"\n1,c,999\n2,a,don't know\n2,b,low\n2,c,high\n";
    folder.write("f.csv", format!("task,worker,label\n{rows}"));
    for missing in ["999,don't know,\"no, never\"", "\"999\", \"don't know\",\"no, never\""] {
        let run = folder.run(&["inspect", "f.csv", "--missing", missing]);
        assert!(run.err.contains("3 rows with a missing value left out"), "{missing}: {}", run.err);
    }
    let order = "low,\"no, never\",high,999,\"don't know\"";
    let found = folder.json(&["inspect", "f.csv", "--order", order]);
    assert_eq!(found["classes"], json!(["low", "no, never", "high", "999", "don't know"]));
}
