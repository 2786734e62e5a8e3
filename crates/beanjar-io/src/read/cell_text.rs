//! The values of a typed column as text.

use super::time_spans::push_spans;
use super::wanted_columns::Float32;
use crate::exports::joined;
use crate::write::plain;
use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, FixedSizeBinaryArray, Float64Array, PrimitiveArray, RunArray};
use arrow_schema::{DataType, TimeUnit};
use std::fmt::Display;

/// Hears the text of each value in turn, and none for a missing one.
pub(super) type Push<'a> = dyn FnMut(Option<&dyn Display>) + 'a;

/// A value that has no text.
pub(super) struct NotText;

/// Pushes the text of each value of a column of text, numbers, yes and no, dates, times, or spans of time; of lists of these,
/// the values joined as JSON's are. Other types have no text.
pub(super) fn push_texts(array: &dyn Array, push: &mut Push<'_>) -> Result<(), NotText> {
    match array.data_type() {
        DataType::Null => (0..array.len()).for_each(|_| push(None)),
        DataType::Boolean => array.as_boolean().iter().for_each(|value| push(displayed(value.as_ref()))),
        DataType::Int8 => numbers::<Int8Type>(array, push),
        DataType::Int16 => numbers::<Int16Type>(array, push),
        DataType::Int32 => numbers::<Int32Type>(array, push),
        DataType::Int64 => numbers::<Int64Type>(array, push),
        DataType::UInt8 => numbers::<UInt8Type>(array, push),
        DataType::UInt16 => numbers::<UInt16Type>(array, push),
        DataType::UInt32 => numbers::<UInt32Type>(array, push),
        DataType::UInt64 => numbers::<UInt64Type>(array, push),
        DataType::Float16 => numbers::<Float16Type>(array, push),
        // Rust's own number format is the shortest that reads back the same, and 7 rather than 7.0.
        DataType::Float32 => numbers::<Float32Type>(array, push),
        DataType::Float64 => {
            array.as_primitive::<Float64Type>().iter().for_each(|value| push(displayed(value.map(plain).as_ref())));
        }
        DataType::Decimal32(..) => decimals::<Decimal32Type>(array, push),
        DataType::Decimal64(..) => decimals::<Decimal64Type>(array, push),
        DataType::Decimal128(..) => decimals::<Decimal128Type>(array, push),
        DataType::Decimal256(..) => decimals::<Decimal256Type>(array, push),
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(|value| push(displayed(value.as_ref()))),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(|value| push(displayed(value.as_ref()))),
        DataType::Utf8View => array.as_string_view().iter().for_each(|value| push(displayed(value.as_ref()))),
        DataType::Binary => return bytes(array.as_binary::<i32>().iter(), push),
        DataType::LargeBinary => return bytes(array.as_binary::<i64>().iter(), push),
        DataType::BinaryView => return bytes(array.as_binary_view().iter(), push),
        DataType::FixedSizeBinary(16) if !is_printed(array.as_fixed_size_binary()) => {
            array.as_fixed_size_binary().iter().for_each(|value| push(displayed(value.map(uuid).as_ref())));
        }
        DataType::FixedSizeBinary(_) => return bytes(array.as_fixed_size_binary().iter(), push),
        DataType::Date32 => return dated(array.as_primitive::<Date32Type>(), PrimitiveArray::value_as_date, push),
        DataType::Date64 => return dated(array.as_primitive::<Date64Type>(), PrimitiveArray::value_as_datetime, push),
        DataType::Time32(TimeUnit::Second) => {
            return dated(array.as_primitive::<Time32SecondType>(), PrimitiveArray::value_as_time, push);
        }
        DataType::Time32(_) => {
            return dated(array.as_primitive::<Time32MillisecondType>(), PrimitiveArray::value_as_time, push);
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            return dated(array.as_primitive::<Time64MicrosecondType>(), PrimitiveArray::value_as_time, push);
        }
        DataType::Time64(_) => {
            return dated(array.as_primitive::<Time64NanosecondType>(), PrimitiveArray::value_as_time, push);
        }
        DataType::Timestamp(TimeUnit::Second, zone) => return moments::<TimestampSecondType>(array, zone, push),
        DataType::Timestamp(TimeUnit::Millisecond, zone) => {
            return moments::<TimestampMillisecondType>(array, zone, push);
        }
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            return moments::<TimestampMicrosecondType>(array, zone, push);
        }
        DataType::Timestamp(TimeUnit::Nanosecond, zone) => {
            return moments::<TimestampNanosecondType>(array, zone, push);
        }
        DataType::Duration(_) | DataType::Interval(_) => return push_spans(array, push),
        DataType::Dictionary(..) => return coded(array, push),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => return run_by_run(array.as_run::<Int16Type>(), push),
            DataType::Int32 => return run_by_run(array.as_run::<Int32Type>(), push),
            _ => return run_by_run(array.as_run::<Int64Type>(), push),
        },
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            return listed(array, lists.values(), &|row| lists.value(row), push);
        }
        DataType::LargeList(_) => {
            let lists = array.as_list::<i64>();
            return listed(array, lists.values(), &|row| lists.value(row), push);
        }
        DataType::FixedSizeList(..) => {
            let lists = array.as_fixed_size_list();
            return listed(array, lists.values(), &|row| lists.value(row), push);
        }
        DataType::ListView(_) => {
            let lists = array.as_list_view::<i32>();
            return listed(array, lists.values(), &|row| lists.value(row), push);
        }
        DataType::LargeListView(_) => {
            let lists = array.as_list_view::<i64>();
            return listed(array, lists.values(), &|row| lists.value(row), push);
        }
        _ => return Err(NotText),
    }
    Ok(())
}

