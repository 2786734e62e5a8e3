//! Is what `select` and `fit` state true of fresh objects? Draws kinds of objects, selects from some, and predicts many new
//! ones.
//!
//! `cargo run --release -p beanjar --example select_trial -- number|classes [DRAWS] [mean|median|majority] [FACTOR]`
//!
//! With FACTOR, new objects are judged with this many times the noise, and `select` is given that factor.

use beanjar::multiselect::{Combine, FitPredictor, Fitting, NoiseFactors, Select};
use beanjar::simulate::{JudgedObjects, JudgmentShape, LabelShape};
use beanjar::{Context, Result};

/// Of one draw, or on average: what was stated by `select` and by `fit`, what was so, and how far probabilities were off.
#[derive(Default)]
struct Found {
    select: f64,
    fit: f64,
    fresh: f64,
    ece: f64,
}

/// What is judged, how judgments are combined, and how many times their noise new ones have.
#[derive(Clone, Copy)]
struct Kind {
    label: LabelShape,
    judgments: JudgmentShape,
    aggregate: Combine,
    factor: f64,
}

fn one(kind: Kind, size: (usize, usize, f64), seed: u64) -> Result<Found> {
    let Kind { label, judgments, aggregate, factor } = kind;
    let (objects, attributes, budget) = size;
    let context = Context::new().with_seed(seed);
    let world = JudgedObjects::new(label, judgments, attributes, seed);
    let (judgments, label) = world.draw(objects, &vec![2; attributes], seed)?;
    let noise_factors = NoiseFactors { others: factor, ..NoiseFactors::default() };
    let outcome = Select { budget, aggregate, noise_factors, ..Select::default() }.fit(&judgments, &label, &context)?;
    let selection = outcome.to_selection();
    let repeats =
        |name: String| selection.attributes.iter().find(|of| of.attribute == name).map_or(0, |of| of.judgments);
    let repeats: Vec<u32> = world.attributes().map(repeats).collect();
    let (new, truth) = world.with_noise_times(factor).draw(4000, &repeats, seed + 1_000_000)?;
    let fitted = FitPredictor { selection, fitting: Fitting::Moments, ..FitPredictor::default() }
        .fit(&judgments, &label, &context)?
        .predictor;
    let found = fitted.predict(&new, &context)?.compared_with(&truth)?;
    Ok(match &found.truth {
        Some(classes) => Found {
            select: outcome.error_rate.unwrap_or(f64::NAN),
            fit: fitted.error_rate.unwrap_or(f64::NAN),
            fresh: 1.0 - classes.accuracy,
            ece: classes.ece,
        },
        None => Found {
            select: outcome.cv_loss.unwrap_or(f64::NAN),
            fit: fitted.error_variance,
            fresh: found.squared_error.unwrap_or(f64::NAN),
            ece: f64::NAN,
        },
    })
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let draws: u64 = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(40);
    let aggregate = match arguments.get(2).map(String::as_str) {
        Some("median") => Combine::Median,
        Some("majority") => Combine::Majority,
        _ => Combine::Mean,
    };
    let factor = arguments.get(3).and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let kinds = match aggregate {
        Combine::Majority => vec![JudgmentShape::YesNo],
        _ => vec![JudgmentShape::Normal, JudgmentShape::YesNo, JudgmentShape::Outliers],
    };
    let shapes: Vec<LabelShape> = match arguments.first().map(String::as_str) {
        Some("number") => vec![LabelShape::Number],
        _ => vec![
            LabelShape::Means(2),
            LabelShape::Cut(2),
            LabelShape::Rare,
            LabelShape::Means(3),
            LabelShape::Cut(3),
            LabelShape::Means(6),
        ],
    };
    println!(
        "label judgments objects attributes budget: fresh; select states, ratio; fit states, ratio; calibration error"
    );
    let (mut select, mut fit, mut settings) = (0.0, 0.0, 0.0);
    for label in shapes {
        for &kind in &kinds {
            for size in [(100, 10, 6.0), (100, 20, 20.0), (300, 20, 12.0), (300, 40, 40.0)] {
                let mut all = Found::default();
                for draw in 0..draws {
                    let found =
                        one(Kind { label, judgments: kind, aggregate, factor }, size, 10_000 * settings as u64 + draw)?;
                    all.select += found.select / draws as f64;
                    all.fit += found.fit / draws as f64;
                    all.fresh += found.fresh / draws as f64;
                    all.ece += found.ece / draws as f64;
                }
                let Found { select: stated, fit: fitted, fresh, ece } = all;
                let (ratio, fit_ratio) = (stated / fresh, fitted / fresh);
                println!(
                    "{label:?} {kind:?} {size:?}: {fresh:.4}; {stated:.4} {ratio:.3}; {fitted:.4} {fit_ratio:.3}; {ece:.3}"
                );
                (select, fit, settings) = (select + ratio, fit + fit_ratio, settings + 1.0);
            }
        }
    }
    println!("on average over {settings} settings: select {:.3}, fit {:.3}", select / settings, fit / settings);
    Ok(())
}
