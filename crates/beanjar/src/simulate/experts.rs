//! Noisy experts who classify units with features, after section 4.1 of Izbicki and Stern (2014).

use super::panel::{Panel, flip};
use super::simulated_labels::id;
use crate::logistic::logistic;
use crate::random::stream;
use crate::{Column, Context, Error, Labels, Result};
use rand_distr::{Distribution, StandardNormal};

/// How the experts err.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpertCase {
    /// (i) Three experts who are wrong with probabilities 0.5, 0.15 and 0.47, whatever the features.
    #[default]
    Constant,
    /// (ii) As the model of section 3: expert k is right with probability s(a_k + x g).
    Model,
    /// (iii) As (ii) with the squares of the features, which the model does not have.
    Squares,
}

/// Units with features, a true class and experts' labels.
///
/// P(Z = 1 | x) = s(b0 + x b) with s the logistic function, five normal features that matter and `noise_features`
/// standard normal ones that do not. The paper mentions four experts in case (ii) and lists three skills; these
/// three are used.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `units` | how many | 2500, the paper's | 1 or more |
/// | `noise_features` | how many that do not matter | 50, the paper's | 0 or more |
/// | `case` | how experts err | (i) | |
#[derive(Clone, Debug)]
pub struct Experts {
    /// How many units.
    pub units: usize,
    /// How many features that do not matter.
    pub noise_features: usize,
    /// How experts err.
    pub case: ExpertCase,
}

impl Default for Experts {
    fn default() -> Self {
        Experts { units: 2500, noise_features: 50, case: ExpertCase::Constant }
    }
}

/// Units and labels, with the truth behind them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SimulatedExperts {
    /// Of each unit, its features: first the five that matter.
    pub features: Vec<Vec<f64>>,
    /// Of each unit, its true class, 0 or 1.
    pub truth: Vec<u8>,
    /// Of each unit, each expert's label.
    pub labels: Vec<Vec<u8>>,
}

const INTERCEPT: f64 = -0.1;
const WEIGHTS: [f64; 5] = [1.0, 0.25, 0.24, -0.3, -0.2];
const MEANS: [f64; 5] = [1.0, 2.0, 3.0, 4.0, 5.0];
const COVARIANCE: [[f64; 5]; 5] = [
    [0.50, 0.10, 0.25, 0.10, 0.10],
    [0.10, 0.50, 0.10, 0.05, 0.04],
    [0.25, 0.10, 0.80, 0.01, 0.10],
    [0.10, 0.05, 0.01, 0.40, 0.10],
    [0.10, 0.04, 0.10, 0.10, 0.50],
];

impl ExpertCase {
    /// The experts.
    #[must_use]
    pub fn panel(self) -> Panel {
        let model = |skills: [f64; 3], weights: [f64; 5], power: i32| Panel::Model {
            skills: skills.to_vec(),
            weights: weights.to_vec(),
            power,
        };
        match self {
            ExpertCase::Constant => Panel::Constant(vec![0.5, 0.85, 0.53]),
            ExpertCase::Model => model([0.0, 0.75, -0.1], [0.1, 0.2, -0.08, 0.025, -0.065], 1),
            ExpertCase::Squares => model([0.0, 0.65, -0.12], [0.05, 0.05, -0.1, -0.1, 0.0], 2),
        }
    }
}

impl Experts {
    /// Draws units, truths and labels.
    pub fn draw(&self, context: &Context) -> Result<SimulatedExperts> {
        self.check()?;
        let (factor, panel) = (cholesky(COVARIANCE), self.case.panel());
        let mut drawn = SimulatedExperts { features: Vec::new(), truth: Vec::new(), labels: Vec::new() };
        let steps = context.steps("simulating", self.units);
        for unit in 0..self.units {
            let mut random = stream(context.seed(), unit as u64);
            let normal: [f64; 5] = std::array::from_fn(|_| StandardNormal.sample(&mut random));
            let mut features: Vec<f64> = (0..5)
                .map(|i| MEANS[i] + factor[i].iter().zip(&normal).map(|(weight, z)| weight * z).sum::<f64>())
                .collect();
            let logit = INTERCEPT + WEIGHTS.iter().zip(&features).map(|(weight, x)| weight * x).sum::<f64>();
            let class = flip(logistic(logit), &mut random);
            drawn.labels.push(panel.label(&features, class, &mut random));
            drawn.truth.push(class);
            features.extend((0..self.noise_features).map(|_| -> f64 { StandardNormal.sample(&mut random) }));
            drawn.features.push(features);
            steps.tick()?;
        }
        Ok(drawn)
    }

    fn check(&self) -> Result<()> {
        let refuse = |value, range| Err(Error::OutOfRange { name: "the number of units", value, range });
        if self.units == 0 {
            return refuse("0".into(), "1 or more");
        }
        /// Numbers in all features together: 4 GB of them.
        const MOST_NUMBERS: usize = 500_000_000;
        let features = self.noise_features.saturating_add(WEIGHTS.len());
        if self.units.saturating_mul(features) > MOST_NUMBERS {
            return refuse(format!("{} with {features} features", self.units), "at most 500 million numbers");
        }
        Ok(())
    }
}

