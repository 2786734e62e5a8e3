//! From the outcome of each command to its part of a page.

mod aggregate;
mod calibration;
mod confusion;
mod inspect;
mod learn;
mod next;
mod pairs;
mod plan;
mod score;
mod select;
mod votes;
mod workers;

pub use aggregate::aggregate;
pub use inspect::{inspect_judgments, inspect_labels};
pub use learn::learn;
pub use next::next;
pub use plan::plan;
pub use score::score;
pub use select::select;
pub use votes::votes;
pub use workers::workers;

/// What is added to the meaning of a figure that draws the first `most` of `all` rows; `which` says what these are.
fn drawn(most: usize, all: usize, which: &str) -> String {
    match all > most {
        true => format!(" Drawn are the {most} {which} of {}; the table has more.", crate::number::whole(all)),
        false => String::new(),
    }
}
