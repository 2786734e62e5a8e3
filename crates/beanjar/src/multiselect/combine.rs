//! Judgments of one attribute of an object made one number: their mean, median or majority.

use crate::judgments::Grouped;
use crate::normal::{cumulative, density};
use crate::reliability::{AttributeSums, first_values};
use crate::{Error, Judgments, Result};

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

/// Errors that are normal with one of two deviations.
struct TwoNormals {
    /// The share of the first.
    share: f64,
    variances: [f64; 2],
}

impl TwoNormals {
    /// By EM from differences of two errors each. Cost: O(differences), some tens of times.
    fn fit(differences: &[(f64, f64)]) -> Option<TwoNormals> {
        /// After these steps nothing moves that matters.
        const STEPS: usize = 60;
        let all: f64 = differences.iter().map(|of| of.1).sum();
        let variance = differences.iter().map(|(d, weight)| weight * d * d).sum::<f64>() / (2.0 * all);
        if !(variance > 0.0 && variance.is_finite()) {
            return None;
        }
        let mut found = TwoNormals { share: 0.8, variances: [0.4 * variance, 3.4 * variance] };
        for _ in 0..STEPS {
            let TwoNormals { share, variances } = found;
            let shares = [share, 1.0 - share];
            let (mut counts, mut squares) = ([0.0; 2], [0.0; 2]);
            for &(d, weight) in differences {
                let mut parts = [[0.0; 2]; 2];
                let mut sum = 0.0;
                for i in 0..2 {
                    for j in 0..2 {
                        let both = variances[i] + variances[j];
                        parts[i][j] = shares[i] * shares[j] * (-d * d / (2.0 * both)).exp() / both.sqrt();
                        sum += parts[i][j];
                    }
                }
                if sum <= 0.0 {
                    // Too far off for either: of the wider one.
                    parts[1][1] = 1.0;
                    sum = 1.0;
                }
                for i in 0..2 {
                    for j in 0..2 {
                        let both = variances[i] + variances[j];
                        // The first error, given the difference: its mean is v_i / (v_i + v_j) times it.
                        let square = (variances[i] / both * d).powi(2) + variances[i] * variances[j] / both;
                        let part = weight * parts[i][j] / sum;
                        counts[i] += part;
                        squares[i] += part * square;
                    }
                }
            }
            let least = 1e-6 * variance;
            let of = |i: usize| if counts[i] > 0.0 { (squares[i] / counts[i]).max(least) } else { variance };
            found = TwoNormals { share: (counts[0] / all).clamp(0.01, 0.99), variances: [of(0), of(1)] };
        }
        Some(found)
    }

    fn variance(&self) -> f64 {
        self.share * self.variances[0] + (1.0 - self.share) * self.variances[1]
    }

    fn below(&self, x: f64) -> f64 {
        let of = |i: usize| cumulative(x / self.variances[i].sqrt());
        self.share * of(0) + (1.0 - self.share) * of(1)
    }

    fn density(&self, x: f64) -> f64 {
        let of = |i: usize| density(x / self.variances[i].sqrt()) / self.variances[i].sqrt();
        self.share * of(0) + (1.0 - self.share) * of(1)
    }

    /// The value that a share of errors lies below.
    fn quantile(&self, share: f64) -> f64 {
        let wide = self.variances[0].max(self.variances[1]).sqrt();
        let (mut low, mut high) = (-9.0 * wide, 9.0 * wide);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if self.below(middle) < share { low = middle } else { high = middle }
        }
        let x = (low + high) / 2.0;
        // One step of Newton's, where the density is not next to nothing.
        let slope = self.density(x);
        if slope > 1e-12 / wide { x - (self.below(x) - share) / slope } else { x }
    }
}

