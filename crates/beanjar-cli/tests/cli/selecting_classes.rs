//! `select` where labels are classes, judgments are not averaged, or the crowd changes.

use crate::selecting::{HEIGHT, number, photos};
use serde_json::Value;

#[test]
fn two_classes_are_predicted() {
    let folder = photos("300");
    let truth = folder.read("truth.csv");
    let classes = truth.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let tall = fields[1].parse::<f64>().unwrap() > 67.0;
        format!("{},{}\n", fields[0], if tall { "tall" } else { "short" })
    });
    folder.write("classes.csv", format!("object,size\n{}", classes.collect::<String>()));
    let arguments = ["--labels", "classes.csv", "--budget", "4", "--at-most", "2", "--out", "s.json"];
    let run = folder.run(&[&["select", "judgments.csv"][..], &arguments].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    folder.run(&[
        "fit",
        "judgments.csv",
        "--labels",
        "classes.csv",
        "--selection",
        "s.json",
        "--predictor",
        "moments",
        "--out",
        "m.json",
    ]);
    let found = folder.json(&["predict", "m.json", "judgments.csv", "--labels", "classes.csv"]);
    assert!(number(&found["error_rate"]) < 0.3, "{}", found["error_rate"]);
    let labels: std::collections::HashSet<&str> =
        found["predictions"].as_array().unwrap().iter().map(|p| p["label"].as_str().unwrap()).collect();
    assert!(labels.contains("tall") && labels.contains("short") && labels.len() == 2);
}

#[test]
fn more_classes_are_told_apart_with_probabilities() {
    let folder = photos("300");
    let truth = folder.read("truth.csv");
    let size = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let height = fields[1].parse::<f64>().unwrap();
        (fields[0].to_owned(), (height > 65.0) as u8 + (height > 69.0) as u8)
    };
    let named = |names: [&str; 3]| {
        let rows = truth.lines().skip(1).map(|line| format!("{},{}\n", size(line).0, names[usize::from(size(line).1)]));
        format!("object,size\n{}", rows.collect::<String>())
    };
    folder.write("classes.csv", named(["short", "medium", "tall"]));
    folder.write("digits.csv", named(["0", "1", "2"]));
    let select = ["select", "judgments.csv", "--budget", "8", "--labels"];
    let found = folder.json(&[&select[..], &["classes.csv"]].concat());
    let rate = number(&found["error_rate"]);
    assert!(rate > 0.1 && rate < 0.55, "{rate}");
    assert_eq!(found["label"]["classes"]["names"], serde_json::json!(["medium", "short", "tall"]));
    assert_eq!(found["recognised"].as_array().unwrap().len(), 3);
    assert_eq!(found["selection"][0]["weight"].as_array().unwrap().len(), 3);
    let table = folder.run(&[&select[..], &["classes.csv", "--format", "table"]].concat()).out;
    assert!(
        table.contains("expected error rate") && table.contains("tells most of") && table.contains("recognised"),
        "{table}"
    );
    // As classes, numbers are names: the same selection.
    let digits = folder.json(&[&select[..], &["digits.csv", "--classes"]].concat());
    assert_eq!(number(&digits["error_rate"]), rate);
    assert!(folder.json(&[&select[..], &["digits.csv"]].concat())["error_rate"].is_null());

    folder.write("selection.json", found.to_string());
    for fitting in ["moments", "least-squares"] {
        let fit = ["fit", "judgments.csv", "--labels", "classes.csv", "--selection"];
        // Least squares needs objects with all the judgments, of which there are two.
        folder.write("two.csv", "attribute,judgments\nheight,2\nmale,2\ntall,1\n");
        let selection = if fitting == "moments" { "selection.json" } else { "two.csv" };
        let run = folder.run(&[&fit[..], &[selection, "--predictor", fitting, "--out", "m.json"]].concat());
        assert!(run.code == 0 && run.err.contains("Tells apart the 3 classes"), "{}", run.err);
        let found = folder.json(&["predict", "m.json", "judgments.csv", "--truth", "classes.csv"]);
        assert!(number(&found["error_rate"]) < 0.55 && number(&found["truth"]["ece"]) < 0.15, "{}", found["truth"]);
        for row in found["predictions"].as_array().unwrap() {
            let all: Vec<f64> = row["probabilities"].as_object().unwrap().values().map(number).collect();
            assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-9 && all.len() == 3);
            assert_eq!(all.iter().copied().fold(0.0, f64::max), number(&row["probability"]));
        }
        let csv = folder.run(&["predict", "m.json", "judgments.csv", "--format", "csv", "--probabilities", "-q"]).out;
        assert_eq!(csv.lines().next(), Some("object,label,probability,P(medium),P(short),P(tall)"));
    }
}

