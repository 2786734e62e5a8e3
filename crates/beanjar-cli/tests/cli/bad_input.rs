//! Every mistake gets one clear sentence, exit code 2, and no half-written file.

use crate::support::Folder;

/// Inspects a file with this content, which must fail with a sentence that has all these words.
fn inspect(name: &str, content: impl AsRef<[u8]>, words: &[&str]) {
    let folder = Folder::new();
    folder.write(name, content);
    let error = folder.error(&["inspect", name]);
    for word in words {
        assert!(error.contains(word), "'{word}' is not in: {error}");
    }
}

#[test]
fn a_missing_column_is_named_with_what_was_found_and_looked_for() {
    let words = ["f.csv, line 1", "no worker column", "annotator", "'task', 'who', 'label'", "--columns worker=NAME"];
    inspect("f.csv", "task,who,label\n1,a,x\n", &words);
    inspect("f.csv", "a,b\n1,2\n", &["no object column", "'a', 'b'"]);
    inspect("f.csv", "object,attribute\n1,2\n", &["no value column"]);
}

#[test]
fn a_ragged_row_is_located() {
    inspect("f.csv", "task,worker,label\n1,a,x\n2,b\n", &["f.csv, line 3", "2 fields", "header has 3"]);
    inspect("f.tsv", "task\tworker\tlabel\n1\ta\tx\ty\n", &["f.tsv, line 2", "4 fields"]);
}

#[test]
fn the_first_of_several_mistakes_is_reported_whatever_the_threads() {
    let folder = Folder::new();
    let mut text = String::from("task,worker,label\n");
    for row in 0..200_000 {
        text += if row == 150_000 || row == 180_000 { "oops\n" } else { "t1,w1,c1\n" };
    }
    folder.write("f.csv", text);
    for threads in ["1", "2", "7"] {
        let error = folder.error(&["inspect", "f.csv", "--threads", threads]);
        assert!(error.contains("line 150002"), "{error}");
    }
}

#[test]
fn text_where_a_number_must_be_is_named() {
    let words = ["f.csv, line 3", "'tall'", "column 'value'", "not a number"];
    inspect("f.csv", "object,attribute,value\n1,a,2\n1,a,tall\n", &words);
    inspect("f.csv", "object,worker,height\n1,a,2\n1,b,tall\n", &["line 3", "'tall'", "column 'height'"]);
    inspect("f.csv", "object,attribute,value\n1,a,inf\n", &["'inf'", "not a number"]);
}

