use std::collections::BTreeMap;

/// Which labels a model was learned from, as numbers made of the ids of units and workers: enough to know them again, in
/// little room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "Stored", try_from = "Stored"))]
pub struct LearnedFrom {
    /// Sorted.
    units: Vec<u32>,
    /// Of each unit, sorted.
    workers: Vec<Vec<u32>>,
    /// Of each unit, the part in which its labels were held out; empty if they never were.
    folds: Vec<u32>,
}

/// The same as it is written to a file: numbers as eight hexadecimal digits each.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    units: String,
    workers: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    folds: Vec<u32>,
}

impl LearnedFrom {
    /// Of the units with these ids, and the workers whose labels of each were learned from.
    pub fn new<'a, W: IntoIterator<Item = &'a str>>(units: impl IntoIterator<Item = (&'a str, W)>) -> Self {
        Self::of(units.into_iter().map(|(unit, workers)| (hash(unit), workers.into_iter().map(hash).collect())))
    }

    /// Of units and what [`labels_of`](Self::labels_of) said of them; none if one of these is something else.
    pub fn from_labels<'a>(units: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let said = units.into_iter().filter(|(_, labels)| !labels.is_empty());
        let all: Option<Vec<(u32, Vec<u32>)>> =
            said.map(|(unit, labels)| Some((hash(unit), numbers(labels)?))).collect();
        all.map(Self::of)
    }

    fn of(units: impl IntoIterator<Item = (u32, Vec<u32>)>) -> Self {
        let mut sorted: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        units.into_iter().for_each(|(unit, workers)| sorted.entry(unit).or_default().extend(workers));
        sorted.values_mut().for_each(|workers| {
            workers.sort_unstable();
            workers.dedup();
        });
        let (units, workers) = sorted.into_iter().unzip();
        LearnedFrom { units, workers, folds: Vec::new() }
    }

    /// The same, with the part in which the labels of each of these units were held out.
    pub(super) fn with_folds<'a>(self, folds: impl IntoIterator<Item = (&'a str, usize)>) -> Self {
        let mut of_units = vec![0; self.units.len()];
        for (unit, fold) in folds {
            if let Ok(at) = self.units.binary_search(&hash(unit)) {
                of_units[at] = fold as u32;
            }
        }
        LearnedFrom { folds: of_units, ..self }
    }

    /// Whether labels of a unit are among them; of other units, one in some billions divided by their number seems to be.
    #[must_use]
    pub fn has(&self, unit: &str) -> bool {
        self.at(unit).is_some()
    }

    /// Whether a worker's label of a unit is among them.
    #[must_use]
    pub fn has_label(&self, unit: &str, worker: &str) -> bool {
        self.at(unit).is_some_and(|at| self.workers[at].binary_search(&hash(worker)).is_ok())
    }

    /// The workers whose labels of a unit are among them, as text that [`from_labels`](Self::from_labels) reads; empty if
    /// there are none.
    #[must_use]
    pub fn labels_of(&self, unit: &str) -> String {
        self.at(unit).map(|at| text(&self.workers[at])).unwrap_or_default()
    }

    /// The same of several together.
    pub(super) fn labels_of_all(several: &[&LearnedFrom], unit: &str) -> String {
        let found = several.iter().filter_map(|learned| Some(&learned.workers[learned.at(unit)?]));
        let mut workers: Vec<u32> = found.flatten().copied().collect();
        workers.sort_unstable();
        workers.dedup();
        text(&workers)
    }

    /// The part in which a unit's labels were held out.
    pub(super) fn fold(&self, unit: &str) -> Option<usize> {
        Some(*self.folds.get(self.at(unit)?)? as usize)
    }

    /// How many parts there were, at the least.
    #[cfg(feature = "serde")]
    pub(super) fn folds(&self) -> usize {
        self.folds.iter().max().map_or(0, |last| *last as usize + 1)
    }

    fn at(&self, unit: &str) -> Option<usize> {
        self.units.binary_search(&hash(unit)).ok()
    }
}

/// FNV-1a, folded: the same on every machine and in every version.
fn hash(id: &str) -> u32 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ (hash >> 32)) as u32
}

fn text(numbers: &[u32]) -> String {
    numbers.iter().map(|number| format!("{number:08x}")).collect()
}

fn numbers(text: &str) -> Option<Vec<u32>> {
    let piece = |piece: &[u8]| {
        let text = std::str::from_utf8(piece).ok().filter(|text| text.len() == 8)?;
        u32::from_str_radix(text, 16).ok()
    };
    text.as_bytes().chunks(8).map(piece).collect()
}

#[cfg(feature = "serde")]
impl From<LearnedFrom> for Stored {
    fn from(learned: LearnedFrom) -> Stored {
        let workers = learned.workers.iter().map(|workers| text(workers)).collect();
        Stored { units: text(&learned.units), workers, folds: learned.folds }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for LearnedFrom {
    type Error = crate::Error;

    fn try_from(stored: Stored) -> crate::Result<Self> {
        let read = || {
            let workers: Option<Vec<Vec<u32>>> = stored.workers.iter().map(|text| numbers(text)).collect();
            Some(LearnedFrom { units: numbers(&stored.units)?, workers: workers?, folds: stored.folds })
        };
        let fits = |learned: &LearnedFrom| {
            let units = learned.units.len();
            let sorted = learned.units.is_sorted_by(|a, b| a < b) && learned.workers.iter().all(|all| all.is_sorted());
            sorted && learned.workers.len() == units && (learned.folds.is_empty() || learned.folds.len() == units)
        };
        read().filter(fits).ok_or(crate::Error::NotAModel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_known_again_after_they_were_written() {
        let ids: Vec<String> = (0..1000).map(|i| format!("unit {i}")).collect();
        let learned = LearnedFrom::new(ids.iter().map(|id| (id.as_str(), ["ann", "bob"])));
        let learned = learned.with_folds(ids.iter().enumerate().map(|(at, id)| (id.as_str(), at % 5)));
        assert!(ids.iter().all(|id| learned.has(id) && learned.has_label(id, "bob") && !learned.has_label(id, "cid")));
        assert_eq!(
            (learned.fold("unit 7"), learned.fold("other"), learned.labels_of("other")),
            (Some(2), None, String::new())
        );
        assert!((1000..3000).filter(|i| learned.has(&format!("unit {i}"))).count() <= 1);
        let rows: Vec<(&str, String)> = ids.iter().map(|id| (id.as_str(), learned.labels_of(id))).collect();
        let again = LearnedFrom::from_labels(rows.iter().map(|(id, labels)| (*id, labels.as_str()))).unwrap();
        assert_eq!((&again.units, &again.workers), (&learned.units, &learned.workers));
        for bad in ["1234567", "zzzzzzzz", "éééé", "true"] {
            assert_eq!(LearnedFrom::from_labels([("a", bad)]), None, "{bad}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn files_that_do_not_fit_together_are_refused() {
        let learned = LearnedFrom::new([("a", vec!["ann"]), ("b", vec!["ann", "bob"])]).with_folds([("b", 3)]);
        let stored = || Stored::from(learned.clone());
        assert_eq!(LearnedFrom::try_from(stored()).unwrap(), learned);
        for bad in [
            Stored { units: "0000000200000001".into(), ..stored() },
            Stored { workers: vec![String::new()], ..stored() },
            Stored { workers: vec!["x".into(), String::new()], ..stored() },
            Stored { folds: vec![1], ..stored() },
        ] {
            assert!(LearnedFrom::try_from(bad).is_err());
        }
    }
}
