use super::*;
use crate::simulate::Crowd;

fn crowd() -> Ballots {
    let crowd = Crowd { tasks: 60, workers: 9, classes: 3, votes: (1, 5), unevenness: 1.0, ..Crowd::default() };
    Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(2)).unwrap().labels, 9, 3).unwrap()
}

/// The formula over a dense table of items and workers, cell by cell.
fn directly(ballots: &Ballots, missing: Missing, i: usize, j: usize) -> f64 {
    let said =
        |task: usize, worker: usize| ballots.votes(task).iter().find(|vote| vote.0 == worker).map_or(3, |vote| vote.1);
    let rows: Vec<(usize, usize)> = (0..ballots.tasks())
        .map(|task| (said(task, i), said(task, j)))
        .filter(|pair| missing != Missing::Pair || (pair.0 != 3 && pair.1 != 3))
        .collect();
    let share =
        |test: &dyn Fn(&(usize, usize)) -> bool| rows.iter().filter(|row| test(row)).count() as f64 / rows.len() as f64;
    let mut sum = 0.0;
    for x in 0..4 {
        for y in 0..4 {
            let joint = share(&|row| *row == (x, y));
            let counted = missing == Missing::Full || (x != 3 && y != 3);
            if joint > 0.0 && counted {
                sum += joint * (joint / (share(&|row| row.0 == x) * share(&|row| row.1 == y))).ln();
            }
        }
    }
    sum
}

#[test]
fn agrees_with_the_direct_sum() {
    let ballots = crowd();
    for missing in [Missing::Paper, Missing::Full, Missing::Pair] {
        let information = Information::new(&ballots, missing, &Context::new()).unwrap();
        let scores = information.scores();
        for i in 0..9 {
            let mut score = 0.0;
            for j in (0..9).filter(|&j| j != i) {
                let direct = directly(&ballots, missing, i, j);
                assert!((information.between(i, j) - direct).abs() < 1e-12, "{missing:?} {i} {j}");
                score += direct;
            }
            assert!((scores[i] - score).abs() < 1e-10, "{missing:?} {i}");
        }
    }
}

#[test]
fn the_rules_agree_where_nothing_is_missing() {
    let crowd = Crowd { tasks: 50, workers: 6, classes: 2, votes: (6, 6), ..Crowd::default() };
    let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 6, 2).unwrap();
    let scores = |missing| Information::new(&ballots, missing, &Context::new()).unwrap().scores();
    for (one, other) in [(Missing::Paper, Missing::Full), (Missing::Full, Missing::Pair)] {
        assert_eq!(scores(one).len(), 6);
        assert!(scores(one).iter().zip(scores(other)).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn better_coins_share_more() {
    // Section 3.1: with equal classes and p_i > p_j > 1/K, I(i, k) > I(j, k) for every k better than chance.
    let (tasks, classes) = (200_000, 3);
    let coins = [0.9, 0.8, 0.7, 0.6, 0.5, 0.42];
    use crate::random::stream;
    use rand::RngExt;
    let mut random = stream(5, 0);
    let votes: Vec<Vec<(usize, usize)>> = (0..tasks)
        .map(|task| {
            let vote = |(worker, right): (usize, &f64)| {
                let off = if random.random_bool(*right) { 0 } else { random.random_range(1..classes) };
                (worker, (task + off) % classes)
            };
            coins.iter().enumerate().map(vote).collect()
        })
        .collect();
    let ballots = Ballots::from_tasks(&votes, coins.len(), classes).unwrap();
    let information = Information::new(&ballots, Missing::Paper, &Context::new()).unwrap();
    for k in 0..coins.len() {
        let shared: Vec<f64> = (0..coins.len()).filter(|&i| i != k).map(|i| information.between(i, k)).collect();
        assert!(shared.windows(2).all(|pair| pair[0] > pair[1]), "with {k}: {shared:?}");
    }
    // Equation 3 with alpha of p_i and p_j.
    let (p, q, k) = (0.9, 0.6, 3.0f64);
    let alpha = p * q / k + (1.0 - p) * (1.0 - q) / (k * (k - 1.0));
    let exact: f64 =
        k * alpha * alpha.ln() + (1.0 - k * alpha) * ((1.0 - k * alpha) / (k * (k - 1.0))).ln() + (k * k).ln();
    assert!((information.between(0, 3) - exact).abs() < 0.005);
}

#[test]
fn names_of_labels_do_not_matter() {
    let ballots = crowd();
    let turned: Vec<Vec<(usize, usize)>> = (0..ballots.tasks())
        .map(|task| ballots.votes(task).iter().map(|(worker, label)| (worker, (label + 1 + worker) % 3)).collect())
        .collect();
    let turned = Ballots::from_tasks(&turned, 9, 3).unwrap();
    for missing in [Missing::Paper, Missing::Full, Missing::Pair] {
        let scores = |ballots| Information::new(ballots, missing, &Context::new()).unwrap().scores();
        assert_eq!(scores(&ballots).len(), 9);
        assert!(scores(&ballots).iter().zip(scores(&turned)).all(|(a, b)| (a - b).abs() < 1e-12));
    }
}

#[test]
fn of_repeated_labels_the_one_given_most_counts_once_and_threads_change_nothing() {
    let ballots = crowd();
    let again: Vec<Vec<(usize, usize)>> = (0..ballots.tasks())
        .map(|task| {
            let votes: Vec<(usize, usize)> = ballots.votes(task).iter().collect();
            let second = votes.iter().map(|&(worker, label)| (worker, 2 - label));
            second.chain(votes.iter().copied()).chain(votes.iter().copied()).collect()
        })
        .collect();
    let again = Ballots::from_tasks(&again, 9, 3).unwrap();
    let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
    for missing in [Missing::Paper, Missing::Full, Missing::Pair] {
        let once = Information::new(&ballots, missing, &Context::new()).unwrap();
        assert_eq!(once, Information::new(&again, missing, &context).unwrap());
    }
}
