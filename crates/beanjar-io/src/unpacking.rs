//! How far a compressed file may grow, and what else can be wrong with a file that is not text.

use crate::Error;
use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a compressed file may unpack to, however small it is, unless [`set_unpack_limit`] says otherwise.
const USUAL: u64 = 1 << 30;
/// How many times its size a file may unpack to. Tables of text shrink to a tenth as a rule, and rarely to a fiftieth.
const TIMES: u64 = 100;

static LIMIT: AtomicU64 = AtomicU64::new(USUAL);

/// Sets what compressed files may unpack to in this process, in bytes; 1 GiB by default. A file may always unpack to 100
/// times its size. What would grow further is an error, and no reason to fill the memory.
pub fn set_unpack_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// What a file of this size may unpack to.
pub(crate) fn unpack_limit(size: u64) -> u64 {
    LIMIT.load(Ordering::Relaxed).max(size.saturating_mul(TIMES))
}

/// A file that unpacks to more than this many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GrowsTooLarge(pub(crate) u64);

impl fmt::Display for GrowsTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unpacks to more than {} bytes", self.0)
    }
}

impl std::error::Error for GrowsTooLarge {}

/// What is wrong with a file.
pub(crate) enum Wrong {
    /// In a clause.
    Damaged(String),
    TooLarge(GrowsTooLarge),
}

impl Wrong {
    /// The error, with the name of the file.
    pub(crate) fn with(self, file: &str) -> Error {
        match self {
            Wrong::Damaged(reason) => Error::Unreadable { file: file.into(), reason },
            Wrong::TooLarge(GrowsTooLarge(limit)) => Error::GrowsTooLarge { file: file.into(), limit },
        }
    }
}

impl From<String> for Wrong {
    fn from(reason: String) -> Wrong {
        Wrong::Damaged(reason)
    }
}

impl From<&str> for Wrong {
    fn from(reason: &str) -> Wrong {
        Wrong::Damaged(reason.into())
    }
}

impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Wrong {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<GrowsTooLarge>()) {
            Some(too_large) => Wrong::TooLarge(*too_large),
            None => Wrong::Damaged(error.to_string()),
        }
    }
}

/// An error if a file of this size unpacks to more than it may.
pub(crate) fn check_unpacked(unpacked: u64, size: u64) -> Result<(), Wrong> {
    let limit = unpack_limit(size);
    if unpacked > limit { Err(Wrong::TooLarge(GrowsTooLarge(limit))) } else { Ok(()) }
}

/// Packed bytes, counted as they are read.
pub(crate) struct Packed<R> {
    bytes: R,
    read: Arc<AtomicU64>,
}

impl<R> Packed<R> {
    pub(crate) fn new(bytes: R) -> Packed<R> {
        Packed { bytes, read: Arc::default() }
    }

    pub(crate) fn into_inner(self) -> R {
        self.bytes
    }

    /// What comes of these bytes when `unpack` unpacks them, as far as it may grow.
    pub(crate) fn unpacked<U: Read>(self, unpack: impl FnOnce(Self) -> io::Result<U>) -> io::Result<Unpacked<U>> {
        let packed = self.read.clone();
        Ok(Unpacked { bytes: unpack(self)?, packed, read: 0 })
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Bytes that have been unpacked; an error once they are too many for the packed ones.
pub(crate) struct Unpacked<U> {
    bytes: U,
    packed: Arc<AtomicU64>,
    read: u64,
}

impl<U: Read> Read for Unpacked<U> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.read += read as u64;
        let limit = unpack_limit(self.packed.load(Ordering::Relaxed));
        if self.read > limit { Err(io::Error::other(GrowsTooLarge(limit))) } else { Ok(read) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_too_far_is_an_error() {
        let unpacked = |size: u64| {
            let packed = Packed::new(&[0u8; 20][..]);
            let growing = |mut packed: Packed<&'static [u8]>| {
                io::copy(&mut packed, &mut io::sink())?;
                Ok(io::repeat(7).take(size))
            };
            io::copy(&mut packed.unpacked(growing)?, &mut io::sink())
        };
        assert_eq!(unpacked(1000).unwrap(), 1000);
        let error = unpacked(USUAL + 1).unwrap_err();
        assert_eq!(error.get_ref().unwrap().downcast_ref(), Some(&GrowsTooLarge(USUAL)));
    }
}
