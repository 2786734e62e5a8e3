use crate::commands::model::{self, Experts, Model};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::experts::{Fit, Labelled, PathPoint};
use beanjar::{Dictionary, Labels};
use beanjar_io::FeatureTable;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// How the model does on labels that were held out.
#[derive(Clone, Copy)]
pub(super) struct Validated {
    pub(super) surrogate: f64,
    pub(super) se: Option<f64>,
    pub(super) risk: Option<f64>,
}

pub(super) struct LearnReport {
    classes: Vec<String>,
    model: Model,
    penalty: f64,
    path: Vec<PathPoint>,
    validated: Option<Validated>,
    expert_error: Option<f64>,
    intercept: PerClass,
    features: Vec<FeatureRow>,
    experts: Vec<ExpertRow>,
    objective: f64,
    log_likelihood: f64,
    iterations: usize,
    converged: bool,
}

/// A number for the second of two classes, or one for each of several.
#[derive(Serialize)]
#[serde(untagged)]
enum PerClass {
    Second(f64),
    Each(BTreeMap<String, f64>),
}

#[derive(Serialize)]
struct FeatureRow {
    feature: String,
    truth: PerClass,
    difficulty: f64,
}

#[derive(Serialize)]
struct ExpertRow {
    worker: String,
    skill: f64,
    /// With asymmetric skills that for units of the first class, `skill` being for those of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    skill_false: Option<f64>,
    accuracy: Option<f64>,
}

impl PerClass {
    fn new(classes: &Dictionary, values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        match values[..] {
            [value] => PerClass::Second(value),
            _ => PerClass::Each(classes.iter().map(str::to_owned).zip(values).collect()),
        }
    }

    fn is_zero(&self) -> bool {
        match self {
            PerClass::Second(value) => *value == 0.0,
            PerClass::Each(values) => values.values().all(|value| *value == 0.0),
        }
    }

    /// The value, or the classes that it speaks for and against the most.
    fn text(&self) -> String {
        let values = match self {
            PerClass::Second(value) => return number(*value),
            PerClass::Each(values) => values,
        };
        let mut sorted: Vec<(&String, &f64)> = values.iter().filter(|(_, value)| **value != 0.0).collect();
        sorted.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let shown: Vec<String> =
            sorted.iter().take(3).map(|(class, value)| format!("{class} {}", number(**value))).collect();
        let more = if sorted.len() > 3 { ", ..." } else { "" };
        shown.join(", ") + more
    }
}

impl LearnReport {
    #[expect(clippy::too_many_arguments, reason = "a report of all that there is")]
    pub(super) fn new(
        penalty: f64,
        path: Vec<PathPoint>,
        validated: Option<Validated>,
        expert_error: Option<f64>,
        fit: &Fit,
        data: &Labelled<'_>,
        read: &FeatureTable,
        labels: &Labels,
    ) -> Self {
        let model = Experts::new(fit, data, &read.names, labels);
        let classifier = model.classifier();
        let rows = read.names.iter().enumerate().map(|(feature, name)| FeatureRow {
            feature: name.clone(),
            truth: PerClass::new(&labels.classes, (0..classifier.rows()).map(|row| classifier.row(row)[feature])),
            difficulty: model.experts.as_ref().map_or(0.0, |experts| experts.difficulty[feature]),
        });
        let experts = match (&model.experts, &fit.experts) {
            (Some(experts), Some(fitted)) => {
                let accuracies = fitted.accuracies(data);
                let count = accuracies.len();
                let row = |(worker, accuracy): (usize, Option<f64>)| ExpertRow {
                    worker: labels.workers.get(worker).to_owned(),
                    skill: experts.skills[if experts.asymmetric { count + worker } else { worker }],
                    skill_false: experts.asymmetric.then(|| experts.skills[worker]),
                    accuracy,
                };
                accuracies.into_iter().enumerate().map(row).collect()
            }
            _ => Vec::new(),
        };
        LearnReport {
            classes: labels.classes.iter().map(str::to_owned).collect(),
            penalty,
            path,
            validated,
            expert_error,
            intercept: PerClass::new(&labels.classes, classifier.intercepts.iter().copied()),
            features: rows.collect(),
            experts,
            objective: fit.objective,
            log_likelihood: fit.log_likelihood,
            iterations: fit.iterations,
            converged: fit.converged,
            model: Model::Experts(model),
        }
    }
}

