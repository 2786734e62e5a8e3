//! What judgments cost, and how much may be spent.

use super::Estimates;
use crate::{Error, Result};

/// The terms of a selection: a budget per object, the cost of a judgment of each attribute, and limits. All lists are
/// as long as there are attributes; every call that takes them checks that.
#[derive(Clone, Debug, PartialEq)]
pub struct Spending {
    /// How much may be spent on each new object.
    pub budget: f64,
    /// What one judgment of each attribute costs.
    pub cost: Vec<f64>,
    /// How often each attribute may be judged; 0 for never.
    pub at_most: Vec<u32>,
    /// Whether an attribute must be judged at least once.
    pub always: Vec<bool>,
}

/// Judgments of one object that a budget may pay.
const MOST_JUDGMENTS: u32 = 20_000;

impl Spending {
    /// A budget of this many judgments of any attributes, each of cost 1.
    #[must_use]
    pub fn judgments(budget: u32, attributes: usize) -> Self {
        Spending {
            budget: f64::from(budget),
            cost: vec![1.0; attributes],
            at_most: vec![u32::MAX; attributes],
            always: vec![false; attributes],
        }
    }

    /// An error if there is not one cost, one limit and one mark for each attribute.
    fn check_lengths(&self, attributes: usize) -> Result<()> {
        let lengths =
            [("costs", self.cost.len()), ("limits", self.at_most.len()), ("marks for 'always'", self.always.len())];
        match lengths.into_iter().find(|(_, length)| *length != attributes) {
            None => Ok(()),
            Some((what, found)) => Err(Error::WrongLength { what, found, of: "attributes", expected: attributes }),
        }
    }

    /// An error if there is not one of each for each attribute, or budget and costs are not above 0.
    pub(super) fn check_numbers(&self, attributes: usize) -> Result<()> {
        self.check_lengths(attributes)?;
        let refuse = |name, value: f64, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        if !(self.budget > 0.0 && self.budget.is_finite()) {
            return refuse("the budget", self.budget, "above 0");
        }
        if let Some(&cost) = self.cost.iter().find(|cost| !(**cost > 0.0 && cost.is_finite())) {
            return refuse("a cost", cost, "above 0");
        }
        Ok(())
    }

    /// An error if these terms make no sense for these attributes.
    pub fn check(&self, estimates: &Estimates) -> Result<()> {
        self.check_numbers(estimates.len())?;
        if let Some(a) = (0..self.cost.len()).find(|&a| self.always[a] && !estimates.usable[a]) {
            return Err(Error::AlwaysUnusable(estimates.attributes[a].clone()));
        }
        let open = |a: &usize| estimates.usable[*a] && self.at_most[*a] > 0;
        let cheapest = (0..self.cost.len()).filter(open).map(|a| self.cost[a]).fold(f64::INFINITY, f64::min);
        if cheapest == f64::INFINITY {
            return Err(Error::NothingExplains);
        }
        let payable = |a: usize| (self.budget / self.cost[a]).min(f64::from(self.at_most[a]));
        let longest = (0..self.cost.len()).filter(open).map(payable).sum::<f64>().min(self.budget / cheapest);
        if longest > f64::from(MOST_JUDGMENTS) {
            return Err(Error::BudgetTooLarge { budget: self.budget, judgments: longest, most: MOST_JUDGMENTS });
        }
        if cheapest > self.budget {
            return Err(Error::BudgetTooSmall { budget: self.budget, cheapest });
        }
        let needed: f64 = (0..self.cost.len()).filter(|&a| self.always[a]).map(|a| self.cost[a]).sum();
        if needed > self.budget {
            return Err(Error::BudgetTooSmall { budget: self.budget, cheapest: needed });
        }
        Ok(())
    }

    /// Whether `cost` more can be paid after `spent`. Sums of costs such as 0.1 may be off by rounding.
    pub(super) fn affords(&self, spent: f64, cost: f64) -> bool {
        spent + cost <= self.budget * (1.0 + 1e-12)
    }

    /// What a selection costs.
    pub(super) fn total(&self, repeats: &[u32]) -> f64 {
        repeats.iter().zip(&self.cost).map(|(&repeats, cost)| f64::from(repeats) * cost).sum()
    }

    /// Whether all costs are whole numbers, so that budgets can be counted.
    pub(super) fn is_whole(&self) -> bool {
        self.cost.iter().all(|cost| cost.fract() == 0.0)
    }
}

/// A selection in the making: how often each attribute so far, and what it cost.
#[derive(Clone)]
pub(super) struct Basket<'a> {
    spending: &'a Spending,
    pub(super) repeats: Vec<u32>,
    pub(super) spent: f64,
}

impl<'a> Basket<'a> {
    pub(super) fn new(spending: &'a Spending) -> Self {
        Basket { spending, repeats: vec![0; spending.cost.len()], spent: 0.0 }
    }

    /// Whether one more judgment of an attribute is allowed and can be paid.
    pub(super) fn can_take(&self, a: usize, more: u32) -> bool {
        let cost = f64::from(more) * self.spending.cost[a];
        self.spending.at_most[a].saturating_sub(self.repeats[a]) >= more && self.spending.affords(self.spent, cost)
    }

    pub(super) fn take(&mut self, a: usize) {
        self.repeats[a] += 1;
        self.spent += self.spending.cost[a];
    }

    /// The attribute that can be taken whose gain per cost is largest, the first of equals; none if none gains anything.
    pub(super) fn best(&self, gain: impl Fn(usize) -> f64) -> Option<usize> {
        let mut best = None;
        let mut most = 0.0;
        for a in 0..self.repeats.len() {
            let rate = gain(a) / self.spending.cost[a];
            if rate > most && self.can_take(a, 1) {
                (best, most) = (Some(a), rate);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::{random_estimates, unit};

    #[test]
    fn lists_of_another_length_are_refused() {
        let estimates = random_estimates(1, 3, 20);
        assert_eq!(unit(5, 3).check(&estimates), Ok(()));
        for wrong in [0, 2, 4] {
            let of = |spending: Spending| {
                assert!(matches!(spending.check(&estimates), Err(Error::WrongLength { .. })), "{spending:?}");
            };
            of(unit(5, wrong));
            of(Spending { cost: vec![1.0; wrong], ..unit(5, 3) });
            of(Spending { at_most: vec![1; wrong], ..unit(5, 3) });
            of(Spending { always: vec![false; wrong], ..unit(5, 3) });
        }
    }
}
