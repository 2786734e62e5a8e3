//! Data with a known truth: judgments of photos, crowd labels, noisy experts.
//!
//! Each kind is a struct of parameters with a `draw(seed)`. The same parameters and seed give the same data.

mod experts;
mod labels;
mod panel;
mod photos;

pub use experts::{ExpertCase, Experts, SimulatedExperts};
pub use labels::{Crowd, SimulatedLabels, WorkerModel};
pub use panel::Panel;
pub use photos::{AttributeKind, PHOTO_ATTRIBUTES, PhotoAttribute, Photos, SimulatedPhotos};
