//! How experts err: one skill each, or a confusion matrix each, chosen by labels that were held out.

use super::choose_penalty::{HeldOutFits, PenaltyChoice};
use super::large_path::OF_PARTS;
use super::learn::{Learn, LearnFrom};
use super::path::{classes_of, held_out_of, probabilities};
use super::temperature::{posteriors, temperature, unit_log_likelihoods};
use super::{ClassifierFit, Labelled, ManyExperts, PathPoint};
use crate::surrogate::{difference, expert_error};
use crate::truth::Posterior;
use crate::{Context, Error, Result};

/// How experts err, given the class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum ErrorModel {
    /// An expert has a skill; features say which units are easy; whoever errs says any other class.
    #[default]
    Skill,
    /// An expert has a confusion matrix around the population's, tilted by skill; features do not matter.
    Rows,
}

impl ErrorModel {
    /// What an expert has, in words.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            ErrorModel::Skill => "a skill each",
            ErrorModel::Rows => "a confusion matrix each",
        }
    }
}

/// The two ways in which experts may err, compared by labels that were held out.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ErrorModels {
    /// The mean log-likelihood of the labels of a unit that was held out, with a skill for each expert.
    pub skill: f64,
    /// The same with a confusion matrix for each.
    pub rows: f64,
    /// By how much the second is larger, on the same units.
    pub difference: f64,
    /// Its standard error.
    pub difference_se: Option<f64>,
}

impl Learn {
    /// A confusion matrix for each expert in place of a skill, where that is asked for; or where nothing is, if labels that
    /// were held out are likelier with it by more than one standard error.
    pub(super) fn settle_error_model(
        &self,
        data: &Labelled<'_>,
        method: &ManyExperts,
        chosen: PenaltyChoice,
        context: &Context,
    ) -> Result<PenaltyChoice> {
        let asked = self.error_model == Some(ErrorModel::Rows);
        let possible = self.from == LearnFrom::Experts && method.rows_fit(data);
        if asked && !possible {
            return Err(Error::OutOfRange {
                name: "how experts err",
                value: "a confusion matrix each".into(),
                range: "for experts without a skill for each class, and for no more than 20 million probabilities",
            });
        }
        let method = method.with_penalty(chosen.penalty);
        let (true, Some(start)) = (possible && (asked || self.error_model.is_none()), chosen.fit.parameters()) else {
            return Ok(chosen);
        };
        let Some(skill) = chosen.held_out.as_ref() else {
            if !asked {
                return Ok(chosen);
            }
            let fit = method.with_rows(data, start, context)?;
            let iterations = chosen.fit.iterations + fit.iterations;
            return Ok(PenaltyChoice { fit: ClassifierFit { iterations, ..fit }, ..chosen });
        };
        let rows = self.rows_of_parts(data, &method, skill, &context.part(0.0, 0.8))?;
        let compared = compare(data, skill, &rows);
        let likelier =
            compared.is_some_and(|compared| compared.difference_se.is_some_and(|se| compared.difference > se));
        if !(asked || likelier) {
            return Ok(PenaltyChoice { error_models: compared, ..chosen });
        }
        let fit = method.with_rows(data, start, &context.part(0.8, 1.0))?;
        let fit = ClassifierFit { iterations: chosen.fit.iterations + fit.iterations, ..fit };
        let predicted = classes_of(&rows.probabilities, &fit);
        let mut path = chosen.path;
        let at =
            path.iter().position(|point| (point.penalty, point.kind) == (chosen.penalty.size, chosen.penalty.kind));
        if let Some(at) = at {
            path[at] = PathPoint::new(chosen.penalty, &fit, Some((data.ballots, &predicted)))
                .against(data.truth.as_deref(), &predicted);
        }
        Ok(PenaltyChoice { fit, path, held_out: Some(rows), error_models: compared, ..chosen })
    }

