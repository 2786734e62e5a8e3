//! Which columns of a file are read, and which of them as numbers.

/// Which columns to keep of how many.
pub(crate) struct Wanted {
    pub(super) columns: usize,
    /// For each column of the file, its number among the kept.
    slots: Vec<Option<usize>>,
    pub(super) kept: usize,
    /// How many of them are read for themselves.
    own: usize,
    /// Whether a row must not have more than the header announces.
    pub(super) strict: bool,
    /// Whether what is nested in JSON is kept as the text that it is, and no mistake.
    pub(super) nested: bool,
    pub(super) numbers: Numbers,
}

/// Which of the kept columns are numbers, so that what the file has as numbers need not become text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Numbers {
    /// The first of them; those after it are numbers too, up to the last that is read for itself.
    pub(crate) from: Option<usize>,
    /// How a 32-bit number becomes a 64-bit one.
    pub(crate) float32: Float32,
}

/// How a 32-bit number becomes a 64-bit one.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Float32 {
    /// The number that its shortest text reads as: 0.1 stays 0.1, as it would in a CSV file.
    #[default]
    AsWritten,
    /// The very same number: 0.1 becomes 0.10000000149011612.
    Exact,
}

impl Wanted {
    pub(crate) fn new(columns: usize, kept: &[usize], strict: bool) -> Self {
        let mut slots = vec![None; columns];
        for (slot, &column) in kept.iter().enumerate() {
            slots[column] = Some(slot);
        }
        Wanted { columns, slots, kept: kept.len(), own: kept.len(), strict, nested: false, numbers: Numbers::default() }
    }

    pub(super) fn with_numbers(self, numbers: Numbers) -> Self {
        Wanted { numbers, ..self }
    }

    /// The same, with what is nested in JSON as the text that it is if `nested` says so.
    pub(super) fn with_nested(self, nested: bool) -> Self {
        Wanted { nested, ..self }
    }

    /// The same with only the first `count` of the kept columns read for themselves; the others are joined to them.
    pub(super) fn with_joined(self, count: usize) -> Self {
        Wanted { own: count, ..self }
    }

    pub(super) fn is_number(&self, slot: usize) -> bool {
        self.numbers.from.is_some_and(|first| (first..self.own).contains(&slot))
    }

    pub(super) fn slot(&self, column: usize) -> Option<usize> {
        self.slots.get(column).copied().flatten()
    }
}
