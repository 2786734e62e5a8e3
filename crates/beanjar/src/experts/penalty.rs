use crate::{Error, Result};
use std::fmt;

/// What is taken off the log-likelihood for each coefficient b of a standardised feature, times the size of the penalty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum PenaltyKind {
    /// |b|: many coefficients are zero.
    #[default]
    L1,
    /// b^2 / 2: none is zero, all are small. For features that all carry something, as embeddings do.
    L2,
    /// |b| / 2 + b^2 / 4: something of both.
    Elastic,
}

impl PenaltyKind {
    /// The factors of |b| and of b^2 / 2.
    pub(super) fn factors(self) -> (f64, f64) {
        match self {
            PenaltyKind::L1 => (1.0, 0.0),
            PenaltyKind::L2 => (0.0, 1.0),
            PenaltyKind::Elastic => (0.5, 0.5),
        }
    }
}

impl fmt::Display for PenaltyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PenaltyKind::L1 => "L1",
            PenaltyKind::L2 => "L2",
            PenaltyKind::Elastic => "elastic",
        })
    }
}

/// A penalty on coefficients: of which kind, and how large. A number is one of kind L1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// The kind.
    pub kind: PenaltyKind,
    /// The size: 0 or more.
    pub size: f64,
}

impl From<f64> for Penalty {
    fn from(size: f64) -> Self {
        Penalty { kind: PenaltyKind::L1, size }
    }
}

impl Penalty {
    /// What it takes off.
    pub(super) fn of<'a>(&self, coefficients: impl IntoIterator<Item = &'a f64>) -> f64 {
        let (one, two) = self.kind.factors();
        coefficients.into_iter().map(|b| self.size * (one * b.abs() + 0.5 * two * b * b)).sum()
    }
}

pub(super) fn check_penalty(name: &'static str, size: f64) -> Result<()> {
    match size >= 0.0 && size.is_finite() {
        true => Ok(()),
        false => Err(Error::OutOfRange { name, value: size.to_string(), range: "0 or more, and finite" }),
    }
}
