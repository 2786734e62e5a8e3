//! From judgments to a selection, a plan, a model and predictions.

use crate::support::Folder;
use beanjar::multiselect::{FitPredictor, Fitting, Method, Plan, Select};
use beanjar::{Column, Context, Judgments};
use beanjar_io::{Data, ReadOptions, Source, read, read_table};
use serde_json::Value;

/// A folder with simulated photos.
pub fn photos(objects: &str) -> Folder {
    let folder = Folder::new();
    folder.run(&["simulate", "photos", "--objects", objects, "--out", "."]);
    folder
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

pub const HEIGHT: [&str; 6] = ["select", "judgments.csv", "--labels", "truth.csv", "--label", "height"];

#[test]
fn a_selection_says_what_to_ask_and_what_to_expect() {
    let folder = photos("300");
    let found = folder.json(&[&HEIGHT[..], &["--budget", "20", "--cost", "height=4,weight=4"]].concat());
    assert_eq!(found["method"], "full");
    assert_eq!(found["objects"], 300);
    assert_eq!(found["label"]["name"], "height");
    let path = found["path"].as_array().unwrap();
    assert!(path.windows(2).all(|pair| number(&pair[1]["explained"]) >= number(&pair[0]["explained"])));
    assert!(
        path.iter()
            .all(|step| number(&step["spent"]) <= 20.0 && step["cv_loss"].is_number() && step["cv_se"].is_number())
    );
    let (variance, explained) = (number(&found["label"]["variance"]), number(&found["explained"]));
    assert!((number(&found["projected_loss"]) - (variance - explained)).abs() < 1e-9);
    assert!(number(&found["upper_bound"]) >= explained && number(&found["gap"]) < 0.05);
    assert!(number(&found["cv_loss"]) < variance);
    assert_eq!(found["suggested_budget"].is_null(), found["still_falling"] == true);
    let spent: f64 =
        found["selection"].as_array().unwrap().iter().map(|a| number(&a["judgments"]) * number(&a["cost"])).sum();
    assert!((spent - number(&found["spent"])).abs() < 1e-9);
    // Noise and signal are those of inspect.
    let inspected = folder.json(&["inspect", "judgments.csv"]);
    for chosen in found["selection"].as_array().unwrap() {
        let attribute =
            inspected["attributes"].as_array().unwrap().iter().find(|a| a["attribute"] == chosen["attribute"]).unwrap();
        assert!((number(&attribute["noise"]) - number(&chosen["noise"])).abs() < 1e-9);
        assert!((number(&attribute["signal"]) - number(&chosen["signal"])).abs() < 1e-9);
    }
}

#[test]
fn every_method_keeps_to_the_budget_and_none_beats_the_bound() {
    let folder = photos("200");
    let mut explained = std::collections::HashMap::new();
    for method in ["full", "scoring", "best", "averages", "copies", "crowd-mean"] {
        let found = folder.json(&[&HEIGHT[..], &["--budget", "12", "--ridge", "0", "--method", method]].concat());
        assert_eq!(found["method"], method);
        assert!(number(&found["spent"]) <= 12.0, "{method}");
        assert!(number(&found["explained"]) <= number(&found["upper_bound"]) * (1.0 + 1e-9), "{method}");
        explained.insert(method, number(&found["explained"]));
    }
    assert!(explained["best"] >= explained["full"] && explained["full"] >= explained["averages"]);
}

#[test]
fn costs_and_limits_are_kept() {
    let folder = photos("150");
    folder.write("costs.csv", "attribute,cost,at_most\nheight,4,2\nmale,2,\ntall,,3\n");
    let flags =
        ["--budget", "25", "--cost", "costs.csv", "--always", "smiling", "--never", "female", "--bootstrap", "20"];
    let found = folder.json(&[&HEIGHT[..], &flags].concat());
    let of = |name: &str| found["selection"].as_array().unwrap().iter().find(|a| a["attribute"] == name).cloned();
    assert!(of("smiling").is_some() && of("female").is_none());
    assert!(of("height").is_none_or(|a| number(&a["judgments"]) <= 2.0 && a["cost"] == 4.0));
    assert!(of("tall").is_none_or(|a| number(&a["judgments"]) <= 3.0));
    let stability = found["stability"].as_array().unwrap();
    assert_eq!(stability.len(), 39);
    assert_eq!(stability.iter().find(|s| s["attribute"] == "smiling").unwrap()["chosen"], 1.0);
}

#[test]
fn plan_fit_and_predict_follow_from_a_selection() {
    let folder = photos("200");
    folder.run(&[&HEIGHT[..], &["--budget", "6", "--at-most", "2", "--out", "selection.json"]].concat());
    let plan = folder.json(&["plan", "judgments.csv", "--selection", "selection.json"]);
    assert_eq!(plan["ask"], 0, "two judgments are there already");
    folder.write("more.csv", "attribute,judgments,cost\nmale,3,1\ntall,5,2\nnever-asked,1,1\n");
    let run = folder.run(&["plan", "judgments.csv", "--selection", "more.csv", "--out", "todo.csv"]);
    assert!(run.err.contains("never judged so far: never-asked"), "{}", run.err);
    let todo = folder.read("todo.csv");
    assert_eq!(todo.lines().next(), Some("object,attribute,have,ask,cost"));
    assert!(todo.contains("photo1,male,2,1,1\nphoto1,tall,2,3,6\nphoto1,never-asked,0,1,1\n"));
    let plan = folder.json(&["plan", "judgments.csv", "--selection", "more.csv"]);
    assert_eq!((&plan["ask"], number(&plan["cost"])), (&1000.into(), 200.0 + 1200.0 + 200.0));
    folder.write("new.csv", "photo\nphoto1\nx1\nx2\n");
    let plan = folder.json(&["plan", "--objects", "new.csv", "--selection", "more.csv"]);
    assert_eq!((&plan["objects"], &plan["ask"], number(&plan["cost"])), (&3.into(), &27.into(), 3.0 * 14.0));
    let plan = folder.json(&["plan", "judgments.csv", "--objects", "new.csv", "--selection", "more.csv"]);
    assert_eq!((&plan["ask"], &plan["plan"][0]["ask"]), (&23.into(), &1.into()));
    assert_eq!(
        folder.json(&["plan", "new.csv", "--selection", "more.csv"])["objects"],
        3,
        "a list in place of judgments"
    );
    folder.write("bare.csv", "x1\nx2\nx30\n");
    let run = folder.run(&["plan", "bare.csv", "--selection", "more.csv", "--format", "csv"]);
    assert!(run.out.contains("\nx1,male,0,3,3\n") && run.err.contains("without a header"), "{}{}", run.out, run.err);
    folder.write("bad.csv", "photo,male\nx1,high\n");
    assert_eq!(folder.run(&["plan", "bad.csv", "--selection", "more.csv"]).code, 2);

    let fit = ["fit", "judgments.csv", "--labels", "truth.csv", "--selection", "selection.json", "--out", "model.json"];
    assert_eq!(folder.run(&fit).code, 0);
    folder.run(&["simulate", "photos", "--objects", "300", "--seed", "9", "--out", "new"]);
    let found = folder.json(&["predict", "model.json", "new/judgments.csv", "--labels", "new/truth.csv"]);
    let (error, variance) = (number(&found["squared_error"]), 16.0);
    assert!(error < 0.7 * variance, "half of the variance is explained: {error}");
    assert_eq!(found["compared"], 300);
    // The standard errors of the predictions are about right: 300 squares have a standard error near 8 percent, and
    // the 200 objects that they are estimated from add another 10.
    let claimed: f64 =
        found["predictions"].as_array().unwrap().iter().map(|p| number(&p["se"]).powi(2)).sum::<f64>() / 300.0;
    assert!((claimed / error - 1.0).abs() < 0.35, "claimed {claimed}, was {error}");
    let csv = folder.run(&["predict", "model.json", "new/judgments.csv", "--format", "csv", "--quiet"]).out;
    assert_eq!((csv.lines().next(), csv.lines().count()), (Some("object,prediction,se"), 301));
}

/// The judgments in a file of the folder.
fn judgments(folder: &Folder, name: &str) -> Judgments {
    match read(&Source::from(&folder.path(name)), &ReadOptions::default(), &Context::new()).expect("judgments").data {
        Data::Judgments(judgments) => judgments,
        _ => panic!("{name} holds labels"),
    }
}

/// A column of a table of the folder.
fn column(folder: &Folder, name: &str, index: usize) -> Column {
    read_table(&Source::from(&folder.path(name))).expect("a table").column(index).expect("a column")
}

#[test]
fn the_commands_print_the_outcomes_of_the_library() {
    let folder = photos("120");
    let (judgments, height) = (judgments(&folder, "judgments.csv"), column(&folder, "truth.csv", 0));
    let context = Context::new().with_seed(3);
    let printed = |arguments: &[&str]| {
        let run = folder.run(&[arguments, &["--seed", "3", "--format", "json"]].concat());
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
        run.out
    };
    let mut selection = None;
    for method in Method::ALL {
        let params = Select {
            budget: 8.0,
            method,
            costs: [("height".into(), 4.0)].into(),
            at_most: Some(2),
            bootstrap: (method == Method::Full).then_some(10),
            ..Select::default()
        };
        let outcome = params.fit(&judgments, &height, &context).unwrap();
        let flags = ["--budget", "8", "--method", method.name(), "--cost", "height=4", "--at-most", "2"];
        let bootstrap: &[&str] = if method == Method::Full { &["--bootstrap", "10"] } else { &[] };
        let found = printed(&[&HEIGHT[..], &flags, bootstrap].concat());
        assert_eq!(found, serde_json::to_string_pretty(&outcome).unwrap() + "\n", "{method:?}");
        if method == Method::Full {
            folder.write("selection.json", found);
            selection = Some(outcome.to_selection());
        }
    }

    let selection = selection.unwrap();
    let outcome = Plan { selection: selection.clone(), objects: None }.run(&judgments, &context).unwrap();
    let found = printed(&["plan", "judgments.csv", "--selection", "selection.json"]);
    assert_eq!(found, serde_json::to_string_pretty(&outcome).unwrap() + "\n");

    for (fitting, name) in [(Fitting::LeastSquares, "least-squares"), (Fitting::Moments, "moments")] {
        let fitted = FitPredictor { selection: selection.clone(), fitting, ..FitPredictor::default() }
            .fit(&judgments, &height, &context)
            .unwrap();
        let fit = ["fit", "judgments.csv", "--labels", "truth.csv", "--selection", "selection.json"];
        let found = printed(&[&fit[..], &["--predictor", name]].concat());
        assert_eq!(found, serde_json::to_string_pretty(&fitted).unwrap() + "\n", "{name}");
        folder.write("model.json", found);
        let predicted = fitted.predictor.predict(&judgments, &context).unwrap().compared_with(&height).unwrap();
        let found = printed(&["predict", "model.json", "judgments.csv", "--labels", "truth.csv"]);
        assert_eq!(found, serde_json::to_string_pretty(&predicted).unwrap() + "\n", "{name}");
    }
}

#[test]
fn the_order_of_rows_and_the_number_of_threads_do_not_matter() {
    let folder = photos("120");
    let text = folder.read("judgments.csv");
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    let select = |threads: &str| {
        let found = folder.json(&[&HEIGHT[..], &["--budget", "10", "--threads", threads]].concat());
        found.to_string()
    };
    assert_eq!(select("1"), select("3"));
    let chosen =
        |found: Value| found["path"].as_array().unwrap().iter().map(|s| s["attribute"].to_string()).collect::<Vec<_>>();
    let before = chosen(folder.json(&[&HEIGHT[..], &["--budget", "10", "--ridge", "0"]].concat()));
    // Objects in reverse; the attributes of each stay as they were, for ties go to the first.
    lines.chunks_mut(78).for_each(<[&str]>::reverse);
    lines.reverse();
    folder.write("judgments.csv", format!("object,attribute,worker,value\n{}\n", lines.join("\n")));
    assert_eq!(chosen(folder.json(&[&HEIGHT[..], &["--budget", "10", "--ridge", "0"]].concat())), before);
}

#[test]
fn mistakes_are_said_in_one_sentence() {
    let folder = photos("30");
    folder.write("constant.csv", "object,y\nphoto1,3\nphoto2,3\nphoto3,3\n");
    folder.write("words.csv", "object,y\nphoto1,a\nphoto2,b\nphoto3,c\n");
    folder.write("once.csv", "object,attribute,value\nphoto1,a,1\nphoto2,a,2\nphoto3,a,3\n");
    folder.write("blank.csv", "object,y\nphoto1,\nphoto2,\n");
    folder.write("strangers.csv", "object,y\nx,1\ny,2\n");
    folder.write("wrong.json", "{\"beanjar_model\": 7, \"kind\": \"multiselect\"}");
    folder.write("other.json", "{\"beanjar_model\": 1, \"kind\": \"horoscope\"}");
    folder.write("no.json", "[1, 2");
    folder.write("costs.csv", "attribute,cost\nmale,dear\n");
    folder.write("half.csv", "attribute,judgments\nmale,1.5\n");
    folder.write("none.csv", "attribute,judgments\nmale,0\n");
    folder.write("unseen.csv", "attribute,judgments\nsleepy,1\n");
    let with = |more: &[&'static str]| [&HEIGHT[..], more].concat();
    for (arguments, words) in [
        (with(&["--budget", "0"]), "above 0"),
        (with(&["--budget", "nan"]), "above 0"),
        (with(&["--budget", "0.5"]), "too small"),
        (with(&["--budget", "-1"]), "above 0"),
        (with(&["--budget", "1e9"]), "at most 20000"),
        (with(&["--budget", "5", "--cost", "male=0"]), "above 0"),
        (with(&["--budget", "5", "--cost", "male=1e-9"]), "at most 20000"),
        (with(&["--budget", "5", "--at-most", "0"]), "must be 1 or more (--at-most)"),
        (with(&["--budget", "1", "--method", "averages"]), "explains anything"),
        (vec!["select", "judgments.csv", "--labels", "blank.csv", "--budget", "5"], "no value"),
        (with(&["--budget", "5", "--cost", "hight=4"]), "no attribute 'hight'"),
        (with(&["--budget", "5", "--cost", "hight=4"]), "did you mean 'height'?"),
        (
            with(&["--budget", "5", "--cost", "costs.csv"]),
            "costs.csv: 'dear' for 'male' in column 'cost' is not a number",
        ),
        (with(&["--budget", "5", "--cost", "truth.csv"]), "no column 'cost' or 'at_most'"),
        (with(&["--budget", "5", "--ridge", "-1"]), "the ridge is -1"),
        (with(&["--budget", "5", "--bootstrap", "0"]), "1 to 100,000"),
        (with(&["--budget", "5", "--cost", "height=x"]), "'height=x'"),
        (with(&["--budget", "5", "--always", "nobody"]), "no attribute 'nobody'"),
        (with(&["--budget", "5", "--never", "nobody"]), "no attribute 'nobody'"),
        (with(&["--budget", "5", "--never", "male", "--always", "male"]), "both"),
        (with(&["--budget", "5", "--ridge", "much"]), "'much'"),
        (with(&["--budget", "5", "--cost", "missing.csv"]), "no such file"),
        (vec!["select", "judgments.csv", "--labels", "truth.csv", "--budget", "5"], "--label"),
        (vec!["select", "judgments.csv", "--labels", "truth.csv", "--label", "age", "--budget", "5"], "'age'"),
        (
            vec!["select", "judgments.csv", "--labels", "constant.csv", "--budget", "5"],
            "constant.csv: every label is 3",
        ),
        (vec!["select", "judgments.csv", "--labels", "words.csv", "--budget", "5"], "2 to 100 classes"),
        (vec!["select", "judgments.csv", "--labels", "strangers.csv", "--budget", "5"], "none of the 30 objects"),
        (vec!["select", "once.csv", "--labels", "truth.csv", "--label", "height", "--budget", "5"], "two judgments"),
        (vec!["plan", "judgments.csv", "--selection", "no.json"], "no.json: not a selection"),
        (vec!["plan", "judgments.csv", "--selection", "half.csv"], "half.csv: '1.5' for 'male' in column 'judgments'"),
        (vec!["plan", "judgments.csv", "--selection", "none.csv"], "no judgment at all"),
        (
            vec!["fit", "judgments.csv", "--labels", "truth.csv", "--label", "height", "--selection", "unseen.csv"],
            "judgments.csv: no judgment of 'sleepy', which the selection asks for",
        ),
        (vec!["plan", "judgments.csv", "--selection", "truth.csv"], "no column 'judgments'"),
        (vec!["fit", "judgments.csv", "--labels", "truth.csv", "--selection", "no.json"], "not a selection"),
        (vec!["predict", "wrong.json", "judgments.csv"], "version 7"),
        (vec!["predict", "other.json", "judgments.csv"], "'horoscope'"),
        (vec!["predict", "no.json", "judgments.csv"], "not a model file"),
    ] {
        let run = folder.run(&[&arguments[..], &["--quiet"]].concat());
        assert_eq!((run.code, run.err.lines().count()), (2, 1), "{arguments:?}: {}", run.err);
        assert!(run.err.contains(words), "{arguments:?}: {}", run.err);
    }
}

#[test]
fn an_attribute_without_second_judgments_is_left_out_and_named() {
    let folder = photos("40");
    let text = folder.read("judgments.csv");
    let mut seen = std::collections::HashSet::new();
    let kept = text
        .lines()
        .filter(|line| !line.contains(",smiling,") || seen.insert(line.split(',').next().unwrap().to_owned()));
    folder.write("j.csv", kept.map(|line| format!("{line}\n")).collect::<String>());
    let always =
        ["select", "j.csv", "--labels", "truth.csv", "--label", "weight", "--budget", "5", "--always", "smiling", "-q"];
    assert!(folder.error(&always).contains("'smiling' is always to be judged"));
    let arguments =
        ["select", "j.csv", "--labels", "truth.csv", "--label", "weight", "--budget", "5", "--format", "json"];
    let run = folder.run(&arguments);
    assert!(run.err.contains("two judgments of them: smiling"), "{}", run.err);
    assert!(run.out.contains("\"left_out\": [\n    \"smiling\"\n  ]"));
}
