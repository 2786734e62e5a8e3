//! Fewer votes than there are, to see what they would have been worth.

use crate::judgments::{Ballots, for_each_opinion};

/// The votes of each task in a random order. The votes of one worker on one task are one opinion and stay together.
///
/// The order depends on the seed and on the ids of task and worker, so that k votes are among any k + 1.
pub(super) struct Thinned<'a> {
    ballots: &'a Ballots,
    /// The place of each vote's opinion among those of its task.
    place: Vec<u32>,
}

impl<'a> Thinned<'a> {
    pub(super) fn new(ballots: &'a Ballots, seed: u64) -> Self {
        let mut place = vec![0; ballots.len()];
        for_each_opinion(ballots, seed, |_, at, vote| place[vote] = at as u32);
        Thinned { ballots, place }
    }

    /// At most `votes` opinions of each task.
    pub(super) fn first(&self, votes: usize) -> Ballots {
        self.between(0, votes)
    }

    /// As many opinions again, none of them among the first.
    pub(super) fn second(&self, votes: usize) -> Ballots {
        self.between(votes, 2 * votes)
    }

    fn between(&self, from: usize, to: usize) -> Ballots {
        self.ballots.filtered(|vote, _| (from..to).contains(&(self.place[vote] as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::averaged;

    #[test]
    fn panels_are_nested_disjoint_and_keep_opinions_whole() {
        let task: Vec<(usize, usize)> = (0..9).map(|i| (i % 7, i % 3)).collect();
        let ballots = Ballots::from_tasks(&vec![task; 40], 7, 3).unwrap();
        let ballots = averaged(&ballots).unwrap();
        let thinned = Thinned::new(&ballots, 3);
        assert_eq!(ballots.opinions(), [7; 40]);
        let mut seen_first = [0; 7];
        for task in 0..40 {
            let workers = |ballots: &Ballots| {
                let mut workers = ballots.votes(task).workers.to_vec();
                workers.dedup();
                workers.sort_unstable();
                workers.dedup();
                workers
            };
            let (three, four, second) = (thinned.first(3), thinned.first(4), thinned.second(3));
            let (three, four, second) = (workers(&three), workers(&four), workers(&second));
            assert_eq!((three.len(), four.len(), second.len()), (3, 4, 3));
            assert!(three.iter().all(|worker| four.contains(worker) && !second.contains(worker)));
            three.iter().for_each(|&worker| seen_first[worker as usize] += 1);
            // Worker 0 gave two labels, 1 too: where they are in, both are.
            assert!((thinned.first(3).votes(task).opinions() - 3.0).abs() < 1e-12);
        }
        // 120 places for 7 workers: about 17 each.
        assert!(seen_first.iter().all(|&n| (5..=30).contains(&n)), "{seen_first:?}");
        assert_eq!(thinned.first(100), ballots);
        assert!(thinned.first(0).is_empty());
    }
}
