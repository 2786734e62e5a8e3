//! A selection by name: which attributes to judge, how often each.

use super::attribute_names::find;
use super::estimates::check_ridge;
use super::{ClassRule, Combine, NoiseFactors};
use crate::judgments::LARGEST;
use crate::message::brief;
use crate::{Column, Dictionary, Error, Result};
use std::collections::HashSet;

/// Which attributes to judge, and how often each: what [`Plan`](super::Plan) lists and [`FitPredictor`](super::FitPredictor)
/// fits. [`SelectOutcome::to_selection`](super::SelectOutcome::to_selection) gives one; it may also come from a table.
///
/// ```
/// use beanjar::{Column, multiselect::Selection};
///
/// let judgments = Column::from_rows("judgments", [("male", "3"), ("tall", "5")])?;
/// let selection = Selection::from_columns(&judgments, None)?;
/// assert_eq!((selection.attributes[1].judgments, selection.attributes[1].cost), (5, 1.0));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Selection {
    /// The attributes, each once.
    pub attributes: Vec<SelectionAttribute>,
    /// The label that it was selected for, if that is known.
    pub label: Option<String>,
    /// The ridge that it was selected with.
    pub ridge: f64,
    /// Whether the label's values are names of classes, even if they are numbers.
    pub classes: bool,
    /// How judgments of an attribute become one number.
    pub aggregate: Combine,
    /// The errors that were expected of it, if that is known.
    pub expected: Option<SelectionErrors>,
}

/// The errors to expect of a selection, found with the choice of attributes held out as well. Who fits a predictor to the
/// objects that a selection was made from cannot hold that choice out, and would state too little.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SelectionErrors {
    /// The labelled objects that it was selected from.
    pub objects: usize,
    /// The squared error.
    pub loss: f64,
    /// Of classes, the share of objects in the wrong one.
    pub error_rate: Option<f64>,
    /// Of classes, where the predictions of held-out objects lie.
    pub rule: Option<ClassRule>,
}

/// An attribute of a selection.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct SelectionAttribute {
    /// Its name.
    pub attribute: String,
    /// How often to judge it.
    pub judgments: u32,
    /// What a judgment costs.
    #[cfg_attr(feature = "serde", serde(default = "one"))]
    pub cost: f64,
    /// How many times the noise of the judgments that it was selected from those of new objects have, if not once.
    #[cfg_attr(feature = "serde", serde(default))]
    pub noise_factor: Option<f64>,
}

impl Selection {
    /// A selection of these attributes.
    pub fn new(attributes: Vec<SelectionAttribute>) -> Result<Self> {
        let selection = Selection { attributes, ..Selection::default() };
        selection.check().map(|()| selection)
    }

    /// A selection from a table with a row for each attribute: the number of judgments, and what one costs if not 1.
    pub fn from_columns(judgments: &Column, cost: Option<&Column>) -> Result<Self> {
        let row = |(row, attribute): (usize, &str)| {
            let judgments = whole(judgments, row)?;
            Ok(SelectionAttribute { attribute: attribute.to_owned(), judgments, cost: 1.0, noise_factor: None })
        };
        let mut attributes = judgments.ids().iter().enumerate().map(row).collect::<Result<Vec<_>>>()?;
        if let Some(cost) = cost {
            let costs = cost.ids().lookup();
            for attribute in &mut attributes {
                if let Some(row) = costs.code(&attribute.attribute) {
                    attribute.cost = number(cost, row)?;
                }
            }
        }
        Selection::new(attributes)
    }

    /// A selection from the JSON of a [`SelectOutcome`](super::SelectOutcome).
    #[cfg(feature = "serde")]
    pub fn from_json(json: &str) -> Result<Self> {
        let outcome: OutcomeJson = serde_json::from_str(json)
            .map_err(|error| Error::NotASelection { line: error.line(), problem: problem(&error) })?;
        let OutcomeJson { selection, label, ridge, objects, cv_loss, error_rate, rule, aggregate } = outcome;
        let fine = |loss: &f64| loss.is_finite() && *loss >= 0.0;
        let expected = cv_loss.filter(fine).map(|loss| {
            let error_rate = error_rate.filter(|rate| (0.0..=1.0).contains(rate));
            SelectionErrors { objects, loss, error_rate, rule }
        });
        let classes = label.as_ref().is_some_and(|label| label.classes.is_some());
        let selection = Selection {
            attributes: selection,
            label: label.map(|label| label.name),
            ridge,
            classes,
            aggregate,
            expected,
        };
        selection.check().map(|()| selection)
    }

    /// An error if no judgment is asked for, an attribute stands twice, or a number is out of range.
    pub fn check(&self) -> Result<()> {
        self.noise_factors().check()?;
        if self.attributes.iter().all(|attribute| attribute.judgments == 0) {
            return Err(Error::EmptySelection);
        }
        let mut seen = HashSet::new();
        if let Some(twice) = self.attributes.iter().find(|attribute| !seen.insert(&attribute.attribute)) {
            return Err(Error::RepeatedId(twice.attribute.chars().take(60).collect()));
        }
        if let Some(bad) = self.attributes.iter().find(|attribute| !(0.0..=LARGEST).contains(&attribute.cost)) {
            let value = format!("{} for '{}'", brief(bad.cost), bad.attribute.chars().take(40).collect::<String>());
            return Err(Error::OutOfRange { name: "a cost", value, range: "0 to 1e50" });
        }
        check_ridge(self.ridge)
    }

