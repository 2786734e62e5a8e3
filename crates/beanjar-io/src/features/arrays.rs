//! Features in arrays that NumPy saved.

use super::{Column, Gaps, LARGEST, ReadFeatures, UnitIds, Wanted};
use crate::column_roles::{Role, role_of};
use crate::error::{FeatureProblem, shown};
use crate::numpy::{NumpyArray, is_numpy, read_arrays};
use crate::table::id_first;
use crate::{Error, Format, Place, Result, Source, read_columns};
use beanjar::Dictionary;
use beanjar::experts::{FeatureTable, Features};
use std::collections::HashSet;

/// A matrix of features: dense, or as SciPy saves a sparse one.
enum Matrix<'a> {
    Dense(&'a NumpyArray),
    Sparse(Sparse<'a>),
}

/// A sparse matrix, line by line: rows, or columns.
struct Sparse<'a> {
    starts: &'a NumpyArray,
    places: &'a NumpyArray,
    values: &'a NumpyArray,
    by_columns: bool,
}

/// What is said of a sparse matrix whose parts do not fit together.
const DAMAGED: &str = "damaged: its sparse matrix does not fit together";

impl Sparse<'_> {
    /// The cells of a line by place, each once; none if they do not fit together.
    fn line(&self, line: usize) -> Option<Vec<(usize, f64)>> {
        let index = |array: &NumpyArray, at: usize| {
            let value = array.at(at);
            (value >= 0.0 && value.fract() == 0.0).then_some(value as usize)
        };
        let (from, to) = (index(self.starts, line)?, index(self.starts, line + 1)?);
        // The first line begins at 0 and the others where the one before ends, so that no cell is left out.
        if (line == 0 && from != 0) || to < from || to > self.values.len() {
            return None;
        }
        let cells = (from..to).map(|at| Some((index(self.places, at)?, self.values.at(at))));
        let mut cells = cells.collect::<Option<Vec<_>>>()?;
        cells.sort_unstable_by_key(|cell| cell.0);
        cells.windows(2).all(|pair| pair[0].0 != pair[1].0).then_some(cells)
    }
}

/// Reads a matrix with a row for each unit.
pub(super) fn read(source: &Source, ids: &UnitIds, wanted: Wanted<'_>, gaps: &Gaps) -> Result<ReadFeatures> {
    let bad = |problem: String| Error::NoTable { file: source.name(), problem };
    let arrays = read_arrays(source)?;
    let (matrix, rows, width) = matrix(&arrays).map_err(bad)?;
    let (ids, whence) = unit_ids(source, ids, &arrays, rows)?;
    let understood = match whence {
        Some(whence) => format!("{rows} units and {width} features; ids from {whence}"),
        None => format!("{rows} units, numbered from 0, and {width} features; --ids FILE gives them their ids"),
    };
    let names: Vec<String> = (0..width).map(|column| format!("x{column}")).collect();
    wanted.check(&source.name(), &names)?;
    let kept: Vec<usize> = (0..width).filter(|&column| wanted.of(&names[column]).is_some()).collect();
    let mut place = vec![None; width];
    kept.iter().enumerate().for_each(|(at, &column)| place[column] = Some(at));
    let mut columns: Vec<Column> = kept.iter().map(|_| Column::default()).collect();
    let mut take = |row: usize, column: usize, value: f64| -> Result<()> {
        let Some(at) = place[column].filter(|_| value != 0.0) else { return Ok(()) };
        let missing = value.is_nan() || gaps.missing.has_number(value);
        let problem = match (missing, gaps.impute) {
            (true, true) => {
                columns[at].push(row, f64::NAN);
                return Ok(());
            }
            (true, false) => FeatureProblem::Missing,
            (false, _) if value.abs() <= LARGEST => {
                columns[at].push(row, value);
                return Ok(());
            }
            (false, _) => FeatureProblem::TooLarge(value),
        };
        let (file, place, column) = (source.name(), Place::Row(row as u64 + 1), names[column].clone());
        Err(Error::BadFeature { file, place, unit: shown(ids.get(row)), column, problem })
    };
    match matrix {
        Matrix::Dense(array) => {
            for row in 0..rows {
                (0..width).try_for_each(|column| take(row, column, array.number(row, column)))?;
            }
        }
        Matrix::Sparse(sparse) => {
            let damaged = || bad(DAMAGED.into());
            for line in 0..if sparse.by_columns { width } else { rows } {
                for (at, value) in sparse.line(line).ok_or_else(damaged)? {
                    let (row, column) = if sparse.by_columns { (at, line) } else { (line, at) };
                    if row >= rows || column >= width {
                        return Err(damaged());
                    }
                    take(row, column, value)?;
                }
            }
        }
    }
    let names: Vec<String> = kept.iter().map(|&column| names[column].clone()).collect();
    let imputed =
        columns.iter_mut().zip(&names).map(|(column, name)| column.fill(rows, wanted.of(name).flatten())).sum();
    let columns = columns.into_iter().map(|column| (column.units, column.values)).collect();
    let table = Features::from_sparse(rows, columns)
        .and_then(|features| FeatureTable::new(ids, names, features))
        .map_err(|error| Error::Data { file: source.name(), source: error })?;
    Ok(ReadFeatures { table, imputed, understood: Some(understood), ids_as_named: false })
}

