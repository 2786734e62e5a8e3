use super::Features;
use super::standardised::Standardised;
use crate::judgments::Ballots;
use crate::{Error, Result};

/// Units with features, and what experts said of them: what is learned from.
///
/// Features are standardised here, once; all that is learned from them is given on the user's scale.
#[derive(Clone, Debug)]
pub struct Labelled<'a> {
    pub(super) features: Standardised,
    pub(super) ballots: &'a Ballots,
    /// The true class of each unit, where it is known, if any is.
    pub(super) truth: Option<Vec<Option<u16>>>,
    plain: &'a Features,
    /// The units' numbers among those of `plain`.
    rows: Vec<usize>,
}

impl<'a> Labelled<'a> {
    /// Units are numbered alike in both; a unit may have no label.
    pub fn new(features: &'a Features, ballots: &'a Ballots) -> Result<Self> {
        Self::of_rows(features, (0..features.units()).collect(), ballots)
    }

    /// Units whose features are in some rows, and whose labels are in the order of these rows.
    pub(super) fn of_rows(plain: &'a Features, rows: Vec<usize>, ballots: &'a Ballots) -> Result<Self> {
        let refuse = |name, value: usize, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        if rows.len() != ballots.tasks() {
            return refuse("the number of units with features", rows.len(), "that of the units with labels");
        }
        if ballots.classes() < 2 {
            return refuse("the number of classes", ballots.classes(), "2 or more");
        }
        Ok(Labelled { features: Standardised::of_units(plain, &rows)?, ballots, truth: None, plain, rows })
    }

    /// The same with the true class of each unit, where it is known.
    pub fn with_truth(self, truth: Vec<Option<u16>>) -> Result<Self> {
        let known = |class: &u16| usize::from(*class) < self.ballots.classes();
        match truth.len() == self.units() && truth.iter().flatten().all(known) {
            true => Ok(Labelled { truth: Some(truth), ..self }),
            false => Err(Error::OutOfRange {
                name: "the table of true classes",
                value: format!("of {} units", truth.len()),
                range: "of as many units as there are, with classes that have labels",
            }),
        }
    }

    /// Some of the units, with their labels, which are given in their order; standardised anew.
    pub(super) fn part<'b>(&self, units: &[usize], ballots: &'b Ballots) -> Result<Labelled<'b>>
    where
        'a: 'b,
    {
        let rows = units.iter().map(|&unit| self.rows[unit]).collect();
        let truth = self.truth.as_ref().map(|truth| units.iter().map(|&unit| truth[unit]).collect());
        Ok(Labelled { truth, ..Labelled::of_rows(self.plain, rows, ballots)? })
    }

    /// The same units without their features.
    pub(super) fn without_features(&self) -> Labelled<'a> {
        Labelled {
            features: Standardised::none(self.units()),
            ballots: self.ballots,
            truth: self.truth.clone(),
            plain: self.plain,
            rows: self.rows.clone(),
        }
    }

    /// How many units there are.
    pub fn units(&self) -> usize {
        self.ballots.tasks()
    }

    /// The units that have a label.
    pub(super) fn with_labels(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.units()).filter(|&unit| !self.ballots.votes(unit).labels.is_empty())
    }

    /// The share of each class in a unit's votes, unit by unit; zeros without votes.
    pub(super) fn shares(&self) -> Vec<f64> {
        let classes = self.ballots.classes();
        let mut shares = vec![0.0; self.units() * classes];
        for (unit, cells) in shares.chunks_exact_mut(classes).enumerate() {
            let votes = self.ballots.votes(unit);
            let all = votes.opinions();
            votes.weighted().for_each(|(_, label, weight)| cells[label] += weight / all);
        }
        shares
    }
}
