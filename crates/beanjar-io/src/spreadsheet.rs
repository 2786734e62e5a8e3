//! Spreadsheets: the first sheet that holds a table, or a sheet of each worker, read as text.

mod sheet_per_worker;
mod xls;

pub(crate) use xls::SIGNATURE as XLS_SIGNATURE;

use crate::column_roles::ColumnNames;
use crate::error::shown;
use crate::exports::Held;
use crate::guard::guarded;
use crate::read::above_header;
use crate::unpacking::{Wrong, check_unpacked, unpack_limit};
use crate::write::plain;
use calamine::{Data, Reader};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read};
use zip::ZipArchive;

/// The table in a spreadsheet: the first row that is not empty has the names of columns, unless it is a title above them.
/// Columns without a single value are left out. With the names that the user gave to columns, it is a table of judgments or
/// labels, and sheets of the same columns may be of one worker each. An error says in a clause what is wrong.
pub(crate) fn read(bytes: Vec<u8>, given: Option<&ColumnNames>) -> Result<Held, Wrong> {
    let bytes: std::sync::Arc<[u8]> = bytes.into();
    let kind = match bytes.starts_with(&XLS_SIGNATURE) {
        true => xls::check(&bytes).map(|()| Kind::Xls)?,
        false => check_parts(&bytes)?,
    };
    // Other sheets matter only where the first with a table is one worker's.
    let is_last = |sheet: &Sheet| {
        let is_one_workers = |given| sheet_per_worker::may_be(&sheet.names(), given);
        sheet.is_table() && !given.is_some_and(is_one_workers)
    };
    // What the reader of spreadsheets does not expect in a damaged file, it panics about.
    let book = guarded(|| match kind {
        Kind::Xlsx => sheets_of_xlsx(bytes, &is_last),
        Kind::Ods => {
            let mut book = calamine::Ods::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
            Ok(sheets_of(&mut book, &is_last))
        }
        Kind::Xls => {
            let mut book = calamine::Xls::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
            Ok(sheets_of(&mut book, &is_last))
        }
    });
    let book = book.ok_or("damaged, or no spreadsheet")?;
    let Book { sheets, count } = book.map_err(|error| format!("damaged, or no spreadsheet ({})", shown(&error)))?;
    let first = sheets.iter().position(Sheet::is_table).unwrap_or(0);
    let mut tables: Vec<(String, Held)> =
        sheets.into_iter().skip(first).filter_map(|sheet| Some((sheet.name.clone(), sheet.table()?))).collect();
    if let Some(table) = given.and_then(|given| sheet_per_worker::read(&tables, given)) {
        return Ok(table);
    }
    if tables.is_empty() {
        return Err("a spreadsheet in which every sheet is empty".into());
    }
    let (name, mut table) = tables.swap_remove(0);
    if count > 1 {
        table.notes.insert(0, format!("the sheet '{}' of {count}", shown(&name)));
    }
    Ok(table)
}

/// The program that writes such spreadsheets, and which version.
enum Kind {
    Xlsx,
    Ods,
    Xls,
}

/// The sheets of a spreadsheet that were looked at, and how many there are.
struct Book {
    sheets: Vec<Sheet>,
    count: usize,
}

/// The cells of a sheet that are not empty, by row and column.
struct Sheet {
    name: String,
    rows: BTreeMap<u32, BTreeMap<u32, String>>,
}

impl Sheet {
    fn new(name: &str) -> Sheet {
        Sheet { name: name.into(), rows: BTreeMap::new() }
    }

    /// Whether there are two columns and two rows at least, and not just a few words about the file.
    fn is_table(&self) -> bool {
        self.rows.len() > 1 && self.rows.values().any(|row| row.len() > 1)
    }

    fn put(&mut self, row: u32, column: u32, text: String) {
        if !text.is_empty() {
            self.rows.entry(row).or_default().insert(column, text);
        }
    }

    /// How many rows stand above the header.
    fn above(&self) -> usize {
        let first: Vec<Vec<&String>> =
            self.rows.values().take(above_header::DEEPEST).map(|row| row.values().collect()).collect();
        above_header::header_of(&first).unwrap_or(0)
    }

    /// The names of its columns.
    fn names(&self) -> Vec<String> {
        let header = self.rows.values().nth(self.above());
        header.into_iter().flat_map(|header| header.values()).map(|name| name.trim().to_owned()).collect()
    }

