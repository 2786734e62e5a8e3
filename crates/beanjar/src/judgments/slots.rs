//! A hash table from texts to codes, which looks up many texts at once.

use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// How many look-ups are in flight at once: enough to hide the wait for memory, few enough for registers and L1.
pub(super) const BATCH: usize = 32;

/// What is compared before the text: a text of at most eight bytes is its own key, so that most
/// ids are settled within their slot; of a longer one it is a hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    bits: u64,
    bytes: u32,
}

impl Key {
    pub(super) fn of(text: &str) -> Key {
        let bytes = text.as_bytes();
        let bits = match bytes.len() {
            0 => 0,
            n @ 1..=3 => u64::from(bytes[0]) | u64::from(bytes[n / 2]) << 8 | u64::from(bytes[n - 1]) << 16,
            n @ 4..=8 => u64::from(four(bytes, 0)) | u64::from(four(bytes, n - 4)) << 32,
            _ => FixedState::with_seed(0).hash_one(bytes),
        };
        // The lengths of texts of 4 GiB and more are cut short; their hashes still differ.
        Key { bits, bytes: bytes.len() as u32 }
    }

    fn is_whole_text(self) -> bool {
        self.bytes <= 8
    }

    fn hash(self) -> u64 {
        let wide = u128::from(self.bits ^ 0x243f_6a88_85a3_08d3) * (0x9e37_79b9_7f4a_7c15 + u128::from(self.bytes));
        (wide as u64) ^ (wide >> 64) as u64
    }
}

fn four(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

const FREE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Slot {
    key: Key,
    code: u32,
}

/// An open-addressing table from keys to codes. Our own because the usual tables look up one key at a
/// time, and here the wait for memory is all the cost.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    used: usize,
}

impl Default for Slots {
    fn default() -> Self {
        Slots::with_capacity(0)
    }
}

impl Slots {
    pub(super) fn with_capacity(ids: usize) -> Self {
        let size = (ids * 2).next_power_of_two().max(4 * BATCH);
        Slots { slots: vec![Slot { key: Key::default(), code: FREE }; size], used: 0 }
    }

    fn home(&self, key: Key) -> usize {
        (key.hash() >> 32) as usize & (self.slots.len() - 1)
    }

    pub(super) fn touch(&self, key: Key) -> u32 {
        self.slots[self.home(key)].code
    }

    /// Where `key` stands, or the free slot where it belongs. `same` is whether a code's text is the one sought.
    pub(super) fn find(&self, key: Key, same: impl Fn(u32) -> bool) -> usize {
        let mut place = self.home(key);
        loop {
            let slot = self.slots[place];
            if slot.code == FREE || slot.key == key && (key.is_whole_text() || same(slot.code)) {
                return place;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    pub(super) fn code(&self, place: usize) -> Option<u32> {
        Some(self.slots[place].code).filter(|&code| code != FREE)
    }

    pub(super) fn put(&mut self, place: usize, key: Key, code: u32) {
        self.slots[place] = Slot { key, code };
        self.used += 1;
    }

    /// Makes room for `more` ids, at most two thirds full.
    pub(super) fn reserve(&mut self, more: usize) {
        if (self.used + more) * 3 <= self.slots.len() * 2 {
            return;
        }
        let mut larger = Slots { slots: vec![Slot { key: Key::default(), code: FREE }; self.slots.len() * 2], used: 0 };
        for slot in self.slots.iter().filter(|slot| slot.code != FREE) {
            let mut place = larger.home(slot.key);
            while larger.slots[place].code != FREE {
                place = (place + 1) & (larger.slots.len() - 1);
            }
            larger.put(place, slot.key, slot.code);
        }
        *self = larger;
    }
}
