//! Symmetric matrices (eigenvalues, nearest positive semidefinite, solving), inverses, least squares, products.
//!
//! Products, which take the time on large data, are those of the linear-algebra crate; the rest is small and written here.

mod eigen;
mod low_rank;
mod product;
mod square;
mod symmetric;

pub(crate) use product::{Block, Rows, add_product};
pub(crate) use square::Square;
pub(crate) use symmetric::Symmetric;

use crate::{Error, Result};

/// Zeros that are written one by one. `vec![0.0; n]` has pages that the system fills when they are first touched, and a sum
/// that first reads and then writes them takes two faults for each, and all cores pause at the second.
fn zeros(n: usize) -> Vec<f64> {
    let mut zeros = Vec::with_capacity(n);
    zeros.resize(n, 0.0);
    zeros
}

/// The sum of products; eight sums side by side, which a processor takes at once.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, n) = ([0.0; 8], a.len() / 8 * 8);
    for (a, b) in a[..n].chunks_exact(8).zip(b[..n].chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + a[n..].iter().zip(&b[n..]).map(|(a, b)| a * b).sum::<f64>()
}

/// A linear fit by least squares: the weights w and bias that minimise the squared error of w x + bias. Of several such
/// weights, the shortest for columns of unit variance. Rows of `x` are examples, and `y` has one target for each.
pub fn linear_fit(x: &[Vec<f64>], y: &[f64]) -> Result<(Vec<f64>, f64)> {
    let columns = x.first().map_or(0, Vec::len);
    let equal = |what, found: usize, of, expected| match found == expected {
        true => Ok(()),
        false => Err(Error::WrongLength { what, found, of, expected }),
    };
    equal("targets", y.len(), "rows", x.len())?;
    x.iter().try_for_each(|row| equal("numbers in a row", row.len(), "columns", columns))?;
    Ok(least_squares(x, y))
}

/// The weights w and bias that minimise the squared error of w x + bias; of several the shortest, columns brought to
/// unit variance first. Rows of `x` are examples.
pub(crate) fn least_squares(x: &[Vec<f64>], y: &[f64]) -> (Vec<f64>, f64) {
    let columns = x.first().map_or(0, Vec::len);
    let n = x.len().max(1) as f64;
    let means: Vec<f64> = (0..columns).map(|a| x.iter().map(|row| row[a]).sum::<f64>() / n).collect();
    let mean_y = y.iter().sum::<f64>() / n;
    let deviations: Vec<f64> = (0..columns)
        .map(|a| (x.iter().map(|row| (row[a] - means[a]).powi(2)).sum::<f64>() / n).sqrt())
        .map(|deviation| if deviation > 0.0 { deviation } else { 1.0 })
        .collect();
    let mut gram = Symmetric::zeros(columns);
    let mut target = vec![0.0; columns];
    let mut standard = vec![0.0; columns];
    for (row, y) in x.iter().zip(y) {
        for a in 0..columns {
            standard[a] = (row[a] - means[a]) / deviations[a];
            target[a] += standard[a] * (y - mean_y) / n;
        }
        for a in 0..columns {
            for b in 0..=a {
                gram[(a, b)] += standard[a] * standard[b] / n;
            }
        }
    }
    gram.mirror();
    let mut weights = gram.solve(&target);
    for (weight, deviation) in weights.iter_mut().zip(&deviations) {
        *weight /= deviation;
    }
    let bias = mean_y - weights.iter().zip(&means).map(|(weight, mean)| weight * mean).sum::<f64>();
    (weights, bias)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_residuals_of_least_squares_are_orthogonal_to_every_column() {
        let x: Vec<Vec<f64>> = (0..40)
            .map(|i| (0..5).map(|j| f64::from((i * (j + 3) * 7 + i * i) % 23) + 100.0 * f64::from(j)).collect())
            .collect();
        let y: Vec<f64> = (0..40).map(|i| f64::from((i * 13) % 17)).collect();
        let (weights, bias) = least_squares(&x, &y);
        let residual = |i: usize| y[i] - bias - x[i].iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
        let residuals: Vec<f64> = (0..40).map(residual).collect();
        assert!(residuals.iter().sum::<f64>().abs() < 1e-8);
        for j in 0..5 {
            let along: f64 = residuals.iter().zip(&x).map(|(residual, row)| residual * row[j]).sum();
            assert!(along.abs() < 1e-8 * 500.0 * 40.0, "{j}: {along}");
        }
        assert!(residuals.iter().any(|residual| residual.abs() > 1.0), "the fit is not exact");
    }

    #[test]
    fn columns_that_say_the_same_share_the_weight() {
        let x: Vec<Vec<f64>> = (0..10).map(|i| vec![f64::from(i), f64::from(i), 3.0]).collect();
        let y: Vec<f64> = (0..10).map(|i| 2.0 * f64::from(i) + 1.0).collect();
        let (weights, bias) = least_squares(&x, &y);
        assert!((weights[0] - 1.0).abs() < 1e-9 && (weights[1] - 1.0).abs() < 1e-9 && weights[2].abs() < 1e-9);
        assert!((bias - 1.0).abs() < 1e-9);
        assert_eq!(linear_fit(&[], &[]), Ok((vec![], 0.0)));
        assert_eq!(linear_fit(&x, &y), Ok((weights, bias)));
        assert!(linear_fit(&x, &y[1..]).is_err() && linear_fit(&[vec![1.0], vec![]], &y[..2]).is_err());
    }
}
