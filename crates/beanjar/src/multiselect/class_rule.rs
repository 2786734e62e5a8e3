//! From scores to classes and their probabilities.

use super::Classes;
use crate::likeliest::likeliest;
use crate::linalg::Symmetric;

/// Where the scores of each class lie: what is needed to tell classes apart by Bayes' rule.
///
/// Scores are what the linear predictor says of each target. They are taken as normal within each class, with one
/// covariance W about the classes' means m_c (linear discriminant analysis), so that the log of a class's probability is
/// ln p_c + m_c' W^-1 (f - m_c / 2) and what is common to all.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClassRule {
    /// The mean scores of each class.
    pub means: Vec<Vec<f64>>,
    pub(super) within: Symmetric,
}

impl ClassRule {
    /// The rule for scores of known class: class and scores of each object. Where scores are as many as a good part of the
    /// objects, their correlations within classes are taken back.
    pub(super) fn of_scores<'a>(
        classes: &Classes,
        scores: impl Iterator<Item = (usize, &'a [f64])> + Clone,
    ) -> ClassRule {
        let targets = classes.targets();
        let mut counts = vec![0.0; classes.names.len()];
        let mut means = vec![vec![0.0; targets]; counts.len()];
        for (class, score) in scores.clone() {
            counts[class] += 1.0;
            means[class].iter_mut().zip(score).for_each(|(sum, score)| *sum += score);
        }
        let n: f64 = counts.iter().sum();
        let overall: Vec<f64> =
            (0..targets).map(|t| means.iter().map(|sums| sums[t]).sum::<f64>() / n.max(1.0)).collect();
        for (mean, &count) in means.iter_mut().zip(&counts) {
            match count > 0.0 {
                true => mean.iter_mut().for_each(|sum| *sum /= count),
                // Nothing is known of a class without objects: its scores are taken for those of any.
                false => mean.clone_from(&overall),
            }
        }
        let mut within = Symmetric::zeros(targets);
        let mut off = vec![0.0; targets];
        for (class, score) in scores {
            off.iter_mut().zip(score.iter().zip(&means[class])).for_each(|(off, (score, mean))| *off = score - mean);
            within.add_product((0, 0), (&off, targets), (&off, targets));
        }
        let total = |t: usize| {
            let between = means.iter().zip(&counts).map(|(mean, count)| count * (mean[t] - overall[t]).powi(2));
            (within[(t, t)] + between.sum::<f64>()) / n.max(1.0)
        };
        let least: Vec<f64> = (0..targets).map(|t| NOTHING * total(t)).collect();
        let spare = targets as f64 / (targets as f64 + n);
        let freedom = (n - counts.iter().filter(|count| **count > 0.0).count() as f64).max(1.0);
        let within = Symmetric::from_fn(targets, |i, j| match i == j {
            true => (within[(i, i)] / freedom).max(least[i]),
            false => within[(i, j)] / freedom * (1.0 - spare),
        });
        ClassRule { means, within }
    }

    /// The rule of scores whose covariance with the label's targets, and whose own, are known.
    pub(super) fn of_covariance(
        classes: &Classes,
        label_mean: &[f64],
        with_label: impl Fn(usize, usize) -> f64,
        own: impl Fn(usize, usize) -> f64,
    ) -> ClassRule {
        let offsets = classes.offsets(with_label);
        let between = |i: usize, j: usize| -> f64 {
            offsets.iter().zip(&classes.shares).map(|(offset, share)| share * offset[i] * offset[j]).sum()
        };
        let left = Symmetric::from_fn(label_mean.len(), |i, j| own(i, j) - between(i, j)).nearest_psd();
        let within = Symmetric::from_fn(label_mean.len(), |i, j| match i == j {
            true => left[(i, i)].max(NOTHING * own(i, i)),
            false => left[(i, j)] * (1.0 - NOTHING),
        });
        let mean = |offset: &Vec<f64>| offset.iter().zip(label_mean).map(|(offset, mean)| offset + mean).collect();
        ClassRule { means: offsets.iter().map(mean).collect(), within }
    }

    /// The rule of least squares that explains this share of the variance of two coded classes: its scores vary as much as
    /// they vary with the label.
    pub(super) fn of_two(classes: &Classes, explained: f64) -> ClassRule {
        let both = classes.shares.iter().product::<f64>();
        let scale = explained.clamp(NOTHING, 1.0 - NOTHING) / both.max(f64::MIN_POSITIVE);
        ClassRule::of_covariance(classes, &[0.0], |_, _| scale, |_, _| scale)
    }

