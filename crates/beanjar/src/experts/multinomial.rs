//! Logistic regression over several classes with soft targets and an L1 penalty.

use super::proximal_newton::{Lasso, Loss, Sparse, largest, size, walk};
use super::quadratic::soft;
use super::standardised::{Column, Standardised};
use crate::linalg::Symmetric;
use crate::{Context, Result};

/// Soft targets to explain: unit i is of class c with probability proportional to e^(intercept_c + x_i b_c).
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClassRows {
    /// How many classes there are.
    pub(super) classes: usize,
    /// How much each unit counts, 0 or more.
    pub(super) weight: Vec<f64>,
    /// The share of each class in each unit, unit by unit; those of a unit sum to 1.
    pub(super) target: Vec<f64>,
}

/// How far below the most common class's intercept that of a class lies that never occurs: s is then 0 to nine digits.
const FARTHEST: f64 = 20.0;

/// Minimises the penalised loss from a start: see [`Lasso::minimise`].
///
/// The quadratic model has all of the softmax's curvature, w (diag p - p p') in each unit. It is minimised by coordinate
/// descent, class after class, the class's intercept following each coordinate. The objective never rises by more than
/// rounding. Intercepts sum to 0. Classes that never occur take no part: their coefficients are 0. Without a penalty, the
/// gap is that to the entropy of the targets, the end comes when no step lowers the objective, and the coefficients of a
/// feature sum to 0. Cost of a step: O(values of all features times classes), and O(values of the working set + units times
/// classes) a round of descent.
pub(super) fn solve(
    features: &Standardised,
    rows: &ClassRows,
    lasso: Lasso,
    start: Option<&Sparse>,
    context: &Context,
) -> Result<Sparse> {
    let mut state = State::new(features, rows, start);
    state.recentre(lasso.penalty);
    lasso.minimise(state, start.is_some(), context)
}

/// The smallest penalty at which all coefficients are zero.
pub(super) fn largest_penalty(features: &Standardised, rows: &ClassRows, context: &Context) -> Result<f64> {
    let mut state = State::new(features, rows, None);
    state.fit_intercepts(0.0, context)?;
    Ok(largest(state.gradients().coefficients.iter().flatten()))
}

/// What is kept for each class and unit, or each class and feature: first by class.
type ByClass = Vec<Vec<f64>>;

struct State<'a> {
    features: &'a Standardised,
    rows: &'a ClassRows,
    /// The classes that occur; everything below is of these.
    classes: Vec<usize>,
    intercepts: Vec<f64>,
    coefficients: ByClass,
    target: ByClass,
    /// The weight of all units that each class should have.
    due: Vec<f64>,
    /// x_i b_c, but for what is common to all classes of a unit.
    sums: ByClass,
    probability: ByClass,
    loss: f64,
}

/// The loss's derivatives along u, by class and unit, and along each coefficient.
struct Gradients {
    slope: ByClass,
    coefficients: ByClass,
}

/// A way to go.
struct Moves {
    intercepts: Vec<f64>,
    coefficients: ByClass,
}

/// The quadratic model along one coefficient.
struct Pair {
    feature: usize,
    /// The feature's mean, units weighted by the loss's curvature.
    mean: f64,
    curvature: f64,
}

impl<'a> State<'a> {
    fn new(features: &'a Standardised, rows: &'a ClassRows, start: Option<&Sparse>) -> Self {
        let (units, width) = (features.units(), features.len());
        let share = |class: usize| (0..units).map(|unit| rows.target[unit * rows.classes + class]).collect();
        let all: ByClass = (0..rows.classes).map(share).collect();
        let classes: Vec<usize> = (0..rows.classes).filter(|&class| weighed(&all[class], &rows.weight) > 0.0).collect();
        let target: ByClass = classes.iter().map(|&class| all[class].clone()).collect();
        let due: Vec<f64> = target.iter().map(|target| weighed(target, &rows.weight)).collect();
        let of_start = |(&class, due): (&usize, &f64)| match start {
            Some(start) => (start.intercepts[class], start.coefficients[class * width..][..width].to_vec()),
            // The optimum without features.
            None => (due.ln(), vec![0.0; width]),
        };
        let (intercepts, coefficients): (_, ByClass) = classes.iter().zip(&due).map(of_start).unzip();
        let sums = coefficients.iter().map(|b| features.sums(b)).collect();
        let (probability, loss) = (target.clone(), 0.0);
        let mut state =
            State { features, rows, classes, intercepts, coefficients, target, due, sums, probability, loss };
        state.refresh();
        state
    }

