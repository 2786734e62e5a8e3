//! What stands for a missing value.

/// What stands for a missing value in a file, besides an empty text, NA, N/A, NaN and null; empty by default. A number
/// stands for itself in any form: 999 is also 999.0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Missing {
    texts: Vec<String>,
    numbers: Vec<f64>,
}

impl Missing {
    /// These texts and numbers.
    pub fn new(texts: impl IntoIterator<Item = impl Into<String>>) -> Missing {
        let texts: Vec<String> = texts.into_iter().map(|text| text.into().trim().to_owned()).collect();
        let numbers = texts.iter().filter_map(|text| text.parse().ok()).collect();
        Missing { texts, numbers }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether a text stands for a missing value.
    pub(crate) fn has(&self, text: &str) -> bool {
        let text = text.trim();
        self.texts.iter().any(|missing| missing == text)
            || !self.numbers.is_empty() && text.parse().is_ok_and(|number| self.has_number(number))
    }

    pub(crate) fn has_number(&self, number: f64) -> bool {
        self.numbers.contains(&number)
    }
}

/// Whether an id stands for a missing one in any file. Space around it makes it another.
pub(super) fn is_missing_id(text: &str) -> bool {
    match text.len() {
        0 => true,
        1..=4 => stands_for_nothing(text) || text.trim_ascii().is_empty(),
        _ => text.as_bytes()[0].is_ascii_whitespace() && text.trim_ascii().is_empty(),
    }
}

/// Whether a class or a number stands for a missing one in any file, with any space around it.
pub(super) fn is_missing(text: &str) -> bool {
    // Most values are settled by a look at their ends.
    if let [first, _, _, _, _, .., last] = text.as_bytes()
        && !first.is_ascii_whitespace()
        && !last.is_ascii_whitespace()
    {
        return false;
    }
    stands_for_nothing(text.trim_ascii())
}

fn stands_for_nothing(text: &str) -> bool {
    matches!(text, "" | "NA" | "N/A" | "n/a" | "NaN" | "nan" | "NAN" | "Nan" | "null" | "NULL" | "Null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_for_nothing_is_missing_with_any_space_around_it() {
        for text in ["", " ", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "  NA   ", "null \t", "        "] {
            assert!(is_missing(text), "{text:?}");
        }
        for text in ["0", "none", "NAN1", "nullo", "a b c d", "NA NA", "-"] {
            assert!(!is_missing(text) && !is_missing_id(text), "{text:?}");
        }
        for text in ["", " ", "NA", "NAN", "null", "          "] {
            assert!(is_missing_id(text), "{text:?}");
        }
        for text in ["NA ", " NA", "null \t", " null      "] {
            assert!(!is_missing_id(text), "{text:?}");
        }
    }

    #[test]
    fn a_file_may_have_words_and_numbers_of_its_own_for_it() {
        let missing = Missing::new(["999", "-99", "don't know"]);
        for text in ["999", " 999.0 ", "-99", "-9.9e1", "don't know", "don't know "] {
            assert!(missing.has(text), "{text:?}");
        }
        for text in ["99", "9990", "Don't know", "", "1"] {
            assert!(!missing.has(text), "{text:?}");
        }
        assert!(missing.has_number(999.0) && !missing.has_number(99.0));
        assert!(!Missing::default().has("999"));
    }
}
