//! Fleiss' kappa.

use super::patterns::Patterns;

/// Fleiss' kappa, (P - P_e) / (1 - P_e): P is the share of agreeing pairs of votes within tasks, P_e that of two
/// votes drawn from all. None unless every task has the same number of votes, two or more, and two classes occur.
///
/// Fleiss, Measuring nominal scale agreement among many raters, Psychological Bulletin 1971.
pub(super) fn fleiss(patterns: &Patterns, classes: usize) -> Option<f64> {
    let size = patterns.size((patterns.len() > 0).then_some(0)?);
    if size < 2 || (0..patterns.len()).any(|pattern| patterns.size(pattern) != size) {
        return None;
    }
    let mut totals = vec![0.0; classes];
    let mut agreeing = 0.0;
    for (pattern, &tasks) in patterns.tasks().iter().enumerate() {
        for (class, votes) in patterns.votes(pattern) {
            totals[class] += tasks as f64 * votes;
            agreeing += tasks as f64 * votes * (votes - 1.0);
        }
    }
    let votes: f64 = totals.iter().sum();
    let observed = agreeing / (votes * (size as f64 - 1.0));
    let by_chance: f64 = totals.iter().map(|total| (total / votes).powi(2)).sum();
    (by_chance < 1.0).then(|| (observed - by_chance) / (1.0 - by_chance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::sum_over;
    use crate::{Context, Labels};

    fn kappa(votes: &[&[u32]]) -> Option<f64> {
        let rows: Vec<(String, String)> = votes
            .iter()
            .enumerate()
            .flat_map(|(task, counts)| {
                counts
                    .iter()
                    .enumerate()
                    .flat_map(move |(class, &count)| (0..count).map(move |_| (format!("t{task}"), format!("{class}"))))
            })
            .collect();
        let labels = Labels::from_rows(rows.iter().map(|(task, label)| (&task[..], "w", &label[..]))).unwrap();
        fleiss(&sum_over(&labels, &Context::new(), || Patterns::new(labels.classes.len())), labels.classes.len())
    }

    #[test]
    fn matches_a_hand_computed_table() {
        // Three tasks, four votes: P = (1 + 1/3 + 1/2)/3 = 11/18; class shares 7/12 and 5/12, P_e = 74/144.
        let found = kappa(&[&[4, 0], &[2, 2], &[1, 3]]).unwrap();
        let (observed, by_chance) = (11.0 / 18.0, 74.0 / 144.0);
        assert!((found - (observed - by_chance) / (1.0 - by_chance)).abs() < 1e-12);
    }

    #[test]
    fn needs_equal_numbers_of_votes() {
        assert_eq!(kappa(&[&[2, 1], &[1, 1]]), None);
        assert_eq!(kappa(&[&[1, 0], &[0, 1]]), None);
        assert_eq!(kappa(&[&[3], &[3]]), None);
        assert_eq!(kappa(&[]), None);
    }
}