    /// Fits with a confusion matrix for each expert, to all but each part of the units.
    fn rows_of_parts(
        &self,
        data: &Labelled<'_>,
        method: &ManyExperts,
        skill: &HeldOutFits,
        context: &Context,
    ) -> Result<HeldOutFits> {
        let alone = context.alone();
        let roughly = ManyExperts { tolerance: OF_PARTS, ..method.clone() };
        let steps = context.steps("comparing how experts err", skill.parts.len());
        let parts = context.map(skill.parts.iter().enumerate().collect(), |(part, fit): (usize, &ClassifierFit)| {
            let kept: Vec<usize> = (0..data.units()).filter(|&unit| skill.fold[unit] != part).collect();
            let ballots = data.ballots.of_tasks(&kept)?;
            let start = fit.parameters().ok_or(Error::Empty("start"))?;
            let fit = roughly.with_rows(&data.part(&kept, &ballots)?, start, &alone)?;
            steps.tick()?;
            Ok(fit)
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let of_parts = parts.iter().map(|fit| probabilities(fit, data, &alone)).collect::<Result<Vec<_>>>()?;
        Ok(HeldOutFits { probabilities: held_out_of(&skill.fold, &of_parts), parts, fold: skill.fold.clone() })
    }
}

/// The log-likelihoods of units' labels by fits that did not learn from them, each at its best temperature.
fn compare(data: &Labelled<'_>, skill: &HeldOutFits, rows: &HeldOutFits) -> Option<ErrorModels> {
    let of = |held_out: &HeldOutFits| -> Option<Vec<Option<f64>>> {
        let (classes, logs) = (data.ballots.classes(), held_out.label_logs(data)?);
        let found = temperature(classes, &held_out.probabilities, &relative(classes, &logs));
        let units = unit_log_likelihoods(classes, &held_out.probabilities, &logs, found);
        let labelled = |(unit, log): (usize, f64)| (!data.ballots.votes(unit).labels.is_empty()).then_some(log);
        Some(units.into_iter().enumerate().map(labelled).collect())
    };
    let (skill, rows) = (of(skill)?, of(rows)?);
    let found = difference(&rows, &skill)?;
    let mean = |logs: &[Option<f64>]| logs.iter().flatten().sum::<f64>() / found.units as f64;
    Some(ErrorModels { skill: mean(&skill), rows: mean(&rows), difference: found.mean, difference_se: found.se })
}

/// P(labels | class) of each unit divided by its largest, from logarithms.
pub(super) fn relative(classes: usize, logs: &[f64]) -> Vec<f64> {
    let of_unit = |logs: &[f64]| {
        let most = logs.iter().fold(f64::NEG_INFINITY, |most: f64, log| most.max(*log));
        logs.iter().map(move |log| (log - most).exp()).collect::<Vec<f64>>()
    };
    logs.chunks_exact(classes).flat_map(of_unit).collect()
}

impl HeldOutFits {
    /// How often experts err, by the class of each unit given its features and labels, as fits see it that learned from neither;
    /// none of regressions. A fit to the very labels takes too many of them for right.
    pub(super) fn expert_error(&self, data: &Labelled<'_>) -> Result<Option<f64>> {
        let classes = data.ballots.classes();
        let Some(logs) = self.label_logs(data) else { return Ok(None) };
        let likelihoods = relative(classes, &logs);
        let found = temperature(classes, &self.probabilities, &likelihoods);
        let posterior = posteriors(classes, &self.probabilities, &likelihoods, found);
        expert_error(data.ballots, &Posterior::new(classes, posterior)?)
    }

    /// ln P(labels | class) of each unit, unit by unit, by experts that were not learned from it; none of regressions.
    pub(super) fn label_logs(&self, data: &Labelled<'_>) -> Option<Vec<f64>> {
        let classes = data.ballots.classes();
        let of_part = |fit: &ClassifierFit| {
            let experts = fit.experts.as_ref()?;
            Some(experts.label_logs(&data.features.sums_on_the_users_scale(experts.ease()), data.ballots))
        };
        let of_parts: Vec<Vec<f64>> = self.parts.iter().map(of_part).collect::<Option<_>>()?;
        let of_unit = |(unit, part): (usize, &usize)| of_parts[*part][unit * classes..(unit + 1) * classes].to_vec();
        Some(self.fold.iter().enumerate().flat_map(of_unit).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::expert_rows::ExpertRows;
    use crate::experts::{HeldOut, LearnData, LearnOutcome, PenaltyKind};
    use crate::judgments::Ballots;
    use crate::simulate::{Crowd, Embeddings, SimulatedEmbeddings, WorkerModel};
    use crate::truth::{Aggregate, WorkerRows};
    use crate::{Column, Labels, Progress};
    use std::ops::ControlFlow;
    use std::sync::{Arc, Mutex};

    fn drawn(model: WorkerModel, seed: u64) -> SimulatedEmbeddings {
        let crowd =
            Crowd { tasks: 300, workers: 12, classes: 4, votes: (2, 4), accuracy: 0.55, model, ..Crowd::default() };
        let embeddings = Embeddings { crowd, unlabelled: 100, features: 20, directions: 8, separation: 2.5 };
        embeddings.draw(&Context::new().with_seed(seed)).unwrap()
    }

    fn learn() -> Learn {
        Learn { penalty_kind: Some(PenaltyKind::L2), restarts: 1, held_out: HeldOut::Folds(3), ..Learn::default() }
    }

    fn fit(learn: &Learn, drawn: &SimulatedEmbeddings, labels: &Labels) -> LearnOutcome {
        let table = drawn.table().unwrap();
        learn.fit(&LearnData::new(&table, labels), &Context::new()).unwrap()
    }

    fn accuracy(truth: &Column, label: impl Fn(&str) -> Option<String>) -> f64 {
        let said = truth.ids().iter().enumerate().filter_map(|(at, id)| Some(label(id)? == truth.values()[at]));
        let right: Vec<bool> = said.collect();
        right.iter().filter(|right| **right).count() as f64 / right.len() as f64
    }

    #[test]
    fn features_and_labels_together_beat_labels_alone_and_matrices_are_found_where_they_are() {
        for (model, seed) in [(WorkerModel::Pairs, 1), (WorkerModel::OneCoin, 2)] {
            let drawn = drawn(model, seed);
            let (table, labels, truth) = (drawn.table().unwrap(), drawn.to_labels().unwrap(), drawn.truth().unwrap());
            let outcome = fit(&learn(), &drawn, &labels);
            let compared = outcome.error_models.unwrap();
            if model == WorkerModel::Pairs {
                assert_eq!(outcome.error_model, Some(ErrorModel::Rows));
                assert!(compared.difference > 0.1, "{compared:?}");
                let rows = outcome.model.experts().unwrap().rows().unwrap();
                // Four mistakes in five are the class that looks alike.
                let mean = |label: usize| (0..12).map(|k| rows.probability(k, 0, label)).sum::<f64>() / 12.0;
                assert!(mean(1) > 2.0 * (mean(2) + mean(3)), "{} {} {}", mean(1), mean(2), mean(3));
            }
            let with = outcome.model.predict(&table, Some(&labels), &Context::new()).unwrap();
            let units = table.units().lookup();
            let labelled =
                |id: &str| labels.tasks.lookup().code(id).map(|_| with.label(units.code(id).unwrap()).to_owned());
            let aggregated = Aggregate::default().fit(&labels, &Context::new()).unwrap();
            let alone = |id: &str| Some(aggregated.task(labels.tasks.lookup().code(id)?)?.label.to_owned());
            let (ours, theirs) = (accuracy(&truth, labelled), accuracy(&truth, alone));
            // Labels alone are right about 0.7 of the time here; features add clearly more than the noise of 300 units.
            assert!(ours > theirs + 0.03, "{model:?}: {ours} {theirs}");
        }
    }

    #[test]
    fn how_often_experts_err_is_taken_from_labels_that_were_held_out() {
        let (mut held_out, mut learned) = (0.0, 0.0);
        for seed in 6..10 {
            let drawn = drawn(WorkerModel::OneCoin, seed);
            let labels = drawn.to_labels().unwrap();
            let labelled = drawn.labels.labels.iter().zip(&drawn.labels.truth).filter(|(votes, _)| !votes.is_empty());
            let wrong = labelled.map(|(votes, truth)| {
                votes.iter().filter(|(_, label)| label != truth).count() as f64 / votes.len() as f64
            });
            let wrong = wrong.sum::<f64>() / 300.0;
            // With a small penalty the classifier learns labels by heart, and takes too many of them for right.
            let given = Learn { penalty: Some(10.0), error_model: Some(ErrorModel::Skill), ..learn() };
            let error = |learn: &Learn| fit(learn, &drawn, &labels).expert_error.unwrap() - wrong;
            held_out += error(&given) / 4.0;
            learned += error(&Learn { held_out: HeldOut::Auto, ..given }) / 4.0;
        }
        assert!(learned < -0.01 && held_out.abs() < 0.5 * learned.abs(), "{held_out} {learned}");
    }

    #[test]
    fn a_label_is_read_by_a_row_that_leaves_it_out() {
        let votes = [vec![(0, 0), (1, 1)], vec![(0, 1), (1, 1)], vec![(0, 0)], vec![(1, 0), (0, 0)]];
        let ballots = Ballots::from_tasks(&votes, 2, 2).unwrap();
        let posterior = [0.8, 0.2, 0.3, 0.7, 0.9, 0.1, 0.6, 0.4];
        let mut model = WorkerRows::new(&ballots);
        (0..5).for_each(|_| drop(model.step(&ballots, &posterior)));
        let found = model.step(&ballots, &posterior);
        let (tables, behind) = (found.tables.clone(), found.behind.clone());
        let rows = ExpertRows::new(2, found);
        // Expert 0 of unit 1: counts of label and class, by hand, with and without the unit.
        let counts = |label: usize, class: usize, but: usize| -> f64 {
            let says = |unit: usize| votes[unit].contains(&(0, label)) && unit != but;
            (0..4).filter(|&unit| says(unit)).map(|unit| posterior[2 * unit + class]).sum()
        };
        let own = [0.3, 0.7];
        let mut logs = [0.0; 2];
        rows.add_logs_without(ballots.votes(1), &own, &[true, false], &mut logs);
        for class in 0..2 {
            let (all, row) = ((0..2).map(|label| counts(label, class, 9)).sum::<f64>(), behind[class]);
            let strength = row - all;
            let mean = (tables[2 + class] * row - counts(1, class, 9)) / strength;
            let left = (0..2).map(|label| counts(label, class, 1)).sum::<f64>();
            let by_hand = (counts(1, class, 1) + strength * mean) / (left + strength);
            let other = rows.probability(1, class, 1).ln();
            assert!((logs[class] - by_hand.ln() - other).abs() < 1e-9, "{class}: {} {by_hand}", logs[class]);
        }
    }

    #[test]
    fn rows_in_another_order_give_the_same() {
        let drawn = drawn(WorkerModel::Pairs, 3);
        let mut rows: Vec<(String, String, String)> = drawn.rows().collect();
        let labels = |rows: &[(String, String, String)]| {
            Labels::from_rows(rows.iter().map(|(unit, worker, label)| (&unit[..], &worker[..], &label[..]))).unwrap()
        };
        let first = labels(&rows);
        rows.reverse();
        rows.swap(3, 77);
        let second = labels(&rows);
        for learn in [
            learn(),
            Learn { penalty_kind: Some(PenaltyKind::L1), penalty: Some(4.0), ..learn() },
            Learn { from: LearnFrom::Aggregate, ..learn() },
            Learn {
                held_out: HeldOut::Share(0.3),
                penalty: Some(50.0),
                error_model: Some(ErrorModel::Rows),
                ..learn()
            },
        ] {
            let (one, other) = (fit(&learn, &drawn, &first), fit(&learn, &drawn, &second));
            assert_eq!(
                (&one.model, &one.path, one.surrogate),
                (&other.model, &other.path, other.surrogate),
                "{learn:?}"
            );
        }
    }

    #[test]
    fn progress_never_falls() {
        let drawn = drawn(WorkerModel::Pairs, 4);
        let (table, labels) = (drawn.table().unwrap(), drawn.to_labels().unwrap());
        for kind in [PenaltyKind::L1, PenaltyKind::L2] {
            let heard: Arc<Mutex<Vec<f64>>> = Arc::default();
            let ear = Arc::clone(&heard);
            let context = Context::new().with_progress(move |progress: Progress| {
                ear.lock().unwrap().push(progress.done);
                ControlFlow::Continue(())
            });
            let learn = Learn { penalty_kind: Some(kind), ..learn() };
            let outcome = learn.fit(&LearnData::new(&table, &labels), &context).unwrap();
            assert!(outcome.iterations > 0);
            let heard = heard.lock().unwrap();
            assert!(heard.is_sorted() && heard.len() > 20 && *heard.last().unwrap() <= 1.0, "{kind} {heard:?}");
        }
    }

    #[test]
    fn without_a_penalty_separable_classes_are_said_to_have_no_finite_fit() {
        let drawn = drawn(WorkerModel::OneCoin, 5);
        let labels = drawn.to_labels().unwrap();
        // One label each of twelve units, which twenty features tell apart.
        let mut few: Vec<(String, String, String)> = drawn.rows().take(60).collect();
        few.dedup_by(|later, first| later.0 == first.0);
        few.truncate(12);
        let few =
            Labels::from_rows(few.iter().map(|(unit, worker, label)| (&unit[..], &worker[..], &label[..]))).unwrap();
        let warned = |labels: &Labels, penalty: f64| {
            let learn = Learn { penalty: Some(penalty), held_out: HeldOut::Auto, from: LearnFrom::Majority, ..learn() };
            let warnings = fit(&learn, &drawn, labels).warnings;
            warnings.iter().any(|warning| matches!(warning, crate::Warning::NoFiniteFit { .. }))
        };
        assert!(warned(&few, 0.0) && !warned(&few, 1.0) && !warned(&labels, 0.0));
    }
}
