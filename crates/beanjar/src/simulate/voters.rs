//! Who votes on a task.

use rand::{Rng, RngExt};

/// Workers with a chance of being asked each.
pub(super) struct Voters {
    weights: Vec<f64>,
    /// The sums of the weights up to each worker.
    sums: Vec<f64>,
}

/// Drawing anew whoever was drawn already pays where few of many are drawn.
const FEW: usize = 100;

impl Voters {
    pub(super) fn new(weights: Vec<f64>) -> Self {
        let mut sum = 0.0;
        let add = |weight: &f64| {
            sum += weight;
            sum
        };
        let sums = weights.iter().map(add).collect();
        Voters { weights, sums }
    }

    /// Workers drawn one after the other in proportion to their weights, none twice.
    pub(super) fn draw(&self, count: usize, random: &mut impl Rng) -> Vec<usize> {
        if count * FEW > self.weights.len() {
            return self.shortest_waits(count, &[], random);
        }
        let mut drawn: Vec<usize> = Vec::with_capacity(count);
        let (all, mut used) = (self.sums.last().copied().unwrap_or(0.0), 0.0);
        while drawn.len() < count {
            // Whoever is left is hardly ever drawn where a few have nearly all the weight.
            if used > 0.9 * all {
                drawn.extend(self.shortest_waits(count - drawn.len(), &drawn, random));
                break;
            }
            let at = random.random::<f64>() * all;
            let worker = self.sums.partition_point(|&sum| sum <= at).min(self.sums.len() - 1);
            if !drawn.contains(&worker) {
                used += self.weights[worker];
                drawn.push(worker);
            }
        }
        drawn
    }

    /// The same: those whose waiting times, exponential with the weight as rate, are shortest.
    fn shortest_waits(&self, count: usize, without: &[usize], random: &mut impl Rng) -> Vec<usize> {
        let workers = self.weights.iter().enumerate().filter(|(worker, _)| !without.contains(worker));
        let mut waits: Vec<(f64, usize)> =
            workers.map(|(worker, weight)| (-(1.0 - random.random::<f64>()).ln() / weight, worker)).collect();
        if count < waits.len() {
            waits.select_nth_unstable_by(count, |a, b| a.0.total_cmp(&b.0));
            waits.truncate(count);
        }
        waits.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        waits.into_iter().map(|(_, worker)| worker).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// How often each of the first workers is among three.
    fn shares(voters: &Voters, draw: impl Fn(&mut rand_pcg::Pcg64Mcg) -> Vec<usize>) -> Vec<f64> {
        let mut random = stream(5, 0);
        let mut times = vec![0.0; voters.weights.len()];
        for _ in 0..20_000 {
            let drawn = draw(&mut random);
            assert_eq!(drawn.len(), 3);
            assert!(drawn[0] != drawn[1] && drawn[0] != drawn[2] && drawn[1] != drawn[2]);
            drawn.into_iter().for_each(|worker| times[worker] += 1.0 / 20_000.0);
        }
        times
    }

    #[test]
    fn drawing_anew_gives_the_shares_of_waiting_times() {
        // Even weights, and weights of which two workers have nearly all.
        for steep in [0.5, 6.0] {
            let voters = Voters::new((1..=400).map(|worker| f64::from(worker).powf(-steep)).collect());
            let anew = shares(&voters, |random| voters.draw(3, random));
            let waits = shares(&voters, |random| voters.shortest_waits(3, &[], random));
            for (a, b) in anew.iter().zip(&waits) {
                // Five standard errors of a difference.
                let error = 5.0 * (2.0 * b.max(1e-3) / 20_000.0).sqrt();
                assert!((a - b).abs() < error, "{a} {b}");
            }
        }
    }
}
