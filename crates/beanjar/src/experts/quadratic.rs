//! Quadratic models with an L1 penalty, over few enough variables for a matrix.

use crate::linalg::Symmetric;
use crate::{Context, Result};

/// A variable of a quadratic model.
pub(super) struct Variable {
    /// Where it is.
    pub(super) value: f64,
    /// The derivative there of what is minimised, but for the penalty.
    pub(super) gradient: f64,
    /// What each unit of its size costs.
    pub(super) penalty: f64,
}

/// How much lower the model says the objective is after the moves, to first order.
pub(super) fn promise(variables: &[Variable], moves: &[f64]) -> f64 {
    let gain = |(variable, by): (&Variable, &f64)| {
        variable.gradient * by + variable.penalty * ((variable.value + by).abs() - variable.value.abs())
    };
    -variables.iter().zip(moves).map(gain).sum::<f64>()
}

/// The moves to where the quadratic model with the penalties is smallest.
///
/// Coordinate descent finds which variables are zero, but crawls where the matrix is nearly singular; so in between the
/// others are brought to their optimum at once; one that would change its sign on the way stops at zero.
pub(super) fn descend(hessian: &Symmetric, variables: &[Variable], context: &Context) -> Result<Vec<f64>> {
    let products = hessian.size() * hessian.size();
    const TURNS: usize = 20;
    const ROUNDS: usize = 10;
    const CROSSINGS: usize = 20;
    // Where variables end, rather than moves: a zero is then a zero.
    let mut ends: Vec<f64> = variables.iter().map(|variable| variable.value).collect();
    let mut gradients: Vec<f64> = variables.iter().map(|variable| variable.gradient).collect();
    let mut first: f64 = 0.0;
    'turns: for _ in 0..TURNS {
        for _ in 0..ROUNDS {
            context.worked(products)?;
            let largest = round(hessian, variables, &mut ends, &mut gradients);
            first = first.max(largest);
            if largest <= 1e-12 * first {
                break 'turns;
            }
        }
        for _ in 0..CROSSINGS {
            context.worked(products * hessian.size() / 3)?;
            let Some((better, arrived)) = with_these_signs(hessian, variables, &ends) else { break };
            ends = better;
            if arrived {
                break;
            }
        }
        for (i, variable) in variables.iter().enumerate() {
            let by = |(h, j): (&f64, usize)| h * (ends[j] - variables[j].value);
            gradients[i] = variable.gradient + hessian.row(i).iter().zip(0..).map(by).sum::<f64>();
        }
    }
    Ok(ends.iter().zip(variables).map(|(end, variable)| end - variable.value).collect())
}

/// Moves each variable to its optimum, the others as they are; returns the largest gain, but for a factor of two.
fn round(hessian: &Symmetric, variables: &[Variable], ends: &mut [f64], gradients: &mut [f64]) -> f64 {
    let mut largest: f64 = 0.0;
    for (i, variable) in variables.iter().enumerate() {
        let curvature = hessian[(i, i)];
        if curvature <= 0.0 {
            continue;
        }
        let end = soft(ends[i] - gradients[i] / curvature, variable.penalty / curvature);
        let by = end - ends[i];
        if by != 0.0 {
            ends[i] = end;
            gradients.iter_mut().zip(hessian.row(i)).for_each(|(gradient, h)| *gradient += by * h);
            largest = largest.max(by * by * curvature);
        }
    }
    largest
}

/// The minimum with these zeros and signs; or the place on the way there where the first sign would change, and false.
fn with_these_signs(hessian: &Symmetric, variables: &[Variable], ends: &[f64]) -> Option<(Vec<f64>, bool)> {
    let (free, held): (Vec<usize>, Vec<usize>) =
        (0..ends.len()).partition(|&i| ends[i] != 0.0 || variables[i].penalty == 0.0);
    let right = |&i: &usize| {
        let by_held: f64 = held.iter().map(|&j| hessian[(i, j)] * (ends[j] - variables[j].value)).sum();
        -(variables[i].gradient + variables[i].penalty * ends[i].signum() + by_held)
    };
    let moves = hessian.of(&free).cholesky()?.solve(&free.iter().map(right).collect::<Vec<_>>());
    let there: Vec<f64> = free.iter().zip(&moves).map(|(&i, by)| variables[i].value + by).collect();
    // The share of the way after which a variable is zero.
    let crossing = |(&i, there): (&usize, &f64)| match variables[i].penalty > 0.0 && there * ends[i] < 0.0 {
        true => ends[i] / (ends[i] - there),
        false => f64::INFINITY,
    };
    let crossings: Vec<f64> = free.iter().zip(&there).map(crossing).collect();
    let share = crossings.iter().fold(1.0, |least: f64, share| least.min(*share));
    let mut better = ends.to_vec();
    for ((&i, there), crossing) in free.iter().zip(&there).zip(&crossings) {
        better[i] = if *crossing <= share { 0.0 } else { ends[i] + share * (there - ends[i]) };
    }
    Some((better, share == 1.0))
}

/// The value nearer to zero by `by`, or zero.
pub(super) fn soft(value: f64, by: f64) -> f64 {
    value.signum() * (value.abs() - by).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_is_where_no_coordinate_gains() {
        for penalty in [0.0, 0.4, 3.0] {
            let n = 7;
            // Nearly singular: coordinate descent alone would take thousands of rounds.
            let hessian = Symmetric::from_fn(n, |i, j| 1.0 + if i == j { 1e-4 * (1 + i) as f64 } else { 0.0 });
            let variables: Vec<Variable> = (0..n)
                .map(|i| Variable {
                    value: if i % 3 == 0 { 0.0 } else { 0.01 * i as f64 - 0.03 },
                    gradient: 1e-4 * (i as f64 - 2.6) + 0.05,
                    penalty: if i == 5 { 0.0 } else { 1e-4 * penalty },
                })
                .collect();
            let moves = descend(&hessian, &variables, &Context::new()).unwrap();
            for i in 0..n {
                let by: f64 = (0..n).map(|j| hessian[(i, j)] * moves[j]).sum();
                let (end, slope) = (variables[i].value + moves[i], variables[i].gradient + by);
                let penalty = variables[i].penalty;
                let excess = if end == 0.0 { (slope.abs() - penalty).max(0.0) } else { slope + penalty * end.signum() };
                assert!(excess.abs() < 1e-6, "{penalty} {i}: {excess}");
            }
        }
        assert!(descend(&Symmetric::zeros(0), &[], &Context::new()).unwrap().is_empty());
    }
}
