//! Learning from noisy, subjective judgments: what to ask, how many times, whom to trust.
//!
//! Data come in two kinds that share one shape, rows grouped by the thing that was judged:
//! [`Judgments`] are numbers (object, attribute, worker, value) and [`Labels`] are categories
//! (task, worker, label). Every method reads them object by object and keeps a small sum; see
//! [`judgments::Sum`].
//!
//! ```
//! use beanjar::{Context, InspectLabels, Labels};
//!
//! let labels = Labels::from_rows([
//!     ("photo 1", "ann", "cat"), ("photo 1", "bob", "cat"),
//!     ("photo 2", "ann", "dog"), ("photo 2", "bob", "cat"),
//!     ("photo 3", "ann", "dog"), ("photo 3", "bob", "dog"),
//! ])?;
//! let outcome = InspectLabels::default().run(&labels, &Context::new())?;
//! assert_eq!(outcome.tasks, 3);
//! assert!((outcome.alpha.unwrap() - 4.0 / 9.0).abs() < 1e-12);
//! # Ok::<(), beanjar::Error>(())
//! ```
//!
//! The library reads no files and prints nothing. Threads, seed and progress come in one argument, [`Context`].
#![warn(missing_docs)]

pub mod experts;
pub mod judgments;
pub mod linalg;
pub mod model;
pub mod multiselect;
pub mod quantile;
pub mod random;
pub mod reliability;
pub mod simulate;
pub mod surrogate;
pub mod truth;
pub mod workers;

mod bytes;
mod classes_truth;
mod context;
mod error;
mod f_distribution;
mod gamma;
mod likeliest;
mod log_product;
mod logistic;
mod message;
mod mutual_information;
mod nearest_name;
mod normal;
mod warning;

pub use classes_truth::{ClassesTruth, ConfusionCounts};
pub use context::{Context, Progress};
pub use error::{Error, Result};
pub use experts::{ExpertsModel, FeatureTable, Learn, LearnOutcome, PredictClassesOutcome};
pub use judgments::{Column, Dictionary, Judgments, Labels, Repeats};
pub use model::{CrowdModel, Model};
pub use multiselect::{FitPredictor, FitPredictorOutcome, Plan, PlanOutcome, Select, SelectOutcome};
pub use reliability::{InspectJudgments, InspectJudgmentsOutcome, InspectLabels, InspectLabelsOutcome};
pub use surrogate::{Score, ScoreOutcome};
pub use truth::{
    Aggregate, AggregateOutcome, EnoughVotes, EnoughVotesOutcome, NextVotes, NextVotesOutcome, SuggestGold,
    SuggestGoldOutcome,
};
pub use warning::Warning;
#[doc(hidden)]
pub use warning::counted;
pub use workers::{RankWorkers, RankWorkersOutcome};
