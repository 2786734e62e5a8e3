use crate::message::{cut, first_few};
use crate::nearest_name::did_you_mean;

/// What a user should know of a result, though it is no reason not to give it. Outcomes carry these; nothing is printed.
// An error by its derive alone, which writes the sentences as it does for `Error`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Rows with the (task, worker) pair of an earlier row.
    #[error("{count} {what} with the (task, worker) of an earlier row; {rule}")]
    Repeated {
        /// How many.
        count: usize,
        /// Of what.
        what: &'static str,
        /// What becomes of them.
        rule: &'static str,
    },
    /// Known labels that no worker ever gave.
    #[error("the table of {table}: {} with a label that no worker gave, such as '{example}'; left out", counted(*.tasks, "task"), example = cut(example))]
    UnseenClass {
        /// Which table.
        table: &'static str,
        /// How many tasks have one.
        tasks: usize,
        /// One of the labels.
        example: String,
    },
    /// More workers are asked for than there are.
    #[error("the first {asked} workers are to be used; there are only {workers}, and all are")]
    FewerWorkers {
        /// How many are asked for.
        asked: usize,
        /// How many there are.
        workers: usize,
    },
    /// More tasks are asked for than there are.
    #[error("{asked} tasks are asked for; there are only {tasks}, and all are listed")]
    FewerTasks {
        /// How many are asked for.
        asked: usize,
        /// How many there are.
        tasks: usize,
    },
    /// More questions are asked for than can be asked.
    #[error("{asked} questions are wanted; within the limits there are only {questions}")]
    FewerQuestions {
        /// How many are wanted.
        asked: usize,
        /// How many there are.
        questions: usize,
    },
    /// Workers to use who labelled nothing.
    #[error("{} to be used gave no label, such as '{example}'{}", counted(*.workers, "worker"), did_you_mean(.nearest), example = cut(example))]
    WorkersWithoutLabels {
        /// How many.
        workers: usize,
        /// One of them.
        example: String,
        /// A worker of nearly that name who did.
        nearest: Option<String>,
    },
    /// Labels of workers whom a model leaves out.
    #[error("left out: {} of workers whom the model leaves out", counted(*.labels, "label"))]
    LabelsOfWorkersLeftOut {
        /// How many.
        labels: usize,
    },
    /// Labels of classes that a model does not know.
    #[error("left out: {} of classes that the model has never seen", counted(*.labels, "label"))]
    UnknownClasses {
        /// How many.
        labels: usize,
    },
    /// Workers whom a model does not know.
    #[error("{} whom the model has never seen, read with the population's confusion matrix", counted(*.workers, "worker"))]
    UnknownWorkers {
        /// How many.
        workers: usize,
    },
    /// Expectation maximisation, or another search, ended before it came to rest.
    #[error("stopped after {steps} steps, before it converged")]
    Stopped {
        /// How many steps were taken.
        steps: usize,
    },
    /// Objects that were judged and have no label.
    #[error("left out, because they have no label: {objects} of the judged objects")]
    Unlabelled {
        /// How many.
        objects: usize,
    },
    /// Least squares was asked for where the label is an attribute that the same workers judged.
    #[error(
        "'{label}' was judged by those who judged the attributes: weights are from the moments, which pair judgments of different workers", label = cut(label))]
    PairedByMoments {
        /// The attribute.
        label: String,
    },
    /// Attributes that cannot be chosen.
    #[error("left out, because no labelled object has two judgments of them: {}", first_few(.attributes))]
    JudgedOnce {
        /// Their names.
        attributes: Vec<String>,
    },
    /// A label that is the mean of an attribute's judgments.
    #[error("'{label}' is the mean of the judgments of {}; that is not used to predict it", first_few(.attributes), label = cut(label))]
    LabelAveraged {
        /// The label.
        label: String,
        /// The attributes.
        attributes: Vec<String>,
    },
    /// No objects to spare for an expected loss.
    #[error(
        "{objects} labelled objects are too few to cross-validate with (at least {needed} are needed); only the projected loss is given, which is too small as a rule"
    )]
    NotValidated {
        /// How many labelled objects there are.
        objects: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A selection seems to explain more than the variance of the label.
    #[error(
        "more seems explained than there is: too few objects for this many attributes; a larger ridge, fewer attributes or more objects would help"
    )]
    Overfitted,
    /// Attributes of a selection that no object has.
    #[error("never judged so far: {}", first_few(.attributes))]
    NeverJudged {
        /// Their names.
        attributes: Vec<String>,
    },
    /// Objects whose counts of judgments are not those of the selection.
    #[error(
        "{objects} of {all} objects have other numbers of judgments than planned; they are predicted from the judgments they have"
    )]
    NotAsPlanned {
        /// How many.
        objects: usize,
        /// Of how many.
        all: usize,
    },
    /// Learning ended before it converged.
    #[error("stopped learning after {}, before it converged", counted(*.steps, "step"))]
    StoppedEarly {
        /// How many steps were taken.
        steps: usize,
    },
    /// Units with features have no labels.
    #[error("{} with features and without labels, not used", counted(*.units, "unit"))]
    UnitsWithoutLabels {
        /// How many.
        units: usize,
    },
    /// Tasks with labels have no features.
    #[error("{} without features, left out", counted(*.tasks, .what))]
    TasksWithoutFeatures {
        /// How many.
        tasks: usize,
        /// What they are called.
        what: &'static str,
    },
    /// True classes that no expert ever gave.
    #[error("{} with a true class that nobody gave, such as '{example}'; left out", counted(*.tasks, "task"), example = cut(example))]
    UnknownTruth {
        /// How many tasks have one.
        tasks: usize,
        /// One of the classes.
        example: String,
    },
    /// S is taken on units that were learned from.
    #[error(
        "{} to test on have labels to learn from as well: the model is scored on units that it learned from, so S is too small",
        counted(*.units, "unit"))]
    TestUnitsLearnedFrom {
        /// How many.
        units: usize,
    },
    /// Without a penalty, a classifier that is certain of every unit.
    #[error(
        "features separate the classes of all {units} units, so without a penalty there is no finite fit: coefficients are as large as the search made them, and probabilities are near 0 and 1; give a penalty, or have it chosen"
    )]
    NoFiniteFit {
        /// How many units were learned from.
        units: usize,
    },
    /// A model is scored on labels that it was learned from.
    #[error("{model} was learned from {labels} of the {of} labels that it is scored on: its S is too small")]
    ScoredOnLearned {
        /// The model.
        model: String,
        /// How many of the labels it was learned from.
        labels: usize,
        /// Of how many.
        of: usize,
    },
    /// Known answers are too few to estimate a risk from.
    #[error("known answers of {} with a prediction: at least 2 are needed, so they are not used", counted(*.tasks, "task"))]
    FewKnownAnswers {
        /// How many tasks have a known answer and a prediction, at the most.
        tasks: usize,
    },
    /// Labels to test by are of classes that no label to learn from has.
    #[error(
        "{} to test by of classes that no label to learn from has; they differ from every prediction",
        counted(*.labels, "label"))]
    UnseenTestClasses {
        /// How many labels.
        labels: usize,
    },
    /// No task has labels of two workers.
    #[error(
        "no two workers labelled the same task, so nobody can be judged; have some tasks labelled by three or more"
    )]
    NothingShared,
    /// So few experts that their labels cannot show how often they err.
    #[error("with fewer than three experts nobody can tell how often they err; do not trust the implied risk")]
    FewExperts,
    /// Experts who are hardly better than chance.
    #[error("the experts are hardly better than chance, so S says little about any model")]
    NearChance,
    /// Predictions of classes that no expert gave.
    #[error("{model}: {} of a class that no expert gave, which differ from every label", counted(*.predictions, "prediction"))]
    UnseenPredictions {
        /// Which model's.
        model: String,
        /// How many.
        predictions: usize,
    },
    /// Labelled tasks that some models do not predict.
    #[error("no prediction of {}; differences are on tasks that both models predict", listed(.models))]
    MissingPredictions {
        /// The models, and how many tasks each does not predict.
        models: Vec<(String, usize)>,
    },
    /// Experts and classes that a model does not know.
    #[error(
        "left out: {} and {} of classes that the model has never seen",
        counted(*.experts, "expert"), counted(*.labels, "label"))]
    UnknownExperts {
        /// How many experts.
        experts: usize,
        /// How many labels.
        labels: usize,
    },
    /// Labels, and none of an expert whom the model knows for any unit with features.
    #[error("no label of an expert whom the model knows for any unit")]
    NoKnownExpert,
    /// Labels of a task by a worker who had labelled it before.
    #[error("{} with the (task, worker) of an earlier row; all are kept", counted(*.labels, "label"))]
    RepeatedLabels {
        /// How many.
        labels: usize,
    },
    /// Judgments by a worker who had judged the same attribute of the same object before.
    #[error("{} with the (object, attribute, worker) of an earlier row; all are kept", counted(*.judgments, "judgment"))]
    RepeatedJudgments {
        /// How many.
        judgments: usize,
    },
    /// Tasks or objects that the table of known labels does not have.
    #[error("{} without a known label", counted(*.count, .what))]
    NotLabelled {
        /// How many.
        count: usize,
        /// Tasks or objects.
        what: &'static str,
    },
    /// All labels are of one class.
    #[error("every label is '{class}', so agreement says nothing", class = cut(class))]
    OneClass {
        /// Which.
        class: String,
    },
    /// Attributes whose judgments are all the same.
    #[error(
        "{} with a constant value, which carries no information: {}",
        counted(.attributes.len(), "attribute"), first_few(.attributes))]
    ConstantAttributes {
        /// Their names.
        attributes: Vec<String>,
    },
    /// Attributes that no object has two judgments of.
    #[error(
        "{} judged only once for every object, so the noise is unknown: {}",
        counted(.attributes.len(), "attribute"), first_few(.attributes))]
    NoiseUnknown {
        /// Their names.
        attributes: Vec<String>,
    },
    /// Workers with one label or judgment each.
    #[error("{} with a single {what}: too few to measure agreement", counted(*.workers, "worker"))]
    SingleAnswers {
        /// How many.
        workers: usize,
        /// A label or a judgment.
        what: &'static str,
    },
}

/// A number and what is counted: `1 task`, `800 tasks`, `19,033 tasks`.
#[must_use]
pub fn counted(n: usize, what: &str) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap_or_default()).collect();
    let (stem, ending) = match what {
        _ if n == 1 => (what, ""),
        what if what.ends_with('s') => (what, "es"),
        what if what.ends_with("ty") || what.ends_with("ly") => (&what[..what.len() - 1], "ies"),
        _ => (what, "s"),
    };
    format!("{} {stem}{ending}", groups.join(","))
}

/// A price: whole, or in hundredths.
pub(crate) fn money(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { format!("{value:.2}") }
}

fn listed(models: &[(String, usize)]) -> String {
    let each = models.iter().map(|(model, tasks)| format!("{} for {model}", counted(*tasks, "task")));
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_readable() {
        assert_eq!(counted(1, "task"), "1 task");
        assert_eq!(counted(2, "class"), "2 classes");
        assert_eq!(counted(3, "penalty"), "3 penalties");
        assert_eq!(counted(1_234_567, "task"), "1,234,567 tasks");
    }
}