#[test]
fn empty_files_and_bare_headers_are_told_apart() {
    for name in ["f.csv", "f.tsv", "f.jsonl", "f.parquet", "f.arrow", "f.csv.gz"] {
        let content: &[u8] = match name {
            // An empty gzip stream.
            "f.csv.gz" => &[31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            _ => b"",
        };
        inspect(name, content, &[name, "the file is empty"]);
    }
    inspect("f.csv", "task,worker,label\n", &["f.csv, line 1", "not a single row"]);
    inspect("f.csv", "task,worker,label", &["f.csv, line 1", "not a single row"]);
    inspect("f.csv", "task,worker,label\n,,\nNA,NA,NA\n", &["not a single row with a task"]);
    inspect("f.csv", "\n\n\n", &["the file is empty"]);
    inspect("f.jsonl", "\n \n", &["the file is empty"]);
}

#[test]
fn bytes_that_are_no_text_are_located() {
    inspect("f.csv", b"task,worker,label\n1,caf\xe9,x\n", &["f.csv, byte 23", "UTF-8"]);
    inspect("f.csv", b"task,w\xffrker,label\n1,a,x\n", &["byte 6"]);
    inspect("f.jsonl", b"{\"task\": \"\xff\"}\n", &["byte 10"]);
    inspect("f.csv", b"\xff\xfet\0a", &["begins as UTF-16 text and is none", "save it as UTF-8"]);
    let mut long = b"task,worker,label\n".to_vec();
    long.extend(b"t1,w1,c1\n".repeat(100_000));
    long.extend(b"t1,w1,\xc3\n");
    inspect("f.csv", long, &["byte 900024"]);
}

#[test]
fn unknown_extensions_and_unreadable_files_say_what_would_do() {
    inspect("f.dat", "task,worker,label\n1,a,x\n", &["f.dat", ".dat is not known", ".csv"]);
    inspect("labels", "task,worker,label\n1,a,x\n", &["labels", "no extension"]);
    inspect("f.parquet.gz", "x", &["own compression"]);
    inspect("f.parquet", "this is no parquet", &["f.parquet", "cannot be read", "damaged"]);
    inspect("f.arrow", "this is no arrow file", &["f.arrow", "cannot be read"]);
    inspect("f.csv.gz", "this is no gzip", &["f.csv.gz", "cannot be read"]);
    let folder = Folder::new();
    assert!(folder.error(&["inspect", "missing.csv"]).contains("missing.csv: cannot be read: there is no such file"));
    std::fs::create_dir(folder.path("folder.csv")).unwrap();
    assert!(folder.error(&["inspect", "folder.csv"]).contains("it is a folder"));
}

#[test]
fn a_quote_that_never_ends_is_located() {
    inspect("f.csv", "task,worker,label\n1,a,x\n2,\"b,y\n3,c,z\n", &["f.csv, line 3", "never ends"]);
    inspect("f.csv", "task,worker,\"label\n1,a,x\n", &["f.csv, line 1", "never ends"]);
}

#[test]
fn json_that_is_none_is_located() {
    let good = "{\"task\": 1, \"worker\": 2, \"label\": 3}\n";
    inspect("f.jsonl", format!("{good}{{\"task\": 1,\n"), &["f.jsonl, line 2"]);
    inspect("f.jsonl", format!("{good}[1, 2]\n"), &["f.jsonl, line 2", "JSON object"]);
    inspect(
        "f.jsonl",
        format!("{good}{{\"task\": [[1]], \"worker\": 2, \"label\": 3}}\n"),
        &["line 2", "'task' is nested"],
    );
    inspect("f.jsonl", "{\"task\": 1, \"task\": 2, \"worker\": 2, \"label\": 3}\n", &["line 1", "'task' stands twice"]);
    inspect("f.jsonl", "{\"task\": \"\\ud800\", \"worker\": 2, \"label\": 3}\n", &["line 1", "wrong escape"]);
}

#[test]
fn doubtful_columns_are_asked_about() {
    inspect("f.csv", "task,task,worker,label\n1,1,a,x\n", &["two columns are called 'task'"]);
    inspect("f.csv", "task,worker,label,rating\n1,a,x,3\n", &["'label'", "'rating'", "--kind"]);
    let folder = Folder::new();
    folder.write("f.csv", "task,worker,label\n1,a,x\n");
    for columns in ["task=worker,worker=worker", "worker=task,task=task", "label=worker,worker=worker"] {
        let error = folder.error(&["inspect", "f.csv", "--columns", columns]);
        assert!(error.contains("cannot be both"), "{columns}: {error}");
    }
    let error = folder.error(&["inspect", "f.csv", "--columns", "worker=rater"]);
    assert!(error.contains("no column 'rater'") && error.contains("'task', 'worker', 'label'"), "{error}");
}

#[test]
fn labels_of_other_objects_are_no_labels() {
    let folder = Folder::new();
    folder.write("f.csv", "object,attribute,value\n1,a,2\n1,a,3\n2,a,5\n");
    folder.write("other.csv", "object,height\nx1,60\nx2,70\n");
    let error = folder.error(&["inspect", "f.csv", "--labels", "other.csv"]);
    assert!(error.contains("f.csv and other.csv"), "{error}");
    assert!(error.contains("none of the 2 objects") && error.contains("'1'") && error.contains("'x1'"), "{error}");
    folder.write("twice.csv", "object,height\n1,60\n1,70\n");
    let error = folder.error(&["inspect", "f.csv", "--labels", "twice.csv"]);
    assert!(error.contains("twice.csv, line 3") && error.contains("'1'"), "{error}");
    folder.write("part.csv", "object,height\n1,60\n2,\n");
    let run = folder.run(&["inspect", "f.csv", "--labels", "part.csv", "--format", "json"]);
    assert!(run.err.contains("warning: 1 object without a known label"), "{}", run.err);
    assert!(run.out.contains("\"labelled\": 1"), "{}", run.out);
}

#[test]
fn an_output_never_overwrites_an_input_nor_stays_half_written() {
    let folder = Folder::new();
    let good = "task,worker,label\n1,a,x\n1,b,y\n";
    folder.write("f.csv", good);
    for arguments in
        [&["inspect", "f.csv", "--out", "f.csv"][..], &["convert", "f.csv", "f.csv"], &["convert", "f.csv", "./f.csv"]]
    {
        assert!(folder.error(arguments).contains("would overwrite an input"));
        assert_eq!(folder.read("f.csv"), good);
    }
    folder.write("bad.csv", "task,worker,label\n1,a,x\n1,b\n");
    for to in ["out.csv", "out.parquet", "out.arrow", "out.jsonl.gz"] {
        folder.error(&["convert", "bad.csv", to]);
    }
    folder.error(&["convert", "f.csv", "no/such/folder/out.csv"]);
    folder.error(&["convert", "f.csv", "out.txt"]);
    assert_eq!(folder.names(), ["bad.csv", "f.csv"]);
}

#[test]
fn an_output_that_was_there_stays_until_the_new_one_is_whole() {
    let folder = Folder::new();
    folder.write("bad.csv", "task,worker,label\n1,a,x\n1,b\n");
    folder.write("out.csv", "precious");
    folder.error(&["convert", "bad.csv", "out.csv"]);
    assert_eq!(folder.read("out.csv"), "precious");
}

#[test]
fn what_is_odd_is_counted_and_said_once() {
    let folder = Folder::new();
    folder.write("f.csv", "object,attribute,worker,value\n1,a,w,2\n1,a,w,3\n1,a,v,3\n2,a,w,1\n2,b,w,7\n1,b,w,7\n");
    let run = folder.run(&["inspect", "f.csv", "--format", "json"]);
    assert_eq!(run.code, 0);
    for warning in [
        "warning: 1 judgment with the (object, attribute, worker) of an earlier row",
        "warning: 1 attribute with a constant value, which carries no information: b",
        "warning: 1 worker with a single judgment",
        "warning: 1 attribute judged only once for every object",
    ] {
        assert_eq!(run.err.matches(warning).count(), 1, "{warning}: {}", run.err);
    }
    assert_eq!(folder.run(&["inspect", "f.csv", "--quiet"]).err, "");
}

#[test]
fn parameters_out_of_range_are_named() {
    let folder = Folder::new();
    folder.write("f.csv", "object,attribute,value\n1,a,2\n1,a,3\n2,a,5\n");
    folder.write("l.csv", "task,worker,label\n1,a,cat\n1,b,dog\n");
    assert!(folder.error(&["inspect", "f.csv", "--wanted", "1.5"]).contains("1.5"));
    assert!(folder.error(&["inspect", "f.csv", "--mean-of", "0"]).contains("judgments to average"));
    assert!(folder.error(&["inspect", "l.csv", "--scale", "ratio"]).contains("l.csv: "));
    assert!(folder.error(&["inspect", "l.csv", "--bootstrap", "18446744073709551615"]).contains("bootstrap"));
    assert!(folder.error(&["inspect", "l.csv", "--threads", "30000"]).contains("threads"));
    assert!(folder.error(&["simulate", "labels", "--classes", "10000", "--out", "x"]).contains("classes"));
    let parts = ["simulate", "labels", "--tasks", "100000000000", "--parts", "300", "--out", "x"];
    assert!(folder.error(&parts).contains("held at once"));
    assert!(folder.error(&["simulate", "photos", "--objects", "100000000", "--out", "x"]).contains("photos"));
    assert!(folder.error(&["convert", "l.csv", "--out", "x.csv", "y.csv"]).contains("--out"));
    assert_eq!(folder.names(), ["f.csv", "l.csv"]);
    assert!(folder.error(&["simulate", "labels", "--classes", "1", "--out", "x"]).contains("classes"));
    assert!(folder.error(&["simulate", "photos"]).contains("--out"));
    assert!(folder.error(&["simulate", "photos", "--out", "x", "--as", "docx"]).contains(".docx"));
}

#[test]
fn messages_stay_on_one_short_line() {
    inspect("f.csv", "object,attribute,value\n1,a,\"x\ny\u{1b}[31mz\"\n", &["'x\\ny\\u{1b}[31mz'"]);
    let folder = Folder::new();
    folder.write("f.csv", format!("object,attribute,value\n1,a,{}\n", "long".repeat(100_000)));
    assert!(folder.error(&["inspect", "f.csv"]).len() < 300);
    folder.write("f.csv", format!("a,{}\n1,2\n", "long".repeat(100_000)));
    assert!(folder.error(&["inspect", "f.csv"]).len() < 400);
}

#[test]
fn judgments_that_cannot_be_laid_out_are_refused() {
    let folder = Folder::new();
    folder.write("l.csv", "task,worker,label\n1,a,x\n");
    assert!(folder.error(&["convert", "l.csv", "w.csv", "--form", "wide"]).contains("holds labels"));
    folder.write("j.csv", "object,attribute,value\n1,score,2\n1,tall,2\n");
    let error = folder.error(&["convert", "j.csv", "w.csv", "--form", "wide"]);
    assert!(error.contains("'score'") && error.contains("value"), "{error}");
}

#[test]
fn a_header_alone_is_found_where_it_stands() {
    let folder = Folder::new();
    folder.write("title.csv", "My study\n\ntask,worker,label\n");
    assert!(
        folder.error(&["inspect", "title.csv"]).contains("title.csv, line 3: there is a header and not a single row")
    );
    folder.write("plain.csv", "task,worker,label\n");
    assert!(folder.error(&["inspect", "plain.csv"]).contains("plain.csv, line 1: there is a header"));
    for empty in ["[]", "{}", "[{}]"] {
        folder.write("empty.json", empty);
        let error = folder.error(&["inspect", "empty.json"]);
        assert!(error.contains("empty.json: no object column, nor any other") && !error.contains("found ;"), "{error}");
    }
}

#[test]
fn advice_on_arguments_is_of_use() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\n1,a,x\n1,b,y\n");
    for (arguments, said) in [
        (
            &["inspect", "labels.csv", "--seed", "-1"][..],
            "'-1' for '--seed <N>': it must be a whole number, 0 or above",
        ),
        (&["inspect", "labels.csv", "--threads", "-2"], "'-2' for '--threads <N>'"),
        (&["inspect", "labels.csv", "--costt"], "unexpected argument '--costt'"),
        (&["inspect", "-x", "labels.csv"], "unexpected argument '-x'"),
        (&["inspect", "labels.csv", "--bootstrp", "3"], "'--bootstrap'"),
        (&["labels.csv"], "beanjar inspect labels.csv"),
        (&["inspekt", "labels.csv"], "'inspect'"),
    ] {
        let run = folder.run(arguments);
        assert_eq!(run.code, 2, "{arguments:?}");
        assert!(run.err.contains(said) && !run.err.contains("as a value, use"), "{arguments:?}: {}", run.err);
    }
    assert_eq!(folder.json(&["inspect", "labels.csv", "--missing", "-99"])["labels"], 2);
}

