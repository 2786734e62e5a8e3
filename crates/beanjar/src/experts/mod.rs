//! A sparse classifier from several noisy experts (Izbicki and Stern 2014, Learning with many experts: model selection and
//! sparsity).
//!
//! [`Features`] are what units look like; `lasso` and `multinomial` solve penalised logistic regressions on them, of two
//! classes and of more; `model` is the model, which `em` and then `newton` bring to a maximum of its likelihood, from
//! `starts`, in `fit`; a `learner` is this or a plain regression, and `path` compares penalties.

mod classifier;
mod curvature;
#[cfg(test)]
mod drawn;
mod em;
mod features;
mod fit;
mod hessian;
mod largest;
mod lasso;
mod learner;
mod model;
mod multinomial;
mod newton;
mod path;
mod quadratic;
mod reading;
mod starts;

pub use classifier::{Classifier, Regression, SoftLabels};
pub use features::Features;
pub use fit::{Learned, ManyExperts};
pub use learner::{Fit, Learner, Part};
pub use model::{ExpertModel, Labelled};
pub use path::{Path, PathPoint, PenaltyPath, Validation, drawn_apart, likeliest};

use crate::{Error, Result};

fn check_penalty(name: &'static str, penalty: f64) -> Result<()> {
    match penalty >= 0.0 && penalty.is_finite() {
        true => Ok(()),
        false => Err(Error::OutOfRange { name, value: penalty.to_string(), range: "0 or more, and finite" }),
    }
}
