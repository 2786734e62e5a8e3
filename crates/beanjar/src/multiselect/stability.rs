//! Would another sample of objects lead to the same selection?

use super::estimates::{centred, check_ridge};
use super::moments::sums;
use super::{Estimates, LabelledJudgments, Selector};
use crate::quantile::nearest_rank;
use crate::random::stream;
use crate::{Context, Error, Result};
use rand::RngExt;

/// How often an attribute is chosen over resampled objects.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StabilityFit {
    /// The share of samples in which it is chosen.
    pub chosen: f64,
    /// The range of its judgments over the middle 90 percent of samples.
    pub judgments: (u32, u32),
}

/// More would change no digit that is shown.
const MOST_SAMPLES: usize = 100_000;

/// An error if there are too few or too many bootstrap samples.
pub(super) fn check_samples(samples: usize) -> Result<()> {
    match (1..=MOST_SAMPLES).contains(&samples) {
        true => Ok(()),
        false => {
            let (name, value) = ("the number of bootstrap samples", samples.to_string());
            Err(Error::OutOfRange { name, value, range: "1 to 100,000" })
        }
    }
}

impl Selector {
    /// Repeats the selection on `samples` bootstrap samples of the labelled objects, drawn with replacement; of groups of
    /// them where judgments are elsewhere.
    ///
    /// Cost: per sample O(judgments + d^3), and a selection.
    pub fn bootstrap(
        &self,
        data: LabelledJudgments<'_>,
        ridge: f64,
        samples: usize,
        context: &Context,
    ) -> Result<Vec<StabilityFit>> {
        check_samples(samples)?;
        check_ridge(ridge)?;
        self.spending.check_numbers(data.judgments.attributes.len())?;
        let (mean, centred) = centred(data)?;
        let known = data.shuffled(context.seed(), 0);
        let centred = LabelledJudgments { labels: &centred, ..data };
        let steps = context.steps("resampling", samples);
        let drawn = context.map((0..samples as u64).collect(), |sample| {
            let mut random = stream(context.seed(), sample);
            let mut times = vec![0; data.units()];
            for _ in 0..known.len() {
                times[known[random.random_range(0..known.len())]] += 1;
            }
            let sums = sums(centred, &|unit| times[unit], &context.alone());
            let moments = sums.about(&sums.centre());
            let estimates = Estimates::from_moments(data, moments, sums.objects(), mean.clone()).ridged(ridge);
            let path = self.path(&estimates, data).unwrap_or_default();
            steps.tick().map(|()| self.repeats(&path))
        });
        let drawn: Vec<Vec<u32>> = drawn.into_iter().collect::<Result<_>>()?;
        Ok((0..data.judgments.attributes.len())
            .map(|a| stability(drawn.iter().map(|repeats| repeats[a]).collect()))
            .collect())
    }
}

/// Of one attribute, by its numbers of judgments in the samples.
fn stability(mut counts: Vec<u32>) -> StabilityFit {
    counts.sort_unstable();
    let chosen = counts.iter().filter(|count| **count > 0).count() as f64 / counts.len() as f64;
    let place = |share: f64| nearest_rank(&counts, share).copied().unwrap_or(0);
    StabilityFit { chosen, judgments: (place(0.05), place(0.95)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::Strategy;
    use crate::multiselect::estimates::tests::{estimated, random_judgments, unit};

    #[test]
    fn a_strong_attribute_is_always_chosen_and_counts_are_within_the_budget() {
        let (judgments, labels) = random_judgments(21, 5, 80);
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        let selector = Selector { strategy: Strategy::Full, spending: unit(10, 5) };
        let found = selector.bootstrap(data, 0.0, 60, &Context::new()).unwrap();
        let first = crate::multiselect::full::path(&estimated(&judgments, &labels), &unit(1, 5))[0].attribute;
        assert!(found[first].chosen > 0.8, "{found:?}");
        assert!(found.iter().all(|s| s.judgments.0 <= s.judgments.1 && s.judgments.1 <= 10));
        assert!(selector.bootstrap(data, 0.0, 0, &Context::new()).is_err());
    }

    #[test]
    fn the_range_is_that_of_the_middle_of_the_samples() {
        // 101 samples: the places of 5 and 95 percent are the sixth and the ninety-sixth.
        let found = stability((0..101).rev().collect());
        assert_eq!((found.judgments, found.chosen), ((5, 95), 100.0 / 101.0));
    }
}
