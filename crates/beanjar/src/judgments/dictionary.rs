//! Ids as small numbers: text in, code out, and back.

use super::slots::{BATCH, Key, Slots};

/// The texts behind the codes `0..len`, in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictionary {
    text: String,
    ends: Vec<usize>,
}

impl Dictionary {
    /// How many ids there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of a code.
    ///
    /// # Panics
    /// If the code is not one of this dictionary.
    #[must_use]
    pub fn get(&self, code: usize) -> &str {
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.text[start..self.ends[code]]
    }

    /// All texts, in the order of their codes.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|code| self.get(code))
    }

    /// A table to look codes up by text.
    #[must_use]
    pub fn lookup(&self) -> Lookup<'_> {
        let mut slots = Slots::with_capacity(self.len());
        for (code, text) in self.iter().enumerate() {
            let key = Key::of(text);
            let place = slots.find(key, |code| self.get(code as usize) == text);
            slots.put(place, key, code as u32);
        }
        Lookup { dictionary: self, slots }
    }

    /// The first text that stands twice.
    #[must_use]
    pub fn repeated(&self) -> Option<&str> {
        let mut seen = std::collections::HashSet::with_capacity(self.len());
        self.iter().find(|text| !seen.insert(*text))
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }
}

impl<S: AsRef<str>> FromIterator<S> for Dictionary {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let mut dictionary = Dictionary::default();
        for text in texts {
            dictionary.push(text.as_ref());
        }
        dictionary
    }
}

/// Finds the code of a text in a [`Dictionary`].
#[derive(Clone, Debug)]
pub struct Lookup<'a> {
    dictionary: &'a Dictionary,
    slots: Slots,
}

impl Lookup<'_> {
    /// The code of `text`, if the dictionary has it.
    #[must_use]
    pub fn code(&self, text: &str) -> Option<usize> {
        let place = self.slots.find(Key::of(text), |code| self.dictionary.get(code as usize) == text);
        self.slots.code(place).map(|code| code as usize)
    }
}

/// A dictionary under construction, which also remembers where each id was first seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    dictionary: Dictionary,
    first_seen: Vec<u64>,
    slots: Slots,
}

impl Interner {
    /// The code of each text, new ones being added. `position` is where the first text stands
    /// among all rows of the table, later than any before; the next ones follow it.
    pub(super) fn intern_all(&mut self, texts: &[&str], position: u64, codes: &mut Vec<u32>) {
        let mut keys = [Key::default(); BATCH];
        let mut at = position;
        for batch in texts.chunks(BATCH) {
            self.slots.reserve(BATCH);
            // A dictionary of a million ids does not fit the cache. The first loop asks for all slots of the
            // batch at once, so that their misses overlap; the second finds them there.
            let mut touched = 0;
            for (key, text) in keys.iter_mut().zip(batch) {
                *key = Key::of(text);
                touched ^= self.slots.touch(*key);
            }
            std::hint::black_box(touched);
            for (key, text) in keys.iter().zip(batch) {
                codes.push(self.intern(*key, text, at));
                at += 1;
            }
        }
    }

    fn intern(&mut self, key: Key, text: &str, position: u64) -> u32 {
        let Interner { dictionary, first_seen, slots } = self;
        let place = slots.find(key, |code| dictionary.get(code as usize) == text);
        if let Some(code) = slots.code(place) {
            return code;
        }
        let code = dictionary.len() as u32;
        slots.put(place, key, code);
        dictionary.push(text);
        first_seen.push(position);
        code
    }

    pub(super) fn len(&self) -> usize {
        self.dictionary.len()
    }

    /// The code of a text, if it is there.
    pub(super) fn code(&self, text: &str) -> Option<u32> {
        self.slots.code(self.slots.find(Key::of(text), |code| self.dictionary.get(code as usize) == text))
    }

    /// The texts, in the order of their codes.
    pub(super) fn into_dictionary(self) -> Dictionary {
        self.dictionary
    }
}

