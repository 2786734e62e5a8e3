//! What further votes on a task would gain, by the fitted models.

use super::models::Models;
use crate::judgments::Votes;

/// The most votes looked ahead. One vote seldom turns a label, and would seem to gain nothing.
pub(super) const AHEAD: usize = 4;

/// The components of all models side by side: what each stands for, and what a worker says of it.
///
/// Given its votes, a task is of component j of model i with probability weight_i P(j | votes). A further vote changes these
/// by Bayes' rule, so what it gains can be worked out before it is cast.
pub(super) struct Prospects<'a> {
    models: Models<'a>,
    classes: usize,
    /// The share of each class in each component, at `component * classes + class`.
    meaning: Vec<f64>,
    /// P(label | component) of a worker not seen before, at `label * components + component`.
    newcomer: Vec<f64>,
}

impl<'a> Prospects<'a> {
    pub(super) fn new(models: Models<'a>) -> Self {
        let classes = models.parts().first().map_or(0, |part| part.0.labels());
        let mut meaning = Vec::new();
        for (tables, _) in models.parts() {
            let of = |component: usize| (0..classes).map(move |class| tables.meaning_of(component, class));
            meaning.extend((0..tables.classes()).flat_map(of));
        }
        let mut prospects = Prospects { models, classes, meaning, newcomer: Vec::new() };
        prospects.newcomer = prospects.says(usize::MAX);
        prospects
    }

    /// P(label | component) of a worker, at `label * components + component`.
    pub(super) fn says(&self, worker: usize) -> Vec<f64> {
        let of = |label: usize| {
            let parts = self.models.parts().iter();
            parts.flat_map(move |(tables, _)| (0..tables.classes()).map(move |c| tables.probability(worker, c, label)))
        };
        (0..self.classes).flat_map(of).collect()
    }

    /// The probability of each component of each model, given a task's votes.
    pub(super) fn components(&self, votes: Votes<'_>) -> Vec<f64> {
        let mut all = Vec::with_capacity(self.meaning.len() / self.classes.max(1));
        for (tables, weight) in self.models.parts() {
            let mut row = tables.prior().to_vec();
            if !votes.labels.is_empty() {
                tables.components(votes, &mut row);
            }
            all.extend(row.into_iter().map(|p| weight * p));
        }
        all
    }

    /// How much more probable the best class is expected to be after 1, 2, ... votes of workers not seen before.
    pub(super) fn gains(&self, components: &[f64]) -> [f64; AHEAD] {
        std::array::from_fn(|ahead| self.gain(components, ahead as i32 + 1))
    }

    /// The same after a number of votes.
    ///
    /// G(m) = sum over what m votes may say of max over classes of P(votes, class), less the same before. With more than two
    /// labels, those but the two most expected are one answer. Cost: O(m^3 components classes).
    pub(super) fn gain(&self, components: &[f64], votes: i32) -> f64 {
        let groups = self.groups(components);
        let mut joint = vec![0.0; components.len()];
        // P(number of votes of one group | component).
        let power = |says: &[f64], count: i32| says.iter().map(|p| p.powi(count)).collect();
        let powers: Vec<Vec<Vec<f64>>> =
            groups.iter().map(|says| (1..=votes).map(|count| power(says, count)).collect()).collect();
        let mut after = 0.0;
        for first in 0..=votes {
            for second in 0..=votes - first {
                let third = votes - first - second;
                if groups.len() < 3 && third > 0 {
                    continue;
                }
                let counts = [first, second, third];
                joint.copy_from_slice(components);
                for (powers, &count) in powers.iter().zip(&counts).filter(|(_, count)| **count > 0) {
                    joint.iter_mut().zip(&powers[count as usize - 1]).for_each(|(p, says)| *p *= says);
                }
                after += ways(counts) * self.best(&joint);
            }
        }
        (after - self.best(components)).max(0.0)
    }

    /// How much nearer to certainty one vote of a worker would bring a task: the expected rise of the sum of squared
    /// probabilities. It is above zero also where the vote cannot turn the label.
    pub(super) fn information(&self, components: &[f64], says: &[f64]) -> f64 {
        let count = components.len();
        let squares = |classes: Vec<f64>| {
            let all: f64 = classes.iter().sum();
            if all > 0.0 { classes.iter().map(|p| p * p).sum::<f64>() / all } else { 0.0 }
        };
        let before = squares(self.sums(components.iter().copied()));
        let after = |label: usize| {
            let says = &says[label * count..(label + 1) * count];
            squares(self.sums(components.iter().zip(says).map(|(p, says)| p * says)))
        };
        ((0..self.classes).map(after).sum::<f64>() - before).max(0.0)
    }

    /// The same of a worker not seen before.
    pub(super) fn information_of_newcomer(&self, components: &[f64]) -> f64 {
        self.information(components, &self.newcomer)
    }

