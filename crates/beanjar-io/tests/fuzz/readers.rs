//! All that can read a file.

use beanjar::Context;
use beanjar_io::{
    Data, Error, Gaps, Layout, ReadOptions, Source, UnitIds, Wanted, convert, read, read_features, read_table,
};
use std::path::Path;

/// Reads a file in every way. An error is one sentence that names the file; what is read is finite.
pub fn try_file(path: &Path) {
    let source = Source::from(path);
    match read(&source, &ReadOptions::default(), &Context::new()) {
        Err(error) => check_error(path, &error),
        Ok(read) => {
            assert!(
                !read.understood.to_string().contains(['\n', '\u{1b}', '\u{202e}', '\u{2028}']),
                "{}",
                read.understood
            );
            match read.data {
                Data::Judgments(judgments) => {
                    let finite = |object: usize| judgments.of(object).values.iter().all(|value| value.is_finite());
                    assert!((0..judgments.objects.len()).all(finite));
                }
                Data::Labels(labels) => assert!(!labels.is_empty()),
                Data::Questions(questions) => assert!(!questions.is_empty()),
            }
        }
    }
    let length = path.metadata().map_or(0, |metadata| metadata.len());
    if length.is_multiple_of(4) {
        let table = read_table(&source);
        table.err().iter().for_each(|error| check_error(path, error));
    }
    if length % 4 == 1 {
        let features =
            read_features(&source, &UnitIds::default(), Wanted::AllBut(&[]), &Gaps { impute: true, ..Gaps::default() });
        features.err().iter().for_each(|error| check_error(path, error));
    }
    // It waits for the disk.
    if length % 64 == 2 {
        let to = path.with_file_name("converted.csv");
        let converted = convert(&source, &to, Layout::default(), &ReadOptions::default(), &Context::new());
        converted.err().iter().for_each(|error| check_error(path, error));
    }
}

/// Reads a file as whatever it may be.
pub fn read_any(path: &Path) -> Result<(), Error> {
    let source = Source::from(path);
    read(&source, &ReadOptions::default(), &Context::new()).map(drop)
}

pub fn check_error(path: &Path, error: &Error) {
    let text = error.to_string();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    assert!(text.contains(&name), "names no file: {text}");
    assert!(text.chars().count() < 1500, "too long: {text}");
    assert!(!text.contains(['\n', '\u{1b}', '\u{202e}', '\u{2028}', '\u{200b}']), "more than a line: {text:?}");
}
