//! Pages of real outcomes.

#![allow(clippy::unwrap_used)]

use beanjar::experts::{FeatureTable, Features, LearnData};
use beanjar::simulate::{Crowd, Experts, Photos};
use beanjar::truth::PoolWorker;
use beanjar::{
    Aggregate, Context, EnoughVotes, InspectJudgments, InspectLabels, Learn, LearnOutcome, NextVotes, Plan,
    RankWorkers, Score, Select, SelectOutcome,
};
use beanjar_report::{
    Page, aggregate, inspect_judgments, inspect_labels, learn, next, plan, score, select, votes, workers,
};
use std::collections::BTreeSet;

fn selected(context: &Context) -> SelectOutcome {
    let photos = Photos { objects: 60, ..Photos::default() }.draw(context).unwrap();
    let select = Select { budget: 8.0, bootstrap: Some(3), compare: true, ..Select::default() };
    select.fit(&photos.to_judgments().unwrap(), &photos.heights().unwrap(), context).unwrap()
}

fn learned(context: &Context) -> LearnOutcome {
    let drawn = Experts { units: 120, noise_features: 1, ..Experts::default() }.draw(context).unwrap();
    let names = drawn.feature_names();
    let column = |feature: usize| drawn.features.iter().map(|unit| unit[feature]).collect();
    let columns: Vec<Vec<f64>> = (0..names.len()).map(column).collect();
    let features = Features::from_columns(120, &columns).unwrap();
    let features = FeatureTable::new(drawn.units().collect(), names, features).unwrap();
    let (labels, truth) = (drawn.to_labels().unwrap(), drawn.truth().unwrap());
    let data = LearnData { truth: Some(&truth), ..LearnData::new(&features, &labels) };
    Learn { restarts: 1, ..Learn::default() }.fit(&data, context).unwrap()
}

fn page() -> Page {
    let context = Context::new();
    let crowd = Crowd { tasks: 80, workers: 8, classes: 3, families: 1, ..Crowd::default() }.draw(&context).unwrap();
    let (labels, truth) = (crowd.to_labels().unwrap(), crowd.truth().unwrap());
    let photos = Photos { objects: 40, ..Photos::default() }.draw(&context).unwrap().to_judgments().unwrap();
    let ranked = RankWorkers { details: true, suspicious: true, ..RankWorkers::default() };
    let voted = Aggregate { details: true, truth: Some(truth.clone()), ..Aggregate::default() };
    let pool = ["w1", "w2", "<new>"].map(|worker| PoolWorker { worker: worker.into(), limit: None, cost: None });
    let asked = NextVotes { votes: 30, workers: Some(pool.to_vec()), stop: Some(0.99), ..NextVotes::default() };
    let planned = Plan { selection: selected(&context).to_selection(), objects: None };
    let parts = vec![
        inspect_judgments(&InspectJudgments::default().run(&photos, &context).unwrap()),
        inspect_labels(&InspectLabels::default().run(&labels, &context).unwrap()).named("labels", "The labels"),
        select(&selected(&context)),
        workers(&ranked.fit(&labels, &context).unwrap()),
        aggregate(&voted.fit(&labels, &context).unwrap()),
        votes(&EnoughVotes { target: Some(0.9), ..EnoughVotes::default() }.run(&labels, &context).unwrap()),
        next(&asked.run(&labels, &context).unwrap()),
        plan(&planned.run(&photos, &context).unwrap()),
        learn(&learned(&context)),
        score(&Score::default().run(&[truth], &labels, &context).unwrap()),
    ];
    Page { title: "All <of> it".into(), parts }
}

/// What stands between two texts, again and again.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Vec<&'a str> {
    text.split(before).skip(1).filter_map(|rest| rest.split(after).next()).collect()
}

#[test]
fn a_page_of_all_parts_is_sound() {
    let page = page();
    let html = page.html();
    assert!(html.contains("<title>All &lt;of&gt; it</title>"));
    let ids = between(&html, " id=\"", "\"");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "every id is there once");
    for target in between(&html, "href=\"#", "\"") {
        assert!(ids.contains(&target));
    }
    let figures = html.matches("<figure ").count();
    assert!(figures >= 24, "{figures}");
    assert_eq!(html.matches("<details class=\"numbers\"").count(), figures, "each has its numbers");
    assert_eq!(html.matches("<figcaption>").count(), figures, "and says what it means");
    for title in between(&html, "-title\">", "</h3>").into_iter().filter(|title| !title.starts_with('<')) {
        assert!(title.contains(|c: char| c.is_ascii_digit()) || title.starts_with("No"), "no number in: {title}");
    }
    assert!(!html.contains("NaN") && !html.contains(">inf<"), "a number that is none is not shown");
}

#[test]
fn figures_are_files_of_xml() {
    let page = page();
    let mut names = BTreeSet::new();
    for (name, svg) in page.svg_files() {
        assert!(names.insert(name.clone()), "{name} twice");
        assert!(!svg.contains("NaN"), "{name}");
        // Every tag that is opened is closed, in turn.
        let mut open: Vec<String> = Vec::new();
        for tag in between(&svg, "<", ">") {
            match tag.strip_prefix('/') {
                Some(closed) => assert_eq!(open.pop().as_deref(), Some(closed), "{name}"),
                None if tag.ends_with('/') => {}
                None => open.push(tag.split([' ', '\n']).next().unwrap_or_default().to_owned()),
            }
        }
        assert!(open.is_empty(), "{name}: {open:?}");
    }
    assert!(names.contains("select-error-by-budget.svg") && names.contains("labels-votes.svg"), "{names:?}");
}

#[test]
fn the_same_outcome_is_the_same_page() {
    let outcome = selected(&Context::new());
    let html = |outcome: &SelectOutcome| Page { title: "x".into(), parts: vec![select(outcome)] }.html();
    assert_eq!(html(&outcome), html(&outcome.clone()));
}

#[test]
fn very_many_parts_are_not_all_on_the_page() {
    let outcome = selected(&Context::new());
    let part = |i: usize| select(&outcome).named(&format!("part-{i}"), format!("Part {i}"));
    let page = |n: usize| Page { title: "x".into(), parts: (0..n).map(part).collect() }.html();
    let (few, many) = (page(3), page(60));
    assert!(!few.contains("left out, to keep") && few.contains("id=\"part-2\""));
    assert!(many.len() < 1_000_000, "{}", many.len());
    let drawn = many.matches("<section ").count();
    assert_eq!(many.matches("<li><a ").count(), drawn);
    assert!(many.contains(&format!("{} more parts are left out, to keep the page small", 60 - drawn)), "{drawn}");
}
