//! JSON that is not one object a line: arrays of objects, and what data frames and our own commands write.

use super::pairwise::says_order;
use super::{Held, Record, from_records, joined_list};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The table in a JSON text: an export that is recognised, or a table of any columns. An error says in a clause what is
/// wrong.
pub(crate) fn from_json(value: Value) -> Result<Held, String> {
    let records = records(value)?;
    let table = table(&records);
    // A row for each annotation may hold lists of labels, as other tools' records do.
    if !super::is_table(&table.names)
        && let Some(held) = from_records(&records)
    {
        return held;
    }
    super::from_table(&table).unwrap_or(Ok(table))
}

/// Whether a record has a table in it, and is no row of one.
pub(crate) fn has_table(record: &Record) -> bool {
    let is_row = |value: &Value| value.is_object() || value.is_array();
    record.values().any(|value| matches!(value, Value::Array(rows) if rows.len() > 1 && rows.iter().all(is_row)))
        || !record.is_empty() && record.values().all(Value::is_object)
        || rows_of_lists(record).is_some_and(|rows| rows.len() > 1)
}

/// The records in a JSON value: an array of objects, or an object with one in it, or columns as data frames write them.
fn records(value: Value) -> Result<Vec<Record>, String> {
    match value {
        Value::Array(values) => values
            .into_iter()
            .enumerate()
            .map(|(row, value)| match value {
                Value::Object(record) => Ok(record),
                _ => Err(format!("element {} of the array is no object", row + 1)),
            })
            .collect(),
        Value::Object(mut fields) => {
            if let Some(rows) = rows_of_lists(&fields) {
                return Ok(rows);
            }
            // A single record of an export.
            if super::is_export(&fields) {
                return Ok(vec![fields]);
            }
            let are_exports = |row: &Value| row.as_object().is_some_and(super::is_export);
            if is_by_row(&fields) || !fields.is_empty() && fields.values().all(are_exports) {
                return Ok(fields.into_iter().filter_map(|(_, row)| row.as_object().cloned()).collect());
            }
            if let (Some(Value::Array(names)), Some(Value::Array(rows))) = (fields.get("columns"), fields.get("data")) {
                return split(names, rows);
            }
            if !fields.is_empty() && fields.values().all(Value::is_object) {
                return by_column(&fields);
            }
            // The usual name first, else the first array of objects.
            let is_table =
                |value: &Value| matches!(value, Value::Array(values) if values.first().is_some_and(Value::is_object));
            let usual = ["data", "tasks", "records", "rows", "results"].into_iter().map(str::to_owned);
            let key = usual.chain(fields.keys().cloned()).find(|key| fields.get(key).is_some_and(is_table));
            match key.and_then(|key| fields.remove(&key)) {
                Some(table) => records(table),
                // A single record.
                None => Ok(vec![fields]),
            }
        }
        _ => Err("neither an array of objects nor an object".into()),
    }
}

/// Names of columns and rows of values.
fn split(names: &[Value], rows: &[Value]) -> Result<Vec<Record>, String> {
    let record = |row: &Value| match row {
        Value::Array(values) if values.len() == names.len() => {
            let name = |name: &Value| name.as_str().map_or_else(|| name.to_string(), str::to_owned);
            Ok(names.iter().map(name).zip(values.iter().cloned()).collect())
        }
        _ => Err("a row of 'data' does not fit 'columns'".to_owned()),
    };
    rows.iter().map(record).collect()
}

/// Whether an object has a row under each number, as data frames write them by index; else it has columns under names.
fn is_by_row(fields: &Map<String, Value>) -> bool {
    let is_number = |key: &String| key.parse::<u64>().is_ok();
    let is_row = |value: &Value| value.as_object().is_some_and(|row| !row.keys().all(is_number));
    !fields.is_empty() && fields.iter().all(|(key, value)| is_number(key) && is_row(value))
}

/// Of each column a list of values, all of one length.
fn rows_of_lists(columns: &Map<String, Value>) -> Option<Vec<Record>> {
    let lists: Vec<&Vec<Value>> = columns.values().map(Value::as_array).collect::<Option<_>>()?;
    let rows = lists.first()?.len();
    let even = lists.len() > 1 && rows > 0 && lists.iter().all(|list| list.len() == rows);
    let row = |row: usize| columns.keys().cloned().zip(lists.iter().map(|list| list[row].clone())).collect();
    even.then(|| (0..rows).map(row).collect())
}

/// Of each column an object of values by row.
fn by_column(columns: &Map<String, Value>) -> Result<Vec<Record>, String> {
    let mut order: Vec<&String> = Vec::new();
    let mut rows: HashMap<&String, Record> = HashMap::new();
    for (name, values) in columns {
        for (row, value) in values.as_object().into_iter().flatten() {
            let record = rows.entry(row).or_insert_with(|| {
                order.push(row);
                Record::new()
            });
            record.insert(name.clone(), value.clone());
        }
    }
    Ok(order.into_iter().filter_map(|row| rows.remove(row)).collect())
}

/// Records as a table of text: plain values as they are, nested ones as JSON. The order in which a pair was shown, if it is
/// a list of two names, is a column of what stood first and one of what stood second.
pub(crate) fn table(records: &[Record]) -> Held {
    match records_with_sides(records) {
        Some(records) => plain_table(&records),
        None => plain_table(records),
    }
}

/// The records with what stood first and second under these names, if lists of two say so in each of them.
fn records_with_sides(records: &[Record]) -> Option<Vec<Record>> {
    const SIDES: [&str; 2] = ["first", "second"];
    let key = records.first()?.keys().find(|key| says_order(key))?;
    let with_sides = |record: &Record| {
        let names =
            record.get(key)?.as_array().filter(|names| names.len() == 2 && names.iter().all(Value::is_string))?;
        if SIDES.iter().any(|side| record.contains_key(*side)) {
            return None;
        }
        let mut record = record.clone();
        record.remove(key);
        record.extend(SIDES.iter().map(|side| (*side).to_owned()).zip(names.iter().cloned()));
        Some(record)
    };
    records.iter().map(with_sides).collect()
}

fn plain_table(records: &[Record]) -> Held {
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for key in records.iter().flat_map(Map::keys) {
        known.entry(key).or_insert_with(|| {
            names.push(key.clone());
            names.len() - 1
        });
    }
    let mut columns = vec![vec![String::new(); records.len()]; names.len()];
    for (row, record) in records.iter().enumerate() {
        for (key, value) in record {
            columns[known[key.as_str()]][row] = match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => joined_list(other).unwrap_or_else(|| other.to_string()),
            };
        }
    }
    Held { names, columns, ..Held::default() }
}
