//! What a file is understood to hold, and the line that says so.

use crate::support::Folder;

/// The lines that say what was understood.
fn understood(folder: &Folder, arguments: &[&str]) -> Vec<String> {
    let run = folder.run(arguments);
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
    run.err.lines().filter_map(|line| line.strip_prefix("read ")).map(str::to_owned).collect()
}

#[test]
fn one_line_says_which_column_is_what_and_what_was_left_out() {
    let folder = Folder::new();
    folder.write("ratings.csv", "photo,rater,rating,text,time\n1,ann,3,x,9\n1,bob,,y,9\n2,ann,4,z,9\n2,bob,4,z,9\n");
    let line = "ratings.csv: photo=object, rater=worker, rating=value; ignored: text, time; 1 row with a missing value left out";
    assert_eq!(understood(&folder, &["inspect", "ratings.csv"]), [line]);
    folder.write("labels.csv", "task,worker,label\n1,a,x\n1,b,y\n");
    let lines = understood(&folder, &["aggregate", "labels.csv"]);
    assert_eq!(lines, ["labels.csv: task=task, worker=worker, label=label"]);
    assert_eq!(folder.run(&["aggregate", "labels.csv", "--quiet"]).err, "");
    folder.write("wide.csv", "object,worker,tall,male,,notes\n1,a,3,1,,5\n2,a,2,0,,6\n");
    let lines = understood(&folder, &["inspect", "wide.csv"]);
    assert_eq!(lines, ["wide.csv: object=object, worker=worker; attributes: tall, male, notes; ignored: ''"]);
}

#[test]
fn two_columns_that_could_be_one_thing_are_a_question() {
    let folder = Folder::new();
    for (first, second) in [("stimulus", "item"), ("object", "task"), ("document", "sample_id")] {
        folder.write("f.csv", format!("{first},{second},worker,label\n1,2,a,x\n1,3,b,y\n"));
        let error = folder.error(&["inspect", "f.csv"]);
        assert!(error.contains(&format!("'{first}' and '{second}' could both be the object")), "{error}");
        assert!(error.contains(&format!("--columns \"object={first}\"")), "{error}");
        let found = folder.json(&["inspect", "f.csv", "--columns", &format!("object={second}")]);
        assert_eq!(found["tasks"], 2);
        // The conversion of a table needs no answer.
        assert_eq!(folder.run(&["convert", "f.csv", "g.jsonl"]).code, 0);
    }
    folder.write("f.csv", "item,rater,coder,answer\n1,a,b,x\n");
    assert!(folder.error(&["inspect", "f.csv"]).contains("could both be the worker"));
}

#[test]
fn a_likelier_name_and_an_id_need_no_question() {
    let folder = Folder::new();
    for (header, expected) in [
        ("id,task,worker,label", "task=task, worker=worker, label=label; ignored: id"),
        ("image,image_id,worker,label", "image_id=task, worker=worker, label=label; ignored: image"),
        ("task,judge,model,verdict", "task=task, judge=worker, verdict=label; ignored: model"),
        ("label_id,task,worker,label", "task=task, worker=worker, label=label; ignored: label_id"),
    ] {
        folder.write("f.csv", format!("{header}\n1,2,a,x\n1,3,b,y\n"));
        assert_eq!(understood(&folder, &["inspect", "f.csv"]), [format!("f.csv: {expected}")]);
    }
}

#[test]
fn usual_names_are_known() {
    let folder = Folder::new();
    let objects = [
        "document",
        "doc_id",
        "text_id",
        "sample",
        "stimulus",
        "example_id",
        "HITId",
        "question",
        "id",
        "unit",
        "image",
    ];
    for object in objects {
        folder.write("f.csv", format!("{object},worker,label\n1,a,x\n1,b,y\n"));
        assert_eq!(folder.json(&["inspect", "f.csv"])["tasks"], 1, "{object}");
    }
    let workers = [
        "participant",
        "subject",
        "user",
        "user_id",
        "labeler",
        "coder_id",
        "WorkerId",
        "AssignmentId",
        "annotator_id",
        "judge",
        "model",
        "prompt",
        "Rater ID",
    ];
    for worker in workers {
        folder.write("f.csv", format!("item,{worker},answer\n1,a,x\n1,b,y\n"));
        assert_eq!(folder.json(&["inspect", "f.csv"])["workers"][1]["worker"], "b", "{worker}");
    }
    for label in ["label", "answer", "response", "vote", "choice", "verdict", "annotation", "category"] {
        folder.write("f.csv", format!("item,rater,{label}\n1,a,x\n1,b,y\n"));
        assert_eq!(folder.json(&["inspect", "f.csv"])["classes"][1], "y", "{label}");
    }
}

