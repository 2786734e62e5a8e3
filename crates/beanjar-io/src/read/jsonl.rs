//! One JSON object a line.

use super::decoded_rows::{Places, Rows};
use super::delimited::check_utf8;
use super::text_pieces::Piece;
use super::wanted_columns::Wanted;
use crate::error::shown;
use crate::exports;
use crate::{Error, Place, Result};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fmt;

/// The keys of these lines, in order of first appearance.
pub(super) fn header(file: &str, piece: &Piece) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut known = HashMap::new();
    for (line, text) in lines(file, piece)? {
        each_field(file, line, text, |key, _| {
            if known.insert(key.to_owned(), ()).is_none() {
                names.push(key.to_owned());
            }
            Ok(())
        })?;
    }
    Ok(names)
}

pub(super) fn decode(file: &str, index: u32, piece: &Piece, names: &[String], wanted: &Wanted) -> Result<Rows> {
    let column: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    let mut text = String::with_capacity(piece.bytes.len());
    let mut cells: Vec<Vec<(u32, u32)>> = vec![Vec::new(); wanted.kept];
    let mut after = Vec::new();
    for (line, json) in lines(file, piece)? {
        let mut found = vec![None; wanted.kept];
        each_field(file, line, json, |key, value| {
            let Some(&column) = column.get(key) else {
                let problem = format!("the key '{}' is not in the first lines, which name the columns", shown(key));
                return if wanted.strict { Err(bad(file, line, problem)) } else { Ok(()) };
            };
            if let Some(slot) = wanted.slot(column) {
                let start = text.len() as u32;
                let wrong = |problem| bad(file, line, format!("'{}' {problem}", shown(key)));
                match value.get() {
                    "true" if wanted.is_number(slot) => text.push('1'),
                    "false" if wanted.is_number(slot) => text.push('0'),
                    raw if raw.starts_with('[') && !wanted.is_number(slot) => {
                        let list = serde_json::from_str(raw).ok().and_then(|list| exports::joined_list(&list));
                        let list = list.or_else(|| wanted.nested.then(|| raw.to_owned()));
                        text.push_str(&list.ok_or("is nested").map_err(wrong)?);
                    }
                    raw if raw.starts_with('{') && wanted.nested => text.push_str(raw),
                    _ => push_plain(&mut text, value).map_err(wrong)?,
                }
                if found[slot].replace((start, text.len() as u32)).is_some() {
                    return Err(wrong("stands twice"));
                }
            }
            Ok(())
        })?;
        for (cells, found) in cells.iter_mut().zip(found) {
            cells.push(found.unwrap_or((0, 0)));
        }
        after.push((line - piece.line) as u32);
    }
    Ok(Rows::new(index, text, cells, Places::Lines { first: piece.line, after }))
}

/// The lines as records, nested ones too.
pub(super) fn records(file: &str, piece: &Piece) -> Result<Vec<serde_json::Map<String, serde_json::Value>>> {
    let record = |(line, text)| serde_json::from_str(text).map_err(|error| bad(file, line, without_position(&error)));
    lines(file, piece)?.map(record).collect()
}

/// The first records, up to a line that is none.
pub(super) fn first_records(piece: &Piece, most: usize) -> Vec<serde_json::Map<String, serde_json::Value>> {
    let lines = piece.bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    lines.take(most).map_while(|line| serde_json::from_slice(line).ok()).collect()
}

/// The lines that are not blank, with their numbers.
fn lines<'a>(file: &str, piece: &'a Piece) -> Result<impl Iterator<Item = (u64, &'a str)>> {
    check_utf8(file, &piece.bytes, piece.offset)?;
    let text = std::str::from_utf8(&piece.bytes).unwrap_or_default();
    Ok((piece.line..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()))
}

fn bad(file: &str, line: u64, problem: String) -> Error {
    Error::BadJson { file: file.into(), place: Place::Line(line), problem }
}

/// Appends a JSON value as the text it stands for: numbers as written, null as nothing.
fn push_plain(text: &mut String, value: &RawValue) -> std::result::Result<(), &'static str> {
    match value.get() {
        "null" => Ok(()),
        raw if raw.starts_with('"') => {
            let string: std::borrow::Cow<'_, str> =
                serde_json::from_str(raw).map_err(|_| "holds text with a wrong escape")?;
            text.push_str(&string);
            Ok(())
        }
        raw if raw.starts_with(['{', '[']) => Err("is nested"),
        raw => {
            text.push_str(raw);
            Ok(())
        }
    }
}

fn each_field(file: &str, line: u64, text: &str, mut field: impl FnMut(&str, &RawValue) -> Result<()>) -> Result<()> {
    struct Fields<'f, F> {
        field: &'f mut F,
        failed: &'f mut Option<Error>,
    }
    impl<'de, F: FnMut(&str, &RawValue) -> Result<()>> Visitor<'de> for Fields<'_, F> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a JSON object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
            while let Some((key, value)) = map.next_entry::<std::borrow::Cow<'_, str>, &RawValue>()? {
                if let Err(error) = (self.field)(&key, value) {
                    self.failed.get_or_insert(error);
                }
            }
            Ok(())
        }
    }
    let mut failed = None;
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Fields { field: &mut field, failed: &mut failed })
        .and_then(|()| json.end())
        .map_err(|error| bad(file, line, without_position(&error)))?;
    failed.map_or(Ok(()), Err)
}

/// The parser counts lines from the start of ours, which would mislead.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        // It repeats what it was given, which may be any length.
        Some((problem, _)) => format!("{} at column {}", shown(problem), error.column()),
        None => shown(&text),
    }
}
