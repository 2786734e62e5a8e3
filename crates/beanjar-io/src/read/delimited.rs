//! Fields between delimiters, as RFC 4180 has them: a field that begins with a quote ends at the next single one,
//! may hold delimiters and line ends, and a doubled quote in it is one quote.

use super::decoded_rows::{Places, Rows};
use super::text_pieces::Piece;
use super::wanted_columns::Wanted;
use crate::{Error, Place, Result};
use memchr::{memchr, memchr_iter, memchr2};

/// One field: where it and what follows it stand.
struct Field {
    /// The content, without the quotes around it.
    start: usize,
    end: usize,
    /// Whether quotes are left within the content.
    quotes: bool,
    /// The delimiter or newline after the field, or the end of the text.
    stop: usize,
    /// Whether a quote was opened and not closed.
    open: bool,
}

fn field(bytes: &[u8], start: usize, delimiter: u8) -> Field {
    let stop_after = |at: usize| memchr2(delimiter, b'\n', &bytes[at..]).map_or(bytes.len(), |i| at + i);
    if bytes.get(start) != Some(&b'"') {
        let stop = stop_after(start);
        return Field { start, end: without_return(bytes, start, stop), quotes: false, stop, open: false };
    }
    let mut at = start + 1;
    let mut quotes = false;
    let close = loop {
        match memchr(b'"', &bytes[at..]).map(|i| at + i) {
            None => return Field { start, end: bytes.len(), quotes: true, stop: bytes.len(), open: true },
            Some(quote) if bytes.get(quote + 1) == Some(&b'"') => {
                quotes = true;
                at = quote + 2;
            }
            Some(quote) => break quote,
        }
    };
    let stop = stop_after(close + 1);
    let end = without_return(bytes, close + 1, stop);
    if end == close + 1 && !quotes {
        return Field { start: start + 1, end: close, quotes, stop, open: false };
    }
    Field { start, end, quotes: true, stop, open: false }
}

/// The end of a field without the carriage return of a line that ends in two characters.
fn without_return(bytes: &[u8], start: usize, stop: usize) -> usize {
    let ends_line = bytes.get(stop).is_none_or(|&byte| byte == b'\n');
    if ends_line && stop > start && bytes[stop - 1] == b'\r' { stop - 1 } else { stop }
}

/// The end of the last whole record, which is after its newline.
pub(super) fn last_record_end(bytes: &[u8], delimiter: u8) -> Option<usize> {
    record_ends(bytes, delimiter).last()
}

/// The end of the first record, be it whole or not.
pub(super) fn first_record_end(bytes: &[u8], delimiter: u8) -> usize {
    record_ends(bytes, delimiter).next().unwrap_or(bytes.len())
}

/// Where records end, after their newlines.
pub(super) fn record_ends(bytes: &[u8], delimiter: u8) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let stop = field(bytes, at, delimiter).stop;
            at = stop + 1;
            if bytes.get(stop) == Some(&b'\n') {
                return Some(at);
            }
        }
        None
    })
}

/// Takes the quotes out of a field in place, and says where it now ends; spaces fill the rest.
fn unquote(bytes: &mut [u8], start: usize, end: usize) -> usize {
    let (mut from, mut to, mut inside) = (start + 1, start, true);
    while from < end {
        if bytes[from] == b'"' && inside {
            from += 1;
            if from < end && bytes[from] == b'"' {
                bytes[to] = b'"';
                to += 1;
                from += 1;
            } else {
                inside = false;
            }
            continue;
        }
        bytes[to] = bytes[from];
        to += 1;
        from += 1;
    }
    bytes[to..end].fill(b' ');
    to
}

/// The fields of a header; none if a quote in it never ends.
pub(super) fn header(line: &[u8], delimiter: u8) -> Option<Vec<String>> {
    let mut line = line.to_vec();
    let mut names = Vec::new();
    let mut at = 0;
    loop {
        let field = field(&line, at, delimiter);
        if field.open {
            return None;
        }
        let end = if field.quotes { unquote(&mut line, field.start, field.end) } else { field.end };
        names.push(String::from_utf8_lossy(&line[field.start..end]).trim().to_owned());
        at = field.stop + 1;
        if field.stop >= line.len() {
            return Some(names);
        }
    }
}

