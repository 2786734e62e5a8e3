//! What known answers teach: the names of the components, the weights of the candidates, and how sure to be.

use super::super::Posterior;
use super::super::rule::{FLOOR, Sharpening};
use super::super::skilled::Names;
use super::stack::mixture;

/// Known answers, as task and class.
pub(super) type Known = [(usize, usize)];

/// What a component's name by its votes counts, in known answers. With 50 of them, half or double change no mean accuracy by more
/// than 0.002.
const NAME: f64 = 5.0;
/// What the weights by held-out labels count, in known answers. Half or double change no mean accuracy by more than 0.001.
const WEIGHTS: f64 = 10.0;
/// Rounds of steps; each takes what is left to a fraction.
const ROUNDS: usize = 200;
/// The standard deviations of the two powers and of the shifts before any answer is known. With all true answers of fourteen
/// public sets the powers are .5 away from 1 and from 0, and the shifts 1.1 from 0 (root mean square; most are below .5).
/// For the powers, half of it or twice change no mean accuracy with 50 answers by more than two thousandths.
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

/// The powers of the probabilities and of the plain vote's shares, and the shifts, under which the known answers are most
/// probable, each held to none by its prior. `rows` and `shares` hold both, answer by answer.
///
/// Where models are sure of what is wrong, a mean of theirs and the plain vote's probabilities is theirs still, whatever
/// weights it has; a product with powers can be the plain vote. No power is below zero: a vote for a class never counts
/// against it.
pub(super) fn calibration(rows: &[Vec<f64>], shares: &[Vec<f64>], known: &Known) -> Sharpening {
    let classes = rows.first().map_or(0, Vec::len);
    let log = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
        rows.iter().map(|row| row.iter().map(|p| p.max(FLOOR).ln()).collect()).collect()
    };
    let (models, votes) = (log(rows), log(shares));
    // The two powers, then the shifts. The log-posterior is concave, so steps of one number at a time find its maximum.
    let prior: Vec<f64> = [1.0, 0.0].into_iter().chain(vec![0.0; classes]).collect();
    let factor = |number: usize, answer: usize, class: usize| match number {
        0 => models[answer][class],
        1 => votes[answer][class],
        shift => f64::from(u8::from(shift - 2 == class)),
    };
    let probabilities = |numbers: &[f64], answer: usize| -> Vec<f64> {
        let score =
            |class: usize| numbers[0] * models[answer][class] + numbers[1] * votes[answer][class] + numbers[2 + class];
        let scores: Vec<f64> = (0..classes).map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let all: f64 = scores.iter().map(|score| (score - most).exp()).sum();
        scores.iter().map(|score| (score - most).exp() / all).collect()
    };
    let value = |numbers: &[f64]| -> f64 {
        let held: f64 =
            numbers.iter().zip(&prior).map(|(number, prior)| 0.5 * ((number - prior) / FACTOR).powi(2)).sum();
        let fits = known.iter().enumerate().map(|(answer, &(_, class))| probabilities(numbers, answer)[class].ln());
        fits.sum::<f64>() - held
    };
    let mut numbers = prior.clone();
    let mut here = value(&numbers);
    for _ in 0..ROUNDS {
        let before = here;
        for number in 0..numbers.len() {
            let mut slope = -(numbers[number] - prior[number]) / (FACTOR * FACTOR);
            let mut curvature = 1.0 / (FACTOR * FACTOR);
            for (answer, &(_, class)) in known.iter().enumerate() {
                let p = probabilities(&numbers, answer);
                let mean: f64 = p.iter().enumerate().map(|(class, p)| p * factor(number, answer, class)).sum();
                let square: f64 =
                    p.iter().enumerate().map(|(class, p)| p * factor(number, answer, class).powi(2)).sum();
                slope += factor(number, answer, class) - mean;
                curvature += square - mean * mean;
            }
            let least = if number < 2 { 0.0 } else { f64::NEG_INFINITY };
            let from = numbers[number];
            let mut by = slope / curvature;
            while by.abs() > 1e-9 {
                numbers[number] = (from + by).max(least);
                let next = value(&numbers);
                if next > here {
                    here = next;
                    break;
                }
                numbers[number] = from;
                by /= 2.0;
            }
        }
        if here - before < 1e-9 {
            break;
        }
    }
    Sharpening { sharpness: numbers[0], vote_power: numbers[1], shift: numbers.split_off(2) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;

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
        // Sure of class 0 at 0.95 and right three times in four; votes say nothing.
        let rows = vec![vec![0.95, 0.05]; 200];
        let shares = vec![vec![0.5, 0.5]; 200];
        let known: Vec<(usize, usize)> = (0..200).map(|task| (task, usize::from(task % 4 == 0))).collect();
        let found = calibration(&rows, &shares, &known);
        let even = Ballots::from_tasks(&[vec![(0, 0), (1, 1)]], 2, 2).unwrap();
        let mut row = [0.95, 0.05];
        found.apply(even.votes(0), &mut row);
        assert!((row[0] - 0.75).abs() < 0.03, "{row:?}");
        assert!(found.sharpness < 1.0 && found.vote_power == 0.0 && found.shift.len() == 2);
        // Three answers, one of them wrong, move it part of the way to two thirds.
        let few = calibration(&rows[..3], &shares[..3], &known[..3]);
        let mut row = [0.95, 0.05];
        few.apply(even.votes(0), &mut row);
        assert!(row[0] > 0.75 && row[0] < 0.9, "{row:?}");
    }

    #[test]
    fn the_plain_vote_outweighs_models_that_are_sure_of_what_is_wrong() {
        // Models are right on every other task, sure at 0.97; votes are right on nine of ten, with four votes of five.
        let (mut rows, mut shares, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for task in 0..50usize {
            let class = task % 3 % 2;
            let of = |right: bool, p: f64| if right == (class == 0) { vec![p, 1.0 - p] } else { vec![1.0 - p, p] };
            rows.push(of(task % 2 == 0, 0.97));
            shares.push(of(task % 10 != 0, (4.0 + 0.5) / 6.0));
            known.push((task, class));
        }
        let found = calibration(&rows, &shares, &known);
        let score = |row: &[f64], share: &[f64], class: usize| {
            found.sharpness * row[class].ln() + found.vote_power * share[class].ln() + found.shift[class]
        };
        let right = (0..50).filter(|&task| {
            let class = known[task].1;
            score(&rows[task], &shares[task], class) > score(&rows[task], &shares[task], 1 - class)
        });
        assert_eq!(right.count(), 45, "{found:?}");
        // No other numbers nearby make the answers more probable: looked at one by one and two at a time.
        let at = |numbers: &[f64; 4]| -> f64 {
            let held = ((numbers[0] - 1.0).powi(2) + numbers[1..].iter().map(|x| x * x).sum::<f64>())
                / (2.0 * FACTOR * FACTOR);
            let fits = (0..50).map(|task| {
                let score = |class: usize| {
                    numbers[0] * rows[task][class].ln() + numbers[1] * shares[task][class].ln() + numbers[2 + class]
                };
                let class = known[task].1;
                -(1.0 + (score(1 - class) - score(class)).exp()).ln()
            });
            fits.sum::<f64>() - held
        };
        let here = [found.sharpness, found.vote_power, found.shift[0], found.shift[1]];
        for one in 0..4 {
            for other in 0..4 {
                for (a, b) in [(1e-2, 1e-2), (1e-2, -1e-2), (-1e-2, 1e-2), (-1e-2, -1e-2)] {
                    let mut moved = here;
                    moved[one] += a;
                    moved[other] += b;
                    assert!(moved[0] < 0.0 || moved[1] < 0.0 || at(&moved) <= at(&here) + 1e-9, "{here:?} {moved:?}");
                }
            }
        }
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
