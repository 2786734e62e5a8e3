//! The whole of `fit`: the linear predictor of a selection.

use super::attribute_names::find;
use super::class_rule::ClassRule;
use super::combine::combined;
use super::held_out_scores::{FoldScores, recognised, rule};
use super::planned_means::PlannedMeans;
use super::predictor::PredictorAttribute;
use super::validate::held_out_errors;
use super::{
    AttributeLabel, CodedLabels, Estimates, Fitting, LabelledJudgments, Predictor, Selection, SelectionErrors,
    TargetRows,
};
use crate::linalg::dot;
use crate::{Column, Context, Error, Judgments, Result, Warning};

/// Fits the linear predictor of a selection: y = bias + sum of w_a times the mean of the judgments of a.
///
/// By [`Fitting::LeastSquares`] on the means of exactly the planned judgments, from the objects that have them, or by
/// [`Fitting::Moments`], w = (Sigma + diag(v / r))^-1 b. The errors to expect are cross-validated; where they were expected to
/// be larger when the attributes were chosen from the same objects, they are as expected then.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `selection` | which attributes to judge, how often each | none | at least one judgment |
/// | `fitting` | how to find the weights | least squares | |
/// | `label_of` | the attribute whose judgments the label is the mean of | none | |
///
/// Where the label is the mean of an attribute's judgments, and workers are known, weights are from the moments, which pair
/// judgments of different workers: least squares would take what a worker adds to both for what goes with the label. The
/// error is then that of the true values, without the noise of the means.
///
/// Noise factors of the selection hold for weights from the moments. Least squares takes the judgments as they are: collect
/// them from those who will judge.
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
/// let fitted = FitPredictor { selection, ..FitPredictor::default() }.fit(&judgments, &label, &Context::new())?;
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
    /// The attribute whose judgments the label is the mean of; see [`AttributeLabel`].
    pub label_of: Option<String>,
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
        let coded = CodedLabels::of(label, &judgments.objects, self.selection.classes)?;
        let averaged = self.label_of.as_deref().filter(|_| coded.classes.is_none());
        let averaged = averaged.map(|name| AttributeLabel::of(judgments, name)).transpose()?;
        let averaged = averaged.filter(|label| label.paired);
        let mut warnings: Vec<Warning> = coded.warning().into_iter().collect();
        let fitting = match (self.fitting, &averaged) {
            (Fitting::LeastSquares, Some(label)) => {
                warnings.push(Warning::PairedByMoments { label: label.column.name().to_owned() });
                Fitting::Moments
            }
            (fitting, _) => fitting,
        };
        // Least squares is fitted to judgments by those who will judge.
        let noise_factors = match fitting {
            Fitting::LeastSquares => Vec::new(),
            Fitting::Moments => self.selection.noise_factors().in_order(&judgments.attributes)?,
        };
        let data = LabelledJudgments::coded(judgments, &coded)?.judged_anew(&noise_factors);
        let tells = combined(judgments, self.selection.aggregate)?;
        let label_of = averaged.as_ref().map(|label| find(&judgments.attributes, label.column.name())).transpose()?;
        let data = data.combined(self.selection.aggregate, &tells).averaged(label_of);
        context.report("fitting", 0.0)?;
        let mut estimates = Estimates::new(data, self.selection.ridge, context)?;
        let label_noise = averaged.map_or(0.0, |label| label.noise.min(0.999 * estimates.label_variance));
        estimates.label_variance -= label_noise;
        let (mut predictor, by_moments) =
            fit_beside_moments(fitting, (&estimates, label_noise), &repeats, data, &context.part(0.1, 1.0))?;
        predictor.label = label.name().to_owned();
        // Least squares errs otherwise than the moments, by which the selection was made.
        if let (Some(expected), Fitting::Moments) = (&self.selection.expected, fitting) {
            admit_choice(&mut predictor, &by_moments, expected, estimates.objects);
        }
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

/// A predictor of a nameless label, for these numbers of judgments.
#[cfg(test)]
pub(super) fn fit(
    fitting: Fitting,
    estimates: &Estimates,
    repeats: &[u32],
    data: LabelledJudgments<'_>,
    context: &Context,
) -> Result<Predictor> {
    fit_beside_moments(fitting, (estimates, 0.0), repeats, data, context).map(|(predictor, _)| predictor)
}

/// The errors of weights from the moments on held-out objects, for attributes that are given.
struct ByMoments {
    loss: f64,
    error_rate: Option<f64>,
}

