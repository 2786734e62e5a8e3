//! What is known of attributes and label, ready to select by.

use super::moments::{Moments, sums};
use super::{Combined, LabelledJudgments, TargetRows};
use crate::linalg::Symmetric;
use crate::{Context, Error, Result};

/// The moments that selection and prediction are computed from.
///
/// With the same number k of judgments everywhere these are Algorithm 1's: b, v, sigma^2 rounded up to 0, and Sigma
/// made positive semidefinite; all about the means, as section 3.4 asks. Where counts differ, an entry is estimated
/// without bias from the objects that have what it takes.
///
/// Cost: O(judgments + objects d^2), one pass, and O(d^3) for the nearest positive semidefinite matrix.
#[derive(Clone, Debug)]
pub struct Estimates {
    /// The attributes' names.
    pub attributes: Vec<String>,
    /// The number of labelled objects that they are estimated from.
    pub objects: usize,
    /// The mean of each target of the label.
    pub label_mean: Vec<f64>,
    /// The mean squared label about it, divided by the number of objects and summed over targets.
    pub label_variance: f64,
    /// Each attribute's mean over objects.
    pub centre: Vec<f64>,
    /// b: each attribute's covariance with each target of the label.
    pub covariance: TargetRows,
    /// v: the variance of judgments of one object, of those to come.
    pub noise: Vec<f64>,
    /// sigma^2: the variance of the true values over objects; never negative.
    pub signal: Vec<f64>,
    /// Whether an attribute's noise is known. It is not if no object has two judgments of it; then it is never chosen.
    pub usable: Vec<bool>,
    /// What combined judgments tell of each attribute; empty for means.
    pub(super) combined: Vec<Combined>,
    /// What the ridge added to the diagonal of Sigma.
    pub(super) ridge: Vec<f64>,
    pub(super) external: Symmetric,
    /// The covariance of the means of the judgments at hand.
    pub(super) averaged: Symmetric,
}

impl Estimates {
    /// Estimates the moments of labelled judgments.
    ///
    /// `ridge` times (signal + noise / 2) is added to the diagonal of Sigma: 0 is the paper's algorithm, more keeps
    /// the weights small where objects are few.
    pub fn new(data: LabelledJudgments<'_>, ridge: f64, context: &Context) -> Result<Self> {
        check_ridge(ridge)?;
        let (mean, centred) = centred(data)?;
        let sums = sums(LabelledJudgments { labels: &centred, ..data }, &|_| 1, context);
        let moments = sums.about(&sums.centre());
        let estimates = Estimates::from_moments(data, moments, sums.objects(), mean).ridged(ridge);
        if !estimates.usable.contains(&true) {
            return Err(Error::NoNoise);
        }
        Ok(estimates)
    }

    pub(super) fn from_moments(
        data: LabelledJudgments<'_>,
        moments: Moments,
        objects: f64,
        label_mean: Vec<f64>,
    ) -> Self {
        let attributes = data.attribute_names();
        let mut averaged = moments.external.clone();
        moments.of_means.iter().enumerate().for_each(|(a, of_means)| averaged[(a, a)] = *of_means);
        let known = |a: usize| if moments.usable[a] { moments.of_means[a] } else { 0.0 };
        let of_means: Vec<f64> = (0..attributes.len()).map(known).collect();
        let signal = (0..attributes.len()).map(|a| moments.external[(a, a)].max(0.0)).collect();
        Estimates {
            combined: data.combined.to_vec(),
            ridge: vec![0.0; attributes.len()],
            attributes,
            objects: objects as usize,
            label_mean,
            label_variance: moments.label_variance,
            centre: moments.centres,
            covariance: moments.covariance,
            noise: moments.noise.iter().enumerate().map(|(a, noise)| noise * data.noise_factor(a)).collect(),
            signal,
            usable: moments.usable,
            external: moments.external.nearest_psd_within(&of_means),
            averaged,
        }
    }

