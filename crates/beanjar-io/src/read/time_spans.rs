//! Spans of time as text, as ISO 8601 has them.

use super::cell_text::{NotText, Push};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use std::fmt::Display;

/// Pushes the text of each span of a column.
pub(super) fn push_spans(array: &dyn Array, push: &mut Push<'_>) -> Result<(), NotText> {
    let seconds =
        |count: i64, in_one: i128| Span { nanoseconds: i128::from(count) * (NANO / in_one), ..Span::default() };
    match array.data_type() {
        DataType::Duration(TimeUnit::Second) => spans::<DurationSecondType>(array, |n| seconds(n, 1), push),
        DataType::Duration(TimeUnit::Millisecond) => {
            spans::<DurationMillisecondType>(array, |n| seconds(n, 1_000), push);
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            spans::<DurationMicrosecondType>(array, |n| seconds(n, 1_000_000), push);
        }
        DataType::Duration(TimeUnit::Nanosecond) => spans::<DurationNanosecondType>(array, |n| seconds(n, NANO), push),
        DataType::Interval(IntervalUnit::YearMonth) => {
            spans::<IntervalYearMonthType>(array, |months| Span { months, ..Span::default() }, push);
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let span = |of: <IntervalDayTimeType as ArrowPrimitiveType>::Native| Span {
                days: of.days,
                ..seconds(of.milliseconds.into(), 1_000)
            };
            spans::<IntervalDayTimeType>(array, span, push);
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let span = |of: <IntervalMonthDayNanoType as ArrowPrimitiveType>::Native| Span {
                months: of.months,
                days: of.days,
                ..seconds(of.nanoseconds, NANO)
            };
            spans::<IntervalMonthDayNanoType>(array, span, push);
        }
        _ => return Err(NotText),
    }
    Ok(())
}

/// Nanoseconds in a second.
const NANO: i128 = 1_000_000_000;

#[derive(Default)]
struct Span {
    months: i32,
    days: i32,
    nanoseconds: i128,
}

fn spans<T: ArrowPrimitiveType>(array: &dyn Array, span: impl Fn(T::Native) -> Span, push: &mut Push<'_>) {
    for value in array.as_primitive::<T>() {
        let text = value.map(|value| span(value).text());
        push(text.as_ref().map(|text| text as &dyn Display));
    }
}

impl Span {
    /// `P1M2DT3.5S`: months, days and seconds, those of none left out.
    fn text(&self) -> String {
        let whole = |count: i32, unit: &str| if count == 0 { String::new() } else { format!("{count}{unit}") };
        let mut text = format!("P{}{}", whole(self.months, "M"), whole(self.days, "D"));
        if self.nanoseconds != 0 || text == "P" {
            let (sign, size) = (if self.nanoseconds < 0 { "-" } else { "" }, self.nanoseconds.abs());
            let fraction = format!(".{:09}", size % NANO);
            text += &format!("T{sign}{}{}S", size / NANO, fraction.trim_end_matches('0').trim_end_matches('.'));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::*;

    fn texts(array: &dyn Array) -> Vec<String> {
        let mut found = Vec::new();
        let pushed = push_spans(array, &mut |text| found.push(text.map_or("-".into(), ToString::to_string)));
        assert!(pushed.is_ok());
        found
    }

    #[test]
    fn spans_are_as_in_iso_8601() {
        assert_eq!(texts(&DurationSecondArray::from(vec![Some(5), None, Some(0)])), ["PT5S", "-", "PT0S"]);
        assert_eq!(
            texts(&DurationMillisecondArray::from(vec![-1500, i64::MIN])),
            ["PT-1.5S", "PT-9223372036854775.808S"]
        );
        assert_eq!(texts(&DurationMicrosecondArray::from(vec![90_000_001])), ["PT90.000001S"]);
        assert_eq!(texts(&DurationNanosecondArray::from(vec![1])), ["PT0.000000001S"]);
        assert_eq!(texts(&IntervalYearMonthArray::from(vec![14, -1])), ["P14M", "P-1M"]);
        let days = vec![IntervalDayTimeType::make_value(2, 1500), IntervalDayTimeType::make_value(0, 0)];
        assert_eq!(texts(&IntervalDayTimeArray::from(days)), ["P2DT1.5S", "PT0S"]);
        let all = vec![IntervalMonthDayNanoType::make_value(1, 2, 3_000_000_000)];
        assert_eq!(texts(&IntervalMonthDayNanoArray::from(all)), ["P1M2DT3S"]);
    }
}
