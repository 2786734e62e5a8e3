//! Files that are hostile, broken or odd: one sentence and exit code 2, or the right answer.

use crate::support::Folder;
use std::process::{Command, Stdio};

const LABELS: &str = "task,worker,label\nt1,a,x\nt1,b,x\nt1,c,y\nt2,a,y\nt2,b,y\nt2,c,y\nt3,a,x\nt3,b,y\nt3,c,x\n";

#[test]
fn a_file_that_unpacks_to_too_much_is_refused_and_a_flag_lets_it_through() {
    let folder = Folder::new();
    // A column of thirty megabytes of one letter, in some kilobytes.
    let row = format!("t1,a,x,{}\n", "x".repeat(1 << 20));
    folder.write("plain.csv", format!("task,worker,label,note\n{}t2,b,x,\nt2,a,y,\n", row.repeat(30)));
    let run = folder.run(&["convert", "plain.csv", "packed.csv.zst"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let error = folder.error(&["inspect", "packed.csv.zst", "--unpack-limit", "0.02"]);
    assert!(error.contains("packed.csv.zst: it unpacks to more than 20 MB; --unpack-limit"), "{error}");
    assert_eq!(folder.run(&["inspect", "packed.csv.zst", "--unpack-limit", "1"]).code, 0);
    folder.write("labels.csv", LABELS);
    // Two rows of 20,000 zeros, 320 kB.
    let arrays = concat!(env!("CARGO_MANIFEST_DIR"), "/../beanjar-io/tests/fuzz/kept/zeros.npz");
    let error = folder.error(&["learn", arrays, "--labels", "labels.csv", "--unpack-limit", "0.0001"]);
    assert!(error.contains("zeros.npz: it unpacks to more than"), "{error}");
    assert!(!folder.run(&["learn", arrays, "--labels", "labels.csv"]).err.contains("unpack"));
    for limit in ["nan", "0", "-1", "inf"] {
        let run = folder.run(&["inspect", "packed.csv.zst", &format!("--unpack-limit={limit}")]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("--unpack-limit") && run.err.contains("above 0"), "{}", run.err);
    }
}

#[test]
fn numbers_too_large_to_square_are_refused_with_their_line() {
    let folder = Folder::new();
    folder.write("j.csv", "object,attribute,value\no1,a,1\no1,a,1e200\no2,a,3\no2,a,4\n");
    let error = folder.error(&["inspect", "j.csv"]);
    assert!(error.contains("j.csv, line 3: 1e200 in column 'value' is too large"), "{error}");
    folder.write("j.csv", "object,attribute,value\no1,a,1\no1,a,2\no2,a,3\no2,a,4\no3,a,3\no3,a,7\no4,a,1\no4,a,1\n");
    folder.write("y.csv", "object,y\no1,1e200\no2,2\no3,5\no4,1\n");
    let error = folder.error(&["select", "j.csv", "--labels", "y.csv", "--budget", "2"]);
    assert!(error.contains("too large"), "{error}");
    for cost in ["a=inf", "a=-1", "a=NaN", "a=1e300"] {
        folder.write("y.csv", "object,y\no1,1\no2,2\no3,5\no4,1\n");
        let error = folder.error(&["select", "j.csv", "--labels", "y.csv", "--budget", "2", "--cost", cost]);
        assert!(error.contains("cost"), "{cost}: {error}");
    }
    for cost in ["inf", "-1", "NaN", "1e300"] {
        folder.write("s.csv", format!("attribute,judgments,cost\na,2,{cost}\n"));
        let run = folder.run(&["plan", "j.csv", "--selection", "s.csv", "--format", "json"]);
        assert!(
            run.code == 2 && run.err.contains("s.csv") || cost == "NaN" && run.code == 0,
            "{cost}: {} {}",
            run.code,
            run.err
        );
        assert!(!run.out.contains("null"), "{cost}: {}", run.out);
    }
}

#[test]
fn ids_with_space_and_classes_with_space() {
    let folder = Folder::new();
    folder.write("f.csv", "task,worker,label\n\"NA \",a,dog\n\"NA \",b, dog\nt2,a,dog\nt2,b,cat\n");
    assert_eq!(folder.run(&["convert", "f.csv", "g.csv"]).code, 0);
    assert!(folder.read("g.csv").contains("NA ,a,dog"), "{}", folder.read("g.csv"));
    let run = folder.run(&["inspect", "f.csv", "--format", "json"]);
    assert!(run.err.contains("label ' dog' read as 'dog'"), "{}", run.err);
    assert!(run.out.contains("\"tasks\": 2"), "{}", run.out);
}

#[test]
fn formulas_are_harmless_where_it_is_asked_for() {
    let folder = Folder::new();
    folder.write("f.csv", LABELS.replace("t1", "=1+1").replace("t2", "-3"));
    let plain = folder.run(&["aggregate", "f.csv", "--format", "csv"]).out;
    assert!(plain.contains("\n=1+1,") && plain.contains("\n-3,"), "{plain}");
    let safe = folder.run(&["aggregate", "f.csv", "--format", "csv", "--safe-csv"]).out;
    assert!(safe.contains("\n'=1+1,") && safe.contains("\n-3,"), "{safe}");
    folder.run(&["convert", "f.csv", "g.tsv", "--safe-csv"]);
    assert!(folder.read("g.tsv").contains("\n'=1+1\t"), "{}", folder.read("g.tsv"));
}

#[test]
fn nothing_in_names_reaches_the_terminal() {
    let folder = Folder::new();
    let rows: String = (0..12).flat_map(|o| [0, 1].map(|w| format!("o{o},a,w{w},{}\n", o * 3 % 7 + w))).collect();
    folder.write("j.csv", format!("object,attribute,worker,value\n{rows}"));
    let labels: String = (0..12).map(|o| format!("o{o},{}\n", o * 3 % 7)).collect();
    folder.write("y.csv", format!("object,h\u{1b}[31m\u{202e}t\n{labels}"));
    let run = folder.run(&["select", "j.csv", "--labels", "y.csv", "--budget", "2", "--format", "table"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        !run.out.contains(['\u{1b}', '\u{202e}']) && !run.err.contains(['\u{1b}', '\u{202e}']),
        "{}{}",
        run.out,
        run.err
    );
    let run = folder.run(&["convert", "j.csv", "x\u{1b}[2J.csv"]);
    assert!(!run.err.contains('\u{1b}'), "{}", run.err);
    for words in
        [&["inspect", "--x\u{202e}\u{9b}y"][..], &["gold", "j.csv", "--n", "5\u{202e}\u{9b}"], &["x\u{202e}\u{9b}"]]
    {
        let run = folder.run(words);
        assert_eq!(run.code, 2);
        assert!(run.err.contains(r"\u{202e}\u{9b}") && !run.err.contains(['\u{202e}', '\u{9b}']), "{}", run.err);
    }
    let run = folder.run(&["gold", "j.csv", "--n", &"9".repeat(70_000)]);
    assert!(run.code == 2 && run.err.contains("--n") && run.err.len() < 1000, "{}", run.err.len());
}

#[test]
fn sizes_are_checked_before_work_begins() {
    let folder = Folder::new();
    for tasks in ["100000000000", "18446744073709551615"] {
        let error = folder.error(&["simulate", "labels", "--tasks", tasks, "--out", "s"]);
        assert!(error.contains("the number of tasks") && error.contains("(--tasks, --votes)"), "{error}");
        let error = folder.error(&["simulate", "labels", "--workers", tasks, "--out", "s"]);
        assert!(error.contains("(--classes, --workers)"), "{error}");
    }
    assert!(
        folder.error(&["simulate", "photos", "--objects", "18446744073709551615", "--out", "s"]).contains("photos")
    );
    assert!(folder.error(&["simulate", "experts", "--units", "18446744073709551615", "--out", "s"]).contains("units"));
}

/// Whether this process ignores a signal, and so all that it starts.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    bits.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits >> (signal - 1) & 1 == 1)
}

#[test]
#[cfg(unix)]
fn signals_say_how_the_program_ended_and_leave_nothing() {
    let folder = Folder::new();
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let arguments = ["simulate", "labels", "--tasks", "20000000", "--out", "s"];
        let mut child = Command::new(env!("CARGO_BIN_EXE_beanjar"))
            .args(arguments)
            .current_dir(folder.path("."))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary");
        std::thread::sleep(std::time::Duration::from_millis(500));
        let send = |signal: &str| {
            let kill = format!("kill -{signal} {}", child.id());
            assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
        };
        send(signal);
        // Tests that run in the background, or under nohup, hand on signals that are ignored: then only TERM ends it.
        let ignored = is_ignored(code - 128);
        if ignored {
            send("TERM");
        }
        let code = if ignored { 143 } else { code };
        assert_eq!(child.wait().expect("its end").code(), Some(code), "{signal}");
    }
    assert!(folder.names().iter().all(|name| !name.starts_with(".beanjar")), "{:?}", folder.names());
}

#[test]
fn rows_in_another_order_give_the_same_answer() {
    let folder = Folder::new();
    folder.run(&["simulate", "photos", "--objects", "60", "--judgments", "3", "--out", "p"]);
    let text = folder.read("p/judgments.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    // Attributes and workers keep the order in which they come first: only rows of objects move.
    lines[1..].reverse();
    folder.write("p/turned.csv", lines.join("\n") + "\n");
    let select = |file: &str| {
        let arguments =
            ["select", file, "--labels", "p/truth.csv", "--label", "height", "--budget", "10", "--bootstrap", "20"];
        folder.json(&arguments)
    };
    let (one, other) = (select("p/judgments.csv"), select("p/turned.csv"));
    let close = |one: &serde_json::Value, other: &serde_json::Value| {
        let (one, other) = (one.as_f64().expect("a number"), other.as_f64().expect("a number"));
        (one - other).abs() <= 1e-9 * one.abs()
    };
    assert!(close(&one["cv_loss"], &other["cv_loss"]), "{} and {}", one["cv_loss"], other["cv_loss"]);
    assert_eq!(one["ridge"], other["ridge"]);
    let names = |outcome: &serde_json::Value| {
        let chosen = outcome["selection"].as_array().expect("a selection");
        let mut names: Vec<String> = chosen.iter().map(|a| format!("{} {}", a["attribute"], a["judgments"])).collect();
        names.sort();
        names
    };
    assert_eq!(names(&one), names(&other));
    folder.write("l.csv", LABELS);
    let mut lines: Vec<&str> = LABELS.lines().collect();
    lines[1..].reverse();
    folder.write("m.csv", lines.join("\n") + "\n");
    for key in ["alpha", "alpha_low", "alpha_high"] {
        let (one, other) =
            (folder.json(&["inspect", "l.csv"])[key].clone(), folder.json(&["inspect", "m.csv"])[key].clone());
        assert!(close(&one, &other), "{key}: {one} and {other}");
    }
}

#[cfg(unix)]
#[test]
fn memory_that_cannot_be_had_is_a_sentence() {
    let folder = Folder::new();
    // Tables of 3,000 classes for five workers: half a gigabyte.
    let rows: String = (0..3000).map(|task| format!("t{task},w{},c{task}\nt{task},w4,c{task}\n", task % 4)).collect();
    folder.write("labels.csv", format!("task,worker,label\n{rows}"));
    let run = Command::new("sh")
        .args(["-c", "ulimit -v 400000; exec \"$0\" aggregate labels.csv --method skilled --threads 1 -q"])
        .arg(env!("CARGO_BIN_EXE_beanjar"))
        .current_dir(folder.path(""))
        // With it, the standard library adds where it happened; without, a note that it could.
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(said.starts_with("memory allocation of ") && said.lines().count() <= 2, "{said}");
}

#[test]
fn numbers_whose_sums_would_be_infinite_are_refused_by_the_name_of_their_flag() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    for (command, flag) in [
        (&["votes", "labels.csv"][..], "--cost"),
        (&["votes", "labels.csv"], "--worth"),
        (&["next", "labels.csv", "--votes", "3"], "--cost"),
        (&["simulate", "embeddings", "--out", "e"], "--separation"),
    ] {
        for number in ["1e308", "NaN", "-1"] {
            let option = format!("{flag}={number}");
            let error = folder.error(&[command, &[option.as_str()]].concat());
            assert!(error.contains(flag) && error.len() < 120, "{error}");
        }
    }
    assert!(
        folder
            .error(&["simulate", "labels", "--classes", "2", "--priors", "1e308,1e308", "--out", "s"])
            .contains("--priors")
    );
}

#[test]
fn more_threads_than_any_machine_has_are_refused_by_the_name_of_the_flag() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    for threads in ["1025", "18446744073709551615"] {
        let error = folder.error(&["inspect", "labels.csv", "--threads", threads]);
        assert!(error.contains("at most 1024 (--threads)"), "{error}");
    }
}

