//! Columns of lists and of structures, as the records that JSON would have.

use super::cell_text::push_texts;
use crate::exports::Record;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use serde_json::{Number, Value};

/// The rows of a batch. What has no text is nothing.
pub(super) fn records(batch: &RecordBatch) -> Vec<Record> {
    let mut records = vec![Record::new(); batch.num_rows()];
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        for (record, value) in records.iter_mut().zip(values(column, 0)) {
            record.insert(field.name().clone(), value);
        }
    }
    records
}

/// Lists within lists are looked into no further than this.
const DEEPEST: usize = 16;

fn values(array: &dyn Array, depth: usize) -> Vec<Value> {
    let listed = |value: &dyn Fn(usize) -> ArrayRef| -> Vec<Value> {
        let list = |row: usize| match array.is_valid(row) {
            true => Value::Array(values(&value(row), depth + 1)),
            false => Value::Null,
        };
        (0..array.len()).map(list).collect()
    };
    match array.data_type() {
        _ if depth > DEEPEST => vec![Value::Null; array.len()],
        DataType::List(_) => listed(&|row| array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => listed(&|row| array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => listed(&|row| array.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let mut records = vec![Record::new(); array.len()];
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                for (record, value) in records.iter_mut().zip(values(column, depth + 1)) {
                    record.insert(field.name().clone(), value);
                }
            }
            let record = |(row, record)| if array.is_valid(row) { Value::Object(record) } else { Value::Null };
            records.into_iter().enumerate().map(record).collect()
        }
        kind => plain(array, kind),
    }
}

fn plain(array: &dyn Array, kind: &DataType) -> Vec<Value> {
    let mut found = Vec::with_capacity(array.len());
    let pushed = push_texts(array, &mut |text| {
        let value = text.map(|text| match (kind, text.to_string()) {
            (DataType::Boolean, text) => Value::Bool(text == "true"),
            (kind, text) if kind.is_numeric() => text.parse::<Number>().map_or(Value::Null, Value::Number),
            (_, text) => Value::String(text),
        });
        found.push(value.unwrap_or(Value::Null));
    });
    // Of a type without a text there is nothing.
    if pushed.is_err() {
        found = vec![Value::Null; array.len()];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::types::Int64Type;
    use arrow_array::{BooleanArray, Float64Array, ListArray, StringArray, StructArray};
    use arrow_schema::Field;
    use serde_json::json;
    use std::sync::Arc;

    #[test]
    fn rows_are_as_json_would_have_them() {
        let lists = [Some(vec![Some(1), None]), None, Some(vec![])];
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
        let of = |name: &str, kind: DataType| Arc::new(Field::new(name, kind, true));
        let structs: ArrayRef = Arc::new(StructArray::from(vec![
            (of("who", DataType::Utf8), Arc::new(StringArray::from(vec![Some("ann"), None, Some("bob")])) as ArrayRef),
            (of("list", lists.data_type().clone()), lists.clone()),
        ]));
        let batch = RecordBatch::try_from_iter([
            ("yes", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])) as ArrayRef),
            ("x", Arc::new(Float64Array::from(vec![1.5, f64::NAN, 2.0])) as ArrayRef),
            ("nested", structs),
        ])
        .unwrap();
        let found: Vec<Value> = records(&batch).into_iter().map(Value::Object).collect();
        let wanted = [
            json!({"yes": true, "x": 1.5, "nested": {"who": "ann", "list": [1, null]}}),
            json!({"yes": null, "x": null, "nested": {"who": null, "list": null}}),
            json!({"yes": false, "x": 2, "nested": {"who": "bob", "list": []}}),
        ];
        assert_eq!(found, wanted);
    }
}