    /// Probabilities and the loss where intercepts and sums are now.
    fn refresh(&mut self) {
        let units = self.features.units();
        let mut top = vec![f64::NEG_INFINITY; units];
        for (sums, intercept) in self.sums.iter().zip(&self.intercepts) {
            top.iter_mut().zip(sums).for_each(|(top, sum)| *top = top.max(intercept + sum));
        }
        let (mut total, mut explained) = (vec![0.0; units], vec![0.0; units]);
        for (class, intercept) in self.intercepts.iter().enumerate() {
            for unit in 0..units {
                let below = intercept + self.sums[class][unit] - top[unit];
                let odds = below.exp();
                total[unit] += odds;
                explained[unit] += self.target[class][unit] * below;
                self.probability[class][unit] = odds;
            }
        }
        for probability in &mut self.probability {
            probability.iter_mut().zip(&total).for_each(|(p, total)| *p /= total);
        }
        let counted = (0..units).filter(|&unit| self.rows.weight[unit] > 0.0);
        self.loss = counted.map(|unit| self.rows.weight[unit] * (total[unit].ln() - explained[unit])).sum();
    }

    /// Newton's step of the intercepts, the most common class's being held; none where the loss is too flat.
    fn newton_of_intercepts(&self, mass: &[f64]) -> Option<Vec<f64>> {
        let held = (0..mass.len()).max_by(|&a, &b| mass[a].total_cmp(&mass[b]))?;
        let free: Vec<usize> = (0..mass.len()).filter(|&class| class != held).collect();
        let curvature = Symmetric::from_fn(free.len(), |i, j| {
            let (a, b) = (&self.probability[free[i]], &self.probability[free[j]]);
            let cross: f64 = a.iter().zip(b).zip(&self.rows.weight).map(|((a, b), weight)| weight * a * b).sum();
            if i == j { mass[free[i]] - cross } else { -cross }
        });
        let lacking: Vec<f64> = free.iter().map(|&class| self.due[class] - mass[class]).collect();
        let mut step = vec![0.0; mass.len()];
        free.iter().zip(curvature.cholesky()?.solve(&lacking)).for_each(|(&class, by)| step[class] = by);
        Some(step)
    }

    /// Where the quadratic model with the penalty is smallest over the working set: the moves from here.
    fn descend(&self, gradients: &Gradients, penalty: f64, context: &Context) -> Result<Moves> {
        let (slope, gradients) = (&gradients.slope, &gradients.coefficients);
        const ROUNDS: usize = 100;
        let (features, classes, units) = (self.features, self.classes.len(), self.features.units());
        let weight = &self.rows.weight;
        let curvature_of = |p: &Vec<f64>| p.iter().zip(weight).map(|(p, weight)| weight * p * (1.0 - p)).collect();
        let curvatures: ByClass = self.probability.iter().map(curvature_of).collect();
        let total: Vec<f64> = curvatures.iter().map(|curvature| curvature.iter().sum()).collect();
        let mut working: Vec<Vec<Pair>> = (0..classes)
            .map(|class| {
                let beyond = |&j: &usize| self.coefficients[class][j] != 0.0 || gradients[class][j].abs() > penalty;
                let entering = (0..features.len()).filter(beyond).filter(|&j| features.column(j).varies());
                let pairs = entering.map(|j| Pair::new(j, features.column(j), &curvatures[class], total[class]));
                pairs.filter(|pair| pair.curvature > 0.0).collect()
            })
            .collect();
        let mut moves =
            Moves { intercepts: vec![0.0; classes], coefficients: vec![vec![0.0; features.len()]; classes] };
        // The moves of u, and of each unit their mean over classes by p: the model's slope along u_c of a unit has moved
        // by w p_c (moved_c - mean), so that a coordinate costs what its column holds.
        let (mut moved, mut mean_moved) = (vec![vec![0.0; units]; classes], vec![0.0; units]);
        let mut first = 0.0;
        for round in 0..ROUNDS {
            let values: usize = working.iter().flatten().map(|pair| features.column(pair.feature).len()).sum();
            context.worked(2 * values + units * classes)?;
            let mut largest: f64 = 0.0;
            for class in (0..classes).filter(|&class| total[class] > 0.0) {
                let (p, curvature) = (&self.probability[class], &curvatures[class]);
                let before: Vec<f64> = (0..units)
                    .map(|i| slope[class][i] + weight[i] * p[i] * (moved[class][i] - mean_moved[i]))
                    .collect();
                let mut now = before.clone();
                // What is added to u in all units: it keeps the slope along the intercept at 0.
                let mut shift = -before.iter().sum::<f64>() / total[class];
                moves.intercepts[class] += shift;
                for pair in &working[class] {
                    let column = features.column(pair.feature);
                    let gradient = column.scale * (column.times(&now) + shift * pair.mean * total[class]);
                    let here = self.coefficients[class][pair.feature] + moves.coefficients[class][pair.feature];
                    let by = soft(here - gradient / pair.curvature, penalty / pair.curvature) - here;
                    if by != 0.0 {
                        moves.coefficients[class][pair.feature] += by;
                        let slope = by * column.scale;
                        column.each(|unit, x| now[unit] += slope * x * curvature[unit]);
                        shift -= slope * pair.mean;
                        moves.intercepts[class] += slope * (column.centre() - pair.mean);
                        largest = largest.max(by * by * pair.curvature);
                    }
                }
                for i in 0..units {
                    let by = shift + if curvature[i] > 0.0 { (now[i] - before[i]) / curvature[i] } else { 0.0 };
                    moved[class][i] += by;
                    mean_moved[i] += p[i] * by;
                }
            }
            if round == 0 {
                first = largest;
            }
            if largest <= 1e-5 * first {
                break;
            }
            // Those that stay at zero are looked at again in the next step.
            for (class, pairs) in working.iter_mut().enumerate() {
                pairs.retain(|pair| {
                    self.coefficients[class][pair.feature] + moves.coefficients[class][pair.feature] != 0.0
                });
            }
        }
        Ok(moves)
    }

