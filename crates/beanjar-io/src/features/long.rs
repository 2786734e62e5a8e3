//! Sparse features: a row for each value that is not zero.

use super::{Gaps, LARGEST, ReadFeatures, Wanted};
use crate::error::{FeatureProblem, shown};
use crate::read::{Decimals, Float32, Input, Number};
use crate::{Error, Result};
use beanjar::experts::{FeatureTable, Features};
use std::collections::HashMap;

const FEATURE: [&str; 6] = ["feature", "features", "attribute", "term", "token", "word"];
const VALUE: [&str; 6] = ["value", "weight", "count", "tfidf", "frequency", "score"];

/// The columns of unit, feature and value, if these are all there are; `order` has that of the unit first.
pub(super) fn columns(names: &[String], order: &[usize]) -> Option<[usize; 3]> {
    let &[unit, one, other] = order else { return None };
    let called = |column: usize, known: &[&str]| known.iter().any(|name| names[column].eq_ignore_ascii_case(name));
    let pair = |feature, value| (called(feature, &FEATURE) && called(value, &VALUE)).then_some([unit, feature, value]);
    pair(one, other).or_else(|| pair(other, one))
}

/// Numbers for texts, in the order in which they came.
#[derive(Default)]
struct Numbered {
    number: HashMap<String, u32>,
    texts: Vec<String>,
}

impl Numbered {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.number.get(text) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.number.insert(text.to_owned(), number);
        self.texts.push(text.to_owned());
        number
    }
}

/// Reads a row for each value. Features are in the order of their names; one that is wanted and not there is zero.
pub(super) fn read(input: Input, columns: [usize; 3], wanted: Wanted<'_>, gaps: &Gaps) -> Result<ReadFeatures> {
    let file = input.file.clone();
    let header = input.header_place();
    let input = input.numbers(2, Float32::Exact).missing(&gaps.missing);
    let (mut units, mut names) = (Numbered::default(), Numbered::default());
    let mut cells: HashMap<(u32, u32), f64> = HashMap::new();
    let mut decimals = Decimals::default();
    input.for_each(&columns, |rows| {
        let (ids, features) = (rows.column(0), rows.column(1));
        for row in (0..rows.len()).filter(|&row| !ids[row].is_empty()) {
            let unit = units.number(ids[row]);
            if features[row].is_empty() {
                continue;
            }
            let feature = names.number(features[row]);
            let bad = |problem| {
                let (unit, column) = (shown(ids[row]), shown(features[row]));
                Err(Error::BadFeature { file: file.clone(), place: rows.place(row), unit, column, problem })
            };
            let value = match rows.number(2, row) {
                Number::Value(value) if value.abs() <= LARGEST => {
                    decimals.points |= value.fract() != 0.0;
                    value
                }
                Number::WithComma(value) if value.abs() <= LARGEST => {
                    decimals.comma.get_or_insert_with(|| rows.place(row));
                    value
                }
                Number::Missing if gaps.impute => f64::NAN,
                Number::Missing => return bad(FeatureProblem::Missing),
                Number::Value(value) | Number::WithComma(value) => return bad(FeatureProblem::TooLarge(value)),
                Number::Not => return bad(FeatureProblem::NotANumber(shown(&rows.not_a_number(2, row)))),
            };
            if cells.insert((feature, unit), value).is_some() {
                return bad(FeatureProblem::Twice);
            }
        }
        Ok(())
    })?;
    decimals.check(&file)?;
    wanted.check(&header, &names.texts)?;
    let mut kept: Vec<&str> = match wanted {
        Wanted::These(these) => these.iter().map(|(name, _)| name.as_str()).collect(),
        Wanted::AllBut(_) => names.texts.iter().map(String::as_str).filter(|name| wanted.of(name).is_some()).collect(),
    };
    kept.sort_unstable();
    let mut of_features: Vec<Vec<(u32, f64)>> = vec![Vec::new(); names.texts.len()];
    cells.into_iter().for_each(|((feature, unit), value)| of_features[feature as usize].push((unit, value)));
    let mut imputed = 0;
    let column = |name: &&str| {
        let mut entries =
            names.number.get(*name).map(|&at| std::mem::take(&mut of_features[at as usize])).unwrap_or_default();
        entries.sort_unstable_by_key(|entry| entry.0);
        let mut column = super::Column::default();
        entries.iter().filter(|(_, value)| *value != 0.0).for_each(|(unit, value)| column.push(*unit as usize, *value));
        imputed += column.fill(units.texts.len(), wanted.of(name).flatten());
        (column.units, column.values)
    };
    let columns: Vec<(Vec<u32>, Vec<f64>)> = kept.iter().map(column).collect();
    let kept: Vec<String> = kept.into_iter().map(str::to_owned).collect();
    let values: usize = columns.iter().map(|column| column.1.len()).sum();
    let understood =
        format!("{values} values that are not zero, of {} features of {} units", kept.len(), units.texts.len());
    let table = Features::from_sparse(units.texts.len(), columns)
        .and_then(|features| FeatureTable::new(units.texts.iter().collect(), kept, features))
        .map_err(|source| Error::Data { file, source })?;
    Ok(ReadFeatures { table, imputed, understood: Some(understood), ids_as_named: false })
}
