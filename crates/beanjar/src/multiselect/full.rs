//! The Full algorithm: the judgment that explains most, one after the other.

use super::residual::Residual;
use super::spending::{Basket, Spending};
use super::{Estimates, Step};

/// Algorithm 1, Full, with its path. Ties go to the first attribute; where costs differ, to the best gain per cost.
///
/// Cost: O(B^2 d) up to d steps and O(d^2) for each further one, against B d pseudo-inverses of the paper's own form.
pub(super) fn path(estimates: &Estimates, spending: &Spending) -> Vec<Step> {
    let residual = Residual::new(&estimates.external, &estimates.covariance);
    let mut walk = Walk { estimates, residual, basket: Basket::new(spending), steps: Vec::new() };
    for a in (0..estimates.len()).filter(|&a| spending.always[a]) {
        walk.take(a, 1);
    }
    while let Some(a) = walk.basket.best(|a| walk.best_of_one_or_two(a).0) {
        walk.take(a, walk.best_of_one_or_two(a).1);
    }
    walk.steps
}

struct Walk<'a> {
    estimates: &'a Estimates,
    residual: Residual<'a>,
    basket: Basket<'a>,
    steps: Vec<Step>,
}

impl Walk<'_> {
    /// What one more judgment of an attribute explains, or each of two more if that is better; and which. Medians and
    /// majorities of an odd number may tell no more than those of one fewer.
    fn best_of_one_or_two(&self, a: usize) -> (f64, u32) {
        let gain = |more: u32| {
            let noise = self.estimates.noise_of_more(a, self.basket.repeats[a], more);
            noise.map_or(0.0, |noise| self.residual.gain(a, noise)) / f64::from(more)
        };
        let one = gain(1);
        if self.estimates.combined.is_empty() || !self.basket.can_take(a, 2) {
            return (one, 1);
        }
        let two = gain(2);
        if two > one { (two, 2) } else { (one, 1) }
    }

    fn take(&mut self, a: usize, more: u32) {
        let noise = self.estimates.noise_of_more(a, self.basket.repeats[a], more);
        for taken in 1..=more {
            if let Some(noise) = noise.filter(|_| taken == more) {
                self.residual.take(a, noise);
            }
            self.basket.take(a);
            self.steps.push(Step { attribute: a, spent: self.basket.spent, explained: self.residual.explained });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::{random_estimates, unit};

    /// b' (Sigma + diag(v / r))^+ b, over the attributes that are judged, as the paper writes it.
    pub(crate) fn direct(estimates: &Estimates, repeats: &[u32]) -> f64 {
        let chosen: Vec<usize> = (0..repeats.len()).filter(|&a| repeats[a] > 0).collect();
        let mut matrix = estimates.external.of(&chosen);
        for (i, &a) in chosen.iter().enumerate() {
            matrix[(i, i)] += estimates.noise[a] / f64::from(repeats[a]);
        }
        let b: Vec<f64> = chosen.iter().map(|&a| estimates.covariance[a][0]).collect();
        matrix.pseudo_solve(&b).iter().zip(&b).map(|(w, b)| w * b).sum()
    }

    #[test]
    fn the_path_is_that_of_a_pseudo_inverse_per_candidate() {
        for (seed, d, budget) in [(1, 1, 7), (2, 2, 9), (3, 5, 20), (4, 13, 40), (5, 40, 60)] {
            let estimates = random_estimates(seed, d, 4 * d + 10);
            let steps = path(&estimates, &unit(budget, d));
            let mut repeats = vec![0; d];
            for step in &steps {
                let values: Vec<f64> = (0..d)
                    .map(|a| {
                        let mut candidate = repeats.clone();
                        candidate[a] += 1;
                        direct(&estimates, &candidate)
                    })
                    .collect();
                let most = values.iter().copied().fold(f64::MIN, f64::max);
                // Two candidates this close are a tie but for rounding.
                assert!(values[step.attribute] >= most - 1e-9 * most, "{d}: {} of {most}", values[step.attribute]);
                repeats[step.attribute] += 1;
                assert!((step.explained - values[step.attribute]).abs() < 1e-9 * most.max(1e-9), "{d}");
            }
            assert_eq!(steps.len(), budget as usize);
        }
    }

    #[test]
    fn the_path_holds_where_objects_are_few_and_noise_is_zero() {
        for (seed, d, objects) in [(21, 13, 8), (22, 20, 9), (23, 6, 5), (24, 4, 40)] {
            let mut estimates = random_estimates(seed, d, objects);
            assert!(
                seed == 24 || estimates.external.cholesky().is_none(),
                "singular where objects are fewer than attributes"
            );
            if seed == 24 {
                estimates.noise[0] = 0.0;
            }
            let mut repeats = vec![0; d];
            for step in path(&estimates, &unit(25, d)) {
                repeats[step.attribute] += 1;
                let expected = direct(&estimates, &repeats);
                assert!(
                    (step.explained - expected).abs() < 1e-8 * expected,
                    "{seed}: {} and {expected}",
                    step.explained
                );
            }
        }
    }

    #[test]
    fn ties_go_to_the_first_attribute() {
        let mut estimates = random_estimates(9, 2, 40);
        estimates.external = crate::linalg::Symmetric::from_fn(2, |i, j| f64::from(u8::from(i == j)));
        (estimates.covariance, estimates.noise) = (vec![0.5, 0.5].into(), vec![1.0, 1.0]);
        let attributes: Vec<usize> = path(&estimates, &unit(4, 2)).iter().map(|step| step.attribute).collect();
        assert_eq!(attributes, [0, 1, 0, 1]);
    }

    #[test]
    fn a_noiseless_attribute_is_judged_once_and_an_empty_one_never() {
        let mut estimates = random_estimates(10, 3, 40);
        estimates.external = crate::linalg::Symmetric::from_fn(3, |i, j| if i == j { [1.0, 0.0, 1.0][i] } else { 0.0 });
        (estimates.covariance, estimates.noise) = (vec![0.9, 0.0, 0.3].into(), vec![0.0, 0.0, 1.0]);
        let steps = path(&estimates, &unit(5, 3));
        assert_eq!(steps.iter().map(|step| step.attribute).collect::<Vec<_>>(), [0, 2, 2, 2, 2]);
    }

    #[test]
    fn costs_and_limits_are_kept() {
        let estimates = random_estimates(11, 6, 60);
        let mut spending = unit(20, 6);
        spending.cost = vec![4.0, 1.0, 2.0, 1.0, 3.0, 1.0];
        spending.at_most[1] = 2;
        spending.at_most[3] = 0;
        spending.always[4] = true;
        let steps = path(&estimates, &spending);
        let count = |a: usize| steps.iter().filter(|step| step.attribute == a).count();
        assert!(count(1) <= 2 && count(3) == 0 && steps[0].attribute == 4);
        assert!(steps.last().unwrap().spent <= 20.0);
        assert!(steps.windows(2).all(|pair| pair[1].explained >= pair[0].explained));
    }
}
