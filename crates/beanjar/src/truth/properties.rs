//! What must hold for any votes, by every method: order and names do not matter.

use super::*;
use crate::Context;
use crate::judgments::{Ballots, one_vote_each};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

type Tasks = Vec<Vec<(usize, usize)>>;

const WORKERS: usize = 5;
const CLASSES: usize = 3;

/// The same cases in every run.
fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}

/// Some tasks with votes; one of them may be empty, a worker may vote twice on a task.
fn tasks() -> impl Strategy<Value = Tasks> {
    prop::collection::vec(prop::collection::vec((0..WORKERS, 0..CLASSES), 0..7), 1..25)
        .prop_filter("a vote", |tasks| tasks.iter().any(|votes| !votes.is_empty()))
}

fn permutation(size: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..size).collect::<Vec<usize>>()).prop_shuffle()
}

/// Methods without random starts. A few steps of EM, so that rounding is not amplified.
fn deterministic() -> Vec<Method> {
    let stopping = Stopping { iterations: 15, tolerance: 0.0 };
    vec![
        Method::Majority(Majority::default()),
        Method::Wawa(Wawa),
        Method::DawidSkene(DawidSkene { stopping, ..DawidSkene::default() }),
        Method::DawidSkene(DawidSkene { smoothing: 0.5, prior: ClassPrior::Anchored, stopping }),
        Method::OneCoin(OneCoin { stopping, ..OneCoin::default() }),
        Method::Pooled(Pooled { stopping, ..Pooled::default() }),
        Method::Skilled(Skilled { stopping, ..Skilled::default() }),
        Method::Skilled(Skilled { kinds: 2, prior: ClassPrior::Uniform, stopping }),
    ]
}

/// Those that are here as other packages have them.
fn of_other_packages() -> Vec<Method> {
    vec![
        Method::Glad(Glad { stopping: Stopping { iterations: 3, tolerance: 0.0 }, ..Glad::default() }),
        Method::Mace(Mace { restarts: 1, stopping: Stopping { iterations: 3, tolerance: 0.0 }, ..Mace::default() }),
        Method::Mmsr(Mmsr { iterations: 9, ..Mmsr::default() }),
        Method::ZeroBasedSkill(ZeroBasedSkill::default()),
    ]
}

/// All methods of our own. Random starts and folds are keyed by ids, or by the numbers of tasks and workers where there are none.
fn all() -> Vec<Method> {
    let stopping = Stopping { iterations: 15, tolerance: 0.0 };
    let mut methods = deterministic();
    methods.push(Method::Auto(Auto::default()));
    methods.push(Method::Spectral(Spectral { restarts: 1, stopping, ..Spectral::default() }));
    methods.push(Method::Mixture(Mixture { components: Some(4), restarts: 1, stopping, ..Mixture::default() }));
    methods
}

fn posterior(method: &Method, tasks: &Tasks) -> Posterior {
    let ballots = Ballots::from_tasks(tasks, WORKERS, CLASSES).unwrap();
    method.fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap().posterior
}

