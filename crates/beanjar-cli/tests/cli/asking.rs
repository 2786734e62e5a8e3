//! How many votes, and whose.

use crate::support::Folder;

/// 60 tasks of four votes by six workers; on every fourth task votes are split.
fn labels() -> String {
    let mut text = String::from("task,worker,label\n");
    for task in 0..60 {
        for vote in 0..4 {
            let worker = (task + vote) % 6;
            let yes = (task % 2 == 0) != (task % 4 == 0 && vote % 2 == 0);
            text += &format!("{task},w{worker},{}\n", if yes { "yes" } else { "no" });
        }
    }
    text
}

#[test]
fn somebody_asks_how_many_votes_are_enough() {
    let folder = Folder::new();
    folder.write("labels.csv", labels());
    let found = folder.json(&["votes", "labels.csv", "--target-accuracy", "0.9", "--cost", "0.05"]);
    assert_eq!((found["tasks"].as_u64(), found["votes"].as_u64()), (Some(60), Some(240)));
    let curve = found["curve"].as_array().unwrap();
    assert_eq!(curve.len(), 8);
    assert_eq!((curve[5]["price"].as_f64(), curve[5]["price_of_more"].as_f64()), (Some(18.0), Some(6.0)));
    let target = &found["target"];
    let reached = curve.iter().find(|row| row["accuracy"].as_f64() >= Some(0.9)).map(|row| row["votes"].clone());
    assert_eq!(target["votes"], reached.unwrap_or_default());
    let text = folder.run(&["votes", "labels.csv", "--format", "table"]);
    for words in ["60 tasks with 240 votes (4.0 a task)", "accuracy", "agreement", "next gains", "Votes "] {
        assert!(text.out.contains(words), "{words}: {}", text.out);
    }
    assert!(text.out.lines().all(|line| line.chars().count() <= 100), "{}", text.out);
    let rows = folder.run(&["votes", "labels.csv", "--format", "csv"]).out;
    assert_eq!(rows.lines().count(), 9);
    assert!(rows.starts_with("votes,measured,accuracy,accuracy_low,accuracy_high,"), "{rows}");
}

#[test]
fn known_answers_are_used_and_bad_ones_are_named() {
    let folder = Folder::new();
    folder.write("labels.csv", labels());
    let known: String = (0..40).map(|task| format!("{task},{}\n", if task % 2 == 0 { "yes" } else { "no" })).collect();
    folder.write("known.csv", format!("task,label\n{known}"));
    let found = folder.json(&["votes", "labels.csv", "--gold", "known.csv"]);
    assert_eq!(found["known_answers"].as_u64(), Some(40));
    folder.write("other.csv", "task,label\nx,yes\n");
    let error = folder.error(&["votes", "labels.csv", "--gold", "other.csv"]);
    assert!(error.contains("labels.csv and other.csv") && error.contains("none of the 60 tasks"), "{error}");
    let error = folder.error(&["votes", "labels.csv", "--target-accuracy", "95"]);
    assert!(error.contains("the accuracy to reach is 95"), "{error}");
    folder.write("once.csv", "task,worker,label\na,x,1\nb,y,2\n");
    let error = folder.error(&["votes", "once.csv"]);
    assert!(error.contains("once.csv: every task has one vote"), "{error}");
}

#[test]
fn somebody_asks_in_a_loop_whom_to_ask_what() {
    let folder = Folder::new();
    folder.write("labels.csv", labels());
    folder.write("pool.csv", "worker,limit,cost\nw0,2,\nw1,,2\nw2,,\nnewcomer,3,0.5\n");
    let arguments = ["next", "labels.csv", "--votes", "12", "--workers", "pool.csv", "--cost", "1"];
    let found = folder.json(&arguments);
    let questions = found["ask"].as_array().unwrap();
    assert_eq!(questions.len(), 12);
    let asked = |name: &str| questions.iter().filter(|question| question["worker"] == name).count();
    assert!(asked("w0") <= 2 && asked("newcomer") <= 3 && asked("w3") == 0);
    let price = asked("w0") as f64 + 2.0 * asked("w1") as f64 + asked("w2") as f64 + 0.5 * asked("newcomer") as f64;
    assert!((found["price"].as_f64().unwrap() - price).abs() < 1e-9);

    let run = folder.run(&["next", "labels.csv", "--votes", "5", "--label-studio", "ids.json", "--out", "ask.csv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let rows = folder.read("ask.csv");
    assert!(rows.starts_with("task,worker,label_so_far,confidence,votes,gain\n"), "{rows}");
    let ids: serde_json::Value = serde_json::from_str(&folder.read("ids.json")).unwrap();
    assert_eq!(ids["all"], false);
    let first: u64 = rows.lines().nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    assert_eq!(ids["included"][0].as_u64(), Some(first));
    assert_eq!(first % 4, 0, "a task whose votes are split comes first: {rows}");

    // The answers are appended, and it is asked again.
    let mut more = labels();
    rows.lines().skip(1).enumerate().for_each(|(i, line)| {
        more += &format!("{},x{i},yes\n", line.split(',').next().unwrap());
    });
    folder.write("more.csv", more);
    let again = folder.json(&["next", "more.csv", "--votes", "5", "--stop", "0.5"]);
    assert_eq!((again["stop"]["reached"].as_bool(), again["ask"].as_array().map(Vec::len)), (Some(true), Some(0)));
    let text = folder.run(&["next", "more.csv", "--votes", "5", "--format", "table"]).out;
    assert!(text.contains("5 questions to ask, for 5") && text.contains("label so far"), "{text}");
}

#[test]
fn bad_pools_and_limits_are_named() {
    let folder = Folder::new();
    folder.write("labels.csv", labels());
    folder.write("pool.csv", "worker,limit\nw0,many\n");
    let error = folder.error(&["next", "labels.csv", "--workers", "pool.csv"]);
    assert!(error.contains("pool.csv: 'many' for 'w0' in column 'limit' is not a whole number"), "{error}");
    let error = folder.error(&["next", "labels.csv", "--votes", "0"]);
    assert!(error.contains("the number of votes to ask for is 0"), "{error}");
    folder.write("ids.csv", "task\n0\nfresh\n");
    let found = folder.json(&["next", "labels.csv", "--tasks", "ids.csv", "--votes", "1"]);
    assert_eq!((found["tasks"].as_u64(), found["ask"][0]["task"].as_str()), (Some(61), Some("fresh")));
    assert!(found["ask"][0]["label"].is_null());
}
