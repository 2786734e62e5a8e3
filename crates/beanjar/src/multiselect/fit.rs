//! The whole of `fit`: the linear predictor of a selection.

use super::planned_means::PlannedMeans;
use super::predictor::PredictorAttribute;
use super::validate::expected_loss;
use super::{CodedLabels, Estimates, Fitting, LabelledJudgments, Predictor, Selection};
use crate::{Column, Context, Error, Judgments, Result, Warning};

/// Fits the linear predictor of a selection: y = bias + sum of w_a times the mean of the judgments of a.
///
/// By [`Fitting::LeastSquares`] on the means of exactly the planned judgments, from the objects that have them, or by
/// [`Fitting::Moments`], w = (Sigma + diag(v / r))^-1 b. The squared error to expect is cross-validated.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `selection` | which attributes to judge, how often each | none | at least one judgment |
/// | `fitting` | how to find the weights | least squares | |
///
/// Cost: O(judgments) and, for s attributes in use, O(objects s^2 + s^3), ten times.
///
/// ```
/// use beanjar::multiselect::{FitPredictor, Fitting, Selection};
/// use beanjar::{Column, Context, Judgments};
///
/// let ids: Vec<String> = (0..8).map(|jar| format!("jar {jar}")).collect();
/// let rows = ids.iter().enumerate().flat_map(|(jar, id)| {
///     [-3.0, 4.0].map(|error| (id.as_str(), "beans", "ann", 10.0 * jar as f64 + error))
/// });
/// let judgments = Judgments::from_rows(rows)?;
/// let labels: Vec<String> = (0..8).map(|jar| (10 * jar).to_string()).collect();
/// let label = Column::new("beans in the jar", judgments.objects.clone(), labels)?;
///
/// let selection = Selection::from_columns(&Column::from_rows("judgments", [("beans", "2")])?, None)?;
/// let fitted = FitPredictor { selection, fitting: Fitting::LeastSquares }.fit(&judgments, &label, &Context::new())?;
/// let found = fitted.predictor.predict(&judgments, &Context::new())?;
/// assert!((found.predictions[7] - 70.0).abs() < 1e-9);
/// # Ok::<(), beanjar::Error>(())
/// ```
///
/// Sabato and Kalai, Feature multi-selection among subjective features, ICML 2013, step 4 of Algorithm 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitPredictor {
    /// Which attributes to judge, how often each.
    pub selection: Selection,
    /// How to find the weights.
    pub fitting: Fitting,
}

/// A fitted predictor.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FitPredictorOutcome {
    /// The predictor.
    pub predictor: Predictor,
    /// What a user should know of it.
    pub warnings: Vec<Warning>,
}

impl FitPredictorOutcome {
    /// The predictor, to save and to load again.
    #[must_use]
    pub fn model(&self) -> Predictor {
        self.predictor.clone()
    }
}

impl FitPredictor {
    /// An error if the selection is none.
    pub fn check(&self) -> Result<()> {
        self.selection.check()
    }

    /// Fits the predictor of a label. Objects without a label are left out; where an object has more judgments than
    /// planned, a random draw decides which least squares uses.
    pub fn fit(&self, judgments: &Judgments, label: &Column, context: &Context) -> Result<FitPredictorOutcome> {
        self.check()?;
        let repeats = self.selection.repeats(&judgments.attributes)?;
        let coded = CodedLabels::of(label, &judgments.objects)?;
        let data = LabelledJudgments::new(judgments, &coded.values)?;
        context.report("fitting", 0.0)?;
        let estimates = Estimates::new(data, self.selection.ridge, context)?;
        let mut predictor = fit(self.fitting, &estimates, &repeats, data, &context.part(0.1, 1.0))?;
        predictor.label = label.name().to_owned();
        predictor.error_rate =
            coded.classes.as_ref().map(|classes| classes.error_rate(predictor.explained(predictor.error_variance)));
        let warnings = coded.warning().into_iter().collect();
        predictor.classes = coded.classes;
        Ok(FitPredictorOutcome { predictor, warnings })
    }
}

/// As the model file that loads again.
#[cfg(feature = "serde")]
impl serde::Serialize for FitPredictorOutcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        crate::Model::Multiselect(self.model()).as_file().serialize(serializer)
    }
}

