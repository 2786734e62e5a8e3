//! Objects that are judged by attributes, with a label that the judgments tell something of.

use crate::normal::cumulative;
use crate::random::stream;
use crate::{Column, Judgments, Result};
use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

/// How labels come about, from three standard normal factors of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LabelShape {
    /// A number: a sum of factors, and an error.
    Number,
    /// This many classes, each about a mean of its own in the space of factors; half the objects are of the first.
    Means(usize),
    /// This many classes of equal size, cut from a sum of factors.
    Cut(usize),
    /// Two classes cut from a sum of factors, the upper with a tenth of the objects.
    Rare,
}

/// How judgments come about, from the true value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JudgmentShape {
    /// The true value and a normal error.
    Normal,
    /// Yes, 1, if the true value and a normal error are above 0; else no, 0.
    YesNo,
    /// The true value and an error that is far larger for one judgment of ten.
    Outliers,
}

/// A kind of objects: attributes that load on factors, and how noisy their judgments are. Half the attributes tell nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedObjects {
    label: LabelShape,
    judgments: JudgmentShape,
    loadings: Vec<[f64; 3]>,
    noise: Vec<f64>,
    centres: Vec<[f64; 3]>,
}

/// The deviation of the sum of factors that labels are cut from.
const SUM_DEVIATION: f64 = 1.118_033_988_749_895;

fn normal(random: &mut impl Rng) -> f64 {
    StandardNormal.sample(random)
}

impl JudgedObjects {
    /// A kind with this many attributes.
    #[must_use]
    pub fn new(label: LabelShape, judgments: JudgmentShape, attributes: usize, seed: u64) -> Self {
        let mut random = stream(seed, 1);
        let mut three = |scale: f64| [(); 3].map(|()| scale * normal(&mut random));
        let loadings = (0..attributes).map(|a| if a % 2 == 0 { three(0.7) } else { [0.0; 3] }).collect();
        let most = if let LabelShape::Means(classes) = label { classes } else { 0 };
        let centres = (0..most).map(|_| three(1.3)).collect();
        let noise = (0..attributes).map(|_| 0.5 + three(1.0)[0].abs()).collect();
        JudgedObjects { label, judgments, loadings, noise, centres }
    }

    /// The same objects, judged by a crowd whose noise has this many times the variance.
    #[must_use]
    pub fn with_noise_times(mut self, factor: f64) -> Self {
        self.noise.iter_mut().for_each(|noise| *noise *= factor.sqrt());
        self
    }

    /// The names of the attributes: `a0`, `a1`, ...
    pub fn attributes(&self) -> impl Iterator<Item = String> {
        (0..self.loadings.len()).map(|a| format!("a{a}"))
    }

    fn object(&self, random: &mut impl Rng) -> (String, [f64; 3]) {
        let mut factors = [(); 3].map(|()| normal(random));
        let sum = factors[0] - 0.5 * factors[1];
        let label = match self.label {
            LabelShape::Number => (sum + 0.5 * normal(random)).to_string(),
            LabelShape::Cut(classes) => {
                let place = cumulative(sum / SUM_DEVIATION) * classes as f64;
                format!("c{}", (place as usize).min(classes.saturating_sub(1)))
            }
            LabelShape::Rare => format!("c{}", u8::from(cumulative(sum / SUM_DEVIATION) > 0.9)),
            LabelShape::Means(classes) => {
                let first = classes < 2 || random.random_bool(0.5);
                let class = if first { 0 } else { random.random_range(1..classes) };
                let centre = self.centres.get(class).copied().unwrap_or_default();
                factors.iter_mut().zip(centre).for_each(|(factor, centre)| *factor += centre);
                format!("c{class}")
            }
        };
        (label, factors)
    }

    fn judge(&self, a: usize, truth: f64, random: &mut impl Rng) -> f64 {
        let far = match self.judgments {
            JudgmentShape::Outliers if random.random_bool(0.1) => 5.0,
            JudgmentShape::Outliers => 0.6,
            _ => 1.0,
        };
        let judged = truth + far * self.noise[a] * normal(random);
        if self.judgments == JudgmentShape::YesNo { f64::from(u8::from(judged > 0.0)) } else { judged }
    }

    /// Objects `o0`, `o1`, ... with a given number of judgments of each attribute, and their labels.
    pub fn draw(&self, objects: usize, repeats: &[u32], seed: u64) -> Result<(Judgments, Column)> {
        let mut random = stream(seed, 2);
        let (mut rows, mut labels, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for object in 0..objects {
            let (label, factors) = self.object(&mut random);
            ids.push(format!("o{object}"));
            labels.push(label);
            for (a, loading) in self.loadings.iter().enumerate() {
                let truth = loading.iter().zip(&factors).map(|(l, f)| l * f).sum::<f64>() + 0.4 * normal(&mut random);
                for _ in 0..repeats.get(a).copied().unwrap_or(0) {
                    rows.push((object, a, self.judge(a, truth, &mut random)));
                }
            }
        }
        let names: Vec<String> = self.attributes().collect();
        let judgments = Judgments::from_rows(rows.iter().map(|&(o, a, v)| (&ids[o][..], &names[a][..], "", v)))?;
        Ok((judgments, Column::new("y", ids.iter().map(String::as_str).collect(), labels)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_their_shares_and_noise_its_factor() {
        let share = |label: LabelShape, class: &str| {
            let (_, labels) = JudgedObjects::new(label, JudgmentShape::Normal, 2, 1).draw(4000, &[1, 0], 2).unwrap();
            labels.values().iter().filter(|label| *label == class).count() as f64 / 4000.0
        };
        // Four standard errors of a share of 4,000.
        for (label, class, expected) in
            [(LabelShape::Cut(4), "c3", 0.25), (LabelShape::Rare, "c1", 0.1), (LabelShape::Means(3), "c0", 0.5)]
        {
            let found = share(label, class);
            assert!((found - expected).abs() < 0.032, "{label:?}: {found}");
        }
        let world = JudgedObjects::new(LabelShape::Number, JudgmentShape::Normal, 1, 1);
        let noise = |world: &JudgedObjects| {
            let (judgments, _) = world.draw(3000, &[2], 5).unwrap();
            let half = |object: usize| {
                let values = judgments.of(object).by_attribute().next().map_or(vec![], |(_, _, of)| of.to_vec());
                (values[0] - values[1]).powi(2) / 2.0
            };
            (0..3000).map(half).sum::<f64>() / 3000.0
        };
        assert!((noise(&world.clone().with_noise_times(3.0)) / noise(&world) - 3.0).abs() < 1e-9);
    }
}
