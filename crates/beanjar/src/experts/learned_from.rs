/// Which units a model was learned from, as numbers made of their ids: enough to know one again, in little room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "String", try_from = "String"))]
pub struct LearnedFrom {
    /// Sorted.
    hashes: Vec<u32>,
}

impl LearnedFrom {
    /// Of the units with these ids.
    pub fn new<'a>(units: impl IntoIterator<Item = &'a str>) -> Self {
        let mut hashes: Vec<u32> = units.into_iter().map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        LearnedFrom { hashes }
    }

    /// Whether a unit is one of them; of others, one in some billions divided by their number seems to be.
    pub fn has(&self, unit: &str) -> bool {
        self.hashes.binary_search(&hash(unit)).is_ok()
    }
}

/// FNV-1a, folded: the same on every machine and in every version.
fn hash(id: &str) -> u32 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ (hash >> 32)) as u32
}

impl From<LearnedFrom> for String {
    fn from(learned: LearnedFrom) -> String {
        learned.hashes.iter().map(|hash| format!("{hash:08x}")).collect()
    }
}

impl TryFrom<String> for LearnedFrom {
    type Error = crate::Error;

    fn try_from(text: String) -> crate::Result<Self> {
        let piece = |piece: &[u8]| {
            let text = std::str::from_utf8(piece).ok().filter(|text| text.len() == 8)?;
            u32::from_str_radix(text, 16).ok()
        };
        let hashes: Option<Vec<u32>> = text.as_bytes().chunks(8).map(piece).collect();
        match hashes.filter(|hashes| hashes.is_sorted()) {
            Some(hashes) => Ok(LearnedFrom { hashes }),
            None => Err(crate::Error::NotAModel),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_again_after_they_were_written() {
        let ids: Vec<String> = (0..1000).map(|i| format!("unit {i}")).collect();
        let learned = LearnedFrom::new(ids.iter().map(String::as_str));
        let text = String::from(learned.clone());
        assert_eq!(LearnedFrom::try_from(text.clone()).unwrap(), learned);
        assert!(ids.iter().all(|id| learned.has(id)));
        assert!((1000..3000).filter(|i| learned.has(&format!("unit {i}"))).count() <= 1);
        for bad in [&text[..7], "zzzzzzzz", "0000000200000001", "é"] {
            assert!(LearnedFrom::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
