//! A crowd that judges photos of people, after Sabato and Kalai (2013).

use crate::normal::{crossing, cumulative, density, expected};
use crate::random::stream;
use crate::{Context, Error, Result};
use rand_distr::{Distribution, StandardNormal};
use std::sync::LazyLock;

/// An attribute of Table 1, and what we assume of it beyond the table.
#[derive(Clone, Copy, Debug)]
pub struct PhotoAttribute {
    /// Its name.
    pub name: &'static str,
    /// Internal variance over external variance, v / sigma^2 (the table's `var.`).
    pub noise_ratio: f64,
    /// Covariance with height over external deviation, b / sigma, in the paper's units of height.
    pub height: f64,
    /// The same for weight.
    pub weight: f64,
    /// Whether judges say yes or no, or a number.
    pub kind: AttributeKind,
    /// What it has in common with others, beyond height and weight; the sign tells the direction.
    theme: i8,
}

/// What a judge answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttributeKind {
    /// Yes (1) or no (0); so large a share of judgments is yes.
    YesNo {
        /// That share.
        share: f64,
    },
    /// A number, with this mean and deviation over objects.
    Number {
        /// The mean.
        mean: f64,
        /// The deviation of objects' true values.
        deviation: f64,
    },
}

const GENDER: i8 = 1;
const AGE: i8 = 2;
const BEAUTY: i8 = 3;
const BUILD: i8 = 4;
const CLOTHES: i8 = 5;
const HAIR: i8 = 6;
const SKIN: i8 = 7;
const PLACE: i8 = 8;
const STANCE: i8 = 9;
const STATURE: i8 = 10;
const THEMES: usize = 11;
/// The share of an attribute's variance, beyond height and weight, that its theme explains.
const THEME_SHARE: f64 = 0.5;

const fn yes_no(
    name: &'static str,
    noise_ratio: f64,
    height: f64,
    weight: f64,
    share: f64,
    theme: i8,
) -> PhotoAttribute {
    PhotoAttribute { name, noise_ratio, height, weight, kind: AttributeKind::YesNo { share }, theme }
}

const fn numeric(
    name: &'static str,
    noise_ratio: f64,
    height: f64,
    weight: f64,
    mean: f64,
    deviation: f64,
    theme: i8,
) -> PhotoAttribute {
    PhotoAttribute { name, noise_ratio, height, weight, kind: AttributeKind::Number { mean, deviation }, theme }
}

