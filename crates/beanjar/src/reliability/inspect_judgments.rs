//! How reliable judgments are: `inspect` on judgments.

use super::agreement::{JudgmentAgreement, Standard};
use super::alpha_interval::AlphaSums;
use super::coverage::covered;
use super::icc::Interval;
use super::rater_bias::{AdjustedMean, RaterBias};
use super::variance::{AttributeSums, Variances, judgments_needed, reliability_of_mean};
use crate::judgments::sum_over;
use crate::{Context, Dictionary, Error, Judgments, Result, Warning};

/// Inspects judgments: noise, signal and reliability of each attribute, agreement of each worker.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `mean_of` | how many judgments to average, for the reliability of their mean | 5 | 1 or more |
/// | `wanted` | the reliability to find the number of judgments for | 0.8 | above 0, below 1 |
/// | `known` | ids of objects whose label is known: the outcome counts them | none | at least one of the objects |
/// | `adjusted` | whether the outcome gives objects' means without what their raters add | no | |
///
/// Cost: O(judgments), in a few passes; what raters add takes at most as many more as there are raters.
///
/// ```
/// use beanjar::{Context, Judgments, reliability::InspectJudgments};
///
/// let judgments = Judgments::from_rows([
///     ("jar 1", "beans", "ann", 300.0), ("jar 1", "beans", "bob", 340.0),
///     ("jar 2", "beans", "ann", 40.0), ("jar 2", "beans", "bob", 60.0),
/// ])?;
/// let outcome = InspectJudgments::default().run(&judgments, &Context::new())?;
/// assert_eq!(outcome.attributes[0].noise, Some((800.0 + 200.0) / 2.0));
/// assert_eq!(outcome.attributes[0].signal, Some((320.0 - 50.0) * (320.0 - 50.0) / 4.0 - 500.0 / 2.0));
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InspectJudgments {
    /// The number of judgments whose mean's reliability to report.
    pub mean_of: u32,
    /// The reliability for which to find how many judgments are needed.
    pub wanted: f64,
    /// The ids of objects whose label is known.
    pub known: Option<Dictionary>,
    /// Whether the outcome gives objects' means without what their raters add.
    pub adjusted: bool,
}

impl Default for InspectJudgments {
    fn default() -> Self {
        InspectJudgments { mean_of: 5, wanted: 0.8, known: None, adjusted: false }
    }
}

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
    /// cannot be told apart.
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

impl InspectJudgments {
    /// Inspects the judgments.
    pub fn run(&self, judgments: &Judgments, context: &Context) -> Result<InspectJudgmentsOutcome> {
        self.check()?;
        if judgments.is_empty() {
            return Err(Error::Empty("judgment"));
        }
        let labelled = covered(&judgments.objects, self.known.as_ref(), "object")?;
        let start = Variances::new(judgments);
        let variances = sum_over(judgments, context, || start.clone());
        context.report("inspecting", 0.5)?;
        let scales: Vec<Standard> = (0..judgments.attributes.len())
            .map(|attribute| {
                let sums = variances.of(attribute);
                let deviation = if sums.is_constant() { 0.0 } else { sums.total_variance().sqrt() };
                Standard { mean: sums.mean(), deviation }
            })
            .collect();
        let agreement = sum_over(judgments, context, || JudgmentAgreement::new(judgments, &scales));
        let start = AlphaSums::new(judgments);
        let alphas = sum_over(judgments, context, || start.clone());
        context.report("inspecting", 0.8)?;
        let deviations: Vec<f64> = scales.iter().map(|scale| scale.deviation).collect();
        let raters = RaterBias::new(judgments, &deviations, self.adjusted, context);
        context.report("inspecting", 1.0)?;
        let attributes = judgments.attributes.iter().enumerate();
        let workers = judgments.workers.iter().enumerate();
        let mut outcome = InspectJudgmentsOutcome {
            objects: judgments.objects.len(),
            judgments: judgments.len(),
            repeated: judgments.repeated(context),
            repeats: self.mean_of,
            wanted: self.wanted,
            attributes: attributes
                .map(|(code, name)| {
                    let found = self.attribute(name, variances.of(code));
                    found.with(alphas.of(code), raters.of_means[code])
                })
                .collect(),
            workers: workers
                .map(|(code, worker)| JudgmentWorker {
                    worker: worker.to_owned(),
                    judgments: agreement.judgments[code],
                    agreement: agreement.of(code),
                    agreement_low: agreement.interval(code).map(|(low, _)| low),
                    agreement_high: agreement.interval(code).map(|(_, high)| high),
                    bias: raters.bias[code],
                    ends: raters.ends[code].map(|(own, _)| own),
                    ends_usual: raters.ends[code].map(|(_, usual)| usual),
                })
                .collect(),
            adjusted: raters.adjusted,
            labelled,
            warnings: Vec::new(),
        };
        outcome.warnings = outcome.oddities();
        Ok(outcome)
    }

