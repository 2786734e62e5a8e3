//! Spreadsheets of the format before .xlsx.

#[path = "../../../../beanjar-io/tests/fuzz/old_workbook.rs"]
mod old_workbook;

use super::{folder, same_as_long};
use old_workbook::{cell, file, record, sheet, shorts, stream};

#[test]
fn old_spreadsheets_are_read() {
    let folder = folder();
    let book = file(stream(&[("Read me", sheet("Annotations of May")), ("data", sheet(&folder.read("long.csv")))]));
    folder.write("old.xls", &book);
    same_as_long(&folder, "old.xls", "task=task, worker=worker, label=label; the sheet 'data' of 2");
    let run = folder.run_with_input(&["convert", "-", "back.csv"], &book);
    assert_eq!((run.code, folder.read("back.csv")), (0, folder.read("long.csv")), "{}", run.err);
    folder.write("numbers.xls", file(stream(&[("a", sheet("object,worker,value\n1,w,2.5\n1,v,3\n2,w,0.1\n"))])));
    assert_eq!(folder.json(&["inspect", "numbers.xls"])["judgments"], 3);
    folder.write("page.xls", "<html><table><tr><td>task</td></tr></table></html>");
    assert!(folder.error(&["inspect", "page.xls"]).contains("page.xls: cannot be read: no spreadsheet but a page"));
    folder.write("text.xls", "task\tworker\tlabel\n");
    assert!(folder.error(&["inspect", "text.xls"]).contains("but text; name the file .csv or .tsv"));
    assert!(folder.error(&["aggregate", "old.xls", "--out", "new.xls"]).contains("results are written as"));
}

#[test]
fn old_spreadsheets_that_claim_too_much_are_one_sentence() {
    let folder = folder();
    let good = file(stream(&[("data", sheet(&folder.read("long.csv")))]));
    // A folder without an end.
    let mut endless = good.clone();
    endless[512 + 4..512 + 8].copy_from_slice(&1u32.to_le_bytes());
    folder.write("endless.xls", &endless);
    assert!(folder.error(&["inspect", "endless.xls"]).contains("endless.xls: cannot be read: damaged"));
    // A stream without an end.
    let mut circle = good.clone();
    circle[512 + 12..512 + 16].copy_from_slice(&2u32.to_le_bytes());
    folder.write("circle.xls", &circle);
    assert!(folder.error(&["inspect", "circle.xls"]).contains("circle.xls: cannot be read: damaged"));
    // A cell in the last corner of a sheet, and sheets that say they are as large.
    let far = [cell(0, 0, "task"), cell(65_535, 65_535, "x")].to_vec();
    let claims = [record(0x0200, &shorts(&[0, 0, 0xffff, 0xffff, 0, 0xffff, 0])), cell(0, 0, "task")].to_vec();
    for cells in [far, claims] {
        folder.write("far.xls", file(stream(&[("data", cells)])));
        let error = folder.error(&["inspect", "far.xls"]);
        assert!(error.contains("far.xls: it unpacks to more than") && error.contains("--unpack-limit"), "{error}");
    }
    // Any wrong byte is one sentence or none.
    for at in (0..good.len()).step_by(37) {
        let mut damaged = good.clone();
        damaged[at] ^= 0x15;
        folder.write("damaged.xls", &damaged);
        let run = folder.run(&["inspect", "damaged.xls", "--quiet", "--format", "json"]);
        let said = run.err.starts_with("error: ") && run.err.lines().count() == 1;
        assert!(run.code == 0 || run.code == 2 && said, "byte {at}: exit {}: {}", run.code, run.err);
    }
}
