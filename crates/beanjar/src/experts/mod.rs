//! A sparse classifier from several noisy experts (Izbicki and Stern 2014, Learning with many experts: model selection and
//! sparsity). Model, penalty and solver are apart: [`Features`] are what units look like, `lasso` solves a penalised
//! logistic regression in which the rows of a unit share its features, and `two_class` is the model and its EM.

mod features;
mod lasso;
mod path;
mod two_class;

pub use features::Features;
pub use path::{PathPoint, PenaltyPath, best as best_penalty};
pub use two_class::{Labelled, Learned, ManyExperts, unit_log_odds};
