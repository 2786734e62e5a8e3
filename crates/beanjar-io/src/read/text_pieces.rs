//! Text in pieces that end where a record ends, read in order.

use super::delimited::{first_record_end, last_record_end};
use crate::{Error, Place, Result, Source};
use memchr::{memchr, memchr_iter, memrchr};
use std::io::Read;

/// Some whole records, and where in the file they stand.
#[derive(Clone)]
pub(crate) struct Piece {
    pub(super) bytes: Vec<u8>,
    pub(super) offset: u64,
    pub(super) line: u64,
}

/// A quarter of a megabyte: large enough to make the hand-over cheap, small enough that what is decoded from it stays
/// in the cache.
const PIECE: usize = 1 << 18;
/// A record longer than this is a quote that was never closed.
const LONGEST_RECORD: usize = 1 << 26;

/// Cuts text at the ends of records: lines, or with a delimiter given, lines whose quotes are closed.
pub(super) struct Cutter {
    source: Source,
    bytes: Box<dyn Read + Send>,
    delimiter: Option<u8>,
    /// How many bytes to take at a time.
    piece: usize,
    carried: Vec<u8>,
    offset: u64,
    line: u64,
    ended: bool,
}

impl Cutter {
    pub(super) fn new(source: Source, bytes: Box<dyn Read + Send>) -> Self {
        Cutter { source, bytes, delimiter: None, piece: PIECE, carried: Vec::new(), offset: 0, line: 1, ended: false }
    }

    /// The first piece of text, which stays to be read. A byte-order mark before it is dropped.
    pub(super) fn peek(&mut self) -> Result<&[u8]> {
        self.fill(self.piece)?;
        if self.carried.starts_with(b"\xef\xbb\xbf") {
            self.carried.drain(..3);
            self.offset = 3;
        }
        Ok(&self.carried)
    }

    /// Passes over the first lines of what was peeked at.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.line += memchr_iter(b'\n', &self.carried[..bytes]).count() as u64;
        self.carried.drain(..bytes);
    }

    /// From here on, fields between such delimiters may be quoted and hold line ends.
    pub(super) fn quoted_fields(&mut self, delimiter: u8) {
        self.delimiter = Some(delimiter);
    }

    pub(super) fn next(&mut self) -> Result<Option<Piece>> {
        let mut wanted = self.piece;
        let end = loop {
            self.fill(wanted)?;
            if self.ended {
                break self.carried.len();
            }
            if let Some(end) = self.record_end() {
                break end;
            }
            if self.carried.len() > LONGEST_RECORD {
                let (file, place) = (self.source.name(), Place::Line(self.line));
                return Err(match self.delimiter {
                    Some(_) => Error::OpenQuote { file, place },
                    None => Error::LongLine { file, place },
                });
            }
            wanted *= 2;
        };
        if end == 0 {
            return Ok(None);
        }
        let rest = self.carried.split_off(end);
        let bytes = std::mem::replace(&mut self.carried, rest);
        let piece = Piece { offset: self.offset, line: self.line, bytes };
        self.offset += end as u64;
        self.line += memchr_iter(b'\n', &piece.bytes).count() as u64;
        Ok(Some(piece))
    }

    fn record_end(&self) -> Option<usize> {
        match self.delimiter {
            Some(delimiter) if memchr(b'"', &self.carried).is_some() => last_record_end(&self.carried, delimiter),
            _ => memrchr(b'\n', &self.carried).map(|newline| newline + 1),
        }
    }

    fn fill(&mut self, wanted: usize) -> Result<()> {
        let lacking = wanted.saturating_sub(self.carried.len());
        if lacking == 0 || self.ended {
            return Ok(());
        }
        self.carried.reserve_exact(lacking);
        let read = self.bytes.by_ref().take(lacking as u64).read_to_end(&mut self.carried);
        self.ended = read.map_err(|error| self.source.unreadable(&error))? < lacking;
        Ok(())
    }
}

impl Piece {
    /// Takes the first record off, as the names of columns, and says in which line it was.
    pub(super) fn take_header(&mut self, file: &str, delimiter: u8) -> Result<(Vec<String>, u64)> {
        // Blank lines before it are none of it.
        let blank = self.bytes.len() - self.bytes.trim_ascii_start().len();
        let blank = memrchr(b'\n', &self.bytes[..blank]).map_or(0, |newline| newline + 1);
        self.offset += blank as u64;
        self.line += memchr_iter(b'\n', &self.bytes[..blank]).count() as u64;
        self.bytes.drain(..blank);
        let end = first_record_end(&self.bytes, delimiter);
        let rest = self.bytes.split_off(end);
        let header = std::mem::replace(&mut self.bytes, rest);
        self.offset += end as u64;
        let line = self.line;
        self.line += memchr_iter(b'\n', &header).count() as u64;
        match super::delimited::header(header.strip_suffix(b"\n").unwrap_or(&header), delimiter) {
            Some(names) => Ok((names, line)),
            None => Err(Error::OpenQuote { file: file.into(), place: Place::Line(line) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::delimited;
    use super::super::wanted_columns::Wanted;
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
    use proptest::sample::select;

    /// The rows of the text, and what is wrong with it.
    fn rows(text: &str, piece: usize) -> (Vec<Vec<String>>, Option<String>) {
        let bytes = Box::new(std::io::Cursor::new(text.to_owned().into_bytes()));
        let mut cutter = Cutter { piece, ..Cutter::new(Source::from("f.csv"), bytes) };
        cutter.quoted_fields(b',');
        let wanted = Wanted::new(2, &[0, 1], false);
        let mut found = Vec::new();
        while let Some(piece) = cutter.next().unwrap() {
            match delimited::decode("f.csv", 0, piece, b',', &wanted) {
                Err(error) => return (found, Some(error.to_string())),
                Ok(rows) => {
                    let (left, right) = (rows.column(0), rows.column(1));
                    found.extend(left.into_iter().zip(right).enumerate().map(|(row, (left, right))| {
                        vec![rows.place(row).to_string(), left.to_owned(), right.to_owned()]
                    }));
                }
            }
        }
        (found, None)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn text_is_the_same_in_any_cut(
            parts in vec(select(vec!["a", "b,c\n", "x,y\r\n", ",", "\"", "\"\"", "\"q,\n\",z\n", "\n", "é"]), 0..30),
            piece in 1..40usize,
        ) {
            let text = parts.concat();
            let (whole, problem) = rows(&text, 1 << 18);
            let (cut, cut_problem) = rows(&text, piece);
            prop_assert_eq!(&cut_problem, &problem);
            // Up to the problem, a piece of text may have been read that the whole text, which is one piece, was not.
            if problem.is_none() {
                prop_assert_eq!(cut, whole);
            }
        }
    }
}
