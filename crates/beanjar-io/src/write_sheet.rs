//! A spreadsheet of one sheet, written row by row.

use crate::output_file::Output;
use crate::write::plain;
use crate::{Cell, ColumnType};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A sheet in the making.
pub(crate) struct SheetWriter {
    output: Output,
    zip: ZipWriter<BufWriter<File>>,
    rows: usize,
}

/// What a sheet can hold.
const MOST_ROWS: usize = 1_048_576;

impl SheetWriter {
    pub(crate) fn new(output: Output, columns: &[(&str, ColumnType)]) -> io::Result<SheetWriter> {
        let mut zip = ZipWriter::new(BufWriter::new(output.handle()?));
        for (name, content) in PARTS {
            zip.start_file(name, SimpleFileOptions::default())?;
            zip.write_all(content.as_bytes())?;
        }
        zip.start_file("xl/worksheets/sheet1.xml", SimpleFileOptions::default().large_file(true))?;
        zip.write_all(SHEET_START.as_bytes())?;
        let mut sheet = SheetWriter { output, zip, rows: 0 };
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