#[test]
fn a_number_out_of_range_is_named_with_its_flag() {
    let folder = Folder::new();
    folder.run(&["simulate", "labels", "--tasks", "20", "--workers", "5", "--out", "crowd"]);
    folder.run(&["simulate", "photos", "--objects", "30", "--out", "photos"]);
    folder.run(&["simulate", "experts", "--units", "40", "--out", "experts"]);
    let aggregate = ["aggregate", "crowd/labels.csv", "--method"];
    let select =
        ["select", "photos/judgments.csv", "--labels", "photos/truth.csv", "--label", "height", "--budget", "5"];
    let learn = ["learn", "experts/features.csv", "--labels", "experts/labels.csv"];
    let (votes, next) = (["votes", "crowd/labels.csv"], ["next", "crowd/labels.csv"]);
    let (simulate, photos) = (["simulate", "labels", "--out", "x"], ["simulate", "photos", "--out", "x"]);
    let cases: [(&[&str], &[&str]); 43] = [
        (&aggregate[..2], &["--prior", "0.5"]),
        (&aggregate, &["dawid-skene", "--smoothing", "-1"]),
        (&aggregate, &["dawid-skene", "--iterations", "0"]),
        (&aggregate, &["mmsr", "--iterations", "0"]),
        (&aggregate, &["mixture", "--restarts", "0"]),
        (&aggregate, &["mixture", "--components", "0"]),
        (&aggregate, &["skilled", "--kinds", "99"]),
        (&["workers", "crowd/labels.csv"], &["--keep", "99"]),
        (&["inspect", "crowd/labels.csv"], &["--bootstrap", "99999999"]),
        (&["inspect", "photos/judgments.csv"], &["--mean-of", "0"]),
        (&["inspect", "photos/judgments.csv"], &["--wanted", "2"]),
        (&["inspect", "crowd/labels.csv"], &["--wanted", "NaN"]),
        (&select[..6], &["--budget", "-1"]),
        (&select, &["--at-most", "0"]),
        (&select, &["--ridge", "-1"]),
        (&select, &["--bootstrap", "99999999"]),
        (&select, &["--noise-factor", "-1"]),
        (&select, &["--cost", "beard=-1"]),
        (&votes, &["--target-accuracy", "2"]),
        (&votes, &["--cost", "-1"]),
        (&votes, &["--worth", "-1"]),
        (&votes, &["--most", "0"]),
        (&next, &["--votes", "0"]),
        (&next, &["--per-task", "0"]),
        (&next, &["--most-per-task", "0"]),
        (&next, &["--cost", "-1"]),
        (&next, &["--stop", "2"]),
        (&simulate, &["--spammers", "2"]),
        (&simulate, &["--constancy", "2"]),
        (&["gold", "crowd/labels.csv"], &["--n", "0"]),
        (&learn, &["--penalty", "-1"]),
        (&learn, &["--folds", "1"]),
        (&learn, &["--holdout", "2"]),
        (&learn, &["--penalty-difficulty", "-1"]),
        (&simulate, &["--classes", "0"]),
        (&simulate, &["--tasks", "0"]),
        (&simulate, &["--votes", "99"]),
        (&simulate, &["--accuracy", "2"]),
        (&simulate, &["--hard", "2"]),
        (&simulate, &["--priors", "1,2,3"]),
        (&photos, &["--objects", "0"]),
        (&photos, &["--judgments", "0"]),
        (&["simulate", "experts", "--out", "x"], &["--units", "0"]),
    ];
    for (command, more) in cases {
        let arguments = [command, more].concat();
        let error = folder.error(&arguments);
        let flag = more.iter().find(|word| word.starts_with("--")).expect("a flag");
        assert!(error.contains(flag), "{arguments:?}: {error}");
    }
}
