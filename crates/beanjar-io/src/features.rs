//! Tables of numbers: the features of units.

mod arrays;
mod long;

use crate::column_roles::found;
use crate::error::{FeatureProblem, shown};
use crate::memory::Content;
use crate::numpy::is_numpy;
use crate::read::{Decimals, Float32, Input, Number, Rows};
use crate::table::{Ids, id_first};
use crate::{Error, Missing, Place, Result, Source, Understood};
use beanjar::Context;
use beanjar::experts::{FeatureTable, Features};

/// A table of features that was read from a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadFeatures {
    /// The features of units, whose ids are in the first column.
    pub table: FeatureTable,
    /// How many missing values were filled in.
    pub imputed: usize,
    /// How the file was understood, in a clause.
    pub understood: Option<String>,
    /// Whether ids are in the column that [`UnitIds`] named.
    pub ids_as_named: bool,
}

/// Where the ids of units are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitIds {
    /// The name of their column, wherever it stands, where the file has one of that name.
    pub column: Option<String>,
    /// For arrays, which have no ids: a file with one for each row. Without it rows are numbered from 0.
    pub file: Option<Source>,
}

/// Which columns are features.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// All but the first and these.
    AllBut(&'a [String]),
    /// These, if they are there; a gap is filled with what is beside the name.
    These(&'a [(String, f64)]),
}

/// Which values are missing, and what becomes of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    /// Whether to fill them in; else they are an error.
    pub impute: bool,
    /// What stands for a missing value in this file.
    pub missing: Missing,
}

/// Larger values would overflow when they are squared and summed.
const LARGEST: f64 = 1e100;

/// Reads a table whose first column is the unit, or another that is called so; the columns that are wanted are numbers.
///
/// A table of three columns, the unit, a feature's name (called `feature`, `attribute` or `term`) and its value (called
/// `value`, `weight` or `count`), has a row for each value that is not zero. Arrays of NumPy (`.npy`, `.npz`, also a sparse
/// matrix that SciPy saved) have a row for each unit and features called x0, x1, ... A column of lists of numbers, as
/// embeddings come in Parquet, Arrow and JSON lines, is a feature for each number: embedding_0, embedding_1, ...
///
/// A missing value is an error, or if gaps are to be filled the mean of its column or what [`Wanted`] says. Cost: O(bytes);
/// memory: the ids, what is not zero, and a block of rows; of arrays, the file.
pub fn read_features(source: &Source, ids: &UnitIds, wanted: Wanted<'_>, gaps: &Gaps) -> Result<ReadFeatures> {
    if let Source::Memory(memory) = source
        && let Content::Features(table) = memory.content()
    {
        return Ok(ReadFeatures { table: table.clone(), imputed: 0, understood: None, ids_as_named: false });
    }
    if is_numpy(source) {
        return arrays::read(source, ids, wanted, gaps);
    }
    if let Some(other) = &ids.file {
        let problem = format!("it has a column of ids, so {} is of no use", other.name());
        return Err(Error::NoTable { file: source.name(), problem });
    }
    let context = Context::new();
    let left_out = |name: &str| matches!(wanted, Wanted::AllBut(ignored) if ignored.iter().any(|other| other == name));
    let input = Input::open(source, &context)?.with_vectors_spread(source, &left_out, &context)?.strict();
    if input.names.is_empty() {
        return Err(Error::NoTable { file: input.header_place(), problem: "a table without a column".into() });
    }
    let order = ordered(&input.names, ids.column.as_deref());
    let ids_as_named = ids.column.as_ref().is_some_and(|name| input.names.contains(name));
    if let Some(columns) = long::columns(&input.names, &order) {
        return Ok(ReadFeatures { ids_as_named, ..long::read(input, columns, wanted, gaps)? });
    }
    let input = input.numbers(1, Float32::Exact).missing(&gaps.missing);
    Ok(ReadFeatures { ids_as_named, ..read_wide(input, order, wanted, gaps)? })
}

/// Reads a table with a column for each feature; that of the ids is the first of `order`.
fn read_wide(input: Input, order: Vec<usize>, wanted: Wanted<'_>, gaps: &Gaps) -> Result<ReadFeatures> {
    if let [id] = &input.names[..] {
        return Err(Error::OnlyIds {
            file: input.header_place(),
            id: shown(id),
            needed: "features are columns of numbers after the first",
        });
    }
    wanted.check(&input.header_place(), &input.names)?;
    let (file, id, mut kept) = (input.file.clone(), order[0], order);
    kept.retain(|&column| column == id || wanted.of(&input.names[column]).is_some());
    let names: Vec<String> = kept[1..].iter().map(|&column| input.names[column].clone()).collect();
    let understood = Understood::of(&input.names, &[(id, "unit")]).with_many("features", names.clone());

    let mut ids = Ids::default();
    let mut cells = Cells::new(names.len(), gaps.impute);
    input.for_each(&kept, |rows| {
        let first = ids.len();
        let with_id = ids.take(&rows);
        for column in 0..names.len() {
            for (unit, &row) in (first..).zip(&with_id) {
                if let Err(problem) = cells.take(column, unit, row, &rows) {
                    cells.first_bad(Bad { column, unit, place: rows.place(row), problem });
                    break;
                }
            }
        }
        Ok(())
    })?;
    let ids = ids.each_once(file.clone())?;
    let Cells { mut columns, bad, decimals, .. } = cells;
    if let Some(Bad { column, unit, place, problem }) = bad {
        let (unit, column) = (shown(ids.get(unit)), shown(&names[column]));
        return Err(Error::BadFeature { file, place, unit, column, problem });
    }
    decimals.check(&file)?;
    let filled = columns.iter_mut().zip(&names).map(|(column, name)| column.fill(ids.len(), wanted.of(name).flatten()));
    let imputed = filled.sum();
    let columns = columns.into_iter().map(|column| (column.units, column.values)).collect();
    let table = Features::from_sparse(ids.len(), columns).and_then(|features| FeatureTable::new(ids, names, features));
    Ok(ReadFeatures {
        table: table.map_err(|source| Error::Data { file, source })?,
        imputed,
        understood: Some(understood.to_string()),
        ids_as_named: false,
    })
}

