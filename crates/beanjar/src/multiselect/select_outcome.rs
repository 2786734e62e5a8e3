//! What `select` found, with names.

use super::along::OtherLosses;
use super::select::Found;
use super::{Classes, Estimates, ExpectedLoss, Method, Selection, SelectionAttribute, StabilityFit, Step};
use crate::Warning;

/// What to ask of new objects, and what error to expect.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelectOutcome {
    /// How it was chosen.
    pub method: Method,
    /// What may be spent on each object.
    pub budget: f64,
    /// What the selection costs per object.
    pub spent: f64,
    /// The number of labelled objects that it was chosen from.
    pub objects: usize,
    /// What is predicted.
    pub label: SelectLabel,
    /// The ridge, given or chosen.
    pub ridge: f64,
    /// What is added to the weighted means of the judgments.
    pub bias: f64,
    /// obj(r): how much of the label's variance the selection explains.
    pub explained: f64,
    /// The label's variance less what is explained: the squared error on the very objects that were used to choose.
    pub projected_loss: f64,
    /// The squared error to expect on new objects, cross-validated.
    pub cv_loss: Option<f64>,
    /// Its standard error.
    pub cv_se: Option<f64>,
    /// Of two classes, the share of objects to expect in the wrong one.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error_rate: Option<f64>,
    /// The smallest sum whose expected loss is within one standard error of the smallest; none near the end of a budget at
    /// whose end the loss still falls.
    pub suggested_budget: Option<f64>,
    /// Whether the expected loss still falls at the end of the budget.
    pub still_falling: bool,
    /// What no selection within the budget explains more than.
    pub upper_bound: f64,
    /// The share of the upper bound that is not explained.
    pub gap: f64,
    /// Whether it is proven that no selection within the budget explains more.
    pub proven: bool,
    /// The attributes to judge.
    pub selection: Vec<SelectedAttribute>,
    /// The steps that led there. Each adds to those before, so that the selection at any step is known.
    pub path: Vec<SelectStep>,
    /// The judgment that would explain most for its cost if more could be spent; none if none explains more.
    pub next: Option<NextJudgment>,
    /// What is known of each attribute that could be chosen.
    pub attributes: Vec<AttributeMoments>,
    /// The losses that other methods would expect, if they were to be compared.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub others: Option<Vec<OtherMethod>>,
    /// Attributes that could not be chosen, because no labelled object has two judgments of them.
    pub left_out: Vec<String>,
    /// Of each attribute, how often it is chosen over resampled objects.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub stability: Option<Vec<AttributeStability>>,
    /// What a user should know of it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// The label that a selection is to predict.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelectLabel {
    /// Its name.
    pub name: String,
    /// Its mean.
    pub mean: f64,
    /// The mean of its square about that.
    pub variance: f64,
    /// Its two classes, if it is no number.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub classes: Option<Classes>,
}

/// An attribute to judge.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelectedAttribute {
    /// Its name.
    pub attribute: String,
    /// How often to judge it.
    pub judgments: u32,
    /// What a judgment costs.
    pub cost: f64,
    /// What the prediction rises by when the mean of its judgments rises by 1.
    pub weight: f64,
    /// b: its covariance with the label.
    pub covariance: f64,
    /// v: the variance of judgments of one object.
    pub noise: f64,
    /// sigma^2: the variance of its true values over objects.
    pub signal: f64,
}

/// One judgment of a selection, and what is known after it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelectStep {
    /// Its number, from 1.
    pub step: usize,
    /// The attribute taken.
    pub attribute: String,
    /// How many judgments of it the step adds.
    pub judgments: u32,
    /// What was spent after it.
    pub spent: f64,
    /// What was explained after it.
    pub explained: f64,
    /// What no selection for as much explains more than; none at some steps of a long path.
    pub upper_bound: Option<f64>,
    /// The label's variance less what was explained.
    pub projected_loss: f64,
    /// The squared error to expect on new objects.
    pub cv_loss: Option<f64>,
    /// Its standard error.
    pub cv_se: Option<f64>,
}

/// The judgment to collect after those of a selection.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NextJudgment {
    /// Of which attribute.
    pub attribute: String,
    /// What would be spent with it.
    pub spent: f64,
    /// What would be explained with it.
    pub explained: f64,
}

/// What is known of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AttributeMoments {
    /// Its name.
    pub attribute: String,
    /// The correlation of its true values with the label; none if they do not vary.
    pub correlation: Option<f64>,
    /// b: its covariance with the label.
    pub covariance: f64,
    /// v: the variance of judgments of one object.
    pub noise: f64,
    /// sigma^2: the variance of its true values over objects.
    pub signal: f64,
    /// What a judgment costs.
    pub cost: f64,
}

/// The losses that another method would expect along its own path.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct OtherMethod {
    /// How it chooses.
    pub method: Method,
    /// Its steps.
    pub path: Vec<OtherStep>,
}

