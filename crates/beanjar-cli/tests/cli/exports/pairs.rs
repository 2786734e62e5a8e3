//! Verdicts on pairs.

use super::lines;
use crate::support::Folder;
use serde_json::json;

#[test]
fn verdicts_on_pairs_are_turned_to_one_frame() {
    let folder = Folder::new();
    // Judge 'fair' prefers x whatever the order; judge 'first' always takes what stands first.
    let mut records = Vec::new();
    for item in 1..=6 {
        for swapped in [false, true] {
            let (a, b) = if swapped { ("y", "x") } else { ("x", "y") };
            let fair = if swapped { "B" } else { "A" };
            records
                .push(json!({"item": item, "judge": "fair", "model_a": a, "model_b": b, "verdict": fair, "cost": 0.1}));
            records
                .push(json!({"item": item, "judge": "first", "model_a": a, "model_b": b, "verdict": "A", "cost": 0.1}));
        }
    }
    folder.write("pairs.jsonl", lines(records));
    let found = folder.json(&["inspect", "pairs.jsonl"]);
    assert_eq!(found["classes"], json!(["x", "y"]));
    assert_eq!(found["tasks"], 6);
    let expected = json!([
        {"judge": "fair", "verdicts": 12, "first": 0.5, "both_orders": 6, "changed": 0},
        {"judge": "first", "verdicts": 12, "first": 1.0, "both_orders": 6, "changed": 6},
    ]);
    assert_eq!(found["positions"], expected);
    let err = folder.run(&["aggregate", "pairs.jsonl"]).err;
    assert!(
        err.contains("first chose the first of two 100% of 12 times and changed with the order 6 of 6 times"),
        "{err}"
    );
    // The verdict may be the name of what was chosen.
    let named =
        |item: u32, a: &str, b: &str| json!({"item": item, "judge": "x", "model_a": a, "model_b": b, "winner": "x"});
    folder.write("named.jsonl", lines((1..=4).flat_map(|item| [named(item, "x", "y"), named(item, "y", "x")])));
    let found = folder.json(&["inspect", "named.jsonl"]);
    assert_eq!((&found["positions"][0]["first"], &found["positions"][0]["changed"]), (&json!(0.5), &json!(0)));
    // The order may stand in a column of its own.
    let swapped = |item: u32, swapped: bool| json!({"item": item, "model": "fair", "swapped": swapped, "verdict": if swapped { "B" } else { "A" }});
    folder.write("swapped.jsonl", lines((1..=4).flat_map(|item| [swapped(item, false), swapped(item, true)])));
    let found = folder.json(&["inspect", "swapped.jsonl"]);
    assert_eq!((&found["classes"], &found["positions"][0]["changed"]), (&json!(["A"]), &json!(0)));
    let table = folder.run(&["inspect", "pairs.jsonl", "--format", "table"]).out;
    assert!(table.contains("judge  verdicts"), "{table}");
    // A log of one model's verdicts on single items is a table like any other.
    folder.write(
        "log.jsonl",
        lines((1..=4).map(|item| json!({"item": item, "model": "m", "verdict": "yes", "cost": 1, "order": item}))),
    );
    assert_eq!(folder.json(&["inspect", "log.jsonl"])["classes"], json!(["yes"]));
}

/// Verdicts of two judges on six items: 'fair' prefers A, 'odd' prefers B on even items. Each item is shown in an order of its own.
fn log(order: &str, values: &[serde_json::Value; 2], verdicts: [&str; 2]) -> String {
    let record = |item: usize, judge: &str| {
        let exchanged = (item + judge.len()).is_multiple_of(3);
        let best = usize::from(judge == "odd" && item.is_multiple_of(2));
        let verdict = verdicts[if exchanged { 1 - best } else { best }];
        json!({"item": item, "judge": judge, order: values[usize::from(exchanged)], "verdict": verdict})
    };
    lines((1..=6).flat_map(|item| ["fair", "odd"].map(|judge| record(item, judge))))
}