impl SimulatedExperts {
    /// The ids of the units: `u1`, ...
    pub fn units(&self) -> impl Iterator<Item = String> {
        (0..self.truth.len()).map(|unit| id('u', unit))
    }

    /// The names of the features: `x1`, ...
    pub fn feature_names(&self) -> Vec<String> {
        (0..self.features.first().map_or(0, Vec::len)).map(|feature| id('x', feature)).collect()
    }

    /// The labels, row by row: unit, expert (`e1`, ...) and label (`0` or `1`).
    pub fn rows(&self) -> impl Iterator<Item = (String, String, String)> + '_ {
        self.units().zip(&self.labels).flat_map(|(unit, labels)| {
            labels.iter().enumerate().map(move |(expert, label)| (unit.clone(), id('e', expert), label.to_string()))
        })
    }

    /// The labels as a table.
    pub fn to_labels(&self) -> Result<Labels> {
        let rows: Vec<_> = self.rows().collect();
        Labels::from_rows(rows.iter().map(|(unit, expert, label)| (&unit[..], &expert[..], &label[..])))
    }

    /// The true class of each unit.
    pub fn truth(&self) -> Result<Column> {
        Column::new("label", self.units().collect(), self.truth.iter().map(u8::to_string).collect())
    }
}

/// The lower triangle whose product with its transpose is the matrix.
fn cholesky(matrix: [[f64; 5]; 5]) -> [[f64; 5]; 5] {
    let mut factor = [[0.0; 5]; 5];
    for i in 0..5 {
        for j in 0..=i {
            let rest = matrix[i][j] - (0..j).map(|k| factor[i][k] * factor[j][k]).sum::<f64>();
            factor[i][j] = if i == j { rest.sqrt() } else { rest / factor[j][j] };
        }
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_the_papers_means_and_covariances() {
        let drawn = Experts { units: 40_000, noise_features: 2, ..Default::default() }
            .draw(&Context::new().with_seed(5))
            .unwrap();
        let n = drawn.features.len() as f64;
        let mean = |f: &dyn Fn(&Vec<f64>) -> f64| drawn.features.iter().map(f).sum::<f64>() / n;
        for i in 0..5 {
            // Standard errors are at most 0.9 / 200 for a mean and 1.2 / 200 for a covariance; five of them.
            assert!((mean(&|x| x[i]) - MEANS[i]).abs() < 0.025);
            for j in 0..5 {
                assert!((mean(&|x| (x[i] - MEANS[i]) * (x[j] - MEANS[j])) - COVARIANCE[i][j]).abs() < 0.03);
            }
        }
        assert!(drawn.features.iter().all(|x| x.len() == 7));
    }

    #[test]
    fn experts_are_right_as_often_as_the_case_says() {
        for case in [ExpertCase::Constant, ExpertCase::Model, ExpertCase::Squares] {
            let drawn = Experts { units: 40_000, noise_features: 0, case }.draw(&Context::new().with_seed(9)).unwrap();
            for expert in 0..3 {
                let right = drawn.labels.iter().zip(&drawn.truth).filter(|(labels, truth)| labels[expert] == **truth);
                let found = right.count() as f64 / 40_000.0;
                let expected: f64 =
                    drawn.features.iter().map(|x| case.panel().accuracies(x)[expert]).sum::<f64>() / 40_000.0;
                // Five standard errors of a share of 40,000.
                assert!((found - expected).abs() < 0.0125, "{case:?} {expert}: {found}, {expected}");
            }
        }
    }

    #[test]
    fn the_truth_follows_the_logistic_model() {
        let drawn = Experts { units: 40_000, noise_features: 0, ..Default::default() }
            .draw(&Context::new().with_seed(13))
            .unwrap();
        // Among the units whose probability of class 1 is in a bin, the share of class 1 is that probability.
        for bin in 0..10 {
            let (low, high) = (f64::from(bin) / 10.0, f64::from(bin + 1) / 10.0);
            let probability = |x: &[f64]| logistic(INTERCEPT + WEIGHTS.iter().zip(x).map(|(w, x)| w * x).sum::<f64>());
            let inside: Vec<(f64, f64)> = drawn
                .features
                .iter()
                .zip(&drawn.truth)
                .map(|(x, &class)| (probability(x), f64::from(class)))
                .filter(|(p, _)| (low..high).contains(p))
                .collect();
            if inside.len() < 400 {
                continue;
            }
            let difference = inside.iter().map(|(p, class)| class - p).sum::<f64>() / inside.len() as f64;
            assert!(difference.abs() < 5.0 * 0.5 / (inside.len() as f64).sqrt(), "bin {bin}: {difference}");
        }
    }
}
