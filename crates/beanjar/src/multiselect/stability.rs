//! Would another sample of objects lead to the same selection?

use super::estimates::centred;
use super::moments::sums;
use super::selection::{path, repeats};
use super::{Estimates, Method, Spending};
use crate::random::stream;
use crate::{Context, Error, Judgments, Result};
use rand::RngExt;

/// How an attribute fares over resampled objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// The share of samples in which it is chosen.
    pub chosen: f64,
    /// The range of its judgments over the middle 90 percent of samples.
    pub judgments: (u32, u32),
}

/// More would tell nothing more.
const MOST_COPIES: usize = 100_000;

/// Repeats the selection on `copies` samples of the labelled objects, drawn with replacement.
///
/// Cost: per copy, O(judgments + d^3) and a selection.
pub fn bootstrap(
    method: Method,
    (judgments, labels): (&Judgments, &[f64]),
    spending: &Spending,
    ridge: f64,
    copies: usize,
    seed: u64,
    context: &Context,
) -> Result<Vec<Stability>> {
    if copies == 0 || copies > MOST_COPIES {
        let value = copies.to_string();
        return Err(Error::OutOfRange { name: "the number of bootstrap copies", value, range: "1 to 100,000" });
    }
    let (mean, centred) = centred(labels)?;
    let known: Vec<usize> = (0..centred.len()).filter(|&object| centred[object].is_finite()).collect();
    let names: Vec<String> = judgments.attributes.iter().map(str::to_owned).collect();
    let drawn: Vec<Vec<u32>> = context.map((0..copies as u64).collect(), |copy| {
        let mut random = stream(seed, copy);
        let mut times = vec![0; centred.len()];
        for _ in 0..known.len() {
            times[known[random.random_range(0..known.len())]] += 1;
        }
        let sums = sums(judgments, &centred, &|object| times[object], &Context::new());
        let moments = sums.about(&sums.centre());
        let estimates = Estimates::from_moments(names.clone(), moments, sums.objects(), mean).ridged(ridge);
        let steps = path(method, &estimates, spending, (judgments, labels)).unwrap_or_default();
        repeats(method, &steps, names.len())
    });
    Ok((0..names.len())
        .map(|a| {
            let mut counts: Vec<u32> = drawn.iter().map(|repeats| repeats[a]).collect();
            counts.sort_unstable();
            let place = |share: f64| counts[(share * (counts.len() - 1) as f64).round() as usize];
            let chosen = counts.iter().filter(|count| **count > 0).count() as f64 / counts.len() as f64;
            Stability { chosen, judgments: (place(0.05), place(0.95)) }
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::{random_judgments, unit};

    #[test]
    fn a_strong_attribute_is_always_chosen_and_counts_are_within_the_budget() {
        let (judgments, labels) = random_judgments(21, 5, 80);
        let data = (&judgments, &labels[..]);
        let found = bootstrap(Method::Full, data, &unit(10, 5), 0.0, 60, 0, &Context::new()).unwrap();
        let estimates = Estimates::new(&judgments, &labels, 0.0, &Context::new()).unwrap();
        let first = crate::multiselect::full::path(&estimates, &unit(1, 5))[0].attribute;
        assert!(found[first].chosen > 0.8, "{found:?}");
        assert!(found.iter().all(|s| s.judgments.0 <= s.judgments.1 && s.judgments.1 <= 10));
        assert!(bootstrap(Method::Full, data, &unit(10, 5), 0.0, 0, 0, &Context::new()).is_err());
    }
}
