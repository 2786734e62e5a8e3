//! Arrays that NumPy saved: changed in their headers, in their parts, and in their bytes.

use crate::Case;
use crate::random::Random;
use crate::readers::check_error;
use beanjar_io::{Gaps, Source, UnitIds, Wanted, read_features};
use std::io::{Cursor, Read, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

pub fn all() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    let ending = |path: &Path| if path.extension().is_some_and(|ending| ending == "npz") { "npz" } else { "npy" };
    paths.iter().map(|path| Case { ending: ending(path), bytes: std::fs::read(path).unwrap() }).collect()
}

pub fn changed(corpus: &[Case], random: &mut Random) -> Case {
    let mut case = random.of(corpus).clone();
    if random.once_in(4) {
        random.change_bytes(&mut case.bytes);
    } else if case.ending == "npy" {
        change_array(&mut case.bytes, random);
    } else {
        let mut parts = parts(&case.bytes);
        for _ in 0..1 + random.below(3) {
            let at = random.below(parts.len());
            match random.below(6) {
                0 => drop(parts.remove(at)),
                1 => parts[at].0 = format!("{}.npy", random.odd_text().chars().take(60_000).collect::<String>()),
                2 => {
                    let other = random.below(parts.len());
                    parts[at].1 = parts[other].1.clone();
                }
                _ => change_array(&mut parts[at].1, random),
            }
            if parts.is_empty() {
                break;
            }
        }
        case.bytes = zipped(&parts, random.once_in(2));
    }
    case
}

/// Changes what an array says of itself, or its numbers.
fn change_array(bytes: &mut Vec<u8>, random: &mut Random) {
    let length = |bytes: &[u8]| Some(usize::from(u16::from_le_bytes([*bytes.get(8)?, *bytes.get(9)?])));
    let Some(end) = length(bytes).map(|length| 10 + length).filter(|&end| end <= bytes.len()) else { return };
    if random.once_in(4) {
        let mut numbers = bytes.split_off(end);
        random.change_bytes(&mut numbers);
        bytes.extend(numbers);
        return;
    }
    let mut header = String::from_utf8_lossy(&bytes[10..end]).into_owned();
    let between = |text: &str, from: &str, to: &str| {
        let start = text.find(from)? + from.len();
        Some(start..start + text[start..].find(to)?)
    };
    match random.below(4) {
        0 => {
            let kinds =
                ["<f8", ">f8", "<f2", "|b1", ">i8", "|u1", "|S0", "<U1", "|O", "<c16", "<M8[s]", "<U99999999999", ""];
            let kind = (*random.of(&kinds)).to_owned();
            if let Some(range) = between(&header, "'descr': '", "'") {
                header.replace_range(range, &kind);
            }
        }
        1 | 2 => {
            let shapes =
                ["", "0,", "0, 2", "2, 0", "1,", "2, 2, 2", "4294967296, 4294967296", "-1, 2", "2, 2", "2,", "1, 1"];
            let shape = (*random.of(&shapes)).to_owned();
            if let Some(range) = between(&header, "'shape': (", ")") {
                header.replace_range(range, &shape);
            }
        }
        _ => {
            let odd = random.odd_text().chars().take(30_000).collect::<String>();
            let at = (0..=random.below(header.len() + 1)).rev().find(|&at| header.is_char_boundary(at)).unwrap_or(0);
            header.insert_str(at, &odd);
        }
    }
    let said = if random.once_in(8) { random.next() as u16 } else { header.len() as u16 };
    let numbers = bytes.split_off(end);
    bytes.truncate(8);
    bytes.extend(said.to_le_bytes());
    bytes.extend(header.into_bytes());
    bytes.extend(numbers);
}

fn parts(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|part| {
            let mut part = zip.by_index(part).unwrap();
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).unwrap();
            (part.name().unwrap().into_owned(), bytes)
        })
        .collect()
}

fn zipped(parts: &[(String, Vec<u8>)], packed: bool) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let method = if packed { CompressionMethod::Deflated } else { CompressionMethod::Stored };
    for (name, bytes) in parts {
        // Names that stand twice are refused by the writer.
        if zip.start_file(name.as_str(), SimpleFileOptions::default().compression_method(method)).is_ok() {
            zip.write_all(bytes).unwrap();
        }
    }
    zip.finish().unwrap().into_inner()
}

/// Reads a file as features, and as the ids of others.
pub fn try_file(path: &Path) {
    let source = Source::from(path);
    let gaps = Gaps { impute: true, ..Gaps::default() };
    let features = read_features(&source, &UnitIds::default(), Wanted::AllBut(&[]), &gaps);
    match &features {
        Err(error) => check_error(path, error),
        Ok(read) => {
            let understood = read.understood.clone().unwrap_or_default();
            assert!(!understood.contains(['\n', '\u{1b}', '\u{202e}', '\u{2028}']), "{understood:?}");
            assert!(understood.chars().count() < 1500, "too long: {understood}");
        }
    }
    let two = Source::from(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy/f4.npy").as_path());
    let ids = UnitIds { file: Some(source), column: None };
    if let Err(error) = read_features(&two, &ids, Wanted::AllBut(&[]), &gaps) {
        check_error(path, &error);
    }
}

/// Whether each can be read, as features or as ids; some are there to be refused.
pub fn read_any(path: &Path) -> bool {
    let read = |source: Source, file: Option<Source>| {
        read_features(&source, &UnitIds { file, column: None }, Wanted::AllBut(&[]), &Gaps::default()).is_ok()
    };
    let two = Source::from(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numpy/f4.npy").as_path());
    read(Source::from(path), None) || read(two, Some(Source::from(path)))
}
