//! Workbooks in which each worker has a sheet, called after them.

use crate::column_roles::{ColumnNames, Header, Role};
use crate::exports::Held;
use crate::read::wide::is_nobodys;
use crate::understood::some;
use std::collections::{HashMap, HashSet};

/// The column of objects, if a table has one, and one of labels or values, and none of workers.
fn objects(names: &[String], given: &ColumnNames) -> Option<usize> {
    let header = Header { place: "", file: "", names, given };
    let find = |role| header.find(role).ok().flatten();
    find(Role::Label).or_else(|| find(Role::Value))?;
    find(Role::Object).filter(|_| matches!(header.find(Role::Worker), Ok(None)))
}

/// Whether a table with these columns may be that of one worker.
pub(super) fn may_be(names: &[String], given: &ColumnNames) -> bool {
    objects(names, given).is_some()
}

/// All sheets of the same columns as one table, with the names of the sheets as workers. None unless there are several such
/// sheets, and workers judged the same things.
pub(super) fn read(tables: &[(String, Held)], given: &ColumnNames) -> Option<Held> {
    let like = tables.iter().map(|(_, table)| table).find(|table| may_be(&table.names, given))?;
    let object = &like.names[objects(&like.names, given)?];
    let names = like.names.clone();
    let is_like =
        |table: &Held| table.names.len() == names.len() && names.iter().all(|name| table.names.contains(name));
    let (own, others): (Vec<&(String, Held)>, Vec<_>) =
        tables.iter().partition(|(name, table)| is_like(table) && !is_nobodys(name));
    let mut judged: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (worker, table) in &own {
        for id in table.column(object).into_iter().flatten().filter(|id| !id.is_empty()) {
            judged.entry(id).or_default().insert(worker);
        }
    }
    if !judged.values().any(|workers| workers.len() > 1) {
        return None;
    }
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); names.len() + 1];
    for (worker, table) in &own {
        for (column, name) in columns.iter_mut().zip(&names) {
            column.extend(table.column(name).into_iter().flatten().cloned());
        }
        columns[names.len()].extend(std::iter::repeat_n(worker.clone(), table.rows()));
    }
    let workers: Vec<&str> = own.iter().map(|(worker, _)| worker.as_str()).collect();
    let mut notes = vec![format!("a sheet of each worker: {}", some(&workers))];
    notes.extend(own.iter().flat_map(|(_, table)| table.notes.clone()).take(1));
    if !others.is_empty() {
        let others: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
        notes.push(format!("sheets left out: {}", some(&others)));
    }
    let names = names.into_iter().chain(["worker".to_owned()]).collect();
    Some(Held { names, columns, notes, ..Held::default() })
}
