//! Judgments of one attribute of an object made one number: their mean, median or majority.

mod majorities;
mod medians;

use crate::judgments::Grouped;
use crate::reliability::{AttributeSums, first_values};
use crate::{Error, Judgments, Result};
use majorities::majorities;
use medians::medians;

/// How judgments of an attribute of an object become one number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Combine {
    /// Their mean, the paper's.
    #[default]
    Mean,
    /// Their median: of an even number, the mean of the two in the middle. It is not moved by a few that are far off.
    Median,
    /// Of two values the one that most give; the middle of both where as many give each.
    Majority,
}

impl Combine {
    /// Whether it is the mean.
    pub(crate) fn is_mean(&self) -> bool {
        *self == Combine::Mean
    }

    /// The one number.
    pub(super) fn of_these(self, values: &[f64]) -> f64 {
        match self {
            Combine::Mean => values.iter().sum::<f64>() / values.len() as f64,
            _ => self.of(&mut values.to_vec()),
        }
    }

    /// The same. The order of the values may change.
    pub(super) fn of(self, values: &mut [f64]) -> f64 {
        let n = values.len();
        match self {
            Combine::Mean => self.of_these(values),
            // Of two values the median is the majority.
            Combine::Median | Combine::Majority => {
                values.sort_unstable_by(f64::total_cmp);
                (values[(n - 1) / 2] + values[n / 2]) / 2.0
            }
        }
    }
}

/// What the combined number g of r judgments of an attribute tells of its true value s: g = centre + shift + slope (s -
/// centre) and an error, whose variance is slope^2 times `noise` times that of one judgment.
///
/// The mean has slope 1, shift 0 and noise 1 / r. For numbers, errors are taken as symmetric about the true value, each from
/// one of two normal distributions, which are fitted to differences of judgments of one object (EM); the median then has
/// slope 1, and its variance follows from the distribution of order statistics. Of two values, objects' shares of the upper
/// one are taken to follow the Beta distribution with the mean and the variance that they have; all else is counted out.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Combined {
    noise: Vec<f64>,
    slope: Vec<f64>,
    shift: Vec<f64>,
}

/// Numbers of judgments that are worked out; of more, noise is as with the last for a majority, and falls as 1 / r for a
/// median.
const MEDIANS: usize = 15;
const MAJORITIES: usize = 41;

impl Combined {
    /// The noise of `repeats` combined judgments, as a share of that of one.
    pub(super) fn noise(&self, repeats: u32) -> f64 {
        let r = repeats as usize;
        match self.noise.last() {
            None => 1.0 / f64::from(repeats),
            Some(last) if r > self.noise.len() && self.noise.len() == MEDIANS => last * MEDIANS as f64 / r as f64,
            Some(last) => self.noise.get(r - 1).copied().unwrap_or(*last),
        }
    }

    pub(super) fn slope(&self, repeats: u32) -> f64 {
        at(&self.slope, repeats).unwrap_or(1.0)
    }

    pub(super) fn shift(&self, repeats: u32) -> f64 {
        at(&self.shift, repeats).unwrap_or(0.0)
    }

    /// The least that the noise of r judgments is, times r.
    pub(super) fn least_noise(&self) -> f64 {
        let times = |(i, noise): (usize, &f64)| noise * (i + 1) as f64;
        self.noise.iter().enumerate().map(times).fold(1.0, f64::min)
    }

    /// Whether the numbers are such; a file may hold anything.
    pub(super) fn is_sound(&self) -> bool {
        let fine = |x: &f64| x.is_finite() && x.abs() < 1e50;
        let n = self.noise.len();
        (n == 0 || n == MEDIANS || n == MAJORITIES)
            && [&self.slope, &self.shift].iter().all(|of| (of.is_empty() || of.len() == n) && of.iter().all(fine))
            && self.slope.iter().all(|slope| *slope > 0.0)
            && self.noise.iter().all(|noise| fine(noise) && *noise > 0.0)
    }
}

fn at(of: &[f64], repeats: u32) -> Option<f64> {
    of.get(repeats as usize - 1).or(of.last()).copied()
}

/// What combined judgments of each attribute tell; empty for means. An error if a majority is asked for of more than two
/// values.
pub(super) fn combined(judgments: &Judgments, combine: Combine) -> Result<Vec<Combined>> {
    if combine.is_mean() {
        return Ok(Vec::new());
    }
    let d = judgments.attributes.len();
    let mut sums: Vec<AttributeSums> = first_values(judgments).into_iter().map(AttributeSums::new).collect();
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); d];
    let mut differences: Vec<Vec<(f64, f64)>> = vec![Vec::new(); d];
    for object in 0..judgments.objects() {
        for (attribute, _, of) in judgments.of(object).by_attribute() {
            sums[attribute].observe(of);
            let seen = &mut values[attribute];
            for &value in of {
                if seen.len() < 3 && !seen.contains(&value) {
                    seen.push(value);
                }
            }
            add_differences(&mut differences[attribute], of);
        }
    }
    let one = |a: usize| match &mut values[a].clone()[..] {
        [] | [_] => Ok(Combined::default()),
        [one, other] => {
            let (low, high) = (one.min(*other), one.max(*other));
            let centre = (sums[a].centre() - low) / (high - low);
            let signal = sums[a].signal_about(sums[a].shifted_centre()).unwrap_or(0.0) / (high - low).powi(2);
            Ok(majorities(centre, signal, high - low))
        }
        _ if combine == Combine::Majority => Err(Error::MajorityOfMany(judgments.attributes.get(a).to_owned())),
        _ => Ok(medians(&differences[a])),
    };
    (0..d).map(one).collect()
}

