//! Which units are learned from, and on which S is taken.

use super::Learn;
use crate::Common;
use crate::commands::labelled::nothing_in_common;
use crate::commands::labels_of;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar::experts::{Features, Labelled, drawn_apart};
use beanjar::judgments::Ballots;
use beanjar::{Dictionary, Labels};
use beanjar_io::{FeatureTable, Source};

/// Units with features and labels, as numbers.
pub(super) struct Units {
    pub(super) features: Features,
    pub(super) ballots: Ballots,
}

impl Units {
    fn of(&self, units: &[usize]) -> Result<Units> {
        Ok(Units { features: self.features.of_units(units), ballots: self.ballots.of_tasks(units)? })
    }

    pub(super) fn data(&self) -> Result<Labelled<'_>> {
        Ok(Labelled::new(&self.features, &self.ballots)?)
    }
}

/// Units to learn from, and their numbers among all.
pub(super) struct Train {
    pub(super) units: Units,
    pub(super) numbers: Vec<usize>,
}

impl Train {
    pub(super) fn data(&self) -> Result<Labelled<'_>> {
        self.units.data()
    }
}

impl Learn {
    /// The tasks that have features, and their features and labels.
    pub(super) fn matched(
        &self,
        table: &FeatureTable,
        labels: &Labels,
        common: &Common,
    ) -> Result<(Vec<usize>, Units)> {
        let (rows, tasks) = self.rows(table, labels, &self.labels, common)?;
        let without = table.ids.len() - rows.len();
        if without > 0 && self.test.is_none() {
            let units = count(without, "unit");
            common.warn(&format!("{units} without labels in {}, not used", self.labels.name()));
        }
        let units = Units { features: table.features.of_units(&rows), ballots: labels.ballots().of_tasks(&tasks)? };
        Ok((tasks, units))
    }

    /// The rows with features of tasks that have labels, and these tasks.
    fn rows(
        &self,
        table: &FeatureTable,
        labels: &Labels,
        source: &Source,
        common: &Common,
    ) -> Result<(Vec<usize>, Vec<usize>)> {
        let lookup = table.ids.lookup();
        let pairs: Vec<(usize, usize)> =
            labels.tasks.iter().enumerate().filter_map(|(task, id)| Some((lookup.code(id)?, task))).collect();
        if pairs.is_empty() {
            return Err(nothing_in_common(&self.features, &table.ids, "unit", source, &labels.tasks));
        }
        let without = labels.tasks.len() - pairs.len();
        if without > 0 {
            let tasks = count(without, "labelled task");
            common.warn(&format!(
                "{tasks} of {} without features in {}, left out",
                source.name(),
                self.features.name()
            ));
        }
        Ok(pairs.into_iter().unzip())
    }

    /// The units to learn from, and those whose labels S is taken on if they are others.
    pub(super) fn split(
        &self,
        all: Units,
        tasks: &[usize],
        table: &FeatureTable,
        labels: &Labels,
        common: &Common,
    ) -> Result<(Train, Option<Units>)> {
        if let Some(share) = self.holdout {
            let (held, kept) = drawn_apart(tasks.len(), share, common.seed);
            if held.is_empty() || kept.is_empty() {
                let said = format!("--holdout {share} of {} leaves a part empty", count(tasks.len(), "unit"));
                return Err(Failure::Words(said));
            }
            return Ok((Train { units: all.of(&kept)?, numbers: kept }, Some(all.of(&held)?)));
        }
        let train = Train { units: all, numbers: (0..tasks.len()).collect() };
        let Some(source) = &self.test else { return Ok((train, None)) };
        let test = labels_of(self.reading.read(source, common)?.data, source)?;
        let (rows, test_tasks) = self.rows(table, &test, source, common)?;
        let known = labels.tasks.lookup();
        let seen = test_tasks.iter().filter(|&&task| known.code(test.tasks.get(task)).is_some()).count();
        if seen > 0 {
            common.warn(&format!(
                "{} of {} have labels in {} too: the model is scored on units that it learned from, so S is too good",
                count(seen, "unit"),
                source.name(),
                self.labels.name()
            ));
        }
        let ballots = in_classes_of(&test, &labels.classes)?;
        let strange = (0..ballots.tasks()).flat_map(|task| ballots.votes(task).labels.to_vec());
        let strange = strange.filter(|&label| usize::from(label) >= labels.classes.len()).count();
        if strange > 0 {
            let said = "of classes that no label to learn from has; they differ from every prediction";
            common.warn(&format!("{}: {} {said}", source.name(), count(strange, "label")));
        }
        let others = Units { features: table.features.of_units(&rows), ballots: ballots.of_tasks(&test_tasks)? };
        Ok((train, Some(others)))
    }
}

/// The labels with the classes numbered as these are; a class that is not among them gets the number after the last.
fn in_classes_of(labels: &Labels, classes: &Dictionary) -> Result<Ballots> {
    let lookup = classes.lookup();
    let code: Vec<usize> = labels.classes.iter().map(|name| lookup.code(name).unwrap_or(classes.len())).collect();
    let votes = |task: usize| labels.votes(task).iter().map(|(worker, label)| (worker, code[label])).collect();
    let tasks: Vec<Vec<(usize, usize)>> = (0..labels.tasks.len()).map(votes).collect();
    Ok(Ballots::from_tasks(&tasks, labels.workers.len(), classes.len() + 1)?)
}
