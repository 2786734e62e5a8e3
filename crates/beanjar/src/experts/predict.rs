use super::classifier::likeliest;
use super::{ExpertsModel, FeatureTable};
use crate::judgments::{Ballots, Labels};
use crate::{Column, Context, Dictionary, Error, Result, Warning};
use std::collections::BTreeMap;

/// The probabilities of units' classes by a model learned from experts, as the command `predict` prints them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PredictClassesOutcome {
    /// The classes, in sorted order.
    pub classes: Vec<String>,
    /// The units' ids.
    pub objects: Dictionary,
    /// The probability of each class, unit by unit.
    pub probabilities: Vec<f64>,
    /// How many units have a true class to compare with, if there is a truth.
    pub compared: Option<usize>,
    /// The share of them put into the wrong class.
    pub error_rate: Option<f64>,
    /// Whether the model was learned from each unit's labels, if that is known.
    pub learned_from: Option<Vec<bool>>,
    /// How good the predictions are, where the truth is known.
    pub truth: Option<ClassesTruth>,
    /// What a user should know.
    pub warnings: Vec<Warning>,
}

/// How good predicted classes and their probabilities are, where the truth is known.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClassesTruth {
    /// How many units have a known class.
    pub tasks: usize,
    /// The share whose label is right.
    pub accuracy: f64,
    /// The expected calibration error: how far probability is from accuracy, on average over ten bins.
    pub ece: f64,
    /// The mean of -ln of the probability of the true class, none of which counts as less than 1e-15.
    pub log_loss: f64,
    /// Of each true class and each label, how many units.
    pub confusion: BTreeMap<String, BTreeMap<String, usize>>,
}

/// What is predicted of one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClassPrediction<'a> {
    /// The unit.
    pub object: &'a str,
    /// The likeliest class; of equals the first.
    pub label: &'a str,
    /// The probability of the label.
    pub probability: f64,
    /// The probability of each class.
    pub probabilities: &'a [f64],
}

impl ExpertsModel {
    /// Predicts the classes of units from their features, and from what experts said of them if there are labels.
    ///
    /// Features are found by their names; others are not looked at. Labels of experts or classes that the model does not
    /// know are left out. Cost: O(values of all features, and labels).
    pub fn predict(
        &self,
        table: &FeatureTable,
        labels: Option<&Labels>,
        context: &Context,
    ) -> Result<PredictClassesOutcome> {
        context.report("predicting", 0.0)?;
        let features = table.features_named(self.feature_names())?;
        let mut warnings = Vec::new();
        let classifier = self.classifier().at_temperature(self.temperature());
        let probabilities = match (labels, self.experts()) {
            (None, _) => classifier.probabilities(&features)?,
            (Some(_), None) => return Err(Error::NoExperts),
            (Some(labels), Some(experts)) => {
                let experts = experts.with_classifier(classifier);
                experts.posterior(&features, &self.ballots(table.units(), labels, &mut warnings)?)?
            }
        };
        context.report("predicting", 1.0)?;
        Ok(PredictClassesOutcome {
            classes: self.classes().to_vec(),
            objects: table.units().clone(),
            probabilities,
            compared: None,
            error_rate: None,
            learned_from: self
                .learned_from()
                .map(|learned_from| table.units().iter().map(|unit| learned_from.has(unit)).collect()),
            truth: None,
            warnings,
        })
    }

    /// What experts whom the model knows said of units, in the order of these.
    fn ballots(&self, units: &Dictionary, labels: &Labels, warnings: &mut Vec<Warning>) -> Result<Ballots> {
        let experts: Dictionary = self.expert_names().iter().map(String::as_str).collect();
        let classes: Dictionary = self.classes().iter().map(String::as_str).collect();
        let known = labels.in_terms_of(&experts, &classes);
        if known.newcomers + known.unknown_labels > 0 {
            warnings.push(Warning::UnknownExperts { experts: known.newcomers, labels: known.unknown_labels });
        }
        let tasks = known.labels.tasks.lookup();
        let votes = |unit: &str| match tasks.code(unit) {
            None => Vec::new(),
            Some(task) => known.ballots.votes(task).iter().filter(|(worker, _)| *worker < experts.len()).collect(),
        };
        let votes: Vec<Vec<(usize, usize)>> = units.iter().map(votes).collect();
        let lookup = units.lookup();
        let without = known.labels.tasks.iter().filter(|task| lookup.code(task).is_none()).count();
        if without > 0 {
            warnings.push(Warning::TasksWithoutFeatures { tasks: without, what: "labelled task" });
        }
        if votes.iter().all(Vec::is_empty) {
            warnings.push(Warning::NoKnownExpert);
        }
        Ballots::from_tasks(&votes, experts.len(), classes.len())
    }
}

