//! Titles and meanings that must hold whatever the data: what they say is what the figure shows.

#![allow(clippy::unwrap_used)]

use beanjar::experts::{FeatureTable, Features, LearnData, PenaltyKind};
use beanjar::multiselect::Method as Choosing;
use beanjar::simulate::{Crowd, Experts, Photos};
use beanjar::{
    Aggregate, Column, Context, InspectJudgments, InspectLabels, Judgments, Labels, Learn, LearnOutcome, RankWorkers,
    Score, Select, SelectOutcome,
};
use beanjar_report::{Page, Part, aggregate, inspect_judgments, inspect_labels, learn, score, select, workers};

fn html(part: Part) -> String {
    Page { title: "x".into(), parts: vec![part] }.html()
}

/// A figure of a page.
fn figure<'a>(page: &'a str, id: &str) -> &'a str {
    page.split(&format!("<figure id=\"{id}\"")).nth(1).unwrap().split("</figure>").next().unwrap()
}

fn title(figure: &str) -> &str {
    figure.split("<h3 ").nth(1).unwrap().split_once('>').unwrap().1.split("</h3>").next().unwrap()
}

/// What the wide drawing has, without the table.
fn drawing(figure: &str) -> &str {
    figure.split("<div class=\"wide\">").nth(1).unwrap().split("</svg>").next().unwrap()
}

fn crowd(classes: usize, workers: usize, tasks: usize) -> (Labels, Column) {
    let crowd = Crowd { tasks, workers, classes, ..Crowd::default() }.draw(&Context::new()).unwrap();
    (crowd.to_labels().unwrap(), crowd.truth().unwrap())
}

#[test]
fn the_first_workers_never_hold_more_than_all_information() {
    let (labels, _) = crowd(3, 8, 60);
    let mut outcome = RankWorkers::default().fit(&labels, &Context::new()).unwrap();
    outcome.elbow = 2;
    for worker in &mut outcome.workers {
        worker.score = if worker.rank <= 2 { 0.2 } else { -0.05 };
    }
    let page = html(workers(&outcome));
    assert!(title(figure(&page, "workers-information")).contains("hold 100% of"), "{page}");
}

#[test]
fn who_is_worse_than_guessing_can_be_distinguished_from_it() {
    let (labels, _) = crowd(3, 8, 60);
    let mut outcome = RankWorkers::default().fit(&labels, &Context::new()).unwrap();
    for (i, worker) in outcome.workers.iter_mut().enumerate() {
        let at = [-0.4, 0.0, 0.0].get(i).copied().unwrap_or(0.6);
        (worker.accuracy_low, worker.accuracy, worker.accuracy_high) = (at - 0.1, at, at + 0.1);
    }
    let page = html(workers(&outcome));
    let title = title(figure(&page, "workers-accuracy"));
    assert!(title.ends_with("2 cannot be distinguished from guessing, 1 is worse than it"), "{title}");
}

#[test]
fn known_answers_are_no_estimates() {
    let (labels, truth) = crowd(3, 8, 60);
    let gold = |n: usize| {
        let some: Vec<(&str, &str)> =
            truth.ids().iter().zip(truth.values()).take(n).map(|(id, class)| (id, class.as_str())).collect();
        Aggregate { gold: Some(Column::from_rows("label", some).unwrap()), ..Aggregate::default() }
    };
    let some = html(aggregate(&gold(20).fit(&labels, &Context::new()).unwrap()));
    assert!(title(figure(&some, "aggregate-confidence")).contains("of 40 tasks"));
    let all = html(aggregate(&gold(60).fit(&labels, &Context::new()).unwrap()));
    assert!(all.contains("The answers of all 60 tasks are known") && !all.contains("0 of 0 tasks"));
}

#[test]
fn one_vote_a_task_settles_nothing() {
    let labels = Labels::from_rows([("t", "ann", "a"), ("u", "ann", "b"), ("v", "ann", "a")]).unwrap();
    let page = html(aggregate(&Aggregate::default().fit(&labels, &Context::new()).unwrap()));
    assert!(!page.contains("settled") && !page.contains("probability that the label is right"), "{page}");
    assert!(page.contains("more than 95% of their votes for one label: how often that is right is not known."));
}

