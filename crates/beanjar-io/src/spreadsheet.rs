//! Spreadsheets: the first sheet that is not empty, read as text, and one sheet written.

use crate::exports::Held;
use crate::guard::guarded;
use crate::output_file::Output;
use crate::write::plain;
use crate::{Cell, ColumnType};
use calamine::{Data, Reader};
use std::fs::File;
use std::io::{self, BufWriter, Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The table in a spreadsheet: the first row that is not empty has the names of columns. An error says in a clause what is
/// wrong.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Held, String> {
    let bytes: std::sync::Arc<[u8]> = bytes.into();
    // What the reader of spreadsheets does not expect in a damaged file, it panics about.
    let sheets = guarded(|| {
        let mut book = calamine::open_workbook_auto_from_rs(Cursor::new(bytes)).map_err(|error| error.to_string())?;
        Ok::<_, String>(book.worksheets())
    });
    let sheets = sheets.ok_or("damaged, or no spreadsheet")?;
    let sheets = sheets.map_err(|error| format!("damaged, or no spreadsheet ({error})"))?;
    let count = sheets.len();
    let filled = sheets.into_iter().find(|(_, range)| !range.is_empty());
    let Some((name, range)) = filled else { return Err("a spreadsheet in which every sheet is empty".into()) };
    let mut rows = range.rows().map(|row| row.iter().map(text).collect::<Vec<String>>());
    let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.is_empty());
    let Some(mut names) = rows.find(filled) else { return Err("a spreadsheet without a header".into()) };
    names.iter_mut().for_each(|name| *name = name.trim().to_owned());
    let mut columns = vec![Vec::new(); names.len()];
    for row in rows.filter(filled) {
        columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
    }
    let notes = if count > 1 { vec![format!("the sheet '{name}' of {count}")] } else { Vec::new() };
    Ok(Held { names, columns, notes, ..Held::default() })
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