/// The columns with that of the ids first: the one of a given name if there is one.
fn ordered(names: &[String], given: Option<&str>) -> Vec<usize> {
    match given.and_then(|given| names.iter().position(|name| name == given)) {
        Some(id) => std::iter::once(id).chain(id_first(names).into_iter().filter(|&column| column != id)).collect(),
        None => id_first(names),
    }
}

impl Wanted<'_> {
    /// Whether a feature of this name is wanted, and what fills its gaps if not the mean.
    fn of(&self, name: &str) -> Option<Option<f64>> {
        match self {
            Wanted::AllBut(ignored) => (!ignored.iter().any(|other| other == name)).then_some(None),
            Wanted::These(these) => these.iter().find(|(wanted, _)| wanted == name).map(|(_, value)| Some(*value)),
        }
    }

    /// An error if a column that is to be ignored is not there.
    fn check(&self, file: &str, names: &[String]) -> Result<()> {
        let Wanted::AllBut(ignored) = self else { return Ok(()) };
        match ignored.iter().find(|name| !names.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let (file, name) = (file.to_owned(), shown(name));
                Err(Error::NoSuchColumn { file, role: "ignored", name, found: found(names) })
            }
        }
    }
}

/// A value that is missing, until the mean is known; no value that is read is this.
const GAP: f64 = f64::NAN;

/// The units where a feature is not zero, and its values there.
#[derive(Default)]
struct Column {
    units: Vec<u32>,
    values: Vec<f64>,
}

/// The cells of a table while it is read.
struct Cells {
    columns: Vec<Column>,
    /// Whether gaps are filled.
    impute: bool,
    decimals: Decimals,
    bad: Option<Bad>,
}

impl Cells {
    fn new(columns: usize, impute: bool) -> Self {
        let columns = (0..columns).map(|_| Column::default()).collect();
        Cells { columns, impute, decimals: Decimals::default(), bad: None }
    }

    /// Takes the value of a unit; an error says why that cannot be.
    fn take(&mut self, column: usize, unit: usize, row: usize, rows: &Rows) -> std::result::Result<(), FeatureProblem> {
        let value = match rows.number(column + 1, row) {
            Number::Value(0.0) => return Ok(()),
            Number::Value(value) if value.abs() <= LARGEST => {
                self.decimals.points |= value.fract() != 0.0;
                value
            }
            Number::WithComma(value) if value.abs() <= LARGEST => {
                self.decimals.comma.get_or_insert_with(|| rows.place(row));
                value
            }
            Number::Missing if self.impute => GAP,
            Number::Missing => return Err(FeatureProblem::Missing),
            Number::Value(value) | Number::WithComma(value) => return Err(FeatureProblem::TooLarge(value)),
            Number::Not => return Err(FeatureProblem::NotANumber(shown(&rows.not_a_number(column + 1, row)))),
        };
        self.columns[column].push(unit, value);
        Ok(())
    }

    /// The first column's first is reported, after what is wrong with whole rows.
    fn first_bad(&mut self, found: Bad) {
        if self.bad.as_ref().is_none_or(|bad| bad.column > found.column) {
            self.bad = Some(found);
        }
    }
}

/// A value that is missing, a text that is not a number, or a number that is too large.
struct Bad {
    column: usize,
    unit: usize,
    place: Place,
    problem: FeatureProblem,
}

impl Column {
    fn push(&mut self, unit: usize, value: f64) {
        self.units.push(unit as u32);
        self.values.push(value);
    }

    /// Puts a value, or the mean, into the gaps, and says how many there were.
    fn fill(&mut self, units: usize, filler: Option<f64>) -> usize {
        let gaps = self.values.iter().filter(|value| value.is_nan()).count();
        let known = self.values.iter().filter(|value| !value.is_nan());
        let mean = filler.unwrap_or_else(|| known.sum::<f64>() / (units - gaps).max(1) as f64);
        if mean == 0.0 {
            let entries = self.units.iter().zip(&self.values).filter(|(_, value)| !value.is_nan());
            (self.units, self.values) = entries.unzip();
        } else {
            self.values.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = mean);
        }
        self.units.shrink_to_fit();
        self.values.shrink_to_fit();
        gaps
    }
}

#[cfg(test)]
mod tests;
