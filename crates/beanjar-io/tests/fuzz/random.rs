//! Random numbers: SplitMix64, for which a case is known by its seed.

#[derive(Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// Below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True one time in `n`.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Changes some bytes: flipped bits, lengths that are too large, pieces taken out, doubled or cut off.
    pub fn change_bytes(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..1 + self.below(4) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            let until = (at + 1 + self.below(16)).min(bytes.len());
            match self.below(8) {
                0 | 1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes[at] = self.next() as u8,
                3 => {
                    let number =
                        *self.of(&[u64::MAX, 0, 1 << 31, (1 << 31) - 1, 6_000_000_000, 1 << 62, 0x8080_8080_8080]);
                    let length = *self.of(&[1, 2, 4, 8]);
                    let end = (at + length).min(bytes.len());
                    bytes[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
                }
                4 => bytes.truncate(at),
                5 => drop(bytes.drain(at..until)),
                6 => {
                    let piece = bytes[at..until].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, piece);
                }
                _ => bytes[at..until].fill(*self.of(&[0, 0xff, 0x7f, 0x80])),
            }
        }
    }

    /// A text that is odd somewhere.
    pub fn odd_text(&mut self) -> String {
        let odd = [
            "",
            " ",
            "NA",
            "NaN",
            "NAN",
            "inf",
            "-inf",
            "1e308",
            "-1e400",
            "1e-320",
            "1e200",
            "0x10",
            "007",
            "1,5",
            "1.234,5",
            "true",
            "False",
            "\"",
            "'",
            "=1+1",
            "@x",
            "\u{1b}[31m",
            "\u{202e}abc",
            "\u{200b}",
            "a\nb",
            "\r",
            "\t",
            ",",
            ";",
            "null",
            "{}",
            "[1]",
            "{\"choices\":[\"a\"]}",
            "99999999999999999999",
            "-0",
            "1.0",
            " 1",
            "é",
            "\u{0}",
            "task",
            "label",
            "value",
            "tie",
            "A",
            "\u{2028}",
        ];
        match self.below(20) {
            0 => "x".repeat(self.below(100_000)),
            1 => self.next().to_string(),
            2 => f64::from_bits(self.next()).to_string(),
            _ => (*self.of(&odd)).to_owned(),
        }
    }
}
