use crate::message::{brief, cut, first_few, shortened};
use crate::nearest_name::did_you_mean;

/// What can be wrong with data or parameters, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing to work on.
    #[error("there is not a single {0}; check that the file is the one you meant")]
    Empty(&'static str),
    /// Labels that nothing can be compared with.
    #[error(
        "every task has one vote, so nothing shows how far workers agree; have some of the tasks labelled a second time"
    )]
    OneVoteEach,
    /// More distinct ids than a code can number.
    #[error("more than {limit} different {what}: is this the right column?")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many there may be.
        limit: u64,
    },
    /// A value that is infinite or not a number.
    #[error("the value of object '{object}', attribute '{attribute}' is not a finite number", object = cut(object), attribute = cut(attribute))]
    NotFinite {
        /// The judged object.
        object: String,
        /// The judged attribute.
        attribute: String,
    },
    /// A scale that needs numbers met a class that is none.
    #[error(
        "the {scale} scale needs labels that are numbers{extra}, and '{class}' is not one; the nominal scale takes any", class = cut(class))]
    ClassNotANumber {
        /// The scale asked for.
        scale: &'static str,
        /// The offending class.
        class: String,
        /// What else the scale asks of a number.
        extra: &'static str,
    },
    /// A class without a place in the order of classes.
    #[error("the label '{class}' has no place in the order that is given; name every label in it", class = cut(class))]
    NotInOrder {
        /// The class.
        class: String,
    },
    /// A judgment that cannot be worked with.
    #[error("the judgment of '{attribute}' of '{object}' is {value:e}, which is too large; rescale the values", attribute = cut(attribute), object = cut(object))]
    TooLarge {
        /// The object judged.
        object: String,
        /// The attribute judged.
        attribute: String,
        /// The judgment.
        value: f64,
    },
    /// An ordinal scale of names whose order is not known.
    #[error("the ordinal scale needs to know the order of labels that are not numbers, such as '{class}'", class = cut(class))]
    OrderUnknown {
        /// One of the classes.
        class: String,
    },
    /// A parameter outside its range.
    #[error("{name} is {}, and must be {range}", shortened(value))]
    OutOfRange {
        /// The parameter's name.
        name: &'static str,
        /// The value given.
        value: String,
        /// The values it may take.
        range: &'static str,
    },
    /// Two tables that should speak of the same things do not.
    #[error(
        "none of the {left} {what}s is among the {right} of the other table (the first are '{left_example}' and '{right_example}'); check that both name their {what}s alike", left_example = cut(left_example), right_example = cut(right_example))]
    NothingInCommon {
        /// What the ids name.
        what: &'static str,
        /// How many ids one side has.
        left: usize,
        /// How many ids the other side has.
        right: usize,
        /// An id of one side.
        left_example: String,
        /// An id of the other side.
        right_example: String,
    },
    /// A table that speaks of the right things has no value for any of them.
    #[error("column '{column}' has no value for any {what}", column = cut(column))]
    NoValues {
        /// What the ids name.
        what: &'static str,
        /// The column's name.
        column: String,
    },
    /// An id that should stand once stands twice.
    #[error("'{name}' stands twice; each id must stand once", name = cut(.0))]
    RepeatedId(String),
    /// A text that should be a number.
    #[error("'{text}' for '{id}' in column '{column}' is not a number", text = cut(text), id = cut(id), column = cut(column))]
    NotANumber {
        /// The text.
        text: String,
        /// Whose it is.
        id: String,
        /// The column it stands in.
        column: String,
    },
    /// A text that should be a whole number.
    #[error("'{text}' for '{id}' in column '{column}' is not a whole number", text = cut(text), id = cut(id), column = cut(column))]
    NotWhole {
        /// The text.
        text: String,
        /// Whose it is.
        id: String,
        /// The column it stands in.
        column: String,
    },
    /// Two lists that go together are not equally long.
    #[error("{found} {what} for {expected} {of}; there must be one for each")]
    WrongLength {
        /// What there are too many or too few of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// What there must be one for each of.
        of: &'static str,
        /// How many of those there are.
        expected: usize,
    },
    /// An attribute that the judgments do not have.
    #[error("no attribute '{name}' among the judgments{}; there are {}", did_you_mean(.nearest), first_few(.known), name = cut(name))]
    UnknownAttribute {
        /// The name given.
        name: String,
        /// The attribute whose name is most like it, if any is.
        nearest: Option<String>,
        /// The first attributes of the judgments.
        known: Vec<String>,
    },
    /// An attribute that must be judged and must not.
    #[error("'{name}' cannot be both always and never judged", name = cut(.0))]
    AlwaysAndNever(String),
    /// A text that is no selection.
    #[error("not a selection: {problem} (line {line})")]
    NotASelection {
        /// Where in the text.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// A selection without a judgment.
    #[error("the selection asks for no judgment at all")]
    EmptySelection,
    /// A selection asks for an attribute that no object has.
    #[error("no judgment of '{name}', which the selection asks for", name = cut(.0))]
    NeverJudged(String),
    /// Data that have nothing a model could use.
    #[error("no judgment of any attribute of the model ({})", first_few(.0))]
    NoModelAttribute(Vec<String>),
    /// No attribute was ever judged twice.
    #[error(
        "no attribute has two judgments of any labelled object, so noise cannot be estimated; collect a second judgment of some objects"
    )]
    NoNoise,
    /// Too few objects with a label.
    #[error("{0} of the judged objects have a label, and at least two must")]
    FewLabels(usize),
    /// Too few objects to hold some out.
    #[error("{objects} labelled objects are too few to cross-validate with; at least {needed} are needed")]
    FewObjects {
        /// How many there are.
        objects: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Too few objects with all the judgments planned.
    #[error(
        "{objects} labelled objects have all the judgments that the selection asks for, and at least {needed} must; collect more, or fit from the moments"
    )]
    FewComplete {
        /// How many there are.
        objects: usize,
        /// How many are needed.
        needed: usize,
    },
    /// A majority of judgments that have more than two values.
    #[error("judgments of '{name}' have more than two values, of which there is no majority to speak of; take the median", name = cut(.0))]
    MajorityOfMany(String),
    /// A pilot that says nothing of noise.
    #[error(
        "the pilot has no attribute in common with the judgments of which both have two judgments of one object; judge some \
         objects twice"
    )]
    NoPilotNoise,
    /// Labels that are neither numbers nor classes.
    #[error(
        "labels must be numbers, or names of 2 to 100 classes with two objects each or more; there are {classes} different \
         ones, such as '{example}'", example = cut(example))]
    LabelsUnclear {
        /// How many different ones there are.
        classes: usize,
        /// One that is no number.
        example: String,
    },
    /// All labels are the same.
    #[error("every label is {}, so there is nothing to predict", brief(*.0))]
    ConstantLabel(f64),
    /// Not a single judgment can be paid.
    #[error("a budget of {} is too small: what must be asked costs {}", brief(*budget), brief(*cheapest))]
    BudgetTooSmall {
        /// What may be spent.
        budget: f64,
        /// What is needed at least.
        cheapest: f64,
    },
    /// The budget pays for more judgments than a table can hold.
    #[error(
        "a budget of {} could pay {judgments:.0} judgments of an object, and at most {most} can be planned; raise the costs, or limit the judgments of each attribute",
        brief(*budget))]
    BudgetTooLarge {
        /// What may be spent.
        budget: f64,
        /// How many judgments that could pay.
        judgments: f64,
        /// How many it may pay.
        most: u32,
    },
    /// An attribute that must be judged and cannot be.
    #[error(
        "'{name}' is always to be judged, but no labelled object has two judgments of it, so nothing is known of its noise", name = cut(.0))]
    AlwaysUnusable(String),
    /// No attribute explains anything.
    #[error("no judgment within the budget explains anything of the label; check the labels, or raise the budget")]
    NothingExplains,
    /// Numbers whose squares are beyond a double.
    #[error("values or labels are too large or too small to be squared; rescale them")]
    OutOfScale,
    /// More classes than memory allows.
    #[error("{classes} classes are too many for {what}")]
    TooManyClasses {
        /// How many there are.
        classes: usize,
        /// What they are too many for.
        what: &'static str,
    },
    /// Known classes were given to a method that has no use for them.
    #[error("{0} has components and not classes, so known labels cannot be fixed")]
    NoGold(&'static str),
    /// What is wrong with one of several tables.
    #[error("the table of {table}: {error}")]
    OfTable {
        /// Which table.
        table: &'static str,
        /// What is wrong.
        error: Box<Error>,
    },
    /// A weight that cannot be used.
    #[error("the weight of '{worker}' is '{value}', which is not a number of 0 or more", worker = cut(worker), value = cut(value))]
    BadWeight {
        /// Whose weight.
        worker: String,
        /// The weight given.
        value: String,
    },
    /// More workers are to be kept than there are.
    #[error("{asked} workers cannot be kept, for there are {workers}")]
    FewWorkers {
        /// How many are to be kept.
        asked: usize,
        /// How many there are.
        workers: usize,
    },
    /// A text that is no model file.
    #[error("not a model file")]
    NotAModelFile,
    /// A model file of another version.
    #[error("a model file of version {found}, and only version {known} can be read; fit it again")]
    ModelVersion {
        /// The file's version.
        found: u64,
        /// The version that can be read.
        known: u64,
    },
    /// A model file of a kind that does not exist.
    #[error("a model of kind '{name}', which is not known", name = cut(.0))]
    ModelKind(String),
    /// A model file with something missing or wrong in it.
    #[error("damaged: {0}")]
    DamagedModel(String),
    /// Labels none of which a model knows.
    #[error("no label is of a class of the model ({})", first_few(.0))]
    NoModelClass(Vec<String>),
    /// A rule met votes of another number of classes or workers.
    #[error("the rule is for {classes} classes and {workers} workers, and the votes are not")]
    WrongRule {
        /// How many classes it has.
        classes: usize,
        /// How many workers it knows.
        workers: usize,
    },
    /// All labels are of one class.
    #[error("all labels are of one class; there is nothing to predict")]
    OneClass,
    /// A skill for each true class was asked for, and there are not two classes.
    #[error("a skill for each true class needs two classes, and the labels have {0}")]
    NotTwoClasses(usize),
    /// Too few units to choose a penalty with.
    #[error("{0} of the units have features and labels, and a penalty can only be chosen by two or more")]
    FewUnits(usize),
    /// A split into units to learn from and others has nothing on one side.
    #[error("a share of {share} of {units} units leaves a part empty")]
    EmptySplit {
        /// The share to be held out.
        share: f64,
        /// How many units there are.
        units: usize,
    },
    /// The true classes are needed and were not given.
    #[error("a regression on the truth needs the true classes")]
    NoTruth,
    /// A model whose numbers do not belong together.
    #[error("its numbers do not fit together")]
    NotAModel,
    /// A table of features lacks one that a model needs.
    #[error("no column '{name}', which the model needs", name = cut(.0))]
    NoFeature(String),
    /// Labels were given to a model that does not know experts.
    #[error("the model has a classifier and no experts, so it cannot read labels")]
    NoExperts,
    /// What is wrong with one of several models.
    #[error("{model}: {error}")]
    OfModel {
        /// The model's name.
        model: String,
        /// What is wrong.
        error: Box<Error>,
    },
    /// Numbers that belong together do not fit together.
    #[error("{what}: {why}")]
    Inconsistent {
        /// What they are.
        what: &'static str,
        /// What does not fit.
        why: String,
    },
    /// The system would not start threads.
    #[error("could not start {0} threads; try fewer")]
    Threads(usize),
    /// The progress callback said stop.
    #[error("stopped before it was done")]
    Stopped,
}

/// The result of a library call.
pub type Result<T> = std::result::Result<T, Error>;
