//! Logistic regression with an L1 penalty, rows of a unit sharing its features, by proximal Newton.

use super::Features;
use super::quadratic::{self, Variable, soft};
use crate::logistic::{LogProduct, logistic};

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

/// Intercepts, and coefficients of the standardised features.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sparse {
    /// An intercept for each group.
    pub(super) intercepts: Vec<f64>,
    /// A coefficient for each feature.
    pub(super) coefficients: Vec<f64>,
    /// What is minimised: sum over rows of weight (ln(1 + e^u) - target u), plus the penalty.
    pub(super) objective: f64,
    /// How far above its minimum that is at most.
    pub(super) gap: f64,
    /// Steps of Newton that were taken.
    pub(super) steps: usize,
}

/// Intercepts beyond this are of groups whose rows are all true or all false: s is then 1 or 0 to nine digits.
const FARTHEST: f64 = 20.0;
/// Sums up to this, with an intercept, are of odds that are no larger than a [`LogProduct`] takes.
const NEAR: f64 = 200.0;
const MOST_STEPS: usize = 200;

/// Minimises the penalised loss from a start, until the duality gap is below `tolerance`.
///
/// Proximal Newton: the loss is replaced by its quadratic model, in which the rows of a unit are summed first; the
/// model is minimised by coordinate descent over a working set (coefficients that are not zero, and those whose
/// gradient is beyond the penalty); then a step along the way there that lowers the objective. Intercepts are brought to
/// their optimum in between, so that the residuals, scaled, are dual feasible. The objective never rises. Cost of a step:
/// O(values of all features), and O(values of the working set) a round of descent.
pub(super) fn solve(
    features: &Features,
    rows: &LogisticRows,
    penalty: f64,
    tolerance: f64,
    start: Option<&Sparse>,
) -> Sparse {
    let mut state = State::new(features, rows, start);
    let mut steps = 0;
    loop {
        state.fit_intercepts(tolerance);
        let gradients = features.sums_with(&state.slope);
        let objective = state.loss + penalty * size(&state.coefficients);
        // From a warm start one step at least is worth its cost, and the gap would be, too.
        let gap = if steps == 0 && start.is_some() { f64::INFINITY } else { state.gap(penalty, &gradients) };
        let working: Vec<usize> = (0..features.len())
            .filter(|&j| state.coefficients[j] != 0.0 || gradients[j].abs() > penalty)
            .filter(|&j| features.column(j).varies())
            .collect();
        let done = gap <= tolerance || steps >= MOST_STEPS;
        // No step that lowers the objective by more than rounding is an end, too.
        if done || !state.step(&working, &gradients, objective, penalty) {
            return Sparse { intercepts: state.intercepts, coefficients: state.coefficients, objective, gap, steps };
        }
        steps += 1;
    }
}

/// The smallest penalty at which all coefficients are zero.
pub(super) fn largest_penalty(features: &Features, rows: &LogisticRows) -> f64 {
    let mut state = State::new(features, rows, None);
    state.fit_intercepts(1e-9);
    features.sums_with(&state.slope).iter().fold(0.0, |most: f64, gradient| most.max(gradient.abs()))
}

fn size(coefficients: &[f64]) -> f64 {
    coefficients.iter().map(|b| b.abs()).sum()
}

struct State<'a> {
    features: &'a Features,
    rows: &'a LogisticRows,
    intercepts: Vec<f64>,
    coefficients: Vec<f64>,
    /// x_i b of each unit.
    sums: Vec<f64>,
    /// The loss, and its first and second derivatives along each unit's sum and along each intercept.
    loss: f64,
    slope: Vec<f64>,
    bend: Vec<f64>,
    group_slope: Vec<f64>,
    group_bend: Vec<f64>,
}

impl<'a> State<'a> {
    fn new(features: &'a Features, rows: &'a LogisticRows, start: Option<&Sparse>) -> Self {
        let coefficients = start.map_or_else(|| vec![0.0; features.len()], |start| start.coefficients.clone());
        let intercepts = start.map_or_else(|| vec![0.0; rows.groups], |start| start.intercepts.clone());
        let mut state = State {
            features,
            rows,
            intercepts,
            sums: features.standardised_sum(&coefficients),
            coefficients,
            loss: 0.0,
            slope: vec![0.0; features.units()],
            bend: vec![0.0; features.units()],
            group_slope: vec![0.0; rows.groups],
            group_bend: vec![0.0; rows.groups],
        };
        state.look();
        state
    }

