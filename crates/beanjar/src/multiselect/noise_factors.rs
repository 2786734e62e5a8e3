//! A crowd that changes between collection and use.

use super::attribute_names::find;
use crate::judgments::Grouped;
use crate::reliability::{AttributeSums, first_values};
use crate::{Dictionary, Error, Judgments, Result};
use std::collections::BTreeMap;

/// How many times the noise of the judgments at hand those of new objects have: of each attribute, and of all others.
///
/// From a pilot, a few judgments by the crowd to come: each attribute's ratio of variances has a logarithm whose own variance
/// is about 2 / f + 2 / g with f and g degrees of freedom. Attributes are drawn towards their common mean as far as they
/// differ by no more than chance (DerSimonian and Laird); those without two judgments of an object in the pilot have the
/// common mean.
#[derive(Clone, Debug, PartialEq)]
pub struct NoiseFactors {
    /// By attribute.
    pub of: BTreeMap<String, f64>,
    /// Of the others.
    pub others: f64,
}

/// The crowd stays as it is.
impl Default for NoiseFactors {
    fn default() -> Self {
        NoiseFactors { of: BTreeMap::new(), others: 1.0 }
    }
}

/// Factors within which a crowd can be believed to lie.
const RANGE: (f64, f64) = (1e-6, 1e6);

impl NoiseFactors {
    /// From a second sample of judgments, made by those who will judge new objects. An error if no attribute has two
    /// judgments of one object both in it and in the judgments at hand.
    pub fn from_pilot(judgments: &Judgments, pilot: &Judgments) -> Result<Self> {
        let (old, new) = (noises(judgments), noises(pilot));
        let at = pilot.attributes.lookup();
        let mut ratios = Vec::new();
        for (name, &(noise, freedom)) in judgments.attributes.iter().zip(&old) {
            let Some(&(other, others)) = at.code(name).and_then(|code| new.get(code)) else { continue };
            if noise > 0.0 && other > 0.0 && freedom > 0.0 && others > 0.0 {
                // The mean of the logarithm of a variance is about 1 / f too small.
                let log = (other / noise).ln() + 1.0 / others - 1.0 / freedom;
                ratios.push(Ratio { name, log, variance: 2.0 / others + 2.0 / freedom });
            }
        }
        if ratios.is_empty() {
            return Err(Error::NoPilotNoise);
        }
        let (mean, between) = common(&ratios);
        let kept = |ratio: &Ratio<'_>| {
            let log = (ratio.log * between + mean * ratio.variance) / (between + ratio.variance);
            (ratio.name.to_owned(), log.exp())
        };
        Ok(NoiseFactors { of: ratios.iter().map(kept).collect(), others: mean.exp() })
    }

    /// An error if a factor is not above 0, or far from any that a crowd has.
    pub fn check(&self) -> Result<()> {
        let bad = |factor: &f64| !(RANGE.0..=RANGE.1).contains(factor);
        match self.of.values().chain([&self.others]).find(|factor| bad(factor)) {
            None => Ok(()),
            Some(factor) => {
                let (name, range) = ("a noise factor", "above 0: from 1e-6 to 1e6");
                Err(Error::OutOfRange { name, value: factor.to_string(), range })
            }
        }
    }

    /// In the order of these attributes; empty if all are 1. An error if there is no such attribute.
    pub(super) fn in_order(&self, attributes: &Dictionary) -> Result<Vec<f64>> {
        let mut factors = vec![self.others; attributes.len()];
        for (name, factor) in &self.of {
            factors[find(attributes, name)?] = *factor;
        }
        Ok(if factors.iter().all(|factor| *factor == 1.0) { Vec::new() } else { factors })
    }
}

struct Ratio<'a> {
    name: &'a str,
    log: f64,
    variance: f64,
}

