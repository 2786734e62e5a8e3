//! Feature multi-selection (Sabato and Kalai 2013): which attributes to judge, how often each, and what error to expect.
//!
//! Judgments of attribute a of an object are its true value plus noise of variance v_a; true values have covariance
//! Sigma over objects, and b with the label. Judged r_a times each, attributes explain
//! obj(r) = b' (Sigma + diag(v / r))^-1 b of the label's variance, over the attributes with r_a > 0. The question is
//! which r to choose for a budget, and everything here is about that function: estimating it ([`Estimates`]), raising
//! it ([`select`]), bounding it, checking it on objects that were held out ([`validate`]).

mod baselines;
mod best;
mod bound;
mod estimates;
mod full;
mod labels;
mod moments;
mod plan;
mod predictor;
mod residual;
mod scoring;
mod selection;
mod spending;
mod stability;
mod validate;

pub use estimates::Estimates;
pub use labels::{Classes, CodedLabels, code_labels};
pub use plan::{Ask, plan};
pub use predictor::{Fitting, Prediction, Predictor, PredictorAttribute};
pub use selection::{Method, Selection, Step, path, repeats, select};
pub use spending::Spending;
pub use stability::{Stability, bootstrap};
pub use validate::{RIDGES, Validation, validate};
