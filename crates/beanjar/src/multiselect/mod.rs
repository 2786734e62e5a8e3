//! Feature multi-selection (Sabato and Kalai 2013): which attributes to judge, how often each, and what error to expect.
//!
//! Judgments of attribute a of an object are its true value plus noise of variance v_a; true values have covariance
//! Sigma over objects, and b with the label. Judged r_a times each, attributes explain
//! obj(r) = b' (Sigma + diag(v / r))^-1 b of the label's variance, over the attributes with r_a > 0. The question is
//! which r to choose for a budget.
//!
//! Three workflows: [`Select`] chooses what to ask, [`Plan`] lists the judgments still to collect, [`FitPredictor`] fits
//! the linear [`Predictor`] of a selection. They are made of parts that work on numbers alone: [`Estimates`] estimates
//! obj, a [`Selector`] raises and bounds it, and checks it on held-out objects.

mod along;
mod attribute_label;
mod attribute_names;
mod baselines;
mod best;
mod bound;
mod budget_advice;
mod class_rule;
mod combine;
mod elsewhere;
mod estimates;
mod fit;
mod full;
mod held_out_scores;
mod labelled_judgments;
mod labels;
mod method;
mod moments;
mod noise_factors;
mod other_judges;
mod per_target;
mod plan;
mod planned_means;
mod predict;
mod predictor;
#[cfg(test)]
mod promises;
#[cfg(test)]
mod properties;
mod residual;
mod scoring;
mod select;
mod select_found;
mod select_outcome;
mod selection;
mod selector;
mod spending;
mod stability;
mod target_rows;
mod unexplained;
mod validate;

pub use attribute_label::AttributeLabel;
pub use budget_advice::BudgetAdvice;
pub use class_rule::ClassRule;
pub use combine::{Combine, Combined};
pub use elsewhere::{Elsewhere, GroupMoments, GroupedJudgment, MomentsPass};
pub use fit::{FitPredictor, FitPredictorOutcome};
pub use method::Method;
pub use noise_factors::NoiseFactors;
pub use per_target::PerTarget;
pub use plan::{Plan, PlanAttribute, PlanOutcome, PlanRow};
pub use predict::{ClassProbabilities, PredictValuesOutcome, PredictedValue};
pub use predictor::{Fitting, Predictor, PredictorAttribute};
pub use select::Select;
pub use select_outcome::{
    AttributeMoments, AttributeStability, NextJudgment, OtherMethod, OtherStep, RecognisedClass, SelectLabel,
    SelectOutcome, SelectStep, SelectedAttribute,
};
pub use selection::{Selection, SelectionAttribute, SelectionErrors};

pub use estimates::Estimates;
pub use labelled_judgments::LabelledJudgments;
pub use labels::{Classes, CodedLabels};
pub use selector::{SelectionFit, Selector, Step, Strategy};
pub use spending::Spending;
pub use stability::StabilityFit;
pub use target_rows::TargetRows;
pub use validate::{ExpectedLoss, RIDGES, ValidationFit};
