//! A label that is the mean of an attribute's judgments, paired with what others judged.

use crate::judgments::{ANONYMOUS, ObjectJudgments};
use std::collections::HashMap;

/// The judgments that an object's label is the mean of, by worker.
///
/// Who rates one attribute of an object too high rates others of it so too. Products of judgments of one worker would have
/// that in them, as if the attributes themselves went together; products of different workers' judgments have not.
pub(super) struct LabelJudges {
    /// Of each worker, the sum of their judgments less the centre of the labels, and how many they are.
    of: HashMap<u32, (f64, f64)>,
    sum: f64,
    count: f64,
}

impl LabelJudges {
    /// Of an object's judgments of an attribute, where `label` is their mean less the centre of all labels. None if workers
    /// are not known.
    pub(super) fn of(object: ObjectJudgments<'_>, attribute: usize, label: f64) -> Option<Self> {
        let (_, workers, values) = object.by_attribute().find(|run| run.0 == attribute)?;
        if workers.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let centre = values.iter().sum::<f64>() / n - label;
        let mut of: HashMap<u32, (f64, f64)> = HashMap::new();
        for (worker, value) in workers.iter().zip(values).filter(|(worker, _)| **worker != ANONYMOUS) {
            let sums = of.entry(*worker).or_default();
            *sums = (sums.0 + value - centre, sums.1 + 1.0);
        }
        Some(LabelJudges { of, sum: label * n, count: n })
    }

    /// The mean product of a judgment of the label and one of another attribute, less its shift, over pairs of different
    /// workers. None if there is no such pair.
    pub(super) fn product(&self, workers: &[u32], values: &[f64], shift: f64) -> Option<f64> {
        let (mut same, mut pairs) = (0.0, self.count * values.len() as f64);
        for (worker, value) in workers.iter().zip(values) {
            if let Some((sum, count)) = self.of.get(worker) {
                same += sum * (value - shift);
                pairs -= count;
            }
        }
        let all = self.sum * values.iter().map(|value| value - shift).sum::<f64>();
        (pairs > 0.0).then(|| (all - same) / pairs)
    }
}

/// Whether an object's label can be paired with others' judgments: of no attribute is the only judge the label's only one.
pub(super) fn is_paired(object: ObjectJudgments<'_>, attribute: usize) -> bool {
    let Some(judges) = LabelJudges::of(object, attribute, 0.0) else { return true };
    object.by_attribute().all(|(of, workers, values)| of == attribute || judges.product(workers, values, 0.0).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Judgments;

    #[test]
    fn products_are_of_different_workers() {
        let rows = [
            ("1", "label", "ann", 3.0),
            ("1", "label", "bob", 5.0),
            ("1", "a", "ann", 10.0),
            ("1", "a", "bob", 20.0),
            ("1", "a", "eve", 40.0),
            ("2", "label", "ann", 1.0),
            ("2", "a", "ann", 1.0),
            ("3", "label", "ann", 1.0),
            ("3", "a", "bob", 1.0),
            ("4", "label", "", 1.0),
            ("4", "a", "", 1.0),
        ];
        let judgments = Judgments::from_rows(rows).unwrap();
        let object = judgments.of(0);
        let (_, workers, values) = object.by_attribute().find(|run| run.0 == 1).unwrap();
        // The centre of labels is 2: judgments of the label are 1 and 3, those of a less 10 are 0, 10 and 30.
        let found = LabelJudges::of(object, 0, 2.0).unwrap().product(workers, values, 10.0).unwrap();
        let by_hand = (1.0 * 10.0 + 1.0 * 30.0 + 3.0 * 0.0 + 3.0 * 30.0) / 4.0;
        assert!((found - by_hand).abs() < 1e-12, "{found} and {by_hand}");
        // One worker alone cannot be paired; an unknown one is taken for another.
        assert_eq!([0, 1, 2, 3].map(|object| is_paired(judgments.of(object), 0)), [true, false, true, true]);
        let nameless = Judgments::from_rows([("1", "label", "", 1.0), ("1", "a", "", 2.0)]).unwrap();
        assert!(is_paired(nameless.of(0), 0));
    }
}