    /// The same with a ridge on the diagonal of Sigma.
    pub(super) fn ridged(mut self, ridge: f64) -> Self {
        self.set_ridge(ridge, &self.diagonal());
        self
    }

    /// The diagonal of Sigma.
    pub(super) fn diagonal(&self) -> Vec<f64> {
        (0..self.len()).map(|a| self.external[(a, a)]).collect()
    }

    /// Puts a ridge on what was the diagonal of Sigma without one.
    pub(super) fn set_ridge(&mut self, ridge: f64, diagonal: &[f64]) {
        for a in 0..self.attributes.len() {
            let added = ridge * (self.signal[a] + self.noise[a] / 2.0);
            self.external[(a, a)] = diagonal[a] + added;
            self.ridge[a] = added;
        }
    }

    /// Sigma: the covariance of the true values of two attributes, made positive semidefinite, with any ridge.
    ///
    /// # Panics
    /// If there are no such attributes.
    #[must_use]
    pub fn external(&self, a: usize, b: usize) -> f64 {
        self.external[(a, b)]
    }

    /// The ridge that was asked for.
    pub(super) fn ridge_given(&self) -> f64 {
        let scale = self.signal.iter().zip(&self.noise).map(|(signal, noise)| signal + noise / 2.0);
        scale.zip(&self.ridge).find(|(scale, _)| *scale > 0.0).map_or(0.0, |(scale, ridge)| ridge / scale)
    }

    /// Whether all moments are numbers that can be worked with.
    pub(super) fn is_in_scale(&self) -> bool {
        let fine = |value: &f64| value.is_finite() && value.abs() < 1e250;
        (1e-250..1e250).contains(&self.label_variance)
            && self.covariance.values().iter().chain(&self.noise).chain(&self.signal).all(fine)
    }

    /// How many attributes there are.
    pub(super) fn len(&self) -> usize {
        self.attributes.len()
    }

    /// The weights of the best linear predictor from means of `repeats` judgments, w = (Sigma + diag(v / r))^-1 b; 0 for
    /// an attribute that is not judged.
    pub fn weights(&self, repeats: &[u32]) -> Result<TargetRows> {
        let (found, expected) = (repeats.len(), self.len());
        match found == expected {
            true => Ok(self.weights_for(repeats)),
            false => Err(Error::WrongLength { what: "numbers of judgments", found, of: "attributes", expected }),
        }
    }

    /// The same for one number of judgments for each attribute.
    pub(super) fn weights_for(&self, repeats: &[u32]) -> TargetRows {
        let chosen: Vec<usize> = (0..self.len()).filter(|&a| repeats[a] > 0).collect();
        let mut matrix = self.external.of(&chosen);
        for (i, &a) in chosen.iter().enumerate() {
            matrix[(i, i)] += self.noise_of(a, repeats[a]);
        }
        solved(&matrix, &chosen, &self.covariance)
    }

    /// The noise of the one number that `repeats` judgments become.
    pub(super) fn noise_of(&self, attribute: usize, repeats: u32) -> f64 {
        match self.combined.get(attribute) {
            None => self.noise[attribute] / f64::from(repeats),
            Some(combined) => self.noise[attribute] * combined.noise(repeats),
        }
    }

    /// The noise of the measurement that `more` judgments beyond `repeats` are worth; none if they tell nothing.
    pub(super) fn noise_of_more(&self, attribute: usize, repeats: u32, more: u32) -> Option<f64> {
        let after = self.noise_of(attribute, repeats + more);
        if repeats == 0 {
            return Some(after);
        }
        if self.combined.is_empty() {
            return Some(self.noise[attribute] / f64::from(more));
        }
        // Precisions add: 1 / after - 1 / before.
        let before = self.noise_of(attribute, repeats);
        (before > after * (1.0 + 1e-9)).then(|| before * after / (before - after))
    }

    /// For each attribute a noise v so that no number r of judgments has less than v / r.
    pub(super) fn least_noise(&self) -> Vec<f64> {
        let of = |(a, noise): (usize, &f64)| noise * self.combined.get(a).map_or(1.0, Combined::least_noise);
        self.noise.iter().enumerate().map(of).collect()
    }

