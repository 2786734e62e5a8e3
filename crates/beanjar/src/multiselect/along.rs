//! What could be had at each step of a path, what would come after it, and what other methods would expect.

use super::bound::{Rest, TO_SHOW, bound};
use super::residual::after;
use super::{Estimates, LabelledJudgments, SelectionFit, Selector, Step, Strategy};
use crate::{Context, Result};

/// Steps at which the bound is found, of a path over few attributes.
const MOST_BOUNDS: usize = 40;
/// Attributes up to which that many are found in no time.
const FEW: usize = 200;

/// The losses that another method would expect, by what is spent.
pub(super) struct OtherLosses {
    pub(super) strategy: Strategy,
    /// What is spent, the loss then, and its standard error.
    pub(super) points: Vec<(f64, f64, f64)>,
}

impl Selector {
    /// Of each step, what no selection explains more than for what was spent after it. Found at some steps of a long path
    /// or of many attributes, and always at the last.
    pub(super) fn bounds(&self, estimates: &Estimates, selection: &SelectionFit) -> Vec<Option<f64>> {
        let steps = selection.path.len();
        let most = (MOST_BOUNDS * FEW / estimates.len().max(FEW)).max(1);
        let every = steps.div_ceil(most).max(1);
        let open: Vec<usize> =
            (0..estimates.len()).filter(|&a| estimates.usable[a] && self.spending.at_most[a] > 0).collect();
        let least = estimates.least_noise();
        let at = |(number, step): (usize, &Step)| {
            if number + 1 == steps && step.spent >= selection.spent {
                return Some(selection.upper_bound);
            }
            // By its own objective, nothing is better than scoring.
            if self.strategy == Strategy::Scoring {
                return Some(step.explained);
            }
            if !(steps - number - 1).is_multiple_of(every) {
                return None;
            }
            let Estimates { external, covariance, .. } = estimates;
            let rest = Rest { external, covariance, noise: &least, open: &open, budget: step.spent };
            Some(bound(&rest, &self.spending, TO_SHOW).upper.max(step.explained))
        };
        selection.path.iter().enumerate().map(at).collect()
    }

    /// The judgment that would explain most for its cost after those of the selection; none if none explains more.
    pub(super) fn next(&self, estimates: &Estimates, selection: &SelectionFit) -> Option<Step> {
        let residual = after(estimates, &selection.repeats);
        let spending = &self.spending;
        let open = |a: &usize| estimates.usable[*a] && selection.repeats[*a] < spending.at_most[*a];
        let gain = |a: usize| {
            let noise = estimates.noise_of_more(a, selection.repeats[a], 1);
            noise.map_or(0.0, |noise| residual.gain(a, noise))
        };
        let gains = (0..estimates.len()).filter(open).map(|a| (a, gain(a)));
        let worth = |(a, gain): (usize, f64)| gain / spending.cost[a];
        let best = gains
            .filter(|(_, gain)| *gain > 0.0)
            .reduce(|best, next| if worth(next) > worth(best) { next } else { best })?;
        let (attribute, gain) = best;
        let spent = selection.spent + spending.cost[attribute];
        Some(Step { attribute, spent, explained: selection.explained + gain })
    }

    /// The loss that this method would expect along its own path.
    pub(super) fn losses(
        &self,
        estimates: &Estimates,
        data: LabelledJudgments<'_>,
        ridge: f64,
        context: &Context,
    ) -> Result<OtherLosses> {
        let validation = self.validate(data, &[ridge], context)?;
        let point = |step: Step| {
            let expected = validation.loss(step.spent);
            (step.spent, expected.loss, expected.se)
        };
        let points = self.path(estimates, data)?.into_iter().map(point).collect();
        Ok(OtherLosses { strategy: self.strategy, points })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::{random_estimates, unit};
    use crate::{Context, Judgments};

    fn selection(estimates: &Estimates, selector: &Selector) -> SelectionFit {
        let nothing = Judgments::from_rows([("1", "a", "", 0.0), ("1", "a", "", 1.0)]).unwrap();
        let data = LabelledJudgments::new(&nothing, &[0.0]).unwrap();
        selector.fit(estimates, data, &Context::new()).unwrap()
    }

    #[test]
    fn bounds_hold_at_every_step_and_rise() {
        for (d, budget) in [(6, 15), (9, 90)] {
            let estimates = random_estimates(d as u64, d, 60);
            let selector = Selector { strategy: Strategy::Full, spending: unit(budget, d) };
            let found = selection(&estimates, &selector);
            let bounds = selector.bounds(&estimates, &found);
            assert_eq!(bounds.len(), found.path.len());
            assert_eq!(*bounds.last().unwrap(), Some(found.upper_bound));
            let known: Vec<(f64, f64)> =
                bounds.iter().zip(&found.path).filter_map(|(bound, step)| Some(((*bound)?, step.explained))).collect();
            assert!(known.len() >= 15 && known.len() <= MOST_BOUNDS);
            assert!(known.iter().all(|(bound, explained)| bound >= explained));
            // The bound is tight to 1e-7 of its size.
            assert!(known.windows(2).all(|pair| pair[1].0 >= pair[0].0 * (1.0 - 1e-6)));
        }
    }

    #[test]
    fn the_next_judgment_is_the_next_step_of_a_larger_budget() {
        let estimates = random_estimates(3, 7, 60);
        let of = |budget: u32| Selector { strategy: Strategy::Full, spending: unit(budget, 7) };
        let (small, large) = (selection(&estimates, &of(10)), selection(&estimates, &of(11)));
        let next = of(10).next(&estimates, &small).unwrap();
        let last = large.path.last().unwrap();
        assert_eq!((next.attribute, next.spent), (last.attribute, last.spent));
        assert!((next.explained - last.explained).abs() < 1e-9 * last.explained);
    }
}