    /// The table in the sheet; none if the sheet is empty.
    fn table(self) -> Option<Held> {
        let above = self.above();
        let mut rows = self.rows.into_values().skip(above);
        let mut header = rows.next()?;
        let rows: Vec<BTreeMap<u32, String>> = rows.collect();
        let used: BTreeSet<u32> = rows.iter().chain([&header]).flat_map(|row| row.keys().copied()).collect();
        let mut named = |column: &u32| header.remove(column).unwrap_or_default().trim().to_owned();
        let names: Vec<String> = used.iter().map(&mut named).collect();
        let mut columns = vec![Vec::with_capacity(rows.len()); names.len()];
        for mut row in rows {
            for (column, at) in columns.iter_mut().zip(&used) {
                column.push(row.remove(at).unwrap_or_default());
            }
        }
        Some(Held { names, columns, notes: above_header::note(above).into_iter().collect(), ..Held::default() })
    }
}

/// Cell by cell, for a single stray cell far away would make a whole sheet of empty ones. No sheet is read after the first table,
/// if that is the last that is wanted.
fn sheets_of_xlsx(bytes: std::sync::Arc<[u8]>, is_last: &dyn Fn(&Sheet) -> bool) -> Result<Book, String> {
    let words = |error: calamine::XlsxError| error.to_string();
    let mut book = calamine::Xlsx::new(Cursor::new(bytes)).map_err(words)?;
    let names = book.sheet_names();
    let mut sheets = Vec::new();
    for name in &names {
        let mut sheet = Sheet::new(name);
        // A sheet of charts has no cells.
        let Ok(mut reader) = book.worksheet_cells_reader(name) else { continue };
        while let Some(cell) = reader.next_cell().map_err(words)? {
            let (row, column) = cell.get_position();
            sheet.put(row, column, text(&Data::from(cell.get_value().clone())));
        }
        let last = !sheets.iter().any(Sheet::is_table) && is_last(&sheet);
        sheets.push(sheet);
        if last {
            break;
        }
    }
    sheets.retain(|sheet| !sheet.rows.is_empty());
    Ok(Book { sheets, count: names.len() })
}

/// The sheets of a spreadsheet that is read as a whole.
fn sheets_of<B: Reader<Cursor<std::sync::Arc<[u8]>>>>(book: &mut B, is_last: &dyn Fn(&Sheet) -> bool) -> Book {
    let names = book.sheet_names();
    let mut sheets = Vec::new();
    for name in &names {
        let mut sheet = Sheet::new(name);
        // A sheet of charts has no cells.
        let Ok(range) = book.worksheet_range(name) else { continue };
        let (row, column) = range.start().unwrap_or_default();
        for (at, values) in range.rows().enumerate() {
            for (beside, value) in values.iter().enumerate() {
                sheet.put(row + at as u32, column + beside as u32, text(value));
            }
        }
        let last = !sheets.iter().any(Sheet::is_table) && is_last(&sheet);
        sheets.push(sheet);
        if last {
            break;
        }
    }
    sheets.retain(|sheet| !sheet.rows.is_empty());
    Book { sheets, count: names.len() }
}

/// Unpacks every part once, to see that it is whole and does not grow too large. Says what kind of spreadsheet it is.
fn check_parts(bytes: &[u8]) -> Result<Kind, Wrong> {
    // Some programs call pages and text by the names of spreadsheets.
    let is_text = || std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    let no_sheet = |_| match bytes.trim_ascii_start() {
        [b'<', ..] => "no spreadsheet but a page or XML; open it in a spreadsheet program, and save it as .xlsx or CSV",
        _ if is_text() => "no spreadsheet but text; name the file .csv or .tsv",
        _ => "damaged, or no spreadsheet: .xlsx, .xls and .ods are read",
    };
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(no_sheet)?;
    let mut unpacked = 0;
    for part in 0..zip.len() {
        let part = zip.by_index(part).map_err(|error| format!("damaged ({error})"))?;
        let left = unpack_limit(bytes.len() as u64) - unpacked;
        unpacked +=
            io::copy(&mut part.take(left + 1), &mut io::sink()).map_err(|error| format!("damaged ({error})"))?;
        check_unpacked(unpacked, bytes.len() as u64)?;
    }
    let open_document = zip.file_names().any(|name| name.is_ok_and(|name| name == "content.xml"));
    Ok(if open_document { Kind::Ods } else { Kind::Xlsx })
}

fn text(cell: &Data) -> String {
    match cell {
        Data::Int(number) => number.to_string(),
        Data::Float(number) => plain(*number),
        Data::String(text) => text.clone(),
        Data::Bool(yes) => yes.to_string(),
        Data::DateTime(moment) => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            match moment.as_f64().fract() == 0.0 {
                true => format!("{year:04}-{month:02}-{day:02}"),
                false => format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"),
            }
        }
        Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Error(_) | Data::Empty => String::new(),
    }
}