fn displayed<T: Display>(value: Option<&T>) -> Option<&dyn Display> {
    value.map(|value| value as &dyn Display)
}

fn numbers<T: ArrowPrimitiveType<Native: Display>>(array: &dyn Array, push: &mut Push<'_>) {
    array.as_primitive::<T>().iter().for_each(|value| push(displayed(value.as_ref())));
}

fn decimals<T: DecimalType>(array: &dyn Array, push: &mut Push<'_>) {
    let values = array.as_primitive::<T>();
    for row in 0..values.len() {
        push(displayed(values.is_valid(row).then(|| values.value_as_string(row)).as_ref()));
    }
}

fn bytes<'a>(values: impl Iterator<Item = Option<&'a [u8]>>, push: &mut Push<'_>) -> Result<(), NotText> {
    for value in values {
        let text = value.map(str::from_utf8).transpose().map_err(|_| NotText)?;
        push(displayed(text.as_ref()));
    }
    Ok(())
}

/// Whether all values are texts that can be seen. Ids of 16 random bytes are not.
fn is_printed(values: &FixedSizeBinaryArray) -> bool {
    let printed = |bytes: &[u8]| str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(char::is_control));
    values.iter().flatten().all(printed)
}

/// The usual text of an id of 16 bytes (RFC 9562).
fn uuid(bytes: &[u8]) -> String {
    let part = |from: usize, to: usize| bytes[from..to].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    [part(0, 4), part(4, 6), part(6, 8), part(8, 10), part(10, 16)].join("-")
}

/// Dates and times, as ISO 8601 has them.
fn dated<T: ArrowPrimitiveType, D: std::fmt::Debug>(
    values: &PrimitiveArray<T>,
    at: impl Fn(&PrimitiveArray<T>, usize) -> Option<D>,
    push: &mut Push<'_>,
) -> Result<(), NotText> {
    for row in 0..values.len() {
        let text = match values.is_valid(row) {
            true => Some(format!("{:?}", at(values, row).ok_or(NotText)?)),
            false => None,
        };
        push(displayed(text.as_ref()));
    }
    Ok(())
}

/// A date and a time, with its offset from UTC if the column has a time zone.
fn moments<T: ArrowTimestampType>(
    array: &dyn Array,
    zone: &Option<std::sync::Arc<str>>,
    push: &mut Push<'_>,
) -> Result<(), NotText> {
    let values = array.as_primitive::<T>();
    let Some(zone) = zone else { return dated(values, PrimitiveArray::value_as_datetime, push) };
    // Of a zone with a name, whose table may be there or not, the moment itself is given: in UTC.
    let offset = if zone.starts_with(['+', '-']) { &**zone } else { "+00:00" };
    let zone: Tz = offset.parse().or_else(|_| "+00:00".parse()).map_err(|_| NotText)?;
    for row in 0..values.len() {
        let text = match values.is_valid(row) {
            true => Some(values.value_as_datetime_with_tz(row, zone).ok_or(NotText)?.to_rfc3339()),
            false => None,
        };
        let text = text.map(|text| text.strip_suffix("+00:00").map(|utc| format!("{utc}Z")).unwrap_or(text));
        push(displayed(text.as_ref()));
    }
    Ok(())
}

