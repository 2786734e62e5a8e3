//! What pages say, held against the outcomes.

#![allow(clippy::unwrap_used)]

use beanjar::experts::{FeatureTable, Features, LearnData, PerClass};
use beanjar::multiselect::AttributeLabel;
use beanjar::simulate::{Crowd, Experts, Photos};
use beanjar::truth::{DawidSkene, Method, WorkersToUse};
use beanjar::{
    Aggregate, AggregateOutcome, Column, Context, EnoughVotes, InspectLabels, Labels, Learn, LearnOutcome, RankWorkers,
    Score, Select, SelectOutcome,
};
use beanjar_report::{Page, Part, aggregate, inspect_labels, learn, score, select, votes, workers};

fn html(part: Part) -> String {
    Page { title: "x".into(), parts: vec![part] }.html()
}

/// What is read: the sentences and titles, without drawings, tables and scripts.
fn words(html: &str) -> String {
    let mut out = html.to_owned();
    for tag in ["svg", "script", "style", "table"] {
        let mut kept = String::new();
        for (i, piece) in out.split(&format!("<{tag}")).enumerate() {
            kept += match i {
                0 => piece,
                _ => piece.split(&format!("</{tag}>")).nth(1).unwrap_or(""),
            };
        }
        out = kept;
    }
    let mut text = String::new();
    for piece in out.split('<') {
        text += piece.split_once('>').map_or(piece, |(_, words)| words);
    }
    text
}

fn one_label() -> Labels {
    Labels::from_rows([("t", "w", "a")]).unwrap()
}

fn one_task() -> Labels {
    Labels::from_rows([("t", "ann", "a"), ("t", "bob", "a"), ("t", "cid", "b")]).unwrap()
}

fn crowd(classes: usize, workers: usize, tasks: usize) -> (Labels, Column) {
    let crowd = Crowd { tasks, workers, classes, ..Crowd::default() }.draw(&Context::new()).unwrap();
    (crowd.to_labels().unwrap(), crowd.truth().unwrap())
}

fn aggregated(labels: &Labels) -> AggregateOutcome {
    Aggregate { details: true, ..Aggregate::default() }.fit(labels, &Context::new()).unwrap()
}

#[test]
fn one_of_something_is_spoken_of_as_one() {
    let context = Context::new();
    for labels in [one_label(), one_task()] {
        let ranked = RankWorkers { details: true, suspicious: labels.len() > 1, ..RankWorkers::default() };
        let parts = [
            aggregate(&aggregated(&labels)),
            workers(&ranked.fit(&labels, &context).unwrap()),
            inspect_labels(&InspectLabels::default().run(&labels, &context).unwrap()),
        ];
        let more = EnoughVotes::default().run(&labels, &context).ok().map(|outcome| votes(&outcome));
        for part in parts.into_iter().chain(more) {
            let text = words(&html(part));
            for wrong in [
                "1 tasks",
                "1 labels",
                "1 workers",
                "1 votes",
                "1 task are",
                "1 task have",
                "All 1",
                "1 have",
                "other 1",
            ] {
                assert!(!text.contains(wrong), "'{wrong}' in {text}");
            }
        }
    }
}

#[test]
fn nothing_is_said_of_workers_who_cannot_be_judged_or_checked() {
    let ranked = RankWorkers::default().fit(&one_label(), &Context::new()).unwrap();
    let text = words(&html(workers(&ranked)));
    assert!(text.contains("Nobody can be judged") && !text.contains("is the best"), "{text}");
    let text = words(&html(aggregate(&aggregated(&one_task()))));
    assert!(text.contains("No worker can be checked") && !text.contains("standard errors"), "{text}");
}

#[test]
fn very_many_standard_errors_are_more_than_ten() {
    let (labels, _) = crowd(3, 8, 60);
    let mut outcome = aggregated(&labels);
    let auto = outcome.fit.as_mut().unwrap().auto.as_mut().unwrap();
    (auto.plain_vote, auto.gain) = (false, Some(1.3e11));
    let text = words(&html(aggregate(&outcome)));
    assert!(text.contains("by more than 10 standard errors"), "{text}");
}