/// The ids of the units, and what they are from: none if rows are numbered.
fn unit_ids(
    source: &Source,
    wanted: &UnitIds,
    arrays: &[NumpyArray],
    rows: usize,
) -> Result<(Dictionary, Option<String>)> {
    if let Some(file) = &wanted.file {
        let found = ids_in(file, wanted.column.as_deref())?;
        if found.len() != rows {
            let (there, name) = (found.len(), source.name());
            let problem =
                format!("{there} ids for the {rows} rows of {name}; there should be one for each, in their order");
            return Err(Error::NoTable { file: file.name(), problem });
        }
        return Ok((once(&found, &file.name())?, Some(file.name())));
    }
    let array = ids_among(arrays, rows);
    let found: Vec<String> =
        (0..rows).map(|row| array.map_or_else(|| row.to_string(), |array| array.text(row))).collect();
    let whence = array.map(|array| format!("the array '{}'", shown(&array.name)));
    Ok((once(&found, &source.name())?, whence))
}

/// The matrix in a file, its rows and its columns.
fn matrix(arrays: &[NumpyArray]) -> std::result::Result<(Matrix<'_>, usize, usize), String> {
    let named = |name: &str| arrays.iter().find(|array| array.name == name);
    if let (Some(starts), Some(places), Some(values), Some(shape)) =
        (named("indptr"), named("indices"), named("data"), named("shape"))
    {
        let format = named("format").filter(|format| format.len() > 0).map(|format| format.text(0)).unwrap_or_default();
        let by_columns = match &format[..] {
            "csr" => false,
            "csc" => true,
            _ => {
                return Err(format!(
                    "a sparse matrix in the format '{}'; save it as csr: scipy.sparse.save_npz(FILE, X.tocsr())",
                    shown(&format)
                ));
            }
        };
        let (true, [2]) = (shape.is_numbers(), shape.shape()) else {
            return Err("damaged: its shape is no pair".into());
        };
        let (rows, width) = (shape.at(0) as usize, shape.at(1) as usize);
        let lines = if by_columns { width } else { rows };
        let fits = starts.len() == lines.saturating_add(1) && places.len() == values.len();
        return match fits
            && starts.is_numbers()
            && places.is_numbers()
            && values.is_numbers()
            && width.max(rows) <= MOST
        {
            true => Ok((Matrix::Sparse(Sparse { starts, places, values, by_columns }), rows, width)),
            false => Err(DAMAGED.into()),
        };
    }
    let matrices: Vec<&NumpyArray> =
        arrays.iter().filter(|array| array.shape().len() == 2 && array.is_numbers()).collect();
    match (&matrices[..], arrays) {
        ([matrix], _) if matrix.len() == 0 => Err("a matrix without numbers".into()),
        ([matrix], _) => Ok((Matrix::Dense(matrix), matrix.shape()[0], matrix.shape()[1])),
        ([], [array]) => {
            let shape: Vec<String> = array.shape().iter().map(usize::to_string).collect();
            Err(format!(
                "an array of shape ({}), where a matrix of numbers with a row for each unit is needed",
                shape.join(", ")
            ))
        }
        ([], _) => Err("no matrix of numbers with a row for each unit is in it".into()),
        (several, _) => {
            let names: Vec<String> = several.iter().map(|array| format!("'{}'", shown(&array.name))).collect();
            Err(format!("several matrices are in it ({}); save the one with the features", names.join(", ")))
        }
    }
}

/// More rows or columns of a sparse matrix are a damaged file.
const MOST: usize = 10_000_000;

/// The array of ids beside a matrix: a list as long as the matrix, of text or called as ids are.
fn ids_among(arrays: &[NumpyArray], rows: usize) -> Option<&NumpyArray> {
    let called = |name: &str| {
        let single = name.strip_suffix('s').unwrap_or(name);
        role_of(single) == Some(Role::Object) || ["index", "name", "key"].contains(&single)
    };
    let mut lists = arrays.iter().filter(|array| array.shape() == [rows]);
    lists.clone().find(|array| called(&array.name)).or_else(|| lists.find(|array| !array.is_numbers()))
}

/// The ids in a file: a line each in a text file, an array, or a column of a table.
fn ids_in(source: &Source, given: Option<&str>) -> Result<Vec<String>> {
    let bad = |problem: &str| Error::NoTable { file: source.name(), problem: problem.into() };
    if is_numpy(source) {
        let arrays = read_arrays(source)?;
        let [array] = &arrays[..] else { return Err(bad("several arrays, where one with the ids is needed")) };
        return match array.shape() {
            [rows] | [rows, 1] => Ok((0..*rows).map(|row| array.text(row)).collect()),
            _ => Err(bad("ids should be a list of one for each row")),
        };
    }
    match source {
        Source::File(path) if Format::of(path).is_err() => {
            let bytes = std::fs::read(path).map_err(|error| source.unreadable(&error))?;
            let text = String::from_utf8(bytes).map_err(|_| bad("not UTF-8 text; ids are a line each"))?;
            Ok(text.trim_start_matches('\u{feff}').lines().map(str::to_owned).collect())
        }
        _ => {
            let (names, mut columns) = read_columns(source)?;
            let given = given.and_then(|given| names.iter().position(|name| name == given));
            Ok(columns.swap_remove(given.unwrap_or_else(|| id_first(&names)[0])))
        }
    }
}

/// The ids, or an error if one stands twice or is missing.
fn once(ids: &[String], file: &str) -> Result<Dictionary> {
    let mut seen = HashSet::new();
    match ids.iter().position(|id| id.trim().is_empty() || !seen.insert(id)) {
        None => Ok(ids.iter().collect()),
        Some(row) if ids[row].trim().is_empty() => {
            Err(Error::NoTable { file: file.into(), problem: format!("the id of row {} is missing", row + 1) })
        }
        Some(row) => {
            Err(Error::RepeatedId { file: file.into(), place: Place::Row(row as u64 + 1), id: shown(&ids[row]) })
        }
    }
}
