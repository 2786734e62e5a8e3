//! What is known of tasks, objects or workers from another table: one text for each id.

use super::{Dictionary, Labels};
use crate::{Error, Result};

/// One text for each id: known answers, labels to predict, weights of workers, predictions of a model.
///
/// ```
/// use beanjar::{Dictionary, judgments::Column};
///
/// let truth = Column::from_rows("label", [("photo 1", "cat"), ("photo 2", "")])?;
/// let photos: Dictionary = ["photo 2", "photo 1"].into_iter().collect();
/// assert_eq!(truth.matched(&photos, "task")?, [None, Some("cat")]);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Column {
    name: String,
    ids: Dictionary,
    values: Vec<String>,
}

/// Known classes, in the numbers of some labels.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownClasses {
    /// Of each task its class, where that is known.
    pub classes: Vec<Option<u16>>,
    /// How many tasks have a class that no worker ever gave; they count as not known.
    pub unseen: usize,
    /// One of those classes.
    pub example: Option<String>,
}

impl Column {
    /// A column of ids, each once, and as many values; an empty value is a missing one.
    pub fn new(name: impl Into<String>, ids: Dictionary, values: Vec<String>) -> Result<Self> {
        if ids.len() != values.len() {
            let value = format!("{} values for {} ids", values.len(), ids.len());
            return Err(Error::OutOfRange { name: "a column", value, range: "one value for each id" });
        }
        if let Some(twice) = ids.repeated() {
            return Err(Error::RepeatedId(twice.to_owned()));
        }
        Ok(Column { name: name.into(), ids, values })
    }

    /// A column from pairs of id and value, each id once.
    pub fn from_rows<'a>(name: impl Into<String>, rows: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        let (ids, values): (Vec<&str>, Vec<String>) =
            rows.into_iter().map(|(id, value)| (id, value.to_owned())).unzip();
        Column::new(name, ids.into_iter().collect(), values)
    }

    /// The column's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ids.
    #[must_use]
    pub fn ids(&self) -> &Dictionary {
        &self.ids
    }

    /// The values, in the order of the ids.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Of each of `ids` its value, if there is one. An error if none has; `what` says what the ids name.
    pub fn matched<'a>(&'a self, ids: &Dictionary, what: &'static str) -> Result<Vec<Option<&'a str>>> {
        let lookup = self.ids.lookup();
        let value = |id: &str| lookup.code(id).map(|row| self.values[row].as_str());
        let values: Vec<Option<&str>> = ids.iter().map(value).collect();
        if values.iter().all(Option::is_none) && !ids.is_empty() {
            return Err(nothing_in_common(ids, &self.ids, what));
        }
        let values: Vec<Option<&str>> = values.into_iter().map(|value| value.filter(|text| !text.is_empty())).collect();
        match values.iter().all(Option::is_none) && !ids.is_empty() {
            true => Err(Error::NoValues { what, column: self.name.clone() }),
            false => Ok(values),
        }
    }

    /// Of each task of `labels` its class. A class that no worker ever gave is counted, and not known.
    pub fn classes_of(&self, labels: &Labels) -> Result<KnownClasses> {
        let lookup = labels.classes.lookup();
        let mut known = KnownClasses { classes: Vec::new(), unseen: 0, example: None };
        for value in self.matched(&labels.tasks, "task")? {
            let class = value.and_then(|name| lookup.code(name));
            if let (Some(name), None) = (value, class) {
                known.unseen += 1;
                known.example.get_or_insert_with(|| name.to_owned());
            }
            known.classes.push(class.map(|class| class as u16));
        }
        Ok(known)
    }
}

/// The error for two tables that have no id in common.
pub(crate) fn nothing_in_common(left: &Dictionary, right: &Dictionary, what: &'static str) -> Error {
    let example = |ids: &Dictionary| ids.iter().next().unwrap_or_default().chars().take(40).collect();
    Error::NothingInCommon {
        what,
        left: left.len(),
        right: right.len(),
        left_example: example(left),
        right_example: example(right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_matched_by_id_and_gaps_stay_gaps() {
        let column = Column::from_rows("x", [("a", "1"), ("b", ""), ("d", "4")]).unwrap();
        let ids: Dictionary = ["d", "b", "c", "a"].into_iter().collect();
        assert_eq!(column.matched(&ids, "task").unwrap(), [Some("4"), None, None, Some("1")]);
        let strangers: Dictionary = ["x", "y"].into_iter().collect();
        assert!(matches!(column.matched(&strangers, "task"), Err(Error::NothingInCommon { .. })));
        let empty: Dictionary = ["b"].into_iter().collect();
        assert!(matches!(column.matched(&empty, "task"), Err(Error::NoValues { .. })));
        assert_eq!(column.matched(&Dictionary::default(), "task").unwrap(), []);
    }

    #[test]
    fn an_id_stands_once_and_has_one_value() {
        assert_eq!(Column::from_rows("x", [("a", "1"), ("a", "1")]), Err(Error::RepeatedId("a".into())));
        assert!(Column::new("x", ["a"].into_iter().collect(), vec![]).is_err());
    }

    #[test]
    fn classes_nobody_gave_are_counted() {
        let labels = Labels::from_rows([("1", "w", "cat"), ("2", "w", "dog"), ("3", "w", "dog")]).unwrap();
        let truth = Column::from_rows("label", [("3", "cat"), ("1", "cow")]).unwrap();
        let known = truth.classes_of(&labels).unwrap();
        assert_eq!(known.classes, [None, None, Some(0)]);
        assert_eq!((known.unseen, known.example.as_deref()), (1, Some("cow")));
    }
}
