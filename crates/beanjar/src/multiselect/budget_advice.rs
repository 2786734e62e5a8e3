//! Whether the budget is enough, in one sentence.

use super::SelectStep;
use std::fmt;

/// What to say of a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BudgetAdvice {
    /// The expected error still falls at the end of the budget: more would do better.
    StillFalls {
        /// What was spent where it was this `before`; from there to the end is about a fifth of the budget.
        from: f64,
        /// The expected error there.
        before: f64,
        /// The expected error at the end.
        after: f64,
    },
    /// This much would do: the error to expect is within one standard error of the smallest along the path.
    Enough(f64),
    /// The error falls no more, and nothing less would do.
    All(f64),
}

/// From this share of the budget on is its end.
const END: f64 = 0.8;
/// An error that falls by more than this share of itself over the end of the budget still falls.
const FALLS: f64 = 0.01;

impl BudgetAdvice {
    pub(super) fn of(path: &[SelectStep]) -> Option<BudgetAdvice> {
        let expected = |step: &SelectStep| step.cv_loss.zip(step.cv_se).map(|(loss, se)| (step.spent, loss, se));
        let expected: Vec<(f64, f64, f64)> = path.iter().filter_map(expected).collect();
        let &(all, after, _) = expected.last()?;
        if let Some(&(from, before, _)) = expected.iter().rfind(|step| step.0 <= END * all)
            && before - after > FALLS * after.abs()
        {
            return Some(BudgetAdvice::StillFalls { from, before, after });
        }
        let (_, loss, se) = expected.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let enough = expected.iter().find(|step| step.1 <= loss + se).map_or(all, |step| step.0);
        Some(if enough < all { BudgetAdvice::Enough(enough) } else { BudgetAdvice::All(all) })
    }

    /// The budget that would do, if one is known.
    pub(super) fn suggested(self) -> Option<f64> {
        match self {
            BudgetAdvice::StillFalls { .. } => None,
            BudgetAdvice::Enough(budget) | BudgetAdvice::All(budget) => Some(budget),
        }
    }
}

impl fmt::Display for BudgetAdvice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BudgetAdvice::StillFalls { from, before, after } => {
                let percent = 100.0 * (before - after) / before;
                write!(
                    f,
                    "The expected error still falls, by {percent:.1}% since {from}: a larger budget would do better."
                )
            }
            BudgetAdvice::Enough(budget) => {
                write!(
                    f,
                    "A budget of {budget} would do: its expected error is within one standard error of the smallest."
                )
            }
            BudgetAdvice::All(budget) => {
                write!(f, "Spend it all: below {budget} the expected error is more than one standard error larger.")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(losses: &[f64], se: f64) -> Vec<SelectStep> {
        let step = |(i, &loss): (usize, &f64)| SelectStep {
            step: i + 1,
            attribute: "a".into(),
            judgments: 1,
            spent: 2.0 * i as f64 + 2.0,
            explained: 0.0,
            upper_bound: None,
            projected_loss: 0.0,
            cv_loss: Some(loss),
            cv_se: Some(se),
        };
        losses.iter().enumerate().map(step).collect()
    }

    #[test]
    fn an_error_that_still_falls_is_all_that_is_said() {
        let falls: Vec<f64> = (1..=10).map(|i| 10.0 / f64::from(i)).collect();
        // However large the standard error is: a smaller budget would do by it.
        for se in [0.0, 0.1, 5.0] {
            let found = BudgetAdvice::of(&path(&falls, se)).unwrap();
            assert_eq!(found, BudgetAdvice::StillFalls { from: 16.0, before: 10.0 / 8.0, after: 1.0 });
            assert!(found.suggested().is_none() && !found.to_string().contains("would do:"), "{found}");
        }
    }

    #[test]
    fn the_suggested_budget_is_the_first_within_one_standard_error() {
        let flat = [9.0, 5.0, 3.4, 3.0, 3.11, 3.1, 3.1];
        assert_eq!(BudgetAdvice::of(&path(&flat, 0.5)), Some(BudgetAdvice::Enough(6.0)));
        let sudden = [9.0, 5.0, 3.4, 3.3, 3.0, 3.0, 2.99];
        assert_eq!(BudgetAdvice::of(&path(&sudden, 0.005)), Some(BudgetAdvice::All(14.0)));
        assert_eq!(BudgetAdvice::of(&[]), None);
        let mut unknown = path(&flat[..1], 0.5);
        unknown[0].cv_loss = None;
        assert_eq!(BudgetAdvice::of(&unknown), None);
    }
}
