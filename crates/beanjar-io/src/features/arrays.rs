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
    Sparse { starts: &'a NumpyArray, places: &'a NumpyArray, values: &'a NumpyArray, by_columns: bool },
}

/// Reads a matrix with a row for each unit.
pub(super) fn read(source: &Source, ids: &UnitIds, wanted: Wanted<'_>, gaps: &Gaps) -> Result<ReadFeatures> {
    let bad = |problem: String| Error::NoTable { file: source.name(), problem };
    let arrays = read_arrays(source)?;
    let (matrix, rows, width) = matrix(&arrays).map_err(bad)?;
    let (ids, understood) = match (&ids.file, ids_among(&arrays, rows)) {
        (Some(file), _) => {
            let found = ids_in(file, ids.column.as_deref())?;
            if found.len() != rows {
                let (there, name) = (found.len(), source.name());
                let problem =
                    format!("{there} ids for the {rows} rows of {name}; there should be one for each, in their order");
                return Err(Error::NoTable { file: file.name(), problem });
            }
            (once(&found, &file.name())?, format!("{rows} units and {width} features; ids from {}", file.name()))
        }
        (None, Some(array)) => {
            let found: Vec<String> = (0..rows).map(|row| array.text(row)).collect();
            (
                once(&found, &source.name())?,
                format!("{rows} units and {width} features; ids from the array '{}'", shown(&array.name)),
            )
        }
        (None, None) => {
            let understood =
                format!("{rows} units, numbered from 0, and {width} features; --ids FILE gives them their ids");
            (once(&(0..rows).map(|row| row.to_string()).collect::<Vec<_>>(), &source.name())?, understood)
        }
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
    match &matrix {
        Matrix::Dense(array) => {
            for row in 0..rows {
                (0..width).try_for_each(|column| take(row, column, array.number(row, column)))?;
            }
        }
        Matrix::Sparse { starts, places, values, by_columns } => {
            let lines = if *by_columns { width } else { rows };
            let damaged = || bad("damaged: its sparse matrix does not fit together".into());
            let index = |array: &NumpyArray, at: usize| {
                let value = array.at(at);
                (value >= 0.0 && value.fract() == 0.0).then_some(value as usize).ok_or_else(damaged)
            };
            let mut last = 0;
            for line in 0..lines {
                let (from, to) = (index(starts, line)?, index(starts, line + 1)?);
                if from != last || to < from || to > values.len() {
                    return Err(damaged());
                }
                last = to;
                let mut cells =
                    (from..to).map(|at| Ok((index(places, at)?, values.at(at)))).collect::<Result<Vec<_>>>()?;
                cells.sort_unstable_by_key(|cell| cell.0);
                if cells.windows(2).any(|pair| pair[0].0 == pair[1].0) {
                    return Err(damaged());
                }
                for (at, value) in cells {
                    let (row, column) = if *by_columns { (at, line) } else { (line, at) };
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
            true => Ok((Matrix::Sparse { starts, places, values, by_columns }, rows, width)),
            false => Err("damaged: its sparse matrix does not fit together".into()),
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
