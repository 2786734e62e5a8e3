//! What is written in any format is read back the same.

#![allow(clippy::unwrap_used)]

use beanjar::{Context, Judgments, Labels};
use beanjar_io::{Cell, ColumnType, Data, Layout, ReadOptions, Source, TableWriter, convert, read};
use proptest::collection::vec;
use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};
use std::path::Path;

const FORMATS: [&str; 10] =
    ["csv", "tsv", "jsonl", "parquet", "arrow", "csv.gz", "csv.zst", "tsv.gz", "jsonl.gz", "jsonl.zst"];
const TEXT: ColumnType = ColumnType::Text;

/// An id with characters that mean something in some format; none that stands for a missing value.
fn id() -> impl Strategy<Value = String> {
    let awkward = [
        " leads",
        "trails ",
        "a,b",
        "\"quoted\"",
        "\"",
        "two\nlines",
        "cr\r",
        "tab\tbed",
        "🫘",
        "é",
        "007",
        "1e5",
        "{}",
        "\\n",
        "#",
    ];
    prop_oneof![
        proptest::sample::select(awkward.to_vec()).prop_map(str::to_owned),
        "[a-c]{1,2}",
        "x[ ,\"\t\n\r\\\\é🫘]{0,6}",
    ]
}

/// Any number that is not too large for a judgment.
fn value() -> impl Strategy<Value = f64> {
    (POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO)
        .prop_map(|value| if value.abs() > 1e50 { value % 1e50 } else { value })
}

/// A class whose name has no other form.
fn class() -> impl Strategy<Value = String> {
    id().prop_map(|name| format!("<{name}>"))
}

fn write<const N: usize>(path: &Path, columns: [(&str, ColumnType); N], rows: &[[Cell<'_>; N]]) {
    let mut table = TableWriter::create(path, &columns, &[]).unwrap();
    rows.iter().for_each(|row| table.row(row).unwrap());
    assert_eq!(table.finish().unwrap(), rows.len());
}

fn labels_of(path: &Path) -> Labels {
    match read(&Source::from(path), &ReadOptions::default(), &Context::new()).unwrap().data {
        Data::Labels(labels) => labels,
        _ => panic!("{}: not labels", path.display()),
    }
}

fn judgments_of(path: &Path) -> Judgments {
    match read(&Source::from(path), &ReadOptions::default(), &Context::new()).unwrap().data {
        Data::Judgments(judgments) => judgments,
        _ => panic!("{}: not judgments", path.display()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn labels_come_back_from_every_format(rows in vec((id(), id(), class()), 1..30)) {
        let folder = tempfile::tempdir().unwrap();
        let expected = Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
        let cells: Vec<[Cell<'_>; 3]> =
            rows.iter().map(|(t, w, l)| [Cell::Text(t), Cell::Text(w), Cell::Text(l)]).collect();
        for format in FORMATS {
            let path = folder.path().join(format!("labels.{format}"));
            write(&path, [("task", TEXT), ("worker", TEXT), ("label", TEXT)], &cells);
            prop_assert_eq!(&labels_of(&path), &expected, "{}", format);
            for other in ["csv", "parquet"] {
                let converted = folder.path().join(format!("converted.{other}"));
                convert(&Source::from(&path), &converted, Layout::default(), &ReadOptions::default(), &Context::new()).unwrap();
                prop_assert_eq!(&labels_of(&converted), &expected, "{} to {}", format, other);
            }
        }
    }

    #[test]
    fn judgments_come_back_from_every_format_with_every_bit(
        rows in vec((id(), id(), prop_oneof![id(), Just(String::new())], value()), 1..30),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let expected = Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], &a[..], &w[..], *v))).unwrap();
        let worker = |id: &'_ String| -> bool { !id.is_empty() };
        let cells: Vec<[Cell<'_>; 4]> = rows
            .iter()
            .map(|(o, a, w, v)| {
                let who = if worker(w) { Cell::Text(w) } else { Cell::Missing };
                [Cell::Text(o), Cell::Text(a), who, Cell::Number(*v)]
            })
            .collect();
        for format in FORMATS {
            let path = folder.path().join(format!("judgments.{format}"));
            let columns = [("object", TEXT), ("attribute", TEXT), ("worker", TEXT), ("value", ColumnType::Number)];
            write(&path, columns, &cells);
            let found = judgments_of(&path);
            prop_assert_eq!(&found, &expected, "{}", format);
            let bits = |table: &Judgments| -> Vec<u64> {
                (0..table.objects.len()).flat_map(|o| table.of(o).values.iter().map(|v| v.to_bits()).collect::<Vec<_>>()).collect()
            };
            prop_assert!(bits(&found) == bits(&expected), "{}", format);
        }
    }
}
