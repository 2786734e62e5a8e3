//! Which format a file has, and how to get at its bytes.

use crate::archive;
use crate::memory::{Content, Memory};
use crate::spreadsheet::XLS_SIGNATURE;
use crate::unpacking::{GrowsTooLarge, Packed};
use crate::utf16::FromUtf16;
use crate::{Error, Result};
use beanjar::Context;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// A file format, which a file's name shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values; semicolons and tabs are recognised by the header.
    Csv,
    /// Tab-separated values.
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file, also known as Feather version 2.
    Arrow,
    /// A JSON array of objects, or the JSON export of an annotation tool.
    Json,
    /// A spreadsheet: .xlsx; .xls and .ods are read as well.
    Sheet,
}

/// What a text file is wrapped in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// Nothing.
    Plain,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Format {
    /// The format and compression that a file name shows.
    pub fn of(path: &Path) -> Result<(Format, Compression)> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let (stem, compression) = match name.rsplit_once('.') {
            Some((stem, "gz")) => (stem, Compression::Gzip),
            Some((stem, "zst")) => (stem, Compression::Zstd),
            _ => (name.as_str(), Compression::Plain),
        };
        let unknown = |problem: String| Error::UnknownFormat { file: path.display().to_string(), problem };
        let format = match stem.rsplit_once('.') {
            Some((_, "csv")) => Format::Csv,
            Some((_, "tsv" | "tab")) => Format::Tsv,
            Some((_, "jsonl" | "ndjson")) => Format::Jsonl,
            Some((_, "parquet" | "pq")) => Format::Parquet,
            Some((_, "arrow" | "feather" | "ipc")) => Format::Arrow,
            Some((_, "json")) => Format::Json,
            Some((_, "xlsx" | "xlsm" | "xls" | "ods")) => Format::Sheet,
            Some((_, "xlsb" | "numbers")) => return Err(unknown("of spreadsheets, .xlsx, .xls and .ods are read; save it as one of these, or as CSV".into())),
            Some((_, "sav" | "zsav" | "por")) => return Err(unknown("SPSS files cannot be read; in SPSS, save the data as CSV, or in R: write.csv(haven::read_sav(FILE), \"FILE.csv\"), or in Python: pandas.read_spss(FILE).to_csv(\"FILE.csv\")".into())),
            Some((_, "dta" | "sas7bdat" | "rds")) => return Err(unknown("files of Stata, SAS and R cannot be read; save the data as CSV there".into())),
            Some((_, extension)) => return Err(unknown(format!("the extension .{extension} is not known"))),
            None => return Err(unknown("the name has no extension that shows the format".into())),
        };
        if !format.is_text() && compression != Compression::Plain {
            return Err(unknown("parquet, arrow and xlsx files carry their own compression".into()));
        }
        Ok((format, compression))
    }

    pub(crate) fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::Jsonl | Format::Json)
    }
}

/// Where to read from: a file, standard input, or what the calling program holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file, whose name shows its format.
    File(PathBuf),
    /// Standard input, whose first bytes show its format.
    Stdin,
    /// What the calling program holds.
    Memory(Memory),
}

impl<P: AsRef<Path>> From<P> for Source {
    /// A file of that name; `-` is standard input. Within [`with_memory`](crate::with_memory), what has that name there.
    fn from(path: P) -> Self {
        match path.as_ref() {
            path if path == Path::new("-") => Source::Stdin,
            path => Memory::named(path).map_or_else(|| Source::File(path.to_owned()), Source::Memory),
        }
    }
}

/// Whether a file is called text of some kind: what kind, its first bytes show.
fn is_some_text(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt"))
}

/// A source that has been opened: its format, and its bytes after decompression.
pub(crate) enum Opened {
    Text { format: Format, bytes: Box<dyn Read + Send> },
    Columnar { format: Format, file: File },
    Sheet { bytes: Vec<u8> },
    Table(Memory),
}

impl Source {
    /// The name to use in messages.
    pub fn name(&self) -> String {
        match self {
            Source::File(path) => path.display().to_string(),
            Source::Stdin => "standard input".into(),
            Source::Memory(memory) => memory.name().into(),
        }
    }

