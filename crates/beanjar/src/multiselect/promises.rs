//! What is stated of new objects, against what is so.

use super::{Combine, FitPredictor, Fitting, NoiseFactors, Select};
use crate::Context;
use crate::simulate::{JudgedObjects, JudgmentShape, LabelShape};

/// What was stated by `select` and by `fit`, and what was so of fresh objects: error rates, or squared errors.
#[derive(Clone, Copy, Debug, Default)]
struct Stated {
    select: f64,
    fit: f64,
    fresh: f64,
}

struct Setting {
    label: LabelShape,
    judgments: JudgmentShape,
    objects: usize,
    attributes: usize,
    budget: f64,
    /// How many times the noise fresh objects are judged with.
    noise_factor: f64,
    aggregate: Combine,
}

impl Setting {
    fn draw(&self, seed: u64) -> Stated {
        let context = Context::new().with_seed(seed);
        let world = JudgedObjects::new(self.label, self.judgments, self.attributes, seed);
        let (judgments, label) = world.draw(self.objects, &vec![2; self.attributes], seed).unwrap();
        let noise_factors = NoiseFactors { others: self.noise_factor, ..NoiseFactors::default() };
        let params = Select { budget: self.budget, noise_factors, aggregate: self.aggregate, ..Select::default() };
        let outcome = params.fit(&judgments, &label, &context).unwrap();
        let selection = outcome.to_selection();
        let repeats =
            |name: String| selection.attributes.iter().find(|of| of.attribute == name).map_or(0, |of| of.judgments);
        let repeats: Vec<u32> = world.attributes().map(repeats).collect();
        let fitted = FitPredictor { selection, fitting: Fitting::Moments, ..FitPredictor::default() }
            .fit(&judgments, &label, &context)
            .unwrap();
        let world = world.with_noise_times(self.noise_factor);
        let (new, truth) = world.draw(2000, &repeats, 1_000_000 + seed).unwrap();
        let found = fitted.predictor.predict(&new, &context).unwrap().compared_with(&truth).unwrap();
        match found.error_rate {
            Some(fresh) => {
                Stated { select: outcome.error_rate.unwrap(), fit: fitted.predictor.error_rate.unwrap(), fresh }
            }
            None => Stated {
                select: outcome.cv_loss.unwrap(),
                fit: fitted.predictor.error_variance,
                fresh: found.squared_error.unwrap(),
            },
        }
    }

    fn mean(&self, seeds: std::ops::Range<u64>) -> Stated {
        let n = (seeds.end - seeds.start) as f64;
        seeds.map(|seed| self.draw(seed)).fold(Stated::default(), |sum, one| Stated {
            select: sum.select + one.select / n,
            fit: sum.fit + one.fit / n,
            fresh: sum.fresh + one.fresh / n,
        })
    }
}

/// Sizes: objects, attributes, budget.
const SIZES: [(usize, usize, f64); 3] = [(100, 10, 6.0), (150, 20, 20.0), (300, 20, 12.0)];
const KINDS: [JudgmentShape; 3] = [JudgmentShape::Normal, JudgmentShape::YesNo, JudgmentShape::Outliers];

#[test]
fn the_error_rate_of_classes_is_that_of_fresh_objects() {
    let shapes = [
        LabelShape::Means(2),
        LabelShape::Cut(2),
        LabelShape::Rare,
        LabelShape::Means(3),
        LabelShape::Cut(3),
        LabelShape::Means(5),
    ];
    let (mut ratios, mut fitted) = (Vec::new(), Vec::new());
    for (i, label) in shapes.into_iter().enumerate() {
        for (j, (objects, attributes, budget)) in SIZES.into_iter().enumerate() {
            let setting = Setting {
                label,
                judgments: KINDS[(i + j) % 3],
                objects,
                attributes,
                budget,
                noise_factor: 1.0,
                aggregate: Combine::Mean,
            };
            let seeds = 100 * (3 * i + j) as u64;
            let found = setting.mean(seeds..seeds + 8);
            ratios.push(found.select / found.fresh);
            fitted.push(found.fit / found.fresh);
        }
    }
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    // A draw is off by about a fifth, for errors are counted on 100 to 300 objects; 144 draws by about 2 percent.
    assert!((mean(&ratios) - 1.0).abs() < 0.1, "select: {} {ratios:?}", mean(&ratios));
    assert!((mean(&fitted) - 1.0).abs() < 0.1, "fit: {} {fitted:?}", mean(&fitted));
    for shape in ratios.chunks(3) {
        // 24 draws of a shape: 5 percent of chance.
        assert!((mean(shape) - 1.0).abs() < 0.2, "{ratios:?}");
    }
}

