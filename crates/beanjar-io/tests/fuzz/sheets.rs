//! Spreadsheets: changed in the text of their parts, and in their bytes.

use crate::Case;
use crate::old_workbook;
use crate::random::Random;
use beanjar_io::{Cell, ColumnType, TableWriter};
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

pub fn all() -> Vec<Case> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.xlsx");
    let columns = [("task", ColumnType::Text), ("worker", ColumnType::Text), ("label", ColumnType::Number)];
    let mut table = TableWriter::create(&path, &columns, &[]).unwrap();
    for row in 0..12 {
        let task = format!("t{}", row / 3);
        table.row(&[Cell::Text(&task), Cell::Text(["ann", "bob", "cy"][row % 3]), Cell::Number(row as f64)]).unwrap();
    }
    table.finish().unwrap();
    let ours = std::fs::read(&path).unwrap();
    // As other programs write: cells with their places, and texts that are shared.
    let cells = "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"s\"><v>2</v></c></row>\
                 <row r=\"2\"><c r=\"A2\"><v>7</v></c><c r=\"B2\" t=\"s\"><v>3</v></c><c r=\"C2\" t=\"b\"><v>1</v></c></row>\
                 <row r=\"4\"><c r=\"A4\"><v>8.5</v></c><c r=\"B4\" t=\"s\"><v>3</v></c><c r=\"C4\" t=\"str\"><f>A1</f><v>x</v></c></row>";
    let shared = "<?xml version=\"1.0\"?><sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" count=\"4\" uniqueCount=\"4\"><si><t>task</t></si><si><t>worker</t></si><si><t>label</t></si><si><t>ann</t></si></sst>";
    let mut parts = parts(&ours);
    for (name, text) in &mut parts {
        if name.ends_with("sheet1.xml") {
            let start = text.find("<sheetData>").unwrap() + "<sheetData>".len();
            let end = text.find("</sheetData>").unwrap();
            text.replace_range(start..end, cells);
        }
        if name.ends_with("workbook.xml.rels") {
            *text = text.replace("</Relationships>", "<Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings\" Target=\"sharedStrings.xml\"/></Relationships>");
        }
    }
    parts.push(("xl/sharedStrings.xml".into(), shared.into()));
    let old = old_workbook::sheet("task,worker,label\nt1,ann,1\nt1,bob,2.5\nt2,ann,2\nt2,bob,2\n");
    let each = |label: &str| old_workbook::sheet(&format!("task,label\nt1,{label}\nt2,x\n"));
    let old = [("Read me", old_workbook::sheet("words")), ("data", old)];
    let xls = |bytes: Vec<u8>| Case { ending: "xls", bytes: old_workbook::file(bytes) };
    vec![
        Case { ending: "xlsx", bytes: ours },
        Case { ending: "xlsx", bytes: zipped(&parts) },
        xls(old_workbook::stream(&old)),
        xls(old_workbook::stream(&[("ann", each("x")), ("bob", each("y"))])),
    ]
}

fn parts(bytes: &[u8]) -> Vec<(String, String)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|part| {
            let mut part = zip.by_index(part).unwrap();
            let mut text = String::new();
            part.read_to_string(&mut text).unwrap();
            (part.name().unwrap().into_owned(), text)
        })
        .collect()
}

fn zipped(parts: &[(String, String)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub fn changed(corpus: &[Case], random: &mut Random) -> Case {
    let mut case = random.of(corpus).clone();
    if case.ending == "xls" {
        return old_changed(case, random);
    }
    if random.once_in(3) {
        random.change_bytes(&mut case.bytes);
        return case;
    }
    let mut parts = parts(&case.bytes);
    for _ in 0..1 + random.below(3) {
        let part = random.below(parts.len());
        let text = &mut parts[part].1;
        match random.below(4) {
            0 => {
                // A cell far away.
                let cell = *random.of(&["A1", "B2", "C4", "A2"]);
                let far = *random.of(&["XFD1048576", "ZZZZ99999999", "A0", "A4294967295", "1A", ""]);
                *text = text.replace(&format!("r=\"{cell}\""), &format!("r=\"{far}\""));
            }
            1 => {
                let number = random.below(6).to_string();
                *text = text.replacen(&format!("<v>{number}</v>"), &format!("<v>{}</v>", random.odd_text()), 1);
            }
            2 => {
                let kind = *random.of(&["s", "b", "e", "d", "n", "inlineStr", "str", "x"]);
                *text = text.replacen("t=\"s\"", &format!("t=\"{kind}\""), 1 + random.below(3));
            }
            _ => {
                let mut bytes = std::mem::take(text).into_bytes();
                random.change_bytes(&mut bytes);
                *text = String::from_utf8_lossy(&bytes).into_owned();
            }
        }
    }
    case.bytes = zipped(&parts);
    case
}

/// Numbers in it made larger or other ones, most of them where the file says what is where.
fn old_changed(mut case: Case, random: &mut Random) -> Case {
    for _ in 0..1 + random.below(3) {
        // Its header, the chains of sectors, its folder, and the first records.
        let at = [24 + random.below(60), 512 + random.below(60), 1024 + random.below(256), 1536 + random.below(600)];
        let (at, odd) = (*random.of(&at), *random.of(&[0u32, 1, 2, 3, 9, 0xff, 0xffff, 0xffff_fffe, 0x7fff_ffff]));
        let width = *random.of(&[1, 2, 4]);
        case.bytes[at..at + width].copy_from_slice(&odd.to_le_bytes()[..width]);
    }
    if random.once_in(4) {
        random.change_bytes(&mut case.bytes);
    }
    case
}
