//! What to do where there are more pairs of classes than labels.

use super::super::posterior::MANY_CLASSES;
use super::super::{Evidence, Rule, TruthFit, Wawa};
use super::summary::AutoSummary;
use crate::judgments::Ballots;
use crate::{Context, Result};

/// Whether there are many classes, and more pairs of them than labels: then not even one table for all workers together
/// can be learned. With fewer classes a table is small, however few the labels, and its prior fills it.
pub(crate) fn too_many_for_tables(classes: usize, votes: usize) -> bool {
    classes >= MANY_CLASSES && classes * classes > votes
}

/// Votes that count by how often their worker agrees with the majority: of each worker one number can be learned.
pub(super) fn fit(evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
    let ballots = evidence.ballots;
    let mut fit = Wawa.fit(evidence, context)?;
    let correlation = match &fit.rule {
        Rule::Weights(weights) => excess_agreement(ballots, weights.workers()),
        _ => 0.0,
    };
    fit.auto = Some(AutoSummary::of_one("agreement with the others", false, correlation, ballots));
    Ok(fit)
}

/// The correlation left between two votes on a task once its class is known, each worker being right at their share and
/// wrong labels being all alike: the excess of agreeing pairs over what is to be expected, as a share of what it could be.
fn excess_agreement(ballots: &Ballots, right: &[f64]) -> f64 {
    let ways = (ballots.classes() - 1).max(1) as f64;
    let mut given = vec![0.0; ballots.classes()];
    let (mut agree, mut expected, mut pairs) = (0.0, 0.0, 0.0);
    for task in 0..ballots.tasks() {
        let votes = ballots.votes(task);
        // Sums over votes give sums over pairs: the square of the sum, without what each vote makes with itself.
        let (mut n, mut alone, mut a, mut a_alone, mut b, mut b_alone) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for (worker, label, weight) in votes.weighted() {
            let (hit, miss) = (weight * right[worker], weight * (1.0 - right[worker]));
            given[label] += weight;
            (n, alone) = (n + weight, alone + weight * weight);
            (a, a_alone) = (a + hit, a_alone + hit * hit);
            (b, b_alone) = (b + miss, b_alone + miss * miss);
        }
        pairs += (n * n - alone) / 2.0;
        expected += (a * a - a_alone + (b * b - b_alone) / ways) / 2.0;
        let same: f64 = votes.weighted().map(|(_, label, weight)| weight * given[label]).sum();
        agree += (same - alone) / 2.0;
        votes.weighted().for_each(|(_, label, _)| given[label] = 0.0);
    }
    if pairs > expected { ((agree - expected) / (pairs - expected)).clamp(0.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::{Auto, Majority};

    /// Two workers who are right on four tasks of five, and three who are hardly ever.
    fn codes(tasks: usize, classes: usize) -> (Ballots, Vec<Option<u16>>) {
        let class = |task: usize| task * 7 % classes;
        let said = |task: usize, worker: usize| match worker {
            0 | 1 if !(task + worker).is_multiple_of(5) => class(task),
            _ => (class(task) + 1 + (task * 13 + worker * 29) % (classes - 1)) % classes,
        };
        let votes: Vec<Vec<(usize, usize)>> =
            (0..tasks).map(|task| (0..5).map(|worker| (worker, said(task, worker))).collect()).collect();
        let truth = (0..tasks).map(|task| Some(class(task) as u16)).collect();
        (Ballots::from_tasks(&votes, 5, classes).unwrap(), truth)
    }

    #[test]
    fn with_more_pairs_of_classes_than_labels_workers_still_count_by_their_agreement() {
        let (ballots, truth) = codes(300, 200);
        assert!(too_many_for_tables(ballots.classes(), ballots.len()));
        let evidence = Evidence::votes(&ballots).unwrap();
        let fit = Auto::default().fit(&evidence, &Context::new()).unwrap();
        let majority = Majority::default().fit(&evidence, &Context::new()).unwrap();
        let (error, plain) = (fit.posterior.error(&truth).unwrap(), majority.posterior.error(&truth).unwrap());
        // On two tasks of five only one of the two good ones is right. All five differ there, and one in five is right by
        // chance; by agreement only the two good ones count, and one in two is.
        assert!((plain - 0.4 * 0.8).abs() < 0.01 && (error - 0.4 * 0.5).abs() < 0.01, "{error} {plain}");
        let summary = fit.auto.unwrap();
        assert!(!summary.plain_vote && summary.sentence().contains("too many classes"));
        assert!(summary.correlation < 0.05, "{summary:?}");
    }

    #[test]
    fn few_classes_or_many_labels_have_tables() {
        assert!(!too_many_for_tables(40, 15));
        assert!(!too_many_for_tables(50, 3000));
    }

    #[test]
    fn copies_share_all_their_errors() {
        let votes: Vec<Vec<(usize, usize)>> =
            (0..100).map(|task| vec![(0, task % 97), (1, task % 97), (2, task % 97)]).collect();
        let ballots = Ballots::from_tasks(&votes, 3, 97).unwrap();
        assert!(excess_agreement(&ballots, &[0.5; 3]) > 0.99);
        // Independent workers who are right half the time agree on a quarter of the tasks.
        let votes: Vec<Vec<(usize, usize)>> = (0..100)
            .map(|task: usize| {
                vec![
                    (0, if task.is_multiple_of(2) { 0 } else { 1 + task % 50 }),
                    (1, if task % 4 < 2 { 0 } else { 60 }),
                ]
            })
            .collect();
        assert!(excess_agreement(&Ballots::from_tasks(&votes, 2, 97).unwrap(), &[0.5; 2]) < 0.01);
    }
}
