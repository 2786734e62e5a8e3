use super::*;
use crate::judgments::Ballots;
use crate::simulate::{Crowd, WorkerModel};
use crate::truth::{DawidSkene, OneCoin};

fn crowd(model: WorkerModel, workers: usize) -> (Ballots, Vec<Option<u16>>, Vec<f64>) {
    let crowd = Crowd { tasks: 1000, workers, classes: 4, votes: (4, 4), model, spread: 5.0, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(8)).unwrap();
    let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
    let accuracy = (0..workers).map(|worker| drawn.accuracy(worker)).collect();
    (Ballots::from_tasks(&drawn.labels, workers, 4).unwrap(), truth, accuracy)
}

#[test]
fn gets_both_kinds_of_worker_right() {
    let error = |model, workers, method: &dyn Fn(&Evidence<'_>) -> TruthFit| {
        let (ballots, truth, _) = crowd(model, workers);
        method(&Evidence::votes(&ballots).unwrap()).posterior.error(&truth).unwrap()
    };
    let skilled = |evidence: &Evidence<'_>| Skilled::default().fit(evidence, &Context::new()).unwrap();
    let coin = |evidence: &Evidence<'_>| OneCoin::default().fit(evidence, &Context::new()).unwrap();
    let free = |evidence: &Evidence<'_>| DawidSkene::default().fit(evidence, &Context::new()).unwrap();
    // Workers who differ in skill alone, many with few labels: near one coin, well ahead of free tables.
    let one = WorkerModel::OneCoin;
    assert!(error(one, 200, &skilled) < error(one, 200, &coin) + 0.01);
    assert!(error(one, 200, &skilled) < error(one, 200, &free) - 0.02);
    // Workers with favourite mistakes and many labels: near free tables, ahead of one coin.
    let own = WorkerModel::Confusion;
    assert!(error(own, 12, &skilled) < error(own, 12, &free) + 0.01);
    assert!(error(own, 12, &skilled) < error(own, 12, &coin));
}

#[test]
fn skills_follow_the_workers_accuracies() {
    let (ballots, _, accuracy) = crowd(WorkerModel::OneCoin, 20);
    let evidence = Evidence::votes(&ballots).unwrap();
    let method = Skilled::default();
    let mut model = Skills::new(&method, &ballots);
    climb(&evidence, 4, Start::Votes, &method.stopping, &mut model, &Context::new()).unwrap();
    let best = (0..20).max_by(|&i, &j| accuracy[i].total_cmp(&accuracy[j])).unwrap();
    let worst = (0..20).min_by(|&i, &j| accuracy[i].total_cmp(&accuracy[j])).unwrap();
    assert!(model.skill[best] > model.skill[worst] + 1.0);
    assert!(model.skill.iter().sum::<f64>().abs() < 1e-9);
}

#[test]
fn the_discount_falls_on_workers_whose_labels_tell_little() {
    let crowd = Crowd { tasks: 600, workers: 20, classes: 3, votes: (5, 5), spammers: 0.4, ..Crowd::default() };
    let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(5)).unwrap().labels, 20, 3).unwrap();
    let method = Skilled { discount: 0.5, ..Skilled::default() };
    let fit = method.climb(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
    let trust: Vec<f64> = (0..20).map(|worker| fit.climb.tables.trust(worker)).collect();
    assert!((12..20).all(|spammer| trust[spammer] < 0.6), "{trust:?}");
    assert!(trust[..12].iter().filter(|trust| **trust == 1.0).count() >= 6);
}

#[test]
fn odd_crowds_get_an_answer() {
    for tasks in [
        vec![vec![(0, 0)]],
        vec![vec![(0, 0), (1, 0)], vec![], vec![(1, 0)]],
        vec![vec![(0, 1)], vec![(0, 0)], vec![(0, 1)]],
    ] {
        for classes in [2, 3] {
            let ballots = Ballots::from_tasks(&tasks, 2, classes).unwrap();
            let fitted = Skilled { discount: 0.5, ..Skilled::default() };
            let fitted = fitted.fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
            for task in 0..tasks.len() {
                let sum: f64 = fitted.posterior.of(task).iter().sum();
                assert!((sum - 1.0).abs() < 1e-9);
            }
        }
    }
    let ballots = Ballots::from_tasks(&[vec![(0, 0)], vec![(0, 0)]], 1, 1).unwrap();
    let fitted = Skilled::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
    assert_eq!(fitted.posterior.of(0), [1.0]);
}
