use super::icc::Interval;
use super::rater_bias::AdjustedMean;
use crate::Warning;

/// How reliable judgments are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct InspectJudgmentsOutcome {
    /// How many objects were judged.
    pub objects: usize,
    /// How many judgments there are.
    pub judgments: usize,
    /// How many judgments are by a worker who had judged the same attribute of the same object before.
    pub repeated: usize,
    /// The number of judgments whose mean's reliability is reported.
    pub repeats: u32,
    /// The reliability for which the judgments needed are reported.
    pub wanted: f64,
    /// The attributes, in order of first appearance.
    pub attributes: Vec<AttributeReliability>,
    /// The workers, in order of first appearance; none if the table has none.
    pub workers: Vec<JudgmentWorker>,
    /// How many objects have a known label; none if it was not asked.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub labelled: Option<usize>,
    /// Objects' means without what their raters add, attribute by attribute; empty if they were not asked for.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub adjusted: Vec<AdjustedMean>,
    /// What looks odd in the judgments.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// How reliable the judgments of one attribute are.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AttributeReliability {
    /// The attribute's name.
    pub attribute: String,
    /// How many objects it was judged of.
    pub objects: u64,
    /// How often it was judged.
    pub judgments: u64,
    /// The mean of all its judgments.
    pub mean: f64,
    /// The internal variance v: how much judgments of one object differ. None if no object was judged twice.
    pub noise: Option<f64>,
    /// The external variance sigma^2: how much objects differ. None if no object was judged twice.
    pub signal: Option<f64>,
    /// ICC(1), the reliability of one judgment, from the one-way analysis of variance.
    pub icc: Option<f64>,
    /// The reliability of the mean of [`repeats`](InspectJudgmentsOutcome::repeats) judgments.
    pub reliability: Option<f64>,
    /// How many judgments have a mean of reliability [`wanted`](InspectJudgmentsOutcome::wanted). None if no number has.
    pub needed: Option<u64>,
    /// The lower end of its 95 percent interval.
    pub icc_low: Option<f64>,
    /// The upper end.
    pub icc_high: Option<f64>,
    /// How many judgments an object has (the harmonic mean), which the next two are of; none where objects and raters
    /// cannot be separated.
    pub raters: Option<f64>,
    /// ICC(2,k), the reliability of the mean of k judgments by any raters.
    pub icc2k: Option<Interval>,
    /// ICC(3,k), the same where all objects have the same raters.
    pub icc3k: Option<Interval>,
    /// Krippendorff's alpha on the interval scale.
    pub alpha: Option<f64>,
    /// The lower end of its 95 percent interval.
    pub alpha_low: Option<f64>,
    /// The upper end.
    pub alpha_high: Option<f64>,
    /// Whether all judgments are the same.
    pub constant: bool,
}

/// A worker, and how far they agree with the others.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct JudgmentWorker {
    /// The worker's id.
    pub worker: String,
    /// How many judgments they gave.
    pub judgments: u64,
    /// The correlation of their judgments with the mean of the others' on the same attribute of the same object, each
    /// attribute brought to mean 0 and variance 1 first. None with fewer than three to compare, or if nothing varies.
    pub agreement: Option<f64>,
    /// The lower end of its 95 percent interval; none with fewer than four to compare.
    pub agreement_low: Option<f64>,
    /// The upper end.
    pub agreement_high: Option<f64>,
    /// What they add to a judgment, compared with the others on the same objects, in standard deviations of the attribute.
    /// It is drawn to zero where judgments are few.
    pub bias: Option<f64>,
    /// The share of their judgments at the lowest or the highest value of an attribute.
    pub ends: Option<f64>,
    /// That share among all judgments of the same attributes.
    pub ends_usual: Option<f64>,
}

impl AttributeReliability {
    /// The same with the interval of alpha and what is known of means over raters.
    pub(super) fn with(self, alpha: Option<Interval>, of_means: Option<(f64, Interval, Interval)>) -> Self {
        AttributeReliability {
            alpha_low: alpha.map(|alpha| alpha.low),
            alpha_high: alpha.map(|alpha| alpha.high),
            raters: of_means.map(|of| of.0),
            icc2k: of_means.map(|of| of.1),
            icc3k: of_means.map(|of| of.2),
            ..self
        }
    }
}

impl InspectJudgmentsOutcome {
    /// What looks odd.
    pub(super) fn oddities(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if let Some(labelled) = self.labelled.filter(|&labelled| labelled < self.objects) {
            warnings.push(Warning::NotLabelled { count: self.objects - labelled, what: "object" });
        }
        if self.repeated > 0 {
            warnings.push(Warning::RepeatedJudgments { judgments: self.repeated });
        }
        let those = |odd: fn(&AttributeReliability) -> bool| -> Vec<String> {
            self.attributes.iter().filter(|attribute| odd(attribute)).map(|a| a.attribute.clone()).collect()
        };
        let constant = those(|attribute| attribute.constant);
        if !constant.is_empty() {
            warnings.push(Warning::ConstantAttributes { attributes: constant });
        }
        let once = those(|attribute| attribute.noise.is_none());
        if !once.is_empty() {
            warnings.push(Warning::NoiseUnknown { attributes: once });
        }
        let single = self.workers.iter().filter(|worker| worker.judgments == 1).count();
        if single > 0 {
            warnings.push(Warning::SingleAnswers { workers: single, what: "judgment" });
        }
        warnings
    }
}
