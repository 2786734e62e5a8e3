//! Predictions for any pattern of judgments, and their comparison with the truth.

use super::Predictor;
use super::predictor::PredictorAttribute;
use super::selection::number;
use crate::classes_truth::PredictedClass;
use crate::judgments::Grouped;
use crate::{ClassesTruth, Column, Context, Dictionary, Error, Judgments, Result, Warning};
use std::collections::HashMap;

/// The predicted labels of objects, numbers or one of two classes.
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
    /// Of those, the share in the wrong class, if the label has two classes.
    pub error_rate: Option<f64>,
    /// Of those, how good classes and their probabilities are, if the label has two classes.
    pub truth: Option<ClassesTruth>,
    /// The objects' ids.
    pub objects: Dictionary,
    /// The label to expect, of each object; coded as a number if it has two classes.
    pub predictions: Vec<f64>,
    /// The standard errors of the predictions.
    pub standard_errors: Vec<f64>,
    /// Whether an object has exactly the judgments planned.
    pub planned: Vec<bool>,
    /// The names of the two classes, if the label has classes.
    pub class_names: Option<[String; 2]>,
    /// The number of the class of each object, 0 or 1; empty if the label is a number.
    pub classes: Vec<u8>,
    /// The probability of the second class of each object; empty if the label is a number.
    pub second: Vec<f64>,
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
    /// The label to expect.
    pub prediction: f64,
    /// Its standard error.
    pub se: f64,
    /// The class, if the label has classes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub label: Option<&'a str>,
    /// Whether the object has exactly the judgments planned.
    pub planned: bool,
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
            classes: Vec::new(),
            second: Vec::new(),
            warnings: Vec::new(),
        };
        let mut rules = Rules { predictor: self, known: HashMap::new() };
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
                    means[i] = values.iter().sum::<f64>() / values.len() as f64;
                }
            }
            outcome.push(self, &rules.predict(&counts, &means));
        }
        let unplanned = outcome.planned.iter().filter(|planned| !**planned).count();
        if unplanned > 0 {
            outcome.warnings.push(Warning::NotAsPlanned { objects: unplanned, all: objects });
        }
        Ok(outcome)
    }

    /// The weights for a pattern of counts, and the standard error they leave.
    fn for_pattern(&self, counts: &[u32]) -> (Vec<f64>, f64) {
        let used: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
        let mut matrix = self.external.of(&used);
        for (i, &a) in used.iter().enumerate() {
            matrix[(i, i)] += self.attributes[a].noise / f64::from(counts[a]);
        }
        let b: Vec<f64> = used.iter().map(|&a| self.attributes[a].covariance).collect();
        let solved = matrix.solve(&b);
        // With (M + R) w = b, R the ridge, the error 2 w'b - w' M w less than the variance is w'b + w' R w less.
        let share = |(&a, w): (&usize, &f64)| w * (self.attributes[a].covariance + w * self.attributes[a].ridge);
        let explained: f64 = used.iter().zip(&solved).map(share).sum();
        let mut weights = vec![0.0; counts.len()];
        used.iter().zip(solved).for_each(|(&a, weight)| weights[a] = weight);
        // What the moments leave is too small by about as much as it is for the planned judgments; knowing something is
        // never worse than knowing nothing.
        let error = ((self.label_variance - explained).max(0.0) * self.inflation).min(self.label_variance);
        (weights, error.sqrt())
    }
}

/// The predictor of each pattern of counts that was met.
struct Rules<'a> {
    predictor: &'a Predictor,
    known: HashMap<Vec<u32>, (Vec<f64>, f64)>,
}

struct Prediction {
    value: f64,
    se: f64,
    planned: bool,
}

impl Rules<'_> {
    fn predict(&mut self, counts: &[u32], means: &[f64]) -> Prediction {
        let Rules { predictor, known } = self;
        let attributes = &predictor.attributes;
        if attributes.iter().map(|attribute| attribute.judgments).eq(counts.iter().copied()) {
            let weighted = attributes.iter().zip(means).map(|(a, mean)| a.weight * mean).sum::<f64>();
            return Prediction { value: predictor.bias + weighted, se: predictor.error_variance.sqrt(), planned: true };
        }
        if !known.contains_key(counts) {
            known.insert(counts.to_vec(), predictor.for_pattern(counts));
        }
        let (weights, se) = &known[counts];
        let off = |(i, attribute): (usize, &PredictorAttribute)| weights[i] * (means[i] - attribute.centre);
        let value = predictor.label_mean + attributes.iter().enumerate().map(off).sum::<f64>();
        Prediction { value, se: *se, planned: false }
    }
}

impl PredictValuesOutcome {
    fn push(&mut self, predictor: &Predictor, prediction: &Prediction) {
        self.predictions.push(prediction.value);
        self.standard_errors.push(prediction.se);
        self.planned.push(prediction.planned);
        if let Some(classes) = &predictor.classes {
            let error = if prediction.planned { predictor.error_variance } else { prediction.se.powi(2) };
            self.classes.push(classes.of(prediction.value, predictor.explained(error)) as u8);
            self.second.push(classes.probability(prediction.value, predictor.explained(error)));
        }
    }

    /// The predictions, object by object.
    pub fn rows(&self) -> impl Iterator<Item = PredictedValue<'_>> {
        self.objects.iter().enumerate().map(|(i, object)| PredictedValue {
            object,
            prediction: self.predictions[i],
            se: self.standard_errors[i],
            label: self.class_of(i),
            planned: self.planned[i],
        })
    }

    fn class_of(&self, object: usize) -> Option<&str> {
        let names = self.class_names.as_ref()?;
        names.get(usize::from(*self.classes.get(object)?)).map(String::as_str)
    }

    /// The same with the error on the objects whose true label is known.
    pub fn compared_with(mut self, truth: &Column) -> Result<Self> {
        let matched = truth.matched(&self.objects, "object")?;
        let known: Vec<(usize, &str)> =
            matched.iter().enumerate().filter_map(|(object, truth)| Some((object, (*truth)?))).collect();
        let n = known.len() as f64;
        if let Some(names) = &self.class_names {
            let compared = ClassesTruth::of(known.iter().map(|&(object, truth)| {
                let of = |class: usize| if class == 1 { self.second[object] } else { 1.0 - self.second[object] };
                PredictedClass {
                    truth,
                    label: self.class_of(object).unwrap_or_default(),
                    probability: of(usize::from(self.classes[object])),
                    of_truth: names.iter().position(|name| name == truth).map_or(0.0, of),
                }
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
