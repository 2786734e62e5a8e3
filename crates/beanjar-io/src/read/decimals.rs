//! Whether a file has decimal points or decimal commas.

use crate::{Error, Place, Result};

/// What a reader says that it took for decimal commas.
pub(super) const DECIMAL_COMMAS: &str = "decimal commas";

/// The decimal signs seen so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Decimals {
    /// Whether a number has a decimal point.
    pub(crate) points: bool,
    /// Where the first decimal comma is.
    pub(crate) comma: Option<Place>,
}

impl Decimals {
    /// Those of several parts of a file.
    pub(super) fn of<'a>(parts: impl Iterator<Item = &'a Decimals>) -> Decimals {
        parts.fold(Decimals::default(), |all, part| Decimals {
            points: all.points || part.points,
            comma: all.comma.into_iter().chain(part.comma).min(),
        })
    }

    /// Whether there are decimal commas. An error if there are points as well, for then one of them may be of thousands.
    pub(crate) fn check(self, file: &str) -> Result<bool> {
        match (self.points, self.comma) {
            (true, Some(place)) => Err(Error::MixedDecimals { file: file.into(), place }),
            (_, comma) => Ok(comma.is_some()),
        }
    }
}
