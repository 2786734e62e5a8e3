use super::{GoldRisk, Surrogate, difference, disagreements, expert_error, implied_risk, surrogate};
use crate::experts::LearnedFrom;
use crate::judgments::{Column, Labels, Repeats, nothing_in_common};
use crate::normal::NINETY_FIVE;
use crate::truth::{Evidence, Skilled};
use crate::{Context, Error, Result, Warning};

/// Compares the predictions of several models by noisy labels alone, as the command `score` does.
///
/// S is the share of labels that differ from the prediction, averaged over tasks. The labels must not be those that a model
/// was trained on. With known answers of some tasks, drawn at random, the risk of each model is estimated from both, with an
/// interval that is valid whatever the labels' errors: see [`GoldRisk`]. Cost: that of [`Skilled`], which estimates how often
/// experts err.
///
/// | parameter | meaning | default |
/// |---|---|---|
/// | `learned_from` | of each model, the labels it was learned from | nothing is known |
/// | `gold` | known answers of some tasks | none |
/// | `repeats` | what becomes of labels that a worker gave to the same task twice | averaged |
///
/// ```
/// use beanjar::judgments::Column;
/// use beanjar::{Context, Labels, Score};
///
/// let labels = Labels::from_rows([
///     ("a", "ann", "yes"), ("a", "bob", "yes"), ("a", "cid", "no"), ("b", "ann", "no"), ("b", "bob", "no"),
/// ])?;
/// let always = Column::from_rows("always", [("a", "yes"), ("b", "yes")])?;
/// let model = Column::from_rows("model", [("a", "yes"), ("b", "no")])?;
/// let outcome = Score::default().run(&[always, model], &labels, &Context::new())?;
/// assert_eq!(outcome.models[0].name, "model");
/// assert_eq!(outcome.models[1].difference, Some(0.5));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Of each model in the order of the models, the labels it was learned from; none if that is not known.
    /// Empty if nothing is known of any.
    pub learned_from: Vec<Option<LearnedFrom>>,
    /// Known answers of some tasks.
    pub gold: Option<Column>,
    /// What becomes of labels that a worker gave to the same task more than once.
    pub repeats: Repeats,
}

/// Models compared by S, best first.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ScoreOutcome {
    /// The models.
    pub models: Vec<ModelScore>,
    /// How often experts err, as their labels suggest.
    pub expert_error: Option<f64>,
    /// What a user should know.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// S of one model.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ModelScore {
    /// The model's name.
    pub name: String,
    /// S.
    pub surrogate: f64,
    /// Its standard error; none of a single task.
    pub se: Option<f64>,
    /// The risk that S implies, if experts err as their labels suggest; none if that is too often.
    pub risk: Option<f64>,
    /// By how much S is larger than that of the first model, on the tasks that both predict; none for the first.
    pub difference: Option<f64>,
    /// Its standard error.
    pub difference_se: Option<f64>,
    /// The risk by known answers, if there are two or more.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub gold: Option<GoldRisk>,
    /// How many tasks have a prediction and labels.
    pub units: usize,
    /// How many labelled tasks have no prediction.
    pub missing: usize,
    /// How many of the labels it was learned from; none if that is not known. With any, S is too small.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub learned_labels: Option<usize>,
}

impl ModelScore {
    /// Where S lies with 95 percent, tasks being the draws; none of a single task.
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        self.se.map(|se| within(self.surrogate, se))
    }

    /// Where the difference from the first model lies with 95 percent.
    #[must_use]
    pub fn difference_interval(&self) -> Option<(f64, f64)> {
        Some(within(self.difference?, self.difference_se?))
    }

    /// Whether the model is worse than the first by two standard errors of the difference or more.
    #[must_use]
    pub fn is_clearly_worse(&self) -> bool {
        self.difference.zip(self.difference_se).is_some_and(|(difference, se)| difference >= 2.0 * se)
    }
}

fn within(middle: f64, se: f64) -> (f64, f64) {
    (middle - NINETY_FIVE * se, middle + NINETY_FIVE * se)
}

/// A model's predictions beside the labels.
struct Predicted<'a> {
    name: &'a str,
    disagreements: Vec<Option<f64>>,
    surrogate: Surrogate,
    missing: usize,
    gold: Option<GoldRisk>,
    /// How many tasks have a prediction and a known answer.
    known: usize,
    learned_labels: Option<usize>,
    /// How many predictions are of a class that no expert gave.
    unseen: usize,
}