/// One dictionary out of several, its ids in order of first appearance, and for each of the several
/// the new code of each of its old ones.
pub(super) fn unite(parts: Vec<Interner>) -> (Dictionary, Vec<Vec<u32>>) {
    let mut parts = parts.into_iter();
    let Some(mut all) = parts.next() else { return (Dictionary::default(), Vec::new()) };
    let mut renumbered = vec![(0..all.len() as u32).collect::<Vec<u32>>()];
    for part in parts {
        let mut codes = Vec::with_capacity(part.len());
        let texts: Vec<&str> = part.dictionary.iter().collect();
        for (texts, seen) in texts.chunks(BATCH).zip(part.first_seen.chunks(BATCH)) {
            all.slots.reserve(BATCH);
            let mut touched = 0;
            for text in texts {
                touched ^= all.slots.touch(Key::of(text));
            }
            std::hint::black_box(touched);
            for (text, &seen) in texts.iter().zip(seen) {
                let code = all.intern(Key::of(text), text, seen);
                let first_seen = &mut all.first_seen[code as usize];
                *first_seen = seen.min(*first_seen);
                codes.push(code);
            }
        }
        renumbered.push(codes);
    }
    let Interner { dictionary, first_seen, slots } = all;
    drop(slots);
    let mut order: Vec<u32> = (0..first_seen.len() as u32).collect();
    order.sort_unstable_by_key(|&code| first_seen[code as usize]);
    let new_codes = inverse(&order);
    for codes in &mut renumbered {
        for code in codes {
            *code = new_codes[*code as usize];
        }
    }
    (reorder(&dictionary, &order), renumbered)
}

/// The dictionary whose code `i` is the given one's `order[i]`.
pub(super) fn reorder(dictionary: &Dictionary, order: &[u32]) -> Dictionary {
    order.iter().map(|&code| dictionary.get(code as usize)).collect()
}

/// The permutation that undoes `order`.
pub(super) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        inverse[old as usize] = new as u32;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn texts(n: usize) -> Vec<String> {
        (0..n)
            .map(|i| match i % 7 {
                0 => format!("t{i}"),
                1 => format!("an id longer than eight bytes {}", i / 3),
                2 => format!("{}", i % 11),
                3 => String::new(),
                4 => "🫘".repeat(i % 4),
                5 => format!("a,\"{}\"\n", i % 50),
                _ => "\0".repeat(i % 12),
            })
            .collect()
    }

    #[test]
    fn codes_agree_with_a_standard_map_in_order_of_first_appearance() {
        for n in [0, 1, 2, 31, 32, 33, 1000, 20_001] {
            let texts = texts(n);
            let mut interner = Interner::default();
            let mut codes = Vec::new();
            interner.intern_all(&texts.iter().map(String::as_str).collect::<Vec<_>>(), 0, &mut codes);
            let mut known = HashMap::new();
            for (text, code) in texts.iter().zip(&codes) {
                let next = known.len() as u32;
                assert_eq!(*known.entry(text).or_insert(next), *code);
                assert_eq!(interner.dictionary.get(*code as usize), text);
            }
            assert_eq!(interner.len(), known.len());
        }
    }

    #[test]
    fn parts_united_in_any_split_give_the_dictionary_of_the_whole() {
        let texts = texts(5000);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut whole = Interner::default();
        let mut whole_codes = Vec::new();
        whole.intern_all(&texts, 0, &mut whole_codes);

        // Blocks of odd sizes dealt to three parts.
        let blocks: Vec<(usize, &[&str])> = texts.chunks(37).enumerate().collect();
        let mut parts: Vec<Interner> = (0..3).map(|_| Interner::default()).collect();
        let mut coded = vec![Vec::new(); blocks.len()];
        for &(i, block) in &blocks {
            parts[(i * i) % 3].intern_all(block, (i * 37) as u64, &mut coded[i]);
        }
        let (dictionary, renumbered) = unite(parts);
        assert_eq!(dictionary, whole.dictionary);
        let codes: Vec<u32> = coded
            .iter()
            .enumerate()
            .flat_map(|(i, codes)| codes.iter().map(|&c| renumbered[(i * i) % 3][c as usize]).collect::<Vec<_>>())
            .collect();
        assert_eq!(codes, whole_codes);
    }

    #[test]
    fn lookup_finds_what_is_there_and_nothing_else() {
        let dictionary: Dictionary = ["a", "", "bcdefghijkl", "8 bytes!"].iter().collect();
        let lookup = dictionary.lookup();
        for (code, text) in dictionary.iter().enumerate() {
            assert_eq!(lookup.code(text), Some(code));
        }
        assert_eq!(lookup.code("bcdefghijkm"), None);
        assert_eq!(lookup.code("b"), None);
    }
}
