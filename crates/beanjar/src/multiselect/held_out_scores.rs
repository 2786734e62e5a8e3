//! Scores of held-out objects, as they would be with the judgments that are planned, and how many classes they get wrong.

use super::class_rule::ClassRule;
use super::{Classes, Estimates, LabelledJudgments, TargetRows};
use crate::linalg::{Square, Symmetric};
use crate::random::{key, key_of_text, stream};
use rand::seq::SliceRandom;

/// The scores of a fold's held-out objects that have judgments of all attributes in use.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FoldScores {
    classes: Vec<usize>,
    /// One for each target, object by object.
    scores: Vec<f64>,
    targets: usize,
    /// Sums over the objects of the covariance that noise gives to their scores: with the judgments that were used, and with
    /// those planned.
    used: Vec<f64>,
    planned: Vec<f64>,
}

impl FoldScores {
    /// The scores of these objects by weights for `repeats` judgments, which were found from other objects. An object with
    /// more judgments than planned is scored by a random draw of as many; one with fewer by all it has.
    pub(super) fn of(
        data: LabelledJudgments<'_>,
        classes: &Classes,
        objects: &[usize],
        from: (&Estimates, &TargetRows, &[u32]),
        seed: u64,
    ) -> FoldScores {
        let (estimates, weights, repeats) = from;
        let targets = data.targets;
        let in_use = repeats.iter().filter(|repeats| **repeats > 0).count();
        let mut found = FoldScores::empty(targets);
        for &object in objects {
            let place = key_of_text(key(seed, 1), data.judgments.objects.get(object));
            let mut score = estimates.label_mean.clone();
            let (mut used, mut planned) = (vec![0.0; targets * targets], vec![0.0; targets * targets]);
            let mut judged = 0;
            for (a, _, values) in data.judgments.of(object).by_attribute().filter(|(a, ..)| repeats[*a] > 0) {
                let taken = values.len().min(repeats[a] as usize);
                let mut values = values.to_vec();
                values.sort_unstable_by(f64::total_cmp);
                let mut random = stream(seed, key_of_text(place, data.judgments.attributes.get(a)));
                let (drawn, _) = values.partial_shuffle(&mut random, taken);
                let off = data.deviation(a, drawn, estimates.centre[a]);
                score.iter_mut().zip(&weights[a]).for_each(|(score, weight)| *score += weight * off);
                add_outer(&mut used, &weights[a], estimates.noise_of(a, taken as u32) / data.noise_factor(a));
                add_outer(&mut planned, &weights[a], estimates.noise_of(a, repeats[a]));
                judged += 1;
            }
            if judged == in_use {
                found.classes.push(classes.of_label(data.label(object)));
                found.scores.extend(score);
                found.used.iter_mut().zip(used).for_each(|(sum, x)| *sum += x);
                found.planned.iter_mut().zip(planned).for_each(|(sum, x)| *sum += x);
            }
        }
        found
    }

    pub(super) fn empty(targets: usize) -> FoldScores {
        let none = vec![0.0; targets * targets];
        FoldScores { classes: Vec::new(), scores: Vec::new(), targets, used: none.clone(), planned: none }
    }

    /// Adds an object that was judged as planned.
    pub(super) fn push(&mut self, class: usize, scores: &[f64]) {
        self.classes.push(class);
        self.scores.extend(scores);
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &[f64])> + Clone {
        self.classes.iter().copied().zip(self.scores.chunks_exact(self.targets.max(1)))
    }
}

fn add_outer(sum: &mut [f64], weights: &[f64], scale: f64) {
    for (row, one) in sum.chunks_exact_mut(weights.len()).zip(weights) {
        row.iter_mut().zip(weights).for_each(|(sum, other)| *sum += scale * one * other);
    }
}

/// What became of held-out objects.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Recognised {
    /// The share of them in the wrong class.
    pub(super) error_rate: f64,
    /// Of each class the share that is put there.
    pub(super) recall: Vec<f64>,
}

impl Recognised {
    /// The mean over rounds; none if there is none.
    pub(super) fn mean(rounds: &[Recognised]) -> Option<Recognised> {
        let n = rounds.len() as f64;
        let classes = rounds.first()?.recall.len();
        let recall = |class: usize| rounds.iter().map(|round| round.recall[class]).sum::<f64>() / n;
        Some(Recognised {
            error_rate: rounds.iter().map(|round| round.error_rate).sum::<f64>() / n,
            recall: (0..classes).map(recall).collect(),
        })
    }
}

/// Objects that it takes to count errors.
const FEWEST: usize = 10;

/// The errors in one round of folds. Each fold is classified by the rule of the others. None if hardly any object has
/// judgments of all attributes in use.
pub(super) fn recognised(folds: &[FoldScores], classes: &Classes) -> Option<Recognised> {
    let folds = as_planned(folds, classes)?;
    let mut right = vec![0.0; classes.names.len()];
    let mut of = vec![0.0; classes.names.len()];
    for (held_out, fold) in folds.iter().enumerate() {
        let others = folds.iter().enumerate().filter(|(number, _)| *number != held_out);
        let rule = ClassRule::of_scores(classes, others.flat_map(|(_, fold)| fold.iter()));
        let discriminant = rule.discriminant(classes);
        for (class, scores) in fold.iter() {
            of[class] += 1.0;
            right[class] += f64::from(u8::from(discriminant.class(scores) == class));
        }
    }
    let recall = right.iter().zip(&of).map(|(right, of): (&f64, &f64)| if *of > 0.0 { right / of } else { 0.0 });
    let error_rate = 1.0 - right.iter().sum::<f64>() / of.iter().sum::<f64>();
    Some(Recognised { error_rate, recall: recall.collect() })
}

