//! Counts and alphas of public data sets, which are not part of the project: found beside it, or where `BEANJAR_DATA`
//! says, else these tests count as ignored. `simulated.rs` has smaller ones of the same things.

use crate::support::Folder;

#[cfg(beanjar_data)]
fn data(name: &str) -> String {
    format!("{}/{name}", env!("BEANJAR_DATA_FOLDER"))
}

#[cfg(not(beanjar_data))]
fn data(name: &str) -> String {
    name.to_owned()
}

#[test]
#[cfg_attr(not(beanjar_data), ignore = "needs the public data sets; set BEANJAR_DATA to their folder")]
fn crowd_sets_have_their_published_counts_and_alphas() {
    let folder = Folder::new();
    for (name, classes, tasks, workers, labels, alpha) in [
        ("bird", 2, 108, 39, 4_212, 0.1255),
        ("rte", 2, 800, 164, 8_000, 0.2415),
        ("trec", 2, 19_033, 762, 88_385, 0.1145),
        ("dog", 4, 807, 109, 8_070, 0.5194),
        ("web", 5, 2_665, 177, 15_567, 0.2104),
    ] {
        let found = folder.json(&["inspect", &data(&format!("crowd/{name}/labels.csv"))]);
        let length = |key: &str| found[key].as_array().unwrap().len();
        assert_eq!((length("classes"), length("workers")), (classes, workers), "{name}");
        assert_eq!((&found["tasks"], &found["labels"]), (&tasks.into(), &labels.into()), "{name}");
        let found = found["alpha"].as_f64().unwrap();
        assert!((found - alpha).abs() < 5e-5, "{name}: {found}, published to four digits as {alpha}");
    }
}

#[test]
#[cfg_attr(not(beanjar_data), ignore = "needs the public data sets; set BEANJAR_DATA to their folder")]
fn judgments_of_headlines_and_nodules_are_read_whole() {
    let folder = Folder::new();
    let affect = folder.json(&["inspect", &data("affect/judgments.csv"), "--labels", &data("affect/truth.csv")]);
    assert_eq!(
        (&affect["objects"], &affect["judgments"], &affect["labelled"]),
        (&100.into(), &7000.into(), &100.into())
    );
    assert_eq!(affect["attributes"].as_array().unwrap().len(), 7);
    let nodules = folder.json(&["inspect", &data("lidc/judgments.csv")]);
    assert_eq!(nodules["objects"], 2637);
    assert_eq!(nodules["attributes"].as_array().unwrap().len(), 9);
    for attribute in affect["attributes"].as_array().unwrap() {
        // With ten judgments of every headline, one-way ICC and interval alpha are two ways to nearly the same number.
        let (icc, alpha) = (attribute["icc"].as_f64().unwrap(), attribute["alpha"].as_f64().unwrap());
        assert!((icc - alpha).abs() < 0.01, "{attribute}");
    }
}

#[test]
#[cfg_attr(not(beanjar_data), ignore = "needs the public data sets; set BEANJAR_DATA to their folder")]
fn the_valence_of_headlines_is_told_from_valence_and_joy() {
    let folder = Folder::new();
    let (judgments, truth) = (data("affect/judgments.csv"), data("affect/truth.csv"));
    let arguments =
        ["select", &judgments, "--labels", &truth, "--label", "valence", "--budget", "20", "--at-most", "10"];
    let found = folder.json(&arguments);
    let number = |key: &str| found[key].as_f64().unwrap();
    assert_eq!(found["path"][0]["attribute"], "valence");
    assert!(number("cv_loss") < 0.5 * found["label"]["variance"].as_f64().unwrap());
    assert!(number("gap") < 0.01, "greedy is within one percent of the bound");
}

#[test]
#[cfg_attr(not(beanjar_data), ignore = "needs the public data sets; set BEANJAR_DATA to their folder")]
fn songs_with_text_ids_and_names_for_classes() {
    let folder = Folder::new();
    let found = folder.json(&["inspect", &data("music/labels.csv"), "--labels", &data("music/truth.csv")]);
    assert_eq!((&found["tasks"], &found["labelled"]), (&700.into(), &700.into()));
    assert_eq!(found["classes"].as_array().unwrap().len(), 10);
    assert_eq!(found["workers"].as_array().unwrap().len(), 44);
}

/// The error in percent on the tasks with a known class.
fn error(folder: &Folder, name: &str, more: &[&str]) -> f64 {
    let (labels, truth) = (data(&format!("crowd/{name}/labels.csv")), data(&format!("crowd/{name}/truth.csv")));
    let found = folder.json(&[&["aggregate", &labels, "--truth", &truth, "--quiet"], more].concat());
    100.0 * (1.0 - found["truth"]["accuracy"].as_f64().expect("an accuracy"))
}

#[test]
#[cfg_attr(not(beanjar_data), ignore = "needs the public data sets; set BEANJAR_DATA to their folder")]
fn majority_and_em_err_as_published_with_all_workers_and_with_the_best() {
    let folder = Folder::new();
    // Zhao and Zucker's table 2; on web without the twelve tasks that have no truth.
    for (name, steps, majority, em, keep, selected) in [
        ("bird", "50", 24.07, 10.19, "15", 8.33),
        ("rte", "50", 10.31, 7.25, "159", 7.25),
        ("trec", "50", 34.86, 29.67, "459", 29.49),
        ("dog", "50", 17.78, 15.74, "81", 15.37),
        ("web", "100", 26.93, 17.26, "9", 10.89),
    ] {
        let near = |found: f64, published: f64| {
            assert!((found - published).abs() < 0.006, "{name}: {found}, published to two digits as {published}");
        };
        near(error(&folder, name, &["--method", "majority"]), majority);
        let steps = ["--method", "dawid-skene", "--iterations", steps];
        near(error(&folder, name, &steps), em);
        near(error(&folder, name, &[&steps[..], &["--workers", keep]].concat()), selected);
    }
}

#[test]
#[cfg_attr(not(beanjar_data), ignore = "needs the public data sets; set BEANJAR_DATA to their folder")]
fn auto_is_never_far_below_the_plain_vote_and_its_confidence_can_be_trusted() {
    let folder = Folder::new();
    let crowds =
        ["bird", "rte", "trec", "dog", "web", "zencrowd-in", "weather-amt", "fact"].map(|name| format!("crowd/{name}"));
    let panels = ["judgebench", "llmbar", "requests", "ideology", "copa", "toxicity", "mmlu", "trivia"];
    let panels = panels.map(|name| format!("panels/{name}"));
    // Measured .846, .063 and .786, .086; half a point is left for changes that do no harm.
    for (sets, accuracy, calibration) in [(crowds, 0.841, 0.068), (panels, 0.781, 0.091)] {
        let mut means = (0.0, 0.0);
        for set in &sets {
            let (labels, truth) = (data(&format!("{set}/labels.csv")), data(&format!("{set}/truth.csv")));
            let quality = |method: &str| {
                let found = folder.json(&["aggregate", &labels, "--truth", &truth, "--method", method, "--quiet"]);
                let number = |key: &str| found["truth"][key].as_f64().unwrap();
                (number("accuracy"), number("ece"))
            };
            let (auto, plain) = (quality("auto"), quality("majority"));
            assert!(auto.0 > plain.0 - 0.01 - 1e-9, "{set}: {auto:?} {plain:?}");
            means = (means.0 + auto.0 / 8.0, means.1 + auto.1 / 8.0);
        }
        assert!(means.0 > accuracy && means.1 < calibration, "{means:?}");
    }
}