    /// Takes from the coefficients of each feature what is common to all classes and changes no probability: with a
    /// penalty the median, where their absolute values sum to the least, and without one the mean.
    fn recentre(&mut self, penalty: f64) {
        let classes = self.classes.len();
        for feature in (0..self.features.len()).filter(|_| classes > 0) {
            let mut sorted: Vec<f64> = self.coefficients.iter().map(|b| b[feature]).collect();
            let centre = if penalty > 0.0 {
                sorted.sort_unstable_by(f64::total_cmp);
                // Of an even number of classes, all between the two in the middle are medians.
                0f64.clamp(sorted[(classes - 1) / 2], sorted[classes / 2])
            } else {
                sorted.iter().sum::<f64>() / classes as f64
            };
            if centre != 0.0 {
                self.coefficients.iter_mut().for_each(|b| b[feature] -= centre);
            }
        }
    }
}

impl Loss for State<'_> {
    type Gradients = Gradients;

    const STEPS_AT_ONCE: bool = false;

    /// Brings the intercepts to their optimum for the sums as they are.
    ///
    /// By Newton's steps; where one raises the loss, far from the optimum, each class is scaled to its share instead, which
    /// never does (Darroch and Ratcliff 1972).
    fn fit_intercepts(&mut self, _tolerance: f64, context: &Context) -> Result<()> {
        const STEPS: usize = 50;
        for _ in 0..STEPS {
            context.worked(self.features.units() * self.classes.len())?;
            let old = self.intercepts.clone();
            let no_worse = self.loss + 1e-14 * self.loss.abs();
            let mass: Vec<f64> = self.probability.iter().map(|p| weighed(p, &self.rows.weight)).collect();
            let scaling =
                self.due.iter().zip(&mass).map(|(due, mass)| (due / mass.max(f64::MIN_POSITIVE)).ln()).collect();
            let mut ways = [self.newton_of_intercepts(&mass), Some(scaling)].into_iter().flatten();
            let taken = ways.find(|by| {
                walk(&mut self.intercepts, &old, by, 1.0);
                self.refresh();
                self.loss <= no_worse
            });
            match taken {
                // Newton doubles the digits: the step after this one would not be seen.
                Some(by) if by.iter().all(|by| by.abs() < 1e-6) => return Ok(()),
                Some(_) => {}
                None => {
                    self.intercepts = old;
                    self.refresh();
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn gradients(&self) -> Gradients {
        let of_class = |(p, target): (&Vec<f64>, &Vec<f64>)| {
            p.iter().zip(target).zip(&self.rows.weight).map(|((p, target), weight)| weight * (p - target)).collect()
        };
        let slope: ByClass = self.probability.iter().zip(&self.target).map(of_class).collect();
        let coefficients = slope.iter().map(|slope| self.features.sums_with(slope)).collect();
        Gradients { slope, coefficients }
    }

    fn objective(&self, penalty: f64) -> f64 {
        self.loss + penalty * size(self.coefficients.iter().flatten())
    }

    /// The objective less the dual's value, the entropy of the probabilities q = target + scale (p - target), scaled to
    /// where they are feasible: no gradient beyond the penalty.
    fn gap(&self, penalty: f64, gradients: &Gradients) -> f64 {
        let largest = largest(gradients.coefficients.iter().flatten());
        let scale = if largest > penalty { penalty / largest } else { 1.0 };
        let mut dual = 0.0;
        for (probability, target) in self.probability.iter().zip(&self.target) {
            for ((p, target), weight) in probability.iter().zip(target).zip(&self.rows.weight) {
                let q = target + scale * (p - target);
                dual -= if q > 0.0 { weight * q * q.ln() } else { 0.0 };
            }
        }
        self.objective(penalty) - dual
    }

    /// Takes the moves, or half of them, or a quarter, until the objective falls.
    fn step(&mut self, lasso: &Lasso, gradients: &Gradients, objective: f64, context: &Context) -> Result<bool> {
        let penalty = lasso.penalty;
        let moves = self.descend(gradients, penalty, context)?;
        let here = self.coefficients.iter().flatten();
        let ways = here.zip(moves.coefficients.iter().flatten()).zip(gradients.coefficients.iter().flatten());
        // How the objective falls at first, were the whole step as good.
        let fall: f64 = ways.map(|((b, by), slope)| penalty * (b.abs() - (b + by).abs()) - slope * by).sum();
        let along: ByClass = moves.coefficients.iter().map(|b| self.features.sums(b)).collect();
        let old = (self.intercepts.clone(), self.coefficients.clone(), self.sums.clone());
        let mut share = 1.0;
        while share * fall > f64::EPSILON * objective.abs() && share > 1e-9 {
            walk(&mut self.intercepts, &old.0, &moves.intercepts, share);
            for class in 0..self.classes.len() {
                walk(&mut self.coefficients[class], &old.1[class], &moves.coefficients[class], share);
                walk(&mut self.sums[class], &old.2[class], &along[class], share);
            }
            self.refresh();
            context.worked(self.features.units() * self.classes.len())?;
            if self.objective(penalty) < objective {
                self.recentre(penalty);
                return Ok(true);
            }
            share /= 2.0;
        }
        (self.intercepts, self.coefficients, self.sums) = old;
        Ok(false)
    }

    fn products(&self) -> usize {
        self.classes.len() * self.features.values()
    }

    fn into_fit(self, objective: f64, gap: f64, steps: usize) -> Sparse {
        let width = self.features.len();
        let most = self.intercepts.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let never = if self.classes.is_empty() { 0.0 } else { most - FARTHEST };
        let mut intercepts = vec![never; self.rows.classes];
        let mut coefficients = vec![0.0; self.rows.classes * width];
        for (at, &class) in self.classes.iter().enumerate() {
            intercepts[class] = self.intercepts[at];
            coefficients[class * width..][..width].copy_from_slice(&self.coefficients[at]);
        }
        let mean = intercepts.iter().sum::<f64>() / intercepts.len().max(1) as f64;
        intercepts.iter_mut().for_each(|intercept| *intercept -= mean);
        Sparse { intercepts, coefficients, objective, gap, steps }
    }
}

impl Pair {
    fn new(feature: usize, column: &Column, curvature: &[f64], total: f64) -> Pair {
        let (centre, mut zeros, mut one, mut two) = (column.centre(), total, 0.0, 0.0);
        column.each(|unit, x| {
            let (weight, x) = (curvature[unit], x - centre);
            zeros -= weight;
            one += weight * x;
            two += weight * x * x;
        });
        // A column without zeros leaves rounding only.
        let zeros = if column.len() == curvature.len() { 0.0 } else { zeros.max(0.0) };
        one -= zeros * centre;
        two += zeros * centre * centre;
        let along = (two - one * one / total) * column.scale * column.scale;
        Pair { feature, mean: centre + one / total, curvature: along }
    }
}

fn weighed(of: &[f64], weight: &[f64]) -> f64 {
    of.iter().zip(weight).map(|(of, weight)| of * weight).sum()
}

#[cfg(test)]
mod tests;
