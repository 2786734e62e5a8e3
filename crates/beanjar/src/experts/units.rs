//! Which units are learned from, and on which others S is taken.

use super::learn::LearnData;
use super::split::random_split;
use super::{FeatureTable, Features, Labelled};
use crate::judgments::{Ballots, Labels, nothing_in_common};
use crate::{Context, Dictionary, Error, Result, Warning};

/// Units with features and labels.
pub(super) struct Units {
    /// Their rows in the table of features.
    rows: Vec<usize>,
    pub(super) ballots: Ballots,
    /// The experts, in the order of their numbers in the ballots.
    pub(super) experts: Dictionary,
    truth: Option<Vec<Option<u16>>>,
}

/// Units on whose labels S is taken.
pub(super) struct Others {
    pub(super) features: Features,
    pub(super) ballots: Ballots,
    /// Their true classes, where known.
    pub(super) truth: Option<Vec<Option<u16>>>,
}

/// The units to learn from, and the others, if S is taken on others.
pub(super) struct Split {
    pub(super) train: Units,
    pub(super) others: Option<Others>,
}

impl Units {
    /// Their rows in the table of features.
    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    pub(super) fn labelled<'a>(&'a self, table: &'a FeatureTable) -> Result<Labelled<'a>> {
        let data = Labelled::of_rows(table.features(), self.rows.clone(), &self.ballots)?;
        match &self.truth {
            Some(truth) => data.with_truth(truth.clone()),
            None => Ok(data),
        }
    }

    fn of(&self, units: &[usize]) -> Result<Units> {
        Ok(Units {
            rows: units.iter().map(|&unit| self.rows[unit]).collect(),
            ballots: self.ballots.of_tasks(units)?,
            experts: self.experts.clone(),
            truth: self.truth.as_ref().map(|truth| units.iter().map(|&unit| truth[unit]).collect()),
        })
    }
}

impl Split {
    /// Matches units between the tables, and holds a share of them out if one is given.
    pub(super) fn of(
        data: &LearnData<'_>,
        held_out: Option<f64>,
        warnings: &mut Vec<Warning>,
        context: &Context,
    ) -> Result<Split> {
        let all = matched(data, warnings)?;
        if let Some(share) = held_out {
            let units = all.rows.len();
            let (held, kept) = random_split(units, share, context);
            if held.is_empty() || kept.is_empty() {
                return Err(Error::EmptySplit { share, units });
            }
            let held = all.of(&held)?;
            let features = data.features.features().of_units(&held.rows)?;
            let others = Others { features, ballots: held.ballots, truth: held.truth };
            return Ok(Split { train: all.of(&kept)?, others: Some(others) });
        }
        let others = data.test.map(|test| tested(data, test, warnings)).transpose()?;
        Ok(Split { train: all, others })
    }
}

/// All units with features and labels, in the order of their ids: whatever is drawn at random by numbers of units and
/// experts is then the same for the same rows in any order.
fn matched(data: &LearnData<'_>, warnings: &mut Vec<Warning>) -> Result<Units> {
    let LearnData { features, labels, .. } = *data;
    let (mut rows, mut tasks) = common(features, labels, "unit")?;
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    order.sort_unstable_by_key(|&at| labels.tasks.get(tasks[at]));
    rows = order.iter().map(|&at| rows[at]).collect();
    tasks = order.iter().map(|&at| tasks[at]).collect();
    without_features(labels.tasks.len() - rows.len(), "labelled task", warnings);
    let without = features.units().len() - rows.len();
    if without > 0 && data.test.is_none() {
        warnings.push(Warning::UnitsWithoutLabels { units: without });
    }
    let truth = match data.truth {
        None => None,
        Some(column) => {
            let known = column.classes_of(labels)?;
            if let Some(example) = known.example {
                warnings.push(Warning::UnknownTruth { tasks: known.unseen, example });
            }
            Some(tasks.iter().map(|&task| known.classes[task]).collect())
        }
    };
    let mut experts: Vec<usize> = (0..labels.workers.len()).collect();
    experts.sort_unstable_by_key(|&expert| labels.workers.get(expert));
    let ballots = labels.ballots().of_tasks(&tasks)?.in_order_of_workers(&experts);
    Ok(Units { rows, ballots, experts: experts.iter().map(|&expert| labels.workers.get(expert)).collect(), truth })
}

/// Other units with features, whose labels S is taken on.
fn tested(data: &LearnData<'_>, test: &Labels, warnings: &mut Vec<Warning>) -> Result<Others> {
    let LearnData { features, labels, .. } = *data;
    let (rows, tasks) = common(features, test, "test unit")?;
    without_features(test.tasks.len() - rows.len(), "labelled test task", warnings);
    let known = labels.tasks.lookup();
    let seen = tasks.iter().filter(|&&task| known.code(test.tasks.get(task)).is_some()).count();
    if seen > 0 {
        warnings.push(Warning::TestUnitsLearnedFrom { units: seen });
    }
    let ballots = in_classes_of(test, &labels.classes);
    let all = (0..ballots.tasks()).flat_map(|task| ballots.votes(task).labels);
    let unseen = all.filter(|&&label| usize::from(label) >= labels.classes.len()).count();
    if unseen > 0 {
        warnings.push(Warning::UnseenTestClasses { labels: unseen });
    }
    let truth = data.truth.map(|column| {
        let (tasks_of, classes) = (column.ids().lookup(), labels.classes.lookup());
        let class = |&task: &usize| classes.code(&column.values()[tasks_of.code(test.tasks.get(task))?]);
        tasks.iter().map(|task| class(task).map(|class| class as u16)).collect()
    });
    Ok(Others { features: features.features().of_units(&rows)?, ballots: ballots.of_tasks(&tasks)?, truth })
}

fn without_features(tasks: usize, what: &'static str, warnings: &mut Vec<Warning>) {
    if tasks > 0 {
        warnings.push(Warning::TasksWithoutFeatures { tasks, what });
    }
}

/// The rows of units that have features and labels, and their tasks, in the order of the tasks.
fn common(features: &FeatureTable, labels: &Labels, what: &'static str) -> Result<(Vec<usize>, Vec<usize>)> {
    let lookup = features.units().lookup();
    let pairs: Vec<(usize, usize)> =
        labels.tasks.iter().enumerate().filter_map(|(task, id)| Some((lookup.code(id)?, task))).collect();
    match pairs.is_empty() {
        true => Err(nothing_in_common(features.units(), &labels.tasks, what)),
        false => Ok(pairs.into_iter().unzip()),
    }
}

/// The labels with the classes numbered as these are; a class that is not among them gets the number after the last.
fn in_classes_of(labels: &Labels, classes: &Dictionary) -> Ballots {
    let lookup = classes.lookup();
    let code: Vec<Option<u16>> =
        labels.classes.iter().map(|name| Some(lookup.code(name).unwrap_or(classes.len()) as u16)).collect();
    labels.ballots().relabelled(&code, classes.len() + 1)
}
