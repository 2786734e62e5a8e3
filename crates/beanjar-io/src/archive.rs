//! Zip archives: one table, or the files of several annotators, each named after its annotator, as doccano writes them.

use crate::column_roles::{Role, role_of};
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
        several if several.iter().all(|(name, _)| format(name) == Some(Format::Jsonl)) => {
            Ok((Format::Jsonl, of_annotators(several)?))
        }
        several => {
            let names: Vec<&str> = several.iter().take(3).map(|(name, _)| name.as_str()).collect();
            let names = crate::error::shown(&names.join(", "));
            Err(format!("an archive of {} tables ({names}); unpack it, and name one of them", several.len()).into())
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

/// All lines of several files, with the name of the file as the annotator.
fn of_annotators(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>, Wrong> {
    let mut all = Vec::new();
    for (name, text) in files {
        let who = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::str::from_utf8(text).map_err(|_| format!("{}: not UTF-8 text", crate::error::shown(name)))?;
        for line in text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty()) {
            let mut record: Map<String, Value> =
                serde_json::from_str(line).map_err(|error| format!("{} in it: {error}", crate::error::shown(name)))?;
            if !record.keys().any(|key| role_of(key) == Some(Role::Worker)) {
                record.insert("user".into(), Value::String(who.clone()));
            }
            serde_json::to_writer(&mut all, &record).map_err(|error| error.to_string())?;
            all.push(b'\n');
        }
    }
    Ok(all)
}
