use super::choose_penalty::{HeldOutFits, PenaltyChoice, has_no_finite_fit};
use super::error_model::relative;
use super::experts_model::Calibrated;
use super::learn_outcome::{Found, LearnOutcome};
use super::temperature::temperature;
use super::units::{Split, Units};
use super::{ErrorModel, FeatureTable, Labelled, LearnedFrom, ManyExperts, PenaltyKind, check_penalty};
use crate::judgments::{Column, Labels, Repeats};
use crate::likeliest::likeliest;
use crate::surrogate::{expert_error, warn_of_experts};
use crate::truth::{Evidence, MOST_RESTARTS, Posterior, Skilled};
use crate::{Context, Error, Result, Warning};

/// Learns a sparse classifier from features and the labels of several noisy experts, as the command `learn` does.
///
/// Units are matched between the tables by their ids. The penalty is given, or chosen by S: how often labels that were
/// held out differ from the prediction. See [`ManyExperts`] for the model.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `from` | what the classifier is fitted to | experts | |
/// | `penalty` | on the coefficients of standardised features | chosen by S | 0 or more |
/// | `penalty_kind` | L1, L2 or elastic | L1 or L2, chosen by S; L1 with a penalty that is given | |
/// | `penalty_ease` | on those of ease, if another; for experts | as `penalty` | 0 or more |
/// | `restarts` | random starts, the best of which is kept; for experts | 30 | 0 to 10,000 |
/// | `asymmetric` | experts have a skill for each of two true classes; for experts | no | |
/// | `error_model` | a skill or a confusion matrix for each expert | chosen by labels of folds; a skill without folds | |
/// | `repeats` | what becomes of labels that an expert gave to the same unit twice | averaged | |
/// | `held_out` | the labels that S is taken on | 5 folds, if the penalty is to be chosen | |
///
/// Cost: with folds and a penalty to choose, 50 penalties of each kind times folds + 1 fits; each as that of [`ManyExperts`].
///
/// ```
/// use beanjar::experts::{FeatureTable, Features, Learn, LearnData};
/// use beanjar::{Context, Labels};
///
/// let features = Features::from_columns(4, &[vec![-2.0, -1.0, 1.0, 2.0]])?;
/// let features = FeatureTable::new(["a", "b", "c", "d"].into_iter().collect(), vec!["height".into()], features)?;
/// let labels = Labels::from_rows([
///     ("a", "ann", "no"), ("b", "ann", "no"), ("c", "ann", "yes"), ("d", "ann", "yes"),
///     ("a", "bob", "no"), ("b", "bob", "yes"), ("c", "bob", "yes"), ("d", "bob", "yes"),
/// ])?;
/// let learn = Learn { penalty: Some(0.1), ..Learn::default() };
/// let outcome = learn.fit(&LearnData::new(&features, &labels), &Context::new())?;
/// assert_eq!(outcome.features[0].feature, "height");
/// assert_eq!(outcome.model.predict(&features, None, &Context::new())?.label(3), "yes");
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Learn {
    /// What the classifier is fitted to.
    pub from: LearnFrom,
    /// The penalty on the coefficients of standardised features; chosen by S if not given.
    pub penalty: Option<f64>,
    /// The kind of the penalty; if none is given, L1 or L2 as S chooses, and L1 with a penalty that is given: sizes of two
    /// kinds mean two things.
    pub penalty_kind: Option<PenaltyKind>,
    /// A penalty of its own for the coefficients of ease.
    pub penalty_ease: Option<f64>,
    /// Random starts.
    pub restarts: usize,
    /// Whether experts have a skill for each of two true classes.
    pub asymmetric: bool,
    /// How experts err; chosen by labels that were held out if not given.
    pub error_model: Option<ErrorModel>,
    /// What becomes of labels that an expert gave to the same unit more than once.
    pub repeats: Repeats,
    /// The labels that S is taken on, if there are none to test by.
    pub held_out: HeldOut,
}

/// What a classifier is fitted to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LearnFrom {
    /// The labels, with the experts' skills.
    #[default]
    Experts,
    /// The majority's label; a tie counts for each of the tied.
    Majority,
    /// The soft labels of [`Auto`](crate::truth::Auto).
    Aggregate,
    /// The true classes, to compare with.
    Truth,
}

