//! The accuracies of honest workers.

use super::skill::Skill;

/// How many honest workers have which accuracy.
pub(super) struct Population {
    /// Accuracies, and the shares of workers who have them.
    shares: Vec<(f64, f64)>,
}

/// Steps between accuracies, from -1 to 1. The deviation of a worker with 400 labels is 0.05 or more.
const STEPS: i32 = 40;
/// Who has less than this chance-corrected accuracy is not honest, or might as well not be.
const HONEST: f64 = 0.15;
/// Honest workers added to those there are, of evenly spread accuracies: what a crowd of five is held against.
const PSEUDO: f64 = 3.0;
/// Steps of EM. The shares need not converge: the tail is smoother if they do not.
const ITERATIONS: usize = 50;

impl Population {
    /// The mixture under which the workers' labels are most probable (Kiefer and Wolfowitz), by EM on a grid; of that, the
    /// honest part.
    pub(super) fn of(skills: &[Skill]) -> Self {
        let grid: Vec<f64> = (-STEPS / 2..=STEPS / 2).map(|i| f64::from(i) / f64::from(STEPS / 2)).collect();
        let honest: Vec<f64> = grid.iter().map(|a| f64::from(u8::from(*a > HONEST - 1e-9))).collect();
        let pseudo = PSEUDO / honest.iter().sum::<f64>();
        let likelihoods: Vec<Vec<f64>> = skills
            .iter()
            .filter(|skill| skill.labels > 0)
            .map(|skill| {
                let logs: Vec<f64> = grid.iter().map(|a| skill.log_likelihood(*a)).collect();
                let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                logs.iter().map(|log| (log - most).exp()).collect()
            })
            .collect();
        let mut shares = vec![1.0 / grid.len() as f64; grid.len()];
        for _ in 0..ITERATIONS {
            let mut counts: Vec<f64> = honest.iter().map(|honest| honest * pseudo).collect();
            for likelihood in &likelihoods {
                let sum: f64 = likelihood.iter().zip(&shares).map(|(l, share)| l * share).sum();
                for ((count, l), share) in counts.iter_mut().zip(likelihood).zip(&shares) {
                    *count += l * share / sum.max(f64::MIN_POSITIVE);
                }
            }
            let sum: f64 = counts.iter().sum();
            shares = counts.iter().map(|count| count / sum).collect();
        }
        let sum: f64 = shares.iter().zip(&honest).map(|(share, honest)| share * honest).sum();
        let part = grid.iter().zip(&shares).zip(&honest).filter(|(_, honest)| **honest > 0.0);
        Population { shares: part.map(|((a, share), _)| (*a, share / sum)).collect() }
    }

    /// The share of honest workers who would look as bad as this one, or worse, with the same tasks.
    pub(super) fn as_bad(&self, skill: &Skill) -> f64 {
        self.shares.iter().map(|(accuracy, share)| share * skill.as_bad(*accuracy)).sum()
    }
}