    /// The covariance of a score with a target, and of two scores, over objects of these classes.
    pub(super) fn traces(&self, classes: &Classes, label_mean: &[f64]) -> (f64, f64) {
        let (mut with_label, mut own) = (0.0, 0.0);
        for t in 0..label_mean.len() {
            let offset = |class: usize| self.means[class][t] - label_mean[t];
            with_label += match self.means.len() {
                2 => offset(1) - offset(0),
                _ => classes.shares[t] * offset(t),
            };
            let between = (0..self.means.len()).map(|class| classes.shares[class] * offset(class).powi(2));
            own += self.within[(t, t)] + between.sum::<f64>();
        }
        (with_label, own)
    }

    /// This share of the way to another rule, whose scores are first brought to the spread of these.
    pub(super) fn towards(&self, other: &ClassRule, share: f64, classes: &Classes, label_mean: &[f64]) -> ClassRule {
        let (spread, others) = (self.traces(classes, label_mean).1, other.traces(classes, label_mean).1);
        let scale = if others > 0.0 { (spread / others).sqrt() } else { 1.0 };
        let mix = |own: f64, other: f64| own + share * (other - own);
        let mean = |(own, other): (&Vec<f64>, &Vec<f64>)| {
            let scaled = other.iter().zip(label_mean).map(|(other, middle)| middle + scale * (other - middle));
            own.iter().zip(scaled).map(|(own, other)| mix(*own, other)).collect()
        };
        let within = |i: usize, j: usize| mix(self.within[(i, j)], scale * scale * other.within[(i, j)]);
        ClassRule {
            means: self.means.iter().zip(&other.means).map(mean).collect(),
            within: Symmetric::from_fn(label_mean.len(), within),
        }
    }

    /// Ready to be used.
    pub(super) fn discriminant(&self, classes: &Classes) -> Discriminant {
        let factors = self.within.cholesky();
        let solve = |mean: &[f64]| match &factors {
            Some(factors) => factors.solve(mean),
            None => self.within.pseudo_solve(mean),
        };
        // About one point, so that what all classes have in common does not drown what they differ in.
        let n = self.means.len().max(1) as f64;
        let centre: Vec<f64> =
            (0..self.within.size()).map(|t| self.means.iter().map(|mean| mean[t]).sum::<f64>() / n).collect();
        let line = |(mean, share): (&Vec<f64>, &f64)| {
            let off: Vec<f64> = mean.iter().zip(&centre).map(|(mean, centre)| mean - centre).collect();
            let slopes = solve(&off);
            let at_centre = share.ln() - slopes.iter().zip(&off).map(|(slope, off)| slope * off).sum::<f64>() / 2.0;
            (at_centre, slopes)
        };
        Discriminant { lines: self.means.iter().zip(&classes.shares).map(line).collect(), centre }
    }

    /// Whether the parts fit together; a file may hold anything.
    pub(super) fn is_sound(&self, classes: &Classes, most: f64) -> bool {
        let targets = classes.targets();
        let fine = |mean: &Vec<f64>| mean.len() == targets && mean.iter().all(|x| x.abs() <= most);
        self.means.len() == classes.names.len()
            && self.means.iter().all(fine)
            && self.within.size() == targets
            && self.within.is_sound()
            && self.within.is_psd((0..targets).map(|t| self.within[(t, t)].abs()).fold(0.0, f64::max))
    }
}

/// A variance within classes below this share of the whole is none: classes are separated with certainty.
const NOTHING: f64 = 1e-9;

/// A linear function of the scores for each class: the log of its probability, but for what is common to all.
pub(super) struct Discriminant {
    /// Of each class, its value at the centre and its slopes.
    lines: Vec<(f64, Vec<f64>)>,
    centre: Vec<f64>,
}

impl Discriminant {
    /// The probability of each class of an object with these scores.
    pub(super) fn probabilities(&self, scores: &[f64]) -> Vec<f64> {
        let off: Vec<f64> = scores.iter().zip(&self.centre).map(|(score, centre)| score - centre).collect();
        let log = |(at_centre, slopes): &(f64, Vec<f64>)| at_centre + crate::linalg::dot(slopes, &off);
        let logs: Vec<f64> = self.lines.iter().map(log).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let odds: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let all: f64 = odds.iter().sum();
        odds.into_iter().map(|odds| odds / all).collect()
    }