#[test]
fn workers_who_are_named_are_drawn() {
    // Forty workers with one label each, and ten with many.
    let mut rows: Vec<(String, String, &str)> = Vec::new();
    for task in 0..60 {
        for worker in 0..10 {
            let label = if (task * 7 + worker * 3) % (worker + 4) == 0 { "b" } else { "a" };
            rows.push((format!("t{task}"), format!("steady{worker}"), label));
        }
        if task < 40 {
            rows.push((format!("t{task}"), format!("passer{task}"), if task % 2 == 0 { "a" } else { "b" }));
        }
    }
    let labels = Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], *label))).unwrap();
    let page = html(aggregate(&Aggregate::default().fit(&labels, &Context::new()).unwrap()));
    let drawn = drawing(figure(&page, "aggregate-workers"));
    assert!(drawn.contains("steady") && !drawn.contains("passer"), "a label or two says nothing");
    assert!(figure(&page, "aggregate-workers").contains("passer"), "the table has all");
    let outcome = InspectLabels::default().run(&labels, &Context::new()).unwrap();
    let page = html(inspect_labels(&outcome));
    let figure = figure(&page, "inspect-worker-agreement");
    let least = title(figure).split(['\u{2018}', '\u{2019}']).nth(1).unwrap();
    assert!(drawing(figure).contains(&format!(">{least}<")), "{least}");
}

#[test]
fn votes_of_workers_with_long_names_are_not_cut() {
    let rows: Vec<(String, String, &str)> = (0..30)
        .flat_map(|task| {
            (0..12).map(move |worker| {
                let name = format!("a-language-model-with-a-long-name-{worker}");
                (format!("t{task}"), name, if (task + worker) % 3 == 0 { "no" } else { "yes" })
            })
        })
        .collect();
    let labels = Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], *label))).unwrap();
    let outcome = Aggregate { details: true, ..Aggregate::default() }.fit(&labels, &Context::new()).unwrap();
    let page = html(aggregate(&outcome));
    let figure = figure(&page, "aggregate-in-doubt");
    assert!(figure.contains("4 \u{d7} no (") && figure.contains("8 \u{d7} yes ("), "{figure}");
}

fn learned(kind: PenaltyKind) -> LearnOutcome {
    let context = Context::new();
    let drawn = Experts { units: 120, noise_features: 1, ..Experts::default() }.draw(&context).unwrap();
    let names = drawn.feature_names();
    let column = |feature: usize| drawn.features.iter().map(|unit| unit[feature]).collect();
    let columns: Vec<Vec<f64>> = (0..names.len()).map(column).collect();
    let features = Features::from_columns(120, &columns).unwrap();
    let features = FeatureTable::new(drawn.units().collect(), names, features).unwrap();
    let labels = drawn.to_labels().unwrap();
    let params = Learn { restarts: 1, penalty_kind: Some(kind), ..Learn::default() };
    params.fit(&LearnData::new(&features, &labels), &context).unwrap()
}

#[test]
fn a_penalty_that_leaves_no_feature_out_is_not_said_to() {
    for (kind, leaves_out) in [(PenaltyKind::L1, true), (PenaltyKind::L2, false)] {
        let outcome = learned(kind);
        let page = html(learn(&outcome));
        for words in ["larger: fewer features", "leaves features out", "Features enter from the right"] {
            assert_eq!(page.contains(words), leaves_out, "{kind:?}: {words}");
        }
        let odds = title(figure(&page, "learn-coefficients")).rsplit(' ').next().unwrap().parse::<f64>().unwrap();
        let first = &outcome.coefficient_paths[0];
        let chosen = outcome.path.iter().position(|point| point.penalty == outcome.penalty).unwrap();
        assert!((odds / first.values[chosen].exp() - 1.0).abs() < 0.01, "{odds}");
    }
}

