//! How reliable are the judgments? Noise and signal of each attribute, agreement of each worker, Krippendorff's alpha.

mod agreement;
mod alpha;
mod alpha_interval;
mod coverage;
mod icc;
mod inspect_judgments;
mod inspect_judgments_outcome;
mod inspect_labels;
mod kappa;
mod patterns;
mod rater_bias;
mod share_interval;
mod two_way;
mod variance;

#[cfg(test)]
mod properties;

pub(crate) use agreement::LabelAgreement;
pub use alpha::Scale;
pub use icc::Interval;
pub use inspect_judgments::InspectJudgments;
pub use inspect_judgments_outcome::{AttributeReliability, InspectJudgmentsOutcome, JudgmentWorker};
pub use inspect_labels::{InspectLabels, InspectLabelsOutcome, LabelWorker, VotesPerTask};
pub use patterns::Patterns;
pub use rater_bias::AdjustedMean;
pub use share_interval::share_interval;
pub(crate) use variance::{AttributeSums, first_values};
pub use variance::{judgments_needed, reliability_of_mean};
