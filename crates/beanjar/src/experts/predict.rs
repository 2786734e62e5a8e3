use super::linear::normalise;
use super::{Classifier, ExpertsModel, FeatureTable, Features, LearnedFrom};
use crate::classes_truth::PredictedClass;
use crate::judgments::{Ballots, Labels, Repeats};
use crate::likeliest::likeliest;
use crate::truth::pool_share;
use crate::{ClassesTruth, Column, Context, Dictionary, Error, Result, Warning};

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
    /// Whether the model was learned from labels of each unit, if that is known.
    pub learned_from: Option<Vec<bool>>,
    /// Which labels of each unit the model was learned from, or were read beside its features: what
    /// [`LearnedFrom::labels_of`] says, which is empty for none. S on such labels is worthless.
    pub learned_labels: Option<Vec<String>>,
    /// How good the predictions are, where the truth is known.
    pub truth: Option<ClassesTruth>,
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
    /// The probability of the label.
    pub probability: f64,
    /// The probability of each class.
    pub probabilities: &'a [f64],
}

impl ExpertsModel {
    /// Predicts the classes of units from their features, and from what experts said of them if there are labels.
    ///
    /// Labels that the model was learned from do not count twice: beside them a unit's features are read by the classifier
    /// that was learned from the other parts of the units, if parts were held out, and a label by an expert's row without it.
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
            (None, _) => self.classifier().at_temperature(self.temperature()).probabilities(&features)?,
            (Some(_), None) => return Err(Error::NoExperts),
            (Some(labels), Some(experts)) => {
                let ballots = self.ballots(table.units(), labels, &mut warnings)?;
                let learned = |unit: usize, expert: usize| {
                    let (unit, expert) = (table.units().get(unit), &self.expert_names()[expert]);
                    self.learned_from().is_some_and(|learned_from| learned_from.has_label(unit, expert))
                };
                let sums = self.held_out_sums(table.units(), &features)?;
                let mut both = experts.posterior_given(&sums, &features, &ballots, learned)?;
                self.allow_for_shared_errors(&self.classifier().linear().probabilities_of(&sums), &ballots, &mut both);
                both
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
            learned_labels: self.labels_behind(table.units(), labels),
            truth: None,
            warnings,
        })
    }

    /// Of each unit, the labels that the model was learned from or that are read beside features, if anything is known.
    fn labels_behind(&self, units: &Dictionary, labels: Option<&Labels>) -> Option<Vec<String>> {
        let read = labels.map(|labels| {
            LearnedFrom::new(labels.tasks.iter().enumerate().map(|(task, unit)| {
                let workers = labels.votes(task).workers.iter();
                (unit, workers.map(|&worker| labels.workers.get(worker as usize)).collect::<Vec<_>>())
            }))
        });
        let behind: Vec<&LearnedFrom> = self.learned_from().into_iter().chain(&read).collect();
        (!behind.is_empty()).then(|| units.iter().map(|unit| LearnedFrom::labels_of_all(&behind, unit)).collect())
    }

    /// Intercept and x b of each unit and row at the temperature, by the classifier that did not learn from the unit's labels,
    /// if there is one.
    fn held_out_sums(&self, units: &Dictionary, features: &Features) -> Result<Vec<f64>> {
        let sums = |classifier: &Classifier| classifier.at_temperature(self.temperature()).sums(features);
        let (mut found, rows) = (sums(self.classifier())?, self.classifier().rows());
        let Some(learned_from) = self.learned_from() else { return Ok(found) };
        let fold: Vec<Option<usize>> = units.iter().map(|unit| learned_from.fold(unit)).collect();
        for (part, classifier) in
            self.fold_classifiers().iter().enumerate().filter(|(part, _)| fold.contains(&Some(*part)))
        {
            let of_part = sums(classifier)?;
            for (unit, _) in fold.iter().enumerate().filter(|(_, fold)| **fold == Some(part)) {
                found[unit * rows..(unit + 1) * rows].copy_from_slice(&of_part[unit * rows..(unit + 1) * rows]);
            }
        }
        Ok(found)
    }

    /// Experts err together, more or less: on a unit that misleads one, others are misled. As [`Auto`](crate::truth::Auto) does
    /// without features, labels are read in two ways, as independent and as copies of one another. Taken as one opinion, the
    /// n labels of a unit say the n-th root of what they say together, beside its features.
    ///
    /// `alone` is P(class | features), and `both` P(class | features, labels) with independent labels, unit by unit.
    fn allow_for_shared_errors(&self, alone: &[f64], ballots: &Ballots, both: &mut [f64]) {
        let (classes, experts) = (self.classes().len(), self.expert_names().len());
        let log = |p: f64| p.max(f64::MIN_POSITIVE).ln();
        let mut one = vec![0.0; classes];
        for (unit, (alone, both)) in alone.chunks_exact(classes).zip(both.chunks_exact_mut(classes)).enumerate() {
            let labels = ballots.votes(unit).opinions();
            if labels <= 1.0 {
                continue;
            }
            for ((one, alone), both) in one.iter_mut().zip(alone).zip(&*both) {
                *one = log(*alone) + (log(*both) - log(*alone)) / labels;
            }
            normalise(&mut one);
            let share = pool_share(experts, labels);
            both.iter_mut().zip(&one).for_each(|(both, one)| *both += share * (one - *both));
        }
    }

    /// What experts whom the model knows said of units, in the order of these.
    fn ballots(&self, units: &Dictionary, labels: &Labels, warnings: &mut Vec<Warning>) -> Result<Ballots> {
        let experts: Dictionary = self.expert_names().iter().map(String::as_str).collect();
        let classes: Dictionary = self.classes().iter().map(String::as_str).collect();
        // A label given twice is one opinion, as it was when the model learned.
        let averaged = Repeats::Average.apply(labels);
        let known = averaged.in_terms_of(&experts, &classes);
        if known.newcomers + known.unknown_labels > 0 {
            warnings.push(Warning::UnknownExperts { experts: known.newcomers, labels: known.unknown_labels });
        }
        let tasks = known.labels.tasks.lookup();
        let of_units = |unit: &str| match tasks.code(unit) {
            None => Vec::new(),
            Some(task) => known.ballots.votes(task).weighted().filter(|vote| vote.0 < experts.len()).collect(),
        };
        let weighted: Vec<Vec<(usize, usize, f64)>> = units.iter().map(of_units).collect();
        let votes = weighted.iter().map(|votes| votes.iter().map(|vote| (vote.0, vote.1)).collect());
        let votes: Vec<Vec<(usize, usize)>> = votes.collect();
        let lookup = units.lookup();
        let without = known.labels.tasks.iter().filter(|task| lookup.code(task).is_none()).count();
        if without > 0 {
            warnings.push(Warning::TasksWithoutFeatures { tasks: without, what: "labelled task" });
        }
        if votes.iter().all(Vec::is_empty) {
            warnings.push(Warning::NoKnownExpert);
        }
        let ballots = Ballots::from_tasks(&votes, experts.len(), classes.len())?;
        Ok(match known.ballots.has_weights() {
            true => ballots.with_votes(&votes, weighted.iter().flatten().map(|vote| vote.2).collect()),
            false => ballots,
        })
    }
}