#[test]
fn more_restarts_than_anybody_waits_for_are_refused() {
    let folder = Folder::new();
    folder.write("labels.csv", LABELS);
    for method in ["spectral", "mixture", "mace"] {
        for restarts in ["0", "1000000000", "18446744073709551615"] {
            let error = folder.error(&["aggregate", "labels.csv", "--method", method, "--restarts", restarts]);
            assert!(error.contains("restarts") && error.contains("1 to 10000"), "{method}: {error}");
        }
    }
    let endless = ["aggregate", "labels.csv", "--method", "kos", "--iterations", "18446744073709551615"];
    assert!(folder.error(&endless).contains("--iterations"));
}

#[test]
fn a_row_group_without_rows_is_no_damage() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../beanjar-io/tests/fuzz/kept/empty-row-group.parquet");
    assert_eq!(Folder::new().json(&["inspect", file])["labels"], 4);
}

#[test]
fn a_file_packed_in_a_way_that_is_not_read_is_not_called_damaged() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../beanjar-io/tests/fuzz/kept/brotli.parquet");
    let error = Folder::new().error(&["inspect", file]);
    assert!(error.contains("brotli.parquet") && error.contains("zstd") && !error.contains("damaged"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_standard_output_leads_to_is_added_to_and_not_replaced() {
    let folder = Folder::new();
    folder.write("labels.csv", "task,worker,label\n1,a,x\n1,b,x\n");
    folder.write("log.txt", "before\n");
    let command = format!(
        "{} aggregate labels.csv --quiet --format csv --out /dev/stdout >> log.txt",
        env!("CARGO_BIN_EXE_beanjar")
    );
    let done = Command::new("sh").args(["-c", &command]).current_dir(folder.path(".")).status().unwrap();
    assert!(done.success());
    let log = folder.read("log.txt");
    assert!(log.starts_with("before\n") && log.contains("1,x,"), "{log}");
}