#[test]
fn a_crowd_that_changes_is_told_or_shown_by_a_pilot() {
    let folder = photos("200");
    let select = |more: &[&str]| folder.json(&[&HEIGHT[..], &["--budget", "12"], more].concat());
    let (same, noisier) = (select(&[]), select(&["--noise-factor", "4"]));
    assert!(number(&noisier["cv_loss"]) > number(&same["cv_loss"]));
    assert_eq!(noisier["selection"][0]["noise_factor"], 4.0);
    assert!(same["selection"][0]["noise_factor"].is_null());
    let table =
        folder.run(&[&HEIGHT[..], &["--budget", "12", "--noise-factor", "male=2.5", "--format", "table"]].concat());
    assert!(table.out.contains("times") && table.out.contains("2.5"), "{}", table.out);
    // Every second judgment of a few photos turned about: a crowd that guesses more.
    let text = folder.read("judgments.csv");
    let guesses = text.lines().take(78 * 30).enumerate().map(|(i, line)| match (i % 4, line.rsplit_once(',')) {
        (3, Some((rest, "1"))) => format!("{rest},0\n"),
        (3, Some((rest, "0"))) => format!("{rest},1\n"),
        _ => format!("{line}\n"),
    });
    folder.write("pilot.csv", guesses.collect::<String>());
    let shown = select(&["--pilot", "pilot.csv"]);
    let factor = |found: &Value| {
        number(
            &found["selection"].as_array().unwrap().iter().find(|a| a["attribute"] == "male").unwrap()["noise_factor"],
        )
    };
    assert!(factor(&shown) > 1.5, "{}", factor(&shown));
    folder.write("s.json", shown.to_string());
    let fit = ["fit", "judgments.csv", "--labels", "truth.csv", "--selection", "s.json", "--predictor", "moments"];
    let by_pilot = folder.json(&fit);
    let as_it_is = folder.json(&[&fit[..], &["--noise-factor", "1"]].concat());
    assert!(number(&by_pilot["attributes"][0]["noise"]) > number(&as_it_is["attributes"][0]["noise"]));
    folder.write("other.csv", "object,attribute,value\nx,other,1\nx,other,2\n");
    assert!(
        folder
            .error(&[&HEIGHT[..], &["--budget", "5", "--pilot", "other.csv", "-q"]].concat())
            .contains("other.csv: the pilot")
    );
    assert!(
        folder.error(&[&HEIGHT[..], &["--budget", "5", "--noise-factor", "0", "-q"]].concat()).contains("noise factor")
    );
    assert!(
        folder
            .error(&[&HEIGHT[..], &["--budget", "5", "--noise-factor", "hight=2", "-q"]].concat())
            .contains("'hight'")
    );
}

#[test]
fn medians_and_majorities_go_from_select_to_predict() {
    let folder = photos("200");
    let select = |more: &[&str]| folder.json(&[&HEIGHT[..], &["--budget", "9"], more].concat());
    let never = folder.read("judgments.csv");
    let numeric: std::collections::HashSet<&str> = never
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').nth(1).zip(line.rsplit(',').next()))
        .filter(|(_, value)| !matches!(*value, "0" | "1"))
        .map(|(attribute, _)| attribute)
        .collect();
    let yes_no = never.lines().filter(|line| !numeric.contains(line.split(',').nth(1).unwrap_or("")));
    folder.write("yes-no.csv", yes_no.map(|line| format!("{line}\n")).collect::<String>());
    let median = select(&["--aggregate", "median"]);
    assert_eq!(median["aggregate"], "median");
    let many = folder.error(&[&HEIGHT[..], &["--budget", "9", "--aggregate", "majority", "-q"]].concat());
    assert!(many.contains("more than two values"), "{many}");
    let best =
        folder.error(&[&HEIGHT[..], &["--budget", "9", "--aggregate", "median", "--method", "best", "-q"]].concat());
    assert!(best.contains("averaged"), "{best}");
    let majority = [
        "select",
        "yes-no.csv",
        "--labels",
        "truth.csv",
        "--label",
        "height",
        "--budget",
        "9",
        "--aggregate",
        "majority",
    ];
    let found = folder.json(&majority);
    folder.write("s.json", found.to_string());
    let fit = ["fit", "yes-no.csv", "--labels", "truth.csv", "--selection", "s.json", "--predictor", "moments"];
    let model = folder.json(&fit);
    assert_eq!(model["aggregate"], "majority");
    folder.write("m.json", model.to_string());
    let found = folder.json(&["predict", "m.json", "yes-no.csv", "--labels", "truth.csv"]);
    let (error, expected) = (number(&found["squared_error"]), number(&found["expected_squared_error"]));
    // The very objects that were fitted: somewhat better than expected of new ones.
    assert!(error < 14.0 && error / expected < 1.2 && error / expected > 0.6, "{error} {expected}");
}
