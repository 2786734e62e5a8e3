//! An attribute of the judgments as the label, and labels that were made of one.

use super::attribute_names::find;
use super::other_judges::is_paired;
use crate::judgments::ANONYMOUS;
use crate::{Column, Error, Judgments, Result};

/// The means of an attribute's judgments as the label to predict.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AttributeLabel {
    /// The mean of each object that has judgments of the attribute. Objects on which one worker alone judged it and
    /// something else have none: what that worker adds to both cannot be distinguished from the truth.
    pub column: Column,
    /// Whether the means can be paired with what others judged; they cannot where nobody knows who judged.
    pub paired: bool,
    /// The variance of the error of these means: what no prediction of the true values can be blamed for. It is the noise
    /// of one judgment times the mean of one over the number of judgments.
    pub noise: f64,
}

impl AttributeLabel {
    /// The means of an attribute. An error if there is no such attribute, or no object has two judgments of it.
    pub fn of(judgments: &Judgments, attribute: &str) -> Result<Self> {
        let wanted = find(&judgments.attributes, attribute)?;
        let run = |object: usize| judgments.of(object).by_attribute().find(|run| run.0 == wanted);
        let judged: Vec<usize> = (0..judgments.objects.len()).filter(|&object| run(object).is_some()).collect();
        let mut usable: Vec<usize> =
            judged.iter().copied().filter(|&object| is_paired(judgments.of(object), wanted)).collect();
        let known = |&object: &usize| run(object).is_some_and(|run| run.1.iter().any(|worker| *worker != ANONYMOUS));
        let paired = usable.iter().any(known);
        if usable.is_empty() {
            // One worker judged each object: there is nobody to pair them with.
            usable = judged;
        }
        let (mut variances, mut twice, mut inverse) = (0.0, 0.0, 0.0);
        let mut values = vec![String::new(); judgments.objects.len()];
        for &object in &usable {
            let Some((_, _, of)) = run(object) else { continue };
            let n = of.len() as f64;
            let mean = of.iter().sum::<f64>() / n;
            values[object] = mean.to_string();
            inverse += 1.0 / n;
            if of.len() >= 2 {
                variances += of.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
                twice += 1.0;
            }
        }
        if twice == 0.0 {
            return Err(Error::NoNoise);
        }
        let column = Column::new(attribute, judgments.objects.clone(), values)?;
        Ok(AttributeLabel { column, paired, noise: variances / twice * inverse / usable.len() as f64 })
    }
}

/// The attributes that a label was averaged from: those whose means are the label, but for a hundredth of its deviation, on
/// nineteen of twenty labelled objects. Predicting it from them would predict it from itself.
pub(super) fn averaged_from(judgments: &Judgments, labels: &[f64]) -> Vec<usize> {
    let known: Vec<f64> = labels.iter().copied().filter(|label| label.is_finite()).collect();
    let n = known.len() as f64;
    let mean = known.iter().sum::<f64>() / n.max(1.0);
    let deviation = (known.iter().map(|label| (label - mean).powi(2)).sum::<f64>() / n.max(1.0)).sqrt();
    if known.len() < 3 || deviation.is_nan() || deviation <= 0.0 {
        return Vec::new();
    }
    let mut alike = vec![0.0; judgments.attributes.len()];
    for (object, label) in labels.iter().enumerate().filter(|(_, label)| label.is_finite()) {
        for (attribute, _, values) in judgments.of(object).by_attribute() {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            alike[attribute] += f64::from(u8::from((mean - label).abs() <= 0.01 * deviation));
        }
    }
    (0..alike.len()).filter(|&attribute| alike[attribute] >= 0.95 * n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_their_noise_by_hand() {
        let rows = [
            ("1", "a", "", 1.0),
            ("1", "a", "", 3.0),
            ("2", "a", "", 5.0),
            ("3", "b", "", 1.0),
            ("4", "a", "", 2.0),
            ("4", "a", "", 6.0),
        ];
        let judgments = Judgments::from_rows(rows).unwrap();
        let found = AttributeLabel::of(&judgments, "a").unwrap();
        assert_eq!(found.column.values(), ["2", "5", "", "4"]);
        // Variances 2 and 8; one over the numbers of judgments: 1/2, 1, 1/2.
        assert!((found.noise - 5.0 * (2.0 / 3.0)).abs() < 1e-12);
        assert!(AttributeLabel::of(&judgments, "b").is_err() && AttributeLabel::of(&judgments, "c").is_err());
        assert!(!found.paired);
    }

    #[test]
    fn objects_that_one_worker_alone_judged_have_no_label_unless_all_are_such() {
        let of = |object: &'static str, worker: &'static str, x: f64| {
            [(object, "y", worker, x), (object, "a", worker, 1.0 - x)]
        };
        let mut rows = [of("1", "ann", 1.0), of("1", "ann", 3.0), of("2", "bob", 4.0), of("2", "bob", 5.0)].concat();
        let values = |rows: &[(&'static str, &'static str, &'static str, f64)]| {
            let found = AttributeLabel::of(&Judgments::from_rows(rows.iter().copied()).unwrap(), "y").unwrap();
            (found.column.values().to_vec(), found.paired)
        };
        assert_eq!(values(&rows), (vec!["2".to_owned(), "4.5".to_owned()], false));
        rows.extend(of("1", "bob", 5.0));
        assert_eq!(values(&rows), (vec!["3".to_owned(), String::new()], true));
    }

    #[test]
    fn a_label_made_of_an_attribute_is_found() {
        let ids: Vec<String> = (0..40).map(|i| format!("o{i}")).collect();
        let value = |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64;
        let rows = ids.iter().enumerate().flat_map(|(i, id)| {
            (0..2).flat_map(move |j| [(&id[..], "a", "", value(i, j)), (&id[..], "b", "", value(j, i + 1))])
        });
        let judgments = Judgments::from_rows(rows).unwrap();
        let mean = |i: usize| (value(i, 0) + value(i, 1)) / 2.0;
        let rounded: Vec<f64> = (0..40).map(|i| (mean(i) * 100.0).round() / 100.0).collect();
        assert_eq!(averaged_from(&judgments, &rounded), [0]);
        let other: Vec<f64> = (0..40).map(|i| mean(i) + (i % 2) as f64).collect();
        assert!(averaged_from(&judgments, &other).is_empty());
        assert!(averaged_from(&judgments, &[f64::NAN; 40]).is_empty());
    }
}