/// The labels that are held out for S.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum HeldOut {
    /// With a penalty to choose, those of five folds; else none.
    #[default]
    Auto,
    /// Those of each of this many parts of the units in turn: 2 to the number of units.
    Folds(usize),
    /// Those of a random share of the units, between 0 and 1. The model is learned from the others only.
    Share(f64),
}

/// What is learned from.
#[derive(Clone, Copy, Debug)]
pub struct LearnData<'a> {
    /// The features of units.
    pub features: &'a FeatureTable,
    /// The labels of several experts; tasks are units.
    pub labels: &'a Labels,
    /// The true class of some units: for [`LearnFrom::Truth`].
    pub truth: Option<&'a Column>,
    /// Labels of other units, on which S is taken; their features are in the same table.
    pub test: Option<&'a Labels>,
}

impl<'a> LearnData<'a> {
    /// Features and labels alone.
    #[must_use]
    pub fn new(features: &'a FeatureTable, labels: &'a Labels) -> Self {
        LearnData { features, labels, truth: None, test: None }
    }
}

impl Default for Learn {
    fn default() -> Self {
        Learn {
            from: LearnFrom::Experts,
            penalty: None,
            penalty_kind: None,
            penalty_ease: None,
            restarts: ManyExperts::default().restarts,
            asymmetric: false,
            error_model: None,
            repeats: Repeats::default(),
            held_out: HeldOut::Auto,
        }
    }
}

impl Learn {
    /// Learns.
    pub fn fit(&self, data: &LearnData<'_>, context: &Context) -> Result<LearnOutcome> {
        self.check()?;
        self.check_data(data)?;
        let mut warnings = Vec::new();
        let labels = data.labels.with_repeats(self.repeats, context, &mut warnings);
        let test = data.test.map(|test| test.with_repeats(self.repeats, context, &mut warnings));
        let data = &LearnData { labels: labels.as_ref(), test: test.as_deref(), ..*data };
        let share = if let HeldOut::Share(share) = self.held_out { Some(share) } else { None };
        let Split { train, others } = Split::of(data, share, &mut warnings, context)?;
        let labelled = train.labelled(data.features)?;
        let chosen = self.choose(&labelled, others.as_ref(), &context.part(0.0, 0.95))?;
        match has_no_finite_fit(&labelled, &chosen) {
            true => warnings.push(Warning::NoFiniteFit { units: labelled.units() }),
            false if !chosen.fit.converged => {
                warnings.push(Warning::StoppedEarly { steps: chosen.fit.iterations });
            }
            false => {}
        }
        let error = match chosen.fit.standardised.rights() {
            Some(experts) => match chosen.held_out.as_ref() {
                Some(held_out) => held_out.expert_error(&labelled)?,
                None => experts.expert_error(&labelled),
            },
            None => self.expert_error(&labelled, &train, &context.part(0.95, 1.0))?,
        };
        warnings.extend(warn_of_experts(error, data.labels));
        let calibrated = Calibrated {
            temperature: Self::temperature(&labelled, &chosen, error),
            learned_from: self.learned_from(&labelled, &train, data.features, chosen.held_out.as_ref()),
            // Only beside experts' labels is a unit read by the classifier that held it out.
            fold_classifiers: match (&chosen.held_out, &chosen.fit.experts) {
                (Some(held_out), Some(_)) => held_out.parts.iter().map(|fit| fit.classifier.clone()).collect(),
                _ => Vec::new(),
            },
        };
        let held_out = chosen.held_out.as_ref().map(|held_out| {
            let rows = train.rows().iter().zip(held_out.probabilities.chunks_exact(data.labels.classes.len()));
            let class = |unit: &[f64]| data.labels.classes.get(likeliest(unit)).to_owned();
            rows.map(|(&row, unit)| (data.features.units().get(row).to_owned(), class(unit))).collect()
        });
        let experts = &train.experts;
        let found =
            Found { data, experts, labelled: &labelled, chosen, expert_error: error, calibrated, held_out, warnings };
        Ok(LearnOutcome::of(found))
    }

