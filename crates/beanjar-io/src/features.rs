//! Tables of numbers: the features of units.

use crate::error::shown;
use crate::{Error, Result, Source, read_table};
use beanjar::Dictionary;

/// One row of numbers per unit.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureTable {
    /// The units' ids, from the first column.
    pub ids: Dictionary,
    /// The names of the features.
    pub names: Vec<String>,
    /// Their values, column by column.
    pub columns: Vec<Vec<f64>>,
    /// How many missing values were filled in with their column's mean.
    pub imputed: usize,
}

/// Reads a table whose first column is the unit and whose other columns, but for those to `ignore`, are numbers.
///
/// A missing value is an error, or with `impute` the mean of its column.
pub fn read_features(source: &Source, ignore: &[String], impute: bool) -> Result<FeatureTable> {
    let table = read_table(source)?;
    let mut found = FeatureTable { ids: table.ids, names: Vec::new(), columns: Vec::new(), imputed: 0 };
    for (name, texts) in table.names.into_iter().zip(table.columns) {
        if ignore.contains(&name) {
            continue;
        }
        let mut missing = Vec::new();
        let mut values = Vec::with_capacity(texts.len());
        for (row, text) in texts.iter().enumerate() {
            let bad = |what: &str| Error::BadFeature {
                file: source.name(),
                unit: shown(found.ids.get(row)),
                column: shown(&name),
                what: what.to_owned(),
            };
            match text.trim().parse::<f64>() {
                _ if text.is_empty() && impute => {
                    missing.push(row);
                    values.push(0.0);
                }
                _ if text.is_empty() => return Err(bad("has no value; --impute mean fills such gaps")),
                Ok(value) if value.is_finite() => values.push(value),
                _ => {
                    let said = format!("is '{}', which is not a number; --ignore leaves the column out", shown(text));
                    return Err(bad(&said));
                }
            }
        }
        let mean = values.iter().sum::<f64>() / (values.len() - missing.len()).max(1) as f64;
        missing.iter().for_each(|&row| values[row] = mean);
        found.imputed += missing.len();
        found.names.push(name);
        found.columns.push(values);
    }
    Ok(found)
}
