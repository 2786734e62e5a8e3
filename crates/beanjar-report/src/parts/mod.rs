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

/// Which of `all` rows are drawn where there is room for `most`: the first and the last, whom the title names.
fn ends(most: usize, all: usize) -> Vec<usize> {
    match all > most {
        true => (0..most / 2).chain(all - most / 2..all).collect(),
        false => (0..all).collect(),
    }
}

/// What is added to the meaning of a figure that draws the ends of its rows alone; `which` says what the first and the last
/// are.
fn drawn_ends(most: usize, all: usize, which: [&str; 2]) -> String {
    let half = most / 2;
    match all > most {
        true => format!(
            " Drawn are the {half} {} and the {half} {} of {}; the table has more.",
            which[0],
            which[1],
            crate::number::whole(all)
        ),
        false => String::new(),
    }
}

/// What is added to the meaning of a figure that draws the first `most` of `all` rows; `which` says what these are.
fn drawn(most: usize, all: usize, which: &str) -> String {
    match all > most {
        true => format!(" Drawn are the {most} {which} of {}; the table has more.", crate::number::whole(all)),
        false => String::new(),
    }
}
