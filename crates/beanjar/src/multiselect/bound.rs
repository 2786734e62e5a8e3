//! No selection within the budget explains more than this.

use super::TargetRows;
use super::residual::Residual;
use super::spending::Spending;
use super::unexplained::Unexplained;
use crate::linalg::Symmetric;

/// The relaxed problem, in which an attribute may be judged a fraction of a time.
pub(super) struct Relaxed {
    /// What no selection within the budget exceeds.
    pub(super) upper: f64,
    /// The relaxed repeats.
    pub(super) repeats: Vec<f64>,
}

/// A part of the problem: some attributes, what is left to explain, and what is left to spend.
pub(super) struct Rest<'a> {
    pub(super) external: &'a Symmetric,
    pub(super) covariance: &'a TargetRows,
    pub(super) noise: &'a [f64],
    pub(super) open: &'a [usize],
    pub(super) budget: f64,
}

/// Solves max f(t) over t >= 0 with sum of cost t <= B, and bounds it.
///
/// f(t) = b' (Sigma + diag(v / t))^-1 b = max over w of 2 b'w - w' Sigma w - sum w^2 v / t, which is concave in t and w
/// together. For given w the best t is in proportion to |w| sqrt(v / c), and leaves
/// 2 b'w - w' Sigma w - (sum |w| sqrt(v c))^2 / B to be maximised over w: a squared lasso, done coordinate by coordinate.
/// With several targets w has a row for each attribute, |w| is its length, and the lasso is one of groups.
/// At any t the bound is f(t) + max over allowed s of g (s - t), with g = q^2 / v and q what t leaves unexplained: f
/// lies below its tangent. Attributes without noise cost nothing in the bound, which loosens it but never breaks it.
///
/// `tight` is by what share of itself it may be above what the relaxed repeats explain.
///
/// Cost: O(d s) a sweep and O(d s + s^3) a check, with s attributes in use; tens of sweeps as a rule.
pub(super) fn bound(rest: &Rest<'_>, spending: &Spending, tight: f64) -> Relaxed {
    let d = rest.covariance.len();
    let mut residual = Residual::new(rest.external, rest.covariance);
    let (free, mut noisy): (Vec<usize>, Vec<usize>) = rest.open.iter().partition(|&&a| rest.noise[a] <= 0.0);
    for &a in &free {
        residual.take(a, 0.0);
    }
    let given = residual.explained;
    // Sweeps end before they have settled: in which order they go is not left to the order of rows in a file.
    let gain = |a: usize| residual.covariance.square(a) / (rest.noise[a] * spending.cost[a]);
    noisy.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)));
    let whole;
    let external = if free.is_empty() {
        rest.external
    } else {
        whole = residual.external();
        &whole
    };
    let problem = Problem {
        external,
        b: &residual.covariance,
        noise: rest.noise,
        cost: &spending.cost,
        at_most: &spending.at_most,
        open: &noisy,
        budget: rest.budget,
        tight,
    };
    let mut relaxed = problem.solve(d);
    relaxed.upper += given;
    for &a in &free {
        relaxed.repeats[a] = 1.0;
    }
    relaxed
}

struct Problem<'a> {
    external: &'a Symmetric,
    b: &'a TargetRows,
    noise: &'a [f64],
    cost: &'a [f64],
    at_most: &'a [u32],
    open: &'a [usize],
    budget: f64,
    tight: f64,
}

/// Tight enough to be shown: four digits.
pub(super) const TO_SHOW: f64 = 1e-4;
/// Tight enough to prove that nothing is better.
pub(super) const TO_PROVE: f64 = 1e-7;
/// Sweeps between two looks at the bound, and how often to look.
const SWEEPS: usize = 8;
const LOOKS: usize = 200;
/// After this many looks without a lower bound none is to be had: with more attributes than objects the estimated covariance
/// need not be one, and the sweeps then settle nowhere.
const IN_VAIN: usize = 8;

