//! The name that somebody who mistyped one may have meant.

use crate::message::cut;

use crate::Dictionary;

/// The name that takes the fewest edits, if those change at most a third of the letters.
pub(crate) fn nearest(names: &Dictionary, name: &str) -> Option<String> {
    let (edits, nearest) = names.iter().map(|other| (edits(name, other), other)).min_by_key(|(edits, _)| *edits)?;
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

/// The question in a message, if there is such a name.
pub(crate) fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |name| format!(" (did you mean '{}'?)", cut(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted_as_by_hand() {
        for (a, b, expected) in [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2)] {
            assert_eq!((edits(a, b), edits(b, a)), (expected, expected), "{a} and {b}");
        }
    }
}