/// Values that are numbers of entries in a dictionary.
fn coded(array: &dyn Array, push: &mut Push<'_>) -> Result<(), NotText> {
    let dictionary = array.as_any_dictionary();
    let mut entries: Vec<Option<String>> = Vec::with_capacity(dictionary.values().len());
    push_texts(dictionary.values(), &mut |text| entries.push(text.map(ToString::to_string)))?;
    let codes = if entries.is_empty() { vec![0; array.len()] } else { dictionary.normalized_keys() };
    for (row, code) in codes.into_iter().enumerate() {
        let entry = entries.get(code).filter(|_| dictionary.keys().is_valid(row));
        push(displayed(entry.and_then(Option::as_ref)));
    }
    Ok(())
}

/// Values that are given once for each run of rows.
fn run_by_run<R: RunEndIndexType>(runs: &RunArray<R>, push: &mut Push<'_>) -> Result<(), NotText> {
    let mut values: Vec<Option<String>> = Vec::with_capacity(runs.values().len());
    push_texts(runs.values(), &mut |text| values.push(text.map(ToString::to_string)))?;
    for row in 0..runs.len() {
        push(displayed(values.get(runs.get_physical_index(row)).and_then(Option::as_ref)));
    }
    Ok(())
}

/// Lists of plain values, each as one text.
fn listed(
    lists: &dyn Array,
    all: &ArrayRef,
    value: &dyn Fn(usize) -> ArrayRef,
    push: &mut Push<'_>,
) -> Result<(), NotText> {
    // Lists of lists have no text, however empty.
    if all.data_type().is_nested() || push_texts(&all.slice(0, 0), &mut |_| ()).is_err() {
        return Err(NotText);
    }
    for row in 0..lists.len() {
        let mut texts = Vec::new();
        if lists.is_valid(row) {
            push_texts(&value(row), &mut |text| texts.extend(text.map(ToString::to_string)))?;
        }
        push(displayed(joined(texts).as_ref()));
    }
    Ok(())
}

