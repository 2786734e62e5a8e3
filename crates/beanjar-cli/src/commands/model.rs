//! Model files: JSON with a kind and a version.

use super::bytes_of;
use crate::failure::{Failure, Result};
use beanjar::Labels;
use beanjar::experts::{Classifier, ExpertModel, Fit, Labelled};
use beanjar::multiselect::Predictor;
use beanjar::truth::Rule;
use beanjar_io::Source;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The version of model files that we write, and the only one that we read.
const VERSION: u64 = 1;

/// A model of any kind.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Model {
    Multiselect(Predictor),
    Crowd(Crowd),
    Experts(Experts),
}

/// How the labels of a crowd are read.
#[derive(Serialize, Deserialize)]
pub(crate) struct Crowd {
    pub(crate) method: String,
    pub(crate) classes: Vec<String>,
    pub(crate) workers: Vec<String>,
    /// Those whose labels were left out, and are to be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<String>,
    pub(crate) rule: Rule,
}

/// A classifier learned from experts, for features as the user has them.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Experts {
    pub(crate) model_classes: Vec<String>,
    pub(crate) feature_names: Vec<String>,
    /// Of the units that it was learned from.
    pub(crate) feature_means: Vec<f64>,
    pub(crate) expert_names: Vec<String>,
    /// The classifier alone, or with the experts.
    #[serde(rename = "model_classifier", default, skip_serializing_if = "Option::is_none")]
    alone: Option<Classifier>,
    #[serde(rename = "model_experts", default, skip_serializing_if = "Option::is_none")]
    pub(crate) experts: Option<ExpertModel>,
}

impl Experts {
    pub(crate) fn new(fit: &Fit, data: &Labelled<'_>, names: &[String], labels: &Labels) -> Self {
        let features = data.features();
        let experts = fit.experts.as_ref().map(|experts| experts.on_the_users_scale(features));
        Experts {
            model_classes: labels.classes.iter().map(str::to_owned).collect(),
            feature_names: names.to_vec(),
            feature_means: features.means(),
            expert_names: labels.workers.iter().map(str::to_owned).collect(),
            alone: experts.is_none().then(|| fit.classifier.on_the_users_scale(features)),
            experts,
        }
    }

    pub(crate) fn classifier(&self) -> &Classifier {
        static NONE: Classifier = Classifier { classes: 0, intercepts: Vec::new(), coefficients: Vec::new() };
        let with_experts = self.experts.as_ref().map(|experts| &experts.classifier);
        with_experts.or(self.alone.as_ref()).unwrap_or(&NONE)
    }

    fn is_sound(&self) -> bool {
        let features = self.feature_names.len();
        let experts = self.experts.as_ref().is_none_or(|experts| experts.is_sound(features, self.expert_names.len()));
        let named_once =
            different(&self.model_classes) && different(&self.feature_names) && different(&self.expert_names);
        let means = self.feature_means.len() == features && self.feature_means.iter().all(|mean| mean.is_finite());
        let classes = self.classifier().classes == self.model_classes.len();
        experts && named_once && means && classes && self.classifier().is_sound(features)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct File<M> {
    beanjar_model: u64,
    #[serde(flatten)]
    model: M,
}

/// A model with what tells it is one.
pub(crate) fn file(model: &Model) -> File<&Model> {
    File { beanjar_model: VERSION, model }
}

fn different(names: &[String]) -> bool {
    names.iter().collect::<HashSet<_>>().len() == names.len()
}

#[derive(Deserialize)]
struct Kind {
    kind: String,
}

pub(crate) fn save(model: &Model) -> String {
    // Plain structs of strings and numbers always serialise.
    serde_json::to_string_pretty(&file(model)).unwrap_or_default() + "\n"
}

pub(crate) fn load(source: &Source) -> Result<Model> {
    let said = |words: String| Failure::Words(format!("{}: {words}", source.name()));
    let bytes = bytes_of(source)?;
    let not_a_model = || said("not a model file as 'fit --out', 'aggregate --model' or 'learn --out' write it".into());
    let file: File<Kind> = serde_json::from_slice(&bytes).map_err(|_| not_a_model())?;
    if file.beanjar_model != VERSION {
        let found = file.beanjar_model;
        return Err(said(format!(
            "a model file of version {found}, and this program reads version {VERSION}; fit it again"
        )));
    }
    if !["multiselect", "crowd", "experts"].contains(&file.model.kind.as_str()) {
        return Err(said(format!("a model of kind '{}', which this program does not know", file.model.kind)));
    }
    let file: File<Model> = serde_json::from_slice(&bytes).map_err(|error| said(format!("damaged: {error}")))?;
    let sound = match &file.model {
        Model::Multiselect(predictor) => predictor.is_sound(),
        Model::Experts(experts) => experts.is_sound(),
        Model::Crowd(crowd) => {
            let named_once = different(&crowd.workers) && different(&crowd.classes);
            named_once && crowd.rule.is_sound(crowd.workers.len(), crowd.classes.len())
        }
    };
    match sound {
        true => Ok(file.model),
        false => Err(said("damaged: its numbers do not fit together".into())),
    }
}
