use super::super::Posterior;
use crate::judgments::Ballots;

/// Where EM begins with several kinds: the shares of the votes, each task dealt to kinds by the share of its top vote,
/// from the clearest tasks to the most disputed.
///
/// Tasks are ranked by that share, equals at their mean rank. Kind a stands at the middle of its part of the ranks, and a
/// task belongs to the two kinds it lies between in proportion to how near they are.
pub(super) fn by_agreement(ballots: &Ballots, kinds: usize) -> Posterior {
    let classes = ballots.classes();
    let mut start = Posterior::equal(ballots.tasks(), classes * kinds);
    let mut top = vec![0.0; ballots.tasks()];
    for task in 0..ballots.tasks() {
        let votes = ballots.votes(task);
        if votes.labels.is_empty() {
            continue;
        }
        let share = 1.0 / votes.opinions();
        start.set(task, |row| {
            let row = &mut row[..classes];
            row.fill(0.0);
            votes.weighted().for_each(|(_, label, weight)| row[label] += weight * share);
            top[task] = row.iter().fold(0.0, |most: f64, &share| most.max(share));
        });
    }
    let with_votes: Vec<usize> = (0..ballots.tasks()).filter(|&task| top[task] > 0.0).collect();
    let ranks = ranks(&with_votes, &top);
    for (&task, rank) in with_votes.iter().zip(ranks) {
        start.set(task, |row| {
            let shares = row[..classes].to_vec();
            for (kind, cells) in row.chunks_exact_mut(classes).enumerate() {
                let weight = nearness(rank, kind, kinds);
                cells.iter_mut().zip(&shares).for_each(|(cell, share)| *cell = weight * share);
            }
        });
    }
    start
}

/// The rank of each task from 0 (clearest) to 1, equals at their mean.
fn ranks(tasks: &[usize], top: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..tasks.len()).collect();
    let share = |at: usize| top[tasks[at]];
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    let mut ranks = vec![0.0; tasks.len()];
    let mut first = 0;
    // Shares such as 2/3 may differ by rounding with the order of a task's votes.
    for equals in order.chunk_by(|&a, &b| share(a) - share(b) < 1e-9) {
        let mean = first as f64 + (equals.len() as f64 + 1.0) / 2.0;
        equals.iter().for_each(|&at| ranks[at] = mean / tasks.len() as f64);
        first += equals.len();
    }
    ranks
}

/// How much a task of this rank belongs to a kind; the weights of all kinds sum to one.
fn nearness(rank: f64, kind: usize, kinds: usize) -> f64 {
    let at = rank * kinds as f64 - 0.5;
    let at = at.clamp(0.0, kinds as f64 - 1.0);
    (1.0 - (at - kind as f64).abs()).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_tasks_are_of_the_first_kind_and_disputed_ones_of_the_last() {
        let clear = vec![(0, 0), (1, 0), (2, 0), (3, 0)];
        let disputed = vec![(0, 1), (1, 0), (2, 1), (3, 0)];
        let tasks = [vec![clear; 5], vec![disputed; 5], vec![vec![]]].concat();
        let ballots = Ballots::from_tasks(&tasks, 4, 2).unwrap();
        let start = by_agreement(&ballots, 2);
        // The clear ones have the mean rank 0.3, a tenth of the way from the first kind at 0.25 to the second at 0.75.
        let (first, last) = (start.of(0), start.of(9));
        assert!((first[0] - 0.9).abs() < 1e-12 && (first[2] - 0.1).abs() < 1e-12, "{first:?}");
        assert!((last[2] - 0.5).abs() < 1e-12 && (last[3] - 0.5).abs() < 1e-12, "{last:?}");
        for task in 0..11 {
            assert!((start.of(task).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        // One kind is the shares of the votes.
        assert_eq!(by_agreement(&ballots, 1).of(9), [0.5, 0.5]);
    }
}
