use super::pair_table::conditional_information;
use super::pairs::Pairs;
use crate::judgments::Ballots;
use crate::truth::Posterior;
use crate::{Context, Result};

/// Goodness of fit: the information between workers that the classes leave (equation 10 of the paper).
///
/// The sum over pairs of I(X_i, X_j | Y), P(x_i, x_j, y) being the mean over tasks of P(y | votes) where i said x_i and j
/// said x_j. Each pair's information is taken over the tasks that both labelled, and weighted by their share of all tasks,
/// which for complete data is the paper's sum; with a single class it is the sum of mutual informations (proposition 1).
/// Cost: O(sum over tasks of votes squared, times classes).
pub fn goodness_of_fit(ballots: &Ballots, posterior: &Posterior, context: &Context) -> Result<f64> {
    posterior.check_tasks(ballots)?;
    let pairs = Pairs::new(ballots);
    let tasks = ballots.tasks().max(1) as f64;
    let pieces = pairs.pieces();
    let steps = context.steps("comparing workers", pieces.len());
    let sums = context.map(pieces, |range| {
        let mut sum = 0.0;
        pairs.for_each(
            range,
            |meeting| meeting.task,
            |_, _, met| {
                let rows: Vec<_> = met.iter().map(|meeting| posterior.row(meeting.task as usize)).collect();
                let left = conditional_information(met, &rows);
                sum += met.len() as f64 / tasks * left;
            },
        );
        steps.tick().map(|()| sum)
    });
    sums.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Crowd;
    use crate::truth::{Evidence, Mixture};
    use crate::workers::{Information, Missing};

    #[test]
    fn with_one_class_it_is_the_sum_of_mutual_informations() {
        // Proposition 1, on complete data and under one component.
        let crowd = Crowd { tasks: 80, workers: 5, classes: 2, votes: (5, 5), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 5, 2).unwrap();
        let information = Information::new(&ballots, Missing::Paper, &Context::new()).unwrap();
        let sum = information.scores().iter().sum::<f64>() / 2.0;
        let one = Posterior::certain(&[0; 80], 1).unwrap();
        assert!((goodness_of_fit(&ballots, &one, &Context::new()).unwrap() - sum).abs() < 1e-12);
    }

    #[test]
    fn classes_that_explain_leave_less() {
        let crowd = Crowd { tasks: 300, workers: 10, classes: 3, votes: (6, 6), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(3)).unwrap().labels, 10, 3).unwrap();
        let evidence = Evidence::votes(&ballots).unwrap();
        let left = |posterior: &Posterior| goodness_of_fit(&ballots, posterior, &Context::new()).unwrap();
        let one = Posterior::certain(&[0; 300], 1).unwrap();
        let fit = Mixture { components: Some(3), ..Mixture::default() }.fit(&evidence, &Context::new()).unwrap();
        assert!(left(&fit.posterior) < 0.5 * left(&one));
    }

    #[test]
    fn a_posterior_of_other_tasks_is_refused() {
        let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 0)]], 2, 2).unwrap();
        let other = Posterior::certain(&[0, 1], 2).unwrap();
        assert!(goodness_of_fit(&ballots, &other, &Context::new()).is_err());
    }
}
