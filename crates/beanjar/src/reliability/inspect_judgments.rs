//! How reliable judgments are: `inspect` on judgments.

use super::agreement::{JudgmentAgreement, Standard};
use super::alpha_interval::AlphaSums;
use super::coverage::covered;
use super::inspect_judgments_outcome::{AttributeReliability, InspectJudgmentsOutcome, JudgmentWorker};
use super::rater_bias::RaterBias;
use super::variance::{AttributeSums, Variances, judgments_needed, reliability_of_mean};
use crate::judgments::sum_over;
use crate::{Context, Dictionary, Error, Judgments, Result};

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
        if (0..judgments.attributes.len()).any(|attribute| variances.of(attribute).is_below_squares()) {
            return Err(Error::OutOfScale);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Warning;
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
    fn differences_too_small_to_be_squared_are_refused() {
        let scaled = |scale: f64| {
            let rows: Vec<_> = rows(400).into_iter().map(|(o, a, w, value)| (o, a, w, value * scale)).collect();
            InspectJudgments::default().run(&table(&rows), &Context::new())
        };
        let (small, usual) = (scaled(1e-140).unwrap(), scaled(1.0).unwrap());
        for (small, usual) in small.attributes.iter().zip(&usual.attributes) {
            assert!((small.icc.unwrap() - usual.icc.unwrap()).abs() < 1e-12);
        }
        for scale in [1e-155, 1e-165, 1e-300] {
            assert!(matches!(scaled(scale), Err(Error::OutOfScale)), "{scale}");
        }
        assert!(scaled(0.0).is_ok());
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
