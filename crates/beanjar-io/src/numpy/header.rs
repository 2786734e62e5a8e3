//! The header of a saved array: what its values are, and how they lie.

use crate::error::shown;
use std::io::Read;

/// The header of a saved array.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) big_endian: bool,
    /// Bytes of one value.
    pub(super) width: usize,
    /// Whether values lie column by column.
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
    /// Bytes of the header itself.
    pub(super) length: u64,
}

/// What values are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Float,
    Signed,
    Unsigned,
    Bool,
    /// Text in Latin letters, a byte each.
    Bytes,
    /// Text, four bytes a character.
    Text,
}

/// No header that NumPy writes is longer.
const LONGEST: usize = 1 << 20;

impl Header {
    /// An error says in a clause what is wrong.
    pub(super) fn read(bytes: &mut impl Read) -> Result<Header, String> {
        let mut take = |count: usize| -> Result<Vec<u8>, String> {
            let mut taken = vec![0; count];
            bytes.read_exact(&mut taken).map_err(|_| "damaged: it ends within its header".to_owned())?;
            Ok(taken)
        };
        let start = take(8)?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err("this is no array that NumPy saved".into());
        }
        let size = if start[6] == 1 { 2 } else { 4 };
        let length = take(size)?.iter().rev().fold(0usize, |sum, byte| sum * 256 + usize::from(*byte));
        if !(1..=3).contains(&start[6]) || length > LONGEST {
            return Err("its header is damaged, or of a version that is not known".into());
        }
        let text = String::from_utf8_lossy(&take(length)?).into_owned();
        let mut header = Self::parse(&text)?;
        header.length = (8 + size + length) as u64;
        Ok(header)
    }

    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Header, String> {
        let unclear = || "its header is damaged".to_owned();
        let after = |key: &str| {
            let at = text.find(&format!("'{key}'")).ok_or_else(unclear)?;
            let rest = text[at + key.len() + 2..].trim_start().strip_prefix(':').ok_or_else(unclear)?;
            Ok::<&str, String>(rest.trim_start())
        };
        let descr = after("descr")?;
        if descr.starts_with('[') {
            return Err("its rows are records of several fields; save a matrix of numbers".into());
        }
        let descr = descr.strip_prefix('\'').and_then(|rest| rest.split('\'').next()).ok_or_else(unclear)?;
        let fortran = match after("fortran_order")? {
            rest if rest.starts_with("True") => true,
            rest if rest.starts_with("False") => false,
            _ => return Err(unclear()),
        };
        let shape = after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(unclear)?.0;
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        let shape: Vec<usize> = sizes.map(|size| size.parse().map_err(|_| unclear())).collect::<Result<_, _>>()?;
        let (kind, big_endian, width) = kind_of(descr)?;
        Ok(Header { kind, big_endian, width, fortran, shape, length: 0 })
    }

    /// How many bytes the values take.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.shape.iter().try_fold(self.width as u64, |all, &size| all.checked_mul(size as u64))
    }
}

/// Reads `<f4`: the order of bytes, the kind and the width.
fn kind_of(descr: &str) -> Result<(Kind, bool, usize), String> {
    let refuse = || {
        format!("its values are of type {}; save numbers, as with numpy.save(FILE, X.astype('float32'))", shown(descr))
    };
    let (order, rest) = match descr.chars().next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, &descr[1..]),
        _ => ('<', descr),
    };
    if rest.starts_with('O') {
        return Err("it holds Python objects, which are never loaded; save numbers, as with numpy.save(FILE, X.astype('float32'))".into());
    }
    let (Some(kind), Some(width)) = (rest.chars().next(), rest.get(1..).and_then(|width| width.parse::<usize>().ok()))
    else {
        return Err(refuse());
    };
    let (kind, width) = match (kind, width) {
        ('f', 2 | 4 | 8) => (Kind::Float, width),
        ('i', 1 | 2 | 4 | 8) => (Kind::Signed, width),
        ('u', 1 | 2 | 4 | 8) => (Kind::Unsigned, width),
        ('b', 1) => (Kind::Bool, 1),
        ('S', 1..=65_536) => (Kind::Bytes, width),
        ('U', 1..=65_536) => (Kind::Text, 4 * width),
        _ => return Err(refuse()),
    };
    Ok((kind, order == '>', width))
}

impl Kind {
    pub(super) fn number(self, cell: &[u8], big_endian: bool) -> f64 {
        let bits = bits(cell, big_endian);
        match (self, cell.len()) {
            (Kind::Float, 2) => half(bits as u16),
            (Kind::Float, 4) => f64::from(f32::from_bits(bits as u32)),
            (Kind::Float, _) => f64::from_bits(bits),
            (Kind::Signed, width) => signed(bits, width) as f64,
            (Kind::Unsigned | Kind::Bool, _) => bits as f64,
            (Kind::Bytes | Kind::Text, _) => self.text(cell, big_endian).trim().parse().unwrap_or(f64::NAN),
        }
    }

    pub(super) fn text(self, cell: &[u8], big_endian: bool) -> String {
        match self {
            Kind::Bytes => String::from_utf8_lossy(cell).trim_end_matches('\0').to_owned(),
            Kind::Text => {
                let letter = |cell: &[u8]| char::from_u32(bits(cell, big_endian) as u32).unwrap_or('\u{fffd}');
                cell.chunks_exact(4).map(letter).collect::<String>().trim_end_matches('\0').to_owned()
            }
            Kind::Signed => signed(bits(cell, big_endian), cell.len()).to_string(),
            Kind::Unsigned => bits(cell, big_endian).to_string(),
            Kind::Bool => (bits(cell, big_endian) != 0).to_string(),
            Kind::Float => self.number(cell, big_endian).to_string(),
        }
    }
}

/// The bytes of a number of up to eight, the highest first.
fn bits(cell: &[u8], big_endian: bool) -> u64 {
    let fold = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
    if big_endian { cell.iter().fold(0, fold) } else { cell.iter().rev().fold(0, fold) }
}

fn signed(bits: u64, width: usize) -> i64 {
    let unused = 64 - 8 * width as u32;
    ((bits << unused) as i64) >> unused
}

/// A number of half precision: a sign, five bits of exponent, ten of fraction.
fn half(bits: u16) -> f64 {
    let (sign, exponent, fraction) = (bits >> 15, i32::from((bits >> 10) & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    if sign == 1 { -size } else { size }
}
