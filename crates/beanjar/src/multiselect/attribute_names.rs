//! Attributes found by name, with a suggestion where a name is misspelt.

use crate::{Dictionary, Error, Result};

/// The number of the attribute of this name.
pub(super) fn find(attributes: &Dictionary, name: &str) -> Result<usize> {
    attributes.iter().position(|other| other == name).ok_or_else(|| Error::UnknownAttribute {
        name: name.to_owned(),
        nearest: nearest(attributes, name),
        known: attributes.iter().take(MOST_LISTED).map(str::to_owned).collect(),
    })
}

/// Names in an error: more would fill a screen.
const MOST_LISTED: usize = 12;

/// The name that takes the fewest edits, if those change at most a third of the letters.
fn nearest(attributes: &Dictionary, name: &str) -> Option<String> {
    let (edits, nearest) =
        attributes.iter().map(|other| (edits(name, other), other)).min_by_key(|(edits, _)| *edits)?;
    (3 * edits <= name.chars().count().max(3)).then(|| nearest.to_owned())
}

/// Levenshtein's distance, not counting capitals.
fn edits(a: &str, b: &str) -> usize {
    let lower = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    let (a, b) = (lower(a), lower(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_answered_with_the_nearest() {
        let attributes: Dictionary = ["weight", "height", "male"].into_iter().collect();
        assert_eq!(find(&attributes, "height"), Ok(1));
        let nearest = |name: &str| match find(&attributes, name) {
            Err(Error::UnknownAttribute { nearest, known, .. }) => (nearest, known.len()),
            found => panic!("{found:?}"),
        };
        assert_eq!(nearest("hight"), (Some("height".into()), 3));
        assert_eq!(nearest("Males"), (Some("male".into()), 3));
        assert_eq!(nearest("age"), (None, 3));
        let error = find(&attributes, "hight").unwrap_err().to_string();
        assert!(error.contains("no attribute 'hight'") && error.contains("did you mean 'height'?"), "{error}");
    }

    #[test]
    fn edits_are_counted_as_by_hand() {
        for (a, b, expected) in [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)] {
            assert_eq!((edits(a, b), edits(b, a)), (expected, expected), "{a} and {b}");
        }
    }
}
