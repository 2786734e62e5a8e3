//! Spreadsheets in and out.

use super::{folder, same_as_long};

#[test]
fn spreadsheets_are_read_and_written() {
    let folder = folder();
    let run = folder.run(&["convert", "long.csv", "long.xlsx"]);
    assert_eq!(run.code, 0, "{}", run.err);
    same_as_long(&folder, "long.xlsx", "task=task, worker=worker, label=label");
    let bytes = std::fs::read(folder.path("long.xlsx")).expect("the file");
    let run = folder.run_with_input(&["convert", "-", "back.csv"], &bytes);
    assert_eq!((run.code, folder.read("back.csv")), (0, folder.read("long.csv")), "{}", run.err);
    let strange = "object,note,value\n007,\"a <b> & \"\"c\"\"\nsecond line \",0.1\n\u{e9},,-3\n";
    folder.write("strange.csv", strange);
    folder.run(&["convert", "strange.csv", "strange.xlsx"]);
    folder.run(&["convert", "strange.xlsx", "strange.back.csv"]);
    assert_eq!(folder.read("strange.back.csv"), strange);
    folder.write("no.xlsx", "this is no spreadsheet");
    assert!(folder.error(&["inspect", "no.xlsx"]).contains("no spreadsheet"));
    folder.write("data.sav", "$FL2@(#) SPSS DATA FILE");
    let error = folder.error(&["inspect", "data.sav"]);
    assert!(error.contains("SPSS") && error.contains("save the data as CSV"), "{error}");
}

/// A workbook with these sheets.
fn workbook(sheets: &[(&str, &[&[&str]])]) -> Vec<u8> {
    use std::io::Write;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut part = |name: String, text: String| {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("a part");
        zip.write_all(text.as_bytes()).expect("its text");
    };
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let package = "http://schemas.openxmlformats.org/package/2006/relationships";
    let types = "http://schemas.openxmlformats.org/package/2006/content-types";
    part(
        "[Content_Types].xml".into(),
        format!("<Types xmlns=\"{types}\"><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"),
    );
    part(
        "_rels/.rels".into(),
        format!(
            "<Relationships xmlns=\"{package}\"><Relationship Id=\"rId1\" Type=\"{office}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
        ),
    );
    let list = |each: &dyn Fn(usize, &str) -> String| -> String {
        sheets.iter().enumerate().map(|(at, (name, _))| each(at + 1, name)).collect()
    };
    let named = list(&|at, name| format!("<sheet name=\"{name}\" sheetId=\"{at}\" r:id=\"rId{at}\"/>"));
    part(
        "xl/workbook.xml".into(),
        format!("<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets>{named}</sheets></workbook>"),
    );
    let targets = list(&|at, _| {
        format!("<Relationship Id=\"rId{at}\" Type=\"{office}/worksheet\" Target=\"worksheets/sheet{at}.xml\"/>")
    });
    part("xl/_rels/workbook.xml.rels".into(), format!("<Relationships xmlns=\"{package}\">{targets}</Relationships>"));
    for (at, (_, rows)) in sheets.iter().enumerate() {
        let cell = |(column, text): (usize, &&str), row: usize| {
            let name = (b'A' + column as u8) as char;
            format!("<c r=\"{name}{}\" t=\"inlineStr\"><is><t>{text}</t></is></c>", row + 1)
        };
        let line = |(number, row): (usize, &&[&str])| {
            let cells: String = row.iter().enumerate().map(|column| cell(column, number)).collect();
            format!("<row r=\"{}\">{cells}</row>", number + 1)
        };
        let data: String = rows.iter().enumerate().map(line).collect();
        part(
            format!("xl/worksheets/sheet{}.xml", at + 1),
            format!("<worksheet xmlns=\"{main}\"><sheetData>{data}</sheetData></worksheet>"),
        );
    }
    zip.finish().expect("the workbook").into_inner()
}

