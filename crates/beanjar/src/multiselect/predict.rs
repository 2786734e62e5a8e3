//! Predictions for any pattern of judgments, and their comparison with the truth.

use super::class_rule::Discriminant;
use super::estimates::solved;
use super::selection::number;
use super::{Predictor, TargetRows};
use crate::classes_truth::PredictedClass;
use crate::judgments::Grouped;
use crate::likeliest::likeliest;
use crate::linalg::dot;
use crate::{ClassesTruth, Column, Context, Dictionary, Error, Judgments, Result, Warning};
use std::collections::HashMap;

/// The predicted labels of objects, numbers or classes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PredictValuesOutcome {
    /// What is predicted.
    pub label: String,
    /// The number of objects whose true label is known, after [`compared_with`](Self::compared_with).
    pub compared: Option<usize>,
    /// Of those, the mean squared error, if the label is a number.
    pub squared_error: Option<f64>,
    /// Of those, what the standard errors led to expect of that: the mean of their squares.
    pub expected_squared_error: Option<f64>,
    /// Of those, the share in the wrong class, if the label has classes.
    pub error_rate: Option<f64>,
    /// Of those, how good classes and their probabilities are, if the label has classes.
    pub truth: Option<ClassesTruth>,
    /// The objects' ids.
    pub objects: Dictionary,
    /// The label to expect, of each object; coded as a number if it has two classes; empty if it has more.
    pub predictions: Vec<f64>,
    /// The standard errors of the predictions; empty if the label has more than two classes.
    pub standard_errors: Vec<f64>,
    /// Whether an object has exactly the judgments planned.
    pub planned: Vec<bool>,
    /// The names of the classes, if the label has classes.
    pub class_names: Option<Vec<String>>,
    /// The probability of each class, object by object; empty if the label is a number.
    pub probabilities: Vec<f64>,
    /// What a user should know of it.
    pub warnings: Vec<Warning>,
}

/// The prediction for one object.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PredictedValue<'a> {
    /// Which object.
    pub object: &'a str,
    /// The label to expect; none if it has more than two classes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub prediction: Option<f64>,
    /// Its standard error.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub se: Option<f64>,
    /// The likeliest class, if the label has classes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub label: Option<&'a str>,
    /// The probability of that class.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub probability: Option<f64>,
    /// The probability of each class.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub probabilities: Option<ClassProbabilities<'a>>,
    /// Whether the object has exactly the judgments planned.
    pub planned: bool,
}

/// The probability of each class. As JSON, by name.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClassProbabilities<'a> {
    /// The names of the classes.
    pub classes: &'a [String],
    /// The probability of each.
    pub values: &'a [f64],
}

#[cfg(feature = "serde")]
impl serde::Serialize for ClassProbabilities<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.classes.iter().zip(self.values))
    }
}

/// Objects between two reports of progress.
const REPORT_EVERY: usize = 16_384;

