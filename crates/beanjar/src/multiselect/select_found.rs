//! From the numbers of a selection to an outcome with names.

use super::along::OtherLosses;
use super::budget_advice::BudgetAdvice;
use super::select_outcome::{
    AttributeMoments, AttributeStability, NextJudgment, OtherMethod, OtherStep, RecognisedClass, SelectLabel,
    SelectOutcome, SelectStep, SelectedAttribute,
};
use super::spending::Spending;
use super::{Classes, CodedLabels, Combine, Estimates, SelectionFit, Selector, StabilityFit, Step, ValidationFit};
use crate::Warning;

/// All that a selection has found.
pub(super) struct Found<'a> {
    pub(super) label: &'a str,
    pub(super) coded: &'a CodedLabels,
    pub(super) noise_factors: &'a [f64],
    pub(super) combine: Combine,
    pub(super) selector: &'a Selector,
    pub(super) estimates: &'a Estimates,
    pub(super) ridge: f64,
    pub(super) selection: &'a SelectionFit,
    pub(super) validation: Option<&'a ValidationFit>,
    pub(super) stability: Option<Vec<StabilityFit>>,
    pub(super) others: Option<Vec<OtherLosses>>,
    pub(super) warnings: Vec<Warning>,
}

impl SelectOutcome {
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
        let weights = estimates.weights_for(&selection.repeats);
        let (weights, bias) = estimates.of_combined(&weights, &selection.repeats);
        let expected = loss(selection.spent);
        let recognised = validation.and_then(|validation| validation.recognised.as_ref()).zip(coded.classes.as_ref());
        let attribute = |a: usize| SelectedAttribute {
            attribute: estimates.attributes[a].clone(),
            judgments: selection.repeats[a],
            cost: selector.spending.cost[a],
            weight: weights[a].into(),
            covariance: estimates.covariance[a].into(),
            noise: estimates.noise[a],
            noise_factor: found.noise_factors.get(a).copied(),
            signal: estimates.signal[a],
        };
        SelectOutcome {
            method: selector.strategy.method(),
            aggregate: found.combine,
            budget: selector.spending.budget,
            spent: selection.spent,
            objects: estimates.objects,
            label: SelectLabel {
                name: found.label.to_owned(),
                mean: estimates.label_mean.clone().into(),
                variance: estimates.label_variance,
                classes: coded.classes.clone(),
            },
            ridge,
            bias: bias.into(),
            explained: selection.explained,
            projected_loss: estimates.label_variance - selection.explained,
            cv_loss: expected.map(|expected| expected.loss),
            cv_se: expected.map(|expected| expected.se),
            error_rate: recognised.map(|(recognised, _)| recognised.error_rate),
            recognised: recognised.map(|(recognised, classes)| classes.with_recall(&recognised.recall)),
            rule: validation.and_then(|validation| validation.rule.clone()),
            suggested_budget: None,
            still_falling: false,
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
            attributes: estimates.moments(&selector.spending, coded.classes.as_ref()),
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
    /// The same with the errors of the label itself taken off: losses are those of predicting the true values. What is said
    /// of the budget goes by these.
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
        let advice = self.advice();
        self.suggested_budget = advice.and_then(BudgetAdvice::suggested);
        self.still_falling = matches!(advice, Some(BudgetAdvice::StillFalls { .. }));
        self
    }
}

impl Estimates {
    /// The attributes whose noise is not known.
    pub(super) fn judged_once(&self) -> Vec<String> {
        (0..self.len()).filter(|&a| !self.usable[a]).map(|a| self.attributes[a].clone()).collect()
    }

    /// What is known of each attribute that could be chosen.
    fn moments(&self, spending: &Spending, classes: Option<&Classes>) -> Vec<AttributeMoments> {
        let of = |a: usize| {
            // Both are estimates, so that the quotient may exceed 1.
            let correlation = match self.covariance[a] {
                [covariance] => (covariance / (self.signal[a] * self.label_variance).sqrt()).clamp(-1.0, 1.0),
                ref all => {
                    let shares = classes.map_or(&[][..], |classes| &classes.shares);
                    let between: f64 = all.iter().zip(shares).map(|(b, share)| b * b / share).sum();
                    (between / self.signal[a]).sqrt().min(1.0)
                }
            };
            AttributeMoments {
                attribute: self.attributes[a].clone(),
                correlation: correlation.is_finite().then_some(correlation),
                covariance: self.covariance[a].into(),
                noise: self.noise[a],
                signal: self.signal[a],
                cost: spending.cost[a],
            }
        };
        (0..self.len()).filter(|&a| self.usable[a] && spending.at_most[a] > 0).map(of).collect()
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

impl Classes {
    fn with_recall(&self, recall: &[f64]) -> Vec<RecognisedClass> {
        let of = |((class, &share), &recall): ((&String, &f64), &f64)| RecognisedClass {
            class: class.clone(),
            share,
            recall,
        };
        self.names.iter().zip(&self.shares).zip(recall).map(of).collect()
    }
}
