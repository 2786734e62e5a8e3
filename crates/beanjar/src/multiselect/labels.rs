//! Labels as numbers: as they are, or two classes coded for discrimination.

use crate::normal::cumulative;
use crate::{Error, Result};

/// Labels as numbers, not finite where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct CodedLabels {
    /// One per object.
    pub values: Vec<f64>,
    /// The two classes, if the labels were no numbers: below zero and above.
    pub classes: Option<[String; 2]>,
}

/// Codes texts, empty where there is no label: numbers as they are; of two classes the first in sorted order as -n / n1
/// and the second as n / n2, so that the least-squares rule 'above zero' is Fisher's discriminant.
pub fn code_labels(texts: &[&str]) -> Result<CodedLabels> {
    let number = |text: &&str| match text.trim() {
        "" => Some(f64::NAN),
        text => text.parse().ok().filter(|number: &f64| number.is_finite()),
    };
    if let Some(values) = texts.iter().map(number).collect() {
        return Ok(CodedLabels { values, classes: None });
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
    let code = |text: &&str| match *text {
        "" => f64::NAN,
        text if text == first => below,
        _ => above,
    };
    Ok(CodedLabels { values: texts.iter().map(code).collect(), classes: Some([first.to_owned(), second.to_owned()]) })
}

impl CodedLabels {
    /// Of two classes, the share of objects to expect in the wrong one when the rule leaves `loss` of the coded label's
    /// `variance` unexplained, if both classes are normal with one covariance: with R^2 = 1 - loss / variance and shares
    /// p1, p2 the class means are delta = sqrt(R^2 / ((1 - R^2) p1 p2)) deviations apart, and the rule cuts where the
    /// mean of all objects is. None if the labels are numbers.
    pub fn expected_error_rate(&self, loss: f64, variance: f64) -> Option<f64> {
        self.classes.as_ref()?;
        let known = self.values.iter().filter(|value| value.is_finite());
        let (below, all) =
            known.fold((0.0, 0.0), |(below, all), value| (below + f64::from(u8::from(*value < 0.0)), all + 1.0));
        let (first, second) = (below / all, 1.0 - below / all);
        let unexplained = (loss / variance).clamp(1e-12, 1.0);
        let delta = ((1.0 - unexplained) / (unexplained * first * second)).sqrt();
        Some(first * cumulative(-delta * second) + second * cumulative(-delta * first))
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
        let coded = code_labels(&texts).unwrap();
        let (weights, bias) =
            crate::linalg::least_squares(&x.iter().map(|x| vec![*x]).collect::<Vec<_>>(), &coded.values);
        let predict = |x: f64| bias + weights[0] * x;
        let n = texts.len() as f64;
        let loss = x.iter().zip(&coded.values).map(|(x, y)| (predict(*x) - y).powi(2)).sum::<f64>() / n;
        let variance = coded.values.iter().map(|y| y * y).sum::<f64>() / n;
        let wrong = x.iter().zip(&coded.values).filter(|(x, y)| (predict(**x) > 0.0) != (**y > 0.0)).count() as f64 / n;
        let expected = coded.expected_error_rate(loss, variance).unwrap();
        // Five standard errors of a share of 40,000.
        assert!((wrong - expected).abs() < 0.01, "{wrong} and {expected}");
        assert_eq!(code_labels(&["1", "2"]).unwrap().expected_error_rate(1.0, 2.0), None);
    }

    #[test]
    fn numbers_stay_and_two_classes_balance() {
        assert_eq!(code_labels(&["1", "2.5"]).unwrap().values, [1.0, 2.5]);
        let coded = code_labels(&["b", "a", "", "b", "b"]).unwrap();
        assert_eq!(coded.classes, Some(["a".to_owned(), "b".to_owned()]));
        assert_eq!((coded.values[1], coded.values[0]), (-4.0, 4.0 / 3.0));
        assert!(coded.values[2].is_nan());
        let sum: f64 = coded.values.iter().filter(|value| value.is_finite()).sum();
        assert!(sum.abs() < 1e-12);
        assert!(code_labels(&["a", "b", "c"]).is_err());
        assert!(code_labels(&["1", "x"]).unwrap().classes.is_some());
    }
}