impl Problem<'_> {
    fn solve(&self, d: usize) -> Relaxed {
        let mut best = Relaxed { upper: f64::INFINITY, repeats: vec![0.0; d] };
        if self.open.is_empty() || self.budget <= 0.0 {
            best.upper = 0.0;
            return best;
        }
        let price: Vec<f64> = (0..d).map(|a| (self.noise[a] * self.cost[a]).sqrt()).collect();
        let targets = self.b.targets();
        let mut w = TargetRows::zeros(d, targets);
        // Sigma w, and sum |w| sqrt(v c).
        let mut explained = TargetRows::zeros(d, targets);
        let mut length = 0.0_f64;
        let (mut left, mut change) = (vec![0.0; targets], vec![0.0; targets]);
        let (mut lowest, mut in_vain) = (f64::INFINITY, 0);
        for _ in 0..LOOKS {
            for _ in 0..SWEEPS {
                for &a in self.open {
                    let own = self.external[(a, a)];
                    let others = (length - w.square(a).sqrt() * price[a]).max(0.0);
                    for t in 0..targets {
                        left[t] = self.b[a][t] - explained[a][t] + own * w[a][t];
                    }
                    let norm = left.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let size = (norm - price[a] * others / self.budget).max(0.0);
                    let scale = if norm > 0.0 { size / norm / (own + price[a] * price[a] / self.budget) } else { 0.0 };
                    for t in 0..targets {
                        change[t] = scale * left[t] - w[a][t];
                    }
                    if change.iter().any(|change| *change != 0.0) {
                        explained.add_product(self.external.row(a), &change);
                        w[a].iter_mut().zip(&change).for_each(|(w, change)| *w += change);
                        length = others + w.square(a).sqrt() * price[a];
                    }
                }
            }
            // Sums drift by rounding; start each look afresh.
            length = self.open.iter().map(|&a| w.square(a).sqrt() * price[a]).sum();
            let mut repeats = vec![0.0; d];
            if length > 0.0 {
                for &a in self.open {
                    let share = w.square(a).sqrt() * (self.noise[a] / self.cost[a]).sqrt() / length;
                    repeats[a] = self.budget * share;
                }
            }
            let (value, _) = self.look(&repeats, &mut best);
            let lower = lowest - best.upper > self.tight * value;
            (lowest, in_vain) = if lower { (best.upper, 0) } else { (lowest, in_vain + 1) };
            if best.upper - value <= self.tight * value || in_vain == IN_VAIN {
                break;
            }
        }
        if self.open.iter().any(|&a| best.repeats[a] > f64::from(self.at_most[a])) {
            self.respect_caps(&mut best);
        }
        best
    }

    /// Frank-Wolfe steps towards the capped optimum.
    fn respect_caps(&self, best: &mut Relaxed) {
        let mut t: Vec<f64> =
            best.repeats.iter().zip(self.at_most).map(|(&repeats, &most)| repeats.min(f64::from(most))).collect();
        for step in 0..LOOKS {
            let (value, corner) = self.look(&t, best);
            if best.upper - value <= self.tight * value {
                break;
            }
            let size = 2.0 / (step as f64 + 3.0);
            t.iter_mut().zip(&corner).for_each(|(t, corner)| *t += size * (corner - *t));
        }
    }

    /// f(t), and the allowed repeats at which its tangent is highest; keeps the bound if it is the lowest so far.
    fn look(&self, t: &[f64], best: &mut Relaxed) -> (f64, Vec<f64>) {
        let taken = self.open.iter().filter(|&&a| t[a] > 0.0).map(|&a| (a, self.noise[a] / t[a]));
        let unexplained = Unexplained::after(self.external, self.b, taken);
        let slope = |a: usize| unexplained.covariance.square(a) / self.noise[a];
        let mut order = self.open.to_vec();
        order.sort_by(|&a, &b| (slope(b) / self.cost[b]).total_cmp(&(slope(a) / self.cost[a])));
        let mut corner = vec![0.0; t.len()];
        let mut left = self.budget;
        let mut tangent = unexplained.explained;
        for a in order {
            corner[a] = (left / self.cost[a]).min(f64::from(self.at_most[a]));
            left -= corner[a] * self.cost[a];
            tangent += slope(a) * (corner[a] - t[a]);
        }
        if tangent < best.upper {
            *best = Relaxed { upper: tangent, repeats: t.to_vec() };
        }
        (unexplained.explained, corner)
    }
}
