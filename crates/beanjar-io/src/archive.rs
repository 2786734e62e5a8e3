//! Zip archives: one table, or the files of several annotators, each named after its annotator, as doccano writes them.

use crate::column_roles::{Role, role_of};
use crate::error::shown;
use crate::unpacking::{Wrong, check_unpacked, unpack_limit};
use crate::{Compression, Format};
use serde_json::{Map, Value};
use std::io::{Cursor, Read};
use std::path::Path;
use zip::ZipArchive;

/// The text of the table in an archive, and its format.
pub(crate) fn table_in(bytes: &[u8]) -> Result<(Format, Vec<u8>), Wrong> {
    let mut files = files(bytes)?;
    let format = |name: &str| match Format::of(Path::new(name)) {
        Ok((format, Compression::Plain)) if format.is_text() => Some(format),
        _ => None,
    };
    files.retain(|(name, _)| format(name).is_some());
    match &mut files[..] {
        [] => Err("an archive without a .csv, .tsv, .jsonl or .json file; unpack it, and name the file".into()),
        [(name, text)] => Ok((format(name).unwrap_or(Format::Csv), std::mem::take(text))),
        several => {
            let one = format(&several[0].0).filter(|one| several.iter().all(|(name, _)| format(name) == Some(*one)));
            let all = one.map(|one| of_annotators(several, one)).transpose()?.flatten();
            all.map(|all| (Format::Jsonl, all)).ok_or_else(|| {
                let names: Vec<&str> = several.iter().take(3).map(|(name, _)| name.as_str()).collect();
                let names = shown(&names.join(", "));
                format!("an archive of {} tables ({names}); unpack it, and name one of them", several.len()).into()
            })
        }
    }
}

fn files(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Wrong> {
    let damaged = |error: &dyn std::fmt::Display| format!("damaged, or no zip archive ({error})");
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let (mut files, mut unpacked) = (Vec::new(), 0);
    for number in 0..zip.len() {
        let file = zip.by_index(number).map_err(|error| damaged(&error))?;
        let name = file.name().map_err(|error| damaged(&error))?.into_owned();
        let left = unpack_limit(bytes.len() as u64) - unpacked;
        let mut text = Vec::new();
        let read = file.take(left + 1).read_to_end(&mut text);
        unpacked += read.map_err(|error| damaged(&error))? as u64;
        check_unpacked(unpacked, bytes.len() as u64)?;
        // What some systems add for themselves.
        if !name.ends_with('/') && !name.starts_with("__MACOSX") {
            files.push((name, text));
        }
    }
    Ok(files)
}

/// All records of several files, with the name of the file as the annotator; none if they are tables of other kinds, or
/// such as say who judged.
fn of_annotators(files: &[(String, Vec<u8>)], format: Format) -> Result<Option<Vec<u8>>, Wrong> {
    let is_worker = |key: &String| role_of(key) == Some(Role::Worker);
    let mut all = Vec::new();
    let mut keys: Option<Vec<String>> = None;
    for (name, text) in files {
        let who = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::str::from_utf8(text).map_err(|_| format!("{}: not UTF-8 text", shown(name)))?;
        let records = records(text.trim_start_matches('\u{feff}'), format);
        for mut record in records.map_err(|error| format!("{} in it: {error}", shown(name)))? {
            let known = keys.get_or_insert_with(|| record.keys().cloned().collect());
            let alike = known.iter().all(|key| record.contains_key(key)) && !known.iter().any(is_worker);
            if format != Format::Jsonl && !alike {
                return Ok(None);
            }
            if !record.keys().any(is_worker) {
                record.insert("user".into(), Value::String(who.clone()));
            }
            serde_json::to_writer(&mut all, &record).map_err(|error| error.to_string())?;
            all.push(b'\n');
        }
    }
    Ok(Some(all))
}

/// The records of a file.
fn records(text: &str, format: Format) -> Result<Vec<Map<String, Value>>, String> {
    let wrong = |error: serde_json::Error| error.to_string();
    match format {
        _ if text.trim().is_empty() => Ok(Vec::new()),
        Format::Jsonl => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines.map(serde_json::from_str).collect::<Result<_, _>>().map_err(wrong)
        }
        Format::Json => serde_json::from_str(text).map_err(wrong),
        _ => {
            let delimiter = if format == Format::Tsv { b'\t' } else { b',' };
            let mut rows = csv::ReaderBuilder::new().delimiter(delimiter).from_reader(text.as_bytes());
            let names = rows.headers().map_err(|error| error.to_string())?.clone();
            let record = |row: csv::Result<csv::StringRecord>| {
                let row = row.map_err(|error| error.to_string())?;
                let cells = row.iter().map(|cell| Value::String(cell.to_owned()));
                Ok(names.iter().map(str::to_owned).zip(cells).collect())
            };
            rows.records().map(record).collect()
        }
    }
}