/// The rule of all folds together.
pub(super) fn rule(folds: &[FoldScores], classes: &Classes) -> Option<ClassRule> {
    let folds = as_planned(folds, classes)?;
    Some(ClassRule::of_scores(classes, folds.iter().flat_map(FoldScores::iter)))
}

/// The scores as they would be with the judgments planned.
///
/// Scores f of a class vary about its mean with covariance W, of which judgments' noise is N. With the judgments planned it
/// would be N', so scores are moved towards their class's mean, or away from it, until they vary by W - N + N', but never by
/// less than N'. Their shape stays what it is: nothing is taken for normal.
fn as_planned(folds: &[FoldScores], classes: &Classes) -> Option<Vec<FoldScores>> {
    let n: usize = folds.iter().map(|fold| fold.classes.len()).sum();
    if n < FEWEST {
        return None;
    }
    let targets = classes.targets();
    let mean = |of: fn(&FoldScores) -> &Vec<f64>| -> Vec<f64> {
        (0..targets * targets).map(|i| folds.iter().map(|fold| of(fold)[i]).sum::<f64>() / n as f64).collect()
    };
    let (used, planned) = (mean(|fold| &fold.used), mean(|fold| &fold.planned));
    if used == planned {
        return Some(folds.to_vec());
    }
    let rule = ClassRule::of_scores(classes, folds.iter().flat_map(FoldScores::iter));
    let more = Symmetric::from_fn(targets, |i, j| used[i * targets + j] - planned[i * targets + j]);
    let planned = Symmetric::from_fn(targets, |i, j| planned[i * targets + j]);
    let change = change(&rule.within, &more, &planned)?;
    let mut folds = folds.to_vec();
    for fold in &mut folds {
        for (class, score) in fold.classes.iter().zip(fold.scores.chunks_exact_mut(targets)) {
            let middle = &rule.means[*class];
            let off: Vec<f64> = score.iter().zip(middle).map(|(score, mean)| score - mean).collect();
            for (t, score) in score.iter_mut().enumerate() {
                *score = middle[t] + (0..targets).map(|u| change[(t, u)] * off[u]).sum::<f64>();
            }
        }
    }
    Some(folds)
}

/// T with T W T' = W - D, where no direction is left with less than `least`.
fn change(within: &Symmetric, more: &Symmetric, least: &Symmetric) -> Option<Square> {
    let m = within.size();
    let (vectors, values) = within.eigen()?;
    let largest = values.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..m).filter(|&k| values[k] > 1e-9 * largest).collect();
    // P = U lambda^-1/2, in whose coordinates W is the identity.
    let whiten = |i: usize, k: usize| vectors[(i, kept[k])] / values[kept[k]].sqrt();
    let in_white = |matrix: &Symmetric| {
        Symmetric::from_fn(kept.len(), |k, l| {
            (0..m).map(|i| (0..m).map(|j| whiten(i, k) * matrix[(i, j)] * whiten(j, l)).sum::<f64>()).sum()
        })
    };
    let (more, least) = (in_white(more), in_white(least));
    let (axes, shares) = more.eigen()?;
    let of = |matrix: &Symmetric, axis: usize| -> f64 {
        let size = matrix.size();
        (0..size).map(|k| (0..size).map(|l| axes[(k, axis)] * matrix[(k, l)] * axes[(l, axis)]).sum::<f64>()).sum()
    };
    let scale: Vec<f64> =
        (0..shares.len()).map(|axis| (1.0 - shares[axis]).max(of(&least, axis)).max(0.0).sqrt()).collect();
    let middle = |k: usize, l: usize| -> f64 {
        (0..scale.len()).map(|axis| axes[(k, axis)] * scale[axis] * axes[(l, axis)]).sum()
    };
    Some(Square::from_fn(m, |i, j| {
        let mut sum = 0.0;
        for k in 0..kept.len() {
            for l in 0..kept.len() {
                sum += vectors[(i, kept[k])] * values[kept[k]].sqrt() * middle(k, l) * whiten(j, l);
            }
        }
        sum
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leaves_the_covariance_that_is_wanted() {
        let within = Symmetric::from_fn(3, |i, j| if i == j { 2.0 + i as f64 } else { 0.5 });
        let more = Symmetric::from_fn(3, |i, j| if i == j { 0.6 } else { 0.2 * (i + j) as f64 / 3.0 });
        let found = change(&within, &more, &Symmetric::zeros(3)).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let mut sum = 0.0;
                for k in 0..3 {
                    for l in 0..3 {
                        sum += found[(i, k)] * within[(k, l)] * found[(j, l)];
                    }
                }
                assert!((sum - (within[(i, j)] - more[(i, j)])).abs() < 1e-9, "{i} {j}: {sum}");
            }
        }
        // More noise than there is variance: what the planned judgments have of their own stays.
        let least = Symmetric::from_fn(1, |_, _| 0.3);
        let found = change(&Symmetric::from_fn(1, |_, _| 1.0), &Symmetric::from_fn(1, |_, _| 1.5), &least).unwrap();
        assert!((found[(0, 0)] - 0.3f64.sqrt()).abs() < 1e-12);
    }
}