    /// Whether the parameters are in their ranges.
    pub fn check(&self) -> Result<()> {
        check_penalty("the penalty", self.penalty.unwrap_or(0.0))?;
        check_penalty("the penalty of ease", self.penalty_ease.unwrap_or(0.0))?;
        if self.restarts > MOST_RESTARTS {
            let (name, value) = ("the number of restarts", self.restarts.to_string());
            return Err(Error::OutOfRange { name, value, range: "at most 10,000" });
        }
        match self.held_out {
            HeldOut::Share(share) if !(share > 0.0 && share < 1.0) => Err(Error::OutOfRange {
                name: "the share of units held out",
                value: share.to_string(),
                range: "between 0 and 1, such as 0.3",
            }),
            _ => Ok(()),
        }
    }

    fn check_data(&self, data: &LearnData<'_>) -> Result<()> {
        let classes = data.labels.classes.len();
        if data.labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        if classes < 2 {
            return Err(Error::OneClass);
        }
        if self.asymmetric && self.from == LearnFrom::Experts && classes != 2 {
            return Err(Error::NotTwoClasses(classes));
        }
        if self.from == LearnFrom::Truth && data.truth.is_none() {
            return Err(Error::NoTruth);
        }
        match data.test.is_some() && self.held_out != HeldOut::Auto {
            true => Err(Error::OutOfRange {
                name: "what is held out",
                value: "given besides labels to test by".into(),
                range: "one of the two",
            }),
            false => Ok(()),
        }
    }

    /// The temperature at which the labels that were held out are likeliest, experts erring as the model says, or all alike.
    fn temperature(data: &Labelled<'_>, chosen: &PenaltyChoice, error: Option<f64>) -> Option<f64> {
        let (held_out, classes) = (chosen.held_out.as_ref()?, data.ballots.classes());
        let likelihoods = match held_out.label_logs(data) {
            Some(logs) => relative(classes, &logs),
            None => {
                let (error, others) = (error?.clamp(1e-6, 1.0 - 1e-6), classes as f64 - 1.0);
                let of = |unit: usize, class: usize| -> f64 {
                    let votes = data.ballots.votes(unit);
                    let right = |label: usize| if label == class { 1.0 - error } else { error / others };
                    votes.weighted().map(|(_, label, weight)| right(label).powf(weight)).product()
                };
                (0..data.units()).flat_map(|unit| (0..classes).map(move |class| of(unit, class))).collect()
            }
        };
        Some(temperature(classes, &held_out.probabilities, &likelihoods))
    }

    /// How often experts err, where the model does not say.
    fn expert_error(&self, data: &Labelled<'_>, train: &Units, context: &Context) -> Result<Option<f64>> {
        let ballots = &train.ballots;
        match (self.from, &data.truth) {
            (LearnFrom::Truth, Some(truth)) => {
                let known: Vec<(usize, usize)> =
                    truth.iter().enumerate().filter_map(|(unit, class)| Some((unit, usize::from((*class)?)))).collect();
                let units: Vec<usize> = known.iter().map(|(unit, _)| *unit).collect();
                let classes: Vec<usize> = known.iter().map(|(_, class)| *class).collect();
                let certain = Posterior::certain(&classes, ballots.classes())?;
                expert_error(&ballots.of_tasks(&units)?, &certain)
            }
            _ => {
                // One model's own posterior: that of `Auto` is cautious, and would make experts look worse than they are.
                let posterior = Skilled::default().fit(&Evidence::votes(ballots)?, context)?.posterior;
                expert_error(ballots, &posterior)
            }
        }
    }
    /// Which labels were learned from, and in which part of the units each was held out.
    fn learned_from(
        &self,
        data: &Labelled<'_>,
        train: &Units,
        features: &FeatureTable,
        held_out: Option<&HeldOutFits>,
    ) -> LearnedFrom {
        let id = |unit: usize| features.units().get(train.rows()[unit]);
        // From true classes no label is learned.
        let truth = data.truth.as_ref().filter(|_| self.from == LearnFrom::Truth);
        let workers = |unit: usize| {
            let workers = train.ballots.votes(unit).workers.iter().filter(|_| truth.is_none());
            workers.map(|&worker| train.experts.get(worker as usize)).collect::<Vec<_>>()
        };
        let units = (0..train.rows().len()).filter(|&unit| truth.is_none_or(|truth| truth[unit].is_some()));
        let learned = LearnedFrom::new(units.map(|unit| (id(unit), workers(unit))));
        match held_out {
            None => learned,
            Some(held_out) => {
                learned.with_folds(held_out.fold.iter().enumerate().map(|(unit, &fold)| (id(unit), fold)))
            }
        }
    }
}
