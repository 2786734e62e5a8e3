use super::*;
use crate::judgments::Ballots;
use crate::simulate::Crowd;
use crate::truth::{Auto, Calibration, Evidence};
use std::num::NonZeroUsize;

/// A crowd, as a table and as tasks with their truth.
struct Made {
    tasks: Vec<Vec<(usize, usize)>>,
    truth: Vec<usize>,
    workers: usize,
    classes: usize,
}

impl Made {
    fn new(crowd: &Crowd) -> Made {
        let drawn = crowd.draw(&Context::new().with_seed(5)).unwrap();
        Made { tasks: drawn.labels, truth: drawn.truth, workers: crowd.workers, classes: crowd.classes }
    }

    /// The first votes of each task, as a table.
    fn table(&self, votes: usize) -> Labels {
        let rows: Vec<(String, String, String)> = (self.tasks.iter().enumerate())
            .flat_map(|(task, of)| of.iter().take(votes).map(move |vote| (task, *vote)))
            .map(|(task, (worker, label))| (format!("t{task}"), format!("w{worker}"), format!("c{label}")))
            .collect();
        Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], &label[..]))).unwrap()
    }

    /// The accuracy of auto with the first votes of each task.
    fn accuracy(&self, votes: usize) -> f64 {
        let some: Vec<_> = self.tasks.iter().map(|of| of.iter().take(votes).copied().collect()).collect();
        let ballots = Ballots::from_tasks(&some, self.workers, self.classes).unwrap();
        let fit = Auto::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let truth: Vec<Option<u16>> = self.truth.iter().map(|&class| Some(class as u16)).collect();
        Calibration::of(&fit.posterior, &truth).unwrap().accuracy
    }
}

fn crowd() -> Crowd {
    Crowd { tasks: 400, workers: 30, classes: 3, votes: (8, 8), accuracy: 0.65, hard: 0.2, ..Crowd::default() }
}

