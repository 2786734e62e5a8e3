//! Model files: JSON with a kind and a version.

use super::bytes_of;
use crate::failure::{Failure, Result};
use beanjar::ExpertsModel;
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
    Experts(ExpertsModel),
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
        // It is checked as it is loaded.
        Model::Experts(_) => true,
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
