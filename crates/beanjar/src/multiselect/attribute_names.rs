//! Attributes found by name, with a suggestion where a name is misspelt.

use crate::nearest_name::nearest;
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
}
