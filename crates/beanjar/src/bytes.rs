//! Numbers and texts as bytes, on their way between processes.

use crate::{Error, Result};

/// Bytes that are being written.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn float(&mut self, number: f64) {
        self.number(number.to_bits());
    }

    pub(crate) fn floats(&mut self, numbers: &[f64]) {
        self.number(numbers.len() as u64);
        self.0.reserve(8 * numbers.len());
        numbers.iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
    }

    pub(crate) fn integers(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u64);
        self.0.reserve(4 * numbers.len());
        numbers.iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
    }

    pub(crate) fn shorts(&mut self, numbers: &[u16]) {
        self.number(numbers.len() as u64);
        self.0.reserve(2 * numbers.len());
        numbers.iter().for_each(|number| self.0.extend_from_slice(&number.to_le_bytes()));
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Bytes that are being read, in the order in which they were written.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes).ok_or_else(broken)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn number(&mut self) -> Result<u64> {
        let mut number = [0; 8];
        number.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(number))
    }

    /// A number that counts what is in memory.
    pub(crate) fn count(&mut self) -> Result<usize> {
        usize::try_from(self.number()?).map_err(|_| broken())
    }

    pub(crate) fn float(&mut self) -> Result<f64> {
        self.number().map(f64::from_bits)
    }

    fn many(&mut self, size: usize) -> Result<&'a [u8]> {
        let count = self.count()?;
        self.take(count.checked_mul(size).ok_or_else(broken)?)
    }

    pub(crate) fn floats(&mut self) -> Result<Vec<f64>> {
        Ok(self.many(8)?.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    pub(crate) fn integers(&mut self) -> Result<Vec<u32>> {
        Ok(self.many(4)?.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }

    pub(crate) fn shorts(&mut self) -> Result<Vec<u16>> {
        Ok(self.many(2)?.as_chunks::<2>().0.iter().map(|bytes| u16::from_le_bytes(*bytes)).collect())
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8]> {
        self.many(1)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| broken())
    }
}

/// What does not read as it was written: another version wrote it, or something was lost on the way.
pub(crate) fn broken() -> Error {
    let why = "they are not what this version of beanjar writes".to_owned();
    Error::Inconsistent { what: "bytes from another process", why }
}