/// A predictor of a nameless number, for these numbers of judgments.
pub(super) fn fit(
    fitting: Fitting,
    estimates: &Estimates,
    repeats: &[u32],
    data: LabelledJudgments<'_>,
    context: &Context,
) -> Result<Predictor> {
    let used: Vec<usize> = (0..repeats.len()).filter(|&a| repeats[a] > 0).collect();
    let by_moments = estimates.weights_for(repeats);
    // What the moments say they leave, and what they leave of held-out objects.
    let share = |&a: &usize| by_moments[a] * (estimates.covariance[a] + by_moments[a] * estimates.ridge[a]);
    let explained: f64 = used.iter().map(share).sum();
    let projected = (estimates.label_variance - explained).max(1e-9 * estimates.label_variance);
    let fitted = match fitting {
        Fitting::LeastSquares => Some(least_squares(data, &used, repeats, context.seed())?),
        Fitting::Moments => None,
    };
    let expected = expected_loss(data, repeats, estimates.ridge_given(), context)?;
    let left = expected.unwrap_or(projected).max(projected);
    let Fitted { weights, bias, objects, error_variance } = fitted.unwrap_or_else(|| Fitted {
        weights: used.iter().map(|&a| by_moments[a]).collect(),
        bias: estimates.bias(&by_moments),
        objects: estimates.objects,
        error_variance: left,
    });
    let attribute = |(&a, &weight): (&usize, &f64)| PredictorAttribute {
        attribute: estimates.attributes[a].clone(),
        judgments: repeats[a],
        weight,
        centre: estimates.centre[a],
        covariance: estimates.covariance[a],
        noise: estimates.noise[a],
        ridge: estimates.ridge[a],
    };
    Ok(Predictor {
        label: String::new(),
        classes: None,
        fitting,
        objects,
        label_mean: estimates.label_mean,
        label_variance: estimates.label_variance,
        attributes: used.iter().zip(&weights).map(attribute).collect(),
        bias,
        error_variance,
        inflation: left / projected,
        error_rate: None,
        external: estimates.external.of(&used),
    })
}

struct Fitted {
    weights: Vec<f64>,
    bias: f64,
    objects: usize,
    error_variance: f64,
}

fn least_squares(data: LabelledJudgments<'_>, used: &[usize], repeats: &[u32], seed: u64) -> Result<Fitted> {
    let planned = PlannedMeans::of(data, used, repeats, seed);
    let (objects, needed) = (planned.len(), used.len() + 2);
    if objects < needed {
        return Err(Error::FewComplete { objects, needed });
    }
    let (weights, bias) = planned.fit();
    Ok(Fitted { weights, bias, objects, error_variance: planned.cross_validated() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::{estimated, random_judgments};

    #[test]
    fn the_error_claimed_is_that_of_new_objects() {
        for fitting in [Fitting::LeastSquares, Fitting::Moments] {
            let (mut claimed, mut found) = (0.0, 0.0);
            for seed in 0..20 {
                // New objects of the same kind: the same seed gives the same attributes.
                let (judgments, labels) = random_judgments(40 + seed, 4, 640);
                let known: Vec<f64> =
                    (0..640).map(|object| if object < 40 { labels[object] } else { f64::NAN }).collect();
                let estimates = estimated(&judgments, &known);
                let data = LabelledJudgments::new(&judgments, &known).unwrap();
                let predictor = fit(fitting, &estimates, &[2, 2, 2, 2], data, &Context::new().with_seed(1)).unwrap();
                claimed += predictor.error_variance;
                let all = LabelledJudgments::new(&judgments, &labels).unwrap();
                let fresh = PlannedMeans::of(all, &[0, 1, 2, 3], &[2, 2, 2, 2], 3);
                let error = |(means, label): (&Vec<f64>, &f64)| {
                    let weighted = predictor.attributes.iter().zip(means).map(|(a, x)| a.weight * x).sum::<f64>();
                    (predictor.bias + weighted - label).powi(2)
                };
                found += fresh.means.iter().zip(&fresh.labels).skip(40).map(error).sum::<f64>() / 600.0;
            }
            // Twenty samples of 40 objects: each claim varies by about a quarter of itself.
            assert!((claimed / found - 1.0).abs() < 0.25, "{fitting:?}: claimed {claimed}, found {found}");
        }
    }

    #[test]
    fn too_few_complete_objects_are_refused() {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        let estimates = estimated(&judgments, &labels);
        let error = fit(Fitting::LeastSquares, &estimates, &[9, 0, 0, 0], data, &Context::new()).unwrap_err();
        assert_eq!(error, Error::FewComplete { objects: 0, needed: 3 });
    }

    #[test]
    fn the_seed_decides_which_judgments_are_drawn() {
        let (judgments, labels) = random_judgments(31, 4, 90);
        let data = LabelledJudgments::new(&judgments, &labels).unwrap();
        let estimates = estimated(&judgments, &labels);
        let of = |seed: u64| {
            fit(Fitting::LeastSquares, &estimates, &[1, 1, 0, 0], data, &Context::new().with_seed(seed)).unwrap()
        };
        assert_eq!(of(4), of(4));
        assert_ne!(of(4).bias, of(5).bias);
    }
}
