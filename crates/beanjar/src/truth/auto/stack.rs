//! Stacking: the weights under which the mixture of the candidates predicts best.

use super::held_out::HeldOut;

/// Pseudo-tasks for each candidate: a prior towards equal weights. A third or three times as many change no mean
/// accuracy by more than a thousandth.
const PSEUDO_TASKS: f64 = 1.0;
/// Steps of EM; weights settle in far fewer.
const STEPS: usize = 200;
/// By how many standard errors the models must predict held-out labels better than the plain vote does. One would be
/// reached by chance in one of six sets, two in one of forty.
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

/// By how many standard errors the mixture of all candidates but the last predicts better than the last alone. None with
/// labels of fewer than two tasks: one has no standard error.
///
/// Labels of one task go together, and so do those of one worker. What both do to the variance of the sum is added up, and
/// what is counted twice taken off (Cameron, Gelbach and Miller's clusters of two ways).
fn gain_over_plain_vote(held_out: &HeldOut, weights: &[f64]) -> Option<f64> {
    let HeldOut { candidates, probabilities, tasks, workers, counts } = held_out;
    let plain = candidates - 1;
    let others: f64 = weights[..plain].iter().sum();
    let gain = |row: &[f64]| {
        let mixed: f64 = row[..plain].iter().zip(weights).map(|(p, weight)| p * weight / others).sum();
        (mixed / row[plain]).ln()
    };
    let gains: Vec<f64> =
        probabilities.chunks_exact(*candidates).zip(counts).map(|(row, count)| count * gain(row)).collect();
    let sum: f64 = gains.iter().sum();
    let mean = sum / counts.iter().sum::<f64>();
    let beyond: Vec<f64> = gains.iter().zip(counts).map(|(gain, count)| gain - mean * count).collect();
    let of_tasks = variance_of_sum(&beyond, tasks)?;
    // All labels of a single worker have a sum that is no matter of chance.
    let of_workers = variance_of_sum(&beyond, workers).unwrap_or(0.0);
    let of_labels: f64 = beyond.iter().map(|beyond| beyond * beyond).sum();
    let variance = (of_tasks + of_workers - of_labels).max(of_tasks).max(of_workers);
    Some(sum / (variance.sqrt() + 1e-12))
}

/// The variance of the sum of deviations from their mean where those of one cluster go together; none with fewer than two
/// clusters.
fn variance_of_sum(deviations: &[f64], cluster: &[u32]) -> Option<f64> {
    let mut sums = vec![None; cluster.iter().map(|&cluster| cluster as usize + 1).max()?];
    for (&cluster, deviation) in cluster.iter().zip(deviations) {
        *sums[cluster as usize].get_or_insert(0.0) += deviation;
    }
    let sums: Vec<f64> = sums.into_iter().flatten().collect();
    let n = sums.len() as f64;
    (n > 1.0).then(|| n / (n - 1.0) * sums.iter().map(|sum| sum * sum).sum::<f64>())
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
            workers: vec![0; 4],
            counts: vec![1.0; 4],
        };
        // Of the gains ln 2, -ln 2, ln 2, 0 the mean is ln 2 / 4. Beyond it tasks have -2/4, 3/4 and -1/4 of ln 2.
        let gain = gain_over_plain_vote(&held_out, &[0.7, 0.3]).unwrap();
        let direct = 1.0 / (1.5 * (0.25f64 + 0.5625 + 0.0625)).sqrt();
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

    #[test]
    fn labels_of_a_worker_go_together_as_those_of_a_task_do() {
        // Nine tasks, each of which all three workers labelled: one gains much, one little, one loses.
        let (mut probabilities, mut tasks, mut workers) = (Vec::new(), Vec::new(), Vec::new());
        for task in 0..9u32 {
            for (worker, gain) in [1.9, 1.1, 0.7].into_iter().enumerate() {
                probabilities.extend([0.3 * gain * (1.0 + 0.01 * f64::from(task)), 0.3]);
                tasks.push(task);
                workers.push(worker as u32);
            }
        }
        let held_out = HeldOut { candidates: 2, counts: vec![1.0; 27], probabilities, tasks, workers };
        let gain = gain_over_plain_vote(&held_out, &[1.0, 0.0]).unwrap();
        // Two labels go together if their task or their worker is the same: the products of all such pairs.
        let gains: Vec<f64> = held_out.probabilities.chunks_exact(2).map(|row| (row[0] / row[1]).ln()).collect();
        let mean = gains.iter().sum::<f64>() / 27.0;
        let pairs = |together: &dyn Fn(usize, usize) -> bool| -> f64 {
            let all = (0..27).flat_map(|i| (0..27).map(move |j| (i, j))).filter(|&(i, j)| together(i, j));
            all.map(|(i, j)| (gains[i] - mean) * (gains[j] - mean)).sum()
        };
        let of_tasks = 9.0 / 8.0 * pairs(&|i, j| held_out.tasks[i] == held_out.tasks[j]);
        let of_workers = 3.0 / 2.0 * pairs(&|i, j| held_out.workers[i] == held_out.workers[j]);
        let direct = gains.iter().sum::<f64>() / (of_tasks + of_workers - pairs(&|i, j| i == j)).max(of_workers).sqrt();
        assert!((gain - direct).abs() < 1e-6, "{gain} and {direct}");
        let by_tasks_alone = gains.iter().sum::<f64>() / of_tasks.sqrt();
        assert!(gain < 2.0 && by_tasks_alone > 10.0, "{gain}, {by_tasks_alone}");
    }
}
