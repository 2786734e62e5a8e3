use super::{CrowdModel, Model};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The version of model files that we write, and the only one so far.
const VERSION: u64 = 1;
/// The kinds of that version.
const KINDS: [&str; 3] = ["multiselect", "crowd", "experts"];

/// A model with its version.
#[derive(Serialize, Deserialize)]
struct File<M> {
    beanjar_model: u64,
    #[serde(flatten)]
    model: M,
}

#[derive(Deserialize)]
struct Kind {
    kind: String,
}

impl Model {
    /// The text of a model file.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Plain structs of strings and numbers always serialise.
        serde_json::to_string_pretty(&self.as_file()).unwrap_or_default() + "\n"
    }

    /// The model with the version, as it stands in a file.
    pub(crate) fn as_file(&self) -> impl Serialize {
        File { beanjar_model: VERSION, model: self }
    }

    /// Loads the text of a model file, and checks that its numbers fit together.
    pub fn from_json(text: &str) -> Result<Model> {
        let file: File<Kind> = serde_json::from_str(text).map_err(|_| Error::NotAModelFile)?;
        if file.beanjar_model != VERSION {
            return Err(Error::ModelVersion { found: file.beanjar_model, known: VERSION });
        }
        if !KINDS.contains(&file.model.kind.as_str()) {
            return Err(Error::ModelKind(file.model.kind.chars().take(40).collect()));
        }
        /// A message repeats what was given, which may be any length.
        const MOST: usize = 200;
        let cut = |error: serde_json::Error| Error::DamagedModel(error.to_string().chars().take(MOST).collect());
        let file: File<Model> = serde_json::from_str(text).map_err(cut)?;
        match file.model.is_sound() {
            true => Ok(file.model),
            false => Err(Error::DamagedModel("its numbers do not fit together".into())),
        }
    }

    /// Whether its parts fit together: a model from a file may be anything.
    fn is_sound(&self) -> bool {
        match self {
            Model::Multiselect(predictor) => predictor.is_sound(),
            Model::Crowd(CrowdModel { workers, classes, rule, .. }) => {
                different(workers) && different(classes) && rule.is_sound(workers.len(), classes.len())
            }
            // It is checked as it is loaded.
            Model::Experts(_) => true,
        }
    }
}

/// Whether each name stands once.
fn different(names: &[String]) -> bool {
    names.iter().collect::<HashSet<_>>().len() == names.len()
}

#[cfg(test)]
mod tests;