/// The 39 attributes of Table 1. The three ratios are the paper's; shares, means and themes are ours.
///
/// The table's caption writes the first ratio as v/sigma. We take it as v/sigma^2, the only one of the two that does
/// not depend on units, and the only one under which Table 2 can come out as it does: with v/sigma in inches one
/// numeric guess of height would beat four judgments of `male`, and the paper's selections have none.
pub const PHOTO_ATTRIBUTES: [PhotoAttribute; 39] = [
    yes_no("male", 0.39, 0.15, 0.04, 0.50, GENDER),
    yes_no("female", 0.45, -0.15, -0.05, 0.50, -GENDER),
    yes_no("outdoors", 0.45, 0.00, -0.01, 0.35, PLACE),
    yes_no("wearing-glasses", 0.52, -0.01, 0.02, 0.25, 0),
    yes_no("near-water", 0.61, 0.00, -0.01, 0.10, PLACE),
    yes_no("wearing-long-sleeves", 0.63, 0.02, 0.01, 0.35, CLOTHES),
    yes_no("wearing-shorts", 0.68, 0.01, 0.01, 0.25, -CLOTHES),
    yes_no("looking-at-the-camera", 0.70, -0.01, 0.00, 0.75, STANCE),
    yes_no("smiling", 0.71, -0.04, -0.01, 0.55, 0),
    yes_no("has-beard", 0.79, 0.08, 0.05, 0.15, GENDER),
    yes_no("long-hair", 0.87, -0.08, -0.04, 0.35, -GENDER),
    yes_no("facing-sideways-(profile)", 0.89, 0.01, -0.01, 0.15, -STANCE),
    yes_no("hands-on-hips", 0.90, -0.04, 0.00, 0.15, STANCE),
    yes_no("heavy", 0.90, -0.02, 0.10, 0.35, BUILD),
    yes_no("dark-hair", 1.13, -0.02, -0.02, 0.50, HAIR),
    yes_no("thin", 1.16, 0.01, -0.09, 0.35, -BUILD),
    yes_no("wearing-dark-colors", 1.17, -0.01, 0.01, 0.50, CLOTHES),
    yes_no("wearing-light-colors", 1.20, -0.01, -0.01, 0.40, -CLOTHES),
    yes_no("can-see-a-lot-of-skin", 1.21, -0.05, -0.03, 0.25, -CLOTHES),
    yes_no("standing-straight", 1.22, 0.06, 0.02, 0.60, STANCE),
    numeric("weight", 1.24, 0.04, 0.12, 170.0, 40.0, BUILD),
    yes_no("wearing-colorful-clothes", 1.36, -0.04, -0.01, 0.40, -CLOTHES),
    yes_no("over-50-years-old", 1.38, 0.01, 0.06, 0.10, AGE),
    yes_no("over-30-years-old", 1.43, 0.04, 0.09, 0.45, AGE),
    yes_no("over-40-years-old", 1.44, 0.02, 0.08, 0.25, AGE),
    yes_no("wearing-fancy-clothes", 1.56, -0.06, -0.02, 0.15, CLOTHES),
    yes_no("wearing-a-dress", 1.67, -0.05, -0.01, 0.10, -GENDER),
    yes_no("wearing-nice-clothes", 1.69, -0.05, -0.03, 0.35, CLOTHES),
    yes_no("attractive", 1.72, -0.04, -0.07, 0.40, BEAUTY),
    numeric("height", 1.73, 0.16, 0.04, 67.0, 3.5, STATURE),
    yes_no("fair-hair", 1.77, -0.05, -0.03, 0.30, -HAIR),
    yes_no("beautiful", 1.80, -0.07, -0.07, 0.35, BEAUTY),
    yes_no("tall", 1.81, 0.12, 0.00, 0.35, STATURE),
    yes_no("dark-skin", 2.21, -0.03, 0.00, 0.20, -SKIN),
    yes_no("fair-skin", 2.38, -0.04, -0.02, 0.55, SKIN),
    yes_no("short", 2.43, -0.09, -0.02, 0.30, -STATURE),
    yes_no("wearing-baggy-clothes", 2.59, 0.03, 0.07, 0.30, BUILD),
    yes_no("over-20-years-old", 3.09, 0.05, 0.08, 0.80, AGE),
    yes_no("good-posture", 3.26, 0.02, -0.05, 0.55, STANCE),
];

/// A label: its mean and deviation in the units that we write, and its deviation in the paper's units, which the paper
/// does not state. The last is chosen so that the crowd's own guess correlates 0.89 with it.
struct Target {
    mean: f64,
    deviation: f64,
    paper_deviation: f64,
}

const HEIGHT: Target = Target { mean: 67.0, deviation: 4.0, paper_deviation: 0.18 };
const WEIGHT: Target = Target { mean: 170.0, deviation: 45.0, paper_deviation: 0.135 };
/// The correlation of height and weight.
const HEIGHT_WEIGHT: f64 = 0.45;

/// People on photos, judged by a crowd.
///
/// Height and weight are jointly normal. Attribute a of a person has a standard normal trait, correlated with height
/// and weight as Table 1 says and with the traits of its theme; a judge of a yes-no attribute says yes with probability
/// Phi(m_a + s_a trait), a judge of a number gives the true value plus normal noise. m_a and s_a are solved for so that
/// v_a / sigma_a^2 and b_a / sigma_a are the table's. Judgments are independent given the person.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `objects` | photos | 880, the paper's | 1 or more |
/// | `judgments` | judgments of each attribute of each photo, k | 2, the paper's | 1 or more |
/// | `workers` | judges, who take turns at random | 50 | at least `judgments` |
#[derive(Clone, Debug)]
pub struct Photos {
    /// How many photos.
    pub objects: usize,
    /// How many judgments of each attribute of each photo.
    pub judgments: usize,
    /// How many judges.
    pub workers: usize,
}

impl Default for Photos {
    fn default() -> Self {
        Photos { objects: 880, judgments: 2, workers: 50 }
    }
}

/// Judgments of photos, with the truth behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedPhotos {
    /// For each photo, its height in inches and weight in pounds.
    pub truth: Vec<[f64; 2]>,
    /// For each photo and each of [`PHOTO_ATTRIBUTES`], the judgments: a worker's number and a value.
    pub judgments: Vec<Vec<Vec<(usize, f64)>>>,
}

