//! Judgments with what is to be predicted from them.

use super::{Classes, CodedLabels, Combine, Combined, Elsewhere};
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
    /// Object by object, one number for each target.
    pub(super) labels: &'a [f64],
    pub(super) targets: usize,
    /// The classes that the labels stand for.
    pub(super) classes: Option<&'a Classes>,
    /// The attribute whose judgments a label is the mean of.
    pub(super) label_of: Option<usize>,
    /// Of each attribute, how many times the variance of these judgments those of new objects have; 1 if there are none.
    pub(super) noise_factors: &'a [f64],
    /// How judgments of an attribute become one number, and what that tells; empty for the mean.
    pub(super) combine: Combine,
    pub(super) combined: &'a [Combined],
    /// Sums over all objects, where the judgments are those of a sample of them.
    pub(super) elsewhere: Option<&'a Elsewhere>,
}

impl<'a> LabelledJudgments<'a> {
    /// A label for each object, in the order of [`Judgments::objects`]; NaN for an object without one.
    pub fn new(judgments: &'a Judgments, labels: &'a [f64]) -> Result<Self> {
        let (found, expected) = (labels.len(), judgments.objects());
        match found == expected {
            true => Ok(LabelledJudgments {
                judgments,
                labels,
                targets: 1,
                classes: None,
                label_of: None,
                noise_factors: &[],
                combine: Combine::Mean,
                combined: &[],
                elsewhere: None,
            }),
            false => Err(Error::WrongLength { what: "labels", found, of: "objects", expected }),
        }
    }

    /// The same with labels that are numbers or classes.
    pub fn coded(judgments: &'a Judgments, coded: &'a CodedLabels) -> Result<Self> {
        let (found, expected) = (coded.values.len(), judgments.objects() * coded.targets);
        match found == expected {
            true => Ok(LabelledJudgments {
                judgments,
                labels: &coded.values,
                targets: coded.targets,
                classes: coded.classes.as_ref(),
                label_of: None,
                noise_factors: &[],
                combine: Combine::Mean,
                combined: &[],
                elsewhere: None,
            }),
            false => Err(Error::WrongLength { what: "labels", found, of: "objects", expected }),
        }
    }

    /// The same, where judgments of new objects have the variance of these times a factor, attribute by attribute.
    pub(super) fn judged_anew(self, noise_factors: &'a [f64]) -> Self {
        LabelledJudgments { noise_factors, ..self }
    }

    /// The same with labels that are the means of an attribute's judgments.
    pub(super) fn averaged(self, label_of: Option<usize>) -> Self {
        LabelledJudgments { label_of, ..self }
    }

    /// The same, where judgments become one number in this way, which tells so much of each attribute.
    pub(super) fn combined(self, combine: Combine, combined: &'a [Combined]) -> Self {
        LabelledJudgments { combine, combined, ..self }
    }

    /// The same, where these are a sample of the objects, and sums over all of them were made elsewhere.
    pub(super) fn sampled(self, elsewhere: Option<&'a Elsewhere>) -> Self {
        LabelledJudgments { elsewhere, ..self }
    }

    /// What is held out or drawn as a whole: an object, or its group where judgments are elsewhere.
    pub(super) fn unit_of(&self, object: usize) -> usize {
        self.elsewhere.map_or(object, |elsewhere| elsewhere.group_of(self.judgments.objects.get(object)))
    }

    /// How many units there may be: the largest number of one, and one more.
    pub(super) fn units(&self) -> usize {
        self.elsewhere.map_or(self.judgments.objects.len(), Elsewhere::groups)
    }

    /// How many objects have a label.
    pub(super) fn labelled_objects(&self) -> usize {
        self.elsewhere.map_or_else(|| self.labelled().count(), Elsewhere::labelled)
    }

    /// How many times the variance of these judgments of an attribute those of new objects have.
    pub(super) fn noise_factor(&self, attribute: usize) -> f64 {
        self.noise_factors.get(attribute).copied().unwrap_or(1.0)
    }

    /// The noise of the one number that `repeats` judgments become, as a share of that of one.
    pub(super) fn noise_share(&self, attribute: usize, repeats: u32) -> f64 {
        self.combined.get(attribute).map_or(1.0 / f64::from(repeats), |combined| combined.noise(repeats))
    }

    /// What the one number that these judgments became tells the true value to be, less the centre.
    pub(super) fn deviation(&self, attribute: usize, values: &mut [f64], centre: f64) -> f64 {
        let (repeats, off) = (values.len() as u32, self.combine.of(values) - centre);
        self.combined.get(attribute).map_or(off, |of| (off - of.shift(repeats)) / of.slope(repeats))
    }

    /// The numbers that an object's label is coded by.
    pub(super) fn label(&self, object: usize) -> &'a [f64] {
        &self.labels[object * self.targets..(object + 1) * self.targets]
    }

    /// Whether an object has a label.
    pub(super) fn is_labelled(&self, object: usize) -> bool {
        self.labels[object * self.targets].is_finite()
    }

    /// The objects with a label.
    pub(super) fn labelled(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.judgments.objects()).filter(|&object| self.is_labelled(object))
    }

    /// The judgments.
    #[must_use]
    pub fn judgments(&self) -> &'a Judgments {
        self.judgments
    }

    /// The labels, one for each object and target.
    #[must_use]
    pub fn labels(&self) -> &'a [f64] {
        self.labels
    }

    /// The number of judgments of an attribute of an object, on average and rounded, at least 1: the paper's k.
    #[must_use]
    pub fn repeats(&self) -> u32 {
        let pairs = self.judgments.objects.len() * self.judgments.attributes.len();
        (self.judgments.len() as f64 / pairs.max(1) as f64).round().max(1.0) as u32
    }

    /// The units with labelled objects in an order that is random, and the same wherever objects stand in a file.
    pub(super) fn shuffled(&self, seed: u64, round: u64) -> Vec<usize> {
        if let Some(elsewhere) = self.elsewhere {
            return elsewhere.shuffled(seed, round);
        }
        let mut order: Vec<(u64, &str, usize)> = self
            .labelled()
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
