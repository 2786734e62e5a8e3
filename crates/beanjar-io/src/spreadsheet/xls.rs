//! `.xls`: what such a file claims is checked before anything is made of it, for the reader of spreadsheets believes it.

use crate::unpacking::{Wrong, check_unpacked};

/// The first bytes of a file that holds files, as `.xls` is one.
pub(crate) const SIGNATURE: [u8; 8] = *b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// The end of a chain of sectors.
const END: u32 = 0xffff_fffe;
/// No sector has this number, or one above.
const RESERVED: u32 = 0xffff_fffa;
/// Streams below this size lie in small sectors of their own.
const SMALL: usize = 4096;
/// More sheets, or files within the file, are nobody's.
const MOST: usize = 4096;
/// What the reader needs for a cell: its value and its formula.
const CELL: u64 = 64;

/// An error if a chain of sectors has no end, or if the sheets would be larger than a file of this size may become.
pub(super) fn check(bytes: &[u8]) -> Result<(), Wrong> {
    let book = workbook(bytes).ok_or("damaged, or no spreadsheet")?;
    let starts: Vec<usize> = records(&book, 0)
        .take_while(|(kind, _)| *kind != 0x000a)
        .filter(|(kind, _)| *kind == 0x0085)
        .filter_map(|(_, data)| Some(number(data, 0)? as usize))
        .collect();
    if starts.len() > MOST {
        return Err("damaged, or no spreadsheet".into());
    }
    let mut cells: u64 = 0;
    for start in starts {
        cells = cells.saturating_add(cells_of(&book, start));
        check_unpacked(cells.saturating_mul(CELL), bytes.len() as u64)?;
    }
    Ok(())
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number))
}

/// The stream of the workbook; none if a chain in the file is broken or has no end.
fn workbook(bytes: &[u8]) -> Option<Vec<u8>> {
    let size = match short(bytes, 30)? {
        9 => 512,
        12 => 4096,
        _ => return None,
    };
    let sectors = Sectors { bytes: bytes.get(size..)?, size };
    // Which sectors say what follows each sector.
    let mut listed: Vec<u32> = numbers(bytes.get(76..512)?).collect();
    let mut more = number(bytes, 68)?;
    for _ in 0..=bytes.len() / size {
        if more >= RESERVED {
            break;
        }
        listed.extend(numbers(sectors.get(more)?));
        more = listed.pop()?;
    }
    let mut after = Vec::new();
    for sector in listed.into_iter().filter(|sector| *sector < RESERVED) {
        after.extend(numbers(sectors.get(sector)?));
    }
    let folder = sectors.chain(number(bytes, 48)?, &after)?;
    let entries: Vec<&[u8]> = folder.chunks_exact(128).collect();
    if entries.len() > MOST {
        return None;
    }
    let small = sectors.chain(number(entries.first()?, 116)?, &after).unwrap_or_default();
    let small = Sectors { bytes: &small, size: 64 };
    let after_small: Vec<u32> = match number(bytes, 64)? {
        0 => Vec::new(),
        _ => numbers(&sectors.chain(number(bytes, 60)?, &after)?).collect(),
    };
    let stream = |entry: &[u8]| {
        let (start, length) = (number(entry, 116)?, number(entry, 120)? as usize);
        let mut stream =
            if length < SMALL { small.chain(start, &after_small)? } else { sectors.chain(start, &after)? };
        stream.truncate(length);
        Some(stream)
    };
    let is_called = |entry: &&&[u8], name: &str| {
        let own: Vec<u16> = entry[..64].as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        let own = own.split(|unit| *unit == 0).next().unwrap_or_default();
        String::from_utf16_lossy(own).eq_ignore_ascii_case(name)
    };
    let mut named =
        ["Workbook", "Book"].into_iter().filter_map(|name| entries.iter().find(|entry| is_called(entry, name)));
    stream(named.next()?)
}

/// The sectors of a file, or of a stream in it.
struct Sectors<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl<'a> Sectors<'a> {
    /// A sector; the last may be cut short.
    fn get(&self, sector: u32) -> Option<&'a [u8]> {
        let start = (sector as usize).checked_mul(self.size)?;
        self.bytes.get(start..self.bytes.len().min(start + self.size))
    }

    /// All of a chain; none if it is broken, or comes back to where it was.
    fn chain(&self, start: u32, after: &[u32]) -> Option<Vec<u8>> {
        let mut all = Vec::new();
        let mut sector = start;
        while sector != END {
            if all.len() > self.bytes.len() {
                return None;
            }
            let found = self.get(sector).filter(|found| !found.is_empty())?;
            all.extend_from_slice(found);
            sector = *after.get(sector as usize)?;
        }
        Some(all)
    }
}

/// The records of a stream from some place on: the kind of each, and what it holds.
fn records(stream: &[u8], start: usize) -> impl Iterator<Item = (u16, &[u8])> {
    let mut at = start;
    std::iter::from_fn(move || {
        let (kind, length) = (short(stream, at)?, short(stream, at + 2)?);
        let data = stream.get(at + 4..at + 4 + usize::from(length))?;
        at += 4 + data.len();
        Some((kind, data))
    })
}

/// How many cells a sheet spans, from the first to the last, or says that it does.
fn cells_of(book: &[u8], start: usize) -> u64 {
    let (mut rows, mut columns) = ((u16::MAX, 0), (u16::MAX, 0));
    let (mut claimed, mut depth) = (0u64, 0);
    for (kind, data) in records(book, start) {
        match kind {
            0x0809 => depth += 1,
            0x000a if depth < 2 => break,
            0x000a => depth -= 1,
            // Its dimensions, in short or long numbers.
            0x0200 => {
                let short = |at: usize| short(data, at).map_or(0, u64::from);
                let long = |at: usize| number(data, at).map_or(0, u64::from);
                let (rows, columns) = match data.len() {
                    10 => ((short(0), short(2)), (short(4), short(6))),
                    _ => ((long(0), long(4)), (short(8), short(10))),
                };
                // The reader takes first columns that cannot be true for 0, and rows as they are.
                claimed = claimed.max(if rows.0 > rows.1.max(1) { u64::MAX } else { rows.1.saturating_mul(columns.1) });
            }
            // Cells: formulas, numbers, texts, truth values.
            0x0006 | 0x00bd | 0x00d6 | 0x00fd | 0x0203 | 0x0204 | 0x0205 | 0x027e => {
                let (Some(row), Some(column)) = (short(data, 0), short(data, 2)) else { continue };
                // Of several numbers in one record, the last column stands at the end.
                let last = match kind {
                    0x00bd => short(data, data.len().saturating_sub(2)).unwrap_or(column).max(column),
                    _ => column,
                };
                rows = (row.min(rows.0), row.max(rows.1));
                columns = (column.min(columns.0), last.max(columns.1));
            }
            _ => {}
        }
    }
    let span = |(first, last): (u16, u16)| if first > last { 0 } else { u64::from(last - first) + 1 };
    claimed.max(span(rows) * span(columns))
}
