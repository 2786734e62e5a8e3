//! Workbooks as programs wrote them before .xlsx, made from scratch.

/// A record of this kind.
pub fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes(), &(data.len() as u16).to_le_bytes(), data].concat()
}

/// Two bytes each.
pub fn shorts(numbers: &[u16]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A cell that holds a text, or a number if it can be read as one.
pub fn cell(row: u16, column: u16, text: &str) -> Vec<u8> {
    match text.parse::<f64>() {
        Ok(number) => record(0x0203, &[shorts(&[row, column, 0]), number.to_le_bytes().to_vec()].concat()),
        Err(_) => {
            let length = text.len() as u16;
            record(0x0204, &[shorts(&[row, column, 0, length]), vec![0], text.as_bytes().to_vec()].concat())
        }
    }
}

/// The stream of a workbook with these sheets of cells.
pub fn stream(sheets: &[(&str, Vec<Vec<u8>>)]) -> Vec<u8> {
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
pub fn file(mut stream: Vec<u8>) -> Vec<u8> {
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

/// The cells of a table between commas.
pub fn sheet(text: &str) -> Vec<Vec<u8>> {
    let row = |(row, line): (usize, &str)| -> Vec<Vec<u8>> {
        line.split(',').enumerate().map(|(column, text)| cell(row as u16, column as u16, text)).collect()
    };
    text.lines().enumerate().flat_map(row).collect()
}
