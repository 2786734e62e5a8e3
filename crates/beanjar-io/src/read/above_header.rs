//! Titles, notes and blank rows above the header of a table.

use super::delimited;
use super::wide::is_annotator;
use crate::class_names::is_plain_number;
use crate::column_roles::{Role, role_of};
use beanjar::counted;
use memchr::memchr;
use std::collections::HashSet;

/// How far down a header is looked for.
pub(crate) const DEEPEST: usize = 20;

/// Whether the names of columns can be nothing else: two at least are called as columns of different roles are, and no name
/// stands twice.
pub(crate) fn is_header(names: &[&str]) -> bool {
    let named: Vec<&str> = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    let answer = |role: Role| if role == Role::Value { Role::Label } else { role };
    let mut roles: Vec<Role> = Vec::new();
    for role in named.iter().filter_map(|name| role_of(name)).map(answer) {
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    let annotators = named.iter().filter(|name| is_annotator(name)).count() > 1;
    let each_once = named.iter().collect::<HashSet<_>>().len() == named.len();
    each_once && roles.len() + usize::from(annotators && !roles.contains(&Role::Worker)) > 1
}

/// Whether names under a title may be those of a wide table: the first is called as objects are, and others follow.
fn is_wide_header(names: &[&str]) -> bool {
    let named: Vec<&str> = names.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    let each_once = named.iter().collect::<HashSet<_>>().len() == named.len();
    let are_names = named.iter().all(|name| !is_plain_number(name));
    each_once && are_names && named.len() > 2 && role_of(named[0]) == Some(Role::Object)
}

/// Which of the first rows is the header, if it is not the first, those above it have fewer cells each, and it is unmistakable;
/// below titles of one cell it may be that of a wide table.
pub(crate) fn header_of<S: AsRef<str>>(rows: &[Vec<S>]) -> Option<usize> {
    let filled = |row: &Vec<S>| row.iter().filter(|cell| !cell.as_ref().trim().is_empty()).count();
    let with = |test: fn(&[&str]) -> bool, row: &Vec<S>| test(&row.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    let is_header = |row: &Vec<S>| with(is_header, row);
    let mut most = 0;
    for (at, row) in rows.iter().take(DEEPEST).enumerate() {
        if at > 0 && filled(row) > most && (is_header(row) || most < 2 && with(is_wide_header, row)) {
            return (!rows[..at].iter().any(is_header)).then_some(at);
        }
        most = most.max(filled(row));
    }
    None
}

/// What stands above the header of a table of text.
pub(super) struct Above {
    /// All of it, in bytes.
    pub(super) bytes: usize,
    /// The rows that say something.
    pub(super) rows: usize,
}

impl Above {
    /// Says that something was passed over, if it was.
    pub(super) fn note(&self) -> Option<String> {
        note(self.rows)
    }
}

/// Says that rows were passed over, if any were.
pub(crate) fn note(rows: usize) -> Option<String> {
    (rows > 0).then(|| format!("{} above the header skipped", counted(rows, "row")))
}

/// What stands above the header at the start of a text, whose fields are between one of these delimiters; none if the first
/// line is the header.
pub(super) fn above_header(text: &[u8], delimiters: &[u8]) -> Option<Above> {
    titles(text, delimiters).or_else(|| blank_rows(text))
}

fn titles(text: &[u8], delimiters: &[u8]) -> Option<Above> {
    let of = |delimiter: u8| {
        let ends: Vec<usize> = delimited::record_ends(text, delimiter).chain([text.len()]).take(DEEPEST).collect();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let records: Vec<&[u8]> = starts.zip(&ends).map(|(start, &end)| text[start..end].trim_ascii_end()).collect();
        let cells = |record: &&[u8]| delimited::header(record, delimiter).unwrap_or_default();
        let at = header_of(&records.iter().map(cells).collect::<Vec<_>>())?;
        Some(Above { bytes: ends[at - 1], rows: records[..at].iter().filter(|record| !is_blank(record)).count() })
    };
    delimiters.iter().find_map(|&delimiter| of(delimiter))
}

/// Rows of nothing but separators name no columns.
fn blank_rows(text: &[u8]) -> Option<Above> {
    let mut bytes = 0;
    for _ in 0..DEEPEST {
        let end = bytes + memchr(b'\n', &text[bytes..])? + 1;
        if !is_blank(&text[bytes..end]) {
            break;
        }
        bytes = end;
    }
    (bytes > 0 && !is_blank(&text[bytes..])).then_some(Above { bytes, rows: 0 })
}

fn is_blank(row: &[u8]) -> bool {
    row.iter().all(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';' | b'"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(text: &str) -> Option<(usize, usize)> {
        above_header(text.as_bytes(), b",;\t").map(|above| (above.bytes, above.rows))
    }

    #[test]
    fn what_is_above_an_unmistakable_header_is_passed_over() {
        assert_eq!(skipped("Results of May\ntask,worker,label\n1,a,x\n"), Some((15, 1)));
        assert_eq!(skipped("Results, of May\n\n,,\ntask,worker,label\n"), Some((20, 1)));
        assert_eq!(skipped("\n,,\ntask,a,b\n"), Some((4, 0)));
        assert_eq!(skipped("\"by Ann,\nof May\"\ntask,ann1,ann2\n"), Some((17, 1)));
        assert_eq!(skipped("Results; of May\n\ntask\tworker\tlabel\n"), Some((17, 1)));
        assert_eq!(skipped("Results of May\n\nitem,anna,ben\n1,x,y\n"), Some((16, 1)));
    }

    #[test]
    fn a_first_row_of_names_is_the_header() {
        for text in [
            "task,worker,label\nobject,rater,rating\n",
            "a,b,c\ntask,worker,label\n",
            "object,tall\n1,2\n",
            "Results of May\nx,y\n",
            "Results of May\nitem,1,2\n",
            "Results,of May\nitem,anna,ben\n1,x,y\n",
            "Results of May\n",
            "",
            "\n\n",
            "title\ntask,task,label\n",
            "id,\"text\nof it\",worker,label\n1,2,3,4\n",
        ] {
            assert_eq!(skipped(text), None, "{text:?}");
        }
    }
}