/// The same, and the errors that weights from the moments have. The variance of errors in the label itself is off the
/// estimates, and is taken off the errors of held-out objects.
fn fit_beside_moments(
    fitting: Fitting,
    (estimates, label_noise): (&Estimates, f64),
    repeats: &[u32],
    data: LabelledJudgments<'_>,
    context: &Context,
) -> Result<(Predictor, ByMoments)> {
    let used: Vec<usize> = (0..repeats.len()).filter(|&a| repeats[a] > 0).collect();
    let by_moments = estimates.weights_for(repeats);
    // What the moments say they leave, and what they leave of held-out objects.
    let share = |&a: &usize| dot(&by_moments[a], &estimates.covariance[a]) + by_moments.square(a) * estimates.ridge[a];
    let explained: f64 = used.iter().map(share).sum();
    let projected = (estimates.label_variance - explained).max(1e-9 * estimates.label_variance);
    let fitted = match fitting {
        Fitting::LeastSquares => Some(least_squares(data, &used, repeats, context.seed())?),
        Fitting::Moments => None,
    };
    let held_out = held_out_errors(data, repeats, estimates.ridge_given(), context)?;
    let left = held_out.as_ref().map_or(projected, |held_out| held_out.loss - label_noise).max(projected);
    let counted = held_out.as_ref().zip(data.classes).and_then(|(held_out, of)| recognised(&held_out.scores, of));
    let errors_by_moments = ByMoments { loss: left, error_rate: counted.map(|counted| counted.error_rate) };
    let (weights, bias) = estimates.of_combined(&by_moments, repeats);
    let LeastSquaresFit { weights, bias, objects, error_variance, scores } =
        fitted.unwrap_or_else(|| LeastSquaresFit {
            bias,
            weights,
            objects: estimates.objects,
            error_variance: left,
            scores: held_out.map(|held_out| held_out.scores).unwrap_or_default(),
        });
    let attribute = |&a: &usize| PredictorAttribute {
        attribute: estimates.attributes[a].clone(),
        judgments: repeats[a],
        weight: weights[a].into(),
        centre: estimates.centre[a],
        covariance: estimates.covariance[a].into(),
        noise: estimates.noise[a],
        ridge: estimates.ridge[a],
        combined: estimates.combined.get(a).cloned(),
    };
    let mut predictor = Predictor {
        label: String::new(),
        classes: data.classes.cloned(),
        fitting,
        aggregate: data.combine,
        objects,
        label_mean: estimates.label_mean.clone().into(),
        label_variance: estimates.label_variance,
        attributes: used.iter().map(attribute).collect(),
        bias: bias.into(),
        error_variance,
        inflation: left / projected,
        error_rate: data.classes.and_then(|classes| Some(recognised(&scores, classes)?.error_rate)),
        rule: data.classes.and_then(|classes| rule(&scores, classes)),
        external: estimates.external.of(&used),
    };
    if let (Some(classes), None) = (data.classes, &predictor.rule) {
        // Too few objects to hold some out: by the moments.
        let (with, own) = predictor.covariances(&predictor.planned_weights(), &predictor.planned());
        predictor.rule =
            Some(ClassRule::of_covariance(classes, &estimates.label_mean, |i, j| with[(i, j)], |i, j| own[(i, j)]));
    }
    Ok((predictor, errors_by_moments))
}

/// Raises the errors stated as much as weights from the moments were expected to err more when the attributes were chosen, as
/// far as the objects are those that they were chosen from: that choice was not held out here.
fn admit_choice(predictor: &mut Predictor, by_moments: &ByMoments, expected: &SelectionErrors, objects: usize) {
    let share = (expected.objects as f64 / objects.max(1) as f64).min(1.0);
    let raised = |own: f64, before: f64, here: f64| match here > 0.0 {
        true => own * (1.0 + share * (before / here - 1.0).max(0.0)),
        false => own,
    };
    let error = raised(predictor.error_variance, expected.loss, by_moments.loss).min(predictor.label_variance);
    if predictor.error_variance > 0.0 && error > predictor.error_variance {
        predictor.inflation *= error / predictor.error_variance;
        predictor.error_variance = error;
    }
    if let (Some(rate), Some(before), Some(here)) = (predictor.error_rate, expected.error_rate, by_moments.error_rate) {
        predictor.error_rate = Some(raised(rate, before, here).min(1.0));
    }
    if let (Some(classes), Some(own), Some(other)) = (&predictor.classes, &predictor.rule, &expected.rule)
        && other.is_sound(classes, 1e150)
    {
        predictor.rule = Some(own.towards(other, share, classes, predictor.label_mean.all()));
    }
}

struct LeastSquaresFit {
    weights: TargetRows,
    bias: Vec<f64>,
    objects: usize,
    error_variance: f64,
    scores: Vec<FoldScores>,
}

fn least_squares(data: LabelledJudgments<'_>, used: &[usize], repeats: &[u32], seed: u64) -> Result<LeastSquaresFit> {
    let planned = PlannedMeans::of(data, used, repeats, seed);
    let (objects, needed) = (planned.len(), used.len() + 2);
    if objects < needed {
        return Err(Error::FewComplete { objects, needed });
    }
    let mut weights = TargetRows::zeros(repeats.len(), data.targets);
    let fitted = planned.fit();
    for (target, (found, _)) in fitted.iter().enumerate() {
        used.iter().zip(found).for_each(|(&a, weight)| weights[a][target] = *weight);
    }
    let bias = fitted.iter().map(|(_, bias)| *bias).collect();
    let held_out = planned.cross_validated(data.classes);
    Ok(LeastSquaresFit { weights, bias, objects, error_variance: held_out.loss, scores: held_out.scores })
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
                let error = |(means, label): (&Vec<f64>, &Vec<f64>)| {
                    let weighted = predictor.attributes.iter().zip(means).map(|(a, x)| a.weight.all()[0] * x);
                    (predictor.bias.all()[0] + weighted.sum::<f64>() - label[0]).powi(2)
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