/// A step of another method.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct OtherStep {
    /// What was spent after it.
    pub spent: f64,
    /// The squared error to expect on new objects.
    pub cv_loss: f64,
    /// Its standard error.
    pub cv_se: f64,
}

/// How often an attribute is chosen over resampled objects.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct AttributeStability {
    /// Its name.
    pub attribute: String,
    /// The share of samples in which it is chosen.
    pub chosen: f64,
    /// The 5th percentile of its number of judgments.
    pub judgments_low: u32,
    /// The 95th percentile.
    pub judgments_high: u32,
}

impl SelectOutcome {
    /// The attributes and numbers of judgments alone: to plan by, and to fit a predictor for.
    #[must_use]
    pub fn to_selection(&self) -> Selection {
        let attribute = |chosen: &SelectedAttribute| SelectionAttribute {
            attribute: chosen.attribute.clone(),
            judgments: chosen.judgments,
            cost: chosen.cost,
        };
        Selection {
            attributes: self.selection.iter().map(attribute).collect(),
            label: Some(self.label.name.clone()),
            ridge: self.ridge,
        }
    }

    pub(super) fn of(found: Found<'_>) -> Self {
        let Found { coded, selector, estimates, ridge, selection, validation, .. } = found;
        let loss = |spent: f64| validation.map(|validation| validation.loss(spent));
        let judgments = selector.strategy.judgments_of_a_step();
        let steps = selection.path.iter().zip(selector.bounds(estimates, selection)).enumerate();
        let step = |(i, (step, upper_bound)): (usize, (&Step, Option<f64>))| {
            let expected = loss(step.spent);
            SelectStep {
                step: i + 1,
                attribute: estimates.attributes[step.attribute].clone(),
                judgments,
                spent: step.spent,
                explained: step.explained,
                upper_bound,
                projected_loss: estimates.label_variance - step.explained,
                cv_loss: expected.map(|expected| expected.loss),
                cv_se: expected.map(|expected| expected.se),
            }
        };
        let path: Vec<SelectStep> = steps.map(step).collect();
        let falling = still_falling(&path);
        let weights = estimates.weights_for(&selection.repeats);
        let expected = loss(selection.spent);
        let error_rate = |(expected, classes): (ExpectedLoss, &Classes)| {
            classes.error_rate(1.0 - expected.loss / estimates.label_variance)
        };
        let attribute = |a: usize| SelectedAttribute {
            attribute: estimates.attributes[a].clone(),
            judgments: selection.repeats[a],
            cost: selector.spending.cost[a],
            weight: weights[a],
            covariance: estimates.covariance[a],
            noise: estimates.noise[a],
            signal: estimates.signal[a],
        };
        SelectOutcome {
            method: selector.strategy.method(),
            budget: selector.spending.budget,
            spent: selection.spent,
            objects: estimates.objects,
            label: SelectLabel {
                name: found.label.to_owned(),
                mean: estimates.label_mean,
                variance: estimates.label_variance,
                classes: coded.classes.clone(),
            },
            ridge,
            bias: estimates.bias(&weights),
            explained: selection.explained,
            projected_loss: estimates.label_variance - selection.explained,
            cv_loss: expected.map(|expected| expected.loss),
            cv_se: expected.map(|expected| expected.se),
            error_rate: expected.zip(coded.classes.as_ref()).map(error_rate),
            suggested_budget: suggested_budget(&path).filter(|&budget| !(falling && is_near_end(&path, budget))),
            still_falling: falling,
            upper_bound: selection.upper_bound,
            gap: if selection.upper_bound > 0.0 { 1.0 - selection.explained / selection.upper_bound } else { 0.0 },
            proven: selection.proven,
            selection: (0..estimates.len()).filter(|&a| selection.repeats[a] > 0).map(attribute).collect(),
            path,
            next: selector.next(estimates, selection).map(|step| NextJudgment {
                attribute: estimates.attributes[step.attribute].clone(),
                spent: step.spent,
                explained: step.explained,
            }),
            attributes: estimates.moments(&selector.spending.cost),
            others: found.others.map(|others| others.into_iter().map(OtherMethod::of).collect()),
            left_out: estimates.judged_once(),
            stability: found.stability.map(|stability| estimates.stability(&stability)),
            warnings: found.warnings,
        }
    }
}

impl OtherMethod {
    fn of(losses: OtherLosses) -> Self {
        let step = |(spent, cv_loss, cv_se): (f64, f64, f64)| OtherStep { spent, cv_loss, cv_se };
        OtherMethod { method: losses.strategy.method(), path: losses.points.into_iter().map(step).collect() }
    }
}

