//! Where a path of penalties begins.

use super::classifier::largest_penalty;
use super::em::{class_rows, right_rows, set_rights};
use super::{Features, Labelled, Learned, ManyExperts, lasso};
use crate::{Context, Result};

/// Maxima are followed from this share of the penalty at which the fit without features is one.
const FROM: f64 = 0.4;
/// By so much at a time, and at the most so many times.
const RISE: f64 = 1.1;
const RISES: usize = 50;

impl ManyExperts {
    /// The smallest penalty, or one little above it, at which no feature enters.
    ///
    /// At the fit without features its gradients tell the penalty from which on it is a maximum. But others may be higher
    /// there, and have features: they are looked for at a smaller penalty, and followed to larger ones until no feature is
    /// left or they are no higher than the fit without; and at the end from all starts but the random ones.
    pub fn largest_penalty(&self, data: &Labelled<'_>) -> Result<f64> {
        let none = Features::from_columns(data.features.units(), &[])?;
        let without = Labelled { features: &none, ..*data };
        let blank = ManyExperts { restarts: 0, ..self.clone() }.fit(&without, &Context::new())?;
        let mut most: f64 = 0.0;
        for shares in [blank.model.posterior(&without), data.shares()] {
            let (units, mut rights) = (class_rows(data, shares), right_rows(data, self.asymmetric));
            set_rights(data, &mut rights, self.asymmetric, &units);
            most = most.max(largest_penalty(data.features, &units));
            most = most.max(lasso::largest_penalty(data.features, &rights));
        }
        if most == 0.0 {
            return Ok(most);
        }
        let at = |penalty: f64| ManyExperts { penalty, penalty_difficulty: None, restarts: 0, ..self.clone() };
        let roughly = |penalty: f64| ManyExperts { tolerance: self.tolerance.max(1e-6), ..at(penalty) };
        // The penalty at which a fit's features have left, or do not help.
        let followed = |mut fit: Learned, mut penalty: f64| -> Result<f64> {
            for _ in 0..RISES {
                if fit.model.features_used() == 0 || fit.objective <= blank.objective {
                    break;
                }
                penalty *= RISE;
                fit = roughly(penalty).fit_from(data, &fit.model)?;
            }
            Ok(penalty)
        };
        let mut largest = most;
        for end in roughly(FROM * most).ends(data, f64::INFINITY, &Context::new())? {
            largest = largest.max(followed(end, FROM * most)?);
        }
        for _ in 0..RISES {
            let fit = at(largest).fit(data, &Context::new())?;
            if fit.model.features_used() == 0 {
                break;
            }
            largest = followed(fit, largest)?.max(RISE * largest);
        }
        Ok(largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::drawn::drawn;
    use crate::simulate::ExpertCase;

    #[test]
    fn above_the_largest_penalty_no_feature_enters() {
        let drawn = drawn(300, 4, ExpertCase::Model, 6);
        let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
        let base = ManyExperts { restarts: 0, ..ManyExperts::default() };
        let most = base.largest_penalty(&data).unwrap();
        let fit = |penalty: f64| ManyExperts { penalty, ..base.clone() }.fit(&data, &Context::new()).unwrap();
        let entered =
            |fit: &Learned| fit.model.classifier.coefficients.iter().chain(&fit.model.difficulty).any(|b| *b != 0.0);
        assert!(!entered(&fit(1.05 * most)));
        assert!(entered(&fit(0.3 * most)));
    }
}
