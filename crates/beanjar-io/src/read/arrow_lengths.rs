//! Whether the lengths that an Arrow file states can be true, before anything of such a length is made.

use super::int128::{self, Changes};
use crate::unpacking::{Wrong, check_unpacked};
use arrow_ipc::{CompressionType, Message, MessageHeader, root_as_footer, root_as_message};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// What a first pass over a file has found.
pub(super) struct Checked {
    /// Whether it is a stream, without an index at its end.
    pub(super) is_stream: bool,
    /// What must be changed for Arrow's reader, and the columns that are whole numbers of 128 bits.
    pub(super) changes: Changes,
    pub(super) int128: Vec<usize>,
}

/// An error in a clause if a length in the file contradicts its size.
pub(super) fn check(file: &File) -> Result<Checked, Wrong> {
    let size = file.metadata()?.len();
    let mut file = Sized { file, size, unpacked: 0, changes: Vec::new(), int128: Vec::new() };
    let is_stream = file.at(0, 4.min(size))? == [0xff; 4];
    if is_stream { file.check_stream() } else { file.check_file() }?;
    Ok(Checked { is_stream, changes: file.changes, int128: file.int128 })
}

struct Sized<'a> {
    file: &'a File,
    size: u64,
    /// What the batches so far unpack to.
    unpacked: u64,
    changes: Changes,
    int128: Vec<usize>,
}

/// Where a message stands, and the length of what follows it.
struct Block {
    offset: u64,
    metadata: u64,
    body: u64,
}

