use super::Features;
use super::linear::{Linear, rows_of};
use crate::likeliest::likeliest;
use crate::{Error, Result};

/// P(class c | x) in proportion to exp(intercept_c + x b_c), for features x on the user's scale.
///
/// Two classes have one row, of the second class, the first's being zero; more classes have a row each.
///
/// ```
/// use beanjar::experts::{Classifier, Features};
///
/// let classifier = Classifier::new(2, vec![-1.0], vec![0.5])?;
/// let probabilities = classifier.probabilities(&Features::from_columns(2, &[vec![2.0, 4.0]])?)?;
/// assert_eq!(probabilities[..2], [0.5, 0.5]);
/// assert!(probabilities[3] > 0.7);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "StoredClassifier", try_from = "StoredClassifier"))]
pub struct Classifier {
    linear: Linear,
}

/// A classifier as it is written to a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredClassifier {
    classes: usize,
    intercepts: Vec<f64>,
    coefficients: Vec<f64>,
}

#[cfg(feature = "serde")]
impl From<Classifier> for StoredClassifier {
    fn from(Classifier { linear: Linear { classes, intercepts, coefficients } }: Classifier) -> Self {
        StoredClassifier { classes, intercepts, coefficients }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredClassifier> for Classifier {
    type Error = Error;

    fn try_from(stored: StoredClassifier) -> Result<Self> {
        Classifier::new(stored.classes, stored.intercepts, stored.coefficients)
    }
}

impl Classifier {
    /// From an intercept for each row, and row after row a coefficient for each feature.
    pub fn new(classes: usize, intercepts: Vec<f64>, coefficients: Vec<f64>) -> Result<Self> {
        let rows = rows_of(classes);
        let even = classes > 1 && intercepts.len() == rows && coefficients.len().is_multiple_of(rows);
        match even && intercepts.iter().chain(&coefficients).all(|value| value.is_finite()) {
            true => Ok(Classifier { linear: Linear { classes, intercepts, coefficients } }),
            false => Err(Error::NotAModel),
        }
    }

    /// From numbers that are known to fit together.
    pub(super) fn of(linear: Linear) -> Self {
        Classifier { linear }
    }

    /// The same, with the logarithms of odds divided by a temperature: less sure above 1, surer below.
    pub(super) fn at_temperature(&self, temperature: f64) -> Self {
        let mut linear = self.linear.clone();
        linear.intercepts.iter_mut().chain(&mut linear.coefficients).for_each(|value| *value /= temperature);
        Classifier { linear }
    }

    /// How many classes there are.
    #[must_use]
    pub fn classes(&self) -> usize {
        self.linear.classes
    }

    /// How many rows of coefficients: one for two classes, else one for each class.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.linear.rows()
    }

    /// How many features it needs.
    #[must_use]
    pub fn features(&self) -> usize {
        self.linear.coefficients.len() / self.rows()
    }

    /// The intercept of each row.
    #[must_use]
    pub fn intercepts(&self) -> &[f64] {
        &self.linear.intercepts
    }

    /// Row after row, a coefficient for each feature.
    #[must_use]
    pub fn coefficients(&self) -> &[f64] {
        &self.linear.coefficients
    }

    /// A feature's coefficient in each row.
    pub fn coefficients_of(&self, feature: usize) -> impl Iterator<Item = f64> + '_ {
        self.linear.coefficients.iter().copied().skip(feature).step_by(self.features().max(1))
    }

    /// How many features have a coefficient that is not zero.
    #[must_use]
    pub fn features_used(&self) -> usize {
        self.linear.features_used()
    }

    /// The probability of each class for each unit, unit by unit.
    pub fn probabilities(&self, features: &Features) -> Result<Vec<f64>> {
        Ok(self.linear.probabilities_of(&self.sums(features)?))
    }

    /// Of each unit the class with the largest probability; of equals the first.
    pub fn predict(&self, features: &Features) -> Result<Vec<usize>> {
        Ok(self.probabilities(features)?.chunks_exact(self.classes()).map(likeliest).collect())
    }

    /// Intercept and x b of each unit and row, unit by unit.
    pub(super) fn sums(&self, features: &Features) -> Result<Vec<f64>> {
        check_features(features, self.features())?;
        Ok(self.linear.sums_by(features.units(), |slopes| features.sums(slopes)))
    }

    pub(super) fn linear(&self) -> &Linear {
        &self.linear
    }
}

pub(super) fn check_features(features: &Features, needed: usize) -> Result<()> {
    match features.len() == needed {
        true => Ok(()),
        false => Err(Error::OutOfRange {
            name: "the number of features",
            value: features.len().to_string(),
            range: "that of the features the model was learned from",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_do_not_fit_together_are_refused() {
        assert!(
            Classifier::new(2, vec![0.0], vec![]).is_ok() && Classifier::new(3, vec![0.0; 3], vec![1.0; 6]).is_ok()
        );
        for (classes, intercepts, coefficients) in [
            (0, vec![], vec![]),
            (1, vec![0.0], vec![]),
            (2, vec![0.0; 2], vec![0.0; 2]),
            (3, vec![0.0; 3], vec![0.0; 4]),
            (2, vec![f64::NAN], vec![]),
        ] {
            assert_eq!(Classifier::new(classes, intercepts, coefficients), Err(Error::NotAModel));
        }
    }

    #[test]
    fn probabilities_are_those_of_the_formula() {
        let features = Features::from_columns(2, &[vec![1.0, -2.0], vec![0.0, 3.0]]).unwrap();
        let classifier = Classifier::new(3, vec![0.1, -0.2, 0.3], vec![1.0, 0.5, 0.0, -1.0, -0.4, 0.2]).unwrap();
        let found = classifier.probabilities(&features).unwrap();
        for (unit, x) in [[1.0, 0.0], [-2.0, 3.0]].iter().enumerate() {
            let weight = |c: usize| {
                let b = &classifier.coefficients()[2 * c..2 * c + 2];
                (classifier.intercepts()[c] + b[0] * x[0] + b[1] * x[1]).exp()
            };
            let total: f64 = (0..3).map(weight).sum();
            assert!((0..3).all(|c| (found[unit * 3 + c] - weight(c) / total).abs() < 1e-12));
        }
        assert_eq!(classifier.predict(&features).unwrap(), [0, 2]);
        assert_eq!(classifier.coefficients_of(1).collect::<Vec<_>>(), [0.5, -1.0, 0.2]);
        assert!(classifier.probabilities(&Features::from_columns(2, &[]).unwrap()).is_err());
    }
}
