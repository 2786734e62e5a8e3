//! Labels as numbers: as they are, or two classes coded for discrimination.

use crate::judgments::LARGEST;
use crate::normal::cumulative;
use crate::{Column, Dictionary, Error, Result, Warning};

/// Labels as numbers.
///
/// Numbers stay as they are. Of two classes the first in sorted order becomes -n / n1 and the second n / n2, so that the
/// least-squares weights are Fisher's discriminant; [`Classes`] has the threshold between the two.
///
/// ```
/// use beanjar::{Column, Dictionary, multiselect::CodedLabels};
///
/// let objects: Dictionary = ["jar 1", "jar 2", "jar 3"].into_iter().collect();
/// let full = Column::from_rows("full", [("jar 1", "yes"), ("jar 3", "no")])?;
/// let coded = CodedLabels::of(&full, &objects)?;
/// assert_eq!((coded.values[0], coded.values[2], coded.missing), (2.0, -2.0, 1));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CodedLabels {
    /// One number for each object; NaN for an object without a label.
    pub values: Vec<f64>,
    /// The two classes, if the labels are not numbers.
    pub classes: Option<Classes>,
    /// The number of objects without a label.
    pub missing: usize,
}

impl CodedLabels {
    /// The labels of these objects. An error if no object has one, or they are neither numbers nor of two classes.
    pub fn of(labels: &Column, objects: &Dictionary) -> Result<Self> {
        let texts: Vec<&str> = labels.matched(objects, "object")?.into_iter().map(Option::unwrap_or_default).collect();
        let (values, classes) = code(&texts)?;
        Ok(CodedLabels { values, classes, missing: texts.iter().filter(|text| text.is_empty()).count() })
    }

    /// A warning if objects have no label.
    pub(super) fn warning(&self) -> Option<Warning> {
        (self.missing > 0).then_some(Warning::Unlabelled { objects: self.missing })
    }
}

/// The numbers for these texts, of which an empty one is a missing label, and the classes if there are any.
fn code(texts: &[&str]) -> Result<(Vec<f64>, Option<Classes>)> {
    let number = |text: &&str| match text.trim() {
        "" => Some(f64::NAN),
        text => text.parse().ok().filter(|number: &f64| number.is_finite()),
    };
    if let Some(values) = texts.iter().map(number).collect::<Option<Vec<f64>>>() {
        return match values.iter().any(|value| value.abs() > LARGEST) {
            true => Err(Error::OutOfScale),
            false => Ok((values, None)),
        };
    }
    let mut classes: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    classes.sort_unstable();
    let all = classes.len() as f64;
    classes.dedup();
    let [first, second] = classes[..] else {
        let not_a_number = texts.iter().find(|text| number(text).is_none()).copied().unwrap_or_default();
        return Err(Error::LabelsUnclear { classes: classes.len(), example: not_a_number.chars().take(40).collect() });
    };
    let count = |class: &str| texts.iter().filter(|text| **text == class).count() as f64;
    let (below, above) = (-all / count(first), all / count(second));
    let number = |text: &&str| match *text {
        "" => f64::NAN,
        text if text == first => below,
        _ => above,
    };
    let shares = [count(first) / all, count(second) / all];
    let classes = Classes { names: [first.to_owned(), second.to_owned()], shares };
    Ok((texts.iter().map(number).collect(), Some(classes)))
}

/// Two classes, and the threshold between them on predictions of the coded label.
///
/// If both classes are normal with one covariance and a share R^2 of the coded label's variance 1 / (p1 p2) is explained,
/// predictions have the means -R^2 / p1 and R^2 / p2 in the two classes, and the variance R^2 (1 - R^2) / (p1 p2) within
/// each. The threshold with the fewest errors is then R^2 (1/p2 - 1/p1) / 2 + (1 - R^2) ln(p1 / p2).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Classes {
    /// Their names, in sorted order.
    pub names: [String; 2],
    /// Their shares of the labelled objects.
    pub shares: [f64; 2],
}

impl Classes {
    /// The probability of the second class of an object with this prediction: with both classes normal, the log-odds rise
    /// from the threshold by 1 / (1 - R^2) for each unit of the prediction.
    pub fn probability(&self, prediction: f64, explained: f64) -> f64 {
        let left = (1.0 - explained.clamp(0.0, 1.0)).max(1e-12);
        crate::logistic::logistic((prediction - self.threshold(explained)) / left)
    }