impl PredictClassesOutcome {
    /// How many units there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The same beside the true classes of some of the units.
    pub fn compared_with(self, truth: &Column) -> Result<Self> {
        let known = truth.matched(&self.objects, "unit")?;
        let compared = ClassesTruth::of(known.iter().enumerate().filter_map(|(unit, class)| {
            let (found, truth) = (self.prediction(unit), (*class)?);
            let of_truth = self.classes.iter().position(|name| name == truth).map_or(0.0, |at| found.probabilities[at]);
            Some(PredictedClass { truth, label: found.label, probability: found.probability, of_truth })
        }));
        let (tasks, error_rate) = (compared.tasks, 1.0 - compared.accuracy);
        Ok(PredictClassesOutcome { compared: Some(tasks), error_rate: Some(error_rate), truth: Some(compared), ..self })
    }

    /// The likeliest class of a unit.
    ///
    /// # Panics
    /// If there is no such unit.
    #[must_use]
    pub fn label(&self, unit: usize) -> &str {
        self.prediction(unit).label
    }

    /// What is predicted of a unit.
    ///
    /// # Panics
    /// If there is no such unit.
    #[must_use]
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
    #[must_use]
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
            let labels = |unit: usize| self.0.learned_labels.as_ref().map(|labels| &labels[unit][..]);
            let rows = self.0.predictions().enumerate();
            serializer.collect_seq(rows.map(|(unit, row)| Row {
                row,
                classes: &self.0.classes,
                order,
                learned_from: learned(unit),
                learned_labels: labels(unit),
            }))
        }
    }

    struct Row<'a> {
        row: ClassPrediction<'a>,
        classes: &'a [String],
        order: &'a [usize],
        learned_from: Option<bool>,
        learned_labels: Option<&'a str>,
    }

    impl Serialize for Row<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut fields = serializer.serialize_struct("Prediction", 6)?;
            fields.serialize_field("object", self.row.object)?;
            fields.serialize_field("label", self.row.label)?;
            fields.serialize_field("probability", &self.row.probability)?;
            fields.serialize_field("probabilities", &Probabilities(self))?;
            if let Some(learned_from) = self.learned_from {
                fields.serialize_field("learned_from", &learned_from)?;
            }
            if let Some(labels) = self.learned_labels {
                fields.serialize_field("learned_labels", labels)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Learn;
    use crate::experts::LearnData;
    use crate::simulate::{Crowd, Embeddings};

    #[test]
    fn labels_count_half_as_copies_and_half_as_independent() {
        let crowd = Crowd { tasks: 120, workers: 6, classes: 3, votes: (1, 4), accuracy: 0.7, ..Crowd::default() };
        let embeddings = Embeddings { crowd, unlabelled: 0, features: 5, directions: 3, separation: 2.0 };
        let context = Context::new();
        let drawn = embeddings.draw(&context).unwrap();
        let (table, labels) = (drawn.table().unwrap(), drawn.to_labels().unwrap());
        // A penalty that is given holds no labels out, so that nothing is left out of what labels are read by.
        let learn = Learn { penalty: Some(5.0), restarts: 0, ..Learn::default() };
        let model = learn.fit(&LearnData::new(&table, &labels), &context).unwrap().model;
        // Other ids, of which the model learned nothing.
        let renamed = |ids: &Dictionary| ids.iter().map(|id| format!("new {id}")).collect::<Dictionary>();
        let fresh =
            FeatureTable::new(renamed(table.units()), table.names().to_vec(), table.features().clone()).unwrap();
        let rows: Vec<(String, &str, &str)> = (0..labels.tasks.len())
            .flat_map(|task| {
                let id = format!("new {}", labels.tasks.get(task));
                let name = |(worker, label): (usize, usize)| (labels.workers.get(worker), labels.classes.get(label));
                labels.votes(task).iter().map(move |vote| (id.clone(), name(vote).0, name(vote).1)).collect::<Vec<_>>()
            })
            .collect();
        let labels = Labels::from_rows(rows.iter().map(|row| (&row.0[..], row.1, row.2))).unwrap();
        let found = model.predict(&fresh, Some(&labels), &context).unwrap().probabilities;
        let alone = model.predict(&fresh, None, &context).unwrap().probabilities;
        let experts = model.experts().unwrap();
        let (mut single, mut several) = (0, 0);
        for unit in 0..fresh.units().len() {
            let task = labels.tasks.iter().position(|id| id == fresh.units().get(unit)).unwrap();
            let votes = labels.votes(task);
            let known: Dictionary = model.expert_names().iter().map(String::as_str).collect();
            let said: Vec<(usize, usize)> = votes
                .iter()
                .map(|(worker, label)| {
                    let class = model.classes().iter().position(|name| name == labels.classes.get(label)).unwrap();
                    (known.lookup().code(labels.workers.get(worker)).unwrap(), class)
                })
                .collect();
            let ballots = Ballots::from_tasks(std::slice::from_ref(&said), known.len(), 3).unwrap();
            let ease = fresh.features().sums(experts.ease())[unit];
            let logs = experts.label_logs(&[ease], &ballots);
            let read = |power: f64| {
                let odds: Vec<f64> =
                    (0..3).map(|class| alone[3 * unit + class] * (power * logs[class]).exp()).collect();
                odds.iter().map(|value| value / odds.iter().sum::<f64>()).collect::<Vec<f64>>()
            };
            let (product, copies) = (read(1.0), read(1.0 / said.len() as f64));
            for class in 0..3 {
                let by_hand = 0.5 * (product[class] + copies[class]);
                assert!(
                    (found[3 * unit + class] - by_hand).abs() < 1e-9,
                    "{unit}: {} {by_hand}",
                    found[3 * unit + class]
                );
            }
            if said.len() == 1 { single += 1 } else { several += 1 }
        }
        assert!(single > 5 && several > 50, "{single} {several}");
    }
}