    /// The loss and its derivatives, in one pass over the rows.
    fn look(&mut self) {
        self.group_slope.fill(0.0);
        self.group_bend.fill(0.0);
        let rows = self.rows;
        // e^u is e^intercept times e^sum: one exponential a unit.
        let odds_of_group: Vec<f64> = self.intercepts.iter().map(|intercept| intercept.exp()).collect();
        let mut loss = LogProduct::new();
        for unit in 0..self.sums.len() {
            let (mut slope, mut bend, sum) = (0.0, 0.0, self.sums[unit]);
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
                self.group_bend[group] += second;
                slope += first;
                bend += second;
            }
            (self.slope[unit], self.bend[unit]) = (slope, bend);
        }
        self.loss = loss.log();
    }

    /// Brings each intercept to its optimum for the sums as they are, by Newton's steps, damped, until what is left to
    /// gain is little beside `tolerance`.
    fn fit_intercepts(&mut self, tolerance: f64) {
        const STEPS: usize = 50;
        for _ in 0..STEPS {
            let mut left = 0.0;
            for group in 0..self.rows.groups {
                let (slope, bend) = (self.group_slope[group], self.group_bend[group]);
                if bend > 0.0 {
                    let step = (slope / bend).clamp(-2.0, 2.0);
                    let moved = (self.intercepts[group] - step).clamp(-FARTHEST, FARTHEST);
                    left += (slope * (moved - self.intercepts[group])).abs();
                    self.intercepts[group] = moved;
                }
            }
            self.look();
            // Newton squares what is left: after this step it is well below.
            if left < (0.1 * tolerance).min(1e-3) {
                break;
            }
        }
    }

    /// The objective less the dual's value at the residuals, scaled to where they are feasible.
    fn gap(&self, penalty: f64, gradients: &[f64]) -> f64 {
        let largest = gradients.iter().fold(0.0, |most: f64, gradient| most.max(gradient.abs()));
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
        self.loss + penalty * size(&self.coefficients) - dual
    }

    /// Where the quadratic model with the penalty is smallest over the working set: the moves from here.
    ///
    /// The moves of intercepts are not in the model; as the features are centred, they are small.
    fn moves(&self, working: &[usize], gradients: &[f64], penalty: f64) -> Vec<f64> {
        // A matrix of so many columns costs as much as the rounds over the values that it saves.
        const MOST: usize = 200;
        let values: usize = working.iter().map(|&j| self.features.column(j).len()).sum();
        if working.len() * working.len() * self.sums.len() > MOST * values {
            return self.descend(working, gradients, penalty);
        }
        let hessian = self.features.gram(working, &self.bend);
        let variable = |&j: &usize| Variable { value: self.coefficients[j], gradient: gradients[j], penalty };
        quadratic::descend(&hessian, &working.iter().map(variable).collect::<Vec<_>>())
    }

    /// The moves by coordinate descent over the columns.
    fn descend(&self, working: &[usize], gradients: &[f64], penalty: f64) -> Vec<f64> {
        const ROUNDS: usize = 100;
        let (features, bend) = (self.features, &self.bend);
        let total: f64 = bend.iter().sum();
        // Sums of bend x and bend x^2 of each column.
        let moments: Vec<(f64, f64)> = working
            .iter()
            .map(|&j| {
                let (mut one, mut two) = (0.0, 0.0);
                features.column(j).each(|unit, x| {
                    one += bend[unit] * x;
                    two += bend[unit] * x * x;
                });
                (one, two)
            })
            .collect();
        let mut moves = vec![0.0; working.len()];
        // bend times the move of each unit's sum, but for a shift common to all units, which is kept apart.
        let mut moved = vec![0.0; self.sums.len()];
        let (mut shift, mut total_moved) = (0.0, 0.0);
        let mut first = 0.0;
        for round in 0..ROUNDS {
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
                    column.each(|unit, x| moved[unit] += by * scale * x * bend[unit]);
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
        moves
    }

    /// Takes the moves over the working set, or half of them, or a quarter, until the objective falls; false if it never
    /// does, but by rounding.
    fn step(&mut self, working: &[usize], gradients: &[f64], objective: f64, penalty: f64) -> bool {
        let mut full = vec![0.0; self.coefficients.len()];
        let moves = self.moves(working, gradients, penalty);
        working.iter().zip(moves).for_each(|(&j, by)| full[j] = by);
        // How the objective falls at first, were the whole step as good.
        let fall = |&j: &usize| {
            let (b, by) = (self.coefficients[j], full[j]);
            penalty * (b.abs() - (b + by).abs()) - gradients[j] * by
        };
        let fall: f64 = working.iter().map(fall).sum();
        let rounding = f64::EPSILON * objective.abs();
        if fall <= rounding {
            return false;
        }
        let along = self.features.standardised_sum(&full);
        let (old_sums, old) = (self.sums.clone(), self.coefficients.clone());
        let mut share = 1.0;
        while share * fall > rounding && share > 1e-9 {
            self.sums.iter_mut().zip(&old_sums).zip(&along).for_each(|((sum, old), by)| *sum = old + share * by);
            self.coefficients.iter_mut().zip(&old).zip(&full).for_each(|((b, old), by)| *b = old + share * by);
            self.look();
            if self.loss + penalty * size(&self.coefficients) < objective {
                return true;
            }
            share /= 2.0;
        }
        (self.sums, self.coefficients) = (old_sums, old);
        false
    }
}

#[cfg(test)]
mod tests;