    fn threshold(&self, explained: f64) -> f64 {
        let ([first, second], explained) = (self.shares, explained.clamp(0.0, 1.0));
        explained * (1.0 / second - 1.0 / first) / 2.0 + (1.0 - explained) * (first / second).ln()
    }

    /// The number, 0 or 1, of the class of an object with this prediction, from a predictor that explains this share of
    /// the coded label's variance.
    pub fn of(&self, prediction: f64, explained: f64) -> usize {
        usize::from(prediction > self.threshold(explained))
    }

    /// The share of objects to expect in the wrong class, of a predictor that explains this share of the variance.
    pub fn error_rate(&self, explained: f64) -> f64 {
        let [first, second] = self.shares;
        // Where next to nothing is explained, the larger class is always predicted.
        let explained = explained.clamp(1e-9, 1.0 - 1e-12);
        let apart = (explained / ((1.0 - explained) * first * second)).sqrt();
        let odds = (first / second).ln() / apart;
        first * cumulative(-apart / 2.0 - odds) + second * cumulative(-apart / 2.0 + odds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_rate_is_that_of_two_normal_classes() {
        use crate::random::stream;
        use rand_distr::{Distribution, StandardNormal};
        // Three of four objects are of class b, two deviations above class a.
        let mut random = stream(8, 8);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let texts: Vec<&str> = (0..40_000).map(|i| if i % 4 == 0 { "a" } else { "b" }).collect();
        let x: Vec<f64> = texts.iter().map(|class| normal() + if *class == "a" { 0.0 } else { 2.0 }).collect();
        let (labels, classes) = code(&texts).unwrap();
        let (weights, bias) = crate::linalg::least_squares(&x.iter().map(|x| vec![*x]).collect::<Vec<_>>(), &labels);
        let predict = |x: f64| bias + weights[0] * x;
        let n = texts.len() as f64;
        let loss = x.iter().zip(&labels).map(|(x, y)| (predict(*x) - y).powi(2)).sum::<f64>() / n;
        let variance = labels.iter().map(|y| y * y).sum::<f64>() / n;
        let classes = classes.unwrap();
        let explained = 1.0 - loss / variance;
        let is_wrong = |(x, class): &(&f64, &&str)| classes.names[classes.of(predict(**x), explained)] != **class;
        let wrong = x.iter().zip(&texts).filter(is_wrong).count() as f64 / n;
        // Five standard errors of a share of 40,000.
        assert!((wrong - classes.error_rate(explained)).abs() < 0.01, "{wrong} and {}", classes.error_rate(explained));
        // The best threshold is where the densities, weighted by shares, are equal: 1 - ln(3) / 2 above the mean of class a.
        let best = 1.0 - 3f64.ln() / 2.0;
        let by_hand = x.iter().zip(&texts).filter(|(x, class)| (**x > best) != (**class == "b")).count() as f64 / n;
        assert!((wrong - by_hand).abs() < 0.003, "{wrong} and {by_hand}");
        assert_eq!(classes.of(0.0, 0.0), 1, "nothing known: the larger class");
        // By Bayes' rule with the densities of the two normal classes.
        for at in [-1.0, 0.5, 1.0, 2.5] {
            let density = |mean: f64| (-(at - mean) * (at - mean) / 2.0f64).exp();
            let bayes = 0.75 * density(2.0) / (0.75 * density(2.0) + 0.25 * density(0.0));
            let found = classes.probability(predict(at), explained);
            assert!((found - bayes).abs() < 0.02, "{at}: {found} {bayes}");
        }
        assert!((classes.error_rate(0.0) - 0.25).abs() < 1e-6);
    }

    #[test]
    fn numbers_stay_and_two_classes_balance() {
        assert_eq!(code(&["1", "2.5"]).unwrap().0, [1.0, 2.5]);
        let (values, classes) = code(&["b", "a", "", "b", "b"]).unwrap();
        assert_eq!(classes.unwrap().names, ["a", "b"]);
        assert_eq!((values[1], values[0]), (-4.0, 4.0 / 3.0));
        assert!(values[2].is_nan());
        let sum: f64 = values.iter().filter(|value| value.is_finite()).sum();
        assert!(sum.abs() < 1e-12);
        assert!(code(&["a", "b", "c"]).is_err());
        assert!(code(&["1", "x"]).unwrap().1.is_some());
    }
}
