use super::*;
use crate::{Cell, ColumnType, TableWriter};
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Float64Array, Int64Array, LargeListArray, ListArray,
    RecordBatch, StringArray,
};
use std::path::Path;
use std::sync::Arc;
use tempfile::tempdir;

const FILES: [&str; 8] = ["f.csv", "f.tsv", "f.csv.gz", "f.tsv.zst", "f.jsonl", "f.jsonl.gz", "f.parquet", "f.arrow"];

type Values = Vec<Vec<Option<f64>>>;

fn id(unit: usize) -> String {
    let odd = ["a, b", "\"quoted\" \"", "🫘", "two\nlines", "tab\tbed", "plain"];
    format!("{} {unit}", odd[unit % odd.len()])
}

fn names(columns: usize) -> Vec<String> {
    (0..columns).map(|column| format!("x, {column}")).collect()
}

/// Some of them missing, zero, and of all digits and sizes.
fn values(units: usize, columns: usize, zeros: u64, gaps: u64) -> Values {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    let mut value = || match next() % 100 {
        kind if kind < gaps => None,
        kind if kind < gaps + zeros => Some(0.0),
        kind => {
            let size = 10f64.powi(kind as i32 % 61 - 30);
            Some((next() as f64 / (1u64 << 52) as f64 - 1.0) * size)
        }
    };
    (0..columns).map(|_| (0..units).map(|_| value()).collect()).collect()
}

fn write(path: &Path, values: &Values, units: usize, kind: ColumnType) {
    let names = names(values.len());
    let mut header = vec![("unit", ColumnType::Text)];
    header.extend(names.iter().map(|name| (name.as_str(), kind)));
    let mut table = TableWriter::create(path, &header, &[]).unwrap();
    for unit in 0..units {
        let texts: Vec<String> =
            values.iter().map(|column| column[unit].map_or(String::new(), |value| format!(" {value:e}"))).collect();
        let id = id(unit);
        let mut row = vec![Cell::Text(&id)];
        row.extend(values.iter().zip(&texts).map(|(column, text)| match (column[unit], kind) {
            (None, _) => Cell::Missing,
            (Some(value), ColumnType::Number) => Cell::Number(value),
            (Some(_), ColumnType::Text) => Cell::Text(text),
        }));
        table.row(&row).unwrap();
    }
    table.finish().unwrap();
}

/// What should be read, the long way.
fn expected(values: &Values, units: usize) -> ReadFeatures {
    let filled = |column: &Vec<Option<f64>>| {
        let known: Vec<f64> = column.iter().filter_map(|value| *value).collect();
        let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
        column.iter().map(|value| value.unwrap_or(mean)).collect()
    };
    let columns: Vec<Vec<f64>> = values.iter().map(filled).collect();
    let features = Features::from_columns(units, &columns).unwrap();
    let ids = (0..units).map(id).collect();
    ReadFeatures {
        table: FeatureTable::new(ids, names(values.len()), features).unwrap(),
        imputed: values.iter().flatten().filter(|value| value.is_none()).count(),
        understood: None,
        ids_as_named: false,
    }
}

#[test]
fn every_format_gives_every_bit_of_tables_dense_sparse_and_with_gaps() {
    let folder = tempdir().unwrap();
    // The largest takes several blocks of text.
    for (units, columns, zeros, gaps) in
        [(1, 1, 0, 0), (2, 1, 50, 0), (2, 3, 0, 50), (31, 7, 0, 0), (400, 101, 0, 0), (900, 301, 90, 5)]
    {
        let values = values(units, columns, zeros, gaps);
        let expected = expected(&values, units);
        for (name, kind) in FILES.iter().flat_map(|name| [(name, ColumnType::Number), (name, ColumnType::Text)]) {
            let path = folder.path().join(name);
            write(&path, &values, units, kind);
            let found = read_features(
                &path.into(),
                &UnitIds::default(),
                Wanted::AllBut(&[]),
                &Gaps { impute: gaps > 0, ..Default::default() },
            )
            .unwrap();
            let found = ReadFeatures { understood: None, ..found };
            assert!(found == expected, "{name} {kind:?} of {units} x {columns}");
        }
    }
}