    /// Weights of true values as weights of the numbers that judgments become, and the bias.
    pub(super) fn of_combined(&self, weights: &TargetRows, repeats: &[u32]) -> (TargetRows, Vec<f64>) {
        let (mut scaled, mut bias) = (weights.clone(), self.label_mean.clone());
        for a in (0..self.len()).filter(|&a| repeats[a] > 0) {
            let (slope, shift) =
                self.combined.get(a).map_or((1.0, 0.0), |of| (of.slope(repeats[a]), of.shift(repeats[a])));
            for (weight, bias) in scaled[a].iter_mut().zip(&mut bias) {
                *weight /= slope;
                *bias -= *weight * (self.centre[a] + shift);
            }
        }
        (scaled, bias)
    }

    /// The bias of each target that goes with the weights.
    #[must_use]
    pub fn bias(&self, weights: &TargetRows) -> Vec<f64> {
        let mut bias = self.label_mean.clone();
        for (a, centre) in self.centre.iter().enumerate() {
            bias.iter_mut().zip(&weights[a]).for_each(|(bias, weight)| *bias -= weight * centre);
        }
        bias
    }
}

/// The rows w of the chosen attributes with `matrix` w = b; zeros for the others.
pub(super) fn solved(matrix: &Symmetric, chosen: &[usize], b: &TargetRows) -> TargetRows {
    let mut weights = TargetRows::zeros(b.len(), b.targets());
    let factors = matrix.cholesky();
    for target in 0..b.targets() {
        let of: Vec<f64> = chosen.iter().map(|&a| b[a][target]).collect();
        let found = factors.as_ref().map_or_else(|| matrix.pseudo_solve(&of), |factors| factors.solve(&of));
        for (&a, weight) in chosen.iter().zip(found) {
            weights[a][target] = weight;
        }
    }
    weights
}

/// An error if a ridge is negative or not finite.
pub(super) fn check_ridge(ridge: f64) -> Result<()> {
    match ridge.is_finite() && ridge >= 0.0 {
        true => Ok(()),
        false => Err(Error::OutOfRange { name: "the ridge", value: ridge.to_string(), range: "at least 0" }),
    }
}