    /// Whether all parameters are in their ranges.
    pub fn check(&self) -> Result<()> {
        if self.mean_of == 0 {
            return Err(Error::OutOfRange {
                name: "the number of judgments to average",
                value: "0".into(),
                range: "1 or more",
            });
        }
        if !(self.wanted > 0.0 && self.wanted < 1.0) {
            let value = self.wanted.to_string();
            return Err(Error::OutOfRange { name: "the wanted reliability", value, range: "above 0 and below 1" });
        }
        Ok(())
    }

    fn attribute(&self, name: &str, sums: &AttributeSums) -> AttributeReliability {
        let icc = sums.icc();
        let interval = sums.icc_interval();
        AttributeReliability {
            attribute: name.to_owned(),
            objects: sums.objects as u64,
            judgments: sums.judgments as u64,
            mean: sums.mean(),
            noise: sums.noise(),
            signal: sums.signal(),
            icc,
            // A negative estimate says that nothing was found, not that averaging makes it worse.
            reliability: icc.map(|icc| reliability_of_mean(icc.max(0.0), f64::from(self.mean_of))),
            needed: icc.and_then(|icc| judgments_needed(icc, self.wanted)),
            icc_low: interval.map(|icc| icc.low),
            icc_high: interval.map(|icc| icc.high),
            raters: None,
            icc2k: None,
            icc3k: None,
            alpha: sums.alpha(),
            alpha_low: None,
            alpha_high: None,
            constant: sums.is_constant(),
        }
    }
}

