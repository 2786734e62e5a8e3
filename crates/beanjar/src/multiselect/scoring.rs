//! The Scoring algorithm: attributes taken as if they were uncorrelated.

use super::spending::{Basket, Spending};
use super::{Estimates, Step};

/// What `repeats` judgments of attribute `a` explain on their own: b^2 / (sigma^2 + v / r), and 0 where that is 0 / 0.
fn worth(estimates: &Estimates, a: usize, repeats: u32) -> f64 {
    if repeats == 0 {
        return 0.0;
    }
    let spread = estimates.signal[a] + estimates.noise_of(a, repeats);
    if spread <= 0.0 || !estimates.usable[a] { 0.0 } else { estimates.covariance.square(a) / spread }
}

/// Steps of the dynamic programme beyond which greedy must do: some seconds.
const MOST_WORK: f64 = 1e9;

/// Algorithm 1, Scoring, with its path: optimal for its objective where all costs are equal (theorem 3.2), and where
/// they are whole numbers, by dynamic programming over budgets.
///
/// Cost: O(B d); with differing whole costs O(d B^2 / cost).
pub(super) fn path(estimates: &Estimates, spending: &Spending) -> Vec<Step> {
    let alike = spending.cost.windows(2).all(|pair| pair[0] == pair[1]);
    let greedy = greedy(estimates, spending, |_, _| true);
    let budget = spending.budget.floor();
    let work: f64 =
        (0..estimates.len()).map(|a| budget * (budget / spending.cost[a]).min(f64::from(spending.at_most[a]))).sum();
    if alike || !spending.is_whole() || work > MOST_WORK {
        return greedy;
    }
    let repeats = knapsack(estimates, spending);
    // The path to the optimum: its judgments, those that explain most for their cost first.
    self::greedy(estimates, spending, |basket, a| basket.repeats[a] < repeats[a])
}

fn greedy(estimates: &Estimates, spending: &Spending, allowed: impl Fn(&Basket<'_>, usize) -> bool) -> Vec<Step> {
    let mut basket = Basket::new(spending);
    let (mut steps, mut explained) = (Vec::new(), 0.0);
    let gain = |basket: &Basket<'_>, a: usize| {
        worth(estimates, a, basket.repeats[a] + 1) - worth(estimates, a, basket.repeats[a])
    };
    let mut take = |a: usize, basket: &mut Basket<'_>| {
        explained += gain(basket, a);
        basket.take(a);
        steps.push(Step { attribute: a, spent: basket.spent, explained });
    };
    for a in (0..estimates.len()).filter(|&a| spending.always[a]) {
        take(a, &mut basket);
    }
    while let Some(a) = basket.best(|a| if allowed(&basket, a) { gain(&basket, a) } else { 0.0 }) {
        take(a, &mut basket);
    }
    steps
}

/// The repeats that explain most within a budget of whole costs.
fn knapsack(estimates: &Estimates, spending: &Spending) -> Vec<u32> {
    let budget = spending.budget.floor() as usize;
    let d = estimates.len();
    // best[c]: the most that the attributes so far explain at cost at most c; chosen[a][c]: a's repeats in that.
    let mut best = vec![0.0; budget + 1];
    let mut chosen = vec![vec![0u32; budget + 1]; d];
    for a in 0..d {
        let cost = spending.cost[a] as usize;
        let least = u32::from(spending.always[a]);
        let mut next = vec![f64::NEG_INFINITY; budget + 1];
        for c in 0..=budget {
            let most = spending.at_most[a].min((c / cost) as u32).max(least);
            for repeats in least..=most {
                let Some(left) = c.checked_sub(repeats as usize * cost) else { break };
                let value = best[left] + worth(estimates, a, repeats);
                if value > next[c] {
                    (next[c], chosen[a][c]) = (value, repeats);
                }
            }
        }
        best = next;
    }
    let mut left = budget;
    let mut repeats = vec![0; d];
    for a in (0..d).rev() {
        repeats[a] = chosen[a][left];
        left -= repeats[a] as usize * spending.cost[a] as usize;
    }
    repeats
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::{random_estimates, unit};

    /// The most that any selection within the budget explains on this objective, by trying all.
    fn brute_force(estimates: &Estimates, spending: &Spending, a: usize, left: f64) -> f64 {
        if a == estimates.len() {
            return 0.0;
        }
        let mut best = f64::NEG_INFINITY;
        for repeats in u32::from(spending.always[a])..=spending.at_most[a] {
            let cost = f64::from(repeats) * spending.cost[a];
            if cost > left + 1e-9 {
                break;
            }
            best = best.max(worth(estimates, a, repeats) + brute_force(estimates, spending, a + 1, left - cost));
        }
        best
    }

    #[test]
    fn no_other_selection_explains_more() {
        for seed in 0..12 {
            let d = 1 + (seed as usize) % 4;
            let estimates = random_estimates(seed, d, 30);
            let mut spending = unit(9, d);
            if seed % 2 == 1 {
                spending.cost = (0..d).map(|a| [2.0, 3.0, 1.0, 4.0][a]).collect();
            }
            if seed % 3 == 0 {
                spending.at_most[0] = 2;
                spending.always[d - 1] = d > 1;
            }
            let steps = path(&estimates, &spending);
            let found = steps.last().map_or(0.0, |step| step.explained);
            let best = brute_force(&estimates, &spending, 0, 9.0);
            assert!((found - best).abs() < 1e-9 * best, "seed {seed}: {found} of {best}");
            assert!(steps.last().unwrap().spent <= 9.0);
        }
    }
}
