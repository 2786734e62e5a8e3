//! Judgments with what is to be predicted from them.

use crate::judgments::Grouped;
use crate::random::{key, key_of_text};
use crate::{Error, Judgments, Result};

/// Judgments of objects, and a number to predict for each object.
///
/// ```
/// use beanjar::{Judgments, multiselect::LabelledJudgments};
///
/// let judgments = Judgments::from_rows([("jar 1", "beans", "ann", 310.0), ("jar 2", "beans", "ann", 50.0)])?;
/// assert!(LabelledJudgments::new(&judgments, &[290.0, f64::NAN]).is_ok());
/// assert!(LabelledJudgments::new(&judgments, &[290.0]).is_err());
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LabelledJudgments<'a> {
    pub(super) judgments: &'a Judgments,
    pub(super) labels: &'a [f64],
}

impl<'a> LabelledJudgments<'a> {
    /// A label for each object, in the order of [`Judgments::objects`]; NaN for an object without one.
    pub fn new(judgments: &'a Judgments, labels: &'a [f64]) -> Result<Self> {
        let (found, expected) = (labels.len(), judgments.objects());
        match found == expected {
            true => Ok(LabelledJudgments { judgments, labels }),
            false => Err(Error::WrongLength { what: "labels", found, of: "objects", expected }),
        }
    }

    /// The judgments.
    pub fn judgments(&self) -> &'a Judgments {
        self.judgments
    }

    /// The labels, one for each object.
    pub fn labels(&self) -> &'a [f64] {
        self.labels
    }

    /// The number of judgments of an attribute of an object, on average and rounded, at least 1: the paper's k.
    pub fn repeats(&self) -> u32 {
        let pairs = self.judgments.objects.len() * self.judgments.attributes.len();
        (self.judgments.len() as f64 / pairs.max(1) as f64).round().max(1.0) as u32
    }

    /// The labelled objects in an order that is random, and the same wherever they stand in a file.
    pub(super) fn shuffled(&self, seed: u64, round: u64) -> Vec<usize> {
        let known = (0..self.labels.len()).filter(|&object| self.labels[object].is_finite());
        let mut order: Vec<(u64, &str, usize)> = known
            .map(|object| {
                let id = self.judgments.objects.get(object);
                (key_of_text(key(seed, round), id), id, object)
            })
            .collect();
        order.sort_unstable();
        order.into_iter().map(|(_, _, object)| object).collect()
    }

    pub(super) fn attribute_names(&self) -> Vec<String> {
        self.judgments.attributes.iter().map(str::to_owned).collect()
    }
}
