//! The ways to choose.

/// How to choose what to ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Method {
    /// Algorithm 1, Full: one judgment after the other, the one that explains most given those before.
    #[default]
    Full,
    /// Algorithm 1, Scoring: as if attributes were uncorrelated; steadier where objects are few.
    Scoring,
    /// Full, improved by exchanges, and on small problems proven best. Its expected loss is that of Full.
    Best,
    /// Baseline: standard feature selection on the means of the judgments at hand.
    Averages,
    /// Baseline: standard feature selection on single judgments; without an expected loss.
    Copies,
    /// Baseline: the mean of one attribute, the first that is always to be judged, else the best one.
    CrowdMean,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 6] =
        [Method::Full, Method::Scoring, Method::Best, Method::Averages, Method::Copies, Method::CrowdMean];

    /// The method's name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Method::Full => "full",
            Method::Scoring => "scoring",
            Method::Best => "best",
            Method::Averages => "averages",
            Method::Copies => "copies",
            Method::CrowdMean => "crowd-mean",
        }
    }
}
