use super::classifier::check_features;
use super::posterior::{Posteriors, Skills};
use super::{Classifier, Features};
use crate::judgments::Ballots;
use crate::{Error, Result};

/// A class from features, and how often each expert is right, for features on the user's scale.
///
/// Expert k is right about unit i with probability s(skill_k + x_i g), s the logistic function, and says each of the other
/// classes equally often. x_i g is the unit's ease: a feature with a coefficient above zero makes units easy, one below
/// zero makes them hard. (The paper, and files, call g the difficulty.)
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "StoredModel", try_from = "StoredModel"))]
pub struct ExpertModel {
    classifier: Classifier,
    skills: Vec<f64>,
    ease: Vec<f64>,
    asymmetric: bool,
}

/// A model as it is written to a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredModel {
    classifier: Classifier,
    skills: Vec<f64>,
    difficulty: Vec<f64>,
    asymmetric: bool,
}

#[cfg(feature = "serde")]
impl From<ExpertModel> for StoredModel {
    fn from(ExpertModel { classifier, skills, ease, asymmetric }: ExpertModel) -> Self {
        StoredModel { classifier, skills, difficulty: ease, asymmetric }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredModel> for ExpertModel {
    type Error = Error;

    fn try_from(stored: StoredModel) -> Result<Self> {
        ExpertModel::new(stored.classifier, stored.skills, stored.difficulty, stored.asymmetric)
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
        ExpertModel { classifier, skills, ease, asymmetric }
    }

    /// The same experts with another classifier of the same classes and features.
    pub(super) fn with_classifier(&self, classifier: Classifier) -> Self {
        ExpertModel { classifier, ..self.clone() }
    }

    /// The class from the features: b.
    pub fn classifier(&self) -> &Classifier {
        &self.classifier
    }

    /// a, of each expert; if asymmetric, of each expert for units of the first class, then for units of the second.
    pub fn skills(&self) -> &[f64] {
        &self.skills
    }

    /// g, a coefficient for each feature: above zero it makes experts right more often.
    pub fn ease(&self) -> &[f64] {
        &self.ease
    }

    /// Whether skills are for each of two true classes.
    pub fn asymmetric(&self) -> bool {
        self.asymmetric
    }

    /// How many experts there are.
    pub fn experts(&self) -> usize {
        self.skills.len() / self.how_experts_err().each()
    }

    /// P(class | x, y) of each unit, unit by unit, of their features and of the labels of the experts, by their numbers.
    pub fn posterior(&self, features: &Features, ballots: &Ballots) -> Result<Vec<f64>> {
        let alike = ballots.workers() <= self.experts() && ballots.classes() == self.classifier.classes();
        if !alike || ballots.tasks() != features.units() {
            return Err(Error::OutOfRange {
                name: "a table of labels",
                value: format!("of {} units and {} classes", ballots.tasks(), ballots.classes()),
                range: "of the units with features, and of the model's experts and classes",
            });
        }
        check_features(features, self.ease.len())?;
        let (sums, ease) = (self.classifier.sums(features)?, features.sums(&self.ease));
        Ok(Posteriors::of(self.how_experts_err(), &sums, &ease, ballots).posterior)
    }

    fn how_experts_err(&self) -> Skills<'_> {
        Skills { classes: self.classifier.classes(), skills: &self.skills, asymmetric: self.asymmetric }
    }
}
