//! What `select` found, with names.

use super::budget_advice::BudgetAdvice;
use super::{ClassRule, Classes, Combine, Method, PerTarget, Selection, SelectionAttribute, SelectionErrors};
use crate::Warning;

/// What to ask of new objects, and what error to expect.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelectOutcome {
    /// How it was chosen.
    pub method: Method,
    /// How judgments of an attribute become one number.
    pub aggregate: Combine,
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
    pub bias: PerTarget,
    /// obj(r): how much of the label's variance the selection explains.
    pub explained: f64,
    /// The label's variance less what is explained: the squared error on the very objects that were used to choose.
    pub projected_loss: f64,
    /// The squared error to expect on new objects, cross-validated.
    pub cv_loss: Option<f64>,
    /// Its standard error.
    pub cv_se: Option<f64>,
    /// Of classes, the share of new objects to expect in the wrong one, cross-validated; none if hardly any object has
    /// judgments of all attributes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub error_rate: Option<f64>,
    /// Of each class, how many of its objects are expected to be recognised.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub recognised: Option<Vec<RecognisedClass>>,
    /// Of classes, where the predictions of held-out objects of each lie, with the judgments selected.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rule: Option<ClassRule>,
    /// The smallest sum whose expected loss is within one standard error of the smallest; none if the loss still falls at the
    /// end of the budget.
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
    /// Its mean; of more than two classes, their shares.
    pub mean: PerTarget,
    /// The mean of its square about that, summed over classes if they are more than two.
    pub variance: f64,
    /// Its classes, if it is no number.
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
    pub weight: PerTarget,
    /// b: its covariance with the label.
    pub covariance: PerTarget,
    /// v: the variance of judgments of one object, of those to come.
    pub noise: f64,
    /// How many times the variance of the judgments at hand that is, if not once.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub noise_factor: Option<f64>,
    /// sigma^2: the variance of its true values over objects.
    pub signal: f64,
}

/// How many objects of a class are recognised.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RecognisedClass {
    /// Its name.
    pub class: String,
    /// Its share of the labelled objects.
    pub share: f64,
    /// The share of its new objects that is expected to be put there.
    pub recall: f64,
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
    /// The correlation of its true values with the label; of more than two classes, how much of their deviation lies
    /// between classes; none if they do not vary.
    pub correlation: Option<f64>,
    /// b: its covariance with the label.
    pub covariance: PerTarget,
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

impl SelectedAttribute {
    /// Of several classes, the one that the attribute goes with most, against the rest: by the correlation.
    #[must_use]
    pub fn best_recognised<'a>(&self, classes: &'a Classes) -> &'a str {
        let standardised = |class: &usize| {
            self.covariance.all()[*class].abs() / (classes.shares[*class] * (1.0 - classes.shares[*class])).sqrt()
        };
        let most = (0..classes.names.len().min(self.covariance.all().len()))
            .max_by(|one, other| standardised(one).total_cmp(&standardised(other)));
        most.map_or("", |class| &classes.names[class])
    }
}

impl SelectOutcome {
    /// The classes, if there are more than two, each with weights of its own.
    #[must_use]
    pub fn several_classes(&self) -> Option<&Classes> {
        self.label.classes.as_ref().filter(|classes| classes.names.len() > 2)
    }

    /// What to say of the budget; nothing if no error was cross-validated.
    #[must_use]
    pub fn advice(&self) -> Option<BudgetAdvice> {
        BudgetAdvice::of(&self.path)
    }

    /// What the error on new objects is below, where it does not differ from 0 beyond chance; none where it does, or is not known.
    #[must_use]
    pub fn error_below(&self) -> Option<f64> {
        error_below(self.cv_loss, self.cv_se)
    }

    /// The attributes and numbers of judgments alone: to plan by, and to fit a predictor for.
    #[must_use]
    pub fn to_selection(&self) -> Selection {
        let attribute = |chosen: &SelectedAttribute| SelectionAttribute {
            attribute: chosen.attribute.clone(),
            judgments: chosen.judgments,
            cost: chosen.cost,
            noise_factor: chosen.noise_factor,
        };
        Selection {
            attributes: self.selection.iter().map(attribute).collect(),
            label: Some(self.label.name.clone()),
            ridge: self.ridge,
            classes: self.label.classes.is_some(),
            aggregate: self.aggregate,
            expected: self.cv_loss.map(|loss| SelectionErrors {
                objects: self.objects,
                loss,
                error_rate: self.error_rate,
                rule: self.rule.clone(),
            }),
        }
    }
}

impl SelectStep {
    /// What the error on new objects is below after this step, where it does not differ from 0 beyond chance.
    #[must_use]
    pub fn error_below(&self) -> Option<f64> {
        error_below(self.cv_loss, self.cv_se)
    }
}

impl OtherStep {
    /// What the error on new objects is below after this step, where it does not differ from 0 beyond chance.
    #[must_use]
    pub fn error_below(&self) -> Option<f64> {
        error_below(Some(self.cv_loss), Some(self.cv_se))
    }
}

/// An estimate within one standard error of 0 says no more than that: the error is below two standard errors above it.
fn error_below(loss: Option<f64>, se: Option<f64>) -> Option<f64> {
    let (loss, se) = loss.zip(se)?;
    (loss <= se).then(|| loss.max(0.0) + 2.0 * se)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_within_its_standard_error_of_zero_is_a_bound() {
        assert_eq!(error_below(Some(0.0), Some(0.02)), Some(0.04));
        assert_eq!(error_below(Some(0.5), Some(0.5)), Some(1.5));
        assert_eq!(error_below(Some(-0.1), Some(0.5)), Some(1.0));
        assert_eq!((error_below(Some(0.51), Some(0.5)), error_below(Some(0.5), None)), (None, None));
    }
}