impl Serialize for LearnReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(flatten)]
            file: model::File<&'a Model>,
            classes: &'a [String],
            penalty: f64,
            intercept: &'a PerClass,
            objective: f64,
            log_likelihood: f64,
            iterations: usize,
            converged: bool,
            surrogate: Option<f64>,
            surrogate_se: Option<f64>,
            expert_error: Option<f64>,
            risk: Option<f64>,
            path: &'a [PathPoint],
            features: &'a [FeatureRow],
            experts: &'a [ExpertRow],
        }
        Fields {
            file: model::file(&self.model),
            classes: &self.classes,
            penalty: self.penalty,
            intercept: &self.intercept,
            objective: self.objective,
            log_likelihood: self.log_likelihood,
            iterations: self.iterations,
            converged: self.converged,
            surrogate: self.validated.map(|validated| validated.surrogate),
            surrogate_se: self.validated.and_then(|validated| validated.se),
            expert_error: self.expert_error,
            risk: self.validated.and_then(|validated| validated.risk),
            path: &self.path,
            features: &self.features,
            experts: &self.experts,
        }
        .serialize(serializer)
    }
}

impl Report for LearnReport {
    fn text(&self) -> String {
        const MOST: usize = 30;
        let what = match &self.classes[..] {
            [_, second] => format!("P({second})"),
            classes => format!("P of {}", count(classes.len(), "class")),
        };
        let mut text = format!(
            "{what} from {}; penalty {}; log-likelihood {}\n\n",
            count(self.features.iter().filter(|row| !row.truth.is_zero()).count(), "feature"),
            number(self.penalty),
            number(self.log_likelihood),
        );
        let mut entered: Vec<&FeatureRow> =
            self.features.iter().filter(|row| !row.truth.is_zero() || row.difficulty != 0.0).collect();
        let shown = entered.len().min(MOST);
        let rest = entered.split_off(shown).len();
        let row = |row: &&FeatureRow| vec![row.feature.clone(), row.truth.text(), number(row.difficulty)];
        let mut rows = vec![vec!["(intercept)".to_owned(), self.intercept.text(), String::new()]];
        rows.extend(entered.iter().map(row));
        text += &table(&["feature", "truth", "difficulty"], rows);
        if rest > 0 {
            text += &format!("  and {} more (--format csv has all)\n", count(rest, "feature"));
        }
        if !self.experts.is_empty() {
            let asymmetric = self.experts.iter().any(|row| row.skill_false.is_some());
            let row = |row: &ExpertRow| {
                let mut cells = vec![row.worker.clone()];
                cells.extend(row.skill_false.map(number));
                cells.extend([number(row.skill), number(row.accuracy)]);
                cells
            };
            let rows = self.experts.iter().take(MOST).map(row).collect();
            let skills = self.classes.iter().map(|class| format!("skill if {class}"));
            let mut head = vec!["expert".to_owned()];
            head.extend(skills.take(if asymmetric { 2 } else { 0 }));
            head.extend((!asymmetric).then(|| "skill".to_owned()));
            head.push("accuracy".to_owned());
            let head: Vec<&str> = head.iter().map(String::as_str).collect();
            text += &format!("\n{}", table(&head, rows));
        }
        if self.experts.len() > MOST {
            text += &format!("  and {} more\n", count(self.experts.len() - MOST, "expert"));
        }
        if let Some(Validated { surrogate, se, risk }) = self.validated {
            let (s, se) = (number(surrogate), number(se));
            text += &format!("\n  S of labels that were held out: {s} (standard error {se})\n");
            if let (Some(error), Some(risk)) = (self.expert_error, risk) {
                let (error, risk) = (number(error), number(risk));
                text += &format!("  with experts who err {error} of the time, the classifier's risk is about {risk}\n");
            }
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        if let PerClass::Second(_) = self.intercept {
            let value = |value: &PerClass| match value {
                PerClass::Second(value) => exact(Some(*value)),
                PerClass::Each(_) => String::new(),
            };
            let row = move |row: &FeatureRow| vec![row.feature.clone(), value(&row.truth), exact(Some(row.difficulty))];
            return with_header(&["feature", "truth", "difficulty"], self.features.iter().map(row));
        }
        let rows = self.features.iter().flat_map(|row| {
            let PerClass::Each(values) = &row.truth else { return Vec::new() };
            let cells = |(class, value): (&String, &f64)| {
                vec![row.feature.clone(), class.clone(), exact(Some(*value)), exact(Some(row.difficulty))]
            };
            values.iter().map(cells).collect()
        });
        with_header(&["feature", "class", "truth", "difficulty"], rows)
    }
}
