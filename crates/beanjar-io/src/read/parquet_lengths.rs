//! Whether the lengths that a Parquet file states can be true, before anything of such a length is made.

use super::arrow_lengths::{LZ4, ZSTD};
use super::thrift::{Kind, Thrift};
use crate::unpacking::{Wrong, check_unpacked};
use parquet::arrow::ProjectionMask;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

const CONTRADICTION: &str = "damaged: its lengths contradict one another";

/// The footer: every list and text in it must end before it does. Errors are clauses.
pub(super) fn check_footer(file: &File) -> Result<(), Wrong> {
    let size = file.metadata()?.len();
    const TAIL: u64 = 8;
    let end = size.checked_sub(TAIL).ok_or("damaged, or no Parquet file: too short")?;
    let tail = at(file, end, TAIL)?;
    let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    // Other ends are for the reader to tell.
    if tail[4..] != *b"PAR1" {
        return Ok(());
    }
    let start = end.checked_sub(length).ok_or("damaged: a footer longer than the file")?;
    let bytes = at(file, start, length)?;
    Thrift::new(&bytes).fields(|_, _, _| Some(false)).ok_or_else(|| CONTRADICTION.into())
}

/// The pages of the columns that are read: what they unpack to must be possible, and within the limit. Errors are clauses.
pub(super) fn check_pages(file: &File, metadata: &ParquetMetaData, mask: &ProjectionMask) -> Result<(), Wrong> {
    let size = file.metadata()?.len();
    let mut unpacked = 0_u64;
    for group in metadata.row_groups() {
        let columns = group.columns().iter().enumerate().filter(|(leaf, _)| mask.leaf_included(*leaf));
        for (_, column) in columns {
            unpacked = unpacked.saturating_add(check_column(file, size, column)?);
            check_unpacked(unpacked, size)?;
        }
    }
    Ok(())
}

/// What a column of a row group unpacks to.
fn check_column(file: &File, size: u64, column: &ColumnChunkMetaData) -> Result<u64, Wrong> {
    // A row group without rows has no pages, wherever it says that they begin.
    if column.num_values() == 0 {
        return Ok(0);
    }
    let known = |length: i64| u64::try_from(length).map_err(|_| "damaged: a negative length");
    let data = column.data_page_offset();
    let first = column.dictionary_page_offset().filter(|offset| (1..data).contains(offset)).unwrap_or(data);
    let (start, length) = (known(first)?, known(column.compressed_size())?);
    let end = start.checked_add(length).filter(|end| *end <= size).ok_or("damaged: a column beyond its end")?;
    let most = match column.compression() {
        Compression::UNCOMPRESSED => 1,
        // A copy of 64 bytes takes three.
        Compression::SNAPPY => 32,
        Compression::GZIP(_) => 1100,
        Compression::LZ4 | Compression::LZ4_RAW => LZ4,
        _ => ZSTD,
    };
    let (mut offset, mut unpacked) = (start, 0_u64);
    while offset < end {
        let page = Page::at(file, offset, end)?;
        let (body, grown) = (known(page.packed)?, known(page.unpacked)?);
        // A few bytes may be a frame around nothing. An entry of a dictionary takes a byte at least.
        let entries = page.entries.map_or(Ok(0), known)?;
        if grown > body.saturating_mul(most).saturating_add(64) || entries > grown {
            return Err("damaged: a page that cannot unpack to the length it states".into());
        }
        unpacked = unpacked.saturating_add(grown);
        offset += page.header + body;
    }
    Ok(unpacked)
}

/// The header of a page.
struct Page {
    /// Its own length.
    header: u64,
    packed: i64,
    unpacked: i64,
    /// How many entries, of a dictionary.
    entries: Option<i64>,
}

impl Page {
    fn at(file: &File, offset: u64, end: u64) -> Result<Page, Wrong> {
        // Headers with statistics of long texts are longer than most.
        for most in [1 << 10, 1 << 24] {
            let bytes = at(file, offset, (end - offset).min(most))?;
            if let Some(page) = Page::read(&bytes) {
                return Ok(page);
            }
        }
        Err(CONTRADICTION.into())
    }

    fn read(bytes: &[u8]) -> Option<Page> {
        let mut thrift = Thrift::new(bytes);
        let (mut unpacked, mut packed, mut entries) = (None, None, None);
        thrift.fields(|thrift, number, kind| {
            match (number, kind) {
                (2, Kind::Integer) => unpacked = Some(thrift.integer()?),
                (3, Kind::Integer) => packed = Some(thrift.integer()?),
                (7, Kind::Struct) => {
                    let mut found = None;
                    thrift.fields(|thrift, number, kind| {
                        let wanted = (number, kind) == (1, Kind::Integer);
                        if wanted {
                            found = Some(thrift.integer()?);
                        }
                        Some(wanted)
                    })?;
                    entries = found;
                }
                _ => return Some(false),
            }
            Some(true)
        })?;
        let header = (bytes.len() - thrift.left()) as u64;
        Some(Page { header, packed: packed?, unpacked: unpacked?, entries })
    }
}

/// Some bytes of the file, which must be there.
fn at(mut file: &File, offset: u64, length: u64) -> Result<Vec<u8>, Wrong> {
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| CONTRADICTION)?];
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