/// The variances of medians, as shares of that of one judgment.
fn medians(differences: &[(f64, f64)]) -> Combined {
    let Some(errors) = TwoNormals::fit(differences) else { return Combined::default() };
    /// Points of the distribution, equally probable; all that medians of three or more depend on.
    const POINTS: usize = 200;
    let share = |i: usize| (i as f64 + 0.5) / POINTS as f64;
    let x: Vec<f64> = (0..POINTS).map(|i| errors.quantile(share(i))).collect();
    let of = |r: usize| {
        // r! / (k! k!) u^k (1 - u)^k for r = 2 k + 1; of an even number the two in the middle, x <= y, have the density
        // r! / (k! k!) F(x)^k (1 - F(y))^k with k = r / 2 - 1.
        let k = (r - 1) / 2;
        let power = |i: usize, j: usize| share(i).powi(k as i32) * (1.0 - share(j)).powi(k as i32);
        let (mut sum, mut weights) = (0.0, 0.0);
        for i in 0..POINTS {
            let partners = if r % 2 == 1 { i..i + 1 } else { i..POINTS };
            for j in partners {
                let weight = power(i, j) * if r.is_multiple_of(2) && i == j { 0.5 } else { 1.0 };
                sum += weight * ((x[i] + x[j]) / 2.0).powi(2);
                weights += weight;
            }
        }
        sum / weights
    };
    let noise = |r: usize| match r {
        // The median of one or two is the mean.
        1 | 2 => 1.0 / r as f64,
        _ => of(r) / errors.variance(),
    };
    Combined { noise: (1..=MEDIANS).map(noise).collect(), slope: Vec::new(), shift: Vec::new() }
}

/// What majorities tell of the share of the upper of two values, where shares have this mean and variance over objects.
fn majorities(centre: f64, signal: f64, width: f64) -> Combined {
    /// Points of the distribution of shares.
    const POINTS: usize = 400;
    let most = centre * (1.0 - centre);
    if most <= 0.0 || most.is_nan() {
        return Combined::default();
    }
    let signal = signal.clamp(1e-4 * most, 0.99 * most);
    let both = most / signal - 1.0;
    let (a, b) = (centre * both, (1.0 - centre) * both);
    // p = sin(t)^2, which takes the poles off both ends.
    let angle = |i: usize| (i as f64 + 0.5) / POINTS as f64 * std::f64::consts::FRAC_PI_2;
    let log = |i: usize| (2.0 * a - 1.0) * angle(i).sin().ln() + (2.0 * b - 1.0) * angle(i).cos().ln();
    let highest = (0..POINTS).map(log).fold(f64::NEG_INFINITY, f64::max);
    let points: Vec<(f64, f64)> = (0..POINTS).map(|i| (angle(i).sin().powi(2), (log(i) - highest).exp())).collect();
    let all: f64 = points.iter().map(|point| point.1).sum();
    let mean = |of: &dyn Fn(f64) -> f64| points.iter().map(|(p, weight)| weight * of(*p)).sum::<f64>() / all;
    let middle = mean(&|p| p);
    let spread = mean(&|p| (p - middle).powi(2));
    let single = mean(&|p| p * (1.0 - p));
    let mut found = Combined::default();
    for r in 1..=MAJORITIES {
        let upper = mean(&|p| upper(r, p).0);
        let square = mean(&|p| upper_square(r, p));
        let slope = mean(&|p| (p - middle) * self::upper(r, p).0) / spread;
        let noise = (square - upper * upper) / (slope * slope) - spread;
        found.noise.push((noise / single).max(1e-9));
        found.slope.push(slope.max(1e-9));
        found.shift.push((upper - middle) * width);
    }
    found
}

/// The mean of the majority of r yes-no judgments that say yes with probability p, a tie being a half; and how often there is
/// a tie.
fn upper(r: usize, p: f64) -> (f64, f64) {
    let mut term = (1.0 - p).powi(r as i32);
    let odds = p / (1.0 - p);
    let (mut sum, mut ties) = (0.0, 0.0);
    for yes in 0..=r {
        if 2 * yes > r {
            sum += term;
        } else if 2 * yes == r {
            sum += term / 2.0;
            ties = term;
        }
        term *= odds * (r - yes) as f64 / (yes + 1) as f64;
    }
    (sum, ties)
}

/// The mean of its square.
fn upper_square(r: usize, p: f64) -> f64 {
    let (mean, ties) = upper(r, p);
    mean - ties / 4.0
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
