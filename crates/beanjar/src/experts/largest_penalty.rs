//! Where a path of penalties begins.

use super::em::{class_rows, right_rows, set_rights};
use super::regression::largest_penalty;
use super::{ExpertsFit, Labelled, ManyExperts, lasso};
use crate::{Context, Result};

/// Maxima are followed from this share of the penalty at which the fit without features is one.
const FROM: f64 = 0.4;
/// By this factor at a time, and at the most this many times.
const RISE: f64 = 1.1;
const RISES: usize = 50;

impl ManyExperts {
    /// The smallest penalty, or one little above it, at which no feature enters.
    ///
    /// The gradients at the fit without features give the penalty from which on it is a maximum. But others may be higher
    /// there, and have features: they are looked for at a smaller penalty, and followed to larger ones until no feature is
    /// left or they are no higher than the fit without; and at the end from all starts but the random ones.
    pub fn largest_penalty(&self, data: &Labelled<'_>, context: &Context) -> Result<f64> {
        const STAGE: &str = "looking for the largest penalty";
        // Results do not depend on threads; these fits are too small for several.
        let alone = context.alone();
        context.report(STAGE, 0.0)?;
        let without = data.without_features();
        let blank = ManyExperts { restarts: 0, ..self.clone() }.fit(&without, &alone)?;
        let mut most: f64 = 0.0;
        for shares in [blank.parameters.posterior(&without), data.shares()] {
            let (units, mut rights) = (class_rows(data, shares), right_rows(data, self.asymmetric));
            set_rights(data, &mut rights, self.asymmetric, &units);
            most = most.max(largest_penalty(&data.features, &units, &alone)?);
            most = most.max(lasso::largest_penalty(&data.features, &rights, &alone)?);
        }
        if most == 0.0 || self.needs_products(data) {
            return Ok(most);
        }
        let at = |penalty: f64| ManyExperts { penalty, penalty_ease: None, restarts: 0, ..self.clone() };
        let roughly = |penalty: f64| ManyExperts { tolerance: self.tolerance.max(1e-6), ..at(penalty) };
        // The penalty at which a fit's features have left, or do not help.
        let followed = |mut fit: ExpertsFit, mut penalty: f64| -> Result<f64> {
            for _ in 0..RISES {
                if fit.parameters.features_used() == 0 || fit.objective <= blank.objective {
                    break;
                }
                penalty *= RISE;
                fit = roughly(penalty).fit_from(data, &fit, &alone)?;
            }
            Ok(penalty)
        };
        let mut largest = most;
        let ends = roughly(FROM * most).ends(data, f64::INFINITY, &alone)?;
        // One more for the fits at the end.
        let steps = context.steps(STAGE, ends.len() + 1);
        for end in ends {
            largest = largest.max(followed(end, FROM * most)?);
            steps.tick()?;
        }
        for _ in 0..RISES {
            let fit = at(largest).fit(data, &alone)?;
            if fit.parameters.features_used() == 0 {
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
    use crate::experts::simulated::simulated;
    use crate::simulate::ExpertCase;

    #[test]
    fn above_the_largest_penalty_no_feature_enters() {
        let drawn = simulated(300, 4, ExpertCase::Model, 6);
        let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
        let base = ManyExperts { restarts: 0, ..ManyExperts::default() };
        let most = base.largest_penalty(&data, &Context::new()).unwrap();
        let fit = |penalty: f64| ManyExperts { penalty, ..base.clone() }.fit(&data, &Context::new()).unwrap();
        assert_eq!(fit(1.05 * most).parameters.features_used(), 0);
        assert!(fit(0.3 * most).parameters.features_used() > 0);
    }
}