#[test]
fn known_answers_are_no_settled_tasks() {
    let (labels, truth) = crowd(3, 8, 60);
    let some: Vec<(&str, &str)> =
        truth.ids().iter().zip(truth.values()).take(20).map(|(id, class)| (id, class.as_str())).collect();
    let gold = Some(Column::from_rows("label", some).unwrap());
    let outcome = Aggregate { gold, ..Aggregate::default() }.fit(&labels, &Context::new()).unwrap();
    let by_hand = outcome.tasks().filter(|task| task.confidence > 0.95).count() - 20;
    let text = words(&html(aggregate(&outcome)));
    assert!(text.contains(&format!("{by_hand} of 40 tasks")), "{by_hand}: {text}");
    assert!(text.contains("20 more tasks have a known answer."));
}

#[test]
fn the_reliability_of_confidence_has_a_direction() {
    let (labels, truth) = crowd(3, 8, 100);
    let mut outcome = Aggregate { truth: Some(truth), ..Aggregate::default() }.fit(&labels, &Context::new()).unwrap();
    for (accuracy, direction) in [(0.2, "less often than they say: 20%"), (1.0, "more often than they say: 100%")] {
        let found = outcome.truth.as_mut().unwrap();
        found.accuracy = accuracy;
        found.bins.iter_mut().for_each(|bin| bin.confidence = bin.confidence.map(|_| 0.8));
        let text = words(&html(aggregate(&outcome)));
        assert!(text.contains(direction) && text.contains("against 80%"), "{text}");
    }
}

#[test]
fn what_is_not_shown_has_a_reason() {
    let (labels, _) = crowd(20, 8, 200);
    let model = Method::DawidSkene(DawidSkene::default());
    let outcome = Aggregate { method: model, ..Aggregate::default() }.fit(&labels, &Context::new()).unwrap();
    assert!(html(aggregate(&outcome)).contains("20 classes are too many to read"));
}

#[test]
fn a_page_of_a_hundred_workers_is_below_a_megabyte() {
    let crowd = Crowd { tasks: 800, workers: 110, classes: 4, votes: (10, 10), ..Crowd::default() };
    let crowd = crowd.draw(&Context::new()).unwrap();
    let method = Method::DawidSkene(DawidSkene::default());
    let params = Aggregate { method, details: true, truth: Some(crowd.truth().unwrap()), ..Aggregate::default() };
    let outcome = params.fit(&crowd.to_labels().unwrap(), &Context::new()).unwrap();
    let page = html(aggregate(&outcome));
    assert_eq!(page.matches("data-heat=\"60\"").count(), 2, "the square of pairs is drawn for both widths");
    assert!(page.len() < 600_000, "{} bytes", page.len());
}

fn selected(label_noise: f64) -> SelectOutcome {
    let photos = Photos { objects: 60, ..Photos::default() }.draw(&Context::new()).unwrap();
    let params = Select { budget: 8.0, compare: true, label_noise, ..Select::default() };
    params.fit(&photos.to_judgments().unwrap(), &photos.heights().unwrap(), &Context::new()).unwrap()
}

