//! Confusion matrices as they are written to a file.

use super::confusion::{Confusion, possible};

/// A [`Confusion`] as it is written to a file: probabilities, class by class.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Stored {
    pub(super) prior: Vec<f64>,
    /// Of each worker, of each class, the probability of each label; the last is the newcomer's.
    pub(super) workers: Vec<Vec<Vec<f64>>>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub(super) meaning: Option<Vec<f64>>,
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Vec::is_empty"))]
    pub(super) trust: Vec<f64>,
}

impl TryFrom<Stored> for Confusion {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let classes = stored.prior.len();
        let labels = stored.workers.first().and_then(|worker| worker.first()).map_or(0, Vec::len);
        let even = |worker: &Vec<Vec<f64>>| worker.len() == classes && worker.iter().all(|row| row.len() == labels);
        let meant = stored.meaning.as_ref().map_or(classes == labels, |meaning| meaning.len() == classes * labels);
        let mut numbers = stored.workers.iter().flatten().flatten().chain(&stored.prior).chain(&stored.trust);
        if classes == 0 || labels == 0 || !meant || !stored.workers.iter().all(even) {
            return Err("the confusion matrices are not of one size".into());
        }
        if !stored.trust.is_empty()
            && (stored.trust.len() != stored.workers.len() || stored.trust.iter().any(|trust| *trust <= 0.0))
        {
            return Err("trust is not above zero, one number for each worker and one for newcomers".into());
        }
        let whole = |row: &[f64]| (row.iter().sum::<f64>() - 1.0).abs() < 1e-6;
        let rows = stored.workers.iter().flatten().all(|row| whole(row));
        let meant = stored.meaning.iter().flat_map(|meaning| meaning.chunks_exact(labels)).all(whole);
        if !rows || !whole(&stored.prior) || !meant || stored.meaning.iter().flatten().any(|share| *share < 0.0) {
            return Err("probabilities do not sum to one".into());
        }
        if numbers.any(|p| !(0.0..=1.0 + 1e-9).contains(p)) {
            return Err("a probability is not between 0 and 1".into());
        }
        let mut votes = Vec::with_capacity(stored.workers.len() * labels * classes);
        for worker in &stored.workers {
            for label in 0..labels {
                votes.extend(worker.iter().map(|row| possible(row[label])));
            }
        }
        let prior = stored.prior.iter().map(|&p| possible(p)).collect();
        // Files of version 1 may hold powers for the workers' probabilities.
        for (worker, trust) in votes.chunks_exact_mut(labels * classes).zip(&stored.trust) {
            worker.iter_mut().for_each(|p: &mut f64| *p = p.powf(*trust));
        }
        let tables = Confusion { trust: stored.trust, ..Confusion::of_tables(labels, prior, votes) };
        Ok(match stored.meaning {
            Some(meaning) => tables.with_meaning(meaning),
            None => tables,
        })
    }
}

impl From<Confusion> for Stored {
    fn from(confusion: Confusion) -> Self {
        let workers = (0..=confusion.workers()).map(|worker| confusion.matrix(worker)).collect();
        let Confusion { prior, meaning, trust, .. } = confusion;
        Stored { prior, workers, meaning, trust }
    }
}
