use super::linear::normalise;
use crate::judgments::{Ballots, Votes};
use crate::truth::Rows;
#[cfg(feature = "serde")]
use crate::{Error, Result};

/// P(label | class) of each expert: the population's row of the class tilted by the expert's skill, with as much of the
/// expert's own as labels allow. See [`Skilled`](crate::truth::Skilled).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "StoredRows", try_from = "StoredRows"))]
pub struct ExpertRows {
    classes: usize,
    /// At `(expert * classes + label) * classes + class`.
    tables: Vec<f64>,
    /// Labels and pseudo-labels behind each row, at `expert * classes + class`.
    behind: Vec<f64>,
}

/// Rows as they are written to a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredRows {
    /// Of each expert, of each class, the probability of each label.
    probabilities: Vec<Vec<Vec<f64>>>,
    /// Of each expert, of each class.
    behind: Vec<Vec<f64>>,
}

#[cfg(feature = "serde")]
impl From<ExpertRows> for StoredRows {
    fn from(rows: ExpertRows) -> Self {
        let classes = rows.classes;
        let row =
            |expert: usize, class: usize| (0..classes).map(|label| rows.probability(expert, class, label)).collect();
        StoredRows {
            probabilities: (0..rows.experts())
                .map(|expert| (0..classes).map(|class| row(expert, class)).collect())
                .collect(),
            behind: rows.behind.chunks_exact(classes.max(1)).map(<[f64]>::to_vec).collect(),
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredRows> for ExpertRows {
    type Error = Error;

    fn try_from(StoredRows { probabilities, behind }: StoredRows) -> Result<Self> {
        let classes = behind.first().map_or(0, Vec::len);
        let is_row = |row: &Vec<f64>| {
            let sum: f64 = row.iter().sum();
            row.len() == classes && row.iter().all(|p| *p > 0.0 && *p <= 1.0) && (sum - 1.0).abs() < 1e-6
        };
        let even = probabilities.len() == behind.len()
            && probabilities.iter().all(|table| table.len() == classes && table.iter().all(is_row))
            && behind.iter().all(|row| row.len() == classes && row.iter().all(|sum| *sum > 0.0 && sum.is_finite()));
        if !even {
            return Err(Error::NotAModel);
        }
        let mut tables = vec![0.0; probabilities.len() * classes * classes];
        for (table, cells) in probabilities.iter().zip(tables.chunks_exact_mut((classes * classes).max(1))) {
            for (class, row) in table.iter().enumerate() {
                row.iter().enumerate().for_each(|(label, p)| cells[label * classes + class] = *p);
            }
        }
        Ok(ExpertRows { classes, tables, behind: behind.concat() })
    }
}

impl ExpertRows {
    pub(super) fn new(classes: usize, rows: Rows) -> Self {
        ExpertRows { classes, tables: rows.tables, behind: rows.behind }
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// How many experts there are.
    #[must_use]
    pub fn experts(&self) -> usize {
        self.behind.len() / self.classes.max(1)
    }

    /// P(label | class) of an expert.
    ///
    /// # Panics
    /// If there is no such expert, class or label.
    #[must_use]
    pub fn probability(&self, expert: usize, class: usize, label: usize) -> f64 {
        self.tables[(expert * self.classes + label) * self.classes + class]
    }

    /// Of each class, ln P(labels | class) of one unit is added.
    pub(super) fn add_logs(&self, votes: Votes<'_>, logs: &mut [f64]) {
        for (expert, label, weight) in votes.weighted() {
            let at = (expert * self.classes + label) * self.classes;
            logs.iter_mut().zip(&self.tables[at..at + self.classes]).for_each(|(log, p)| *log += weight * p.ln());
        }
    }

    /// The same where the rows were learned from some of these labels: each is read by a row that leaves it out.
    ///
    /// `own` is what the unit's class was thought to be; of each vote, `learned` says whether it was learned from.
    pub(super) fn add_logs_without(&self, votes: Votes<'_>, own: &[f64], learned: &[bool], logs: &mut [f64]) {
        for (vote, (expert, label, weight)) in votes.weighted().enumerate() {
            let at = (expert * self.classes + label) * self.classes;
            for (class, log) in logs.iter_mut().enumerate() {
                let (p, behind) = (self.tables[at + class], self.behind[expert * self.classes + class]);
                let p = match learned[vote] {
                    false => p,
                    true => {
                        // All that the expert said of the unit is left out.
                        let all = votes.opinions_of(expert) * own[class];
                        ((p * behind - weight * own[class]) / (behind - all).max(1e-9)).clamp(1e-9, 1.0)
                    }
                };
                *log += weight * p.ln();
            }
        }
    }

    /// P(labels | class) of each unit, unit by unit, those of a unit divided by the largest; and the logarithm of what
    /// all were divided by together.
    pub(super) fn likelihoods(&self, ballots: &Ballots) -> (Vec<f64>, f64) {
        let mut likelihoods = vec![0.0; ballots.tasks() * self.classes];
        let mut log = 0.0;
        for (unit, cells) in likelihoods.chunks_exact_mut(self.classes).enumerate() {
            self.add_logs(ballots.votes(unit), cells);
            let most = cells.iter().fold(f64::NEG_INFINITY, |most: f64, log| most.max(*log));
            cells.iter_mut().for_each(|cell| *cell = (*cell - most).exp());
            log += most;
        }
        (likelihoods, log)
    }

    /// P(class | features, labels) of each unit, from P(class | features); with `learned`, labels that were learned from
    /// are each read by a row that leaves them out.
    pub(super) fn posterior(
        &self,
        prior: &[f64],
        ballots: &Ballots,
        learned: impl Fn(usize, usize) -> bool,
    ) -> Vec<f64> {
        let mut posterior: Vec<f64> = prior.iter().map(|p| p.max(1e-300).ln()).collect();
        for (unit, cells) in posterior.chunks_exact_mut(self.classes).enumerate() {
            let votes = ballots.votes(unit);
            let known: Vec<bool> = votes.iter().map(|(expert, _)| learned(unit, expert)).collect();
            let alone = cells.to_vec();
            self.add_logs(votes, cells);
            normalise(cells);
            if known.contains(&true) {
                let own = cells.to_vec();
                cells.copy_from_slice(&alone);
                self.add_logs_without(votes, &own, &known, cells);
                normalise(cells);
            }
        }
        posterior
    }
}
