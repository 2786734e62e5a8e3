//! Logistic regression with an L1 penalty, rows of a unit sharing its features.

use super::proximal_newton::{Lasso, Loss, Sparse, largest, size, walk};
use super::quadratic::{self, Variable, soft};
use super::standardised::Standardised;
use crate::log_product::LogProduct;
use crate::logistic::logistic;
use crate::{Context, Result};

/// Soft targets to explain: row r is of unit i, in group k, and is true with probability s(intercept_k + x_i b).
///
/// The rows of a unit are what several experts did with it; groups are the experts. One row a unit and one group is plain
/// logistic regression.
#[derive(Clone, Debug)]
pub(super) struct LogisticRows {
    /// Where each unit's rows begin, and where the last end.
    pub(super) offsets: Vec<usize>,
    /// The group of each row.
    pub(super) group: Vec<u32>,
    /// How many groups there are.
    pub(super) groups: usize,
    /// How much each row counts, 0 or more.
    pub(super) weight: Vec<f64>,
    /// The target of each row, from 0 to 1.
    pub(super) target: Vec<f64>,
}

/// Intercepts beyond this are of groups whose rows are all true or all false: s is then 1 or 0 to nine digits.
const FARTHEST: f64 = 20.0;
/// Sums up to this, with an intercept, are of odds that are no larger than a [`LogProduct`] takes.
const NEAR: f64 = 200.0;

/// Minimises the penalised loss from a start: see [`Lasso::minimise`].
///
/// In the quadratic model the rows of a unit are summed first. The objective never rises. Cost of a step: O(values of all
/// features), and O(values of the working set) a round of coordinate descent.
pub(super) fn solve(
    features: &Standardised,
    rows: &LogisticRows,
    lasso: Lasso,
    start: Option<&Sparse>,
    context: &Context,
) -> Result<Sparse> {
    lasso.minimise(State::new(features, rows, start), start.is_some(), context)
}

/// The smallest penalty at which all coefficients are zero.
pub(super) fn largest_penalty(features: &Standardised, rows: &LogisticRows, context: &Context) -> Result<f64> {
    let mut state = State::new(features, rows, None);
    state.fit_intercepts(1e-9, context)?;
    Ok(largest(&state.gradients()))
}

