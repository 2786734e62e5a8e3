//! How reliable are the judgments? Noise and signal of each attribute, agreement of each worker, Krippendorff's alpha.

mod agreement;
mod alpha;
mod judgments;
mod kappa;
mod labels;
mod patterns;
mod variance;

pub use alpha::Scale;
pub use judgments::{AttributeReliability, JudgmentOptions, JudgmentWorker, JudgmentsReliability, inspect_judgments};
pub use labels::{LabelOptions, LabelWorker, LabelsReliability, VotesPerTask, inspect_labels};
pub(crate) use variance::{AttributeSums, first_values};
pub use variance::{judgments_needed, reliability_of_mean};