#[test]
fn the_order_may_be_said_in_many_ways() {
    let folder = Folder::new();
    folder.write("pairs.jsonl", log("swapped", &[json!(false), json!(true)], ["A", "B"]));
    let expected = folder.json(&["inspect", "pairs.jsonl"]);
    let counts: Vec<&serde_json::Value> = expected["positions"].as_array().expect("judges").iter().collect();
    assert_eq!((counts.len(), &expected["classes"]), (2, &json!(["A", "B"])));
    for (order, values) in [
        ("order", [json!("AB"), json!("BA")]),
        ("order", [json!(1), json!(2)]),
        ("position", [json!(1), json!(2)]),
        ("order", [json!(0), json!(1)]),
        ("is_flipped", [json!(false), json!(true)]),
        ("swap_positions", [json!(0), json!(1)]),
        ("order_reversed", [json!("no"), json!("yes")]),
        ("is_switched_outputs", [json!(false), json!(true)]),
        ("order", [json!("original"), json!("swapped")]),
        ("order", [json!("a_first"), json!("b_first")]),
        ("presented_first", [json!("A"), json!("B")]),
    ] {
        for verdicts in
            [["A", "B"], ["[[A]]", "[[B]]"], ["A>B", "B>A"], ["A>>B", "A<B"], ["model_1", "model_2"], ["1", "2"]]
        {
            folder.write("pairs.jsonl", log(order, &values, verdicts));
            assert_eq!(folder.json(&["inspect", "pairs.jsonl"]), expected, "{order} {values:?} {verdicts:?}");
        }
    }
    // A list names what was shown, in its order.
    folder.write("pairs.jsonl", log("order", &[json!(["x", "y"]), json!(["y", "x"])], ["A", "B"]));
    let named = folder.json(&["inspect", "pairs.jsonl"]);
    assert_eq!(named["classes"], json!(["x", "y"]));
    for key in ["positions", "tasks", "alpha"] {
        assert_eq!(named[key], expected[key], "{key}");
    }
    // What cannot be read is a question.
    folder.write("pairs.jsonl", log("swapped", &[json!("x"), json!("y")], ["A", "B"]));
    let error = folder.error(&["inspect", "pairs.jsonl"]);
    assert!(
        error.contains("pairs.jsonl: it holds verdicts on pairs") && error.contains("in column 'swapped'"),
        "{error}"
    );
    assert_eq!(folder.json(&["inspect", "pairs.jsonl", "--columns", "worker=judge"])["tasks"], 6);
}

#[test]
fn names_are_turned_with_the_order_or_stand_as_they_were_shown() {
    let folder = Folder::new();
    // x is always better than y, and z better than x.
    let record = |item: usize, other: &str, exchanged: bool, fixed: bool| {
        let best = if other == "z" { "z" } else { "x" };
        let shown = if exchanged { [other, "x"] } else { ["x", other] };
        let names = if fixed { ["x", other] } else { shown };
        let winner = if shown[0] == best { "model_a" } else { "model_b" };
        json!({"question_id": item, "judge": "j", "model_a": names[0], "model_b": names[1], "swapped": exchanged, "winner": winner})
    };
    let records = |fixed: bool| {
        lines((1..=4).flat_map(|item| {
            ["y", "z"]
                .into_iter()
                .flat_map(move |other| [false, true].map(|exchanged| record(item, other, exchanged, fixed)))
        }))
    };
    for fixed in [true, false] {
        folder.write("pairs.jsonl", records(fixed));
        let found = folder.json(&["aggregate", "pairs.jsonl"]);
        let tasks = found["tasks"].as_array().expect("tasks");
        assert_eq!(tasks.len(), 8);
        for task in tasks {
            let best = if task["task"].as_str().expect("a name").ends_with("x or z") { "z" } else { "x" };
            assert_eq!(task["label"], best, "{task}");
        }
        assert_eq!(folder.json(&["inspect", "pairs.jsonl"])["positions"][0]["changed"], 0);
    }
    // Both at once is not clear.
    folder.write("pairs.jsonl", records(true) + &records(false));
    assert!(folder.error(&["inspect", "pairs.jsonl"]).contains("it is not clear whether 'model_a', 'model_b'"));
}

#[test]
fn preferences_are_numbers_and_generators_have_names() {
    let folder = Folder::new();
    let record = |item: usize, judge: &str, preference: f64| {
        json!({"instruction": format!("do {item}"), "output_1": format!("this {item}"), "generator_1": "base",
               "output_2": format!("that {item}"), "generator_2": "mine", "annotator": judge, "preference": preference})
    };
    let records = (1..=5).flat_map(|item| {
        [record(item, "a", 2.0), record(item, "b", 1.0), record(item, "c", 1.5), record(item, "d", 1.9)]
    });
    folder.write("annotations.json", serde_json::Value::Array(records.collect()).to_string());
    let err = folder.run(&["inspect", "annotations.json"]).err;
    assert!(err.contains("instruction=task, annotator=worker; preference=label of pairs"), "{err}");
    assert!(err.contains("5 verdicts between 1 and 2 read as the nearer"), "{err}");
    folder.run(&["convert", "annotations.json", "long.csv"]);
    let long = folder.read("long.csv");
    for line in ["do 1,a,mine", "do 1,b,base", "do 1,c,tie", "do 1,d,mine"] {
        assert!(long.contains(line), "{long}");
    }
}

