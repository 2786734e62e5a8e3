//! Choosing what to ask.

use super::best::best;
use super::bound::{Rest, bound};
use super::residual::after;
use super::{Estimates, Spending, baselines, full, scoring};
use crate::{Error, Judgments, Result};

/// How to choose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Algorithm 1, Full: greedy on what attributes explain together.
    #[default]
    Full,
    /// Algorithm 1, Scoring: as if attributes were uncorrelated.
    Scoring,
    /// Full, improved by exchanges, and on small problems proven best.
    Best,
    /// Baseline: forward selection on means of this many judgments.
    Averages(u32),
    /// Baseline: forward selection of single judgments, this many of each attribute.
    Copies(u32),
    /// Baseline: the mean of one attribute, by its number.
    CrowdMean(usize),
}

impl Method {
    /// The method's name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Method::Full => "full",
            Method::Scoring => "scoring",
            Method::Best => "best",
            Method::Averages(_) => "averages",
            Method::Copies(_) => "copies",
            Method::CrowdMean(_) => "crowd-mean",
        }
    }
}

/// One step of a selection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The attribute taken.
    pub attribute: usize,
    /// What was spent after it.
    pub spent: f64,
    /// What was explained after it, by the method's own objective.
    pub explained: f64,
}

/// What to ask.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// How it was chosen.
    pub method: Method,
    /// How often to judge each attribute.
    pub repeats: Vec<u32>,
    /// How it came about, one step after the other.
    pub path: Vec<Step>,
    /// What it costs per object.
    pub spent: f64,
    /// obj(r): how much of the label's variance it explains; for Scoring, by its own objective.
    pub explained: f64,
    /// What no selection within the budget exceeds.
    pub upper_bound: f64,
    /// Whether it is proven that no selection explains more.
    pub proven: bool,
}

/// Chooses what to ask within a budget. `data` are the judgments and labels that the estimates rest on; only `Copies`
/// looks at them.
pub fn select(
    method: Method,
    estimates: &Estimates,
    spending: &Spending,
    data: (&Judgments, &[f64]),
) -> Result<Selection> {
    spending.check(estimates)?;
    if !estimates.is_in_scale() {
        return Err(Error::OutOfScale);
    }
    let Estimates { external, covariance, noise, .. } = estimates;
    let open: Vec<usize> = (0..estimates.len()).filter(|&a| estimates.usable[a] && spending.at_most[a] > 0).collect();
    let relax = || bound(&Rest { external, covariance, noise, open: &open, budget: spending.budget }, spending);
    if method == Method::Best {
        let relaxed = relax();
        let best = best(estimates, spending, &relaxed);
        // The way there: greedy, among the judgments of the best selection.
        let within = Spending { at_most: best.repeats.clone(), ..spending.clone() };
        let path = full::path(estimates, &within);
        let explained = after(external, covariance, noise, &best.repeats).explained;
        let upper_bound = if best.proven { explained } else { relaxed.upper.max(explained) };
        let (spent, repeats) = (spending.total(&best.repeats), best.repeats);
        return Ok(Selection { method, repeats, path, spent, explained, upper_bound, proven: best.proven });
    }
    let path = path(method, estimates, spending, data)?;
    if path.is_empty() {
        return Err(Error::NothingExplains);
    }
    let repeats = repeats(method, &path, estimates.len());
    let explained = match method {
        Method::Scoring => path.last().map_or(0.0, |step| step.explained),
        _ => after(external, covariance, noise, &repeats).explained,
    };
    let upper_bound = match method {
        // Theorem 3.2: nothing is better by its own objective.
        Method::Scoring => explained,
        _ => relax().upper.max(explained),
    };
    let spent = path.last().map_or(0.0, |step| step.spent);
    Ok(Selection { method, repeats, path, spent, explained, upper_bound, proven: false })
}

/// The steps of a method alone, without the bound.
pub fn path(
    method: Method,
    estimates: &Estimates,
    spending: &Spending,
    (judgments, labels): (&Judgments, &[f64]),
) -> Result<Vec<Step>> {
    Ok(match method {
        Method::Full | Method::Best => full::path(estimates, spending),
        Method::Scoring => scoring::path(estimates, spending),
        Method::Averages(k) => baselines::averages(estimates, spending, k),
        Method::Copies(k) => baselines::copies(judgments, labels, spending, k)?,
        Method::CrowdMean(attribute) => baselines::crowd_mean(estimates, spending, attribute),
    })
}

/// How often each of the attributes is judged after these steps of a method.
pub fn repeats(method: Method, steps: &[Step], attributes: usize) -> Vec<u32> {
    let each = if let Method::Averages(k) = method { k } else { 1 };
    let mut repeats = vec![0; attributes];
    for step in steps {
        if let Some(repeats) = repeats.get_mut(step.attribute) {
            *repeats += each;
        }
    }
    repeats
}