#[test]
fn words_about_the_file_on_the_first_sheet_are_passed_over() {
    let folder = folder();
    let long = folder.read("long.csv");
    let rows: Vec<Vec<&str>> = long.lines().map(|line| line.split(',').collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    let words: &[&[&str]] = &[&["Annotations of May"], &["Ask Ann about them"]];
    folder.write("second.xlsx", workbook(&[("Read me", words), ("data", &rows)]));
    same_as_long(&folder, "second.xlsx", "task=task, worker=worker, label=label; the sheet 'data' of 2");
    folder.write("first.xlsx", workbook(&[("data", &rows), ("Read me", words)]));
    same_as_long(&folder, "first.xlsx", "task=task, worker=worker, label=label; the sheet 'data' of 2");
    folder.write("words.xlsx", workbook(&[("Read me", words)]));
    assert!(folder.error(&["aggregate", "words.xlsx"]).contains("found 'Annotations of May'"));
}

#[test]
fn a_title_above_the_header_of_a_sheet_is_passed_over() {
    let folder = folder();
    let long = folder.read("long.csv");
    let rows: Vec<Vec<&str>> = long.lines().map(|line| line.split(',').collect()).collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    let title: [&[&str]; 3] = [&["Results of May"], &[], &["by Ann", "and Bob"]];
    folder.write("title.xlsx", workbook(&[("data", &[&title[..], &rows[..]].concat())]));
    let line = "task=task, worker=worker, label=label; 2 rows above the header skipped";
    same_as_long(&folder, "title.xlsx", line);
}

#[test]
fn each_worker_may_have_a_sheet() {
    let folder = folder();
    let sheet = |worker: &str, title: Option<&'static str>| -> Vec<Vec<&'static str>> {
        let own = super::ANSWERS.iter().filter(|(_, other, _)| *other == worker);
        let rows = own.map(|(task, _, label)| vec![*task, *label]);
        title.map(|title| vec![title]).into_iter().chain([vec!["item", "choice"]]).chain(rows).collect()
    };
    let sheets = [("ann", sheet("ann", None)), ("bob", sheet("bob", Some("Bob's"))), ("cy", sheet("cy", None))];
    let rows: Vec<(&str, Vec<&[&str]>)> =
        sheets.iter().map(|(name, rows)| (*name, rows.iter().map(Vec::as_slice).collect())).collect();
    let mut book: Vec<(&str, &[&[&str]])> = rows.iter().map(|(name, rows)| (*name, rows.as_slice())).collect();
    let words: &[&[&str]] = &[&["Annotations of May"]];
    let sum: &[&[&str]] = &[&["worker", "labels"], &["ann", "4"]];
    let gold = book[0].1;
    book.insert(0, ("Read me", words));
    book.extend([("Summary", sum), ("gold", gold)]);
    folder.write("book.xlsx", workbook(&book));
    for command in ["inspect", "aggregate", "workers"] {
        let found = folder.json(&[command, "book.xlsx"]);
        assert_eq!(found, folder.json(&[command, "long.csv"]), "{command}");
    }
    let err = folder.run(&["inspect", "book.xlsx"]).err;
    let line = "item=task, worker=worker, choice=label; a sheet of each worker: ann, bob, cy; 1 row above the header skipped; sheets left out: Summary, gold";
    assert!(err.contains(line), "{err}");
    folder.run(&["convert", "book.xlsx", "back.csv"]);
    assert!(folder.read("back.csv").starts_with("item,choice,worker\nt1,cat,ann\n"), "{}", folder.read("back.csv"));
    // Known answers are on the first sheet, whatever the others hold.
    folder.write("truth.xlsx", workbook(&book[1..]));
    assert_eq!(folder.json(&["aggregate", "long.csv", "--truth", "truth.xlsx"])["truth"]["tasks"], 4);
    // Sheets that have nothing in common are not of workers.
    let other: &[&[&str]] = &[&["item", "choice"], &["t9", "cat"], &["t8", "dog"]];
    folder.write("months.xlsx", workbook(&[("May", gold), ("June", other)]));
    assert!(folder.error(&["aggregate", "months.xlsx"]).contains("no worker column"));
}