pub(super) fn decode(file: &str, index: u32, piece: Piece, delimiter: u8, wanted: &Wanted) -> Result<Rows> {
    let Piece { mut bytes, offset, line: first } = piece;
    check_utf8(file, &bytes, offset)?;
    let mut cells: Vec<Vec<(u32, u32)>> = vec![Vec::new(); wanted.kept];
    let mut lines = Vec::new();
    let (mut at, mut line, mut unquoted) = (0, 0, false);
    while at < bytes.len() {
        if bytes[at] == b'\n' || bytes[at..].starts_with(b"\r\n") {
            at += if bytes[at] == b'\n' { 1 } else { 2 };
            line += 1;
            continue;
        }
        let (mut column, record_line) = (0, line);
        let place = || Place::Line(first + u64::from(record_line));
        loop {
            let field = field(&bytes, at, delimiter);
            if field.open {
                return Err(Error::OpenQuote { file: file.into(), place: place() });
            }
            if bytes[at] == b'"' {
                line += memchr_iter(b'\n', &bytes[field.start..field.end]).count() as u32;
            }
            if let Some(slot) = wanted.slot(column) {
                let mut end = field.end;
                if field.quotes {
                    end = unquote(&mut bytes, field.start, field.end);
                    unquoted = true;
                }
                cells[slot].push((field.start as u32, end as u32));
            }
            column += 1;
            at = field.stop + 1;
            if bytes.get(field.stop) != Some(&delimiter) {
                break;
            }
            if at == bytes.len() {
                // A delimiter at the very end of the file has an empty field after it.
                if let Some(slot) = wanted.slot(column) {
                    cells[slot].push((0, 0));
                }
                column += 1;
                break;
            }
        }
        if column != wanted.columns {
            let (expected, found) = (wanted.columns, column);
            return Err(Error::Ragged { file: file.into(), place: place(), expected, found });
        }
        lines.push(record_line);
        line += 1;
    }
    if unquoted {
        check_utf8(file, &bytes, offset)?;
    }
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(file, error.as_bytes(), offset))?;
    Ok(Rows::new(index, text, cells, Places::Lines { first, after: lines }))
}

pub(super) fn check_utf8(file: &str, bytes: &[u8], offset: u64) -> Result<()> {
    match std::str::from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(_) => Err(not_utf8(file, bytes, offset)),
    }
}

fn not_utf8(file: &str, bytes: &[u8], offset: u64) -> Error {
    let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    Error::NotUtf8 { file: file.into(), offset: offset + valid as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(text: &str, columns: usize) -> Result<Vec<Vec<String>>> {
        let wanted = Wanted::new(columns, &(0..columns).collect::<Vec<_>>(), false);
        let piece = Piece { bytes: text.as_bytes().to_vec(), offset: 0, line: 1 };
        let rows = decode("f.csv", 0, piece, b',', &wanted)?;
        let cell = |row: usize, column: usize| rows.column(column)[row].to_owned();
        Ok((0..rows.len()).map(|row| (0..columns).map(|column| cell(row, column)).collect()).collect())
    }

    fn theirs(text: &str) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
        // A field of nothing but space is a missing value to us.
        let ours = |field: &str| if field.trim_ascii().is_empty() { String::new() } else { field.to_owned() };
        reader.records().map(|record| record.unwrap().iter().map(ours).collect()).collect()
    }

    #[test]
    fn agrees_with_the_csv_crate_on_well_formed_text() {
        for text in [
            "a,b\nc,d\n",
            "a,b\r\nc,d",
            "\"a,1\",\"b \"\"q\"\" \"\n\"line\nend\",🫘\n",
            "a,\n,b\n",
            "\n\na,b\n\nc,d\n",
            "\"\",\"\"\n",
            "a\"b,c\n",
            "\"a\"b,c\n",
            "x,\"é\"\"é\"",
            "a,",
            "",
        ] {
            assert_eq!(ours(text, 2).unwrap(), theirs(text), "{text:?}");
        }
    }

    #[test]
    fn agrees_with_the_csv_crate_on_random_text() {
        use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
        // Any text of these parses to the same fields, or has rows of different lengths.
        let parts = ["a", "bc", ",", "\"", "\"\"", "\n", "\r\n", "é", "x "];
        let hasher = BuildHasherDefault::<DefaultHasher>::new();
        let mut agreed = 0;
        for case in 0..50_000u64 {
            let text: String =
                (0..12).map(|i| parts[(hasher.hash_one((case, i)) % parts.len() as u64) as usize]).collect();
            let theirs = theirs(&text);
            let Some(columns) = theirs.first().map(Vec::len) else { continue };
            match ours(&text, columns) {
                Ok(ours) => {
                    let blank = |rows: &Vec<Vec<String>>| {
                        rows.iter().filter(|row| row.concat() != "").cloned().collect::<Vec<_>>()
                    };
                    assert_eq!(blank(&ours), blank(&theirs), "{text:?}");
                    agreed += 1;
                }
                Err(Error::Ragged { .. }) => assert!(theirs.iter().any(|row| row.len() != columns), "{text:?}"),
                Err(Error::OpenQuote { .. }) => {}
                Err(error) => panic!("{text:?}: {error}"),
            }
        }
        assert!(agreed > 1000, "only {agreed} cases were comparable");
    }

    #[test]
    fn mistakes_are_located() {
        let error = ours("a,b\n\"x\ny\",b\nc\n", 2).unwrap_err().to_string();
        assert!(error.contains("line 4") && error.contains("1 fields"), "{error}");
        let error = ours("a,b\nc,\"d\n", 2).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
        let piece = Piece { bytes: b"a,\xff\n".to_vec(), offset: 100, line: 7 };
        let error = decode("f.csv", 0, piece, b',', &Wanted::new(2, &[0], false)).err().unwrap().to_string();
        assert!(error.contains("byte 102"), "{error}");
    }

    #[test]
    fn records_end_where_quotes_are_closed() {
        let text = b"a,b\n\"c\nd\",e\nf,\"g\nh";
        assert_eq!(last_record_end(text, b','), Some(12));
        assert_eq!(last_record_end(b"\"a\nb", b','), None);
    }
}
