//! Models that were fitted, saved, and loaded again.

mod crowd;
#[cfg(feature = "serde")]
mod file;

pub use crowd::CrowdModel;

use crate::experts::ExpertsModel;
use crate::multiselect::Predictor;

/// A model of any kind, as it is saved and loaded.
///
/// A model file is JSON with a version (`beanjar_model`) and a kind (`kind`).
///
/// ```
/// use beanjar::{Aggregate, Context, Labels, Model};
///
/// let labels = Labels::from_rows([("1", "ann", "cat"), ("1", "bob", "cat"), ("2", "ann", "dog")])?;
/// let outcome = Aggregate::default().fit(&labels, &Context::new())?;
/// # #[cfg(feature = "serde")] {
/// let text = Model::Crowd(outcome.model().unwrap()).to_json();
/// let Model::Crowd(model) = Model::from_json(&text)? else { panic!("another kind") };
/// let new = Labels::from_rows([("3", "bob", "cat")])?;
/// assert_eq!(model.predict(&new, &Context::new())?.task(0).unwrap().label, "cat");
/// # }
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "kind", rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Model {
    /// A linear predictor of a label from judgments.
    Multiselect(Predictor),
    /// How the labels of a crowd are read.
    Crowd(CrowdModel),
    /// A classifier of units by their features, learned from experts.
    Experts(ExpertsModel),
}