#[test]
fn what_a_judge_judged_several_times_is_distinguished() {
    let folder = Folder::new();
    let record = |item: u32, model: &str, turn: u32| {
        json!({"question_id": item, "model": model, "turn": turn, "judge": ["j", "v1"],
        "verdict": if model == "x" { "good" } else { "bad" }})
    };
    let records = (1..=3)
        .flat_map(|item| ["x", "y"].into_iter().flat_map(move |model| [1, 2].map(|turn| record(item, model, turn))));
    folder.write("log.jsonl", lines(records));
    let found = folder.json(&["aggregate", "log.jsonl"]);
    assert_eq!(found["tasks"][0]["task"], "1: x: turn 1");
    assert_eq!(found["tasks"].as_array().map(Vec::len), Some(12));
    let err = folder.run(&["inspect", "log.jsonl"]).err;
    assert!(err.contains("model made part of the task, as it tells judgments of one worker apart"), "{err}");
    assert_eq!(folder.json(&["inspect", "log.jsonl"])["workers"][0]["worker"], "j|v1");
    // What comes through a pipe is looked at once, and has the same in it; and so has what is converted.
    let log = folder.read("log.jsonl");
    let piped = folder.run_with_input(&["aggregate", "-", "--format", "json"], log.as_bytes());
    assert_eq!(serde_json::from_str::<serde_json::Value>(&piped.out).expect("JSON"), found);
    for name in ["log.csv", "log.parquet"] {
        folder.run(&["convert", "log.jsonl", name]);
        assert_eq!(folder.json(&["aggregate", name]), found, "{name}");
    }
    assert!(folder.read("log.csv").starts_with("question_id,judge,verdict\n1: x: turn 1,j|v1,good\n"));
    assert!(!err.contains("ignored"), "{err}");
    // A model that is the same for each question tells nothing apart, and a prompt is the judge's.
    let prompts = (1..=3).flat_map(|item| {
        ["p", "q"].map(|prompt| json!({"item": item, "model": "m", "prompt": prompt, "verdict": "yes"}))
    });
    folder.write("prompts.jsonl", lines(prompts));
    let found = folder.json(&["inspect", "prompts.jsonl"]);
    assert_eq!((&found["tasks"], &found["workers"][1]["worker"]), (&json!(3), &json!("m: q")));
    // Two games of one pair, in both orders.
    let games = (1..=3).map(|item| {
        json!({"question_id": item, "model_1": "x", "model_2": "y", "judge": ["j", "pair"],
        "g1_winner": "model_1", "g2_winner": if item == 1 { "model_2" } else { "model_1" }, "turn": 1})
    });
    folder.write("games.jsonl", lines(games));
    let found = folder.json(&["inspect", "games.jsonl"]);
    let position = &found["positions"][0];
    assert_eq!((&found["labels"], &position["both_orders"], &position["changed"]), (&json!(6), &json!(3), &json!(1)));
}

#[test]
fn a_score_may_be_explained() {
    let folder = Folder::new();
    let record = |item: u32, model: &str, judge: &str, score: u32| {
        let judgment = format!("The answer of {model} to {item} is fine, says {judge}. Rating: [[{score}]]");
        json!({"question_id": item, "model": model, "judge": [judge, "single-v1"], "user_prompt": "[Instruction] ...",
               "judgment": judgment, "score": score, "turn": 1, "tstamp": 1_700_000_000 + item})
    };
    let records = (1..=4).flat_map(|item| {
        [record(item, "x", "j", 7), record(item, "x", "k", 8), record(item, "y", "j", item), record(item, "y", "k", 2)]
    });
    folder.write("single.jsonl", lines(records));
    let found = folder.json(&["inspect", "single.jsonl"]);
    assert_eq!((&found["objects"], &found["judgments"]), (&json!(8), &json!(16)));
    // What may be a class is a question.
    let unclear = |item: u32| json!({"item": item, "judge": "j", "verdict": "good", "score": 3});
    folder.write("unclear.jsonl", lines((1..=4).map(unclear)));
    assert!(folder.error(&["inspect", "unclear.jsonl"]).contains("say --kind labels or --kind judgments"));
}

