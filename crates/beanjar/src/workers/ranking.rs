use super::Information;

/// Workers from the most to the least informative.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking {
    /// The workers, best first.
    pub order: Vec<usize>,
    /// Each worker's score.
    pub scores: Vec<f64>,
}

impl Ranking {
    /// Ranks by score (heuristic b of the paper). Of equals (to seven digits, for sums in another order differ by rounding)
    /// the one with more labels comes first; then ids decide, not the order of rows.
    #[must_use]
    pub fn new(information: &Information) -> Self {
        let scores = information.scores();
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&i, &j| {
            let labels = information.labelled(j).cmp(&information.labelled(i));
            let score = (scores[j] as f32).total_cmp(&(scores[i] as f32));
            score.then(labels).then(information.key(i).cmp(&information.key(j)))
        });
        Ranking { order, scores }
    }

    /// The scores, best first.
    #[must_use]
    pub fn curve(&self) -> Vec<f64> {
        self.order.iter().map(|&worker| self.scores[worker]).collect()
    }

    /// Whether each worker is among the first `keep`.
    #[must_use]
    pub fn top(&self, keep: usize) -> Vec<bool> {
        let mut kept = vec![false; self.order.len()];
        self.order.iter().take(keep).for_each(|&worker| kept[worker] = true);
        kept
    }
}

/// The elbow of a falling curve: how many of its points come before its flat tail.
///
/// The point farthest below the straight line from the first point to the last, as scree plots are cut.
#[must_use]
pub fn elbow(curve: &[f64]) -> usize {
    let (Some(first), Some(last)) = (curve.first(), curve.last()) else { return 0 };
    let steps = (curve.len() - 1).max(1) as f64;
    let below = |i: usize| first + (last - first) * i as f64 / steps - curve[i];
    let deepest = (0..curve.len()).fold(0, |deepest, i| if below(i) > below(deepest) { i } else { deepest });
    // The elbow itself is the first point of the tail; a curve without one keeps all.
    if deepest == 0 { curve.len() } else { deepest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::judgments::Ballots;
    use crate::simulate::Crowd;
    use crate::workers::Missing;

    #[test]
    fn good_workers_come_before_spammers() {
        let crowd = Crowd {
            tasks: 400,
            workers: 20,
            classes: 3,
            votes: (8, 8),
            accuracy: 0.8,
            spammers: 0.5,
            ..Crowd::default()
        };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(4)).unwrap().labels, 20, 3).unwrap();
        for missing in [Missing::Paper, Missing::Pair] {
            let ranking = Ranking::new(&Information::new(&ballots, missing, &Context::new()).unwrap());
            let mut first: Vec<usize> = ranking.order[..10].to_vec();
            first.sort_unstable();
            assert_eq!(first, (0..10).collect::<Vec<_>>(), "{missing:?}");
            assert_eq!(ranking.top(3).iter().filter(|kept| **kept).count(), 3);
        }
    }

    #[test]
    fn the_elbow_is_where_the_flat_tail_begins() {
        assert_eq!(elbow(&[10.0, 9.0, 8.0, 1.0, 0.9, 0.8, 0.7, 0.6]), 3);
        assert_eq!(elbow(&[5.0, 1.0, 1.0]), 1);
        assert_eq!(elbow(&[3.0, 2.0, 1.0]), 3);
        assert_eq!((elbow(&[]), elbow(&[1.0])), (0, 1));
    }
}