impl SelectOutcome {
    /// The same with the errors of the label itself taken off: losses are those of predicting the true values.
    pub(super) fn without_noise(mut self, noise: f64) -> Self {
        let less = |loss: &mut f64| *loss = (*loss - noise).max(0.0);
        less(&mut self.label.variance);
        less(&mut self.projected_loss);
        self.cv_loss.iter_mut().for_each(less);
        for step in &mut self.path {
            less(&mut step.projected_loss);
            step.cv_loss.iter_mut().for_each(less);
        }
        for step in self.others.iter_mut().flatten().flat_map(|other| &mut other.path) {
            less(&mut step.cv_loss);
        }
        self
    }
}

impl Estimates {
    /// The attributes whose noise is not known.
    pub(super) fn judged_once(&self) -> Vec<String> {
        (0..self.len()).filter(|&a| !self.usable[a]).map(|a| self.attributes[a].clone()).collect()
    }

    /// What is known of each attribute that could be chosen.
    fn moments(&self, cost: &[f64]) -> Vec<AttributeMoments> {
        let of = |a: usize| {
            let scale = (self.signal[a] * self.label_variance).sqrt();
            AttributeMoments {
                attribute: self.attributes[a].clone(),
                // Both are estimates, so that the quotient may exceed 1.
                correlation: (scale > 0.0).then(|| (self.covariance[a] / scale).clamp(-1.0, 1.0)),
                covariance: self.covariance[a],
                noise: self.noise[a],
                signal: self.signal[a],
                cost: cost[a],
            }
        };
        (0..self.len()).filter(|&a| self.usable[a]).map(of).collect()
    }

    fn stability(&self, stability: &[StabilityFit]) -> Vec<AttributeStability> {
        let name = |(attribute, found): (&String, &StabilityFit)| AttributeStability {
            attribute: attribute.clone(),
            chosen: found.chosen,
            judgments_low: found.judgments.0,
            judgments_high: found.judgments.1,
        };
        self.attributes.iter().zip(stability).map(name).collect()
    }
}

/// The one-standard-error rule: the smallest sum whose expected loss is at most the smallest loss plus its standard
/// error.
fn suggested_budget(path: &[SelectStep]) -> Option<f64> {
    let expected = |step: &SelectStep| step.cv_loss.zip(step.cv_se).map(|(loss, se)| (step.spent, loss, se));
    let expected: Vec<(f64, f64, f64)> = path.iter().filter_map(expected).collect();
    let (_, loss, se) = expected.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    expected.iter().find(|step| step.1 <= loss + se).map(|step| step.0)
}

/// From this share of the budget on is near its end.
const NEAR: f64 = 0.8;

/// Whether the expected loss falls by more than a hundredth over the last fifth of the budget.
fn still_falling(path: &[SelectStep]) -> bool {
    let Some(last) = path.last() else { return false };
    let before = path.iter().rfind(|step| step.spent <= NEAR * last.spent);
    let losses = before.and_then(|step| step.cv_loss).zip(last.cv_loss);
    losses.is_some_and(|(before, after)| before - after > 0.01 * after.abs())
}

fn is_near_end(path: &[SelectStep], budget: f64) -> bool {
    path.last().is_some_and(|last| budget > NEAR * last.spent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_that_still_falls_is_noticed() {
        let step = |spent: f64, loss: f64| SelectStep {
            judgments: 1,
            upper_bound: None,
            step: 1,
            attribute: "a".into(),
            spent,
            explained: 0.0,
            projected_loss: 0.0,
            cv_loss: Some(loss),
            cv_se: Some(0.1),
        };
        let falls: Vec<SelectStep> = (1..=10).map(|i| step(f64::from(i), 10.0 / f64::from(i))).collect();
        assert!(still_falling(&falls) && is_near_end(&falls, 9.0) && !is_near_end(&falls, 8.0));
        let flat: Vec<SelectStep> = (1..=10).map(|i| step(f64::from(i), 5.0 + 10.0 * 0.2f64.powi(i))).collect();
        assert!(!still_falling(&flat) && !still_falling(&[]) && !still_falling(&flat[..1]));
    }

    #[test]
    fn the_suggested_budget_is_the_first_within_one_standard_error() {
        let step = |spent: f64, loss: Option<f64>| SelectStep {
            step: 1,
            attribute: "a".into(),
            judgments: 1,
            spent,
            explained: 0.0,
            upper_bound: None,
            projected_loss: 0.0,
            cv_loss: loss,
            cv_se: loss.map(|_| 0.5),
        };
        let losses = [9.0, 5.0, 3.4, 3.0, 3.2];
        let path: Vec<SelectStep> =
            losses.iter().enumerate().map(|(i, &loss)| step(2.0 * i as f64 + 2.0, Some(loss))).collect();
        assert_eq!(suggested_budget(&path), Some(6.0));
        assert_eq!(suggested_budget(&[step(1.0, None)]), None);
        assert_eq!(suggested_budget(&[]), None);
    }
}