#[test]
fn the_bound_is_on_the_projected_error_and_never_below_zero() {
    let plain = selected(0.0);
    let noise = plain.path[plain.path.len() / 2].projected_loss;
    for outcome in [plain, selected(noise)] {
        let page = html(select(&outcome));
        let figure = page.split("id=\"select-error-by-budget\"").nth(1).unwrap().split("</figure>").next().unwrap();
        assert!(figure.contains("lowest projected error of any selection"));
        let cells = |row: &str| -> Vec<f64> {
            let number = |cell: &str| {
                let exact = cell.split("data-v=\"").nth(1).and_then(|rest| rest.split('"').next());
                let shown = cell.split('>').nth(1).unwrap().split('<').next().unwrap();
                exact.unwrap_or(shown).parse().unwrap_or(f64::NAN)
            };
            row.split("<td").skip(1).map(number).collect()
        };
        let rows: Vec<Vec<f64>> = figure.split("<tr>").skip(2).map(cells).collect();
        assert_eq!(rows.len(), outcome.path.len());
        for row in rows {
            let [.., projected, bound] = row[..] else { panic!("{row:?}") };
            assert!(bound.is_nan() || (0.0..=projected + 1e-9).contains(&bound), "{bound} and {projected}");
        }
    }
}

#[test]
fn an_error_that_does_not_differ_from_zero_is_not_said_to_be_zero() {
    let noise = selected(0.0).cv_loss.unwrap();
    let outcome = selected(noise);
    assert_eq!(outcome.cv_loss, Some(0.0));
    let text = words(&html(select(&outcome)));
    assert!(text.matches("not distinguishable from 0").count() >= 3, "lead, controls and title: {text}");
    assert!(!text.contains("100% less"));
}

#[test]
fn another_method_is_advised_only_where_it_is_clearly_better() {
    let mut outcome = selected(0.0);
    let (loss, se) = (outcome.cv_loss.unwrap(), outcome.cv_se.unwrap());
    for (other, advised) in [(loss, false), (loss - 0.9 * se, false), (loss - 1.1 * se, true), (loss + se, false)] {
        for method in outcome.others.iter_mut().flatten() {
            let last = method.path.last_mut().unwrap();
            (last.cv_loss, last.cv_se) = (other, se);
        }
        let text = words(&html(select(&outcome)));
        assert_eq!(text.contains("try --method"), advised, "{other} against {loss} ({se}): {text}");
    }
}

#[test]
fn the_label_is_not_its_own_closest_attribute() {
    let photos = Photos { objects: 60, ..Photos::default() }.draw(&Context::new()).unwrap().to_judgments().unwrap();
    let name = photos.attributes.get(0).to_owned();
    let AttributeLabel { column, noise, .. } = AttributeLabel::of(&photos, &name).unwrap();
    let params = Select { budget: 6.0, label_noise: noise, ..Select::default() };
    let outcome = params.fit(&photos, &column, &Context::new()).unwrap();
    assert!(outcome.attributes.iter().all(|attribute| attribute.attribute != name));
    let text = words(&html(select(&outcome)));
    assert!(!text.contains(&format!("A judgment of \u{2018}{name}\u{2019}")) && !text.contains("itself"), "{text}");
}

fn learned() -> LearnOutcome {
    let context = Context::new();
    let drawn = Experts { units: 120, noise_features: 1, ..Experts::default() }.draw(&context).unwrap();
    let names = drawn.feature_names();
    let column = |feature: usize| drawn.features.iter().map(|unit| unit[feature]).collect();
    let columns: Vec<Vec<f64>> = (0..names.len()).map(column).collect();
    let features = Features::from_columns(120, &columns).unwrap();
    let features = FeatureTable::new(drawn.units().collect(), names, features).unwrap();
    let labels = drawn.to_labels().unwrap();
    Learn { restarts: 1, penalty: Some(1.0), ..Learn::default() }
        .fit(&LearnData::new(&features, &labels), &context)
        .unwrap()
}

#[test]
fn features_of_the_class_are_counted_alike_everywhere() {
    let mut outcome = learned();
    for (i, row) in outcome.features.iter_mut().enumerate() {
        row.truth = PerClass::Second(if i < 2 { 1.5 } else { 0.0 });
        row.ease = if i < 4 { 0.5 } else { 0.0 };
    }
    let page = html(learn(&outcome));
    let text = words(&page);
    assert!(text.contains("The class depends on 2 of 6 features.") && text.contains("2 features enter"), "{text}");
    assert!(text.contains("2 features in it tell of that alone."), "{text}");
    let figure = page.split("id=\"learn-features\"").nth(1).unwrap().split("</figure>").next().unwrap();
    assert_eq!(figure.matches("<g class=\"mark\"").count(), 2 * 2, "two bars at each of two widths");
}

