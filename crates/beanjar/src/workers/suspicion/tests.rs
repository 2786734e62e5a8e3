use super::*;
use crate::simulate::Crowd;

fn crowd(copies: bool) -> Ballots {
    let crowd = Crowd { tasks: 300, workers: 10, classes: 3, votes: (6, 6), ..Crowd::default() };
    let mut labels = crowd.draw(&Context::new().with_seed(3)).unwrap().labels;
    if copies {
        // Worker 9 copies worker 0 wherever both are asked.
        for votes in &mut labels {
            if let Some(said) = votes.iter().find(|vote| vote.0 == 0).map(|vote| vote.1) {
                votes.iter_mut().filter(|vote| vote.0 == 9).for_each(|vote| vote.1 = said);
            }
        }
    }
    Ballots::from_tasks(&labels, 10, 3).unwrap()
}

#[test]
fn a_copier_stands_out_and_without_them_nobody_does() {
    let ballots = crowd(true);
    let found = Suspicion::default().pairs(&ballots, &Context::new()).unwrap();
    assert_eq!((found[0].one, found[0].other), (0, 9));
    assert!(found[0].adjusted < 0.05 && found[0].agreement == 1.0 && found[0].expected < 0.9);
    // While both are in, they also distort the classes for other pairs; without the copier nobody is suspicious.
    let kept: Vec<bool> = (0..10).map(|worker| worker != 9).collect();
    let found = Suspicion::default().pairs(&ballots.of_workers(&kept).unwrap(), &Context::new()).unwrap();
    assert!(found.iter().all(|pair| pair.adjusted > 0.05));
}

#[test]
fn honest_workers_have_p_values_that_are_not_small_too_often() {
    let ballots = crowd(false);
    let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
    let found = Suspicion::default().pairs(&ballots, &context).unwrap();
    assert_eq!(found.len(), 45);
    // 45 pairs, of which 4.5 are below 0.1 by chance; more than 11 would be so once in a thousand times.
    assert!(found.iter().filter(|pair| pair.p_value < 0.1).count() <= 11);
    assert!(found.iter().all(|pair| pair.adjusted > 0.05));
    assert_eq!(found, Suspicion::default().pairs(&ballots, &Context::new()).unwrap());
}

#[test]
fn honest_crowds_of_many_kinds_are_rarely_accused() {
    use crate::simulate::WorkerModel;
    let base = Crowd { tasks: 600, workers: 10, classes: 2, votes: (3, 3), ..Crowd::default() };
    let kinds = [
        base.clone(),
        Crowd { votes: (2, 2), ..base.clone() },
        Crowd { workers: 12, votes: (5, 5), ..base.clone() },
        Crowd { workers: 8, votes: (4, 4), classes: 3, model: WorkerModel::Confusion, ..base.clone() },
        Crowd { workers: 20, votes: (5, 5), unevenness: 1.0, ..base.clone() },
        Crowd { workers: 20, votes: (5, 5), priors: vec![0.85, 0.15], ..base },
    ];
    let mut accused = Vec::new();
    for (kind, crowd) in kinds.iter().enumerate() {
        for seed in 0..5 {
            let labels = crowd.draw(&Context::new().with_seed(seed)).unwrap().labels;
            let ballots = Ballots::from_tasks(&labels, crowd.workers, crowd.classes).unwrap();
            let found = Suspicion::default().pairs(&ballots, &Context::new()).unwrap();
            let listed = found.iter().filter(|pair| pair.adjusted <= 0.05).count();
            accused.extend((listed > 0).then_some((kind, listed)));
        }
    }
    // At five in a hundred, 1.5 of the thirty crowds; six or more would be so once in 300 times.
    assert!(accused.len() <= 5, "{accused:?}");
}

#[test]
fn a_copier_stands_out_among_too_many_classes_for_tables() {
    let crowd = Crowd { tasks: 300, workers: 10, classes: 60, votes: (6, 6), ..Crowd::default() };
    let mut labels = crowd.draw(&Context::new().with_seed(3)).unwrap().labels;
    for votes in &mut labels {
        if let Some(said) = votes.iter().find(|vote| vote.0 == 0).map(|vote| vote.1) {
            votes.iter_mut().filter(|vote| vote.0 == 9).for_each(|vote| vote.1 = said);
        }
    }
    let copied = Ballots::from_tasks(&labels, 10, 60).unwrap();
    assert!(crate::truth::too_many_for_tables(60, copied.len()));
    let found = Suspicion::default().pairs(&copied, &Context::new()).unwrap();
    assert_eq!((found[0].one, found[0].other), (0, 9));
    // With fewer than two meetings for each class, shuffles within classes show no more.
    assert!(found[0].p_value < 0.01 && found[0].agreement == 1.0 && found[0].expected < 0.9, "{:?}", found[0]);
}