#[test]
fn what_half_the_votes_predict_is_met_by_all() {
    let made = Made::new(&crowd());
    let enough = EnoughVotes { most: Some(8), target: Some(0.8), ..EnoughVotes::default() };
    let outcome = enough.run(&made.table(4), &Context::new()).unwrap();
    assert_eq!((outcome.tasks, outcome.votes, outcome.sampled_tasks), (400, 1600, 400));
    assert_eq!(outcome.curve.iter().map(|row| row.votes).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    for row in [&outcome.curve[0], &outcome.curve[3], &outcome.curve[7]] {
        let is = made.accuracy(row.votes);
        assert!((row.accuracy_low..=row.accuracy_high).contains(&is), "{row:?} and {is}");
        // The middle is a guess, but no wild one.
        assert!((row.accuracy - is).abs() < 0.15, "{row:?} and {is}");
    }
    assert!(outcome.curve.windows(2).all(|pair| pair[0].accuracy <= pair[1].accuracy + 1e-12));
    assert!(outcome.curve.windows(2).all(|pair| pair[0].agreement <= pair[1].agreement + 1e-12));
    assert!(outcome.curve[..4].iter().all(|row| row.measured == 1.0) && outcome.curve[4].measured == 0.0);
    // Prices: 400 tasks, of which 4 votes each are paid.
    assert_eq!((outcome.curve[5].price, outcome.curve[5].price_of_more), (2400.0, 800.0));
    let target = outcome.target.unwrap();
    assert!(target.votes_if_errors_are_independent <= target.votes.or(Some(9)), "{target:?}");
    assert_eq!(target.votes, outcome.curve.iter().find(|row| row.accuracy >= 0.8).map(|row| row.votes));
}

#[test]
fn agreement_is_that_of_two_halves() {
    let made = Made::new(&crowd());
    let outcome = EnoughVotes::default().run(&made.table(8), &Context::new()).unwrap();
    let labels = |from: usize| {
        let some: Vec<_> = made.tasks.iter().map(|of| of[from..from + 4].to_vec()).collect();
        let ballots = Ballots::from_tasks(&some, 30, 3).unwrap();
        let fit = Auto::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        (0..400).map(|task| fit.posterior.answer(task, 0).class).collect::<Vec<_>>()
    };
    let same = labels(0).iter().zip(labels(4)).filter(|(one, other)| *one == other).count() as f64 / 400.0;
    let row = outcome.curve.iter().find(|row| row.votes == 4).unwrap();
    // Another draw of the halves: two standard errors of each.
    assert!((row.agreement - same).abs() < 0.08, "{row:?} and {same}");
}

#[test]
fn the_agreement_of_two_halves_is_in_the_band_that_one_of_them_gives() {
    for (seed, hard) in [(1, 0.0), (2, 0.3), (3, 0.6)] {
        let crowd = Crowd { hard, ..crowd() };
        let drawn = crowd.draw(&Context::new().with_seed(seed)).unwrap();
        let made = Made { tasks: drawn.labels, truth: drawn.truth, workers: crowd.workers, classes: crowd.classes };
        let outcome = EnoughVotes::default().run(&made.table(4), &Context::new()).unwrap();
        let row = &outcome.curve[3];
        let labels = |from: usize| {
            let some: Vec<_> = made.tasks.iter().map(|of| of[from..from + 4].to_vec()).collect();
            let ballots = Ballots::from_tasks(&some, made.workers, made.classes).unwrap();
            let fit = Auto::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
            (0..400).map(|task| fit.posterior.answer(task, 0).class).collect::<Vec<_>>()
        };
        let same = labels(0).iter().zip(labels(4)).filter(|(one, other)| *one == other).count() as f64 / 400.0;
        assert!((row.agreement_low..=row.agreement_high).contains(&same), "{row:?} and {same}");
        // Two votes agree as often as was counted: the band cannot begin far below that, nor end at any share at all.
        assert!(row.agreement_low > outcome.curve[1].agreement - 0.08, "{row:?} {:?}", outcome.curve[1]);
        assert!(row.agreement_high - row.agreement_low < 0.4, "{row:?}");
    }
}

#[test]
fn known_answers_narrow_the_band_and_correct_the_middle() {
    let made = Made::new(&crowd());
    let labels = made.table(5);
    let of = |n: usize| {
        let rows: Vec<(String, String)> = made
            .truth
            .iter()
            .take(n)
            .enumerate()
            .map(|(task, class)| (format!("t{task}"), format!("c{class}")))
            .collect();
        let known = Column::from_rows("label", rows.iter().map(|(task, class)| (&task[..], &class[..]))).unwrap();
        EnoughVotes { known: Some(known), ..EnoughVotes::default() }.run(&labels, &Context::new()).unwrap()
    };
    let width = |outcome: &EnoughVotesOutcome| outcome.now.accuracy_high - outcome.now.accuracy_low;
    let (none, some, all) = (EnoughVotes::default().run(&labels, &Context::new()).unwrap(), of(60), of(400));
    assert!(width(&some) < width(&none) && width(&all) < width(&some));
    assert_eq!(all.known_answers, 400);
    assert!((all.now.accuracy - made.accuracy(5)).abs() < 0.01, "{:?} and {}", all.now, made.accuracy(5));
}

#[test]
fn threads_change_nothing_and_differing_votes_are_fine() {
    let made = Made::new(&Crowd { votes: (1, 7), tasks: 150, ..crowd() });
    let labels = made.table(7);
    let one = EnoughVotes::default().run(&labels, &Context::new()).unwrap();
    let two = Context::new().with_threads(NonZeroUsize::new(3).unwrap()).unwrap();
    assert_eq!(one, EnoughVotes::default().run(&labels, &two).unwrap());
    assert!(one.curve.iter().all(|row| (0.0..=1.0).contains(&row.accuracy) && (0.0..=1.0).contains(&row.agreement)));
    let worth = EnoughVotes { worth: Some(1e-6), ..EnoughVotes::default() }.run(&labels, &Context::new()).unwrap();
    assert_eq!(worth.stops_paying, Some(1));
}

#[test]
fn what_cannot_be_is_refused() {
    let labels = Labels::from_rows([("a", "x", "1"), ("b", "x", "2"), ("c", "y", "2")]).unwrap();
    assert_eq!(EnoughVotes::default().run(&labels, &Context::new()), Err(Error::OneVoteEach));
    let labels = Labels::from_rows([("a", "x", "1"), ("a", "y", "2")]).unwrap();
    assert!(EnoughVotes::default().run(&labels, &Context::new()).is_ok());
    for bad in [
        EnoughVotes { most: Some(0), ..Default::default() },
        EnoughVotes { target: Some(1.0), ..Default::default() },
        EnoughVotes { cost: 0.0, ..Default::default() },
        EnoughVotes { worth: Some(f64::NAN), ..Default::default() },
    ] {
        assert!(bad.run(&labels, &Context::new()).is_err(), "{bad:?}");
    }
    let none = Labels::from_rows([] as [(&str, &str, &str); 0]).unwrap();
    assert!(EnoughVotes::default().run(&none, &Context::new()).is_err());
}

#[test]
fn the_numbers_of_votes_rise_to_the_most() {
    assert_eq!(grid(3, 2.0), [1, 2, 3]);
    assert_eq!(grid(14, 13.2), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]);
    assert_eq!(grid(1, 9.0), [1]);
}
