//! How many ids of one table another table has.

use crate::judgments::nothing_in_common;
use crate::{Dictionary, Result};

/// How many of the ids are among the known ones; none if there are no known ones to look at. An error if not one is.
pub(super) fn covered(ids: &Dictionary, known: Option<&Dictionary>, what: &'static str) -> Result<Option<usize>> {
    let Some(known) = known else { return Ok(None) };
    let lookup = known.lookup();
    match ids.iter().filter(|id| lookup.code(id).is_some()).count() {
        0 => Err(nothing_in_common(ids, known, what)),
        covered => Ok(Some(covered)),
    }
}