    /// What the newcomer says of each component: the two labels most expected, and any other.
    fn groups(&self, components: &[f64]) -> Vec<Vec<f64>> {
        let labels: Vec<&[f64]> = self.newcomer.chunks_exact(components.len().max(1)).collect();
        let expected = |label: usize| components.iter().zip(labels[label]).map(|(p, says)| p * says).sum::<f64>();
        let mut order: Vec<(f64, usize)> = (0..labels.len()).map(|label| (-expected(label), label)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut groups: Vec<Vec<f64>> = order.iter().take(2).map(|&(_, label)| labels[label].to_vec()).collect();
        if labels.len() > 2 {
            let rest = |at: usize| order[2..].iter().map(|&(_, label)| labels[label][at]).sum();
            groups.push((0..components.len()).map(rest).collect());
        }
        groups
    }

    /// The probability of the best class.
    pub(super) fn best(&self, joint: &[f64]) -> f64 {
        self.sums(joint.iter().copied()).into_iter().fold(0.0, f64::max)
    }

    /// The probability of each class.
    fn sums(&self, joint: impl Iterator<Item = f64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for (p, meaning) in joint.zip(self.meaning.chunks_exact(self.classes)) {
            sums.iter_mut().zip(meaning).for_each(|(sum, share)| *sum += p * share);
        }
        sums
    }
}

/// In how many orders three answers may be given so often.
fn ways(counts: [i32; 3]) -> f64 {
    let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
    factorial(counts.iter().sum()) / counts.map(factorial).iter().product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::truth::{Confusion, Rule};

    fn worker(right: f64, classes: usize) -> Vec<Vec<f64>> {
        let cell = |class, label| if class == label { right } else { (1.0 - right) / (classes as f64 - 1.0) };
        (0..classes).map(|class| (0..classes).map(|label| cell(class, label)).collect()).collect()
    }

    fn rule(classes: usize) -> Rule {
        let prior = vec![1.0 / classes as f64; classes];
        Rule::Confusion(Confusion::new(prior, vec![worker(0.9, classes), worker(0.7, classes)]).unwrap())
    }

    /// E max over sequences of labels, one by one.
    fn direct(components: &[f64], right: f64, votes: usize) -> f64 {
        let classes = components.len();
        let matrix = worker(right, classes);
        let mut after = 0.0;
        for sequence in 0..classes.pow(votes as u32) {
            let mut joint = components.to_vec();
            let mut rest = sequence;
            for _ in 0..votes {
                joint.iter_mut().enumerate().for_each(|(class, p)| *p *= matrix[class][rest % classes]);
                rest /= classes;
            }
            after += joint.into_iter().fold(0.0, f64::max);
        }
        after - components.iter().copied().fold(0.0, f64::max)
    }

    #[test]
    fn gains_agree_with_all_sequences_of_votes() {
        let rule = rule(2);
        let prospects = Prospects::new(Models::of(&rule).unwrap());
        let ballots = Ballots::from_tasks(&[vec![(0, 1)], vec![(0, 0), (0, 0)], vec![]], 1, 2).unwrap();
        for task in 0..3 {
            let components = prospects.components(ballots.votes(task));
            let gains = prospects.gains(&components);
            for votes in 1..=AHEAD {
                let direct = direct(&components, 0.7, votes);
                assert!((gains[votes - 1] - direct).abs() < 1e-12, "{task} {votes}: {gains:?} {direct}");
            }
        }
        // One vote of a weaker worker turns no label; two do.
        let gains = prospects.gains(&prospects.components(ballots.votes(0)));
        assert!(gains[0] < 1e-12 && gains[2] > 1e-3, "{gains:?}");
    }

    #[test]
    fn with_more_classes_joined_answers_gain_no_more_than_all_apart() {
        let rule = rule(4);
        let prospects = Prospects::new(Models::of(&rule).unwrap());
        let ballots = Ballots::from_tasks(&[vec![(0, 1), (0, 2)]], 1, 4).unwrap();
        let components = prospects.components(ballots.votes(0));
        let gains = prospects.gains(&components);
        for votes in 1..=3 {
            let direct = direct(&components, 0.7, votes);
            assert!(gains[votes - 1] <= direct + 1e-12 && gains[votes - 1] > 0.9 * direct, "{gains:?} {direct}");
        }
    }

    #[test]
    fn a_better_worker_tells_more_and_a_guesser_nothing() {
        let even = vec![vec![0.5, 0.5]; 2];
        let workers = vec![worker(0.9, 2), worker(0.6, 2), even.clone(), even];
        let rule = Rule::Confusion(Confusion::new(vec![0.5, 0.5], workers).unwrap());
        let prospects = Prospects::new(Models::of(&rule).unwrap());
        let components = [0.5, 0.5];
        let of = |worker: usize| prospects.information(&components, &prospects.says(worker));
        assert!(of(0) > of(1) && of(1) > 0.0 && of(2).abs() < 1e-12);
        // By hand: 0.9^2 + 0.1^2 - 0.5.
        assert!((of(0) - 0.32).abs() < 1e-12);
        assert_eq!(prospects.information_of_newcomer(&components), of(2));
    }
}