impl Photos {
    /// Draws photos and judgments.
    pub fn draw(&self, context: &Context) -> Result<SimulatedPhotos> {
        let seed = context.seed();
        let positive = |name, value: usize, range| match value {
            0 => Err(Error::OutOfRange { name, value: "0".into(), range }),
            _ => Ok(()),
        };
        positive("the number of photos", self.objects, "1 or more")?;
        positive("the number of judgments", self.judgments, "1 or more")?;
        /// Judgments of one attribute: with all 39 of them that is some gigabytes.
        const MOST_JUDGMENTS: usize = 5_000_000;
        if self.objects.saturating_mul(self.judgments) > MOST_JUDGMENTS {
            let value = format!("{} of {} judgments", self.objects, self.judgments);
            return Err(Error::OutOfRange {
                name: "the number of photos",
                value,
                range: "at most 5 million judgments of each attribute",
            });
        }
        if self.workers < self.judgments {
            let value = self.workers.to_string();
            return Err(Error::OutOfRange {
                name: "the number of workers",
                value,
                range: "at least that of judgments",
            });
        }
        let traits = &*TRAITS;
        let (mut truth, mut judgments) = (Vec::new(), Vec::new());
        for object in 0..self.objects {
            let mut random = stream(seed, object as u64);
            let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
            let height = normal();
            let weight = HEIGHT_WEIGHT * height + (1.0 - HEIGHT_WEIGHT * HEIGHT_WEIGHT).sqrt() * normal();
            let themes: [f64; THEMES] = std::array::from_fn(|_| normal());
            let own: Vec<f64> = traits.iter().map(|_| normal()).collect();
            truth.push([HEIGHT.mean + HEIGHT.deviation * height, WEIGHT.mean + WEIGHT.deviation * weight]);
            judgments.push(
                traits
                    .iter()
                    .zip(own)
                    .map(|(attribute, own)| {
                        let level = attribute.level(height, weight, &themes, own);
                        let judges = rand::seq::index::sample(&mut random, self.workers, self.judgments);
                        judges.into_iter().map(|judge| (judge, attribute.judge(level, &mut random))).collect()
                    })
                    .collect(),
            );
        }
        Ok(SimulatedPhotos { truth, judgments })
    }
}

/// The attributes with their models solved, which takes longer than drawing a few photos.
static TRAITS: LazyLock<Vec<Trait>> = LazyLock::new(|| PHOTO_ATTRIBUTES.iter().map(Trait::new).collect());

/// An attribute with its model solved.
struct Trait {
    on_height: f64,
    on_weight: f64,
    theme: i8,
    on_theme: f64,
    on_own: f64,
    answer: Answer,
}

enum Answer {
    YesNo { middle: f64, slope: f64 },
    Number { mean: f64, deviation: f64, noise: f64 },
}

impl Trait {
    fn new(attribute: &PhotoAttribute) -> Trait {
        let (answer, straightness) = match attribute.kind {
            AttributeKind::Number { mean, deviation } => {
                (Answer::Number { mean, deviation, noise: deviation * attribute.noise_ratio.sqrt() }, 1.0)
            }
            AttributeKind::YesNo { share } => yes_no_answer(share, attribute.noise_ratio),
        };
        // The correlation with a normal trait is weaker after the bend of the answer; make up for it beforehand.
        let with_height = attribute.height / HEIGHT.paper_deviation / straightness;
        let with_weight = attribute.weight / WEIGHT.paper_deviation / straightness;
        let left = 1.0 - HEIGHT_WEIGHT * HEIGHT_WEIGHT;
        let on_height = (with_height - HEIGHT_WEIGHT * with_weight) / left;
        let on_weight = (with_weight - HEIGHT_WEIGHT * with_height) / left;
        let rest = 1.0 - (on_height * with_height + on_weight * with_weight);
        let themed = if attribute.theme == 0 { 0.0 } else { THEME_SHARE };
        Trait {
            on_height,
            on_weight,
            theme: attribute.theme,
            on_theme: (rest * themed).sqrt(),
            on_own: (rest * (1.0 - themed)).sqrt(),
            answer,
        }
    }

    fn level(&self, height: f64, weight: f64, themes: &[f64; THEMES], own: f64) -> f64 {
        let theme = themes[usize::from(self.theme.unsigned_abs())] * f64::from(self.theme.signum());
        self.on_height * height + self.on_weight * weight + self.on_theme * theme + self.on_own * own
    }

    fn judge(&self, level: f64, random: &mut impl rand::Rng) -> f64 {
        let noise: f64 = StandardNormal.sample(random);
        match self.answer {
            Answer::YesNo { middle, slope } => f64::from(u8::from(middle + slope * level + noise > 0.0)),
            Answer::Number { mean, deviation, noise: spread } => mean + deviation * level + spread * noise,
        }
    }
}

