//! Labels as numbers: as they are, or classes coded for discrimination.

use crate::judgments::LARGEST;
use crate::{Column, Dictionary, Error, Result, Warning};

/// Labels as numbers.
///
/// Numbers stay as they are. Of two classes the first in sorted order becomes -n / n1 and the second n / n2, so that the
/// least-squares weights are Fisher's discriminant. Of more classes each has a target of its own, 1 for its objects and 0
/// for the others: least squares of each class against the rest, whose squared errors add up to Brier's score.
///
/// ```
/// use beanjar::{Column, Dictionary, multiselect::CodedLabels};
///
/// let objects: Dictionary = ["jar 1", "jar 2", "jar 3"].into_iter().collect();
/// let full = Column::from_rows("full", [("jar 1", "yes"), ("jar 3", "no")])?;
/// let coded = CodedLabels::of(&full, &objects, false)?;
/// assert_eq!((coded.values[0], coded.values[2], coded.missing), (2.0, -2.0, 1));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CodedLabels {
    /// For each object one number for each target; NaN for an object without a label.
    pub values: Vec<f64>,
    /// How many targets there are: 1, or with more than two classes one for each class.
    pub targets: usize,
    /// The classes, if the labels are not numbers.
    pub classes: Option<Classes>,
    /// The number of objects without a label.
    pub missing: usize,
}

/// Classes beyond which labels are more likely ids or free text.
const MOST_CLASSES: usize = 100;

impl CodedLabels {
    /// The labels of these objects; numbers are the names of classes if that is said. An error if no object has a label, or
    /// they are neither numbers nor classes: all one, more than 100, or with fewer than two objects for each on average.
    pub fn of(labels: &Column, objects: &Dictionary, classes: bool) -> Result<Self> {
        let texts: Vec<&str> = labels.matched(objects, "object")?.into_iter().map(Option::unwrap_or_default).collect();
        code(&texts, classes)
    }

    /// A warning if objects have no label.
    pub(super) fn warning(&self) -> Option<Warning> {
        (self.missing > 0).then_some(Warning::Unlabelled { objects: self.missing })
    }
}

/// The numbers for these texts, of which an empty one is a missing label.
fn code(texts: &[&str], as_classes: bool) -> Result<CodedLabels> {
    let missing = texts.iter().filter(|text| text.is_empty()).count();
    let number = |text: &&str| match text.trim() {
        "" => Some(f64::NAN),
        text => text.parse().ok().filter(|number: &f64| number.is_finite()),
    };
    let numbers = || texts.iter().map(number).collect::<Option<Vec<f64>>>();
    if let Some(values) = (!as_classes).then(numbers).flatten() {
        return match values.iter().any(|value| value.abs() > LARGEST) {
            true => Err(Error::OutOfScale),
            false => Ok(CodedLabels { values, targets: 1, classes: None, missing }),
        };
    }
    let mut names: Vec<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    if !are_classes(names.len(), all as u64) {
        let example = texts.iter().find(|text| number(text).is_none()).or(texts.first()).copied().unwrap_or_default();
        return Err(Error::LabelsUnclear { classes: names.len(), example: example.chars().take(40).collect() });
    }
    let share = |name: &&str| texts.iter().filter(|text| *text == name).count() as f64 / all as f64;
    let classes =
        Classes { shares: names.iter().map(share).collect(), names: names.iter().map(|&name| name.into()).collect() };
    let targets = classes.targets();
    let mut values = Vec::with_capacity(texts.len() * targets);
    for text in texts {
        match names.binary_search(text) {
            Err(_) => values.resize(values.len() + targets, f64::NAN),
            Ok(class) => values.extend(classes.code(class)),
        }
    }
    Ok(CodedLabels { values, targets, classes: Some(classes), missing })
}

/// Whether labels of objects, of which this many are different, are classes.
fn are_classes(different: usize, labels: u64) -> bool {
    (2..=MOST_CLASSES).contains(&different) && different as u64 <= (labels / 2).max(2)
}

