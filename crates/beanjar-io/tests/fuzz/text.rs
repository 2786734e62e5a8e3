//! Changed tables of text: cells, columns, rows, separators and line ends; packed ones also where they are packed.

use crate::Case;
use crate::random::Random;
use std::io::{Read, Write};

pub fn changed(corpus: &[Case], random: &mut Random) -> Case {
    let mut case = random.of(corpus).clone();
    if random.once_in(4) {
        random.change_bytes(&mut case.bytes);
        return case;
    }
    let mut text = unpacked(&case);
    for _ in 0..1 + random.below(3) {
        change(&mut text, if case.ending.starts_with("tsv") { '\t' } else { ',' }, random);
    }
    let wide = || std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut bytes = if random.once_in(12) { wide() } else { text.into_bytes() };
    if random.once_in(8) {
        random.change_bytes(&mut bytes);
    }
    case.bytes = packed(case.ending, bytes);
    case
}

fn unpacked(case: &Case) -> String {
    let mut bytes = Vec::new();
    match case.ending {
        "csv.gz" => drop(flate2::read::GzDecoder::new(&case.bytes[..]).read_to_end(&mut bytes).unwrap()),
        "csv.zst" => bytes = zstd::decode_all(&case.bytes[..]).unwrap(),
        _ => bytes.clone_from(&case.bytes),
    }
    String::from_utf8(bytes).unwrap()
}

fn packed(ending: &str, bytes: Vec<u8>) -> Vec<u8> {
    match ending {
        "csv.gz" => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&bytes).unwrap();
            gzip.finish().unwrap()
        }
        "csv.zst" => zstd::encode_all(&bytes[..], 0).unwrap(),
        _ => bytes,
    }
}

fn change(text: &mut String, separator: char, random: &mut Random) {
    let mut rows: Vec<Vec<String>> =
        text.split('\n').map(|line| line.split(separator).map(str::to_owned).collect()).collect();
    let row = random.below(rows.len());
    let column = random.below(rows[row].len());
    match random.below(10) {
        0..=2 => rows[row][column] = random.odd_text(),
        3 => {
            // The same in a whole column.
            let text = random.odd_text();
            rows.iter_mut().skip(1).filter_map(|row| row.get_mut(column)).for_each(|cell| cell.clone_from(&text));
        }
        4 => rows.iter_mut().filter(|row| row.len() > column).for_each(|row| drop(row.remove(column))),
        5 => {
            let again = rows[row].clone();
            rows.insert(random.below(row + 1), again);
        }
        6 => {
            let names =
                ["task", "id", "worker", "user", "label", "value", "attribute", "", "swapped", "HITId", "index"];
            let name = (*random.of(&names)).to_owned();
            let at = random.below(rows[0].len());
            rows[0][at] = name;
        }
        7 => rows.iter_mut().for_each(|row| row.insert(column.min(row.len()), String::new())),
        8 => drop(rows.remove(row)),
        _ => rows[row].push(random.odd_text()),
    }
    let separator = if random.once_in(10) { *random.of(&['\t', ';', ',', '|']) } else { separator };
    let end = if random.once_in(10) { *random.of(&["\r\n", "\r", "\n\n"]) } else { "\n" };
    *text = rows.iter().map(|row| row.join(&separator.to_string())).collect::<Vec<_>>().join(end);
}