const QUESTIONS: &str = "item,q,worker,label\n\
    1,colour,a,red\n1,colour,b,red\n1,shape,a,round\n1,shape,b,flat\n\
    2,colour,a,blue\n2,colour,b,blue\n2,shape,a,flat\n2,shape,b,flat\n2,shape,,flat\n";

#[test]
fn several_questions_are_inspected_and_aggregated_each_on_its_own() {
    let folder = Folder::new();
    folder.write("f.csv", QUESTIONS);
    for (question, rows) in
        [("colour", "1,a,red\n1,b,red\n2,a,blue\n2,b,blue\n"), ("shape", "1,a,round\n1,b,flat\n2,a,flat\n2,b,flat\n")]
    {
        folder.write(&format!("{question}.csv"), format!("item,worker,label\n{rows}"));
    }
    for command in ["inspect", "aggregate", "workers"] {
        let found = folder.json(&[command, "f.csv", "--columns", "attribute=q"]);
        for (i, question) in ["colour", "shape"].into_iter().enumerate() {
            let file = format!("{question}.csv");
            let mut expected = folder.json(&[command, &file]);
            let one = folder.json(&[command, "f.csv", "--columns", "attribute=q", "--question", question]);
            assert_eq!(one, expected, "{command}");
            expected["question"] = question.into();
            assert_eq!(found["questions"][i], expected, "{command}");
        }
    }
    let by = folder.json(&["aggregate", "f.csv", "--by", "q"]);
    assert_eq!(by, folder.json(&["aggregate", "f.csv", "--columns", "attribute=q"]));
    let csv = folder.run(&["aggregate", "f.csv", "--by", "q", "--method", "majority", "--format", "csv"]);
    assert!(
        csv.out.starts_with("question,task,label,confidence\ncolour,1,red,1\ncolour,2,blue,1\nshape,1,"),
        "{}",
        csv.out
    );
    let line = "read f.csv: item=task, worker=worker, label=label, q=question; 1 row with a missing value left out\n";
    assert_eq!(csv.err, line);
    let text = folder.run(&["inspect", "f.csv", "--by", "q", "--format", "table"]).out;
    assert!(text.contains("Question 'colour': 4 labels of 2 tasks"), "{text}");
}

#[test]
fn a_command_for_one_question_asks_which() {
    let folder = Folder::new();
    folder.write("f.csv", QUESTIONS);
    folder.write("p.csv", "item,label\n1,red\n2,blue\n");
    let columns = ["--columns", "attribute=q"];
    let error = folder.error(&[&["score", "p.csv", "--labels", "f.csv"][..], &columns].concat());
    assert!(error.contains("2 questions") && error.contains("--question: 'colour', 'shape'"), "{error}");
    let error = folder.error(&[&["aggregate", "f.csv", "--model", "m.json"][..], &columns].concat());
    assert!(error.contains("--question"), "{error}");
    let error = folder.error(&[&["inspect", "f.csv", "--question", "size"][..], &columns].concat());
    assert!(error.contains("no question 'size'; found 'colour', 'shape'"), "{error}");
    assert!(folder.error(&["inspect", "f.csv", "--question", "size"]).contains("attribute=NAME"));
    assert!(folder.error(&["inspect", "f.csv", "--by", "nothing"]).contains("no column 'nothing'"));
}

#[test]
fn a_verdict_beside_a_score_is_what_the_command_needs() {
    let folder = Folder::new();
    let rows = |row: usize| format!("i{},m{},{},{}\n", row / 4, row % 4, ["yes", "no"][row * row % 3 % 2], row % 7);
    folder.write("panel.csv", "item,model,verdict,score\n".to_owned() + &(0..80).map(rows).collect::<String>());
    let found = folder.json(&["aggregate", "panel.csv"]);
    assert_eq!((found["tasks"].as_array().unwrap().len(), &found["classes"]), (20, &serde_json::json!(["no", "yes"])));
    assert_eq!(folder.run(&["workers", "panel.csv"]).code, 0);
    assert_eq!(folder.run(&["votes", "panel.csv"]).code, 0);
    // The scores, for a command that needs numbers.
    folder
        .write("truth.csv", "object,label\n".to_owned() + &(0..20).map(|i| format!("i{i},{i}\n")).collect::<String>());
    let judged = folder.run(&["select", "panel.csv", "--labels", "truth.csv", "--budget", "2"]);
    assert_eq!(judged.code, 0, "{}", judged.err);
    // A command for both asks.
    let both = folder.run(&["inspect", "panel.csv"]);
    assert!(both.code == 2 && both.err.contains("say --kind labels or --kind judgments"), "{}", both.err);
}

