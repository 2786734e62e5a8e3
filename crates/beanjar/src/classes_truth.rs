use crate::truth::{BINS, bin_of};
use std::collections::BTreeMap;

/// Of each true class and each label, how many objects.
pub type ConfusionCounts = BTreeMap<String, BTreeMap<String, usize>>;

/// How good predicted classes and their probabilities are, where the truth is known.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClassesTruth {
    /// How many units have a known class.
    pub tasks: usize,
    /// The share whose label is right.
    pub accuracy: f64,
    /// The expected calibration error: how far probability is from accuracy, on average over ten bins.
    pub ece: f64,
    /// The mean of -ln of the probability of the true class, none of which counts as less than 1e-15.
    pub log_loss: f64,
    /// Of each true class and each label, how many units.
    pub confusion: ConfusionCounts,
}

/// A predicted class beside the true one.
pub(crate) struct PredictedClass<'a> {
    pub(crate) truth: &'a str,
    pub(crate) label: &'a str,
    /// The probability of the label.
    pub(crate) probability: f64,
    /// The probability of the true class.
    pub(crate) of_truth: f64,
}

impl ClassesTruth {
    pub(crate) fn of<'a>(predicted: impl Iterator<Item = PredictedClass<'a>>) -> Self {
        let mut bins = [(0.0, 0.0); BINS];
        let (mut tasks, mut right, mut loss, mut pairs) = (0usize, 0.0, 0.0, Vec::new());
        for PredictedClass { truth, label, probability, of_truth } in predicted {
            let hit = f64::from(u8::from(label == truth));
            let bin = bin_of(probability);
            (bins[bin].0, bins[bin].1) = (bins[bin].0 + probability, bins[bin].1 + hit);
            loss -= of_truth.max(1e-15).ln();
            right += hit;
            tasks += 1;
            pairs.push((truth, label));
        }
        let n = (tasks as f64).max(1.0);
        let ece = bins.iter().map(|(probability, hits)| (probability - hits).abs()).sum::<f64>() / n;
        let confusion = confusion_counts(pairs.into_iter());
        ClassesTruth { tasks, accuracy: right / n, ece, log_loss: loss / n, confusion }
    }
}

/// Counts pairs of a true class and a label.
pub(crate) fn confusion_counts<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> ConfusionCounts {
    let mut counts = ConfusionCounts::new();
    for (class, label) in pairs {
        *counts.entry(class.to_owned()).or_default().entry(label.to_owned()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_losses_and_counts_by_hand() {
        let row = |truth, label, probability, of_truth| PredictedClass { truth, label, probability, of_truth };
        let found =
            ClassesTruth::of([row("a", "a", 0.9, 0.9), row("b", "a", 0.7, 0.3), row("b", "b", 0.75, 0.75)].into_iter());
        assert_eq!((found.tasks, found.accuracy), (3, 2.0 / 3.0));
        // Bins: 0.9 with a hit, and 0.7 and 0.75 with one hit.
        assert!((found.ece - (0.1 + 0.45) / 3.0).abs() < 1e-12);
        assert!((found.log_loss + (0.9f64 * 0.3 * 0.75).ln() / 3.0).abs() < 1e-12);
        assert_eq!((found.confusion["b"]["a"], found.confusion["b"]["b"], found.confusion["a"]["a"]), (1, 1, 1));
        assert_eq!(ClassesTruth::of(std::iter::empty()).tasks, 0);
    }
}
