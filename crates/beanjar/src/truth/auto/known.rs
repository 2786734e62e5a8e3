//! What known answers teach: the names of the components, the weights of the candidates, and how sure to be.

use super::super::Posterior;
use super::super::rule::{FLOOR, Sharpening};
use super::super::skilled::Names;
use super::stack::mixture;

/// Known answers, as task and class.
pub(super) type Known = [(usize, usize)];

/// What a component's name by its votes counts, in known answers.
const NAME: f64 = 5.0;
/// What the weights by held-out labels count, in known answers.
const WEIGHTS: f64 = 10.0;
/// The standard deviation of the logarithm of the power, and of the shifts, before any answer is known: a power between a half
/// and two, a class made up to twice as probable.
const FACTOR: f64 = 0.7;

impl Names {
    /// The same with the known answers counted beside the votes. `components` is the posterior of the tasks' components.
    pub(super) fn with_known(&self, components: &Posterior, known: &Known) -> Names {
        let mut counts: Vec<f64> = self.shares.iter().map(|share| NAME * share).collect();
        for &(task, class) in known {
            add(&mut counts, self.classes, &components.row(task), class, 1.0);
        }
        Names { classes: self.classes, shares: normalised(&counts, self.classes) }
    }

    /// The probability of each known answer by names that all other known answers were counted for.
    pub(super) fn left_out(&self, components: &Posterior, known: &Known) -> Vec<Vec<f64>> {
        let mut counts: Vec<f64> = self.shares.iter().map(|share| NAME * share).collect();
        known.iter().for_each(|&(task, class)| add(&mut counts, self.classes, &components.row(task), class, 1.0));
        let read = |&(task, class): &(usize, usize)| {
            let mut others = counts.clone();
            add(&mut others, self.classes, &components.row(task), class, -1.0);
            let mut row = vec![0.0; self.classes];
            let names = Names { classes: self.classes, shares: normalised(&others, self.classes) };
            names.read(&components.row(task), &mut row);
            row
        };
        known.iter().map(read).collect()
    }
}

fn add(counts: &mut [f64], classes: usize, components: &[f64], class: usize, sign: f64) {
    for (component, p) in components.iter().enumerate() {
        counts[component * classes + class] += sign * p;
    }
}

fn normalised(counts: &[f64], classes: usize) -> Vec<f64> {
    counts
        .chunks_exact(classes)
        .flat_map(|row| {
            let sum: f64 = row.iter().sum();
            row.iter().map(move |count| count.max(0.0) / sum)
        })
        .collect()
}

/// Weights of the parts by the known answers, beside those by held-out labels. `rows` holds, answer by answer and part by
/// part, the probabilities of the classes by parts that did not see that answer.
pub(super) fn weights(rows: &[Vec<Vec<f64>>], known: &Known, before: &[f64]) -> Vec<f64> {
    let probability = |(row, &(_, class)): (&Vec<Vec<f64>>, &(usize, usize))| {
        row.iter().map(|part| part[class].max(FLOOR)).collect::<Vec<f64>>()
    };
    let probabilities: Vec<f64> = rows.iter().zip(known).flat_map(probability).collect();
    let pseudo: Vec<f64> = before.iter().map(|weight| (WEIGHTS * weight).max(1e-9)).collect();
    mixture(before.len(), &probabilities, &vec![1.0; known.len()], &pseudo)
}

/// The power and the shifts under which the known answers are most probable, each held to none by its prior.
pub(super) fn calibration(rows: &[Vec<f64>], known: &Known) -> Sharpening {
    let classes = rows.first().map_or(0, Vec::len);
    let logs: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|p| p.max(FLOOR).ln()).collect()).collect();
    let value = |power: f64, shift: &[f64]| {
        let mut sum = -0.5 * (power / FACTOR).powi(2);
        sum -= shift.iter().map(|shift| 0.5 * (shift / FACTOR).powi(2)).sum::<f64>();
        for (logs, &(_, class)) in logs.iter().zip(known) {
            let score = |class: usize| power.exp() * logs[class] + shift[class];
            let most = (0..classes).map(score).fold(f64::NEG_INFINITY, f64::max);
            let all: f64 = (0..classes).map(|class| (score(class) - most).exp()).sum();
            sum += score(class) - most - all.ln();
        }
        sum
    };
    // Newton's steps one number at a time, each halved until it gains; a few dozen rounds settle them all.
    const ROUNDS: usize = 40;
    let (mut power, mut shift) = (0.0, vec![0.0; classes]);
    let step = 1e-4;
    for _ in 0..ROUNDS {
        for number in 0..=classes {
            let at = |by: f64| {
                let (mut power, mut shift) = (power, shift.clone());
                if number == classes {
                    power += by;
                } else {
                    shift[number] += by;
                }
                (value(power, &shift), power, shift)
            };
            let (low, here, high) = (at(-step).0, at(0.0).0, at(step).0);
            let (slope, curvature) = ((high - low) / (2.0 * step), (high - 2.0 * here + low) / (step * step));
            let mut by = (slope / curvature.abs().max(1e-3)).clamp(-1.0, 1.0);
            while by.abs() > 1e-9 {
                let next = at(by);
                if next.0 > here {
                    (power, shift) = (next.1, next.2);
                    break;
                }
                by /= 2.0;
            }
        }
    }
    Sharpening { sharpness: power.exp(), shift }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flipped_component_gets_its_name_from_known_answers() {
        let names = Names::of_classes(2);
        let components = Posterior::new(2, [0.9, 0.1].repeat(40)).unwrap();
        let known: Vec<(usize, usize)> = (0..40).map(|task| (task, 1)).collect();
        let taught = names.with_known(&components, &known);
        // Component 0: 5 for class 0, 40 * 0.9 for class 1.
        assert!((taught.of(0)[1] - 36.0 / 41.0).abs() < 1e-12);
        let left_out = names.left_out(&components, &known);
        let others = names.with_known(&components, &known[1..]);
        let mut row = [0.0; 2];
        others.read(&components.row(0), &mut row);
        assert!((left_out[0][1] - row[1]).abs() < 1e-12);
    }

    #[test]
    fn sureness_that_answers_do_not_bear_out_is_taken_back() {
        // Sure of class 0 at 0.95 and right three times in four.
        let rows = vec![vec![0.95, 0.05]; 200];
        let known: Vec<(usize, usize)> = (0..200).map(|task| (task, usize::from(task % 4 == 0))).collect();
        let found = calibration(&rows, &known);
        let mut row = [0.95, 0.05];
        found.apply(&mut row);
        assert!((row[0] - 0.75).abs() < 0.03, "{row:?}");
        // Three answers hardly move it.
        let few = calibration(&rows[..3], &known[..3]);
        let mut row = [0.95, 0.05];
        few.apply(&mut row);
        assert!(row[0] > 0.8, "{row:?}");
        // At the maximum, no number can be moved to gain.
        assert!(found.sharpness < 1.0 && found.shift.len() == 2);
    }

    #[test]
    fn the_part_that_knows_the_answers_gets_the_weight() {
        let rows: Vec<Vec<Vec<f64>>> = vec![vec![vec![0.9, 0.1], vec![0.2, 0.8]]; 50];
        let known: Vec<(usize, usize)> = (0..50).map(|task| (task, 1)).collect();
        let found = weights(&rows, &known, &[0.9, 0.1]);
        assert!(found[1] > 0.6, "{found:?}");
        assert_eq!(weights(&[], &[], &[0.9, 0.1]).len(), 2);
    }
}