/// A column whose type is one of numbers, or of true and false.
pub(super) fn as_numbers(array: &dyn Array, float32: Float32) -> Option<Float64Array> {
    Some(match array.data_type() {
        DataType::Boolean => array.as_boolean().iter().map(|value| value.map(|yes| f64::from(u8::from(yes)))).collect(),
        DataType::Int8 => array.as_primitive::<Int8Type>().unary(f64::from),
        DataType::Int16 => array.as_primitive::<Int16Type>().unary(f64::from),
        DataType::Int32 => array.as_primitive::<Int32Type>().unary(f64::from),
        DataType::Int64 => array.as_primitive::<Int64Type>().unary(|value| value as f64),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().unary(f64::from),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().unary(f64::from),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().unary(f64::from),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().unary(|value| value as f64),
        DataType::Float16 => array.as_primitive::<Float16Type>().unary(f64::from),
        DataType::Float32 if float32 == Float32::AsWritten => {
            let as_written = |value: f32| value.to_string().parse().unwrap_or(f64::NAN);
            array.as_primitive::<Float32Type>().iter().map(|value| value.map(as_written)).collect()
        }
        DataType::Float32 => array.as_primitive::<Float32Type>().unary(f64::from),
        DataType::Float64 => array.as_primitive::<Float64Type>().clone(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::*;

    fn texts(array: &dyn Array) -> Option<Vec<Option<String>>> {
        let mut found = Vec::new();
        push_texts(array, &mut |text| found.push(text.map(ToString::to_string))).ok()?;
        Some(found)
    }

    fn some(values: &[&str]) -> Option<Vec<Option<String>>> {
        let missing = |value: &&str| (*value != "-").then(|| (*value).to_owned());
        Some(values.iter().map(missing).collect())
    }

    #[test]
    fn each_type_has_its_text() {
        assert_eq!(texts(&NullArray::new(2)), some(&["-", "-"]));
        assert_eq!(texts(&BooleanArray::from(vec![Some(true), None, Some(false)])), some(&["true", "-", "false"]));
        assert_eq!(texts(&Int8Array::from(vec![Some(-5), None])), some(&["-5", "-"]));
        assert_eq!(texts(&UInt64Array::from(vec![u64::MAX])), some(&["18446744073709551615"]));
        assert_eq!(texts(&Float64Array::from(vec![Some(7.0), None, Some(0.1)])), some(&["7", "-", "0.1"]));
        assert_eq!(texts(&Float32Array::from(vec![0.1])), some(&["0.1"]));
        let decimal = Decimal128Array::from(vec![Some(-12345), None]).with_precision_and_scale(8, 2).unwrap();
        assert_eq!(texts(&decimal), some(&["-123.45", "-"]));
        assert_eq!(texts(&StringArray::from(vec![Some("x"), None])), some(&["x", "-"]));
        assert_eq!(texts(&LargeStringArray::from(vec!["y"])), some(&["y"]));
        assert_eq!(
            texts(&StringViewArray::from(vec!["a text of more than twelve bytes"])),
            some(&["a text of more than twelve bytes"])
        );
        assert_eq!(texts(&BinaryArray::from(vec![&b"z"[..]])), some(&["z"]));
        assert_eq!(texts(&BinaryArray::from(vec![&b"\xff"[..]])), None);
        let fixed = |values: &[&[u8]]| FixedSizeBinaryArray::try_from_iter(values.iter()).unwrap();
        assert_eq!(texts(&fixed(&[b"ab", b"cd"])), some(&["ab", "cd"]));
        assert_eq!(texts(&fixed(&[b"sixteen letters!"])), some(&["sixteen letters!"]));
        let ids = fixed(&[&std::array::from_fn::<u8, 16, _>(|i| i as u8), b"sixteen letters!"]);
        let expected = ["00010203-0405-0607-0809-0a0b0c0d0e0f", "73697874-6565-6e20-6c65-747465727321"];
        assert_eq!(texts(&ids), some(&expected));
        assert_eq!(texts(&fixed(&[b"\xff\xfe"])), None);
        let coded: DictionaryArray<Int32Type> = [Some("u"), None, Some("v"), Some("u")].into_iter().collect();
        assert_eq!(texts(&coded), some(&["u", "-", "v", "u"]));
        let none: DictionaryArray<Int8Type> = [None::<&str>, None].into_iter().collect();
        assert_eq!(texts(&none), some(&["-", "-"]));
        let runs: RunArray<Int16Type> = [Some("u"), Some("u"), None, Some("v")].into_iter().collect();
        assert_eq!(texts(&runs), some(&["u", "u", "-", "v"]));
        assert_eq!(texts(&runs.slice(1, 3)), some(&["u", "-", "v"]));
    }

    #[test]
    fn lists_of_plain_values_are_one_text_as_in_json() {
        let lists = [Some(vec![Some(2), None, Some(1)]), None, Some(vec![])];
        let plain = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
        assert_eq!(texts(&plain), some(&["1|2", "-", "-"]));
        assert_eq!(texts(&ListViewArray::from(plain)), some(&["1|2", "-", "-"]));
        let structs = arrow_schema::Fields::from(vec![arrow_schema::Field::new("a", DataType::Int8, true)]);
        let field = arrow_schema::Field::new("item", DataType::Struct(structs), true);
        assert_eq!(texts(&*new_empty_array(&DataType::List(std::sync::Arc::new(field)))), None);
    }

    #[test]
    fn dates_and_times_are_as_in_iso_8601() {
        assert_eq!(texts(&Date32Array::from(vec![Some(19_000), None])), some(&["2022-01-08", "-"]));
        assert_eq!(texts(&Date64Array::from(vec![1_641_600_000_000])), some(&["2022-01-08T00:00:00"]));
        assert_eq!(texts(&Time32SecondArray::from(vec![3_661])), some(&["01:01:01"]));
        assert_eq!(texts(&Time64NanosecondArray::from(vec![1_500_000_000])), some(&["00:00:01.500"]));
        assert_eq!(texts(&TimestampSecondArray::from(vec![1_641_643_200])), some(&["2022-01-08T12:00:00"]));
        let micro = TimestampMicrosecondArray::from(vec![Some(1_641_643_200_000_001), None]);
        assert_eq!(texts(&micro), some(&["2022-01-08T12:00:00.000001", "-"]));
        let zone = |name: &str| TimestampMillisecondArray::from(vec![1_641_643_200_250]).with_timezone(name);
        assert_eq!(texts(&zone("+02:00")), some(&["2022-01-08T14:00:00.250+02:00"]));
        assert_eq!(texts(&zone("+00:00")), some(&["2022-01-08T12:00:00.250Z"]));
        for utc in ["UTC", "Europe/Berlin"] {
            assert_eq!(texts(&zone(utc)), some(&["2022-01-08T12:00:00.250Z"]), "{utc}");
        }
    }

    #[test]
    fn numbers_need_no_text() {
        let found =
            |array: &dyn Array| as_numbers(array, Float32::Exact).map(|numbers| numbers.iter().collect::<Vec<_>>());
        assert_eq!(found(&Int64Array::from(vec![Some(3), None])), Some(vec![Some(3.0), None]));
        assert_eq!(found(&BooleanArray::from(vec![Some(true), None])), Some(vec![Some(1.0), None]));
        assert_eq!(found(&Float32Array::from(vec![0.5])), Some(vec![Some(0.5)]));
        assert_eq!(found(&StringArray::from(vec!["3"])), None);
    }
}