struct State<'a> {
    features: &'a Standardised,
    rows: &'a LogisticRows,
    intercepts: Vec<f64>,
    coefficients: Vec<f64>,
    /// x_i b of each unit.
    sums: Vec<f64>,
    /// The loss, and its first and second derivatives along each unit's sum and along each intercept.
    loss: f64,
    slope: Vec<f64>,
    curvature: Vec<f64>,
    group_slope: Vec<f64>,
    group_curvature: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(features: &'a Standardised, rows: &'a LogisticRows, start: Option<&Sparse>) -> Self {
        let coefficients = start.map_or_else(|| vec![0.0; features.len()], |start| start.coefficients.clone());
        let intercepts = start.map_or_else(|| vec![0.0; rows.groups], |start| start.intercepts.clone());
        let mut state = State {
            features,
            rows,
            intercepts,
            sums: features.sums(&coefficients),
            coefficients,
            loss: 0.0,
            slope: vec![0.0; features.units()],
            curvature: vec![0.0; features.units()],
            group_slope: vec![0.0; rows.groups],
            group_curvature: vec![0.0; rows.groups],
        };
        state.look();
        state
    }

    /// The loss and its derivatives, in one pass over the rows.
    fn look(&mut self) {
        self.group_slope.fill(0.0);
        self.group_curvature.fill(0.0);
        let rows = self.rows;
        // e^u is e^intercept times e^sum: one exponential a unit.
        let odds_of_group: Vec<f64> = self.intercepts.iter().map(|intercept| intercept.exp()).collect();
        let mut loss = LogProduct::new();
        for unit in 0..self.sums.len() {
            let (mut slope, mut curvature, sum) = (0.0, 0.0, self.sums[unit]);
            let (odds_of_unit, near) = (sum.exp(), sum.abs() <= NEAR);
            for row in rows.offsets[unit]..rows.offsets[unit + 1] {
                let (group, weight, target) = (rows.group[row] as usize, rows.weight[row], rows.target[row]);
                let u = self.intercepts[group] + sum;
                let (p, part) = if near {
                    let odds = odds_of_group[group] * odds_of_unit;
                    let part = 1.0 / (1.0 + odds);
                    if weight == 1.0 {
                        loss.multiply(1.0 + odds);
                    } else {
                        loss.add(weight * (1.0 + odds).ln());
                    }
                    (odds * part, part)
                } else {
                    let small = (-u.abs()).exp();
                    let large = 1.0 / (1.0 + small);
                    loss.add(weight * (u.max(0.0) + small.ln_1p()));
                    if u >= 0.0 { (large, small * large) } else { (small * large, large) }
                };
                loss.add(-weight * target * u);
                let (first, second) = (weight * (p - target), weight * p * part);
                self.group_slope[group] += first;
                self.group_curvature[group] += second;
                slope += first;
                curvature += second;
            }
            (self.slope[unit], self.curvature[unit]) = (slope, curvature);
        }
        self.loss = loss.log();
    }

    /// Where the quadratic model with the penalty is smallest over the working set: the moves from here.
    ///
    /// The moves of intercepts are not in the model; as the features are centred, they are small.
    fn moves(&self, working: &[usize], gradients: &[f64], penalty: f64, context: &Context) -> Result<Vec<f64>> {
        // A matrix with that many columns costs as much as the rounds over the values that it saves.
        const MOST: usize = 200;
        let values: usize = working.iter().map(|&j| self.features.column(j).len()).sum();
        if working.len() * working.len() * self.sums.len() > MOST * values {
            return self.descend(working, gradients, penalty, context);
        }
        let hessian = self.features.gram(working, &self.curvature, context)?;
        let variable = |&j: &usize| Variable { value: self.coefficients[j], gradient: gradients[j], penalty };
        quadratic::descend(&hessian, &working.iter().map(variable).collect::<Vec<_>>(), context)
    }

    /// The moves by coordinate descent over the columns.
    fn descend(&self, working: &[usize], gradients: &[f64], penalty: f64, context: &Context) -> Result<Vec<f64>> {
        const ROUNDS: usize = 100;
        let (features, weight) = (self.features, &self.curvature);
        let values: usize = working.iter().map(|&j| features.column(j).len()).sum();
        let total: f64 = weight.iter().sum();
        // Sums of weight x and weight x^2 of each column.
        let moments: Vec<(f64, f64)> = working
            .iter()
            .map(|&j| {
                let (mut one, mut two) = (0.0, 0.0);
                features.column(j).each(|unit, x| {
                    one += weight[unit] * x;
                    two += weight[unit] * x * x;
                });
                (one, two)
            })
            .collect();
        let mut moves = vec![0.0; working.len()];
        // weight times the move of each unit's sum, but for a shift common to all units, which is kept apart.
        let mut moved = vec![0.0; self.sums.len()];
        let (mut shift, mut total_moved) = (0.0, 0.0);
        let mut first = 0.0;
        for round in 0..ROUNDS {
            context.worked(2 * values)?;
            let mut largest: f64 = 0.0;
            for (at, &j) in working.iter().enumerate() {
                let column = features.column(j);
                let ((one, two), (scale, offset)) = (moments[at], (column.scale, column.offset));
                let curvature = scale * scale * two - 2.0 * scale * offset * one + offset * offset * total;
                if curvature <= 0.0 {
                    continue;
                }
                let cross = scale * (column.times(&moved) + shift * one) - offset * total_moved;
                let here = self.coefficients[j] + moves[at];
                let by = soft(here - (gradients[j] + cross) / curvature, penalty / curvature) - here;
                if by != 0.0 {
                    moves[at] += by;
                    column.each(|unit, x| moved[unit] += by * scale * x * weight[unit]);
                    shift -= by * offset;
                    total_moved += by * (scale * one - offset * total);
                    largest = largest.max(by * by * curvature);
                }
            }
            if round == 0 {
                first = largest;
            }
            if largest <= 1e-6 * first {
                break;
            }
        }
        Ok(moves)
    }
}