/// Rounding, amplified by a few steps of EM.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn every_posterior_is_one(tasks in tasks()) {
        for method in all().into_iter().chain(of_other_packages()) {
            let found = posterior(&method, &tasks);
            for task in 0..tasks.len() {
                prop_assert!(close(found.of(task).iter().sum(), 1.0), "{}", method.name());
                prop_assert!(found.of(task).iter().all(|p| (0.0..=1.0 + 1e-9).contains(&p)), "{}", method.name());
            }
        }
    }

    #[test]
    fn votes_that_count_one_are_votes(tasks in tasks()) {
        let ballots = Ballots::from_tasks(&tasks, WORKERS, CLASSES).unwrap();
        let ballots = one_vote_each(&ballots).unwrap_or(ballots);
        let tasks: Tasks = (0..tasks.len()).map(|task| ballots.votes(task).iter().collect()).collect();
        let weighted = ballots.with_votes(&tasks, vec![1.0; ballots.len()]);
        for method in all() {
            let found = |ballots| method.fit(&Evidence::votes(ballots).unwrap(), &Context::new()).unwrap().posterior;
            let (one, other) = (found(&ballots), found(&weighted));
            for task in 0..tasks.len() {
                let same = one.of(task).iter().zip(other.of(task).iter()).all(|(p, q)| close(p, q));
                prop_assert!(same, "{}: {:?} {:?}", method.name(), one.of(task), other.of(task));
            }
        }
    }

    #[test]
    fn the_order_of_a_tasks_votes_does_not_matter((tasks, turned) in tasks().prop_flat_map(|tasks| {
        let turned: Vec<_> = tasks.iter().map(|votes| Just(votes.clone()).prop_shuffle()).collect();
        (Just(tasks), turned)
    })) {
        for method in all() {
            let (one, other) = (posterior(&method, &tasks), posterior(&method, &turned));
            for task in 0..tasks.len() {
                let same = one.of(task).iter().zip(other.of(task).iter()).all(|(p, q)| close(p, q));
                prop_assert!(same, "{}: {:?} {:?}", method.name(), one.of(task), other.of(task));
            }
        }
    }

    #[test]
    fn the_order_of_tasks_does_not_matter((tasks, order) in tasks().prop_flat_map(|tasks| {
        let order = permutation(tasks.len());
        (Just(tasks), order)
    })) {
        let turned: Tasks = order.iter().map(|&task| tasks[task].clone()).collect();
        for method in deterministic() {
            let (one, other) = (posterior(&method, &tasks), posterior(&method, &turned));
            for (new, &old) in order.iter().enumerate() {
                let same = one.of(old).iter().zip(other.of(new).iter()).all(|(p, q)| close(p, q));
                prop_assert!(same, "{}: {:?} {:?}", method.name(), one.of(old), other.of(new));
            }
        }
    }

    #[test]
    fn the_names_of_workers_and_classes_do_not_matter(
        tasks in tasks(),
        worker in permutation(WORKERS),
        class in permutation(CLASSES),
    ) {
        let rename = |votes: &Vec<(usize, usize)>| votes.iter().map(|&(w, l)| (worker[w], class[l])).collect();
        let turned: Tasks = tasks.iter().map(rename).collect();
        for method in deterministic() {
            let (one, other) = (posterior(&method, &tasks), posterior(&method, &turned));
            for task in 0..tasks.len() {
                let same = (0..CLASSES).all(|k| close(one.of(task)[k], other.of(task)[class[k]]));
                prop_assert!(same, "{}: {:?} {:?}", method.name(), one.of(task), other.of(task));
            }
        }
    }

    #[test]
    fn auto_does_not_depend_on_the_names_of_classes(tasks in tasks(), class in permutation(CLASSES)) {
        let rename = |votes: &Vec<(usize, usize)>| votes.iter().map(|&(w, l)| (w, class[l])).collect();
        let turned: Tasks = tasks.iter().map(rename).collect();
        let method = Method::Auto(Auto::default());
        let (one, other) = (posterior(&method, &tasks), posterior(&method, &turned));
        for task in 0..tasks.len() {
            let same = (0..CLASSES).all(|k| close(one.of(task)[k], other.of(task)[class[k]]));
            prop_assert!(same, "{:?} {:?}", one.of(task), other.of(task));
        }
    }
}

proptest! {
    #![proptest_config(config(12))]

    /// Ties, folds, groups and starts are drawn by ids.
    #[test]
    fn rows_in_another_order_give_the_same_labels(tasks in tasks(), seed in 0u64..4, turn in any::<prop::sample::Index>()) {
        let mut rows: Vec<(String, String, String)> = Vec::new();
        for (task, votes) in tasks.iter().enumerate() {
            rows.extend(votes.iter().map(|&(w, l)| (format!("task {task}"), format!("worker {w}"), format!("{l}"))));
        }
        let found = |rows: &[(String, String, String)], method: &Method| {
            let labels = crate::Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
            let aggregate = Aggregate { method: method.clone(), ..Aggregate::default() };
            let outcome = aggregate.fit(&labels, &Context::new().with_seed(seed)).unwrap();
            let sure = |task: &AggregatedTask<'_>| {
                let near = |p: &f64| close(*p, task.confidence);
                task.tied || task.probabilities.iter().filter(near).count() == 1
            };
            let mut found: Vec<(String, String, f64, bool)> = (0..labels.tasks.len())
                .filter_map(|task| outcome.task(task))
                .map(|task| (task.task.to_owned(), task.label.to_owned(), task.confidence, sure(&task)))
                .collect();
            found.sort_by(|a, b| a.0.cmp(&b.0));
            found
        };
        let at = turn.index(rows.len());
        let mut turned = rows.clone();
        turned.rotate_left(at);
        turned[..at].reverse();
        // The moments of a handful of votes are all but singular, and what the spectral method makes of them is rounding.
        for method in all().into_iter().filter(|method| !matches!(method, Method::Spectral(_))) {
            for (one, other) in found(&rows, &method).iter().zip(&found(&turned, &method)) {
                prop_assert!(one.0 == other.0 && close(one.2, other.2), "{}: {one:?} {other:?}", method.name());
                // What is nearly tied may fall either way by rounding; what is tied may not.
                prop_assert!(one.1 == other.1 || !one.3 || !other.3, "{}: {one:?} {other:?}", method.name());
            }
        }
    }
}
