//! From the outcome of each command to its part of a page.

mod aggregate;
mod calibration;
mod inspect;
mod learn;
mod pairs;
mod score;
mod select;
mod votes;
mod workers;

pub use aggregate::aggregate;
pub use inspect::{inspect_judgments, inspect_labels};
pub use learn::learn;
pub use score::score;
pub use select::select;
pub use votes::votes;
pub use workers::workers;
