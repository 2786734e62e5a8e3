//! Tables as people make them: an index for an id, files put one behind the other, columns beside the labels.

use crate::support::Folder;

const LONG: &str = "task,worker,label\nt1,ann,x\nt1,bob,x\nt2,ann,y\nt2,bob,x\nt3,ann,y\nt3,bob,y\n";

/// The table is read as the long one is, and the line says so.
fn same_as(folder: &Folder, long: &str, name: &str, line: &str) {
    for command in ["inspect", "aggregate"] {
        assert_eq!(folder.json(&[command, name]), folder.json(&[command, long]), "{command} {name}");
    }
    let err = folder.run(&["inspect", name]).err;
    assert!(err.starts_with(&format!("read {name}: {line}\n")), "{err}");
}

#[test]
fn the_index_of_a_data_frame_names_the_tasks_where_nothing_else_does() {
    let folder = Folder::new();
    folder.write("long.csv", LONG.replace('t', "").replace("ask,worker,label", "task,worker,label"));
    folder.write("called.csv", ",ann1,ann2\n1,x,x\n2,y,x\n3,y,y\n");
    folder.write("words.csv", ",ann,bob\n1,x,x\n2,y,x\n3,y,y\n");
    same_as(&folder, "long.csv", "words.csv", "''=task; annotators: ann, bob");
    let run = folder.run(&["inspect", "called.csv"]);
    assert!(run.err.starts_with("read called.csv: ''=task; annotators: ann1, ann2"), "{}", run.err);
    // Texts behind the index are the tasks.
    folder.write("texts.csv", ",tweet,ann1,ann2\n0,so good,x,x\n1,so bad,y,x\n2,so so,y,y\n");
    let run = folder.run(&["inspect", "texts.csv"]);
    assert!(run.err.starts_with("read texts.csv: tweet=task; annotators: ann1, ann2; ignored: ''"), "{}", run.err);
}

#[test]
fn subjects_whom_raters_judged_are_tasks() {
    let folder = Folder::new();
    folder.write("long.csv", LONG.replace("ann", "Rater 1").replace("bob", "Rater 2"));
    for name in ["subject", "participant"] {
        folder.write("wide.csv", format!("{name},Rater 1,Rater 2\nt1,x,x\nt2,y,x\nt3,y,y\n"));
        same_as(&folder, "long.csv", "wide.csv", &format!("{name}=task; annotators: 'Rater 1', 'Rater 2'"));
    }
}

#[test]
fn the_header_among_the_rows_is_no_row() {
    let folder = Folder::new();
    folder.write("long.csv", LONG);
    let (first, second) = LONG.split_at(LONG.find("t2").unwrap());
    folder.write("twice.csv", format!("{first}task,worker,label\n{second}"));
    let line = "task=task, worker=worker, label=label; 1 row left out: the header once more";
    same_as(&folder, "long.csv", "twice.csv", line);
    folder.write("matrix.csv", "task,ann,bob\nt1,x,x\ntask,ann,bob\nt2,y,x\nt3,y,y\n");
    same_as(&folder, "long.csv", "matrix.csv", "task=task; annotators: ann, bob; 1 row left out: the header once more");
    folder.write("values.csv", "object,worker,value\no1,ann,1\no1,bob,2\no2,ann,3\no2,bob,5\n");
    let header = "object,worker,value\n";
    folder.write("again.csv", format!("{header}o1,ann,1\no1,bob,2\n{header}o2,ann,3\no2,bob,5\n{header}"));
    let line = "object=object, worker=worker, value=value; 2 rows left out: the header once more";
    let err = folder.run(&["inspect", "again.csv"]).err;
    assert!(err.starts_with(&format!("read again.csv: {line}\n")), "{err}");
    assert_eq!(folder.json(&["inspect", "again.csv"]), folder.json(&["inspect", "values.csv"]));
}

#[test]
fn a_log_with_a_time_is_no_form_and_a_remark_no_question() {
    let folder = Folder::new();
    folder.write("long.csv", LONG);
    let rows = |times: &str| -> String {
        let row =
            |(at, row): (usize, &str)| format!("{times}:{at:02}:00,{row},{}\n", if at % 2 == 0 { "ok" } else { "" });
        LONG.lines().skip(1).enumerate().map(row).collect()
    };
    folder.write("log.csv", format!("timestamp,item,rater,label,comment\n{}", rows("2024-05-01 10")));
    same_as(&folder, "long.csv", "log.csv", "item=task, rater=worker, label=label; ignored: timestamp, comment");
    folder.write("form.csv", format!("Timestamp,Which item?,Your name,Kind,Any comments?\n{}", rows("5/1/2024 10")));
    let err = folder.run(&["inspect", "form.csv"]).err;
    let line = "export of Google Forms; 'Which item?'=task, 'Your name'=worker; question: Kind; ignored: Timestamp, 'Any comments?'";
    assert!(err.starts_with(&format!("read form.csv: {line}")), "{err}");
}