impl AttributeReliability {
    /// The same with the interval of alpha and what is known of means over raters.
    fn with(self, alpha: Option<Interval>, of_means: Option<(f64, Interval, Interval)>) -> Self {
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
    fn oddities(&self) -> Vec<Warning> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    fn rows(n: usize) -> Vec<(String, String, String, f64)> {
        (0..n)
            .map(|i| {
                let (object, attribute, worker) = (i % (n / 12 + 1), (i / 5) % 4, (i * 29) % 13);
                let value = ((object * 37 + attribute) % 19) as f64 + ((i * i) % 7) as f64 / 2.0;
                (format!("o{object}"), format!("a{attribute}"), format!("w{worker}"), value)
            })
            .collect()
    }

    fn table(rows: &[(String, String, String, f64)]) -> Judgments {
        Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], &a[..], &w[..], *v))).unwrap()
    }

    fn inspect(judgments: &Judgments, context: &Context) -> InspectJudgmentsOutcome {
        InspectJudgments::default().run(judgments, context).unwrap()
    }

    #[test]
    fn agreement_is_the_correlation_with_the_mean_of_the_others() {
        let rows = rows(400);
        let found = inspect(&table(&rows), &Context::new());
        let standard = |row: &(String, String, String, f64)| {
            let all: Vec<f64> = rows.iter().filter(|other| other.1 == row.1).map(|other| other.3).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance = all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len() as f64;
            (row.3 - mean) / variance.sqrt()
        };
        for worker in &found.workers {
            let mut pairs = Vec::new();
            for row in rows.iter().filter(|row| row.2 == worker.worker) {
                let others: Vec<f64> = rows
                    .iter()
                    .filter(|other| other.0 == row.0 && other.1 == row.1 && other.2 != row.2)
                    .map(standard)
                    .collect();
                if !others.is_empty() {
                    pairs.push((standard(row), others.iter().sum::<f64>() / others.len() as f64));
                }
            }
            let n = pairs.len() as f64;
            let (mx, my) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
            let cov = |f: fn((f64, f64)) -> f64| pairs.iter().map(|p| f((p.0 - mx, p.1 - my))).sum::<f64>();
            let expected = cov(|(x, y)| x * y) / (cov(|(x, _)| x * x) * cov(|(_, y)| y * y)).sqrt();
            assert!((worker.agreement.unwrap() - expected).abs() < 1e-10);
        }
    }

    #[test]
    fn shifting_and_scaling_an_attribute_changes_only_its_units() {
        let before = inspect(&table(&rows(600)), &Context::new());
        let mut moved = rows(600);
        moved.iter_mut().for_each(|row| row.3 = 1e6 - 3.0 * row.3);
        let after = inspect(&table(&moved), &Context::new());
        let close = |a: Option<f64>, b: Option<f64>| assert!((a.unwrap() - b.unwrap()).abs() < 1e-8);
        for (before, after) in before.attributes.iter().zip(&after.attributes) {
            close(after.noise, before.noise.map(|noise| 9.0 * noise));
            close(after.signal, before.signal.map(|signal| 9.0 * signal));
            close(after.icc, before.icc);
            close(after.alpha, before.alpha);
        }
        for (before, after) in before.workers.iter().zip(&after.workers) {
            close(after.agreement, before.agreement);
        }
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let judgments = table(&rows(60_000));
        let one = inspect(&judgments, &Context::new());
        for threads in [2, 5] {
            assert_eq!(
                inspect(&judgments, &Context::new().with_threads(NonZeroUsize::new(threads).unwrap()).unwrap()),
                one
            );
        }
    }

    #[test]
    fn bad_parameters_are_named() {
        let judgments = table(&rows(10));
        let none = InspectJudgments { mean_of: 0, ..Default::default() };
        assert!(none.run(&judgments, &Context::new()).unwrap_err().to_string().contains("judgments to average"));
        let certain = InspectJudgments { wanted: 1.0, ..Default::default() };
        assert!(certain.run(&judgments, &Context::new()).is_err());
    }

    #[test]
    fn what_looks_odd_is_warned_of() {
        let odd = [
            ("1", "tall", "ann", 1.0),
            ("1", "tall", "ann", 2.0),
            ("1", "old", "ann", 3.0),
            ("2", "old", "bob", 4.0),
            ("2", "male", "", 5.0),
            ("2", "male", "", 5.0),
        ];
        let judgments = Judgments::from_rows(odd).unwrap();
        let known = Some(["2"].into_iter().collect());
        let outcome = InspectJudgments { known, ..Default::default() }.run(&judgments, &Context::new()).unwrap();
        assert_eq!(outcome.labelled, Some(1));
        let expected = [
            Warning::NotLabelled { count: 1, what: "object" },
            Warning::RepeatedJudgments { judgments: 1 },
            Warning::ConstantAttributes { attributes: vec!["male".into()] },
            Warning::NoiseUnknown { attributes: vec!["old".into()] },
            Warning::SingleAnswers { workers: 1, what: "judgment" },
        ];
        assert_eq!(outcome.warnings, expected);
        // 51 objects and 13 workers: no worker judges an attribute of an object twice in 600 rows.
        assert_eq!(inspect(&table(&rows(600)), &Context::new()).warnings, []);
        let mut repeated = rows(600);
        repeated.push(repeated[0].clone());
        let warnings = inspect(&table(&repeated), &Context::new()).warnings;
        assert_eq!(warnings, [Warning::RepeatedJudgments { judgments: 1 }]);
    }
}
