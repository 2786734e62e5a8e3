//! A skill or a confusion matrix for each expert, and aggregation without features, on simulated embeddings, for
//! docs/many-experts.md.
//!
//! `cargo run --release -p beanjar --example error_model_trial [DRAWS]`

use beanjar::experts::{ErrorModel, Learn, LearnData, LearnFrom, LearnOutcome, PenaltyKind};
use beanjar::simulate::{Crowd, Embeddings, SimulatedEmbeddings, WorkerModel};
use beanjar::truth::{Aggregate, Majority, Method};
use beanjar::{Context, Result};
use std::num::NonZeroUsize;

const LABELLED: usize = 1000;

/// Shares that are right: of units without labels, and of those with labels by features and labels.
struct Right {
    new: f64,
    labelled: f64,
}

fn main() -> Result<()> {
    let draws = std::env::args().nth(1).and_then(|draws| draws.parse().ok()).unwrap_or(5);
    println!(
        "crowd, votes, separation | new units: skill rows auto aggregate majority | labelled: skill rows auto, aggregate vote | rows chosen"
    );
    for model in [WorkerModel::OneCoin, WorkerModel::Pairs, WorkerModel::Confusion] {
        for votes in [(1, 4), (3, 7)] {
            for separation in [2.0, 4.0] {
                let mut sums = [0.0; 11];
                for seed in 0..draws {
                    let found = trial(model, votes, separation, seed)?;
                    sums.iter_mut().zip(found).for_each(|(sum, value)| *sum += value / draws as f64);
                }
                let text: Vec<String> = sums.iter().map(|value| format!("{value:.3}")).collect();
                println!(
                    "{model:?} {votes:?} {separation} | {} | {} | {}",
                    text[..5].join(" "),
                    text[5..10].join(" "),
                    text[10]
                );
            }
        }
    }
    Ok(())
}

fn trial(model: WorkerModel, votes: (usize, usize), separation: f64, seed: u64) -> Result<[f64; 11]> {
    let crowd = Crowd {
        tasks: LABELLED,
        workers: 59,
        classes: 8,
        votes,
        model,
        accuracy: 0.6,
        spread: 6.0,
        unevenness: 0.7,
        ..Crowd::default()
    };
    let embeddings = Embeddings { crowd, unlabelled: 1000, features: 128, directions: 24, separation };
    let context = Context::new().with_seed(seed).with_threads(NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN))?;
    let drawn = embeddings.draw(&context)?;
    let (table, labels) = (drawn.table()?, drawn.to_labels()?);
    let data = LearnData::new(&table, &labels);
    let base = Learn { penalty_kind: Some(PenaltyKind::L2), restarts: 5, ..Learn::default() };
    let learn = |learn: Learn| -> Result<(Right, LearnOutcome)> {
        let outcome = learn.fit(&data, &context)?;
        let alone = outcome.model.predict(&table, None, &context)?;
        let with = match outcome.model.experts() {
            Some(_) => outcome.model.predict(&table, Some(&labels), &context)?,
            None => outcome.model.predict(&table, None, &context)?,
        };
        let new = right(&drawn, LABELLED..2 * LABELLED, |unit| alone.label(unit).to_owned());
        let labelled = right(&drawn, 0..LABELLED, |unit| with.label(unit).to_owned());
        Ok((Right { new, labelled }, outcome))
    };
    let (skill, _) = learn(Learn { error_model: Some(ErrorModel::Skill), ..base.clone() })?;
    let (rows, _) = learn(Learn { error_model: Some(ErrorModel::Rows), ..base.clone() })?;
    let (auto, chosen) = learn(base.clone())?;
    let (aggregated, _) = learn(Learn { from: LearnFrom::Aggregate, ..base.clone() })?;
    let (majority, _) = learn(Learn { from: LearnFrom::Majority, ..base })?;
    let alone = |method: Option<Method>| -> Result<f64> {
        let aggregate = match method {
            Some(method) => Aggregate { method, ..Aggregate::default() },
            None => Aggregate::default(),
        };
        let outcome = aggregate.fit(&labels, &context)?;
        let said: std::collections::HashMap<String, String> =
            outcome.tasks().map(|task| (task.task.to_owned(), task.label.to_owned())).collect();
        let units: Vec<String> = drawn.units().collect();
        Ok(right(&drawn, 0..LABELLED, |unit| said.get(&units[unit]).cloned().unwrap_or_default()))
    };
    let (aggregate, vote) = (alone(None)?, alone(Some(Method::Majority(Majority::default())))?);
    let took = f64::from(u8::from(chosen.error_model == Some(ErrorModel::Rows)));
    Ok([
        skill.new,
        rows.new,
        auto.new,
        aggregated.new,
        majority.new,
        skill.labelled,
        rows.labelled,
        auto.labelled,
        aggregate,
        vote,
        took,
    ])
}

fn right(drawn: &SimulatedEmbeddings, units: std::ops::Range<usize>, label: impl Fn(usize) -> String) -> f64 {
    let truth = &drawn.labels.truth;
    let count = units.len() as f64;
    units.filter(|&unit| label(unit) == format!("c{}", truth[unit] + 1)).count() as f64 / count
}
