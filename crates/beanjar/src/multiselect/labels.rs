//! Labels as numbers: as they are, or two classes coded for discrimination.

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

#[cfg(test)]
mod tests {
    use super::*;

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