#[test]
fn columns_with_commas_and_equals_signs_can_be_named() {
    let folder = Folder::new();
    folder.write("odd.csv", "\"a, b\",who=is,\"the \"\"x\"\"\"\n1,ann,cat\n1,bob,cat\n2,ann,dog\n2,bob,cat\n");
    folder.write("long.csv", "task,worker,label\n1,ann,cat\n1,bob,cat\n2,ann,dog\n2,bob,cat\n");
    let columns = "task=\"a, b\", worker=who=is ,label=\"the \"\"x\"\"\"";
    assert_eq!(folder.json(&["inspect", "odd.csv", "--columns", columns]), folder.json(&["inspect", "long.csv"]));
    folder.write("two.csv", "\"item, a\",item b,worker,label\n1,1,ann,cat\n1,1,bob,cat\n");
    folder.write("asked.csv", "\"item,\",stimulus,worker,label\n1,1,ann,cat\n1,1,bob,cat\n");
    let error = folder.error(&["inspect", "asked.csv"]);
    assert!(error.contains("--columns 'object=\"item,\"'"), "{error}");
    assert_eq!(folder.json(&["inspect", "asked.csv", "--columns", "object=\"item,\""])["tasks"], 1);
}

#[test]
fn a_matrix_of_codes_is_one_of_annotators_where_labels_are_needed_or_rows_are_tasks() {
    let folder = Folder::new();
    let rows = [("t1", [1, 1, 2]), ("t2", [2, 2, 2]), ("t3", [1, 1, 1]), ("t4", [2, 1, 2]), ("t5", [1, 2, 1])];
    let names = ["ann", "bob", "cy"];
    let mut wide = "task,note,length,ann,bob,cy\n".to_owned();
    let mut long = "task,worker,label\n".to_owned();
    for (row, (task, codes)) in rows.iter().enumerate() {
        wide += &format!("{task},a text about {task},{},{},{},{}\n", 30 + 7 * row, codes[0], codes[1], codes[2]);
        for (name, code) in names.iter().zip(codes) {
            long += &format!("{task},{name},{code}\n");
        }
    }
    folder.write("wide.csv", wide);
    folder.write("long.csv", long);
    for command in ["aggregate", "workers", "votes", "inspect"] {
        assert_eq!(folder.json(&[command, "wide.csv"]), folder.json(&[command, "long.csv"]), "{command}");
    }
    let err = folder.run(&["aggregate", "wide.csv"]).err;
    assert!(err.starts_with("read wide.csv: task=task; annotators: ann, bob, cy; ignored: note, length"), "{err}");
    // Where either would do, it is a question.
    folder.write("plain.csv", "photo,ann,bob,cy\n1,1,1,2\n2,2,2,2\n3,1,1,1\n4,2,1,2\n");
    let error = folder.error(&["inspect", "plain.csv"]);
    assert!(error.contains("'ann', 'bob', 'cy'") && error.contains("--wide attributes if each is"), "{error}");
    for (wide, key) in [("annotators", "alpha"), ("attributes", "attributes")] {
        assert!(folder.json(&["inspect", "plain.csv", "--wide", wide])[key] != serde_json::Value::Null, "{wide}");
    }
    // Repeats of several attributes are judgments.
    folder.write("repeats.csv", "object,happy_1,happy_2,sad_1,sad_2\n1,1,2,1,1\n2,2,2,1,2\n3,1,1,2,2\n");
    let error = folder.error(&["aggregate", "repeats.csv"]);
    assert!(error.contains("this file holds judgments"), "{error}");
}

#[test]
fn a_prompt_is_what_was_judged_where_the_judge_has_another_name() {
    let folder = Folder::new();
    folder.write("log.csv", "prompt,model,verdict\np1,a,yes\np1,b,yes\np2,a,no\np2,b,yes\n");
    assert_eq!(understood(&folder, &["inspect", "log.csv"]), ["log.csv: prompt=task, model=worker, verdict=label"]);
    folder.write("judges.csv", "item,prompt,verdict\n1,a,yes\n1,b,yes\n2,a,no\n2,b,yes\n");
    assert_eq!(
        understood(&folder, &["inspect", "judges.csv"]),
        ["judges.csv: item=task, prompt=worker, verdict=label"]
    );
    let table = "prompt,gpt-4o,claude-3,llama-3\np1,yes,no,yes\np2,no,no,no\np3,yes,yes,yes\np4,yes,no,no\n";
    folder.write("models.csv", table);
    assert_eq!(
        understood(&folder, &["aggregate", "models.csv"]),
        ["models.csv: prompt=task; annotators: gpt-4o, claude-3, llama-3"]
    );
}
