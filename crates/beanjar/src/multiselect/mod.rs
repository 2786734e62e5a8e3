//! Feature multi-selection (Sabato and Kalai 2013): which attributes to judge, how often each, and what error to expect.
//!
//! Judgments of attribute a of an object are its true value plus noise of variance v_a; true values have covariance
//! Sigma over objects, and b with the label. Judged r_a times each, attributes explain
//! obj(r) = b' (Sigma + diag(v / r))^-1 b of the label's variance, over the attributes with r_a > 0. The question is
//! which r to choose for a budget, and everything here is about that function: estimating it ([`Estimates`]), raising
//! it ([`select`]), bounding it, checking it on objects that were held out.

mod baselines;
mod best;
mod bound;
mod estimates;
mod full;
mod moments;
mod residual;
mod scoring;
mod selection;
mod spending;

pub use estimates::Estimates;
pub use selection::{Method, Selection, Step, select};
pub use spending::Spending;
