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