/// Differences that are plenty to fit two deviations to.
const MOST_DIFFERENCES: usize = 20_000;

/// Adds the differences of all pairs, with weights so that n judgments count as n / 2 pairs.
fn add_differences(differences: &mut Vec<(f64, f64)>, values: &[f64]) {
    for i in 0..values.len() {
        for j in 0..i {
            if differences.len() < MOST_DIFFERENCES {
                differences.push((values[i] - values[j], 1.0 / (values.len() - 1) as f64));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn the_variance_of_medians_is_that_of_draws() {
        let mut random = stream(3, 3);
        // Normal errors, and errors of which one of ten is far off.
        for far in [1.0, 8.0] {
            let mut error = || -> f64 {
                let x: f64 = StandardNormal.sample(&mut random);
                if random.random_bool(0.1) { far * x } else { x }
            };
            let differences: Vec<(f64, f64)> = (0..6000).map(|_| (error() - error(), 1.0)).collect();
            let found = medians(&differences);
            let variance = 0.9 + 0.1 * far * far;
            for r in [3u32, 4, 7, 10, 15] {
                let median = |_| {
                    let mut values: Vec<f64> = (0..r).map(|_| error()).collect();
                    Combine::Median.of(&mut values).powi(2)
                };
                let drawn = (0..20_000).map(median).sum::<f64>() / 20_000.0;
                // 20,000 draws of a variance are good to 1 percent; the deviations come from 6,000 differences.
                let expected = found.noise(r) * variance;
                assert!((expected / drawn - 1.0).abs() < 0.08, "{far} {r}: {expected} {drawn}");
            }
            assert!((found.noise(30) * 2.0 / found.noise(15) - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn majorities_are_those_of_draws() {
        let mut random = stream(4, 4);
        // Shares that are the square root of a uniform number: Beta(2, 1).
        let found = majorities(2.0 / 3.0, 1.0 / 18.0, 1.0);
        for r in [1u32, 2, 3, 6] {
            let mut pairs = Vec::new();
            for _ in 0..40_000 {
                let p = random.random::<f64>().sqrt();
                let mut votes: Vec<f64> = (0..r).map(|_| f64::from(u8::from(random.random_bool(p)))).collect();
                pairs.push((p, Combine::Majority.of(&mut votes)));
            }
            let n = pairs.len() as f64;
            let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
            let (p, g) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
            let spread = mean(&|pair| (pair.0 - p).powi(2));
            let slope = mean(&|pair| (pair.0 - p) * (pair.1 - g)) / spread;
            let noise = mean(&|pair| (pair.1 - g).powi(2)) / (slope * slope) - spread;
            // Three standard errors of 40,000 draws.
            assert!((found.slope(r) / slope - 1.0).abs() < 0.03, "{r}: {} {slope}", found.slope(r));
            assert!((found.shift(r) - (g - p)).abs() < 0.01, "{r}");
            assert!((found.noise(r) / (noise * 6.0) - 1.0).abs() < 0.06, "{r}: {} {}", found.noise(r), noise * 6.0);
        }
        // One judgment, and two with a half for a tie, are their mean.
        assert!((found.noise(1) - 1.0).abs() < 1e-6 && (found.noise(2) - 0.5).abs() < 1e-6);
        assert!(found.is_sound());
    }

    #[test]
    fn one_number_of_several() {
        assert_eq!(Combine::Median.of(&mut [9.0, 1.0, 2.0]), 2.0);
        assert_eq!(Combine::Median.of(&mut [9.0, 1.0, 2.0, 4.0]), 3.0);
        assert_eq!(Combine::Majority.of(&mut [1.0, 0.0, 1.0]), 1.0);
        assert_eq!(Combine::Majority.of(&mut [1.0, 0.0]), 0.5);
        assert_eq!(Combine::Mean.of(&mut [1.0, 2.0, 6.0]), 3.0);
        let many = Judgments::from_rows([("1", "a", "", 1.0), ("1", "a", "", 2.0), ("2", "a", "", 3.0)]).unwrap();
        assert_eq!(combined(&many, Combine::Majority), Err(Error::MajorityOfMany("a".into())));
        assert!(combined(&many, Combine::Mean).unwrap().is_empty());
    }
}