#[test]
fn rows_that_are_taken_for_tasks_are_said_to_have_one_label_each() {
    let folder = Folder::new();
    let numbered = |(at, row): (usize, &str)| {
        let (text, rest) = row.split_once(',').unwrap();
        format!("{at},the text of {text},{rest}\n")
    };
    let rows: String = LONG.lines().skip(1).enumerate().map(numbered).collect();
    folder.write("rows.csv", format!("id,text,annotator,label\n{rows}"));
    let err = folder.run(&["inspect", "rows.csv"]).err;
    let line = "id=task, annotator=worker, label=label; ignored: text; each task has one label; if 'text' names the tasks, say --columns \"object=text\"";
    assert!(err.starts_with(&format!("read rows.csv: {line}\n")), "{err}");
    let err = folder.run(&["inspect", "rows.csv", "--columns", "object=text"]).err;
    assert!(err.starts_with("read rows.csv: text=task, annotator=worker, label=label; ignored: id\n"), "{err}");
    // What tells nobody's labels apart names no tasks.
    folder.write("plain.csv", "id,source,annotator,label\n1,web,ann,x\n2,web,ann,y\n3,book,bob,x\n4,book,bob,y\n");
    let err = folder.run(&["inspect", "plain.csv"]).err;
    assert!(err.lines().next().unwrap().ends_with("label=label; ignored: source"), "{err}");
}

#[test]
fn names_that_differ_in_capitals_or_space_are_said_to_be_different() {
    let folder = Folder::new();
    folder.write("mixed.csv", "task,worker,label\nt1,ann,Cat\nt1,bob,cat\nt2, ann,dog\nt2,bob,Dog\nt2,cy,dog\n");
    let err = folder.run(&["inspect", "mixed.csv"]).err;
    let notes = "'Cat' and 'cat' are different classes, and 1 more alike; ' ann' and 'ann' are different workers";
    assert!(err.starts_with(&format!("read mixed.csv: task=task, worker=worker, label=label; {notes}\n")), "{err}");
}

#[test]
fn what_was_judged_is_the_column_that_is_left() {
    let folder = Folder::new();
    folder.write("long.csv", LONG);
    for name in ["tweet_id", "sentence", "URL", "Filename", "Input.image", "stimulus_file"] {
        folder.write("f.csv", LONG.replace("task,", &format!("{name},")));
        same_as(&folder, "long.csv", "f.csv", &format!("{name}=task, worker=worker, label=label"));
    }
    // Among several it is the one that is called as such things are, and its id goes before it.
    let wider = |row: &str| {
        let (task, rest) = row.split_once(',').unwrap();
        format!("{task},so {task},en,10:00,{rest}\n")
    };
    let rows: String = LONG.lines().skip(1).map(wider).collect();
    folder.write("f.csv", format!("comment_id,comment,country,start_time,assessor,label\n{rows}"));
    let line = "comment_id=task, assessor=worker, label=label; ignored: comment, country, start_time";
    same_as(&folder, "long.csv", "f.csv", line);
    folder.write("f.csv", format!("a,b,c,d,rater,label\n{rows}"));
    assert!(folder.error(&["inspect", "f.csv"]).contains("no object column"));
    // Of who judged nothing but a name that people have will do.
    folder.write("f.csv", LONG.replace("worker", "Email"));
    same_as(&folder, "long.csv", "f.csv", "task=task, Email=worker, label=label");
    folder.write("f.csv", LONG.replace("worker", "colour"));
    assert!(folder.error(&["inspect", "f.csv"]).contains("no worker column"));
}

#[test]
fn columns_of_words_beside_tasks_and_workers_are_questions() {
    let folder = Folder::new();
    folder.write("long.csv", LONG);
    folder.write("one.csv", LONG.replace("label", "sentiment"));
    same_as(&folder, "long.csv", "one.csv", "task=task, worker=worker, sentiment=label");
    folder.write("thing.csv", LONG.replace("task", "tweet_id").replace("label", "sentiment"));
    same_as(&folder, "long.csv", "thing.csv", "tweet_id=task, worker=worker, sentiment=label");
    let rows: String = LONG
        .lines()
        .skip(1)
        .enumerate()
        .map(|(at, row)| format!("{row},{},{at},\n", ["big", "small"][at % 2]))
        .collect();
    folder.write("two.csv", format!("item,rater,kind,size,seconds,comment\n{rows}"));
    let err = folder.run(&["inspect", "two.csv"]).err;
    let line = "item=task, rater=worker; questions: kind, size; ignored: seconds, comment";
    assert!(err.starts_with(&format!("read two.csv: {line}\n")), "{err}");
    let found = folder.json(&["aggregate", "two.csv"]);
    let expected = folder.json(&["aggregate", "long.csv"]);
    assert_eq!(found["questions"][0]["question"], "kind");
    assert_eq!(found["questions"][0]["tasks"], expected["tasks"]);
    assert_eq!(folder.json(&["aggregate", "two.csv", "--question", "kind"])["tasks"], expected["tasks"]);
    // A table is converted as it is, and numbers are judgments.
    folder.run(&["convert", "two.csv", "two.tsv"]);
    assert!(folder.read("two.tsv").starts_with("item\trater\tkind\tsize\tseconds\tcomment\n"));
    folder.write("mixed.csv", "item,rater,kind,height\ni1,a,x,1.5\ni1,b,x,1.6\ni2,a,y,1.7\ni2,b,x,1.8\n");
    assert!(folder.error(&["inspect", "mixed.csv"]).contains("'x' in column 'kind' is not a number"));
}

#[test]
fn a_text_file_is_what_its_first_bytes_say() {
    let folder = Folder::new();
    folder.write("long.csv", LONG);
    for (at, delimiter) in ["\t", "|", ";", ","].into_iter().enumerate() {
        let name = format!("f{at}.txt");
        folder.write(&name, LONG.replace(',', delimiter));
        same_as(&folder, "long.csv", &name, "task=task, worker=worker, label=label");
    }
    folder.write("f.txt", "{\"task\":\"t1\",\"worker\":\"ann\",\"label\":\"x\"}\n");
    assert_eq!(folder.json(&["inspect", "f.txt"])["labels"], 1);
    assert!(folder.error(&["convert", "long.csv", "out.txt"]).contains(".txt is not known"));
}
