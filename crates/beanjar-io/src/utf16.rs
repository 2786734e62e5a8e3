//! UTF-16 text, as Qualtrics and Excel write it, read as UTF-8.

use std::io::{self, Read};

/// Text in UTF-16, which comes out as UTF-8.
pub(crate) struct FromUtf16<R> {
    bytes: R,
    big_endian: bool,
    /// A byte and half a character that are not whole yet.
    odd: Option<u8>,
    half: Option<u16>,
    text: Vec<u8>,
    given: usize,
}

impl<R: Read> FromUtf16<R> {
    /// The text after its byte-order mark.
    pub(crate) fn new(bytes: R, big_endian: bool) -> Self {
        FromUtf16 { bytes, big_endian, odd: None, half: None, text: Vec::new(), given: 0 }
    }

    /// Whether text begins with the byte-order mark of UTF-16, and if so whether the larger byte comes first.
    pub(crate) fn marked(start: &[u8]) -> Option<bool> {
        match start {
            // Arrow streams begin with four bytes of 255.
            [0xff, 0xfe, ..] => Some(false),
            [0xfe, 0xff, ..] => Some(true),
            _ => None,
        }
    }

    /// Reads on; whether there was more.
    fn more(&mut self) -> io::Result<bool> {
        let mut raw = vec![0; 1 << 16];
        let read = self.bytes.read(&mut raw)?;
        if read == 0 {
            let whole = self.odd.is_none() && self.half.is_none();
            return if whole { Ok(false) } else { Err(wrong()) };
        }
        let raw: Vec<u8> = self.odd.take().into_iter().chain(raw[..read].iter().copied()).collect();
        let (pairs, rest) = raw.as_chunks();
        self.odd = rest.first().copied();
        let unit = |pair: &[u8; 2]| if self.big_endian { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
        let mut units: Vec<u16> = self.half.take().into_iter().chain(pairs.iter().map(unit)).collect();
        if units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) {
            self.half = units.pop();
        }
        self.text.clear();
        self.given = 0;
        for c in char::decode_utf16(units) {
            let c = c.map_err(|_| wrong())?;
            self.text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        Ok(true)
    }
}

fn wrong() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it begins as UTF-16 text and is none; save it as UTF-8")
}

impl<R: Read> Read for FromUtf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() {
            if !self.more()? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.text.len() - self.given);
        buffer[..count].copy_from_slice(&self.text[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives one byte at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn text_comes_out_whole_however_it_is_cut() {
        let text = "task\tworker\n🫘é\tx\n";
        for big_endian in [false, true] {
            let unit = |unit: u16| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            let mut whole = String::new();
            FromUtf16::new(&bytes[..], big_endian).read_to_string(&mut whole).unwrap();
            let mut drops = String::new();
            FromUtf16::new(Drops(&bytes), big_endian).read_to_string(&mut drops).unwrap();
            assert_eq!((whole.as_str(), drops.as_str()), (text, text));
            let mut cut = String::new();
            assert!(FromUtf16::new(&bytes[..bytes.len() - 1], big_endian).read_to_string(&mut cut).is_err());
        }
    }
}