    /// How many times the noise of the judgments at hand new ones have.
    pub(super) fn noise_factors(&self) -> NoiseFactors {
        let given = |attribute: &SelectionAttribute| Some((attribute.attribute.clone(), attribute.noise_factor?));
        NoiseFactors { of: self.attributes.iter().filter_map(given).collect(), others: 1.0 }
    }

    /// How often to judge each of these attributes. An error if the selection asks for another.
    pub(super) fn repeats(&self, attributes: &Dictionary) -> Result<Vec<u32>> {
        let mut repeats = vec![0; attributes.len()];
        for SelectionAttribute { attribute, judgments, .. } in &self.attributes {
            let code = find(attributes, attribute).map_err(|_| Error::NeverJudged(attribute.clone()))?;
            repeats[code] = *judgments;
        }
        Ok(repeats)
    }
}

/// The number in a row of a column, which must be finite.
pub(super) fn number(column: &Column, row: usize) -> Result<f64> {
    column.values()[row].trim().parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| {
        let Place { text, id, column } = Place::of(column, row);
        Error::NotANumber { text, id, column }
    })
}

/// The whole number in a row of a column.
pub(super) fn whole(column: &Column, row: usize) -> Result<u32> {
    let value = number(column, row)?;
    if (0.0..=f64::from(u32::MAX)).contains(&value) && value.fract() == 0.0 {
        return Ok(value as u32);
    }
    let Place { text, id, column } = Place::of(column, row);
    Err(Error::NotWhole { text, id, column })
}

/// A text in a table, for an error.
struct Place {
    text: String,
    id: String,
    column: String,
}

impl Place {
    fn of(column: &Column, row: usize) -> Place {
        Place {
            text: column.values()[row].chars().take(40).collect(),
            id: column.ids().get(row).to_owned(),
            column: column.name().to_owned(),
        }
    }
}

/// What is read back from the outcome of a selection.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct OutcomeJson {
    selection: Vec<SelectionAttribute>,
    #[serde(default)]
    label: Option<LabelJson>,
    #[serde(default)]
    ridge: f64,
    #[serde(default)]
    objects: usize,
    #[serde(default)]
    cv_loss: Option<f64>,
    #[serde(default)]
    error_rate: Option<f64>,
    #[serde(default)]
    rule: Option<ClassRule>,
    #[serde(default)]
    aggregate: Combine,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct LabelJson {
    name: String,
    #[serde(default)]
    classes: Option<serde::de::IgnoredAny>,
}

#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}

/// What is wrong, without the place, which stands in the error.
#[cfg(feature = "serde")]
fn problem(error: &serde_json::Error) -> String {
    /// It repeats what it was given, which may be any length.
    const MOST: usize = 200;
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(&*text, |(problem, _)| problem).chars().take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, rows: &[(&'static str, &'static str)]) -> Column {
        Column::from_rows(name, rows.iter().copied()).unwrap()
    }

    #[test]
    fn a_table_gives_judgments_and_costs() {
        let judgments = column("judgments", &[("a", "2"), ("b", " 3 "), ("c", "0")]);
        let cost = column("cost", &[("b", "1.5"), ("a", "4")]);
        let found = Selection::from_columns(&judgments, Some(&cost)).unwrap();
        let found: Vec<(&str, u32, f64)> =
            found.attributes.iter().map(|a| (a.attribute.as_str(), a.judgments, a.cost)).collect();
        assert_eq!(found, [("a", 2, 4.0), ("b", 3, 1.5), ("c", 0, 1.0)]);
    }

    #[test]
    fn what_is_no_selection_is_refused() {
        let of = |rows: &[(&'static str, &'static str)]| Selection::from_columns(&column("judgments", rows), None);
        assert_eq!(of(&[("a", "0")]), Err(Error::EmptySelection));
        assert_eq!(Selection::default().check(), Err(Error::EmptySelection));
        for text in ["x", "-1", "1.5", "1e10", "nan"] {
            let error = of(&[("a", text)]).unwrap_err();
            assert!(
                matches!(&error, Error::NotANumber { id, .. } | Error::NotWhole { id, .. } if id == "a"),
                "{text}: {error}"
            );
        }
        let twice = SelectionAttribute { attribute: "a".into(), judgments: 1, cost: 1.0, noise_factor: None };
        assert_eq!(Selection::new(vec![twice.clone(), twice.clone()]), Err(Error::RepeatedId("a".into())));
        assert!(Selection::new(vec![SelectionAttribute { cost: -1.0, ..twice }]).is_err());
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_needs_the_selection_alone_and_errors_name_the_line() {
        let json = r#"{"budget": 3, "selection": [{"attribute": "a", "judgments": 2, "weight": 0.1}]}"#;
        let found = Selection::from_json(json).unwrap();
        assert_eq!((found.attributes[0].judgments, found.attributes[0].cost, found.label), (2, 1.0, None));
        let labelled = Selection::from_json(&json.replace("\"budget\": 3", r#""label": {"name": "y"}, "ridge": 0.2"#));
        assert_eq!(labelled.map(|found| (found.label, found.ridge)), Ok((Some("y".into()), 0.2)));
        assert!(matches!(Selection::from_json("{\n[1, 2"), Err(Error::NotASelection { line: 2, .. })));
        assert!(Selection::from_json(&json.replace('}', r#", "ridge": -1}"#)).is_err());
    }
}
