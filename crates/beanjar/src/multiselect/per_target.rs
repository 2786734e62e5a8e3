//! One number, or one for each class.

/// A number of a label; of a label with more than two classes, one for each class in the order of their names. As JSON, a
/// number or a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PerTarget(Vec<f64>);

impl PerTarget {
    /// The number, if it is one.
    #[must_use]
    pub fn single(&self) -> Option<f64> {
        match self.0[..] {
            [number] => Some(number),
            _ => None,
        }
    }

    /// All numbers: one, or one for each class.
    #[must_use]
    pub fn all(&self) -> &[f64] {
        &self.0
    }
}

impl From<f64> for PerTarget {
    fn from(number: f64) -> Self {
        PerTarget(vec![number])
    }
}

impl From<&[f64]> for PerTarget {
    fn from(numbers: &[f64]) -> Self {
        PerTarget(numbers.to_vec())
    }
}

impl From<Vec<f64>> for PerTarget {
    fn from(numbers: Vec<f64>) -> Self {
        PerTarget(numbers)
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::PerTarget;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(f64),
        Many(Vec<f64>),
    }

    impl Serialize for PerTarget {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self.single() {
                Some(number) => number.serialize(serializer),
                None => self.0.serialize(serializer),
            }
        }
    }

    impl<'de> Deserialize<'de> for PerTarget {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            Ok(match OneOrMany::deserialize(deserializer)? {
                OneOrMany::One(number) => PerTarget(vec![number]),
                OneOrMany::Many(numbers) => PerTarget(numbers),
            })
        }
    }
}
