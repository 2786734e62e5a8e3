//! `--repeats`, the same in all commands that read labels.

use beanjar::Repeats;
use clap::{Args, ValueEnum};

#[derive(Args)]
pub(crate) struct RepeatsFlag {
    /// What becomes of labels that a worker gave to the same task more than once.
    #[arg(long, value_enum, default_value_t = RepeatsName::Average)]
    repeats: RepeatsName,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum RepeatsName {
    /// One opinion: r labels count 1/r each.
    Average,
    /// The first counts.
    First,
    /// All count, as if by different workers.
    All,
}

impl RepeatsFlag {
    pub(crate) fn repeats(&self) -> Repeats {
        self.repeats.into()
    }
}

impl From<RepeatsName> for Repeats {
    fn from(name: RepeatsName) -> Repeats {
        match name {
            RepeatsName::Average => Repeats::Average,
            RepeatsName::First => Repeats::First,
            RepeatsName::All => Repeats::All,
        }
    }
}
