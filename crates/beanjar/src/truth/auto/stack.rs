//! Stacking: the weights under which the mixture of the candidates predicts best.

use super::held_out::HeldOut;

/// Pseudo-tasks for each candidate: a prior towards equal weights. A third or three times as many change no mean
/// accuracy by more than a thousandth.
const PSEUDO_TASKS: f64 = 1.0;
/// Steps of EM; weights settle in far fewer.
const STEPS: usize = 200;
/// By how many standard errors the models must predict held-out labels better than the plain vote does. One would do so by
/// chance in one of six sets, two in one of forty.
const BEYOND_CHANCE: f64 = 2.0;

/// What the candidates count, the plain vote being the last.
pub(super) struct Weighed {
    pub(super) weights: Vec<f64>,
    /// By how many standard errors the models predict better than the plain vote.
    pub(super) gain: Option<f64>,
    /// Whether the plain vote has all the weight, because that is not beyond chance.
    pub(super) plain_vote: bool,
}

/// Weighs the candidates by held-out labels.
pub(super) fn weigh(held_out: &HeldOut) -> Weighed {
    let mut weights = weights(held_out);
    let gain = gain_over_plain_vote(held_out, &weights);
    let plain_vote = gain.is_none_or(|gain| gain < BEYOND_CHANCE);
    if plain_vote {
        weights.fill(0.0);
        weights.last_mut().into_iter().for_each(|plain| *plain = 1.0);
    }
    Weighed { weights, gain, plain_vote }
}

/// The weights that make the held-out labels most probable. Each task counts once, however many labels it has: its labels
/// are not independent.
fn weights(held_out: &HeldOut) -> Vec<f64> {
    let candidates = held_out.candidates;
    let once = task_weights(held_out);
    mixture(candidates, &held_out.probabilities, &once, &vec![PSEUDO_TASKS; candidates])
}

/// The weights of a mixture under which observations, each with its weight, are most probable, `pseudo` observations being
/// added to each candidate. Cost: O(steps, observations, candidates).
pub(super) fn mixture(candidates: usize, probabilities: &[f64], counts: &[f64], pseudo: &[f64]) -> Vec<f64> {
    let all: f64 = pseudo.iter().sum();
    let mut weights: Vec<f64> = pseudo.iter().map(|pseudo| pseudo / all).collect();
    for _ in 0..STEPS {
        let mut sums = vec![0.0; candidates];
        for (row, count) in probabilities.chunks_exact(candidates).zip(counts) {
            let share = count / row.iter().zip(&weights).map(|(p, weight)| p * weight).sum::<f64>();
            sums.iter_mut().zip(row).for_each(|(sum, p)| *sum += share * p);
        }
        let next: Vec<f64> = pseudo.iter().zip(sums).zip(&weights).map(|((n, sum), weight)| n + sum * weight).collect();
        let all: f64 = next.iter().sum();
        weights = next.into_iter().map(|next| next / all).collect();
    }
    weights
}

/// By how many standard errors the mixture of all candidates but the last predicts better than the last alone, tasks
/// being the independent units: the workers are those there are, and that the gain is larger for some of them is no matter
/// of chance. None with labels of fewer than two tasks: one has no standard error.
fn gain_over_plain_vote(held_out: &HeldOut, weights: &[f64]) -> Option<f64> {
    let plain = held_out.candidates - 1;
    let others: f64 = weights[..plain].iter().sum();
    let tasks = held_out.tasks.iter().map(|&task| task as usize + 1).max()?;
    let mut gains = vec![0.0; tasks];
    let mut seen = vec![false; tasks];
    let labels = held_out.tasks.iter().zip(&held_out.counts);
    for (row, (&task, count)) in held_out.probabilities.chunks_exact(plain + 1).zip(labels) {
        let mixed: f64 = row[..plain].iter().zip(weights).map(|(p, weight)| p * weight / others).sum();
        gains[task as usize] += count * (mixed / row[plain]).ln();
        seen[task as usize] = true;
    }
    let gains: Vec<f64> = gains.into_iter().zip(seen).filter_map(|(gain, seen)| seen.then_some(gain)).collect();
    if gains.len() < 2 {
        return None;
    }
    let n = gains.len() as f64;
    let mean = gains.iter().sum::<f64>() / n;
    let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / n;
    Some(mean / ((variance / n).sqrt() + 1e-12))
}

/// The share of each label in those of its task.
fn task_weights(held_out: &HeldOut) -> Vec<f64> {
    let HeldOut { tasks, counts, .. } = held_out;
    let mut labels = vec![0.0; tasks.iter().map(|&task| task as usize + 1).max().unwrap_or(0)];
    tasks.iter().zip(counts).for_each(|(&task, count)| labels[task as usize] += count);
    tasks.iter().zip(counts).map(|(&task, count)| count / labels[task as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_better_candidate_gets_the_weight_and_a_task_counts_once() {
        // On 50 tasks the first gives .8 and the second .4; on one task with a thousand labels it is the other way.
        let mut held_out = HeldOut { candidates: 2, counts: vec![1.0; 1050], ..HeldOut::default() };
        for task in 0..50 {
            held_out.probabilities.extend([0.8, 0.4]);
            held_out.tasks.push(task);
        }
        for _ in 0..1000 {
            held_out.probabilities.extend([0.4, 0.8]);
            held_out.tasks.push(50);
        }
        let weights = weights(&held_out);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(weights[0] > 0.9, "{weights:?}");
        // By bisection on the derivative of the log-posterior.
        let slope =
            |w: f64| 50.0 * 0.4 / (0.4 * w + 0.4) - 0.4 / (0.8 - 0.4 * w) + PSEUDO_TASKS / w - PSEUDO_TASKS / (1.0 - w);
        let (mut low, mut high) = (0.5, 1.0 - 1e-9);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if slope(middle) > 0.0 { low = middle } else { high = middle }
        }
        assert!((weights[0] - low).abs() < 1e-3, "{} and {low}", weights[0]);
    }

    #[test]
    fn a_gain_is_measured_in_standard_errors_over_tasks() {
        let held_out = HeldOut {
            candidates: 2,
            probabilities: vec![0.6, 0.3, 0.2, 0.4, 0.6, 0.3, 0.3, 0.3],
            tasks: vec![0, 0, 3, 4],
            workers: vec![0, 1, 0, 1],
            counts: vec![1.0; 4],
        };
        // The two labels of task 0 cancel, task 3 gains ln 2, task 4 nothing: a mean of ln 2 / 3 and a variance of 2 / 9 of
        // ln 2 squared over three tasks.
        let gain = gain_over_plain_vote(&held_out, &[0.7, 0.3]).unwrap();
        let direct = (1.0 / 3.0) / (2.0f64 / 9.0 / 3.0).sqrt();
        assert!((gain - direct).abs() < 1e-6, "{gain} and {direct}");
        let none = HeldOut { candidates: 2, ..HeldOut::default() };
        assert_eq!(gain_over_plain_vote(&none, &[0.5, 0.5]), None);
        let of = |tasks: Vec<u32>| HeldOut {
            candidates: 2,
            probabilities: [0.6, 0.3].repeat(tasks.len()),
            workers: vec![0; tasks.len()],
            counts: vec![1.0; tasks.len()],
            tasks,
        };
        assert_eq!(gain_over_plain_vote(&of(vec![7; 3]), &[0.5, 0.5]), None, "one task has no standard error");
        assert!(gain_over_plain_vote(&of(vec![0, 1, 2]), &[0.5, 0.5]).unwrap() > 100.0, "the same gain on every task");
    }
}
