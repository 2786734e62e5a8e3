//! Tables of one row per object: truths, labels to predict.

use crate::error::shown;
use crate::read::Input;
use crate::{Error, Result, Source};
use beanjar::Dictionary;

/// One row per object: its id, and some columns of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The objects' ids, from the first column.
    pub ids: Dictionary,
    /// The names of the other columns.
    pub names: Vec<String>,
    /// Their values, column by column; a missing one is empty.
    pub columns: Vec<Vec<String>>,
}

impl Table {
    /// The ids of the rows in which any column has a value.
    pub fn labelled(&self) -> Dictionary {
        let any = |row: usize| self.columns.iter().any(|column| !column[row].is_empty());
        self.ids.iter().enumerate().filter(|(row, _)| any(*row)).map(|(_, id)| id).collect()
    }
}

/// Reads a table of any columns: their names, and their values as text.
pub fn read_columns(source: &Source) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let input = Input::open(source, None)?.strict();
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
    let input = Input::open(source, None)?.strict();
    let (file, names) = (input.file.clone(), input.names.clone());
    if names.len() < 2 {
        let (role, looked_for) = ("label", "any column after the first".into());
        let found = names.iter().map(|name| format!("'{}'", shown(name))).collect();
        return Err(Error::MissingColumn { file: input.header_place(), role, looked_for, found });
    }
    let kept: Vec<usize> = (0..names.len()).collect();
    let (mut ids, mut places) = (Vec::new(), Vec::new());
    let mut columns = vec![Vec::new(); names.len() - 1];
    input.for_each(&kept, |rows| {
        let row_ids = rows.column(0);
        let kept: Vec<usize> = (0..rows.len()).filter(|&row| !row_ids[row].is_empty()).collect();
        ids.extend(kept.iter().map(|&row| row_ids[row].to_owned()));
        places.extend(kept.iter().map(|&row| rows.place(row)));
        for (i, column) in columns.iter_mut().enumerate() {
            let values = rows.column(i + 1);
            column.extend(kept.iter().map(|&row| values[row].to_owned()));
        }
        Ok(())
    })?;
    let mut seen = std::collections::HashSet::new();
    if let Some(row) = ids.iter().position(|id| !seen.insert(id)) {
        return Err(Error::RepeatedId { file, place: places[row], id: shown(&ids[row]) });
    }
    Ok(Table { ids: ids.iter().collect(), names: names[1..].to_vec(), columns })
}
