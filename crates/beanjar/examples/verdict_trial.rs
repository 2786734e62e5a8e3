//! How often `judge_workers` is right about workers whose kind is known, for docs/worker-selection.md.
//!
//! `cargo run --release -p beanjar --example verdict_trial [HONEST]`: how many honest workers in each row (4,000).

use beanjar::Context;
use beanjar::judgments::Ballots;
use beanjar::workers::{Verdict, judge_workers};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::Poisson;

/// Honest workers, and of each planted kind some.
struct Trial {
    classes: usize,
    votes: usize,
    honest: usize,
    planted: usize,
    labels: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Honest(f64),
    Random,
    Constant(usize),
    Contrary,
    Copies(usize),
}

const KINDS: usize = 5;

fn main() -> beanjar::Result<()> {
    let honest_in_all: usize = std::env::args().nth(1).and_then(|given| given.parse().ok()).unwrap_or(4000);
    println!(
        "classes votes honest planted | honest called bad | random constant contrary copies named | interval covers"
    );
    let trial = |classes, votes, honest, planted| Trial { classes, votes, honest, planted, labels: 200 };
    for trial in [
        trial(2, 10, 1000, 0),
        trial(5, 10, 1000, 0),
        trial(2, 5, 1000, 0),
        trial(2, 3, 1000, 0),
        trial(2, 10, 1000, 10),
        trial(5, 10, 1000, 10),
        trial(2, 5, 1000, 10),
        trial(5, 5, 1000, 10),
        trial(2, 3, 1000, 10),
        trial(2, 10, 200, 1),
        trial(2, 5, 200, 1),
        Trial { labels: 400, ..trial(2, 5, 200, 1) },
        trial(2, 10, 20, 1),
        trial(2, 5, 50, 10),
        trial(5, 5, 50, 10),
    ] {
        let mut counts = [[0usize; 2]; KINDS];
        let mut covered = [0usize; 2];
        for seed in 0..(honest_in_all / trial.honest).clamp(2, (honest_in_all / 200).max(2)) as u64 {
            trial.run(seed, &mut counts, &mut covered)?;
        }
        let share = |[part, all]: [usize; 2]| 100.0 * part as f64 / all.max(1) as f64;
        let Trial { classes, votes, honest, planted, labels } = trial;
        let [bad, random, constant, contrary, copies] = counts.map(share);
        println!(
            "{classes:7} {votes:5} {honest:6} {planted:4}x{labels} | {bad:16.2}% | {random:5.1}% {constant:7.1}% {contrary:7.1}% {copies:10.1}% | {:.1}%",
            share(covered)
        );
    }
    println!(
        "labels, votes of others per task | random named by the best rule, if 1 and 0.75% of the honest may look as bad"
    );
    for (labels, votes) in [(200, Some(3.0)), (200, Some(5.0)), (200, Some(10.0)), (200, None), (400, Some(3.0))] {
        let [one, three_quarters] = limit(labels, votes);
        let votes = votes.map_or("truth known".to_owned(), |votes| votes.to_string());
        println!("{labels:6} {votes:>11} | {one:5.1}% {three_quarters:5.1}%");
    }
    Ok(())
}

/// Of random workers with this number of labels in two classes, the percentage that the best rule names if at most one percent, and three
/// quarters of a percent, of honest workers may be called random by it.
///
/// The rule knows what no rule can: how many honest workers have which accuracy, and the accuracy of each other voter on the
/// worker's tasks (or the truth). By Neyman and Pearson the best is then the likelihood ratio of random and honest.
fn limit(labels: usize, votes: Option<f64>) -> [f64; 2] {
    const DRAWS: usize = 10_000;
    const GRID: usize = 36;
    let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(1);
    let others = votes.map(|votes| Poisson::new(votes).expect("a positive mean"));
    let mut log_ratio = |accuracy: f64| -> f64 {
        // The logarithm of the likelihood of each accuracy on a grid, beside that of one half.
        let mut honest = [0.0; GRID];
        for _ in 0..labels {
            let right = random.random_bool(accuracy);
            let odds = match &others {
                Some(others) => {
                    let voters = random.sample(others) as usize;
                    let mut vote = || {
                        let accuracy: f64 = random.random_range(0.6..0.95);
                        let weight = (accuracy / (1.0 - accuracy)).ln();
                        if random.random_bool(accuracy) { weight } else { -weight }
                    };
                    (0..voters).map(|_| vote()).sum::<f64>()
                }
                None => f64::INFINITY,
            };
            let of_label = 1.0 / (1.0 + if right { (-odds).exp() } else { odds.exp() });
            for (at, log) in honest.iter_mut().enumerate() {
                let accuracy = 0.6 + 0.35 * (at as f64 + 0.5) / GRID as f64;
                *log += (2.0 * (accuracy * of_label + (1.0 - accuracy) * (1.0 - of_label))).ln();
            }
        }
        let most = honest.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        -(most + honest.iter().map(|log| (log - most).exp()).sum::<f64>().ln())
    };
    let mut accuracies = rand_pcg::Pcg64Mcg::seed_from_u64(2);
    let mut honest: Vec<f64> = (0..DRAWS).map(|_| log_ratio(accuracies.random_range(0.6..0.95))).collect();
    let planted: Vec<f64> = (0..DRAWS).map(|_| log_ratio(0.5)).collect();
    honest.sort_by(|one, other| other.total_cmp(one));
    [0.01, 0.0075].map(|share| {
        let threshold = honest[(share * DRAWS as f64) as usize];
        100.0 * planted.iter().filter(|ratio| **ratio > threshold).count() as f64 / DRAWS as f64
    })
}