/// The common mean of logarithms, and the variance between them beyond chance.
fn common(ratios: &[Ratio<'_>]) -> (f64, f64) {
    let mean = |between: f64| {
        let weights: f64 = ratios.iter().map(|ratio| 1.0 / (ratio.variance + between)).sum();
        ratios.iter().map(|ratio| ratio.log / (ratio.variance + between)).sum::<f64>() / weights
    };
    let weight = |ratio: &Ratio<'_>| 1.0 / ratio.variance;
    let (sum, squares) =
        ratios.iter().fold((0.0, 0.0), |(sum, squares), ratio| (sum + weight(ratio), squares + weight(ratio).powi(2)));
    let fixed = mean(0.0);
    let spread: f64 = ratios.iter().map(|ratio| weight(ratio) * (ratio.log - fixed).powi(2)).sum();
    let scale = sum - squares / sum;
    let between = if scale > 0.0 { ((spread - (ratios.len() as f64 - 1.0)) / scale).max(0.0) } else { 0.0 };
    (mean(between), between)
}

/// Of each attribute, the variance of judgments of one object, and its degrees of freedom; 0 if no object has two.
fn noises(judgments: &Judgments) -> Vec<(f64, f64)> {
    let mut sums: Vec<AttributeSums> = first_values(judgments).into_iter().map(AttributeSums::new).collect();
    for object in 0..judgments.objects() {
        for (attribute, _, values) in judgments.of(object).by_attribute() {
            sums[attribute].observe(values);
        }
    }
    sums.iter().map(|sums| (sums.noise().unwrap_or(0.0), sums.freedom())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{JudgedObjects, JudgmentShape, LabelShape};

    fn judgments(factor: f64, objects: usize, seed: u64) -> Judgments {
        let world = JudgedObjects::new(LabelShape::Number, JudgmentShape::Normal, 6, 4).with_noise_times(factor);
        world.draw(objects, &[3; 6], seed).unwrap().0
    }

    #[test]
    fn a_pilot_finds_the_factor_and_draws_attributes_together() {
        let old = judgments(1.0, 300, 1);
        let mut off = Vec::new();
        for seed in 0..20 {
            let found = NoiseFactors::from_pilot(&old, &judgments(2.5, 15, 100 + seed)).unwrap();
            off.push((found.others / 2.5).ln());
            // Each alone is off by a quarter; drawn together they hardly differ.
            let widest = found.of.values().map(|factor| (factor / found.others).ln().abs()).fold(0.0, f64::max);
            assert!(widest < 0.6 && found.of.len() == 6, "{found:?}");
        }
        let mean = off.iter().sum::<f64>() / 20.0;
        // 20 pilots of 6 attributes with 30 degrees of freedom each: 0.024 of chance, and that of the old judgments.
        assert!(mean.abs() < 0.08, "{mean}");
    }

    #[test]
    fn attributes_that_differ_by_more_than_chance_keep_their_own() {
        let old = judgments(1.0, 400, 1);
        let (calm, wild) = (judgments(1.0, 400, 2), judgments(9.0, 400, 3));
        let rows = |of: &Judgments, wanted: fn(usize) -> bool| {
            let mut rows = Vec::new();
            for object in 0..of.objects() {
                for (a, _, values) in of.of(object).by_attribute().filter(|(a, ..)| wanted(*a)) {
                    rows.extend(values.iter().map(|&v| (format!("p{object}"), of.attributes.get(a).to_owned(), v)));
                }
            }
            rows
        };
        let all = [rows(&calm, |a| a < 3), rows(&wild, |a| a == 3)].concat();
        let pilot = Judgments::from_rows(all.iter().map(|(o, a, v)| (&o[..], &a[..], "", *v))).unwrap();
        let found = NoiseFactors::from_pilot(&old, &pilot).unwrap();
        assert!((found.of["a0"] - 1.0).abs() < 0.25 && (found.of["a3"] / 9.0 - 1.0).abs() < 0.25, "{found:?}");
        assert!(!found.of.contains_key("a4") && found.others > 1.0 && found.others < 9.0);
        let strangers = Judgments::from_rows([("x", "other", "", 1.0), ("x", "other", "", 2.0)]).unwrap();
        assert_eq!(NoiseFactors::from_pilot(&old, &strangers), Err(Error::NoPilotNoise));
        assert!(NoiseFactors { others: 0.0, ..NoiseFactors::default() }.check().is_err());
    }
}