#[test]
fn typed_columns_are_numbers_whatever_their_type() {
    let folder = tempdir().unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("unit", Arc::new(Int64Array::from(vec![7, 8, 9]))),
        ("bool", Arc::new(BooleanArray::from(vec![true, false, true]))),
        ("int", Arc::new(Int64Array::from(vec![0, -3, (1 << 53) + 1]))),
        ("float", Arc::new(Float32Array::from(vec![0.5, 0.0, -0.0]))),
        ("text", Arc::new(StringArray::from(vec!["1e2", " 0 ", "-1"]))),
        ("gap", Arc::new(Float64Array::from(vec![Some(1.0), None, Some(f64::NAN)]))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let [arrow, parquet] = write_columnar(folder.path(), &batch);
    let jsonl = folder.path().join("f.jsonl");
    let lines = "{\"unit\":7,\"bool\":true,\"int\":0,\"float\":0.5,\"text\":\"1e2\",\"gap\":1}\n\
                 {\"unit\":8,\"bool\":false,\"int\":-3,\"float\":0,\"text\":\" 0 \",\"gap\":null}\n\
                 {\"unit\":9,\"bool\":true,\"int\":9007199254740993,\"float\":-0.0,\"text\":\"-1\"}\n";
    std::fs::write(&jsonl, lines).unwrap();
    let dense = [
        vec![1.0, 0.0, 1.0],
        vec![0.0, -3.0, 9_007_199_254_740_992.0],
        vec![0.5, 0.0, 0.0],
        vec![100.0, 0.0, -1.0],
        vec![1.0; 3],
    ];
    for path in [arrow, parquet, jsonl] {
        let found = read_features(
            &Source::from(&path),
            &UnitIds::default(),
            Wanted::AllBut(&[]),
            &Gaps { impute: true, ..Default::default() },
        )
        .unwrap();
        assert_eq!(found.table.units().iter().collect::<Vec<_>>(), ["7", "8", "9"]);
        assert_eq!(*found.table.features(), Features::from_columns(3, &dense).unwrap(), "{}", path.display());
        assert_eq!(found.imputed, 2);
        let error = read_features(&Source::from(&path), &UnitIds::default(), Wanted::AllBut(&[]), &Gaps::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains("'8' in column 'gap' is missing"), "{error}");
    }
}

/// The same batch as Arrow and as Parquet.
fn write_columnar(folder: &Path, batch: &RecordBatch) -> [std::path::PathBuf; 2] {
    let arrow = folder.join("f.arrow");
    let file = std::fs::File::create(&arrow).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    let parquet = folder.join("f.parquet");
    let file = std::fs::File::create(&parquet).unwrap();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    [arrow, parquet]
}

/// Embeddings as lists of numbers, of every kind of list.
#[test]
fn a_vector_is_a_feature_for_each_of_its_numbers() {
    let rows = || [[0.5, -1.0, 0.0], [0.25, 3.0, 7.0]].map(|row| Some(row.map(Some).to_vec()));
    let narrow = || rows().map(|row| row.map(|row| row.into_iter().map(|value| value.map(|value| value as f32))));
    let lists: [ArrayRef; 4] = [
        Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(rows())),
        Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(narrow())),
        Arc::new(LargeListArray::from_iter_primitive::<Float64Type, _, _>(rows())),
        Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(rows(), 3)),
    ];
    let folder = tempdir().unwrap();
    let wide = "unit,v_0,v_1,v_2,length\na,.5,-1,0,9\nb,.25,3,7,8\n";
    let expected = read_text(wide, &[], false).unwrap().table;
    let jsonl = folder.path().join("f.jsonl");
    let lines = "{\"unit\":\"a\",\"v\":[0.5,-1,0],\"length\":9}\n{\"length\":8,\"unit\":\"b\",\"v\":[0.25,3,7.0]}\n";
    std::fs::write(&jsonl, lines).unwrap();
    let all = |path: &Path| read_features(&path.into(), &UnitIds::default(), Wanted::AllBut(&[]), &Gaps::default());
    assert_eq!(all(&jsonl).unwrap().table, expected);
    for list in lists {
        let columns: [(&str, ArrayRef); 3] = [
            ("unit", Arc::new(StringArray::from(vec!["a", "b"]))),
            ("v", list),
            ("length", Arc::new(Int64Array::from(vec![9, 8]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        for path in write_columnar(folder.path(), &batch) {
            assert_eq!(all(&path).unwrap().table, expected);
            let ignored = ["v".to_owned()];
            let ignored = Wanted::AllBut(&ignored);
            let found = read_features(&path.into(), &UnitIds::default(), ignored, &Gaps::default()).unwrap();
            assert_eq!(found.table.names(), ["length"]);
        }
    }
}

/// Vectors of two lengths, and rows without one.
#[test]
fn vectors_that_differ_in_length_are_named() {
    let folder = tempdir().unwrap();
    let cases =
        [(vec![vec![1.0, 2.0], vec![3.0]], "row 2: a vector of 1"), (vec![vec![1.0], vec![]], "row 2: no vector")];
    for (rows, problem) in cases {
        let ids = StringArray::from_iter_values((0..rows.len()).map(|row| format!("u{row}")));
        let lines = ids.iter().flatten().zip(&rows).map(|(id, row)| format!("{{\"unit\":\"{id}\",\"v\":{row:?}}}\n"));
        let jsonl = folder.path().join("f.jsonl");
        std::fs::write(&jsonl, lines.collect::<String>()).unwrap();
        let list = rows.iter().map(|row| Some(row.iter().copied().map(Some)));
        let list = ListArray::from_iter_primitive::<Float64Type, _, _>(list);
        let columns: [(&str, ArrayRef); 2] = [("unit", Arc::new(ids)), ("v", Arc::new(list))];
        let [arrow, parquet] = write_columnar(folder.path(), &RecordBatch::try_from_iter(columns).unwrap());
        for path in [jsonl, arrow, parquet] {
            let found = read_features(&path.into(), &UnitIds::default(), Wanted::AllBut(&[]), &Gaps::default());
            let error = found.unwrap_err().to_string();
            assert!(error.contains(problem) && error.contains("'v'"), "{error}");
        }
    }
}

fn read_text(text: &str, ignore: &[&str], impute: bool) -> Result<ReadFeatures> {
    let folder = tempdir().unwrap();
    let path = folder.path().join("f.csv");
    std::fs::write(&path, text).unwrap();
    let ignore: Vec<String> = ignore.iter().map(|name| (*name).to_owned()).collect();
    read_features(&path.into(), &UnitIds::default(), Wanted::AllBut(&ignore), &Gaps { impute, ..Default::default() })
}

#[test]
fn ignored_columns_are_not_looked_at() {
    let found = read_text("unit,split,x,note\nu,train,1,\nv,test,0,inf\n", &["note", "split"], false).unwrap();
    assert_eq!((found.table.names(), found.imputed), (&["x".to_owned()][..], 0));
    assert_eq!(*found.table.features(), Features::from_columns(2, &[vec![1.0, 0.0]]).unwrap());
    let none = read_text("unit,x\nu,a\n", &["x"], false).unwrap();
    assert_eq!((none.table.units().len(), none.table.features().units(), none.table.features().len()), (1, 1, 0));
}

#[test]
fn gaps_get_the_mean_of_what_is_there() {
    let found = read_text("unit,a,b,c\nu,1,NA,-1\nv,,null,1\n,9,9,9\nw,0, ,NaN\n", &[], true).unwrap();
    let columns = [vec![1.0, 0.5, 0.0], vec![0.0; 3], vec![-1.0, 1.0, 0.0]];
    assert_eq!(*found.table.features(), Features::from_columns(3, &columns).unwrap(), "a row without an id is none");
    assert_eq!(found.imputed, 5);
}

#[test]
fn what_is_wrong_is_said_in_the_order_of_columns_and_of_rows_before_values() {
    for (text, ignore, said) in [
        ("", &[][..], "the file is empty"),
        ("unit,x\n", &[], "not a single row"),
        ("unit\nu\n", &[], "line 1: no column but 'unit'; features are columns of numbers"),
        ("unit,x,y\nu,1,text\nv,inf,2\n", &[], "the value of 'v' in column 'x' is 'inf', which is not a number"),
        ("unit,x,y\nu,1,\nv,2,z\n", &[], "the value of 'u' in column 'y' is missing"),
        ("unit,x\nu,true\n", &[], "'true', which is not a number"),
        ("unit,x\nu,z\nu,1\n", &[], "line 3: 'u' has a row before this one"),
        ("unit,x\nu,z\nv\n", &[], "line 3: 1 fields"),
        ("unit,x\nu,1\n", &["x", "z"], "line 1: no column 'z' (given as ignored); found 'unit', 'x'"),
    ] {
        let error = read_text(text, ignore, false).unwrap_err().to_string();
        assert!(error.contains(said), "{text:?}: {error}");
    }
    // The first column's first is found though it stands in a later block than another's.
    let rows: String =
        (0..100_000).map(|unit| format!("u{unit},{},z\n", if unit < 90_000 { "1" } else { "t" })).collect();
    let error = read_text(&format!("unit,x,y\n{rows}"), &[], false).unwrap_err().to_string();
    assert!(error.contains("'u90000' in column 'x' is 't'"), "{error}");
}

fn saved(name: &str) -> Source {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy").join(name).into()
}

fn all_of(source: &Source, ids: &UnitIds) -> Result<ReadFeatures> {
    read_features(source, ids, Wanted::AllBut(&[]), &Gaps::default())
}

#[test]
fn arrays_of_numpy_are_features_with_ids_from_beside_them() {
    let folder = tempdir().unwrap();
    let expected = Features::from_columns(2, &[vec![1.5, 0.0], vec![0.0, 0.25], vec![-2.0, 3.0]]).unwrap();
    let ids_of = |read: &ReadFeatures| read.table.units().iter().map(str::to_owned).collect::<Vec<_>>();
    for name in ["f4.npy", "f8_fortran.npy", "packed.npz", "plain.npz", "csr.npz", "csc.npz"] {
        let read = all_of(&saved(name), &UnitIds::default()).unwrap();
        assert_eq!(
            (read.table.features(), read.table.names()),
            (&expected, &["x0", "x1", "x2"].map(String::from)[..]),
            "{name}"
        );
        let ids = if name == "plain.npz" { ["a", "b"] } else { ["0", "1"] };
        assert_eq!(ids_of(&read), ids, "{name}");
    }
    let text = folder.path().join("ids.txt");
    std::fs::write(&text, "one\r\ntwo\n").unwrap();
    let table = folder.path().join("ids.csv");
    std::fs::write(&table, ",text,image_id\n0,x,p 1\n1,y,p 2\n").unwrap();
    for (file, ids) in [
        (Source::from(&text), ["one", "two"]),
        (Source::from(&table), ["p 1", "p 2"]),
        (saved("ids.npy"), ["ü1", "long id"]),
        (saved("numbers.npy"), ["7", "-9"]),
    ] {
        let read = all_of(&saved("f4.npy"), &UnitIds { file: Some(file), column: None }).unwrap();
        assert_eq!(ids_of(&read), ids);
    }
    let column = UnitIds { file: Some(Source::from(&table)), column: Some("text".into()) };
    assert_eq!(ids_of(&all_of(&saved("f4.npy"), &column).unwrap()), ["x", "y"]);
    std::fs::write(&text, "one\n").unwrap();
    let few = UnitIds { file: Some(Source::from(&text)), column: None };
    assert!(all_of(&saved("f4.npy"), &few).unwrap_err().to_string().contains("1 ids for the 2 rows"));
    for (name, said) in [("cube.npy", "shape (2, 2, 2)"), ("two.npz", "'a', 'b'"), ("ids.npy", "shape (2)")] {
        let error = all_of(&saved(name), &UnitIds::default()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    // Only some columns, and one that is not a number.
    let wanted = [("x2".to_owned(), 0.0)];
    let some = read_features(&saved("f4.npy"), &UnitIds::default(), Wanted::These(&wanted), &Gaps::default()).unwrap();
    assert_eq!(some.table.features(), &expected.of_columns(&[2]).unwrap());
}

#[test]
fn a_row_for_each_value_is_what_a_column_for_each_feature_is() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("long.csv");
    let write = |text: &str| std::fs::write(&path, text).unwrap();
    write("unit,feature,value\nu2,b,3\nu1,a,1.5\nu3,a,0\nu2,c c,-2e1\n");
    let read = all_of(&Source::from(&path), &UnitIds::default()).unwrap().table;
    assert_eq!(read.names(), ["a", "b", "c c"]);
    assert_eq!(read.units().iter().collect::<Vec<_>>(), ["u2", "u1", "u3"]);
    let expected =
        Features::from_columns(3, &[vec![0.0, 1.5, 0.0], vec![3.0, 0.0, 0.0], vec![-20.0, 0.0, 0.0]]).unwrap();
    assert_eq!(read.features(), &expected);
    // A feature that the model knows and no unit has is zero.
    let these = [("b".to_owned(), 9.0), ("new".to_owned(), 9.0)];
    let some =
        read_features(&Source::from(&path), &UnitIds::default(), Wanted::These(&these), &Gaps::default()).unwrap();
    assert_eq!(some.table.features(), &Features::from_columns(3, &[vec![3.0, 0.0, 0.0], vec![0.0; 3]]).unwrap());
    for (text, said) in [
        ("unit,feature,value\nu1,a,1\nu1,a,2\n", "line 3: the value of 'u1' in column 'a' is given twice"),
        ("unit,feature,value\nu1,a,\n", "is missing"),
        ("unit,feature,value\nu1,a,x\n", "'x', which is not a number"),
    ] {
        write(text);
        let error = all_of(&Source::from(&path), &UnitIds::default()).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn ids_are_found_where_they_stand() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("wide.csv");
    let ids = |text: &str, column: Option<&str>| {
        std::fs::write(&path, text).unwrap();
        let read = all_of(&Source::from(&path), &UnitIds { column: column.map(str::to_owned), file: None }).unwrap();
        (
            read.table.units().iter().map(str::to_owned).collect::<Vec<_>>(),
            read.table.names().to_vec(),
            read.ids_as_named,
        )
    };
    let (a, x) = (vec!["a".to_owned()], vec!["x".to_owned()]);
    assert_eq!(ids("x,name\n1,a\n", Some("name")), (a.clone(), x.clone(), true));
    assert_eq!(ids(",x,unit\n0,1,a\n", None), (a.clone(), x.clone(), false));
    assert_eq!(ids(",x\na,1\n", Some("elsewhere")), (a.clone(), x.clone(), false));
    assert_eq!(ids("x,__index_level_0__\n1,a\n", None), (a.clone(), x.clone(), false));
    assert_eq!(ids("unit,x,__index_level_0__\na,1,17\n", None), (a.clone(), x.clone(), false));
    assert_eq!(ids("x,object\n1,a\n", None), (a, x, false));
}