impl Trial {
    fn run(&self, seed: u64, counts: &mut [[usize; 2]; KINDS], covered: &mut [usize; 2]) -> beanjar::Result<()> {
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(seed);
        let mut kinds: Vec<Kind> = (0..self.honest).map(|_| Kind::Honest(random.random_range(0.6..0.95))).collect();
        let mut sizes: Vec<usize> = (0..self.honest).map(|_| random.random_range(20..=400)).collect();
        for planted in 0..self.planted {
            let constant = random.random_range(0..self.classes);
            kinds.extend([Kind::Random, Kind::Constant(constant), Kind::Contrary, Kind::Copies(planted)]);
            sizes.extend([self.labels; 4]);
            sizes[planted] = 400.max(self.labels);
        }
        let tasks = (sizes.iter().sum::<usize>() / self.votes).max(400);
        let truth: Vec<usize> = (0..tasks).map(|_| random.random_range(0..self.classes)).collect();
        let mut order: Vec<usize> = (0..tasks).collect();
        let mut votes: Vec<Vec<(usize, usize)>> = vec![Vec::new(); tasks];
        for (worker, kind) in kinds.iter().enumerate() {
            if let Kind::Copies(source) = kind {
                let copied: Vec<(usize, usize)> = (0..tasks)
                    .filter_map(|task| Some((task, votes[task].iter().find(|vote| vote.0 == *source)?.1)))
                    .take(self.labels)
                    .collect();
                copied.into_iter().for_each(|(task, label)| votes[task].push((worker, label)));
                continue;
            }
            order.shuffle(&mut random);
            for &task in &order[..sizes[worker]] {
                let label = self.label(*kind, truth[task], &mut random);
                votes[task].push((worker, label));
            }
        }
        let ballots = Ballots::from_tasks(&votes, kinds.len(), self.classes)?;
        let judged = judge_workers(&ballots, &Context::new().with_seed(seed))?;
        for (kind, found) in kinds.iter().zip(&judged.workers) {
            let (number, right) = match kind {
                Kind::Honest(accuracy) => {
                    let k = self.classes as f64;
                    let corrected = (accuracy - 1.0 / k) / (1.0 - 1.0 / k);
                    covered[0] += usize::from(found.low <= corrected && corrected <= found.high);
                    covered[1] += 1;
                    (0, found.verdict.is_bad())
                }
                Kind::Random => (1, found.verdict == Verdict::Random),
                Kind::Constant(_) => (2, found.verdict == Verdict::Constant),
                Kind::Contrary => (3, found.verdict == Verdict::Contrary),
                Kind::Copies(source) => (4, found.verdict == Verdict::Copies(*source)),
            };
            counts[number][0] += usize::from(right);
            counts[number][1] += 1;
        }
        Ok(())
    }

    fn label(&self, kind: Kind, class: usize, random: &mut impl Rng) -> usize {
        let other = |random: &mut dyn FnMut(usize) -> usize| (class + 1 + random(self.classes - 1)) % self.classes;
        match kind {
            Kind::Honest(accuracy) if random.random_bool(accuracy) => class,
            Kind::Random => random.random_range(0..self.classes),
            Kind::Constant(class) => class,
            _ => other(&mut |n| random.random_range(0..n)),
        }
    }
}
