//! Which workers to trust, from labels alone (Zhao and Zucker, Feature Selection Facilitates Learning Mixtures of
//! Discrete Product Distributions).
//!
//! Workers who look at the tasks agree with one another through the tasks' true classes; workers who do not look agree
//! with nobody. So the [mutual information](Information) between the labels of two workers shows that both are worth
//! listening to, and no truth is needed to see it.

mod agreement_map;
mod goodness;
mod information;
mod keep;
mod pair_table;
mod pairs;
mod rank;
mod rank_outcome;
mod ranking;
mod subset;
mod suspicion;
mod verdict;

pub use agreement_map::AgreementMap;
pub use goodness::goodness_of_fit;
pub use information::{Information, Missing};
pub use keep::{Keep, KeepFit, KeepRule, KeepTrial};
pub use rank::{KeepBy, RankWorkers, WorkersToKeep};
pub use rank_outcome::{
    ComparedLabels, ComparedWorkers, RankWorkersOutcome, RankedWorker, SuspiciousPair, SuspiciousPairs,
};
pub use ranking::{Ranking, elbow};
pub use subset::{Subset, best_subset};
pub use suspicion::{Suspicion, WorkerPair};
pub(crate) use verdict::families_of_copies;
pub use verdict::{JudgedWorker, JudgedWorkers, Verdict, judge_workers};
use verdict::{Matrices, judge};
