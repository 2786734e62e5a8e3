//! One selection from given moments: numbers in, numbers out.

use super::best::best;
use super::bound::{Relaxed, Rest, TO_PROVE, TO_SHOW, bound};
use super::unexplained::Unexplained;
use super::{Estimates, LabelledJudgments, Method, Spending, baselines, full, scoring};
use crate::{Context, Error, Result};

/// A [`Method`] with the numbers that it needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
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

impl Strategy {
    /// How many judgments of an attribute one step adds.
    pub(super) fn judgments_of_a_step(self) -> u32 {
        if let Strategy::Averages(k) = self { k } else { 1 }
    }

    /// The method without its numbers.
    #[must_use]
    pub fn method(self) -> Method {
        match self {
            Strategy::Full => Method::Full,
            Strategy::Scoring => Method::Scoring,
            Strategy::Best => Method::Best,
            Strategy::Averages(_) => Method::Averages,
            Strategy::Copies(_) => Method::Copies,
            Strategy::CrowdMean(_) => Method::CrowdMean,
        }
    }
}

/// One step of a selection.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Step {
    /// The attribute taken.
    pub attribute: usize,
    /// What was spent after it.
    pub spent: f64,
    /// What was explained after it, by the method's own objective.
    pub explained: f64,
}

/// A selection, as numbers of judgments in the order of the attributes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SelectionFit {
    /// How often to judge each attribute.
    pub repeats: Vec<u32>,
    /// The steps that led to it.
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

/// What to select by: a strategy, and what may be spent.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// How to choose.
    pub strategy: Strategy,
    /// The budget, costs and limits.
    pub spending: Spending,
}

impl Selector {
    /// Chooses what to ask within the budget. `data` are the judgments that the estimates are from; only
    /// [`Strategy::Copies`] reads them.
    ///
    /// ```
    /// use beanjar::{Context, Judgments};
    /// use beanjar::multiselect::{Estimates, LabelledJudgments, Selector, Spending, Strategy};
    ///
    /// let rows = [("1", "a", "", 2.0), ("1", "a", "", 3.0), ("2", "a", "", 5.0), ("2", "a", "", 6.0)];
    /// let judgments = Judgments::from_rows(rows)?;
    /// let data = LabelledJudgments::new(&judgments, &[1.0, 4.0])?;
    /// let estimates = Estimates::new(data, 0.0, &Context::new())?;
    /// let selector = Selector { strategy: Strategy::Full, spending: Spending::judgments(3, 1) };
    /// let fit = selector.fit(&estimates, data, &Context::new())?;
    /// assert_eq!(fit.repeats, [3]);
    /// # Ok::<(), beanjar::Error>(())
    /// ```
    pub fn fit(&self, estimates: &Estimates, data: LabelledJudgments<'_>, context: &Context) -> Result<SelectionFit> {
        let spending = &self.spending;
        spending.check(estimates)?;
        if !estimates.is_in_scale() {
            return Err(Error::OutOfScale);
        }
        if self.strategy == Strategy::Best {
            return self.fit_best(estimates, context);
        }
        let path = self.path(estimates, data)?;
        if path.is_empty() {
            return Err(Error::NothingExplains);
        }
        let repeats = self.repeats(&path);
        let explained = match self.strategy {
            Strategy::Scoring => path.last().map_or(0.0, |step| step.explained),
            _ => estimates.explained_by(&repeats),
        };
        let upper_bound = match self.strategy {
            // Theorem 3.2: nothing is better by its own objective.
            Strategy::Scoring => explained,
            _ => self.relaxed(estimates).upper.max(explained),
        };
        let spent = path.last().map_or(0.0, |step| step.spent);
        Ok(SelectionFit { repeats, path, spent, explained, upper_bound, proven: false })
    }

    fn fit_best(&self, estimates: &Estimates, context: &Context) -> Result<SelectionFit> {
        let spending = &self.spending;
        let relaxed = self.relaxed(estimates);
        let best = best(estimates, spending, &relaxed, context)?;
        // The way there: greedy, among the judgments of the best selection.
        let within = Spending { at_most: best.repeats.clone(), ..spending.clone() };
        let path = full::path(estimates, &within);
        let explained = estimates.explained_by(&best.repeats);
        let upper_bound = if best.proven { explained } else { relaxed.upper.max(explained) };
        let (spent, repeats) = (spending.total(&best.repeats), best.repeats);
        Ok(SelectionFit { repeats, path, spent, explained, upper_bound, proven: best.proven })
    }

    /// The steps of the strategy alone, without the bound.
    pub fn path(&self, estimates: &Estimates, data: LabelledJudgments<'_>) -> Result<Vec<Step>> {
        let (spending, attributes) = (&self.spending, estimates.len());
        spending.check_numbers(attributes)?;
        Ok(match self.strategy {
            Strategy::Full | Strategy::Best => full::path(estimates, spending),
            Strategy::Scoring => scoring::path(estimates, spending),
            Strategy::Averages(k) => baselines::averages(estimates, spending, k),
            Strategy::Copies(k) => baselines::copies(data, spending, k)?,
            Strategy::CrowdMean(attribute) if attribute < attributes => {
                baselines::crowd_mean(estimates, spending, attribute)
            }
            Strategy::CrowdMean(attribute) => {
                let value = attribute.to_string();
                return Err(Error::OutOfRange { name: "the attribute", value, range: "one of the attributes" });
            }
        })
    }

    /// How often each attribute is judged after these steps.
    #[must_use]
    pub fn repeats(&self, steps: &[Step]) -> Vec<u32> {
        let each = self.strategy.judgments_of_a_step();
        let mut repeats = vec![0; self.spending.cost.len()];
        for step in steps {
            if let Some(repeats) = repeats.get_mut(step.attribute) {
                *repeats += each;
            }
        }
        repeats
    }

    /// The attributes that may be chosen.
    fn open(&self, estimates: &Estimates) -> Vec<usize> {
        (0..estimates.len()).filter(|&a| estimates.usable[a] && self.spending.at_most[a] > 0).collect()
    }

    /// The whole problem, relaxed, with its bound.
    fn relaxed(&self, estimates: &Estimates) -> Relaxed {
        let Estimates { external, covariance, .. } = estimates;
        let (open, noise) = (self.open(estimates), estimates.least_noise());
        let rest = Rest { external, covariance, noise: &noise, open: &open, budget: self.spending.budget };
        let tight = if self.strategy == Strategy::Best { TO_PROVE } else { TO_SHOW };
        bound(&rest, &self.spending, tight)
    }
}

impl Estimates {
    /// obj(r), which these numbers of judgments explain.
    pub(super) fn explained_by(&self, repeats: &[u32]) -> f64 {
        let taken = (0..repeats.len()).filter(|&a| repeats[a] > 0).map(|a| (a, self.noise_of(a, repeats[a])));
        Unexplained::after(&self.external, &self.covariance, taken).explained
    }
}
