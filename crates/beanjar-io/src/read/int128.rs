//! Whole numbers of 128 bits in Arrow files: not in the standard, and written by some programs all the same. Arrow's own
//! reader panics about them, so the file is shown to it with 16 bytes in their place.

use arrow_ipc::{Field, Int, Schema, Type};
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes of a file that are to be read as others: where, and as what.
pub(super) type Changes = Vec<(u64, Vec<u8>)>;

/// The changes that make 16 bytes of the numbers of 128 bits, and which columns those are. `offset` is that of the bytes
/// that the schema is in.
pub(super) fn changes(schema: Schema<'_>, offset: u64) -> (Changes, Vec<usize>) {
    let (mut changes, mut columns) = (Vec::new(), Vec::new());
    for (column, field) in schema.fields().into_iter().flatten().enumerate() {
        let Some(int) = field.type_as_int().filter(|int| int.bitWidth() == 128) else { continue };
        let kind = field._tab.loc() + usize::from(field._tab.vtable().get(Field::VT_TYPE_TYPE));
        let width = int._tab.loc() + usize::from(int._tab.vtable().get(Int::VT_BITWIDTH));
        changes.push((offset + kind as u64, vec![Type::FixedSizeBinary.0]));
        changes.push((offset + width as u64, 16_i32.to_le_bytes().to_vec()));
        columns.push(column);
    }
    (changes, columns)
}

/// The number that 16 bytes are.
pub(super) fn number(bytes: &[u8]) -> Option<i128> {
    bytes.try_into().ok().map(i128::from_le_bytes)
}

/// A file with some bytes changed.
pub(super) struct Changed<R> {
    file: R,
    at: u64,
    changes: Changes,
}

impl<R> Changed<R> {
    /// The file, which stands at its beginning.
    pub(super) fn new(file: R, changes: Changes) -> Changed<R> {
        Changed { file, at: 0, changes }
    }
}

impl<R: Read> Read for Changed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        for (offset, bytes) in &self.changes {
            for (at, byte) in (*offset..).zip(bytes) {
                if let Some(place) = at.checked_sub(self.at).filter(|place| *place < read as u64) {
                    buffer[place as usize] = *byte;
                }
            }
        }
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: Seek> Seek for Changed<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = self.file.seek(to)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_changed_wherever_reading_begins_and_ends() {
        let changed = || Changed::new(io::Cursor::new(*b"abcdefgh"), vec![(2, b"XY".to_vec()), (7, b"Z".to_vec())]);
        for size in 1..9 {
            let (mut file, mut all) = (changed(), Vec::new());
            let mut piece = vec![0; size];
            loop {
                let read = file.read(&mut piece).unwrap();
                if read == 0 {
                    break;
                }
                all.extend_from_slice(&piece[..read]);
            }
            assert_eq!(all, b"abXYefgZ", "{size}");
        }
        let mut file = changed();
        file.seek(SeekFrom::Start(3)).unwrap();
        let mut rest = Vec::new();
        file.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"YefgZ");
    }
}
