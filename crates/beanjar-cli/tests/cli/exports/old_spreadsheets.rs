//! Spreadsheets of the format before .xlsx.

use super::{folder, same_as_long};

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes(), &(data.len() as u16).to_le_bytes(), data].concat()
}

/// Two bytes each.
fn shorts(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A cell that holds a text, or a number if it can be read as one.
fn cell(row: u16, column: u16, text: &str) -> Vec<u8> {
    match text.parse::<f64>() {
        Ok(number) => record(0x0203, &[shorts(&[row, column, 0]), number.to_le_bytes().to_vec()].concat()),
        Err(_) => {
            let length = text.len() as u16;
            record(0x0204, &[shorts(&[row, column, 0, length]), vec![0], text.as_bytes().to_vec()].concat())
        }
    }
}

/// The stream of a workbook with these sheets of cells.
fn stream(sheets: &[(&str, Vec<Vec<u8>>)]) -> Vec<u8> {
    let begin = |kind: u16| record(0x0809, &shorts(&[0x0600, kind, 0, 0, 0, 0, 0, 0]));
    let end = record(0x000a, &[]);
    let named = |name: &str, place: u32| {
        let name = [&[0, 0, name.len() as u8, 0], name.as_bytes()].concat();
        record(0x0085, &[&place.to_le_bytes()[..], &name].concat())
    };
    let bodies: Vec<Vec<u8>> =
        sheets.iter().map(|(_, cells)| [begin(0x0010), cells.concat(), end.clone()].concat()).collect();
    let first = begin(0x0005).len() + sheets.iter().map(|(name, _)| named(name, 0).len()).sum::<usize>() + end.len();
    let mut all = begin(0x0005);
    let mut place = first as u32;
    for ((name, _), body) in sheets.iter().zip(&bodies) {
        all.extend(named(name, place));
        place += body.len() as u32;
    }
    [all, end, bodies.concat()].concat()
}

/// The file around a stream: a header, a sector that says what follows each sector, a folder, and the stream.
fn file(mut stream: Vec<u8>) -> Vec<u8> {
    const END: u32 = 0xffff_fffe;
    let length = stream.len().max(4096);
    stream.resize(length.div_ceil(512) * 512, 0);
    let sectors = stream.len() as u32 / 512;
    assert!(sectors < 126, "one sector has room for no more");
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(24, &shorts(&[0x3e, 3, 0xfffe, 9, 6]));
    put(44, &1u32.to_le_bytes());
    put(48, &1u32.to_le_bytes());
    put(56, &4096u32.to_le_bytes());
    put(60, &END.to_le_bytes());
    put(68, &END.to_le_bytes());
    put(76, &0u32.to_le_bytes());
    put(80, &[0xff; 432]);
    let follows = (0..sectors).map(|sector| if sector + 1 < sectors { sector + 3 } else { END });
    let mut table: Vec<u8> = [0xffff_fffd, END].into_iter().chain(follows).flat_map(u32::to_le_bytes).collect();
    table.resize(512, 0xff);
    let entry = |name: &str, kind: u8, start: u32, length: u32| {
        let mut entry = vec![0; 128];
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        entry[..units.len()].copy_from_slice(&units);
        entry[64..66].copy_from_slice(&(units.len() as u16 + 2).to_le_bytes());
        entry[66] = kind;
        entry[68..80].fill(0xff);
        entry[116..120].copy_from_slice(&start.to_le_bytes());
        entry[120..124].copy_from_slice(&length.to_le_bytes());
        entry
    };
    let folder = [entry("Root Entry", 5, END, 0), entry("Workbook", 2, 2, length as u32), vec![0; 256]].concat();
    [header, table, folder, stream].concat()
}

fn sheet(text: &str) -> Vec<Vec<u8>> {
    let row = |(row, line): (usize, &str)| -> Vec<Vec<u8>> {
        line.split(',').enumerate().map(|(column, text)| cell(row as u16, column as u16, text)).collect()
    };
    text.lines().enumerate().flat_map(row).collect()
}

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
