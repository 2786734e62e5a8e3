use super::{Chapter, paragraph};
use crate::failure::Result;
use crate::output::{number, table};
use beanjar::experts::{FeatureTable, Features, LearnData, LearnFrom};
use beanjar::simulate::{Experts, SimulatedExperts};
use beanjar::{Context, Learn, LearnOutcome};

const UNITS: usize = 1000;
const NOISE: usize = 20;

/// Three experts: one flips a coin, one is good, one is nearly a coin.
pub(super) fn tell(context: &Context) -> Result<Chapter> {
    let settings = Experts { units: UNITS, noise_features: NOISE, ..Experts::default() };
    let drawn = settings.draw(context)?;
    let (features, labels, truth) = (feature_table(&drawn)?, drawn.to_labels()?, drawn.truth()?);
    let data = LearnData { truth: Some(&truth), ..LearnData::new(&features, &labels) };
    let compared = Learn::default().compare(&LearnData::new(&features, &labels), context)?;
    let learned = Learn::default().fit(&data, context)?;
    let majority = Learn { from: LearnFrom::Majority, ..Learn::default() }.fit(&data, context)?;

    let fresh = settings.draw(&context.clone().with_seed(context.seed().wrapping_add(1)))?;
    let accuracy = |outcome: &LearnOutcome| -> Result<Option<f64>> {
        let predicted =
            outcome.model.predict(&feature_table(&fresh)?, None, context)?.compared_with(&fresh.truth()?)?;
        Ok(predicted.truth.map(|truth| truth.accuracy))
    };
    let row = |model: &beanjar::surrogate::ModelScore| {
        vec![model.name.clone(), number(model.surrogate), number(model.se), number(model.difference)]
    };
    let shown = compared.models.iter().map(row).collect();
    let entered = learned.features.iter().filter(|row| !row.truth.is_zero()).count();
    let met = paragraph(&format!(
        "Three experts label {UNITS} units with {} features, of which 5 matter. One expert flips a coin, one is right 85 \
         times in 100, one hardly more often than a coin. By labels that were held out alone:",
        NOISE + 5,
    ));
    let found = paragraph(&format!(
        "The model of the experts takes {entered} features. On {UNITS} fresh units, whose truth it never saw, it is right {} of \
         the time; a regression on the majority of the three, {}.",
        number(accuracy(&learned)?),
        number(accuracy(&majority)?),
    ));
    let compared_by_s = table(&["model, penalty", "S", "standard error", "worse by"], shown);
    let text = format!(
        "5. Which classifier to believe, with no truth at hand? (beanjar learn, beanjar score)\n\n{met}{compared_by_s}\n  \
         S: the share of held-out labels that differ from the prediction; the smaller, the better\n\n{found}"
    );
    Ok(Chapter { text, parts: vec![beanjar_report::learn(&learned), beanjar_report::score(&compared)] })
}

fn feature_table(drawn: &SimulatedExperts) -> Result<FeatureTable> {
    let names = drawn.feature_names();
    let column = |feature: usize| drawn.features.iter().map(|unit| unit[feature]).collect();
    let columns: Vec<Vec<f64>> = (0..names.len()).map(column).collect();
    let features = Features::from_columns(drawn.truth.len(), &columns)?;
    Ok(FeatureTable::new(drawn.units().collect(), names, features)?)
}