impl Score {
    /// Compares models: each is a column of predicted classes by task, named as the model.
    pub fn run(&self, models: &[Column], labels: &Labels, context: &Context) -> Result<ScoreOutcome> {
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        self.check(models)?;
        let mut warnings = Vec::new();
        let labels = labels.with_repeats(self.repeats, context, &mut warnings);
        let labels = labels.as_ref();
        let gold = self.gold.as_ref().map(|gold| gold.matched(&labels.tasks, "task")).transpose()?;
        let known = gold.as_deref();
        let mut predicted =
            models.iter().map(|model| Predicted::of(model, labels, known)).collect::<Result<Vec<_>>>()?;
        for (model, learned) in predicted.iter_mut().zip(&self.learned_from) {
            let seen = learned.as_ref().map(|learned| seen_labels(learned, labels));
            model.learned_labels = seen;
            if let Some(seen @ 1..) = seen {
                let model = model.name.to_owned();
                warnings.push(Warning::ScoredOnLearned { model, labels: seen, of: labels.len() });
            }
        }
        if known.is_some() && predicted.iter().all(|model| model.gold.is_none()) {
            let tasks = predicted.iter().map(|model| model.known).max().unwrap_or_default();
            warnings.push(Warning::FewKnownAnswers { tasks });
        }
        let unseen = predicted.iter().filter(|model| model.unseen > 0);
        warnings.extend(
            unseen.map(|model| Warning::UnseenPredictions { model: model.name.to_owned(), predictions: model.unseen }),
        );
        let ballots = labels.ballots();
        // One model's own posterior: that of `Auto` is cautious, and would make experts look worse than they are.
        let error = expert_error(ballots, &Skilled::default().fit(&Evidence::votes(ballots)?, context)?.posterior)?;
        predicted.sort_by(|a, b| a.surrogate.surrogate.total_cmp(&b.surrogate.surrogate));
        let missing = predicted.iter().filter(|model| model.missing > 0);
        let missing: Vec<(String, usize)> = missing.map(|model| (model.name.to_owned(), model.missing)).collect();
        if !missing.is_empty() {
            warnings.push(Warning::MissingPredictions { models: missing });
        }
        warnings.extend(warn_of_experts(error, labels));
        let score = |(rank, model): (usize, &Predicted<'_>)| {
            let first = &predicted[0].disagreements;
            let worse = (rank > 0).then(|| difference(&model.disagreements, first)).flatten();
            ModelScore {
                name: model.name.to_owned(),
                surrogate: model.surrogate.surrogate,
                se: model.surrogate.se,
                risk: error.and_then(|error| implied_risk(model.surrogate.surrogate, error, labels.classes.len())),
                difference: worse.map(|worse| worse.mean),
                difference_se: worse.and_then(|worse| worse.se),
                gold: model.gold,
                units: model.surrogate.units,
                missing: model.missing,
                learned_labels: model.learned_labels,
            }
        };
        let models = predicted.iter().enumerate().map(score).collect();
        Ok(ScoreOutcome { models, expert_error: error, warnings })
    }
}

impl Score {
    /// An error if what the models were learned from is not said of each of them.
    pub fn check(&self, models: &[Column]) -> Result<()> {
        let (found, expected) = (self.learned_from.len(), models.len());
        match found > 0 && found != expected {
            true => Err(Error::WrongLength { what: "lists of labels learned from", found, of: "models", expected }),
            false => Ok(()),
        }
    }
}

/// How many of the labels a model was learned from.
fn seen_labels(learned: &LearnedFrom, labels: &Labels) -> usize {
    let of_task = |(task, id): (usize, &str)| {
        let workers = labels.votes(task).workers.iter().map(|&worker| labels.workers.get(worker as usize));
        if learned.has(id) { workers.filter(|worker| learned.has_label(id, worker)).count() } else { 0 }
    };
    labels.tasks.iter().enumerate().map(of_task).sum()
}

impl<'a> Predicted<'a> {
    fn of(model: &'a Column, labels: &Labels, gold: Option<&[Option<&str>]>) -> Result<Self> {
        const UNSEEN: usize = usize::MAX;
        let (tasks, classes) = (model.ids().lookup(), labels.classes.lookup());
        let class = |task: &str| {
            let text = &model.values()[tasks.code(task)?];
            (!text.is_empty()).then(|| classes.code(text).unwrap_or(UNSEEN))
        };
        let predicted: Vec<Option<usize>> = labels.tasks.iter().map(class).collect();
        let disagreements = disagreements(labels.ballots(), &predicted);
        let surrogate = surrogate(&disagreements).ok_or_else(|| Error::OfModel {
            model: model.name().to_owned(),
            error: Box::new(nothing_in_common(model.ids(), &labels.tasks, "task")),
        })?;
        let wrong = gold.map(|gold| {
            let text = |task: &str| Some(&model.values()[tasks.code(task)?]).filter(|text| !text.is_empty());
            let wrong = |(task, known): (&str, &Option<&str>)| Some(text(task)? != (*known)?);
            labels.tasks.iter().zip(gold).map(wrong).collect::<Vec<Option<bool>>>()
        });
        Ok(Predicted {
            name: model.name(),
            gold: wrong.as_ref().and_then(|wrong| GoldRisk::of(wrong, &disagreements)),
            known: wrong.iter().flatten().flatten().count(),
            disagreements,
            surrogate,
            missing: predicted.iter().filter(|predicted| predicted.is_none()).count(),
            learned_labels: None,
            unseen: predicted.iter().filter(|predicted| **predicted == Some(UNSEEN)).count(),
        })
    }
}

