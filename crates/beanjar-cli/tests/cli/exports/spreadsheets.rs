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