/// The mean of each target over the labels there are, and all labels less it. An error if there are fewer than two labels,
/// or they are all one.
pub(super) fn centred(data: LabelledJudgments<'_>) -> Result<(Vec<f64>, Vec<f64>)> {
    if let Some(elsewhere) = data.elsewhere {
        let means = elsewhere.label_means()?;
        let centred = data.labels.iter().zip(means.iter().cycle()).map(|(label, mean)| label - mean).collect();
        return Ok((means, centred));
    }
    let known: Vec<usize> = data.labelled().collect();
    if known.len() < 2 {
        return Err(Error::FewLabels(known.len()));
    }
    let first = data.label(known[0]);
    if known.iter().all(|&object| data.label(object) == first) {
        return Err(Error::ConstantLabel(first[0]));
    }
    let n = known.len() as f64;
    let mean = |target: usize| known.iter().map(|&object| data.label(object)[target]).sum::<f64>() / n;
    let means: Vec<f64> = (0..data.targets).map(mean).collect();
    let centred = data.labels.iter().zip(means.iter().cycle()).map(|(label, mean)| label - mean).collect();
    Ok((means, centred))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::Judgments;
    use crate::multiselect::Spending;
    use crate::random::stream;
    use rand_distr::{Distribution, StandardNormal};

    /// Estimates from random judgments of correlated attributes, two or three each.
    pub(crate) fn random_estimates(seed: u64, d: usize, objects: usize) -> Estimates {
        let (judgments, labels) = random_judgments(seed, d, objects);
        estimated(&judgments, &labels)
    }

    pub(crate) fn estimated(judgments: &Judgments, labels: &[f64]) -> Estimates {
        Estimates::new(LabelledJudgments::new(judgments, labels).unwrap(), 0.0, &Context::new()).unwrap()
    }

    /// Random judgments of correlated attributes, two or three each, with labels.
    pub(crate) fn random_judgments(seed: u64, d: usize, objects: usize) -> (Judgments, Vec<f64>) {
        let mut random = stream(seed, 0);
        let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
        let loadings: Vec<[f64; 3]> = (0..d).map(|_| [normal(), normal(), normal()]).collect();
        let spreads: Vec<f64> = (0..d).map(|_| 0.2 + normal().abs()).collect();
        let (mut rows, mut labels) = (Vec::new(), Vec::new());
        for object in 0..objects {
            let factors = [normal(), normal(), normal()];
            labels.push(factors[0] - 0.5 * factors[1] + 0.3 * normal() + 5.0);
            for a in 0..d {
                let truth = loadings[a].iter().zip(&factors).map(|(l, f)| l * f).sum::<f64>() + 0.5 * normal();
                for _ in 0..2 + (object + a) % 2 {
                    rows.push((format!("o{object}"), format!("a{a}"), 10.0 + truth + spreads[a] * normal()));
                }
            }
        }
        let judgments = Judgments::from_rows(rows.iter().map(|(o, a, v)| (&o[..], &a[..], "", *v))).unwrap();
        (judgments, labels)
    }

    pub(crate) fn unit(budget: u32, d: usize) -> Spending {
        Spending::judgments(budget, d)
    }

    #[test]
    fn shifting_and_scaling_an_attribute_changes_only_its_weight() {
        let (judgments, labels) = random_judgments(3, 4, 50);
        let moved: Vec<(String, String, f64)> = (0..50)
            .flat_map(|object| {
                let judgments = &judgments;
                judgments.of(object).by_attribute().flat_map(move |(a, _, values)| {
                    let (object, a_name) = (judgments.objects.get(object), judgments.attributes.get(a));
                    let change = move |value: f64| if a == 2 { 1000.0 - 7.0 * value } else { value };
                    values.iter().map(move |&value| (object.to_owned(), a_name.to_owned(), change(value)))
                })
            })
            .collect();
        let moved = Judgments::from_rows(moved.iter().map(|(o, a, v)| (&o[..], &a[..], "", *v))).unwrap();
        let (before, after) = (estimated(&judgments, &labels), estimated(&moved, &labels));
        let (one, two) = (before.weights(&[1, 3, 2, 1]).unwrap(), after.weights(&[1, 3, 2, 1]).unwrap());
        for a in 0..4 {
            let expected = if a == 2 { one[a][0] / -7.0 } else { one[a][0] };
            assert!((two[a][0] - expected).abs() < 1e-8, "{a}: {} and {expected}", two[a][0]);
        }
    }

    #[test]
    fn labels_must_be_there_and_differ() {
        let (judgments, _) = random_judgments(3, 2, 5);
        let estimate = |labels: &[f64]| {
            let data = LabelledJudgments::new(&judgments, labels)?;
            Estimates::new(data, 0.0, &Context::new()).map(|_| ())
        };
        assert_eq!(estimate(&[f64::NAN; 5]), Err(Error::FewLabels(0)));
        assert_eq!(estimate(&[3.0; 5]), Err(Error::ConstantLabel(3.0)));
        for wrong in [4, 6] {
            assert!(matches!(estimate(&vec![3.0; wrong]), Err(Error::WrongLength { expected: 5, .. })), "{wrong}");
        }
    }

    #[test]
    fn weights_are_for_as_many_attributes_as_there_are() {
        let estimates = random_estimates(3, 2, 20);
        assert!(estimates.weights(&[1]).is_err() && estimates.weights(&[1, 1, 1]).is_err());
        let data = random_judgments(3, 2, 20);
        let data = LabelledJudgments::new(&data.0, &data.1).unwrap();
        assert!(Estimates::new(data, -0.1, &Context::new()).is_err());
    }
}