#[test]
fn winners_of_0_and_1_are_turned_where_the_file_shows_what_they_mean() {
    let folder = Folder::new();
    // 'fair' prefers x, 'first' what stands first.
    let log = |sides: [&str; 2], winner: &dyn Fn(bool) -> serde_json::Value| {
        let record = |item: usize, judge: &str, exchanged: bool| {
            let (a, b) = if exchanged { ("y", "x") } else { ("x", "y") };
            let second = judge == "fair" && exchanged;
            let mut record = json!({"item": item, "judge": judge, sides[0]: a, sides[1]: b});
            for (key, value) in winner(second).as_object().expect("keys") {
                record[key] = value.clone();
            }
            record
        };
        lines((1..=5).flat_map(|item| {
            ["fair", "first"]
                .into_iter()
                .flat_map(move |judge| [false, true].map(|exchanged| record(item, judge, exchanged)))
        }))
    };
    folder
        .write("pairs.jsonl", log(["model_a", "model_b"], &|second| json!({"winner": if second { "B" } else { "A" }})));
    let expected = folder.json(&["inspect", "pairs.jsonl"]);
    assert_eq!((&expected["classes"], &expected["positions"][1]["first"]), (&json!(["x", "y"]), &json!(1.0)));
    let number = |second: bool| json!({"winner": u8::from(second)});
    folder.write("pairs.jsonl", log(["model_0", "model_1"], &number));
    assert_eq!(folder.json(&["inspect", "pairs.jsonl"]), expected);
    let each = |second: bool| json!({"winner_model_a": u8::from(!second), "winner_model_b": u8::from(second), "winner_tie": 0});
    folder.write("pairs.jsonl", log(["model_a", "model_b"], &each));
    assert_eq!(folder.json(&["inspect", "pairs.jsonl"]), expected);
    // 1 may as well be said of A.
    folder.write("pairs.jsonl", log(["model_a", "model_b"], &number));
    let error = folder.error(&["inspect", "pairs.jsonl"]);
    assert!(
        error.contains("pairs.jsonl: it holds verdicts on pairs") && error.contains("0 and 1 in column 'winner'"),
        "{error}"
    );
    let found = folder.json(&["inspect", "pairs.jsonl", "--columns", "label=winner"]);
    assert_eq!(found["classes"], json!(["0", "1"]));
    // Whether two answers say the same is no choice between them.
    let same = |item: usize, label: usize| json!({"item": item, "judge": format!("j{label}"), "answer_1": "a", "answer_2": "b", "label": label});
    folder.write("same.jsonl", lines((1..=5).flat_map(|item| [same(item, 0), same(item, 1)])));
    assert_eq!(folder.json(&["inspect", "same.jsonl"])["classes"], json!(["0", "1"]));
}

/// The judge prefers x, whichever side it stands on.
#[test]
fn sides_of_pairs_have_many_names() {
    let folder = Folder::new();
    for (item, judge, sides, verdict, words) in [
        ("item", "judge", ["response_a_model", "response_b_model"], "verdict", ["A", "B"]),
        ("item", "judge", ["Model A name", "Model B name"], "winner", ["A", "B"]),
        ("item", "judge", ["left", "right"], "preferred", ["left", "right"]),
        ("prompt_id", "judge_model", ["option_a", "option_b"], "choice", ["A", "B"]),
        ("prompt", "evaluator_model", ["output_1_model", "output_2_model"], "decision", ["1", "2"]),
        ("id", "grader", ["first_completion_model", "second_completion_model"], "grade", ["first", "second"]),
    ] {
        let record = |number: usize, exchanged: bool| {
            let (first, second) = if exchanged { ("y", "x") } else { ("x", "y") };
            json!({item: number, judge: "m", sides[0]: first, sides[1]: second, verdict: words[usize::from(exchanged)]})
        };
        folder.write("log.jsonl", lines((1..=6).flat_map(|item| [record(item, false), record(item, true)])));
        let found = folder.json(&["inspect", "log.jsonl"]);
        assert_eq!((&found["classes"], &found["tasks"]), (&json!(["x"]), &json!(6)), "{sides:?}");
        let bias = json!([{"judge": "m", "verdicts": 12, "first": 0.5, "both_orders": 6, "changed": 0}]);
        assert_eq!(found["positions"], bias, "{sides:?}");
    }
    // Two texts that are compared are no contest.
    let record =
        |item: usize| json!({"item": item, "judge": "m", "text_a": "some", "text_b": "other", "verdict": item % 2});
    folder.write("same.jsonl", lines((1..=6).map(record)));
    assert_eq!(folder.json(&["inspect", "same.jsonl"])["classes"], json!(["0", "1"]));
}

#[test]
fn a_score_in_words_is_a_verdict() {
    let folder = Folder::new();
    let game = |item: u32, judge: &str, swapped: bool| {
        let (a, b) = if swapped { ("y", "x") } else { ("x", "y") };
        json!({"question_id": item, "judge": judge, "model_a": a, "model_b": b, "score": if swapped { "B>>A" } else { "A>B" }})
    };
    let games = (1..=4).flat_map(|item| [game(item, "j", false), game(item, "j", true), game(item, "k", false)]);
    folder.write("games.jsonl", lines(games));
    let found = folder.json(&["inspect", "games.jsonl"]);
    assert_eq!((&found["classes"], &found["tasks"]), (&json!(["x"]), &json!(4)));
    assert_eq!((&found["positions"][0]["both_orders"], &found["positions"][0]["changed"]), (&json!(4), &json!(0)));
}