impl Loss for State<'_> {
    /// The gradient of the loss along each coefficient.
    type Gradients = Vec<f64>;

    const STEPS_AT_ONCE: bool = true;

    /// Brings each intercept to its optimum for the sums as they are, by Newton's steps, damped, until what is left to
    /// gain is little beside `tolerance`.
    fn fit_intercepts(&mut self, tolerance: f64, context: &Context) -> Result<()> {
        const STEPS: usize = 50;
        for _ in 0..STEPS {
            let mut left = 0.0;
            for group in 0..self.rows.groups {
                let (slope, curvature) = (self.group_slope[group], self.group_curvature[group]);
                if curvature > 0.0 {
                    let step = (slope / curvature).clamp(-2.0, 2.0);
                    let moved = (self.intercepts[group] - step).clamp(-FARTHEST, FARTHEST);
                    left += (slope * (moved - self.intercepts[group])).abs();
                    self.intercepts[group] = moved;
                }
            }
            self.look();
            context.worked(self.rows.group.len())?;
            // Newton squares what is left: after this step it is well below.
            if left < (0.1 * tolerance).min(1e-3) {
                break;
            }
        }
        Ok(())
    }

    fn gradients(&self) -> Vec<f64> {
        self.features.sums_with(&self.slope)
    }

    fn objective(&self, penalty: f64) -> f64 {
        self.loss + penalty * size(&self.coefficients)
    }

    /// The objective less the dual's value at the residuals, scaled to where they are feasible.
    fn gap(&self, penalty: f64, gradients: &Vec<f64>) -> f64 {
        let largest = largest(gradients);
        let scale = if largest > penalty { penalty / largest } else { 1.0 };
        let entropy = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
        let (rows, mut dual) = (self.rows, 0.0);
        for unit in 0..self.sums.len() {
            for row in rows.offsets[unit]..rows.offsets[unit + 1] {
                let target = rows.target[row];
                let p = logistic(self.intercepts[rows.group[row] as usize] + self.sums[unit]);
                let q = target + scale * (p - target);
                dual -= rows.weight[row] * (entropy(q) + entropy(1.0 - q));
            }
        }
        self.objective(penalty) - dual
    }

    /// Takes the moves over the working set, or half of them, or a quarter, until the objective falls.
    fn step(&mut self, lasso: &Lasso, gradients: &Vec<f64>, objective: f64, context: &Context) -> Result<bool> {
        let (features, penalty) = (self.features, lasso.penalty);
        let working: Vec<usize> = (0..features.len())
            .filter(|&j| self.coefficients[j] != 0.0 || gradients[j].abs() > penalty)
            .filter(|&j| features.column(j).varies())
            .collect();
        let mut full = vec![0.0; self.coefficients.len()];
        let moves = self.moves(&working, gradients, penalty, context)?;
        working.iter().zip(moves).for_each(|(&j, by)| full[j] = by);
        // How the objective falls at first, were the whole step as good.
        let fall = |&j: &usize| {
            let (b, by) = (self.coefficients[j], full[j]);
            penalty * (b.abs() - (b + by).abs()) - gradients[j] * by
        };
        let fall: f64 = working.iter().map(fall).sum();
        let rounding = f64::EPSILON * objective.abs();
        if fall <= rounding {
            return Ok(false);
        }
        let along = features.sums(&full);
        let (old_sums, old) = (self.sums.clone(), self.coefficients.clone());
        let mut share = 1.0;
        while share * fall > rounding && share > 1e-9 {
            walk(&mut self.sums, &old_sums, &along, share);
            walk(&mut self.coefficients, &old, &full, share);
            self.look();
            context.worked(self.rows.group.len())?;
            if self.objective(penalty) < objective {
                return Ok(true);
            }
            share /= 2.0;
        }
        (self.sums, self.coefficients) = (old_sums, old);
        Ok(false)
    }

    fn products(&self) -> usize {
        self.features.values() + self.rows.group.len()
    }

    fn into_fit(self, objective: f64, gap: f64, steps: usize) -> Sparse {
        Sparse { intercepts: self.intercepts, coefficients: self.coefficients, objective, gap, steps }
    }
}

#[cfg(test)]
mod tests;