#[test]
fn the_expected_error_with_a_chosen_ridge_is_that_of_fresh_objects() {
    let mut ratios = Vec::new();
    for (j, (objects, attributes, budget)) in SIZES.into_iter().enumerate() {
        let setting = Setting {
            label: LabelShape::Number,
            judgments: KINDS[j],
            objects,
            attributes,
            budget,
            noise_factor: 1.0,
            aggregate: Combine::Mean,
        };
        let found = setting.mean(0..16);
        ratios.push(found.select / found.fresh);
        assert!((found.fit / found.fresh - 1.0).abs() < 0.12, "fit: {found:?}");
    }
    let mean = ratios.iter().sum::<f64>() / 3.0;
    // 48 draws, each off by about an eighth: 2 percent of chance. With 480 draws it is within 2 percent (docs).
    assert!((mean - 1.0).abs() < 0.06, "{mean}: {ratios:?}");
}

#[test]
fn errors_are_those_of_a_crowd_with_other_noise_if_its_factor_is_known() {
    let settings = [
        (LabelShape::Number, JudgmentShape::Normal, 4.0),
        (LabelShape::Number, JudgmentShape::Normal, 0.25),
        (LabelShape::Means(2), JudgmentShape::Outliers, 3.0),
        (LabelShape::Means(3), JudgmentShape::Normal, 4.0),
    ];
    let mut ratios = Vec::new();
    for (label, judgments, noise_factor) in settings {
        let setting = Setting {
            label,
            judgments,
            objects: 250,
            attributes: 12,
            budget: 12.0,
            noise_factor,
            aggregate: Combine::Mean,
        };
        let known = setting.mean(0..12);
        ratios.push((known.select / known.fresh, known.fit / known.fresh));
        // Had the crowd stayed as it is, the error would be another by far.
        let same = Setting { noise_factor: 1.0, ..setting }.mean(0..12);
        assert!((known.fresh / same.fresh).ln() * noise_factor.ln() > 0.02, "{known:?} {same:?}");
    }
    for of in [|ratio: &(f64, f64)| ratio.0, |ratio: &(f64, f64)| ratio.1] {
        let mean = ratios.iter().map(of).sum::<f64>() / 4.0;
        // 48 draws, each off by about an eighth: 2 percent of chance, and as much of bias.
        assert!((mean - 1.0).abs() < 0.08, "{mean}: {ratios:?}");
    }
}

#[test]
fn errors_of_medians_and_majorities_are_those_of_fresh_objects() {
    let settings = [
        (LabelShape::Number, JudgmentShape::Outliers, Combine::Median),
        (LabelShape::Number, JudgmentShape::Normal, Combine::Median),
        (LabelShape::Number, JudgmentShape::YesNo, Combine::Majority),
        (LabelShape::Means(3), JudgmentShape::YesNo, Combine::Majority),
        (LabelShape::Cut(2), JudgmentShape::Normal, Combine::Median),
    ];
    let mut ratios = Vec::new();
    for (label, judgments, aggregate) in settings {
        let setting =
            Setting { label, judgments, objects: 200, attributes: 8, budget: 20.0, noise_factor: 1.0, aggregate };
        let found = setting.mean(0..12);
        ratios.push((found.select / found.fresh, found.fit / found.fresh));
        let mean = Setting { aggregate: Combine::Mean, ..setting }.mean(0..12);
        // Where some judgments are far off, medians do better than means; elsewhere they are no better.
        let outliers = judgments == JudgmentShape::Outliers;
        assert_eq!(found.fresh < mean.fresh * if outliers { 0.97 } else { 0.99 }, outliers, "{found:?} {mean:?}");
    }
    for of in [|ratio: &(f64, f64)| ratio.0, |ratio: &(f64, f64)| ratio.1] {
        let mean = ratios.iter().map(of).sum::<f64>() / ratios.len() as f64;
        // 60 draws, each off by about an eighth: 2 percent of chance. (Classes by medians of outlying judgments are not among
        // them: their error rate is stated too small, docs/multi-selection.md.)
        assert!((mean - 1.0).abs() < 0.08, "{mean}: {ratios:?}");
        assert!(ratios.iter().map(of).all(|ratio| (ratio - 1.0).abs() < 0.2), "{ratios:?}");
    }
}