#[test]
fn one_model_is_not_compared_and_no_clear_difference_is_said_so() {
    let (labels, truth) = crowd(2, 8, 120);
    let alone = html(score(&Score::default().run(std::slice::from_ref(&truth), &labels, &Context::new()).unwrap()));
    assert!(!alone.contains("the least") && !alone.contains("Hollow squares"), "{alone}");
    let other = truth.ids().iter().zip(truth.values()).enumerate();
    let other: Vec<(&str, &str)> =
        other.map(|(i, (id, class))| (id, if i == 0 { truth.values()[1].as_str() } else { class.as_str() })).collect();
    let other = Column::from_rows("other", other).unwrap();
    let mut outcome = Score::default().run(&[truth, other], &labels, &Context::new()).unwrap();
    for (difference, said) in [(0.01, ": no clear difference"), (0.3, ": clearly worse")] {
        (outcome.models[1].difference, outcome.models[1].difference_se) = (Some(difference), Some(0.02));
        let page = html(score(&outcome));
        let title = title(figure(&page, "score-differences"));
        assert!(title.ends_with(said) && title.contains("percentage point"), "{title}");
    }
}

fn selected(method: Choosing) -> SelectOutcome {
    let photos = Photos { objects: 60, ..Photos::default() }.draw(&Context::new()).unwrap();
    let params = Select { budget: 8.0, compare: true, method, ..Select::default() };
    params.fit(&photos.to_judgments().unwrap(), &photos.heights().unwrap(), &Context::new()).unwrap()
}

#[test]
fn scoring_is_not_said_to_be_as_good_as_any() {
    let bounded = html(select(&selected(Choosing::Full)));
    assert!(bounded.contains("lowest projected error of any selection"));
    let scoring = html(select(&selected(Choosing::Scoring)));
    assert!(scoring.contains("<span data-f=\"gain\">not known</span>"), "{scoring}");
    assert!(!scoring.contains("lowest projected error of any selection"));
}

#[test]
fn what_is_all_noise_tells_nothing_and_an_unsure_method_is_not_advised() {
    let mut outcome = selected(Choosing::Full);
    let noisy = outcome.attributes.last_mut().unwrap();
    (noisy.correlation, noisy.signal) = (Some(1.0), 0.0);
    let name = noisy.attribute.clone();
    let (loss, se) = (outcome.cv_loss.unwrap(), outcome.cv_se.unwrap());
    for method in outcome.others.iter_mut().flatten() {
        let last = method.path.last_mut().unwrap();
        (last.cv_loss, last.cv_se) = ((loss - 2.0 * se).max(0.0), 3.0 * se);
    }
    let page = html(select(&outcome));
    assert!(!title(figure(&page, "select-attributes")).contains(&name));
    assert!(!page.contains("try --method"), "its own standard error is larger than the difference");
}

#[test]
fn attributes_that_are_named_are_drawn() {
    // Of 60 attributes each is noisier than the one before.
    let mut rows: Vec<(String, String, String, f64)> = Vec::new();
    for object in 0..40u32 {
        for attribute in 0..60u32 {
            for worker in 0..2u32 {
                let noise = f64::from((object * 31 + attribute * 17 + worker * 13) % 11) - 5.0;
                let value = f64::from(object) + noise * 0.1 * f64::from(attribute + 1);
                rows.push((object.to_string(), format!("attribute{attribute:02}"), worker.to_string(), value));
            }
        }
    }
    let rows = rows.iter().map(|(object, attribute, worker, value)| (&object[..], &attribute[..], &worker[..], *value));
    let outcome = InspectJudgments::default().run(&Judgments::from_rows(rows).unwrap(), &Context::new()).unwrap();
    let page = html(inspect_judgments(&outcome));
    let ends = ["inspect-reliability", "inspect-needed"].map(|id| {
        let figure = figure(&page, id);
        let named: Vec<&str> = title(figure).split(['\u{2018}', '\u{2019}']).skip(1).step_by(2).collect();
        for name in &named {
            assert!(drawing(figure).contains(&format!(">{name}<")), "{name} in {id}");
        }
        named
    });
    assert_eq!(ends[0], ends[1], "the most reliable attribute needs the fewest");
}
