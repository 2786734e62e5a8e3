use super::classifier::likeliest;
use super::{ExpertsModel, FeatureTable};
use crate::judgments::{Ballots, Labels};
use crate::{Column, Context, Dictionary, Error, Result, Warning};

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
    /// What a user should know.
    pub warnings: Vec<Warning>,
}

/// What is predicted of one unit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClassPrediction<'a> {
    /// The unit.
    pub object: &'a str,
    /// The likeliest class; of equals the first.
    pub label: &'a str,
    /// The probability of the second of two classes; that of the label if there are more.
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
        let probabilities = match (labels, self.experts()) {
            (None, _) => self.classifier().probabilities(&features)?,
            (Some(_), None) => return Err(Error::NoExperts),
            (Some(labels), Some(experts)) => {
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
    /// The same with the share of units that are put into the wrong class, by their true classes.
    pub fn compared_with(self, truth: &Column) -> Result<Self> {
        let classes = truth.matched(&self.objects, "unit")?;
        let wrong =
            classes.iter().enumerate().filter(|(unit, class)| class.is_some_and(|class| class != self.label(*unit)));
        let (wrong, compared) = (wrong.count(), classes.iter().flatten().count());
        let error_rate = Some(wrong as f64 / compared as f64);
        Ok(PredictClassesOutcome { compared: Some(compared), error_rate, ..self })
    }

    /// How many units there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The second of two classes: the one whose probability is given.
    pub fn class(&self) -> Option<&str> {
        match &self.classes[..] {
            [_, second] => Some(second),
            _ => None,
        }
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
            probability: probabilities[if classes == 2 { 1 } else { class }],
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
            let class = self.class();
            let mut fields = serializer.serialize_struct("Predictions", 1 + usize::from(class.is_some()))?;
            if let Some(class) = class {
                fields.serialize_field("class", class)?;
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
            serializer.collect_seq(self.0.predictions().map(|row| Row { row, classes: &self.0.classes, order }))
        }
    }

    struct Row<'a> {
        row: ClassPrediction<'a>,
        classes: &'a [String],
        order: &'a [usize],
    }

    impl Serialize for Row<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut fields = serializer.serialize_struct("Prediction", 4)?;
            fields.serialize_field("object", self.row.object)?;
            fields.serialize_field("label", self.row.label)?;
            fields.serialize_field("probability", &self.row.probability)?;
            fields.serialize_field("probabilities", &Probabilities(self))?;
            fields.end()
        }
    }

    struct Probabilities<'a>(&'a Row<'a>);

    impl Serialize for Probabilities<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let Row { row, classes, order } = self.0;
            let mut map = serializer.serialize_map(Some(order.len()))?;
            for &class in *order {
                map.serialize_entry(&classes[class], &row.probabilities[class])?;
            }
            map.end()
        }
    }
}
