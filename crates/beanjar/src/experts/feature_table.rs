use super::Features;
use crate::{Dictionary, Error, Result};

/// Features with names: one row of numbers for each unit, on the user's scale.
///
/// ```
/// use beanjar::experts::{FeatureTable, Features};
///
/// let features = Features::from_columns(2, &[vec![1.5, 2.0], vec![0.0, 1.0]])?;
/// let units = ["photo 1", "photo 2"].into_iter().collect();
/// let table = FeatureTable::new(units, vec!["height".into(), "red".into()], features)?;
/// assert_eq!(table.names()[1], "red");
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTable {
    units: Dictionary,
    names: Vec<String>,
    features: Features,
}

impl FeatureTable {
    /// From the units' ids and the features' names, each once, and as many values.
    pub fn new(units: Dictionary, names: Vec<String>, features: Features) -> Result<Self> {
        if (units.len(), names.len()) != (features.units(), features.len()) {
            return Err(Error::OutOfRange {
                name: "a table of features",
                value: format!("of {} units and {} features", features.units(), features.len()),
                range: "of one row for each id and one column for each name",
            });
        }
        let mut seen = std::collections::HashSet::new();
        let repeated = units.repeated().or_else(|| names.iter().map(String::as_str).find(|name| !seen.insert(*name)));
        match repeated {
            Some(twice) => Err(Error::RepeatedId(twice.to_owned())),
            None => Ok(FeatureTable { units, names, features }),
        }
    }

    /// The units' ids.
    #[must_use]
    pub fn units(&self) -> &Dictionary {
        &self.units
    }

    /// The features' names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values.
    #[must_use]
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The values of the features with these names, in this order.
    pub(super) fn features_named(&self, names: &[String]) -> Result<Features> {
        let column = |name: &String| {
            self.names.iter().position(|other| other == name).ok_or_else(|| Error::NoFeature(name.clone()))
        };
        self.features.of_columns(&names.iter().map(column).collect::<Result<Vec<_>>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ids_are_as_many_as_values_and_columns_are_found_by_name() {
        let features = Features::from_columns(2, &[vec![1.0, 2.0], vec![3.0, 4.0]]).unwrap();
        let units: Dictionary = ["a", "b"].into_iter().collect();
        assert!(FeatureTable::new(units.clone(), vec!["x".into()], features.clone()).is_err());
        assert!(FeatureTable::new(Dictionary::default(), vec!["x".into(), "y".into()], features.clone()).is_err());
        let twice = |text: &str| Err(Error::RepeatedId(text.into()));
        assert_eq!(FeatureTable::new(units.clone(), vec!["x".into(), "x".into()], features.clone()), twice("x"));
        let same: Dictionary = ["a", "a"].into_iter().collect();
        assert_eq!(FeatureTable::new(same, vec!["x".into(), "y".into()], features.clone()), twice("a"));
        let table = FeatureTable::new(units, vec!["x".into(), "y".into()], features.clone()).unwrap();
        assert_eq!(table.features_named(&["y".into(), "x".into()]).unwrap(), features.of_columns(&[1, 0]).unwrap());
        assert_eq!(table.features_named(&["z".into()]), Err(Error::NoFeature("z".into())));
    }
}
