//! Parquet and Arrow files, with every way of packing and many types.

use crate::Case;
use crate::random::Random;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, DurationMillisecondArray, Float64Array,
    Int64Array, ListArray, ListViewArray, RecordBatch, RunArray, StringArray, TimestampMicrosecondArray,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};
use std::sync::Arc;

fn labels() -> RecordBatch {
    let tasks = StringArray::from_iter_values((0..60).map(|i| format!("t{}", i / 3)));
    let workers: DictionaryArray<Int32Type> = (0..60).map(|i| Some(["ann", "bob", "cy"][i % 3])).collect();
    let label = Int64Array::from_iter((0..60).map(|i| (i % 7 != 0).then_some(i % 4)));
    let time =
        TimestampMicrosecondArray::from_iter_values((0..60).map(|i| 1_700_000_000_000_000 + i)).with_timezone("UTC");
    let cost = Decimal128Array::from_iter_values((0..60).map(i128::from)).with_precision_and_scale(20, 4).unwrap();
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>((0..60).map(|i| Some(vec![Some(i)])));
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("task", Arc::new(tasks)),
        ("worker", Arc::new(workers)),
        ("label", Arc::new(label)),
        ("time", Arc::new(time)),
        ("cost", Arc::new(cost)),
        ("list", Arc::new(list)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn judgments() -> RecordBatch {
    let objects = StringArray::from_iter_values((0..40).map(|i| format!("o{}", i / 4)));
    let value = Float64Array::from_iter((0..40).map(|i| (i % 9 != 0).then_some(f64::from(i) / 3.0)));
    let yes = BooleanArray::from_iter((0..40).map(|i| Some(i % 2 == 0)));
    let day = Date32Array::from_iter_values(19_000..19_040);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("object", Arc::new(objects)), ("value", Arc::new(value)), ("yes", Arc::new(yes)), ("day", Arc::new(day))];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Types that Parquet has no pages for: runs, lists that say where they begin, spans of time.
fn runs() -> RecordBatch {
    let tasks: RunArray<Int32Type> = (0..60).map(|i| ["t0", "t1", "t2", "t3"][i / 15]).collect();
    let workers = ListArray::from_iter_primitive::<Int32Type, _, _>((0..60).map(|i| Some(vec![Some(i % 5)])));
    let label = DurationMillisecondArray::from_iter_values((0..60).map(|i| i % 3));
    let columns: Vec<(&str, ArrayRef)> =
        vec![("task", Arc::new(tasks)), ("worker", Arc::new(ListViewArray::from(workers))), ("label", Arc::new(label))];
    RecordBatch::try_from_iter(columns).unwrap()
}

pub fn all() -> Vec<Case> {
    let mut all = Vec::new();
    for (batch, in_parquet) in [(labels(), true), (judgments(), true), (runs(), false)] {
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::LZ4_RAW,
            Compression::ZSTD(Default::default()),
        ]
        .into_iter()
        .filter(|_| in_parquet)
        {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                let properties = WriterProperties::builder()
                    .set_compression(compression)
                    .set_writer_version(version)
                    .set_max_row_group_row_count(Some(25));
                let mut bytes = Vec::new();
                let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
                writer.write(&batch).unwrap();
                writer.close().unwrap();
                all.push(Case { ending: "parquet", bytes });
            }
        }
        for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
            let options = || IpcWriteOptions::default().try_with_compression(compression).unwrap();
            let mut file = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).unwrap();
            let mut stream = StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).unwrap();
            file.write(&batch).unwrap();
            stream.write(&batch).unwrap();
            all.push(Case { ending: "arrow", bytes: file.into_inner().unwrap() });
            all.push(Case { ending: "arrow", bytes: stream.into_inner().unwrap() });
        }
    }
    all
}

pub fn changed(corpus: &[Case], random: &mut Random) -> Case {
    let mut case = random.of(corpus).clone();
    // What says how long things are stands at the end of a file as a rule.
    let from = if random.once_in(2) { case.bytes.len().saturating_sub(2000) } else { 0 };
    let mut end = case.bytes.split_off(from);
    random.change_bytes(&mut end);
    case.bytes.extend(end);
    case
}
