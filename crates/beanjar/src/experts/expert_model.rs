use super::classifier::check_features;
use super::posterior::{Posteriors, Skills};
use super::{Classifier, ExpertRows, Features};
use crate::judgments::Ballots;
use crate::{Error, Result};

/// A class from features, and how often each expert is right, for features on the user's scale.
///
/// Expert k is right about unit i with probability s(skill_k + x_i g), s the logistic function, and says each of the other
/// classes equally often. x_i g is the unit's ease: a feature with a coefficient above zero makes units easy, one below
/// zero makes them hard. (The paper, and files, call g the difficulty.)
///
/// Or experts have a confusion matrix each: then these say how they err, skills sum them up, and ease is zero.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "StoredModel", try_from = "StoredModel"))]
pub struct ExpertModel {
    classifier: Classifier,
    skills: Vec<f64>,
    ease: Vec<f64>,
    asymmetric: bool,
    rows: Option<ExpertRows>,
}

/// A model as it is written to a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredModel {
    classifier: Classifier,
    skills: Vec<f64>,
    difficulty: Vec<f64>,
    asymmetric: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<ExpertRows>,
}

#[cfg(feature = "serde")]
impl From<ExpertModel> for StoredModel {
    fn from(ExpertModel { classifier, skills, ease, asymmetric, rows }: ExpertModel) -> Self {
        StoredModel { classifier, skills, difficulty: ease, asymmetric, rows }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredModel> for ExpertModel {
    type Error = Error;

    fn try_from(stored: StoredModel) -> Result<Self> {
        let model = ExpertModel::new(stored.classifier, stored.skills, stored.difficulty, stored.asymmetric)?;
        let fits = |rows: &ExpertRows| {
            (rows.classes(), rows.experts()) == (model.classifier.classes(), model.experts()) && !model.asymmetric
        };
        match stored.rows.as_ref().is_none_or(fits) {
            true => Ok(ExpertModel { rows: stored.rows, ..model }),
            false => Err(Error::NotAModel),
        }
    }
}

impl ExpertModel {
    /// From a classifier, the skill of each expert, and a coefficient of ease for each feature. If asymmetric, an expert
    /// has two skills: first stand all experts' for units of the first class, then those for units of the second.
    pub fn new(classifier: Classifier, skills: Vec<f64>, ease: Vec<f64>, asymmetric: bool) -> Result<Self> {
        let sizes = ease.len() == classifier.features() && (!asymmetric || skills.len().is_multiple_of(2));
        let two = !asymmetric || classifier.classes() == 2;
        match sizes && two && skills.iter().chain(&ease).all(|value| value.is_finite()) {
            true => Ok(Self::of(classifier, skills, ease, asymmetric)),
            false => Err(Error::NotAModel),
        }
    }

    /// From numbers that are known to fit together.
    pub(super) fn of(classifier: Classifier, skills: Vec<f64>, ease: Vec<f64>, asymmetric: bool) -> Self {
        ExpertModel { classifier, skills, ease, asymmetric, rows: None }
    }

    /// The same with a confusion matrix for each expert.
    pub(super) fn of_rows(classifier: Classifier, skills: Vec<f64>, rows: ExpertRows) -> Self {
        let ease = vec![0.0; classifier.features()];
        ExpertModel { rows: Some(rows), ..Self::of(classifier, skills, ease, false) }
    }

    /// The class from the features: b.
    #[must_use]
    pub fn classifier(&self) -> &Classifier {
        &self.classifier
    }

    /// a, of each expert; if asymmetric, of each expert for units of the first class, then for units of the second.
    #[must_use]
    pub fn skills(&self) -> &[f64] {
        &self.skills
    }

    /// g, a coefficient for each feature: above zero it makes experts right more often.
    #[must_use]
    pub fn ease(&self) -> &[f64] {
        &self.ease
    }

    /// Whether skills are for each of two true classes.
    #[must_use]
    pub fn asymmetric(&self) -> bool {
        self.asymmetric
    }

    /// The experts' confusion matrices, if they have one each.
    #[must_use]
    pub fn rows(&self) -> Option<&ExpertRows> {
        self.rows.as_ref()
    }

    /// How many experts there are.
    #[must_use]
    pub fn experts(&self) -> usize {
        self.skills.len() / self.how_experts_err().each()
    }

    /// P(class | x, y) of each unit, unit by unit, of their features and of the labels of the experts, by their numbers.
    pub fn posterior(&self, features: &Features, ballots: &Ballots) -> Result<Vec<f64>> {
        self.posterior_given(&self.classifier.sums(features)?, features, ballots, |_, _| false)
    }

    /// The same with other sums of each unit and row for the class. Of a unit and an expert `learned` says whether the
    /// experts' matrices were learned from that label, which is then left out of the row that it is read by.
    pub(super) fn posterior_given(
        &self,
        sums: &[f64],
        features: &Features,
        ballots: &Ballots,
        learned: impl Fn(usize, usize) -> bool,
    ) -> Result<Vec<f64>> {
        let alike = ballots.workers() <= self.experts() && ballots.classes() == self.classifier.classes();
        if !alike || ballots.tasks() != features.units() {
            return Err(Error::OutOfRange {
                name: "a table of labels",
                value: format!("of {} units and {} classes", ballots.tasks(), ballots.classes()),
                range: "of the units with features, and of the model's experts and classes",
            });
        }
        check_features(features, self.ease.len())?;
        match &self.rows {
            Some(rows) => Ok(rows.posterior(&self.classifier.linear().probabilities_of(sums), ballots, learned)),
            None => Ok(Posteriors::of(self.how_experts_err(), sums, &features.sums(&self.ease), ballots).posterior),
        }
    }

    /// ln P(labels | class) of each unit, unit by unit, given its ease x g.
    pub(super) fn label_logs(&self, ease: &[f64], ballots: &Ballots) -> Vec<f64> {
        let classes = self.classifier.classes();
        let mut logs = vec![0.0; ballots.tasks() * classes];
        for (unit, cells) in logs.chunks_exact_mut(classes).enumerate() {
            let votes = ballots.votes(unit);
            match &self.rows {
                Some(rows) => rows.add_logs(votes, cells),
                None => self.how_experts_err().add_logs(ease[unit], votes, cells),
            }
        }
        logs
    }

    fn how_experts_err(&self) -> Skills<'_> {
        Skills { classes: self.classifier.classes(), skills: &self.skills, asymmetric: self.asymmetric }
    }
}
