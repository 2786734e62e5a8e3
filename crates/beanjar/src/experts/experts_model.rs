use super::{Classifier, ClassifierFit, ExpertModel, Labelled, LearnedFrom};
use crate::Dictionary;
#[cfg(feature = "serde")]
use crate::{Error, Result};
#[cfg(feature = "serde")]
use std::collections::HashSet;

/// A classifier learned from experts, with the names of its classes, features and experts: what is saved and loaded.
///
/// Features are on the user's scale.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "StoredExperts", try_from = "StoredExperts"))]
pub struct ExpertsModel {
    classes: Vec<String>,
    feature_names: Vec<String>,
    feature_means: Vec<f64>,
    expert_names: Vec<String>,
    /// What the logarithms of odds are divided by, if held-out labels said so.
    temperature: Option<f64>,
    /// The labels it was learned from; not known of models of earlier versions.
    learned_from: Option<LearnedFrom>,
    /// If labels of parts of the units were held out, the classifier learned from the other parts, for each.
    fold_classifiers: Vec<Classifier>,
    fitted: ClassifierOrExperts,
}

/// What is known of a fit beside its numbers.
pub(super) struct Calibrated {
    pub(super) temperature: Option<f64>,
    pub(super) learned_from: LearnedFrom,
    pub(super) fold_classifiers: Vec<Classifier>,
}

/// A classifier alone, or with the experts.
#[derive(Clone, Debug, PartialEq)]
enum ClassifierOrExperts {
    Classifier(Classifier),
    Experts(ExpertModel),
}

/// A model as it is written to a file.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredExperts {
    model_classes: Vec<String>,
    feature_names: Vec<String>,
    feature_means: Vec<f64>,
    expert_names: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learned_from: Option<LearnedFrom>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fold_classifiers: Vec<Classifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model_classifier: Option<Classifier>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model_experts: Option<ExpertModel>,
}

#[cfg(feature = "serde")]
impl From<ExpertsModel> for StoredExperts {
    fn from(model: ExpertsModel) -> Self {
        let (model_classifier, model_experts) = match model.fitted {
            ClassifierOrExperts::Classifier(classifier) => (Some(classifier), None),
            ClassifierOrExperts::Experts(experts) => (None, Some(experts)),
        };
        StoredExperts {
            model_classes: model.classes,
            feature_names: model.feature_names,
            feature_means: model.feature_means,
            expert_names: model.expert_names,
            temperature: model.temperature,
            learned_from: model.learned_from,
            fold_classifiers: model.fold_classifiers,
            model_classifier,
            model_experts,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredExperts> for ExpertsModel {
    type Error = Error;

    fn try_from(stored: StoredExperts) -> Result<Self> {
        let fitted = match (stored.model_experts, stored.model_classifier) {
            (Some(experts), _) => ClassifierOrExperts::Experts(experts),
            (None, Some(classifier)) => ClassifierOrExperts::Classifier(classifier),
            (None, None) => return Err(Error::NotAModel),
        };
        let model = ExpertsModel {
            classes: stored.model_classes,
            feature_names: stored.feature_names,
            feature_means: stored.feature_means,
            expert_names: stored.expert_names,
            temperature: stored.temperature,
            learned_from: stored.learned_from,
            fold_classifiers: stored.fold_classifiers,
            fitted,
        };
        model.check()?;
        Ok(model)
    }
}

impl ExpertsModel {
    /// A fit with its names.
    pub(super) fn new(
        fit: &ClassifierFit,
        data: &Labelled<'_>,
        feature_names: &[String],
        (classes, experts): (&Dictionary, &Dictionary),
        calibrated: Calibrated,
    ) -> Self {
        let names = |dictionary: &Dictionary| dictionary.iter().map(str::to_owned).collect();
        ExpertsModel {
            classes: names(classes),
            feature_names: feature_names.to_vec(),
            feature_means: data.features.means(),
            expert_names: names(experts),
            temperature: calibrated.temperature,
            learned_from: Some(calibrated.learned_from),
            fold_classifiers: calibrated.fold_classifiers,
            fitted: match &fit.experts {
                Some(experts) => ClassifierOrExperts::Experts(experts.clone()),
                None => ClassifierOrExperts::Classifier(fit.classifier.clone()),
            },
        }
    }

    /// Whether names and numbers fit together.
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<()> {
        let features = self.feature_names.len();
        let experts = self.experts().is_none_or(|experts| experts.experts() == self.expert_names.len());
        let named_once = different(&self.classes) && different(&self.feature_names) && different(&self.expert_names);
        let means = self.feature_means.len() == features && self.feature_means.iter().all(|mean| mean.is_finite());
        let sizes = (self.classifier().classes(), self.classifier().features()) == (self.classes.len(), features);
        let temperature = self.temperature.is_none_or(|temperature| temperature > 0.0 && temperature.is_finite());
        let alike = |other: &Classifier| {
            (other.classes(), other.features()) == (self.classifier().classes(), self.classifier().features())
        };
        let folds = self.learned_from.as_ref().map_or(0, LearnedFrom::folds);
        let held_out = (self.fold_classifiers.is_empty() || folds <= self.fold_classifiers.len())
            && self.fold_classifiers.iter().all(alike);
        match experts && named_once && means && sizes && temperature && held_out {
            true => Ok(()),
            false => Err(Error::NotAModel),
        }
    }

    /// The classes' names, in sorted order.
    #[must_use]
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The features' names.
    #[must_use]
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// The mean of each feature, of the units that it was learned from.
    #[must_use]
    pub fn feature_means(&self) -> &[f64] {
        &self.feature_means
    }

    /// The experts' names.
    #[must_use]
    pub fn expert_names(&self) -> &[String] {
        &self.expert_names
    }

    /// What the logarithms of odds are divided by to make probabilities hold; 1 if labels were not held out.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.temperature.unwrap_or(1.0)
    }

    /// If labels of parts of the units were held out, the classifiers learned from the other parts, before the temperature.
    #[must_use]
    pub fn fold_classifiers(&self) -> &[Classifier] {
        &self.fold_classifiers
    }

    /// The labels it was learned from, if that is known.
    #[must_use]
    pub fn learned_from(&self) -> Option<&LearnedFrom> {
        self.learned_from.as_ref()
    }

    /// The classifier, before the temperature.
    #[must_use]
    pub fn classifier(&self) -> &Classifier {
        match &self.fitted {
            ClassifierOrExperts::Classifier(classifier) => classifier,
            ClassifierOrExperts::Experts(experts) => experts.classifier(),
        }
    }

    /// The classifier with the experts, if they were learned together.
    #[must_use]
    pub fn experts(&self) -> Option<&ExpertModel> {
        match &self.fitted {
            ClassifierOrExperts::Classifier(_) => None,
            ClassifierOrExperts::Experts(experts) => Some(experts),
        }
    }
}

#[cfg(feature = "serde")]
fn different(names: &[String]) -> bool {
    names.iter().collect::<HashSet<_>>().len() == names.len()
}
