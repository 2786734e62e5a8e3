//! Features as they come to `learn` and `predict`, and those that are refused.

use crate::learning::{LEARN, experts};
use crate::support::Folder;

#[test]
fn bad_features_and_wishes_are_named() {
    let folder = Folder::new();
    experts(&folder);
    folder.write("text.csv", "unit,height,split\nu1,1.5,train\nu2,2,test\nu3,3,train\n");
    folder.write("gap.csv", "unit,height\nu1,1.5\nu2,\nu3,3\n");
    folder.write("other.csv", "unit,height\nq,1\n");
    folder.write("three.csv", "task,worker,label\nu1,a,x\nu2,a,y\nu3,a,z\n");
    folder.write("two.csv", "task,worker,label\nu1,a,x\nu2,a,y\nu3,b,y\nu9,b,x\n");
    for (arguments, said) in [
        (vec!["learn", "text.csv", "--labels", "two.csv"], "'u1' in column 'split' is 'train', which is not a number"),
        (
            vec!["learn", "gap.csv", "--labels", "two.csv"],
            "gap.csv, line 3: the value of 'u2' in column 'height' is missing",
        ),
        (vec!["learn", "other.csv", "--labels", "two.csv"], "check that both name"),
        (
            vec!["learn", "gap.csv", "--labels", "three.csv", "--impute", "mean", "-q", "--asymmetric"],
            "three.csv: a skill for each true class needs two classes, and the labels have 3; leave --asymmetric out",
        ),
        (
            vec!["learn", "text.csv", "--labels", "two.csv", "--ignore", "split,part"],
            "text.csv, line 1: no column 'part'",
        ),
        (
            vec!["learn", "e/features.csv", "--labels", "e/labels.csv", "--holdout", "1.5"],
            "the share of units held out is 1.5, and must be between 0 and 1, such as 0.3 (--holdout)",
        ),
        (vec!["learn", "e/features.csv", "--labels", "e/labels.csv", "--model", "truth"], "--truth FILE"),
        (
            vec!["learn", "e/features.csv", "--labels", "e/labels.csv", "--model", "majority", "--restarts", "3"],
            "--restarts is only of use with --model experts",
        ),
        (
            vec!["learn", "gap.csv", "--labels", "two.csv", "--impute", "mean", "-q", "--penalty", "-1"],
            "the penalty is -1",
        ),
        (
            vec!["learn", "gap.csv", "--labels", "two.csv", "--impute", "mean", "--folds", "9", "-q"],
            "the number of folds is 9",
        ),
    ] {
        let error = folder.error(&arguments);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    let run = folder.run(&[
        "learn",
        "gap.csv",
        "--labels",
        "two.csv",
        "--impute",
        "mean",
        "--penalty",
        "1",
        "--format",
        "json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("1 missing value filled in") && run.err.contains("1 labelled task without features, left out"),
        "{}",
        run.err
    );
    let run = folder.run(&[
        "learn",
        "text.csv",
        "--ignore",
        "split",
        "--labels",
        "two.csv",
        "--penalty",
        "1",
        "--out",
        "m.json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(folder.error(&["predict", "m.json", "e/features.csv"]).contains("no column 'height'"));
}

#[test]
fn a_row_is_predicted_by_itself_and_gaps_by_the_model() {
    let folder = Folder::new();
    experts(&folder);
    assert_eq!(folder.run(&[&LEARN[..], &["--penalty", "4", "--restarts", "0", "--out", "m.json"]].concat()).code, 0);
    let first: Vec<String> = folder.read("e/features.csv").lines().take(2).map(str::to_owned).collect();
    let of = |rows: &[String]| {
        folder.write("new.csv", rows.join("\n") + "\n");
        let run = folder.run(&["predict", "m.json", "new.csv", "--impute", "mean", "--format", "json"]);
        assert_eq!(run.code, 0, "{}", run.err);
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        found["predictions"][0]["probability"].as_f64().unwrap()
    };
    let alone = of(&first);
    let width = first[0].split(',').count() - 1;
    let huge = format!("huge{}", ",1e90".repeat(width));
    assert_eq!(alone, of(&[&first[..], &[huge]].concat()));
    // A column that the model does not need may hold anything.
    assert_eq!(alone, of(&[format!("{},note", first[0]), format!("{},hello", first[1])]));
    // A unit without any value is as the mean of those learned from, whatever else is in the file.
    let gaps = format!("gap{}", ",".repeat(width));
    let mean = of(&[first[0].clone(), gaps.clone()]);
    assert_eq!(mean, of(&[first[0].clone(), gaps, first[1].clone()]));
    folder.write("new.csv", [first[0].clone(), format!("far{}", ",1e200".repeat(width))].join("\n"));
    assert!(folder.error(&["predict", "m.json", "new.csv"]).contains("too large"));
}

#[test]
fn arrays_and_long_tables_are_features_as_wide_tables_are() {
    let folder = Folder::new();
    experts(&folder);
    let wide = folder.read("e/features.csv");
    let rows: Vec<Vec<&str>> = wide.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let width = rows[0].len() - 1;
    // As NumPy writes it: a header padded to 64 bytes, then numbers column by column.
    let shape = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, {width}), }}", rows.len());
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{shape:<117}\n");
    npy.extend((header.len() as u16).to_le_bytes());
    npy.extend(header.as_bytes());
    for column in 1..=width {
        rows.iter().for_each(|row| npy.extend(row[column].parse::<f64>().unwrap().to_le_bytes()));
    }
    folder.write("f.npy", &npy);
    folder.write("ids.txt", rows.iter().map(|row| row[0].to_owned() + "\n").collect::<String>());
    let names: Vec<&str> = wide.lines().next().unwrap().split(',').skip(1).collect();
    let cells = rows.iter().flat_map(|row| (1..=width).map(|at| format!("{},{},{}\n", row[0], names[at - 1], row[at])));
    folder.write("long.csv", "unit,feature,value\n".to_owned() + &cells.collect::<String>());
    // The ids last, behind an index.
    let moved = rows.iter().enumerate().map(|(at, row)| format!("{at},{},{}\n", row[1..].join(","), row[0]));
    folder.write("moved.csv", format!("row,{},who\n", names.join(",")) + &moved.collect::<String>());
    let learn = |arguments: &[&str]| {
        let found = folder.json(
            &[&["learn"], arguments, &["--labels", "e/labels.csv", "--penalty", "4", "--restarts", "1", "-q"]].concat(),
        );
        (found["objective"].as_f64().unwrap(), found["features"][0]["feature"].as_str().unwrap().to_owned())
    };
    let (objective, _) = learn(&["e/features.csv"]);
    for arguments in [
        &["f.npy", "--ids", "ids.txt"][..],
        &["long.csv"],
        &["moved.csv", "--ignore", "row", "--columns", "object=who"],
    ] {
        let (other, first) = learn(arguments);
        assert!((objective - other).abs() < 1e-6 * objective.abs(), "{arguments:?}: {objective} {other}");
        assert_eq!(first, if arguments[0] == "f.npy" { "x0" } else { names[0] });
    }
    // Without ids rows are numbered, which no label knows; and a name that neither file has is an error.
    let none = folder.run(&["learn", "f.npy", "--labels", "e/labels.csv"]);
    assert!(none.code == 2 && none.err.contains("numbered from 0") && none.err.contains("--ids"), "{}", none.err);
    let error = folder.error(&["learn", "e/features.csv", "--labels", "e/labels.csv", "--columns", "object=who"]);
    assert!(error.contains("no column 'who'"), "{error}");
    folder.write("cut.npy", &npy[..npy.len() - 8]);
    assert!(folder.error(&["learn", "cut.npy", "--labels", "e/labels.csv"]).contains("damaged"));
}

#[test]
fn numbers_without_bounds_are_refused() {
    let folder = Folder::new();
    experts(&folder);
    for restarts in ["18446744073709551615", "1000000000"] {
        let error = folder.error(&[&LEARN[..], &["--restarts", restarts]].concat());
        assert!(error.contains("the number of restarts is") && error.contains("(--restarts)"), "{error}");
    }
}
