//! A sparse classifier from several noisy experts (Izbicki and Stern 2014, Learning with many experts: model selection and
//! sparsity).
//!
//! [`Learn`] is the whole way from a table of features and labels to a model; [`ExpertsModel`] predicts.
//!
//! Below it: [`Features`] are on the user's scale and [`Labelled`] standardises them. [`ManyExperts`] brings the model
//! (`parameters`) to a maximum of its likelihood, from `starts`, by `em` and then by `newton`. The regressions are `lasso`
//! (two classes) and `multinomial` (more), solved by `proximal_newton`. Where features are many, both the regressions and the
//! model are fitted by `truncated_newton`, whose losses are in `smooth` and whose sums are `products` of matrices. `rows` goes
//! on to a confusion matrix for each expert, and `error_model` chooses between that and one skill each. A [`Learner`] is this or
//! a plain regression, and `path` compares penalties.

mod choose_penalty;
mod classifier;
mod coefficient_lines;
mod compare_models;
mod em;
mod error_model;
mod expert_model;
mod expert_rows;
mod experts_model;
mod feature_table;
mod features;
mod hessian;
mod labelled_units;
mod large;
mod large_path;
mod largest_penalty;
mod lasso;
mod learn;
mod learn_outcome;
mod learned_from;
mod learner;
mod linear;
mod many_experts;
mod mixture_loss;
mod multinomial;
mod newton;
mod parameters;
mod path;
mod path_fit;
mod penalty;
mod posterior;
mod predict;
mod products;
mod proximal_newton;
mod quadratic;
mod regression;
mod rights;
mod row_space;
mod rows;
#[cfg(test)]
mod simulated;
mod smooth;
mod split;
mod standardised;
mod starts;
mod temperature;
mod truncated_newton;
mod unit_hessian;
mod units;

pub use classifier::Classifier;
pub use error_model::{ErrorModel, ErrorModels};
pub use expert_model::ExpertModel;
pub use expert_rows::ExpertRows;
pub use experts_model::ExpertsModel;
pub use feature_table::FeatureTable;
pub use features::Features;
pub use labelled_units::Labelled;
pub use learn::{HeldOut, Learn, LearnData, LearnFrom};
pub use learn_outcome::{CoefficientPath, ExpertSkill, FeatureEffect, LearnOutcome, PerClass};
pub use learned_from::LearnedFrom;
pub use learner::{ClassifierFit, Learner};
pub use many_experts::{ExpertsFit, ManyExperts};
pub use path::{PenaltyPath, Validation};
pub use path_fit::{PathFit, PathPoint};
pub use penalty::{Penalty, PenaltyKind};
pub use predict::{ClassPrediction, PredictClassesOutcome};
pub use split::random_split;

use penalty::check_penalty;