    pub(crate) fn unreadable(&self, error: &io::Error) -> Error {
        // The callback that hears of every byte read can stop the reading.
        if let Some(stopped) = error.get_ref().and_then(|inner| inner.downcast_ref::<beanjar::Error>()) {
            return Error::Data { file: self.name(), source: stopped.clone() };
        }
        if let Some(GrowsTooLarge(limit)) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return Error::GrowsTooLarge { file: self.name(), limit: *limit };
        }
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".into(),
            io::ErrorKind::PermissionDenied => "permission denied".into(),
            io::ErrorKind::IsADirectory => "it is a folder; name a file in it".into(),
            _ => error.to_string(),
        };
        Error::Unreadable { file: self.name(), reason }
    }

    /// The size of the file in bytes, if it is one.
    pub fn size(&self) -> Option<u64> {
        match self {
            Source::File(path) => path.metadata().ok().map(|metadata| metadata.len()),
            Source::Stdin | Source::Memory(_) => None,
        }
    }

    /// All bytes, as they are; of a table that is held there are none.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = match self {
            Source::File(path) => File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
            Source::Stdin => io::stdin().lock().read_to_end(&mut bytes),
            Source::Memory(memory) => match memory.content() {
                Content::Text(text) => return Ok(text.clone().into_bytes()),
                Content::Bytes(bytes) => return Ok(bytes.clone()),
                _ => Err(io::Error::other("this is a table, and a text is needed here")),
            },
        };
        read.map_err(|error| self.unreadable(&error))?;
        Ok(bytes)
    }

    /// Whether this is a regular file: standard input and pipes can be read only once.
    pub(crate) fn can_be_read_again(&self) -> bool {
        matches!(self, Source::File(path) if path.metadata().is_ok_and(|metadata| metadata.is_file()))
    }

    /// Opens the source. How far the reading is, in bytes before decompression, is reported to the context.
    pub(crate) fn open(&self, context: &Context) -> Result<Opened> {
        let size = self.size().filter(|size| *size > 0);
        match self {
            Source::File(path) => {
                let file = File::open(path).map_err(|error| self.unreadable(&error))?;
                if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
                    return Err(self.unreadable(&io::ErrorKind::IsADirectory.into()));
                }
                if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("zip")) {
                    let bytes = self.all(Reported::new(file, size, context))?;
                    let (format, bytes) = archive::table_in(&bytes).map_err(|wrong| wrong.with(&self.name()))?;
                    return Ok(Opened::Text { format, bytes: Box::new(io::Cursor::new(bytes)) });
                }
                let (format, compression) = match Format::of(path) {
                    // A pipe such as /dev/fd/63 has no name of its own, and .txt says nothing of what is in it.
                    Err(_) if !self.can_be_read_again() || is_some_text(path) => {
                        return self.sniff(Reported::new(file, size, context));
                    }
                    other => other?,
                };
                match format {
                    Format::Sheet => return self.whole(Reported::new(file, size, context)),
                    Format::Parquet | Format::Arrow => return Ok(Opened::Columnar { format, file }),
                    _ => {}
                }
                let bytes = self.decompress(compression, Reported::new(file, size, context))?;
                Ok(Opened::Text { format, bytes: self.in_utf8(bytes)? })
            }
            Source::Stdin => self.sniff(Reported::new(io::stdin(), size, context)),
            Source::Memory(memory) => match memory.content() {
                Content::Text(text) => self.sniff(io::Cursor::new(text.clone().into_bytes())),
                Content::Bytes(bytes) => self.sniff(io::Cursor::new(bytes.clone())),
                _ => Ok(Opened::Table(memory.clone())),
            },
        }
    }

    /// Finds compression and format by the first bytes.
    fn sniff(&self, bytes: impl Read + Send + 'static) -> Result<Opened> {
        let (start, bytes) = self.peek(bytes)?;
        let compression = match &start[..] {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            _ => Compression::Plain,
        };
        let (start, mut bytes) = self.peek(self.decompress(compression, bytes)?)?;
        let format = match &start[..] {
            [b'P', b'A', b'R', b'1', ..] => Format::Parquet,
            start if start.starts_with(b"ARROW1") || start.starts_with(&[0xff; 4]) => Format::Arrow,
            [b'P', b'K', 3, 4, ..] => return self.whole(bytes),
            start if *start == XLS_SIGNATURE => return self.whole(bytes),
            start => match start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start() {
                // An object that is spread over lines is none of several.
                [b'{', rest @ ..] if !rest.starts_with(b"\n") && !rest.starts_with(b"\r") => Format::Jsonl,
                [b'{' | b'[', ..] => Format::Json,
                _ => Format::Csv,
            },
        };
        if format.is_text() {
            return Ok(Opened::Text { format, bytes: self.in_utf8(Box::new(bytes))? });
        }
        // These formats are read from their end.
        let mut file = tempfile::tempfile().map_err(|error| self.unreadable(&error))?;
        io::copy(&mut bytes, &mut file).map_err(|error| self.unreadable(&error))?;
        Ok(Opened::Columnar { format, file })
    }

    /// Text as UTF-8, if it has the mark of UTF-16.
    fn in_utf8(&self, bytes: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
        let (start, mut bytes) = self.peek(bytes)?;
        let Some(big_endian) = FromUtf16::<io::Empty>::marked(&start) else { return Ok(Box::new(bytes)) };
        bytes.read_exact(&mut [0; 2]).map_err(|error| self.unreadable(&error))?;
        Ok(Box::new(FromUtf16::new(bytes, big_endian)))
    }

    /// All bytes of a spreadsheet.
    fn whole(&self, bytes: impl Read) -> Result<Opened> {
        Ok(Opened::Sheet { bytes: self.all(bytes)? })
    }

    fn all(&self, mut bytes: impl Read) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        bytes.read_to_end(&mut all).map_err(|error| self.unreadable(&error))?;
        Ok(all)
    }

    /// The first bytes, and all bytes, those included.
    fn peek<R: Read>(&self, mut bytes: R) -> Result<(Vec<u8>, Whole<R>)> {
        let mut start = Vec::new();
        bytes.by_ref().take(8).read_to_end(&mut start).map_err(|error| self.unreadable(&error))?;
        Ok((start.clone(), io::Cursor::new(start).chain(bytes)))
    }

    fn decompress(&self, compression: Compression, bytes: impl Read + Send + 'static) -> Result<Box<dyn Read + Send>> {
        let packed = Packed::new(bytes);
        let gzip = |packed| Ok(flate2::read::MultiGzDecoder::new(BufReader::with_capacity(1 << 16, packed)));
        let unreadable = |error| self.unreadable(&error);
        Ok(match compression {
            Compression::Plain => Box::new(packed.into_inner()),
            Compression::Gzip => Box::new(packed.unpacked(gzip).map_err(unreadable)?),
            Compression::Zstd => Box::new(packed.unpacked(zstd::Decoder::new).map_err(unreadable)?),
        })
    }
}

