use super::*;
use crate::simulate::Crowd;
use crate::truth::Majority;

fn votes(tasks: usize, accuracies: &[f64], classes: usize) -> Vec<Vec<(usize, usize)>> {
    let mut random = stream(11, 0);
    (0..tasks)
        .map(|task| {
            let vote = |(worker, accuracy): (usize, &f64)| {
                let class = task % classes;
                let other = (class + 1 + random.random_range(0..classes - 1)) % classes;
                (worker, if random.random::<f64>() < *accuracy { class } else { other })
            };
            accuracies.iter().enumerate().map(vote).collect()
        })
        .collect()
}

#[test]
fn accuracies_are_recovered_even_of_a_contrary_worker() {
    let accuracies = [0.9, 0.8, 0.7, 0.85, 0.6, 0.2, 0.75];
    for classes in [2, 3] {
        let ballots = Ballots::from_tasks(&votes(4000, &accuracies, classes), 7, classes).unwrap();
        let pairs = Pairs::of(&ballots).unwrap();
        assert_eq!(pairs.trim(), 2);
        let found = Mmsr::default().skills(&pairs, 2, &[0.5; 7], &Context::new()).unwrap();
        assert!(found.converged);
        for (found, accuracy) in found.accuracies.iter().zip(accuracies) {
            // Shares of 4000 agreements are within 0.03 of what they estimate.
            assert!((found - accuracy).abs() < 0.05, "{classes} classes: {found} {accuracy}");
        }
    }
}

#[test]
fn relations_are_agreements_counted_directly() {
    let tasks =
        [vec![(0, 0), (1, 0), (2, 1)], vec![(0, 1), (1, 1)], vec![(0, 0), (1, 2)], vec![(0, 1), (0, 2), (2, 2)]];
    let pairs = Pairs::of(&Ballots::from_tasks(&tasks, 3, 3).unwrap()).unwrap();
    // Workers 0 and 1 agree on two of three tasks; 0 and 2 on one of two, the last vote of 0 counting; 1 and 2 on none.
    let relation = |share: f64| (3.0 * share - 1.0) / 2.0;
    assert!((pairs.relation[1] - relation(2.0 / 3.0)).abs() < 1e-12);
    assert!((pairs.relation[2] - relation(0.5)).abs() < 1e-12);
    assert!((pairs.relation[5] - relation(0.0)).abs() < 1e-12);
    assert_eq!(pairs.trim(), 0);
}

#[test]
fn values_far_from_the_middle_are_left_out() {
    assert_eq!(trimmed_mean(vec![1.0, 2.0, 3.0, 100.0, -50.0], 1, 2.0, 4), 2.0);
    assert_eq!(trimmed_mean(vec![5.0, 1.0], 0, 9.0, 4), 3.0);
    assert_eq!(trimmed_mean(vec![1.0, 7.0], -1, 0.0, 4), 7.0);
    assert_eq!(trimmed_mean(vec![0.0], 0, 9.0, 4), 0.5);
    assert_eq!(trimmed_mean(Vec::new(), 1, 9.0, 4), 9.0);
    // None lies below, so nothing above is spared either.
    assert_eq!(trimmed_mean(vec![3.0, 4.0], 1, 2.0, 4), 3.0);
}

#[test]
fn labels_beat_the_plain_vote_where_some_guess() {
    let crowd = Crowd { tasks: 400, workers: 15, classes: 3, votes: (7, 7), spammers: 0.4, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(4)).unwrap();
    let truth: Vec<Option<u16>> = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
    let ballots = Ballots::from_tasks(&drawn.labels, 15, 3).unwrap();
    let evidence = Evidence::votes(&ballots).unwrap();
    let ours = Mmsr::default().fit(&evidence, &Context::new()).unwrap().posterior.error(&truth);
    let majority = Majority::default().fit(&evidence, &Context::new()).unwrap().posterior.error(&truth);
    assert!(ours <= majority, "{ours:?} {majority:?}");
}

#[test]
fn small_data_are_no_trouble() {
    for (tasks, workers, classes) in [
        (vec![vec![(0, 0)]], 1, 1),
        (vec![vec![(0, 0)], vec![(1, 1)]], 2, 2),
        (vec![vec![(0, 0), (1, 0)], vec![]], 3, 2),
        (vec![vec![(0, 0), (1, 1)]], 2, 2),
    ] {
        let ballots = Ballots::from_tasks(&tasks, workers, classes).unwrap();
        let fit = Mmsr::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        assert!((fit.posterior.of(0).iter().sum::<f64>() - 1.0).abs() < 1e-9, "{tasks:?}");
    }
}