/// The middle and slope of Phi(middle + slope z) whose mean is `share` and whose internal variance is `noise_ratio`
/// times its external one; and its correlation with z.
fn yes_no_answer(share: f64, noise_ratio: f64) -> (Answer, f64) {
    let quantile = crossing(-10.0, 10.0, |x| cumulative(x) - share);
    // The variance of a yes is share (1 - share), of which 1 / (1 + ratio) is external.
    let external = share * (1.0 - share) / (1.0 + noise_ratio);
    let middle = |slope: f64| quantile * (1.0 + slope * slope).sqrt();
    let variance = |slope: f64| expected(|z| cumulative(middle(slope) + slope * z).powi(2)) - share * share;
    // Beyond a slope of 20 all judges of a photo say the same, which no ratio of the table asks for.
    let slope = crossing(0.0, 20.0, |slope| variance(slope) - external);
    let straightness = slope * density(quantile) / (1.0 + slope * slope).sqrt() / external.sqrt();
    (Answer::YesNo { middle: middle(slope), slope }, straightness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Judgments;
    use crate::reliability::{JudgmentOptions, inspect_judgments};

    #[test]
    fn every_attribute_can_be_had() {
        for attribute in &PHOTO_ATTRIBUTES {
            let solved = Trait::new(attribute);
            assert!(solved.on_own > 0.0 && solved.on_own.is_finite(), "{}", attribute.name);
        }
    }

    #[test]
    fn ratios_are_those_of_the_papers_table() {
        let objects = 20_000;
        let photos = Photos { objects, judgments: 2, workers: 50 }.draw(&Context::new().with_seed(7)).unwrap();
        let ids: Vec<String> = (0..objects).map(|object| format!("p{object}")).collect();
        let rows = photos.judgments.iter().zip(&ids).flat_map(|(attributes, id)| {
            attributes.iter().zip(&PHOTO_ATTRIBUTES).flat_map(move |(judgments, attribute)| {
                judgments.iter().map(move |&(_, value)| (&id[..], attribute.name, "", value))
            })
        });
        let judgments = Judgments::from_rows(rows).unwrap();
        let found = inspect_judgments(&judgments, &JudgmentOptions::default(), &Context::new()).unwrap();
        for (a, (attribute, found)) in PHOTO_ATTRIBUTES.iter().zip(&found.attributes).enumerate() {
            let (noise, signal) = (found.noise.unwrap(), found.signal.unwrap());
            // The correlation rho = 1 / (1 + ratio) of two judgments has a standard error near (1 - rho^2) / sqrt(n), so
            // the ratio has that over rho^2. Five of them: 39 such comparisons fail by chance once in 40,000 runs.
            let ratio = noise / signal;
            let rho = 1.0 / (1.0 + attribute.noise_ratio);
            let tolerance = 5.0 * (1.0 - rho * rho) / (rho * rho) / (objects as f64).sqrt();
            assert!((ratio - attribute.noise_ratio).abs() < tolerance, "{}: noise {ratio}", attribute.name);
            for (label, target, expected) in [(0, &HEIGHT, attribute.height), (1, &WEIGHT, attribute.weight)] {
                let covariance = photos
                    .judgments
                    .iter()
                    .zip(&photos.truth)
                    .map(|(judgments, truth)| {
                        let mean = judgments[a].iter().map(|(_, value)| value).sum::<f64>() / 2.0;
                        (mean - found.mean) * (truth[label] - target.mean) * target.paper_deviation / target.deviation
                    })
                    .sum::<f64>()
                    / objects as f64;
                let correlation = covariance / signal.sqrt();
                // The standard error is at most paper_deviation sqrt((1 + ratio / 2) / 20,000): below 0.0022.
                assert!((correlation - expected).abs() < 0.01, "{}: {correlation}, {expected}", attribute.name);
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_photos_and_more_photos_begin_alike() {
        let few = Photos { objects: 3, ..Default::default() };
        let more = Photos { objects: 5, ..Default::default() };
        assert_eq!(few.draw(&Context::new().with_seed(1)).unwrap(), few.draw(&Context::new().with_seed(1)).unwrap());
        assert_ne!(few.draw(&Context::new().with_seed(1)).unwrap(), few.draw(&Context::new().with_seed(2)).unwrap());
        assert_eq!(
            few.draw(&Context::new().with_seed(1)).unwrap().truth,
            more.draw(&Context::new().with_seed(1)).unwrap().truth[..3]
        );
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Photos { objects: 0, ..Default::default() }.draw(&Context::new().with_seed(0)).is_err());
        assert!(Photos { workers: 1, ..Default::default() }.draw(&Context::new().with_seed(0)).is_err());
    }
}