impl Sized<'_> {
    /// Some bytes of the file, which must be there.
    fn at(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, Wrong> {
        if offset.checked_add(length).is_none_or(|end| end > self.size) {
            let reason = format!("damaged: {length} bytes should follow byte {offset}, and it has {}", self.size);
            return Err(reason.into());
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| "damaged: a length beyond all memory")?];
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn check_file(&mut self) -> Result<(), Wrong> {
        const TAIL: u64 = 10;
        let end = self.size.checked_sub(TAIL).ok_or("damaged: too short for an Arrow file")?;
        let tail = self.at(end, TAIL)?;
        let length = i32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
        if tail[4..] != *b"ARROW1" {
            return Err("damaged, or no Arrow file: its end is not that of one".into());
        }
        let length = u64::try_from(length).map_err(|_| "damaged: an index of a negative length")?;
        let offset = end.checked_sub(length).ok_or("damaged: an index longer than the file")?;
        let bytes = self.at(offset, length)?;
        let footer = root_as_footer(&bytes).map_err(|_| "damaged: its index cannot be read")?;
        if let Some(schema) = footer.schema() {
            (self.changes, self.int128) = int128::changes(schema, offset);
        }
        let blocks = footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
        for block in blocks {
            let (offset, metadata, body) = (block.offset(), block.metaDataLength(), block.bodyLength());
            let known = |length: i64| u64::try_from(length).map_err(|_| "damaged: a negative length in its index");
            self.check_block(&Block { offset: known(offset)?, metadata: known(metadata.into())?, body: known(body)? })?;
        }
        Ok(())
    }

    fn check_stream(&mut self) -> Result<(), Wrong> {
        let mut offset = 0;
        loop {
            // Without the mark at the end, nobody can tell how many batches there were.
            if offset >= self.size {
                return Err("cut off: a stream ends with a mark, and this has none".into());
            }
            let (prefix, length) = self.prefix(offset)?;
            if length == 0 {
                return Ok(());
            }
            let bytes = self.at(offset + prefix, length)?;
            let message = message(&bytes)?;
            if let Some(schema) = message.header_as_schema() {
                (self.changes, self.int128) = int128::changes(schema, offset + prefix);
            }
            let body = message.bodyLength();
            let body = u64::try_from(body).map_err(|_| "damaged: a message of a negative length")?;
            self.check_block(&Block { offset, metadata: prefix + length, body })?;
            offset += prefix + length + body;
        }
    }

    /// How many bytes stand before a message, and how long it is.
    fn prefix(&mut self, offset: u64) -> Result<(u64, u64), Wrong> {
        let first = self.at(offset, 4)?;
        let (prefix, length) = if first == [0xff; 4] { (8, self.at(offset + 4, 4)?) } else { (4, first) };
        let length = i32::from_le_bytes([length[0], length[1], length[2], length[3]]);
        Ok((prefix, u64::try_from(length).map_err(|_| "damaged: a message of a negative length")?))
    }

    /// The metadata and the body of a message must be there, and the buffers in the body, and what they unpack to must be
    /// possible.
    fn check_block(&mut self, block: &Block) -> Result<(), Wrong> {
        let Block { offset, metadata, body } = *block;
        let begin = offset.checked_add(metadata).ok_or("damaged: a message beyond its end")?;
        let (prefix, _) = self.prefix(offset)?;
        self.at(begin, 0).and_then(|_| self.at(begin.saturating_add(body), 0))?;
        let bytes = self.at(offset + prefix, metadata.checked_sub(prefix).ok_or("damaged: an empty message")?)?;
        let message = message(&bytes)?;
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch(),
            MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
            _ => None,
        };
        let Some(batch) = batch else { return Ok(()) };
        let codec = batch.compression().map(|compression| compression.codec());
        let mut unpacked = 0_u64;
        for buffer in batch.buffers().into_iter().flatten() {
            let known = |length: i64| u64::try_from(length).map_err(|_| "damaged: a buffer of a negative length");
            let (at, length) = (known(buffer.offset())?, known(buffer.length())?);
            if at.checked_add(length).is_none_or(|end| end > body) {
                return Err("damaged: a buffer that does not fit its message".into());
            }
            let stated = match codec {
                Some(codec) if length >= 8 => self.unpacked_length(codec, begin + at, length)?,
                _ => length,
            };
            unpacked = unpacked.saturating_add(stated);
        }
        // A row of anything that we can read takes a bit at least, but for runs: a table of nothing else is no usual one.
        if u64::try_from(batch.length()).is_err() || batch.length() as u64 > unpacked.saturating_mul(8) {
            return Err("damaged: more rows than its bytes can hold".into());
        }
        self.unpacked = self.unpacked.saturating_add(if codec.is_some() { unpacked } else { 0 });
        check_unpacked(self.unpacked, self.size)
    }

    /// What a compressed buffer says that it unpacks to, if that is possible.
    fn unpacked_length(&mut self, codec: CompressionType, offset: u64, length: u64) -> Result<u64, Wrong> {
        let bytes = self.at(offset, 8)?;
        let stated =
            i64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]);
        // A buffer that would not shrink is kept as it was, and says so with -1.
        let stated =
            if stated == -1 { length } else { u64::try_from(stated).map_err(|_| "damaged: a negative length")? };
        let most = if codec == CompressionType::LZ4_FRAME { LZ4 } else { ZSTD };
        match stated <= length.saturating_mul(most) {
            true => Ok(stated),
            false => Err("damaged: a buffer that cannot unpack to the length it states".into()),
        }
    }
}

/// How many times its size a packed text can unpack to at most: a byte of LZ4 stands for 255 at most, and four of zstd for a
/// block of 128 KiB.
pub(super) const LZ4: u64 = 256;
pub(super) const ZSTD: u64 = 1 << 15;

fn message(bytes: &[u8]) -> Result<Message<'_>, Wrong> {
    root_as_message(bytes).map_err(|_| "damaged: a message cannot be read".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use arrow_ipc::writer::StreamWriter;
    use std::io::Write;
    use std::sync::Arc;

    #[test]
    fn a_stream_that_was_cut_between_batches_is_found_out() {
        let column: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
        let batch = RecordBatch::try_from_iter([("task", column)]).unwrap();
        let mut stream = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        let mut ends = Vec::new();
        for _ in 0..3 {
            stream.write(&batch).unwrap();
            ends.push(stream.get_ref().len());
        }
        let bytes = stream.into_inner().unwrap();
        let checked = |bytes: &[u8]| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(bytes).unwrap();
            check(&file).map(|checked| checked.is_stream)
        };
        assert!(checked(&bytes).is_ok_and(|is_stream| is_stream));
        for end in ends {
            assert!(checked(&bytes[..end]).is_err(), "{end} of {}", bytes.len());
        }
    }
}
