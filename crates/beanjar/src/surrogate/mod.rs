//! S: how often predictions differ from noisy labels, and so which of several models to believe when no truth is at hand
//! (Izbicki and Stern 2014, Learning with many experts: model selection and sparsity).
//!
//! S = mean over units of the mean over the unit's experts of [prediction != label]. If experts are right more often than
//! not, and err independently of what the model gets wrong, then S = (1 - 2e) R + e with R the model's risk and e the mean
//! error of the experts: the model with the smallest S is the one with the smallest risk. [`Score`] compares several models.

mod compare;
mod gold;
mod risk;
mod score;

pub use compare::{Difference, Surrogate, difference, disagreements, surrogate};
pub use gold::GoldRisk;
pub(crate) use risk::slope_of_surrogate;
pub use risk::{expert_error, implied_risk};
pub(crate) use score::warn_of_experts;
pub use score::{ModelScore, Score, ScoreOutcome};
