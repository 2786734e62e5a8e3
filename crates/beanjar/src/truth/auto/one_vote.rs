//! What to do where no task has votes of two workers.

use super::super::{Evidence, Majority, TruthFit};
use super::summary::AutoSummary;
use crate::{Context, Result};

/// Whether nothing can be learned of anyone: no two workers voted on the same task, and no answer is known.
pub(super) fn nothing_to_learn(evidence: &Evidence<'_>) -> bool {
    evidence.gold.iter().all(Option::is_none) && !evidence.ballots.any_shared()
}

/// The plain vote. To hold a label out would leave its task without any.
pub(super) fn fit(evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
    let mut fit = Majority::default().fit(evidence, context)?;
    fit.auto = Some(AutoSummary::of_one("the plain vote", true, 0.0, evidence.ballots));
    Ok(fit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::truth::Auto;

    #[test]
    fn one_vote_a_task_is_the_answer_as_the_fits_would_have_it() {
        let votes: Vec<Vec<(usize, usize)>> =
            (0..300).map(|task| if task % 11 == 0 { vec![] } else { vec![(task % 7, task * task % 3)] }).collect();
        let ballots = Ballots::from_tasks(&votes, 7, 3).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        assert!(nothing_to_learn(&evidence));
        let fast = Auto::default().fit(&evidence, &Context::new()).unwrap();
        let slow = Auto::default().fit_models(&evidence, &Context::new()).unwrap();
        for task in 0..300 {
            assert_eq!(fast.posterior.of(task), slow.posterior.of(task));
        }
        let (fast, slow) = (fast.auto.unwrap(), slow.auto.unwrap());
        assert_eq!(fast.sentence(), slow.sentence());
        assert!((fast.effective_votes - slow.effective_votes).abs() < 1e-12);
    }

    #[test]
    fn a_shared_task_or_a_known_answer_is_something_to_learn_from() {
        let shared = Ballots::from_tasks(&[vec![(0, 0)], vec![(0, 1), (1, 1)]], 2, 2).unwrap();
        assert!(!nothing_to_learn(&Evidence::votes(&shared).unwrap()));
        // The same worker twice is one opinion.
        let again = Ballots::from_tasks(&[vec![(0, 0)], vec![(1, 1), (1, 0)]], 2, 2).unwrap();
        assert!(nothing_to_learn(&Evidence::votes(&again).unwrap()));
        assert!(!nothing_to_learn(&Evidence::with_gold(&again, vec![Some(1), None]).unwrap()));
    }
}
