//! Data with a known truth: judgments of photos, crowd labels, noisy experts, dense features with crowd labels.
//!
//! Each kind is a struct of parameters with a `draw(&context)`. The same parameters and seed give the same data.

mod crowd;
mod crowd_workers;
mod embeddings;
mod experts;
mod judged_objects;
mod panel;
mod photo_attributes;
mod photos;
mod simulated_labels;
mod voters;

pub use crowd::{Crowd, WorkerModel};
pub use crowd_workers::WorkerKind;
pub use embeddings::{Embeddings, SimulatedEmbeddings};
pub use experts::{ExpertCase, Experts, SimulatedExperts};
pub use judged_objects::{JudgedObjects, JudgmentShape, LabelShape};
pub use panel::Panel;
pub use photo_attributes::{AttributeKind, PHOTO_ATTRIBUTES, PhotoAttribute};
pub use photos::{Photos, SimulatedPhotos};
pub use simulated_labels::{SimulatedLabels, TaskCounts, TaskKind};
