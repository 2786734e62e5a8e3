use super::{Chapter, paragraph};
use crate::failure::Result;
use crate::output::{number, table};
use beanjar::experts::{FeatureTable, Features, LearnData, LearnFrom, PenaltyKind};
use beanjar::simulate::{Experts, SimulatedExperts};
use beanjar::{Context, Learn, LearnOutcome};

/// Few units and many features that say nothing: here it matters how one learns.
const UNITS: usize = 400;
const NOISE: usize = 50;
const FRESH: usize = 4000;

/// Three experts: one flips a coin, one is good, one is nearly a coin.
pub(super) fn tell(context: &Context) -> Result<Chapter> {
    let settings = Experts { units: UNITS, noise_features: NOISE, ..Experts::default() };
    let drawn = settings.draw(context)?;
    let (features, labels, truth) = (feature_table(&drawn)?, drawn.to_labels()?, drawn.truth()?);
    let data = LearnData { truth: Some(&truth), ..LearnData::new(&features, &labels) };
    let compared = Learn::default().compare(&LearnData::new(&features, &labels), context)?;
    let row = |model: &beanjar::surrogate::ModelScore| {
        let numbers = [Some(model.surrogate), model.se, model.difference, model.difference_se];
        [vec![model.name.clone()], numbers.map(number).to_vec()].concat()
    };
    let compared_by_s = table(
        &["model, penalty", "S", "standard error", "worse by", "standard error"],
        compared.models.iter().map(row).collect(),
    );
    let met = paragraph(&format!(
        "Three experts label {UNITS} units with {} features, of which 5 matter. One expert flips a coin, one is right 85 \
         times in 100, one hardly more often than a coin. By labels that were held out alone:",
        NOISE + 5,
    ));

    let fresh = Experts { units: FRESH, ..settings };
    let fresh = fresh.draw(&context.clone().with_seed(context.seed().wrapping_add(1)))?;
    let name = |place: Option<&beanjar::surrogate::ModelScore>| place.map_or("", |model| &model.name).to_owned();
    let (first, last) = (name(compared.models.first()), name(compared.models.last()));
    let chosen = fit(&first, &data, context)?;
    let (wrong, wrong_of_last) =
        (wrong(&chosen, &fresh, context)?, wrong(&fit(&last, &data, context)?, &fresh, context)?);
    let (more, se) = paired(&wrong_of_last, &wrong);
    let found = paragraph(&format!(
        "S chooses '{first}', which takes {} features. On {FRESH} fresh units, whose truth it never saw, it is wrong {} of \
         the time. The last by S, '{last}', is wrong {} more often (standard error {}, on the same units).",
        chosen.features.iter().filter(|row| !row.truth.is_zero()).count(),
        number(mean(&wrong)),
        number(more),
        number(se),
    ));
    let text = format!(
        "5. Which classifier to believe, with no truth at hand? (beanjar learn, beanjar score)\n\n{met}{compared_by_s}\n  \
         S: the share of held-out labels that differ from the prediction; the smaller, the better\n\n{found}"
    );
    Ok(Chapter { text, parts: vec![beanjar_report::learn(&chosen), beanjar_report::score(&compared)] })
}

/// The model of this name among those that are compared, fitted to all labels.
fn fit(name: &str, data: &LearnData<'_>, context: &Context) -> Result<LearnOutcome> {
    let from = match name.split(", ").next() {
        Some("majority") => LearnFrom::Majority,
        Some("aggregate") => LearnFrom::Aggregate,
        _ => LearnFrom::Experts,
    };
    let kind = if name.ends_with("L2") { PenaltyKind::L2 } else { PenaltyKind::L1 };
    Ok(Learn { from, penalty_kind: Some(kind), ..Learn::default() }.fit(data, context)?)
}

/// Of each fresh unit, 1 where the prediction is wrong.
fn wrong(learned: &LearnOutcome, fresh: &SimulatedExperts, context: &Context) -> Result<Vec<f64>> {
    let predicted = learned.model.predict(&feature_table(fresh)?, None, context)?;
    let wrong = |(unit, class): (usize, &u8)| f64::from(u8::from(predicted.label(unit) != class.to_string()));
    Ok(fresh.truth.iter().enumerate().map(wrong).collect())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// By how much one is larger than the other on average, on the same units, and the standard error of that.
fn paired(one: &[f64], other: &[f64]) -> (f64, f64) {
    let differences: Vec<f64> = one.iter().zip(other).map(|(a, b)| a - b).collect();
    let middle = mean(&differences);
    let squares: Vec<f64> = differences.iter().map(|difference| (difference - middle).powi(2)).collect();
    (middle, (mean(&squares) / differences.len().max(1) as f64).sqrt())
}

fn feature_table(drawn: &SimulatedExperts) -> Result<FeatureTable> {
    let names = drawn.feature_names();
    let column = |feature: usize| drawn.features.iter().map(|unit| unit[feature]).collect();
    let columns: Vec<Vec<f64>> = (0..names.len()).map(column).collect();
    let features = Features::from_columns(drawn.truth.len(), &columns)?;
    Ok(FeatureTable::new(drawn.units().collect(), names, features)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paired_differences_by_hand() {
        let (more, se) = paired(&[1.0, 1.0, 0.0, 1.0], &[1.0, 0.0, 0.0, 0.0]);
        assert!((more - 0.5).abs() < 1e-12 && (se - 0.25).abs() < 1e-12, "{more} and {se}");
    }
}