impl Predictor {
    /// Predicts the label of each object. One with exactly the planned judgments gets the fitted predictor. Any other gets
    /// the best linear predictor for the judgments it has, from the moments; one without judgments gets the mean label.
    /// An error if no object has a judgment of any attribute of the predictor.
    ///
    /// Cost: O(judgments), and O(s^3) for each different pattern of counts of s attributes.
    pub fn predict(&self, judgments: &Judgments, context: &Context) -> Result<PredictValuesOutcome> {
        if !self.is_sound() {
            let why = "its parts do not fit together; fit it again".into();
            return Err(Error::Inconsistent { what: "the predictor", why });
        }
        let lookup = judgments.attributes.lookup();
        let mut place = vec![None; judgments.attributes.len()];
        for (i, attribute) in self.attributes.iter().enumerate() {
            if let Some(code) = lookup.code(&attribute.attribute) {
                place[code] = Some(i);
            }
        }
        if place.iter().all(Option::is_none) {
            let names = self.attributes.iter().take(5).map(|attribute| attribute.attribute.clone());
            return Err(Error::NoModelAttribute(names.collect()));
        }
        let objects = judgments.objects();
        let mut outcome = PredictValuesOutcome {
            label: self.label.clone(),
            compared: None,
            squared_error: None,
            expected_squared_error: None,
            error_rate: None,
            truth: None,
            objects: judgments.objects.clone(),
            predictions: Vec::with_capacity(objects),
            standard_errors: Vec::with_capacity(objects),
            planned: Vec::with_capacity(objects),
            class_names: self.classes.as_ref().map(|classes| classes.names.clone()),
            probabilities: Vec::new(),
            warnings: Vec::new(),
        };
        let mut patterns: HashMap<Vec<u32>, Pattern> = HashMap::new();
        let (mut counts, mut means) = (vec![0; self.attributes.len()], vec![0.0; self.attributes.len()]);
        for object in 0..objects {
            if object % REPORT_EVERY == 0 {
                context.report("predicting", object as f64 / objects as f64)?;
            }
            counts.fill(0);
            means.fill(0.0);
            for (attribute, _, values) in judgments.of(object).by_attribute() {
                if let Some(i) = place[attribute] {
                    counts[i] = values.len() as u32;
                    means[i] = self.aggregate.of_these(values);
                }
            }
            if !patterns.contains_key(&counts) {
                patterns.insert(counts.clone(), self.pattern(&counts));
            }
            outcome.push(&patterns[&counts], &means);
        }
        let unplanned = outcome.planned.iter().filter(|planned| !**planned).count();
        if unplanned > 0 {
            outcome.warnings.push(Warning::NotAsPlanned { objects: unplanned, all: objects });
        }
        Ok(outcome)
    }

    /// What to predict by where counts are these.
    fn pattern(&self, counts: &[u32]) -> Pattern {
        let planned = self.attributes.iter().map(|attribute| attribute.judgments).eq(counts.iter().copied());
        let mut of_true_values = self.planned_weights();
        let (weights, bias, error) = match planned {
            true => (self.rows(|a| &a.weight), self.bias.all().to_vec(), self.error_variance),
            false => {
                let (mut weights, error) = self.for_counts(counts);
                of_true_values = weights.clone();
                let mut bias = self.label_mean.all().to_vec();
                for (i, attribute) in self.attributes.iter().enumerate().filter(|(i, _)| counts[*i] > 0) {
                    let (slope, shift) = attribute.line(counts[i]);
                    for (weight, bias) in weights[i].iter_mut().zip(&mut bias) {
                        *weight /= slope;
                        *bias -= *weight * (attribute.centre + shift);
                    }
                }
                (weights, bias, error)
            }
        };
        let rule = |classes| self.rule_for(classes, &of_true_values, counts, error).discriminant(classes);
        Pattern { discriminant: self.classes.as_ref().map(rule), weights, bias, se: error.sqrt(), planned }
    }

    /// The weights of the best linear predictor for these counts, by the moments, and the squared error they leave.
    fn for_counts(&self, counts: &[u32]) -> (TargetRows, f64) {
        let used: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
        let mut matrix = self.external.of(&used);
        for (i, &a) in used.iter().enumerate() {
            matrix[(i, i)] += self.attributes[a].noise_of(counts[a]);
        }
        let b = self.rows(|a| &a.covariance);
        let weights = solved(&matrix, &used, &b);
        // With (M + R) w = b, R the ridge, the error 2 w'b - w' M w less than the variance is w'b + w' R w less.
        let share = |&a: &usize| dot(&weights[a], &b[a]) + weights.square(a) * self.attributes[a].ridge;
        let explained: f64 = used.iter().map(share).sum();
        // What the moments leave is too small by about as much as it is for the planned judgments; knowing something is
        // never worse than knowing nothing.
        let error = ((self.label_variance - explained).max(0.0) * self.inflation).min(self.label_variance);
        (weights, error)
    }
}

/// What to predict by where counts are alike.
struct Pattern {
    weights: TargetRows,
    bias: Vec<f64>,
    se: f64,
    planned: bool,
    discriminant: Option<Discriminant>,
}

