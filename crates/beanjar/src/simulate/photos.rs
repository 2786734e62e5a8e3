//! A crowd that judges photos of people, after Sabato and Kalai (2013).

use super::photo_attributes::{AttributeKind, PHOTO_ATTRIBUTES, PhotoAttribute, THEMES};
use crate::normal::{crossing, cumulative, density, expected};
use crate::random::stream;
use crate::{Column, Context, Error, Judgments, Result};
use rand_distr::{Distribution, StandardNormal};
use std::sync::LazyLock;

/// The share of an attribute's variance, beyond height and weight, that its theme explains.
const THEME_SHARE: f64 = 0.5;

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
#[non_exhaustive]
pub struct SimulatedPhotos {
    /// For each photo, its height in inches and weight in pounds.
    pub truth: Vec<[f64; 2]>,
    /// For each photo and each of [`PHOTO_ATTRIBUTES`], the judgments: a worker's number and a value.
    pub judgments: Vec<Vec<Vec<(usize, f64)>>>,
}

impl SimulatedPhotos {
    /// The judgments, row by row: object (`photo1`, ...), attribute, worker (`w1`, ...) and value.
    pub fn rows(&self) -> impl Iterator<Item = (String, &'static str, String, f64)> + '_ {
        self.judgments.iter().enumerate().flat_map(|(object, attributes)| {
            attributes.iter().zip(&PHOTO_ATTRIBUTES).flat_map(move |(judgments, attribute)| {
                judgments
                    .iter()
                    .map(move |&(worker, value)| (photo(object), attribute.name, format!("w{}", worker + 1), value))
            })
        })
    }

    /// The judgments as a table.
    pub fn to_judgments(&self) -> Result<Judgments> {
        let rows: Vec<_> = self.rows().collect();
        Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], *a, &w[..], *v)))
    }

    /// The ids of the photos.
    pub fn objects(&self) -> impl Iterator<Item = String> {
        (0..self.truth.len()).map(photo)
    }

    /// The heights, to predict.
    pub fn heights(&self) -> Result<Column> {
        Column::new(
            "height",
            self.objects().collect(),
            self.truth.iter().map(|[height, _]| height.to_string()).collect(),
        )
    }
}

fn photo(number: usize) -> String {
    format!("photo{}", number + 1)
}

impl Photos {
    /// Draws photos and judgments.
    pub fn draw(&self, context: &Context) -> Result<SimulatedPhotos> {
        self.check()?;
        let traits = &*TRAITS;
        let (mut truth, mut judgments) = (Vec::new(), Vec::new());
        let steps = context.steps("simulating", self.objects);
        for object in 0..self.objects {
            let mut random = stream(context.seed(), object as u64);
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
            steps.tick()?;
        }
        Ok(SimulatedPhotos { truth, judgments })
    }

    fn check(&self) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.objects == 0 {
            return refuse("the number of photos", "0".into(), "1 or more");
        }
        if self.judgments == 0 {
            return refuse("the number of judgments", "0".into(), "1 or more");
        }
        /// Judgments of one attribute: with all 39 of them that is some gigabytes.
        const MOST_JUDGMENTS: usize = 5_000_000;
        if self.objects.saturating_mul(self.judgments) > MOST_JUDGMENTS {
            let value = format!("{} of {} judgments", self.objects, self.judgments);
            return refuse("the number of photos", value, "at most 5 million judgments of each attribute");
        }
        if self.workers < self.judgments {
            return refuse("the number of workers", self.workers.to_string(), "at least the number of judgments");
        }
        Ok(())
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
        // The correlation with a normal trait is weaker after the curve of the answer; make up for it beforehand.
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
    use crate::InspectJudgments;

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
        let judgments = photos.to_judgments().unwrap();
        let found = InspectJudgments::default().run(&judgments, &Context::new()).unwrap();
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
