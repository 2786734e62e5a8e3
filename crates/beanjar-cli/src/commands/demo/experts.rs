use super::{Chapter, paragraph};
use crate::failure::Result;
use crate::output::{number, table};
use beanjar::experts::{FeatureTable, LearnData, LearnFrom, PenaltyKind};
use beanjar::simulate::{Crowd, Embeddings, SimulatedEmbeddings, WorkerModel};
use beanjar::surrogate::{ModelScore, difference, surrogate};
use beanjar::truth::{Majority, Method};
use beanjar::{Aggregate, Context, Learn, LearnOutcome};

/// Units that experts label, and units that nobody does: the classifier is for these.
const UNITS: usize = 800;
const FRESH: usize = 4000;
const EXPERTS: usize = 8;
const LABELS_EACH: usize = 3;
const FEATURES: usize = 60;

/// Experts who take classes for one another, each in a way of their own, and are right half of the time.
fn settings() -> Embeddings {
    let crowd = Crowd {
        tasks: UNITS,
        workers: EXPERTS,
        classes: 3,
        votes: (LABELS_EACH, LABELS_EACH),
        model: WorkerModel::Confusion,
        accuracy: 0.5,
        ..Crowd::default()
    };
    Embeddings { crowd, unlabelled: FRESH, features: FEATURES, ..Embeddings::default() }
}

pub(super) fn tell(context: &Context) -> Result<Chapter> {
    let drawn = settings().draw(context)?;
    let (features, labels, truth) = (drawn.table()?, drawn.to_labels()?, drawn.truth()?);
    let data = LearnData { truth: Some(&truth), ..LearnData::new(&features, &labels) };
    let compared = Learn::default().compare(&LearnData::new(&features, &labels), context)?;
    let row = |model: &ModelScore| {
        let numbers = [Some(model.surrogate), model.se, model.difference, model.difference_se];
        [vec![model.name.clone()], numbers.map(number).to_vec()].concat()
    };
    let compared_by_s = table(
        &["model, penalty", "S", "standard error", "worse by", "standard error"],
        compared.models.iter().map(row).collect(),
    );
    let vote =
        Aggregate { method: Method::Majority(Majority::default()), truth: Some(truth.clone()), ..Aggregate::default() };
    let vote = vote.fit(&labels, context)?.truth.map(|truth| truth.accuracy);
    let met = format!(
        "{EXPERTS} experts label {UNITS} units of 3 classes, {LABELS_EACH} experts each. They take classes for one another, each \
         in a way of their own: their plain vote is right {} of the time. Units have {FEATURES} features.",
        number(vote),
    );

    let name = |place: Option<&ModelScore>| place.map_or("", |model| &model.name).to_owned();
    let (first, last) = (name(compared.models.first()), name(compared.models.last()));
    let chosen = fit(&first, &data, context)?;
    let wrong = |learned: &LearnOutcome| wrong(learned, &features, &drawn, context);
    let (wrong, wrong_of_last) = (wrong(&chosen)?, wrong(&fit(&last, &data, context)?)?);
    let worse = difference(&wrong_of_last, &wrong);
    let found = format!(
        "S chooses '{first}'. On {FRESH} fresh units, which no expert saw, it is right {} of the time. The last by S, \
         '{last}', is wrong {} more often (standard error {}, on the same units). No true class was used.",
        number(surrogate(&wrong).map(|wrong| 1.0 - wrong.surrogate)),
        number(worse.map(|worse| worse.mean)),
        number(worse.and_then(|worse| worse.se)),
    );
    let text = format!(
        "5. Which classifier to believe, with no truth at hand? (beanjar learn, beanjar score)\n\n{}{compared_by_s}\n  \
         S: the share of held-out labels that differ from the prediction; the smaller, the better\n\n{}",
        paragraph(&format!("{met} By labels that were held out alone:")),
        paragraph(&found),
    );
    let parts = vec![beanjar_report::learn(&chosen).with_lead(met), beanjar_report::score(&compared).with_lead(found)];
    Ok(Chapter { text, parts })
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
fn wrong(
    learned: &LearnOutcome,
    features: &FeatureTable,
    drawn: &SimulatedEmbeddings,
    context: &Context,
) -> Result<Vec<Option<f64>>> {
    let predicted = learned.model.predict(features, None, context)?;
    let wrong = |unit: usize| drawn.class(unit).map(|class| f64::from(u8::from(predicted.label(unit) != class)));
    Ok((UNITS..UNITS + FRESH).map(wrong).collect())
}