/// The classes that a label is one of.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Classes {
    /// Their names, in sorted order.
    pub names: Vec<String>,
    /// Their shares of the labelled objects.
    pub shares: Vec<f64>,
}

impl Classes {
    /// Classes of which it is known how many objects have each. An error if these are no classes.
    pub(super) fn counted(counts: &[(String, u64)]) -> Result<Self> {
        let all: u64 = counts.iter().map(|(_, count)| count).sum();
        if !are_classes(counts.len(), all) {
            let example = counts.first().map_or("", |(name, _)| name).chars().take(40).collect();
            return Err(Error::LabelsUnclear { classes: counts.len(), example });
        }
        let mut counts = counts.to_vec();
        counts.sort_unstable();
        let shares = counts.iter().map(|(_, count)| *count as f64 / all as f64).collect();
        Ok(Classes { shares, names: counts.into_iter().map(|(name, _)| name).collect() })
    }

    /// The numbers for a class.
    pub(super) fn code(&self, class: usize) -> Vec<f64> {
        match self.targets() {
            1 => vec![[-1.0, 1.0][class] / self.shares[class]],
            targets => (0..targets).map(|target| f64::from(u8::from(target == class))).collect(),
        }
    }

    /// How many numbers a label is coded by.
    pub(super) fn targets(&self) -> usize {
        if self.names.len() == 2 { 1 } else { self.names.len() }
    }

    /// The class that a label stands for, by its numbers.
    pub(super) fn of_label(&self, label: &[f64]) -> usize {
        match label {
            [code] => usize::from(*code > 0.0),
            all => all.iter().position(|target| *target > 0.5).unwrap_or_default(),
        }
    }

    /// What scores of each class are above the mean, where scores and targets have this covariance (scores by rows).
    pub(super) fn offsets(&self, with_label: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
        let targets = self.targets();
        match self.shares[..] {
            [first, second] => vec![vec![-second * with_label(0, 0)], vec![first * with_label(0, 0)]],
            _ => {
                let of =
                    |class: usize| (0..targets).map(|score| with_label(score, class) / self.shares[class]).collect();
                (0..targets).map(of).collect()
            }
        }
    }

    /// The share of objects in the largest class: what is right when everything is put there.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.shares.iter().copied().fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_and_two_classes_balance() {
        assert_eq!(code(&["1", "2.5"], false).unwrap().values, [1.0, 2.5]);
        let CodedLabels { values, classes, .. } = code(&["b", "a", "", "b", "b"], false).unwrap();
        assert_eq!(classes.unwrap().names, ["a", "b"]);
        assert_eq!((values[1], values[0]), (-4.0, 4.0 / 3.0));
        assert!(values[2].is_nan());
        let sum: f64 = values.iter().filter(|value| value.is_finite()).sum();
        assert!(sum.abs() < 1e-12);
        assert!(code(&["1", "x"], false).unwrap().classes.is_some());
    }

    #[test]
    fn more_classes_have_a_target_each_and_numbers_may_be_names() {
        let coded = code(&["b", "a", "", "c", "b", "a"], false);
        assert!(coded.is_err(), "three classes of five objects");
        let coded = code(&["b", "a", "", "c", "b", "a", "c"], false).unwrap();
        assert_eq!((coded.targets, coded.missing), (3, 1));
        assert_eq!(
            (&coded.values[..6], &coded.values[9..12]),
            (&[0.0, 1.0, 0.0, 1.0, 0.0, 0.0][..], &[0.0, 0.0, 1.0][..])
        );
        assert!(coded.values[6..9].iter().all(|value| value.is_nan()));
        let classes = coded.classes.unwrap();
        assert_eq!((classes.of_label(&coded.values[9..12]), classes.shares[0]), (2, 1.0 / 3.0));
        let named = code(&["0", "1", "1", "0"], true).unwrap();
        assert_eq!(
            (named.classes.unwrap().names, named.values),
            (vec!["0".into(), "1".into()], vec![-2.0, 2.0, 2.0, -2.0])
        );
        assert!(code(&["7", "7", "7"], true).is_err());
    }
}
