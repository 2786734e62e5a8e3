//! Arrays that NumPy saved: `.npy`, and several in a `.npz`.

mod header;

use crate::error::shown;
use crate::unpacking::check_unpacked;
use crate::{Error, Result, Source};
use header::{Header, Kind};
use std::fs::File;
use std::io::{BufReader, Read};
use zip::ZipArchive;

/// An array as it was saved.
#[derive(Debug)]
pub(crate) struct NumpyArray {
    /// Its name in a `.npz`.
    pub(crate) name: String,
    header: Header,
    bytes: Vec<u8>,
}

/// Whether a file's name is that of one array or of several.
pub(crate) fn is_numpy(source: &Source) -> bool {
    extension(source).is_some_and(|extension| extension == "npy" || extension == "npz")
}

fn extension(source: &Source) -> Option<String> {
    match source {
        Source::File(path) => Some(path.extension()?.to_string_lossy().to_lowercase()),
        Source::Stdin | Source::Memory(_) => None,
    }
}

/// The arrays in a file: one, or all of a `.npz`.
pub(crate) fn read_arrays(source: &Source) -> Result<Vec<NumpyArray>> {
    let bad = |problem: String| Error::NoTable { file: source.name(), problem };
    let Source::File(path) = source else { return Err(bad("arrays are read from files".into())) };
    let file = File::open(path).map_err(|error| source.unreadable(&error))?;
    let size = file.metadata().map_err(|error| source.unreadable(&error))?.len();
    if extension(source).as_deref() == Some("npy") {
        return Ok(vec![NumpyArray::read(String::new(), BufReader::new(file), size).map_err(bad)?]);
    }
    let damaged = |error: zip::result::ZipError| bad(format!("damaged, or no .npz file ({error})"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let (mut arrays, mut unpacked) = (Vec::new(), 0u64);
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.trim_end_matches(".npy").to_owned();
        let said = shown(&name);
        // Deflate makes bytes at most 1032 times fewer; what claims more is no honest file.
        if entry.size() > entry.compressed_size().saturating_mul(1032).saturating_add(1024) {
            return Err(bad(format!("damaged: the array '{said}' is said to be larger than it can be")));
        }
        let entry_size = entry.size();
        unpacked = unpacked.saturating_add(entry_size);
        check_unpacked(unpacked, size).map_err(|wrong| wrong.with(&source.name()))?;
        arrays.push(NumpyArray::read(name.clone(), entry, entry_size).map_err(|problem| match name.is_empty() {
            true => bad(problem),
            false => bad(format!("the array '{said}': {problem}")),
        })?);
    }
    Ok(arrays)
}

impl NumpyArray {
    /// Reads an array of which this many bytes are there. An error says in a clause what is wrong.
    fn read(name: String, mut bytes: impl Read, size: u64) -> std::result::Result<Self, String> {
        let header = Header::read(&mut bytes)?;
        let (needed, there) = (header.bytes().ok_or("its shape is too large")?, size.saturating_sub(header.length));
        if needed != there {
            return Err(format!("damaged: its header announces {needed} bytes of numbers, and {there} are there"));
        }
        let mut all = Vec::new();
        let damaged = |error: std::io::Error| format!("damaged ({error})");
        let read = bytes.by_ref().take(needed).read_to_end(&mut all).map_err(damaged)?;
        if read as u64 != needed {
            return Err("damaged: it ends too early".into());
        }
        // The checksum of a part of an archive is compared at its end.
        match bytes.read(&mut [0]).map_err(damaged)? {
            0 => Ok(NumpyArray { name, header, bytes: all }),
            _ => Err("damaged: it ends too late".into()),
        }
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// Whether it holds numbers, not text.
    pub(crate) fn is_numbers(&self) -> bool {
        !matches!(self.header.kind, Kind::Bytes | Kind::Text)
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        self.header.shape.iter().fold(1, |all: usize, &size| all.saturating_mul(size))
    }

    /// The value of a row and column of a matrix, or of a row of a list, as a number.
    pub(crate) fn number(&self, row: usize, column: usize) -> f64 {
        let (rows, columns) = match self.shape() {
            [rows, columns] => (*rows, *columns),
            _ => (self.len(), 1),
        };
        self.at(if self.header.fortran { column * rows + row } else { row * columns + column })
    }

    /// The value at a place, as a number.
    pub(crate) fn at(&self, at: usize) -> f64 {
        self.header.kind.number(self.cell(at), self.header.big_endian)
    }

    /// The value at a place, as text: a whole number without a point.
    pub(crate) fn text(&self, at: usize) -> String {
        self.header.kind.text(self.cell(at), self.header.big_endian)
    }

    fn cell(&self, at: usize) -> &[u8] {
        &self.bytes[at * self.header.width..(at + 1) * self.header.width]
    }
}

#[cfg(test)]
mod tests;
