use super::choose_penalty::PenaltyChoice;
use super::coefficient_lines::CoefficientLine;
use super::experts_model::Calibrated;
use super::learn::LearnData;
use super::learner::StandardisedFit;
use super::{ClassifierFit, ErrorModel, ErrorModels, ExpertsModel, Labelled, PathPoint, Penalty, PenaltyKind};
use crate::surrogate::{implied_risk, slope_of_surrogate};
use crate::{Dictionary, Warning};
use std::collections::BTreeMap;

/// What was learned, as the command `learn` prints it: a model file with more in it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LearnOutcome {
    /// The model, to predict with and to save.
    #[cfg_attr(feature = "serde", serde(flatten, serialize_with = "as_a_file"))]
    pub model: ExpertsModel,
    /// The classes, in sorted order.
    pub classes: Vec<String>,
    /// The penalty on the coefficients of standardised features.
    pub penalty: f64,
    /// Its kind.
    pub penalty_kind: PenaltyKind,
    /// The intercept, for features on the user's scale.
    pub intercept: PerClass,
    /// The log-likelihood less the penalties.
    pub objective: f64,
    /// The log-likelihood of the labels.
    pub log_likelihood: f64,
    /// Steps that were taken, from a start on: with those of fits with other penalties on the way.
    pub iterations: usize,
    /// Whether the steps ended because none promised more.
    pub converged: bool,
    /// S of labels that were held out.
    pub surrogate: Option<f64>,
    /// Its standard error.
    pub surrogate_se: Option<f64>,
    /// How often experts err.
    pub expert_error: Option<f64>,
    /// The risk that S and the experts' error imply: how often the classifier errs.
    pub risk: Option<f64>,
    /// Its standard error, if experts err that often: what is left is the noise of S.
    pub risk_se: Option<f64>,
    /// The penalties that were tried.
    pub path: Vec<PathPoint>,
    /// The largest coefficients along the path; none of a single penalty.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub coefficient_paths: Vec<CoefficientPath>,
    /// The features.
    pub features: Vec<FeatureEffect>,
    /// The experts, if they were learned from.
    pub experts: Vec<ExpertSkill>,
    /// How experts err, if they were learned from.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error_model: Option<ErrorModel>,
    /// How likely held-out labels are if experts err in one way or the other, if both were tried.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error_models: Option<ErrorModels>,
    /// If labels of parts of the units were held out, the class of each unit by a fit to the other parts.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub held_out: Option<Vec<(String, String)>>,
    /// What a user should know.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// A number for the second of two classes, or one for each of several.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
pub enum PerClass {
    /// For the second of two classes.
    Second(f64),
    /// For each class, by its name.
    Each(BTreeMap<String, f64>),
}

/// A coefficient along the path of penalties.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CoefficientPath {
    /// The feature.
    pub feature: String,
    /// The class whose log-odds it adds to.
    pub class: String,
    /// For each penalty of the path, what a standard deviation of the feature adds to the log-odds.
    pub values: Vec<f64>,
}

/// What a feature does.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct FeatureEffect {
    /// Its name.
    pub feature: String,
    /// Its coefficient for the class, on the user's scale: the paper's beta.
    pub truth: PerClass,
    /// What a unit of it adds to the logarithm of the odds that experts are right: above zero it makes units easy, below
    /// zero hard. The paper's gamma; `difficulty` in JSON.
    #[cfg_attr(feature = "serde", serde(rename = "difficulty"))]
    pub ease: f64,
}

/// How often an expert is right.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ExpertSkill {
    /// Who.
    pub worker: String,
    /// The logarithm of the odds of being right, where all features are 0: the paper's alpha.
    pub skill: f64,
    /// With asymmetric skills that for units of the first class, `skill` being for those of the second.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub skill_false: Option<f64>,
    /// The share of the expert's labels that are right, in expectation; none for one without labels.
    pub accuracy: Option<f64>,
}

impl PerClass {
    fn new(classes: &[String], values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        match values[..] {
            [value] => PerClass::Second(value),
            _ => PerClass::Each(classes.iter().cloned().zip(values).collect()),
        }
    }

    /// Whether all are zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            PerClass::Second(value) => *value == 0.0,
            PerClass::Each(values) => values.values().all(|value| *value == 0.0),
        }
    }
}