impl PredictValuesOutcome {
    fn push(&mut self, pattern: &Pattern, means: &[f64]) {
        let mut scores = pattern.bias.clone();
        for (i, mean) in means.iter().enumerate() {
            scores.iter_mut().zip(&pattern.weights[i]).for_each(|(score, weight)| *score += weight * mean);
        }
        if let [score] = scores[..] {
            self.predictions.push(score);
            self.standard_errors.push(pattern.se);
        }
        self.planned.push(pattern.planned);
        if let Some(discriminant) = &pattern.discriminant {
            self.probabilities.extend(discriminant.probabilities(&scores));
        }
    }

    /// The predictions, object by object.
    pub fn rows(&self) -> impl Iterator<Item = PredictedValue<'_>> {
        self.objects.iter().enumerate().map(|(i, object)| {
            let probabilities = self.probabilities_of(i);
            let class = probabilities.map(|of| likeliest(of.values));
            PredictedValue {
                object,
                prediction: self.predictions.get(i).copied(),
                se: self.standard_errors.get(i).copied(),
                label: probabilities.zip(class).map(|(of, class)| of.classes[class].as_str()),
                probability: probabilities.zip(class).map(|(of, class)| of.values[class]),
                probabilities,
                planned: self.planned[i],
            }
        })
    }

    /// The probability of each class of an object, if the label has classes.
    fn probabilities_of(&self, object: usize) -> Option<ClassProbabilities<'_>> {
        let classes = self.class_names.as_ref()?;
        let values = self.probabilities.get(object * classes.len()..(object + 1) * classes.len())?;
        Some(ClassProbabilities { classes, values })
    }

    /// The same with the error on the objects whose true label is known.
    pub fn compared_with(mut self, truth: &Column) -> Result<Self> {
        let matched = truth.matched(&self.objects, "object")?;
        let known: Vec<(usize, &str)> =
            matched.iter().enumerate().filter_map(|(object, truth)| Some((object, (*truth)?))).collect();
        let n = known.len() as f64;
        if self.class_names.is_some() {
            let compared = ClassesTruth::of(known.iter().filter_map(|&(object, truth)| {
                let ClassProbabilities { classes, values } = self.probabilities_of(object)?;
                let class = likeliest(values);
                Some(PredictedClass {
                    truth,
                    label: &classes[class],
                    probability: values[class],
                    of_truth: classes.iter().position(|name| name == truth).map_or(0.0, |class| values[class]),
                })
            }));
            self.error_rate = Some(1.0 - compared.accuracy);
            self.truth = Some(compared);
        } else {
            let rows = truth.ids().lookup();
            let mut squares = 0.0;
            for (object, _) in &known {
                let row = rows.code(self.objects.get(*object)).unwrap_or_default();
                squares += (number(truth, row)? - self.predictions[*object]).powi(2);
            }
            self.squared_error = Some(squares / n);
            let promised = known.iter().map(|(object, _)| self.standard_errors[*object].powi(2)).sum::<f64>();
            self.expected_squared_error = Some(promised / n);
        }
        self.compared = Some(known.len());
        Ok(self)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for PredictValuesOutcome {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut outcome = serializer.serialize_map(None)?;
        outcome.serialize_entry("label", &self.label)?;
        if let Some(compared) = self.compared {
            outcome.serialize_entry("compared", &compared)?;
        }
        if let Some(error) = self.squared_error {
            outcome.serialize_entry("squared_error", &error)?;
        }
        if let Some(error) = self.expected_squared_error {
            outcome.serialize_entry("expected_squared_error", &error)?;
        }
        if let Some(rate) = self.error_rate {
            outcome.serialize_entry("error_rate", &rate)?;
        }
        if let Some(truth) = &self.truth {
            outcome.serialize_entry("truth", truth)?;
        }
        outcome.serialize_entry("predictions", &Predictions(self))?;
        outcome.end()
    }
}

/// The rows, made as they are written: there may be millions.
#[cfg(feature = "serde")]
struct Predictions<'a>(&'a PredictValuesOutcome);

#[cfg(feature = "serde")]
impl serde::Serialize for Predictions<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.rows())
    }
}

#[cfg(test)]
mod tests;
