//! Spreadsheets: the first sheet that holds a table, read as text, and one sheet written.

use crate::error::shown;
use crate::exports::Held;
use crate::guard::guarded;
use crate::output_file::Output;
use crate::unpacking::{Wrong, check_unpacked, unpack_limit};
use crate::write::plain;
use crate::{Cell, ColumnType};
use calamine::{Data, Reader};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The table in a spreadsheet: the first row that is not empty has the names of columns. Columns without a single value are
/// left out. An error says in a clause what is wrong.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Held, Wrong> {
    let bytes: std::sync::Arc<[u8]> = bytes.into();
    let open_document = check_parts(&bytes)?;
    // What the reader of spreadsheets does not expect in a damaged file, it panics about.
    let sheet = guarded(|| if open_document { first_of_ods(bytes) } else { first_of_xlsx(bytes) });
    let sheet = sheet.ok_or("damaged, or no spreadsheet")?;
    let sheet = sheet.map_err(|error| format!("damaged, or no spreadsheet ({})", shown(&error)))?;
    let Some(Cells { name, count, rows }) = sheet else {
        return Err("a spreadsheet in which every sheet is empty".into());
    };
    let used: BTreeSet<u32> = rows.values().flat_map(|row| row.keys().copied()).collect();
    let mut rows = rows.into_values();
    let mut header = rows.next().unwrap_or_default();
    let mut named = |column: &u32| header.remove(column).unwrap_or_default().trim().to_owned();
    let names: Vec<String> = used.iter().map(&mut named).collect();
    let mut columns = vec![Vec::with_capacity(rows.len()); names.len()];
    for mut row in rows {
        for (column, at) in columns.iter_mut().zip(&used) {
            column.push(row.remove(at).unwrap_or_default());
        }
    }
    let notes = if count > 1 { vec![format!("the sheet '{}' of {count}", shown(&name))] } else { Vec::new() };
    Ok(Held { names, columns, notes, ..Held::default() })
}

/// The cells of a sheet that are not empty, by row and column; which sheet it is, and of how many.
struct Cells {
    name: String,
    count: usize,
    rows: BTreeMap<u32, BTreeMap<u32, String>>,
}

impl Cells {
    fn new(name: &str, count: usize) -> Cells {
        Cells { name: name.into(), count, rows: BTreeMap::new() }
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
}

/// Cell by cell, for a single stray cell far away would make a whole sheet of empty ones.
fn first_of_xlsx(bytes: std::sync::Arc<[u8]>) -> Result<Option<Cells>, String> {
    let words = |error: calamine::XlsxError| error.to_string();
    let mut book = calamine::Xlsx::new(Cursor::new(bytes)).map_err(words)?;
    let names = book.sheet_names();
    let mut first = None;
    for name in &names {
        let mut cells = Cells::new(name, names.len());
        // A sheet of charts has no cells.
        let Ok(mut reader) = book.worksheet_cells_reader(name) else { continue };
        while let Some(cell) = reader.next_cell().map_err(words)? {
            let (row, column) = cell.get_position();
            cells.put(row, column, text(&Data::from(cell.get_value().clone())));
        }
        if cells.is_table() {
            return Ok(Some(cells));
        }
        first = first.or((!cells.rows.is_empty()).then_some(cells));
    }
    Ok(first)
}

fn first_of_ods(bytes: std::sync::Arc<[u8]>) -> Result<Option<Cells>, String> {
    let mut book = calamine::Ods::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let sheets = book.worksheets();
    let count = sheets.len();
    let mut first = None;
    for (name, range) in sheets {
        let mut cells = Cells::new(&name, count);
        let (row, column) = range.start().unwrap_or_default();
        for (at, values) in range.rows().enumerate() {
            for (beside, value) in values.iter().enumerate() {
                cells.put(row + at as u32, column + beside as u32, text(value));
            }
        }
        if cells.is_table() {
            return Ok(Some(cells));
        }
        first = first.or((!cells.rows.is_empty()).then_some(cells));
    }
    Ok(first)
}

/// Unpacks every part once, to see that it is whole and does not grow too large. Whether this is an OpenDocument.
fn check_parts(bytes: &[u8]) -> Result<bool, Wrong> {
    let no_sheet = |_| "damaged, or no spreadsheet: .xlsx and .ods are read, and .xls can be saved as .xlsx";
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(no_sheet)?;
    let mut unpacked = 0;
    for part in 0..zip.len() {
        let part = zip.by_index(part).map_err(|error| format!("damaged ({error})"))?;
        let left = unpack_limit(bytes.len() as u64) - unpacked;
        unpacked +=
            io::copy(&mut part.take(left + 1), &mut io::sink()).map_err(|error| format!("damaged ({error})"))?;
        check_unpacked(unpacked, bytes.len() as u64)?;
    }
    Ok(zip.file_names().any(|name| name.is_ok_and(|name| name == "content.xml")))
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

/// A sheet in the making.
pub(crate) struct Sheet {
    output: Output,
    zip: ZipWriter<BufWriter<File>>,
    rows: usize,
}

/// What a sheet can hold.
const MOST_ROWS: usize = 1_048_576;

impl Sheet {
    pub(crate) fn new(output: Output, columns: &[(&str, ColumnType)]) -> io::Result<Sheet> {
        let mut zip = ZipWriter::new(BufWriter::new(output.handle()?));
        for (name, content) in PARTS {
            zip.start_file(name, SimpleFileOptions::default())?;
            zip.write_all(content.as_bytes())?;
        }
        zip.start_file("xl/worksheets/sheet1.xml", SimpleFileOptions::default().large_file(true))?;
        zip.write_all(SHEET_START.as_bytes())?;
        let mut sheet = Sheet { output, zip, rows: 0 };
        let header: Vec<Cell<'_>> = columns.iter().map(|(name, _)| Cell::Text(name)).collect();
        sheet.row(&header)?;
        Ok(sheet)
    }

    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        if self.rows == MOST_ROWS {
            let reason = "a spreadsheet holds at most 1,048,576 rows; write .csv or .parquet";
            return Err(io::Error::other(reason));
        }
        self.rows += 1;
        self.zip.write_all(b"<row>")?;
        for cell in cells {
            match cell {
                Cell::Number(number) => write!(self.zip, "<c><v>{}</v></c>", plain(*number))?,
                Cell::Text(text) => {
                    write!(
                        self.zip,
                        "<c t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
                        escaped(text)
                    )?;
                }
                Cell::Missing => self.zip.write_all(b"<c/>")?,
            }
        }
        self.zip.write_all(b"</row>")
    }

    pub(crate) fn finish(mut self) -> io::Result<Output> {
        self.zip.write_all(b"</sheetData></worksheet>")?;
        self.zip.finish()?.flush()?;
        Ok(self.output)
    }
}

/// A text in XML; characters that XML cannot have are written as spreadsheets write them.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| match c {
            '<' => "&lt;".chars().collect::<Vec<char>>(),
            '>' => "&gt;".chars().collect(),
            '&' => "&amp;".chars().collect(),
            '\r' => "_x000D_".chars().collect(),
            '\t' | '\n' => vec![c],
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                format!("_x{:04X}_", c as u32).chars().collect()
            }
            c => vec![c],
        })
        .collect()
}

const SHEET_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData>";

/// The parts of the file that are always the same.
const PARTS: [(&str, &str); 4] = [
    (
        "[Content_Types].xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/><Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/></Types>",
    ),
    (
        "_rels/.rels",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
    ),
    (
        "xl/workbook.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"table\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
    ),
    (
        "xl/_rels/workbook.xml.rels",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>",
    ),
];