/// All that was learned.
pub(super) struct Found<'a> {
    pub(super) data: &'a LearnData<'a>,
    pub(super) experts: &'a Dictionary,
    pub(super) labelled: &'a Labelled<'a>,
    pub(super) chosen: PenaltyChoice,
    pub(super) expert_error: Option<f64>,
    pub(super) calibrated: Calibrated,
    pub(super) held_out: Option<Vec<(String, String)>>,
    pub(super) warnings: Vec<Warning>,
}

impl LearnOutcome {
    /// Puts names to the numbers.
    pub(super) fn of(found: Found<'_>) -> Self {
        let Found { data, experts, labelled, chosen, expert_error, calibrated, held_out, warnings } = found;
        let PenaltyChoice { penalty, path, fit, coefficients, error_models, .. } = chosen;
        let names = (&data.labels.classes, experts);
        let model = ExpertsModel::new(&fit, labelled, data.features.names(), names, calibrated);
        let classes = model.classes().to_vec();
        let Penalty { size: penalty, kind } = penalty;
        let point = path.iter().find(|point| (point.penalty, point.kind) == (penalty, kind));
        let surrogate = point.and_then(|point| point.surrogate);
        let surrogate_se = surrogate.and(point).and_then(|point| point.surrogate_se);
        let risk = surrogate.zip(expert_error).and_then(|(s, error)| implied_risk(s, error, classes.len()));
        let noise = risk.and(expert_error).map(|error| slope_of_surrogate(error, classes.len()));
        LearnOutcome {
            penalty,
            penalty_kind: kind,
            intercept: PerClass::new(&classes, model.classifier().intercepts().iter().copied()),
            objective: fit.objective,
            log_likelihood: fit.log_likelihood,
            iterations: fit.iterations,
            converged: fit.converged,
            surrogate,
            surrogate_se,
            expert_error,
            risk,
            risk_se: surrogate_se.zip(noise).map(|(se, slope)| se / slope),
            coefficient_paths: coefficients.into_iter().map(|line| named(line, &model)).collect(),
            features: effects(&model),
            experts: skills(&model, &fit, labelled),
            error_model: match fit.standardised {
                StandardisedFit::Classifier(_) => None,
                StandardisedFit::Experts(_) => Some(ErrorModel::Skill),
                StandardisedFit::Rows(_) => Some(ErrorModel::Rows),
            },
            error_models,
            path,
            classes,
            model,
            held_out,
            warnings,
        }
    }
}

fn named(line: CoefficientLine, model: &ExpertsModel) -> CoefficientPath {
    let classes = model.classes();
    CoefficientPath {
        feature: model.feature_names()[line.feature].clone(),
        // Of two classes, the row is that of the second.
        class: classes[if classes.len() == 2 { 1 } else { line.row }].clone(),
        values: line.values,
    }
}

fn effects(model: &ExpertsModel) -> Vec<FeatureEffect> {
    let effect = |(feature, name): (usize, &String)| FeatureEffect {
        feature: name.clone(),
        truth: PerClass::new(model.classes(), model.classifier().coefficients_of(feature)),
        ease: model.experts().map_or(0.0, |experts| experts.ease()[feature]),
    };
    model.feature_names().iter().enumerate().map(effect).collect()
}

fn skills(model: &ExpertsModel, fit: &ClassifierFit, labelled: &Labelled<'_>) -> Vec<ExpertSkill> {
    let (Some(experts), Some(rights)) = (model.experts(), fit.standardised.rights()) else { return Vec::new() };
    let accuracies = rights.accuracies(labelled);
    let count = model.expert_names().len();
    let skill = |((worker, name), accuracy): ((usize, &String), Option<f64>)| ExpertSkill {
        worker: name.clone(),
        skill: experts.skills()[if experts.asymmetric() { count + worker } else { worker }],
        skill_false: experts.asymmetric().then(|| experts.skills()[worker]),
        accuracy,
    };
    model.expert_names().iter().enumerate().zip(accuracies).map(skill).collect()
}

/// The model with the keys that make it a model file.
#[cfg(feature = "serde")]
fn as_a_file<S: serde::Serializer>(model: &ExpertsModel, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(serde::Serialize)]
    struct File<'a> {
        beanjar_model: u64,
        kind: &'static str,
        #[serde(flatten)]
        model: &'a ExpertsModel,
    }
    serde::Serialize::serialize(&File { beanjar_model: 1, kind: "experts", model }, serializer)
}
