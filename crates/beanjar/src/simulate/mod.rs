//! Data with a known truth: judgments of photos, crowd labels, noisy experts.
//!
//! Each kind is a struct of parameters with a `draw(&context)`. The same parameters and seed give the same data.

mod crowd;
mod experts;
mod panel;
mod photo_attributes;
mod photos;

pub use crowd::{Crowd, SimulatedLabels, WorkerModel};
pub use experts::{ExpertCase, Experts, SimulatedExperts};
pub use panel::Panel;
pub use photo_attributes::{AttributeKind, PHOTO_ATTRIBUTES, PhotoAttribute};
pub use photos::{Photos, SimulatedPhotos};