impl PredictClassesOutcome {
    /// How many units there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The same beside the true classes of some of the units.
    pub fn compared_with(self, truth: &Column) -> Result<Self> {
        const BINS: usize = 10;
        let known = truth.matched(&self.objects, "unit")?;
        let mut bins = [(0.0, 0.0); BINS];
        let (mut tasks, mut right, mut loss) = (0usize, 0.0, 0.0);
        let mut confusion: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for (unit, class) in known.iter().enumerate().filter_map(|(unit, class)| Some((unit, (*class)?))) {
            let found = self.prediction(unit);
            let hit = f64::from(u8::from(found.label == class));
            let bin = ((found.probability * BINS as f64) as usize).min(BINS - 1);
            (bins[bin].0, bins[bin].1) = (bins[bin].0 + found.probability, bins[bin].1 + hit);
            let at = self.classes.iter().position(|name| name == class);
            loss -= at.map_or(0.0, |at| found.probabilities[at]).max(1e-15).ln();
            *confusion.entry(class.to_owned()).or_default().entry(found.label.to_owned()).or_default() += 1;
            right += hit;
            tasks += 1;
        }
        let n = (tasks as f64).max(1.0);
        let ece = bins.iter().map(|(probability, hits)| (probability - hits).abs()).sum::<f64>() / n;
        let truth = Some(ClassesTruth { tasks, accuracy: right / n, ece, log_loss: loss / n, confusion });
        Ok(PredictClassesOutcome { compared: Some(tasks), error_rate: Some(1.0 - right / n), truth, ..self })
    }

    /// The likeliest class of a unit.
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn label(&self, unit: usize) -> &str {
        self.prediction(unit).label
    }

    /// What is predicted of a unit.
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn prediction(&self, unit: usize) -> ClassPrediction<'_> {
        let classes = self.classes.len();
        let probabilities = &self.probabilities[unit * classes..(unit + 1) * classes];
        let class = likeliest(probabilities);
        ClassPrediction {
            object: self.objects.get(unit),
            label: &self.classes[class],
            probability: probabilities[class],
            probabilities,
        }
    }

    /// What is predicted of each unit.
    pub fn predictions(&self) -> impl ExactSizeIterator<Item = ClassPrediction<'_>> + '_ {
        (0..self.len()).map(|unit| self.prediction(unit))
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::{ClassPrediction, PredictClassesOutcome};
    use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

    impl Serialize for PredictClassesOutcome {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut fields = serializer.serialize_struct("Predictions", 1 + 3 * usize::from(self.truth.is_some()))?;
            if let Some(truth) = &self.truth {
                fields.serialize_field("truth", truth)?;
            }
            fields.serialize_field("predictions", &Rows(self))?;
            if let (Some(compared), Some(error_rate)) = (self.compared, self.error_rate) {
                fields.serialize_field("compared", &compared)?;
                fields.serialize_field("error_rate", &error_rate)?;
            }
            fields.end()
        }
    }

    struct Rows<'a>(&'a PredictClassesOutcome);

    impl Serialize for Rows<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            // The classes in the order of their names as text.
            let mut order: Vec<usize> = (0..self.0.classes.len()).collect();
            order.sort_by_key(|&class| &self.0.classes[class]);
            let order = &order;
            let learned = |unit: usize| self.0.learned_from.as_ref().map(|learned_from| learned_from[unit]);
            let rows = self.0.predictions().enumerate();
            serializer.collect_seq(rows.map(|(unit, row)| Row {
                row,
                classes: &self.0.classes,
                order,
                learned_from: learned(unit),
            }))
        }
    }

    struct Row<'a> {
        row: ClassPrediction<'a>,
        classes: &'a [String],
        order: &'a [usize],
        learned_from: Option<bool>,
    }

    impl Serialize for Row<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut fields = serializer.serialize_struct("Prediction", 4 + usize::from(self.learned_from.is_some()))?;
            fields.serialize_field("object", self.row.object)?;
            fields.serialize_field("label", self.row.label)?;
            fields.serialize_field("probability", &self.row.probability)?;
            fields.serialize_field("probabilities", &Probabilities(self))?;
            if let Some(learned_from) = self.learned_from {
                fields.serialize_field("learned_from", &learned_from)?;
            }
            fields.end()
        }
    }

    struct Probabilities<'a>(&'a Row<'a>);

    impl Serialize for Probabilities<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Row { row, classes, order, .. } = self.0;
            let mut map = serializer.serialize_map(Some(order.len()))?;
            for &class in *order {
                map.serialize_entry(&classes[class], &row.probabilities[class])?;
            }
            map.end()
        }
    }
}