/// What a user should know of experts: whether their labels show how often they err, and whether they show anything.
pub(crate) fn warn_of_experts(error: Option<f64>, labels: &Labels) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if labels.workers.len() < 3 {
        warnings.push(Warning::FewExperts);
    }
    let ways = labels.classes.len() as f64;
    if error.is_some_and(|error| 1.0 - error * ways / (ways - 1.0) < 0.2) {
        warnings.push(Warning::NearChance);
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels() -> Labels {
        let rows =
            [("a", "u", "x"), ("a", "v", "x"), ("a", "w", "y"), ("b", "u", "y"), ("b", "v", "y"), ("c", "w", "x")];
        Labels::from_rows(rows).unwrap()
    }

    #[test]
    fn models_are_ranked_by_s_and_gaps_are_counted() {
        let full = Column::from_rows("full", [("a", "x"), ("b", "y"), ("c", "x")]).unwrap();
        let gaps = Column::from_rows("gaps", [("a", "x"), ("b", "z"), ("c", ""), ("d", "x")]).unwrap();
        let outcome = Score::default().run(&[gaps, full], &labels(), &Context::new()).unwrap();
        let [first, second] = &outcome.models[..] else { panic!("{outcome:?}") };
        assert_eq!((&first.name[..], &second.name[..]), ("full", "gaps"));
        assert!((first.surrogate - 1.0 / 9.0).abs() < 1e-12 && (second.surrogate - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((first.difference, second.difference, second.units, second.missing), (None, Some(0.5), 2, 1));
        let warned = |wanted: &Warning| outcome.warnings.contains(wanted);
        assert!(warned(&Warning::UnseenPredictions { model: "gaps".into(), predictions: 1 }));
        assert!(warned(&Warning::MissingPredictions { models: vec![("gaps".into(), 1)] }));
        assert!(!warned(&Warning::FewExperts));
    }

    #[test]
    fn who_answers_twice_has_one_opinion() {
        let rows =
            [("a", "u", "x"), ("a", "u", "y"), ("a", "u", "y"), ("a", "v", "x"), ("b", "u", "x"), ("b", "v", "x")];
        let labels = Labels::from_rows(rows).unwrap();
        let model = Column::from_rows("model", [("a", "x"), ("b", "x")]).unwrap();
        let of = |repeats: Repeats| {
            let outcome =
                Score { repeats, ..Score::default() }.run(std::slice::from_ref(&model), &labels, &Context::new());
            let outcome = outcome.unwrap();
            assert!(matches!(outcome.warnings[0], Warning::Repeated { count: 2, .. }), "{:?}", outcome.warnings);
            outcome.models[0].surrogate
        };
        // Of task a, the one opinion of u is two thirds y, or that of the first row, or three of four labels count.
        assert!((of(Repeats::Average) - (2.0 / 3.0) / 2.0 / 2.0).abs() < 1e-12);
        assert_eq!((of(Repeats::First), of(Repeats::All)), (0.0, 0.25));
    }

    #[test]
    fn equals_stay_in_their_order_and_what_cannot_be_compared_is_named() {
        let model = |name: &str| Column::from_rows(name, [("a", "x")]).unwrap();
        let outcome = Score::default().run(&[model("one"), model("two")], &labels(), &Context::new()).unwrap();
        assert_eq!((&outcome.models[0].name[..], outcome.models[1].difference), ("one", Some(0.0)));
        let stranger = Column::from_rows("stranger", [("q", "x")]).unwrap();
        let error = Score::default().run(&[model("one"), stranger], &labels(), &Context::new()).unwrap_err();
        assert!(error.to_string().starts_with("stranger: none of the 1 tasks"), "{error}");
        let none = Labels::from_rows([]).unwrap();
        assert_eq!(Score::default().run(&[model("one")], &none, &Context::new()), Err(Error::Empty("label")));
        assert!(Score::default().run(&[], &labels(), &Context::new()).unwrap().models.is_empty());
    }
}
