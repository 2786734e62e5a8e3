//! Whether copies count once where the answer is the plain vote.

use super::super::rare_workers::RareWorkers;
use super::held_out::{HeldOut, hold_out};
use crate::judgments::Ballots;
use crate::{Context, Result};

/// Whether the plain vote in which each family of copies has one vote, as in `together`, predicts the held-out labels of
/// everybody else at least as well as that in which each copy has one, as in `apart`.
///
/// What copies say of each other's labels shows nothing. If they are right more often than the rest, the labels of the rest
/// go with all of their votes, else with one. Where workers share tables (there are more than 20,000), copies count once.
pub(super) fn count_once(
    apart: &Ballots,
    together: &Ballots,
    families: &[Vec<usize>],
    folds: usize,
    context: &Context,
) -> Result<bool> {
    if RareWorkers::of(apart).is_some() {
        return Ok(true);
    }
    let mut copies = vec![false; apart.workers()];
    families.iter().flatten().for_each(|&worker| copies[worker] = true);
    // The mean logarithm of their probabilities.
    let of_others = |ballots: &Ballots| -> Result<f64> {
        let HeldOut { probabilities, workers, counts, .. } = hold_out(&[], ballots, folds, context)?;
        let labels = probabilities.iter().zip(&counts).zip(&workers).filter(|(_, worker)| !copies[**worker as usize]);
        let (sum, all) = labels.fold((0.0, 0.0), |(sum, all), ((p, count), _)| (sum + count * p.ln(), all + count));
        Ok(sum / f64::max(all, 1.0))
    };
    Ok(of_others(together)? >= of_others(apart)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::as_one;
    use rand::RngExt;

    /// Three who copy one another and are right with probability `right`, and four who are right seven times in ten.
    fn family(right: f64) -> Ballots {
        let mut random = crate::random::stream(4, 0);
        let tasks: Vec<Vec<(usize, usize)>> = (0..400)
            .map(|task| {
                let class = task % 2;
                let mut said = |right: f64| if random.random_bool(right) { class } else { 1 - class };
                let copied = said(right);
                (0..3).map(|copy| (copy, copied)).chain((3..7).map(|worker| (worker, said(0.7)))).collect()
            })
            .collect();
        Ballots::from_tasks(&tasks, 7, 2).unwrap()
    }

    #[test]
    fn copies_count_once_unless_the_others_bear_them_out() {
        let families = [vec![0, 1, 2]];
        let once = |right: f64| {
            let apart = family(right);
            count_once(&apart, &as_one(&apart, &families), &families, 5, &Context::new()).unwrap()
        };
        assert!(once(0.5));
        assert!(once(0.65));
        assert!(!once(0.95));
    }
}