#[test]
fn known_answers_come_first_where_there_are_some() {
    let (labels, truth) = crowd(2, 8, 120);
    let some: Vec<(&str, &str)> =
        truth.ids().iter().zip(truth.values()).take(40).map(|(id, class)| (id, class.as_str())).collect();
    let gold = Some(Column::from_rows("label", some).unwrap());
    let outcome = Score { gold, ..Score::default() }.run(&[truth], &labels, &Context::new()).unwrap();
    let best = outcome.models[0].gold.unwrap();
    let text = words(&html(score(&outcome)));
    let lead = text.split("errs ").nth(1).unwrap();
    assert!(lead.starts_with(&format!("{:.0}%", 100.0 * best.risk)) || best.risk.abs() < 0.1, "{text}");
    assert!(lead.contains("by 40 known answers and the labels; the labels alone would say"), "{text}");
}

#[test]
fn landmarks_have_names_of_their_own() {
    let (labels, truth) = crowd(3, 8, 60);
    let params = Aggregate { details: true, truth: Some(truth), ..Aggregate::default() };
    let page = html(aggregate(&params.fit(&labels, &Context::new()).unwrap()));
    let names: Vec<&str> = page
        .split("role=\"region\"")
        .skip(1)
        .map(|rest| rest.split("aria-label=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    let different: std::collections::BTreeSet<&&str> = names.iter().collect();
    assert!(names.len() > 4 && different.len() == names.len(), "{names:?}");
}

#[test]
fn workers_who_are_left_out_and_repeats_are_counted() {
    let (labels, _) = crowd(3, 8, 60);
    let params = Aggregate { workers: WorkersToUse::Top(3), ..Aggregate::default() };
    let outcome = params.fit(&labels, &Context::new()).unwrap();
    let used: u64 = outcome.workers().filter(|worker| worker.kept).map(|worker| worker.labels).sum();
    let text = words(&html(aggregate(&outcome)));
    assert!(
        text.contains(&format!("The labels come from {used} votes by 3 of 8 workers; the others were left out.")),
        "{text}"
    );

    let twice =
        Labels::from_rows([("t", "ann", "a"), ("t", "ann", "b"), ("t", "bob", "a"), ("u", "bob", "b")]).unwrap();
    let text = words(&html(aggregate(&aggregated(&twice))));
    assert!(text.contains("repeated on the same task are counted once"), "{text}");
    let text = words(&html(inspect_labels(&InspectLabels::default().run(&twice, &Context::new()).unwrap())));
    assert!(text.contains("1 of the labels is by a worker who had labelled the task before"), "{text}");
}

#[test]
fn agreement_is_drawn_with_its_interval() {
    let (labels, _) = crowd(3, 8, 60);
    let outcome = InspectLabels::default().run(&labels, &Context::new()).unwrap();
    let page = html(inspect_labels(&outcome));
    let figure = page.split("id=\"inspect-worker-agreement\"").nth(1).unwrap().split("</figure>").next().unwrap();
    assert_eq!(figure.matches("class=\"line k0\"").count(), 2 * 8, "an interval of each worker at each of two widths");
    let least = outcome.workers.iter().min_by(|a, b| a.agreement_high.unwrap().total_cmp(&b.agreement_high.unwrap()));
    let least = least.unwrap();
    let (agree, at_best) = (least.agreement.unwrap(), least.agreement_high.unwrap());
    let title = format!(
        "\u{2018}{}\u{2019} agrees least with the others: {:.0}%, at best {:.0}%;",
        least.worker,
        100.0 * agree,
        100.0 * at_best
    );
    assert!(words(&page).contains(&title), "{title}");
}