/// What was peeked at, and what comes after it.
type Whole<R> = io::Chain<io::Cursor<Vec<u8>>, R>;

/// Bytes whose reading is reported to the context.
struct Reported<R> {
    bytes: R,
    read: u64,
    size: Option<u64>,
    context: Context,
}

impl<R> Reported<R> {
    fn new(bytes: R, size: Option<u64>, context: &Context) -> Self {
        Reported { bytes, read: 0, size, context: context.clone() }
    }
}

impl<R: Read> Read for Reported<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read += read as u64;
        let share = self.size.map_or(0.0, |size| self.read as f64 / size as f64);
        self.context.report(READING, share).map_err(io::Error::other)?;
        Ok(read)
    }
}

/// The stage that a progress callback hears of.
pub(crate) const READING: &str = "reading";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_show_formats() {
        let of = |name: &str| Format::of(Path::new(name)).ok();
        assert_eq!(of("a.csv"), Some((Format::Csv, Compression::Plain)));
        assert_eq!(of("dir.x/A.TSV.GZ"), Some((Format::Tsv, Compression::Gzip)));
        assert_eq!(of("a.ndjson.zst"), Some((Format::Jsonl, Compression::Zstd)));
        assert_eq!(of("a.parquet"), Some((Format::Parquet, Compression::Plain)));
        assert_eq!(of("a.feather"), Some((Format::Arrow, Compression::Plain)));
        assert_eq!(of("a.json.gz"), Some((Format::Json, Compression::Gzip)));
        assert_eq!(of("a.xlsx"), Some((Format::Sheet, Compression::Plain)));
        for bad in ["a.sav", "a.xlsx.gz", "a.txt", "csv", "a.gz", "a.parquet.gz", ""] {
            assert_eq!(of(bad), None, "{bad}");
        }
    }
}
