//! The judgments still to collect.

use crate::Judgments;
use crate::judgments::Grouped;

/// What is there and what is to be asked, of one attribute of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Which object.
    pub object: usize,
    /// Which attribute, by its number among those wanted.
    pub attribute: usize,
    /// How many judgments are there.
    pub have: u32,
    /// How many more to ask for.
    pub ask: u32,
}

/// For each object and each wanted attribute (its number in the table if it is there, and how often it is wanted), what
/// to ask.
///
/// Cost: O(judgments + objects attributes).
pub fn plan(judgments: &Judgments, wanted: &[(Option<usize>, u32)]) -> Vec<Ask> {
    let mut asks = Vec::with_capacity(judgments.objects() * wanted.len());
    let mut have = vec![0; judgments.attributes.len()];
    for object in 0..judgments.objects() {
        have.fill(0);
        for (attribute, _, values) in judgments.of(object).by_attribute() {
            have[attribute] = values.len() as u32;
        }
        asks.extend(wanted.iter().enumerate().map(|(attribute, &(column, repeats))| {
            let have = column.map_or(0, |column| have[column]);
            Ask { object, attribute, have, ask: repeats.saturating_sub(have) }
        }));
    }
    asks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_asked_again() {
        let rows = [("p", "tall", "", 1.0), ("p", "tall", "", 1.0), ("p", "male", "", 1.0), ("q", "male", "", 0.0)];
        let judgments = Judgments::from_rows(rows).unwrap();
        let asks = plan(&judgments, &[(Some(0), 3), (Some(1), 1), (None, 2)]);
        let counts: Vec<(u32, u32)> = asks.iter().map(|ask| (ask.have, ask.ask)).collect();
        assert_eq!(counts, [(2, 1), (1, 0), (0, 2), (0, 3), (1, 0), (0, 2)]);
    }
}
