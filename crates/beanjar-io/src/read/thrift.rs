//! The headers of Parquet files, as far as their lengths go: Thrift's compact protocol, walked before anything is made of it.

/// Bytes that are yet to be read. Every method returns none where they contradict themselves.
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
}

/// What a field or an element is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// True or false: in the field's own header, or a byte in a list.
    Bool,
    Byte,
    Integer,
    Double,
    Binary,
    List,
    Map,
    Struct,
}

/// Deeper than any header of Parquet.
const DEEPEST: usize = 32;

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Thrift { bytes }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Reads a struct field by field. `field` hears of each, by its number, and reads it if it returns true.
    pub(super) fn fields(&mut self, mut field: impl FnMut(&mut Self, i16, Kind) -> Option<bool>) -> Option<()> {
        self.fields_at(0, &mut field)
    }

    fn fields_at(&mut self, depth: usize, field: &mut dyn FnMut(&mut Self, i16, Kind) -> Option<bool>) -> Option<()> {
        let mut number = 0_i16;
        loop {
            let header = self.byte()?;
            if header == 0 {
                return Some(());
            }
            number = match header >> 4 {
                0 => i16::try_from(self.integer()?).ok()?,
                step => number.checked_add(i16::from(step))?,
            };
            let kind = Kind::of(header & 15)?;
            if !field(self, number, kind)? && kind != Kind::Bool {
                self.skip(kind, depth)?;
            }
        }
    }

    /// A whole number, zigzag-coded.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let coded = self.varint()?;
        Some((coded >> 1) as i64 ^ -((coded & 1) as i64))
    }

    fn skip(&mut self, kind: Kind, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            Kind::Bool | Kind::Byte => self.byte().map(drop),
            Kind::Integer => self.varint().map(drop),
            Kind::Double => self.take(8),
            Kind::Binary => {
                let length = usize::try_from(self.varint()?).ok()?;
                self.take(length)
            }
            Kind::List => {
                let header = self.byte()?;
                let size = if header >> 4 == 15 { self.varint()? } else { u64::from(header >> 4) };
                self.each(size, Kind::of(header & 15)?, depth)
            }
            Kind::Map => {
                let size = self.varint()?;
                if size == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                let (key, value) = (Kind::of(kinds >> 4)?, Kind::of(kinds & 15)?);
                self.fits(size)?;
                (0..size).try_for_each(|_| self.skip(key, depth + 1).and_then(|()| self.skip(value, depth + 1)))
            }
            Kind::Struct => self.fields_at(depth + 1, &mut |_, _, _| Some(false)),
        }
    }

    fn each(&mut self, size: u64, kind: Kind, depth: usize) -> Option<()> {
        self.fits(size)?;
        (0..size).try_for_each(|_| self.skip(kind, depth + 1))
    }

    /// Whether this many elements can be there: each takes a byte at least.
    fn fits(&self, size: u64) -> Option<()> {
        (size <= self.bytes.len() as u64).then_some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> Option<()> {
        self.bytes = self.bytes.get(length..)?;
        Some(())
    }
}

impl Kind {
    fn of(code: u8) -> Option<Kind> {
        Some(match code {
            1 | 2 => Kind::Bool,
            3 => Kind::Byte,
            4..=6 => Kind::Integer,
            7 => Kind::Double,
            8 => Kind::Binary,
            9 | 10 => Kind::List,
            11 => Kind::Map,
            12 => Kind::Struct,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_and_others_skipped() {
        // 1: i32 -3; 2: binary "ab"; 4: list of two i32; 5: struct { 1: true }; 7: i64 200.
        let bytes = [0x15, 5, 0x18, 2, b'a', b'b', 0x29, 0x25, 2, 4, 0x1c, 0x11, 0, 0x26, 0x90, 0x03, 0];
        let mut found = Vec::new();
        let mut thrift = Thrift::new(&bytes);
        let read = thrift.fields(|thrift, number, kind| {
            let wanted = kind == Kind::Integer;
            if wanted {
                found.push((number, thrift.integer()?));
            }
            Some(wanted)
        });
        assert_eq!((read, found, thrift.left()), (Some(()), vec![(1, -3), (7, 200)], 0));
    }

    #[test]
    fn lengths_beyond_the_end_are_contradictions() {
        for bytes in [
            &[][..],
            &[0x15],
            &[0x18, 200, 1, b'a', 0],
            &[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f, 0],
            &[0x1f, 0],
            &[0x1c; 100],
            &[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0],
        ] {
            assert_eq!(Thrift::new(bytes).fields(|_, _, _| Some(false)), None, "{bytes:?}");
        }
    }
}
