use crate::judgments::Ballots;
use crate::{Error, Result};

/// What is known of the tasks: votes, and the true classes of some.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    pub(super) ballots: &'a Ballots,
    /// Of each task its class, where that is known; empty if none is.
    pub(super) gold: Vec<Option<u16>>,
}

impl<'a> Evidence<'a> {
    /// Votes alone. An error if there are none.
    pub fn votes(ballots: &'a Ballots) -> Result<Self> {
        Self::with_gold(ballots, Vec::new())
    }

    /// Votes, and for each task its true class where that is known. `gold` has an entry for each task, or none at all.
    pub fn with_gold(ballots: &'a Ballots, gold: Vec<Option<u16>>) -> Result<Self> {
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        let known = |class: &u16| usize::from(*class) < ballots.classes();
        if !gold.is_empty() && (gold.len() != ballots.tasks() || !gold.iter().flatten().all(known)) {
            return Err(Error::OutOfRange {
                name: "the table of known classes",
                value: format!("of {} tasks", gold.len()),
                range: "of as many tasks as there are, with classes that have votes",
            });
        }
        Ok(Evidence { ballots, gold })
    }

    /// Some of the votes of checked evidence. There may be none.
    pub(super) fn part(ballots: &'a Ballots, gold: &[Option<u16>]) -> Self {
        Evidence { ballots, gold: gold.to_vec() }
    }

    /// The votes.
    #[must_use]
    pub fn ballots(&self) -> &'a Ballots {
        self.ballots
    }

    /// An error if tables of the workers, each of `classes` classes or components, or the tasks' probabilities of as many
    /// do not fit into memory.
    pub(super) fn check_tables(&self, classes: usize) -> Result<()> {
        // One gigabyte, of which EM needs a few.
        const MOST_CELLS: usize = 125_000_000;
        // Four gigabytes.
        const MOST_PROBABILITIES: usize = 500_000_000;
        let refuse = |what| Err(Error::TooManyClasses { classes, what });
        let cells = (self.ballots.workers() + 1).saturating_mul(classes).saturating_mul(self.ballots.classes());
        if cells > MOST_CELLS {
            return refuse(
                "a table for each worker, which would not fit into memory; use majority, wawa or dawid-skene",
            );
        }
        if self.ballots.tasks().saturating_mul(classes) > MOST_PROBABILITIES {
            return refuse("the number of tasks: their probabilities would not fit into memory; use majority or wawa");
        }
        Ok(())
    }
}
