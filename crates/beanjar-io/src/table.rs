//! Tables of one row per object: truths, labels to predict.

use crate::class_names::alike;
use crate::column_roles::{Role, role_of};
use crate::error::shown;
use crate::read::{Input, Rows};
use crate::usual_names::is_nameless;
use crate::{Error, Missing, Place, Result, Source, Understood};
use beanjar::{Column, Context, Dictionary};
use std::collections::HashSet;

/// One row per object: its id, and some columns of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The name of the column of ids.
    pub id: String,
    /// The objects' ids, from the first column.
    pub ids: Dictionary,
    /// The names of the other columns.
    pub names: Vec<String>,
    /// Their values, column by column; a missing one is empty.
    pub columns: Vec<Vec<String>>,
    /// What was changed or left out, a clause each.
    pub notes: Vec<String>,
}

impl Table {
    /// One of the columns, with the ids; none if there is no such column.
    pub fn column(&self, index: usize) -> Option<Column> {
        let (name, values) = (self.names.get(index)?, self.columns.get(index)?);
        Column::new(name, self.ids.clone(), values.clone()).ok()
    }

    /// The column of this name, with the ids; none if there is no such column.
    pub fn named(&self, name: &str) -> Option<Column> {
        self.column(self.names.iter().position(|other| other == name)?)
    }

    /// The column of this name as classes, each by one name: `1.0` is `1` if all are numbers.
    pub fn classes_named(&self, name: &str) -> Option<Column> {
        self.classes(self.names.iter().position(|other| other == name)?)
    }

    /// One of the columns as classes, each by one name.
    pub fn classes(&self, index: usize) -> Option<Column> {
        let (name, values) = (self.names.get(index)?, self.columns.get(index)?);
        let known: Vec<&str> = values.iter().map(String::as_str).filter(|value| !value.is_empty()).collect();
        let mut alike = alike(&known).into_iter();
        let values =
            values.iter().map(|value| if value.is_empty() { String::new() } else { alike.next().unwrap_or_default() });
        Column::new(name, self.ids.clone(), values.collect()).ok()
    }

    /// What the table was understood to hold: ids, a column that is used, and others that are not.
    pub fn understood(&self, id: &'static str, used: &str, what: &'static str) -> Understood {
        let ignored = self.names.iter().filter(|name| *name != used).cloned().collect();
        let columns = vec![(self.id.clone(), id), (used.to_owned(), what)];
        Understood { columns, ignored, notes: self.notes.clone(), ..Understood::default() }
    }

    /// The ids of the rows in which any column has a value.
    pub fn labelled(&self) -> Dictionary {
        let any = |row: usize| self.columns.iter().any(|column| !column[row].is_empty());
        self.ids.iter().enumerate().filter(|(row, _)| any(*row)).map(|(_, id)| id).collect()
    }
}

/// Reads a table of any columns: their names, and their values as text.
pub fn read_columns(source: &Source) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let input = Input::open(source, &Context::new())?.strict();
    let names = input.names.clone();
    let kept: Vec<usize> = (0..names.len()).collect();
    let mut columns = vec![Vec::new(); names.len()];
    input.for_each(&kept, |rows| {
        for (i, column) in columns.iter_mut().enumerate() {
            column.extend(rows.column(i).into_iter().map(str::to_owned));
        }
        Ok(())
    })?;
    Ok((names, columns))
}

/// Reads a table whose first column is the object or task and whose other columns are labels.
pub fn read_table(source: &Source) -> Result<Table> {
    read_table_with(source, &Missing::default())
}

/// The same for a file with words of its own for a missing value.
pub fn read_table_with(source: &Source, missing: &Missing) -> Result<Table> {
    let input = open_table(source)?.missing(missing);
    let (file, names, notes) = (input.file.clone(), input.names.clone(), input.notes.clone());
    let kept = id_first(&names);
    let mut ids = Ids::default();
    let mut columns = vec![Vec::new(); kept.len() - 1];
    input.for_each(&kept, |rows| {
        let kept = ids.take(&rows);
        for (i, column) in columns.iter_mut().enumerate() {
            let values = rows.classes(i + 1);
            column.extend(kept.iter().map(|&row| values[row].to_owned()));
        }
        Ok(())
    })?;
    let id = names[kept[0]].clone();
    let names = kept[1..].iter().map(|&column| names[column].clone()).collect();
    Ok(Table { id, ids: ids.each_once(file)?, names, columns, notes })
}

/// What pandas calls an index without a name in Parquet and Arrow files.
const PANDAS_INDEX: &str = "__index_level_0__";

/// The columns of a table of one row per object, that of the ids first: the first, or the one called as ids are behind a
/// column that only counts rows, which data frames leave behind; or the last, where pandas saves an index and
/// the first is not called as ids are.
pub(crate) fn id_first(names: &[String]) -> Vec<usize> {
    let saved = names.iter().position(|name| name == PANDAS_INDEX);
    if let Some(index) = saved.filter(|&index| index > 0) {
        let others = (0..names.len()).filter(|&column| column != index);
        return match role_of(&names[0]) == Some(Role::Object) {
            true => others.collect(),
            false => std::iter::once(index).chain(others).collect(),
        };
    }
    let counts = is_nameless(&names[0]) || names[0].eq_ignore_ascii_case("index");
    let is_id = |column: &usize| role_of(&names[*column]) == Some(Role::Object);
    let behind = |id: usize, from: usize| {
        std::iter::once(id).chain((from..names.len()).filter(|&column| column != id)).collect()
    };
    // pandas saves an index that has a name as the last column.
    let last = Some(names.len() - 1).filter(|last| !is_id(&0) && is_id(last));
    match (1..names.len()).find(is_id) {
        Some(id) if counts => behind(id, 1),
        _ => last.map_or_else(|| (0..names.len()).collect(), |last| behind(last, 0)),
    }
}

/// Opens a table of ids and at least one other column.
fn open_table(source: &Source) -> Result<Input> {
    let input = Input::open(source, &Context::new())?.strict();
    if input.names.is_empty() {
        return Err(Error::NoTable { file: input.header_place(), problem: "a table without a column".into() });
    }
    if let [id] = &input.names[..] {
        let needed = "labels are in the columns after the first";
        return Err(Error::OnlyIds { file: input.header_place(), id: shown(id), needed });
    }
    Ok(input)
}

/// The ids in the first column of a table, and where they stand.
#[derive(Default)]
pub(crate) struct Ids {
    ids: Vec<String>,
    places: Vec<Place>,
}

impl Ids {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Takes the ids of further rows, and says which rows have one.
    pub(crate) fn take(&mut self, rows: &Rows) -> Vec<usize> {
        let ids = rows.column(0);
        let kept: Vec<usize> = (0..rows.len()).filter(|&row| !ids[row].is_empty()).collect();
        self.ids.extend(kept.iter().map(|&row| ids[row].to_owned()));
        self.places.extend(kept.iter().map(|&row| rows.place(row)));
        kept
    }

    /// All ids, or an error if one stands twice.
    pub(crate) fn each_once(self, file: String) -> Result<Dictionary> {
        let Ids { ids, places } = self;
        let mut seen = HashSet::new();
        match ids.iter().position(|id| !seen.insert(id)) {
            Some(row) => Err(Error::RepeatedId { file, place: places[row], id: shown(&ids[row]) }),
            None => Ok(ids.iter().collect()),
        }
    }
}