    /// The likeliest class; of equals the first.
    pub(super) fn class(&self, scores: &[f64]) -> usize {
        likeliest(&self.probabilities(scores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand_distr::{Distribution, StandardNormal};

    fn classes(shares: &[f64]) -> Classes {
        Classes { names: (0..shares.len()).map(|class| format!("c{class}")).collect(), shares: shares.to_vec() }
    }

    #[test]
    fn two_normal_classes_have_the_probabilities_of_bayes() {
        // Three of four objects are of the second class, two deviations above the first.
        let (classes, mut random) = (classes(&[0.25, 0.75]), stream(8, 8));
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let of: Vec<usize> = (0..40_000).map(|i| usize::from(i % 4 != 0)).collect();
        let x: Vec<f64> = of.iter().map(|class| normal() + 2.0 * *class as f64).collect();
        let code = |class: usize| [-4.0, 4.0 / 3.0][class];
        let labels: Vec<f64> = of.iter().map(|&class| code(class)).collect();
        let (weights, bias) = crate::linalg::least_squares(&x.iter().map(|x| vec![*x]).collect::<Vec<_>>(), &labels);
        let score = |x: f64| bias + weights[0] * x;
        let n = x.len() as f64;
        let loss = x.iter().zip(&labels).map(|(x, y)| (score(*x) - y).powi(2)).sum::<f64>() / n;
        let explained = 1.0 - loss / (labels.iter().map(|y| y * y).sum::<f64>() / n);
        let scores: Vec<f64> = x.iter().map(|x| score(*x)).collect();
        let counted = ClassRule::of_scores(
            &classes,
            of.iter().zip(&scores).map(|(&of, score)| (of, std::slice::from_ref(score))),
        );
        for rule in [ClassRule::of_two(&classes, explained), counted] {
            let discriminant = rule.discriminant(&classes);
            for at in [-1.0, 0.5, 1.0, 2.5] {
                let density = |mean: f64| (-(at - mean) * (at - mean) / 2.0f64).exp();
                let bayes = 0.75 * density(2.0) / (0.75 * density(2.0) + 0.25 * density(0.0));
                let found = discriminant.probabilities(&[score(at)]);
                // Scores of 40,000 objects: slopes are known to about a hundredth.
                assert!(
                    (found[1] - bayes).abs() < 0.02 && (found[0] + found[1] - 1.0).abs() < 1e-12,
                    "{at}: {found:?} {bayes}"
                );
            }
        }
        assert_eq!(ClassRule::of_two(&classes, 0.0).discriminant(&classes).class(&[0.0]), 1, "the larger class");
    }

    #[test]
    fn covariances_and_scores_give_one_rule() {
        // Scores of three classes, and the rule by the covariances of those scores: the same but for what is taken back.
        let mut random = stream(9, 9);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let of: Vec<usize> = (0..60_000).map(|i| [0, 0, 0, 1, 1, 2][i % 6]).collect();
        let classes = classes(&[0.5, 1.0 / 3.0, 1.0 / 6.0]);
        let scores: Vec<Vec<f64>> = of
            .iter()
            .map(|&class| {
                let score = |t: usize| if t == class { 0.4 } else { 0.1 };
                let (x, y) = (0.2 * normal(), 0.15 * normal());
                vec![score(0) + x, score(1) + y, score(2) - x - y + 0.1 * normal()]
            })
            .collect();
        let n = of.len() as f64;
        let mean: Vec<f64> = (0..3).map(|t| scores.iter().map(|score| score[t]).sum::<f64>() / n).collect();
        let own = |i: usize, j: usize| scores.iter().map(|s| (s[i] - mean[i]) * (s[j] - mean[j])).sum::<f64>() / n;
        let with = |i: usize, class: usize| {
            let off = scores.iter().zip(&of).filter(|(_, of)| **of == class).map(|(score, _)| score[i] - mean[i]);
            off.sum::<f64>() / n
        };
        let one = ClassRule::of_scores(&classes, of.iter().zip(&scores).map(|(&of, score)| (of, &score[..])));
        let other = ClassRule::of_covariance(&classes, &mean, with, own);
        for i in 0..3 {
            for class in 0..3 {
                assert!((one.means[class][i] - other.means[class][i]).abs() < 1e-9);
            }
            assert!((0..3).all(|j| (one.within[(i, j)] - other.within[(i, j)]).abs() < 1e-4));
        }
        let (with_label, all) = one.traces(&classes, &mean);
        assert!((with_label - (0..3).map(|t| with(t, t)).sum::<f64>()).abs() < 1e-9);
        assert!((all - (0..3).map(|t| own(t, t)).sum::<f64>()).abs() < 1e-4);
        assert!(one.is_sound(&classes, 1e9) && !ClassRule { means: Vec::new(), ..one }.is_sound(&classes, 1e9));
    }
}
