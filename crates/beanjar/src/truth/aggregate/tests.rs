use super::*;
use crate::simulate::Crowd;
use crate::truth::{
    Auto, DawidSkene, Glad, Mace, Mixture, Mmsr, OneCoin, Pooled, Skilled, Spectral, Stopping, Wawa, ZeroBasedSkill,
};
use std::ops::ControlFlow;

/// Every method that takes any number of classes and no known answers.
fn methods() -> Vec<Method> {
    vec![
        Method::Auto(Auto::default()),
        Method::Majority(Majority::default()),
        Method::Wawa(Wawa),
        Method::DawidSkene(DawidSkene::default()),
        Method::OneCoin(OneCoin::default()),
        Method::Pooled(Pooled::default()),
        Method::Skilled(Skilled { kinds: 2, ..Skilled::default() }),
        Method::Spectral(Spectral { restarts: 2, ..Spectral::default() }),
        Method::Mixture(Mixture { components: Some(4), restarts: 2, ..Mixture::default() }),
        Method::Glad(Glad::default()),
        Method::Mace(Mace { restarts: 2, ..Mace::default() }),
        Method::Mmsr(Mmsr::default()),
        Method::ZeroBasedSkill(ZeroBasedSkill::default()),
    ]
}

fn crowd(tasks: usize) -> (Labels, Column) {
    let crowd = Crowd { tasks, workers: 12, classes: 3, votes: (3, 5), spammers: 0.2, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(4)).unwrap();
    let name = |prefix: &str, number: usize| format!("{prefix}{number}");
    let mut rows = Vec::new();
    for (task, votes) in drawn.labels.iter().enumerate() {
        let row = |&(worker, label): &(usize, usize)| (name("t", task), name("w", worker), name("c", label));
        rows.extend(votes.iter().map(row));
    }
    let labels = Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
    let truth: Vec<(String, String)> =
        drawn.truth.iter().enumerate().map(|(task, class)| (name("t", task), name("c", *class))).collect();
    (labels, Column::from_rows("label", truth.iter().map(|(t, c)| (&t[..], &c[..]))).unwrap())
}

#[test]
fn known_labels_are_fixed_and_left_out_of_the_comparison() {
    let (labels, truth) = crowd(120);
    let gold: Vec<(&str, &str)> =
        truth.ids().iter().zip(truth.values()).take(40).map(|(id, class)| (id, class.as_str())).collect();
    let gold = Column::from_rows("label", gold).unwrap();
    let aggregate = Aggregate { gold: Some(gold.clone()), truth: Some(truth), ..Aggregate::default() };
    let outcome = aggregate.fit(&labels, &Context::new()).unwrap();
    for (id, class) in gold.ids().iter().zip(gold.values()) {
        let task = outcome.tasks().find(|task| task.task == id).unwrap();
        assert_eq!((task.label, task.confidence), (class.as_str(), 1.0));
    }
    // By the truth only the 80 others count; on the known labels the method is fitted without them.
    assert_eq!(outcome.truth.unwrap().tasks, 80);
    let states = outcome.states();
    assert_eq!((states.known, states.settled + states.in_doubt + states.hopeless), (40, 80));
    assert_eq!(outcome.gold.unwrap().tasks, 40);
    assert!(outcome.gold.unwrap().accuracy < 1.0);
}

#[test]
fn the_workers_to_use_are_used_and_the_others_are_only_measured() {
    let (labels, _) = crowd(120);
    let fit = |workers: WorkersToUse| {
        Aggregate { workers, method: Method::OneCoin(OneCoin::default()), ..Aggregate::default() }
            .fit(&labels, &Context::new())
    };
    let top = fit(WorkersToUse::Top(5)).unwrap();
    let kept: Vec<&str> = top.workers().filter(|worker| worker.kept).map(|worker| worker.worker).collect();
    assert_eq!(kept.len(), 5);
    assert!(top.workers().all(|worker| worker.accuracy.is_some()));
    let these = fit(WorkersToUse::These(kept.iter().chain(&["nobody"]).collect())).unwrap();
    assert_eq!(these.posterior, top.posterior);
    assert_eq!(these.warnings, [Warning::WorkersWithoutLabels { workers: 1, example: "nobody".into(), nearest: None }]);
    assert_eq!(these.model().unwrap().left_out().len(), labels.workers.len() - 5);
    let many = fit(WorkersToUse::Top(99)).unwrap();
    assert_eq!(many.warnings, [Warning::FewerWorkers { asked: 99, workers: labels.workers.len() }]);
    assert!(matches!(fit(WorkersToUse::Top(0)), Err(Error::OutOfRange { .. })));
    let strangers = fit(WorkersToUse::These(["zoe"].into_iter().collect()));
    assert!(matches!(strangers, Err(Error::OfTable { table: "workers", .. })));
    let auto = fit(WorkersToUse::Auto).unwrap();
    let keep = Keep::default().choose(labels.ballots(), &Context::new()).unwrap().keep;
    assert_eq!(auto.workers().filter(|worker| worker.kept).count(), keep);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let (labels, truth) = crowd(20);
    let fit = |aggregate: Aggregate| aggregate.fit(&labels, &Context::new());
    let majority = || Method::Majority(Majority::default());
    let weights = |rows: &[(&str, &str)]| Some(Column::from_rows("weight", rows.iter().copied()).unwrap());
    assert!(fit(Aggregate { weights: weights(&[("w0", "1")]), ..Aggregate::default() }).is_err());
    assert!(fit(Aggregate { method: majority(), confusion: true, ..Aggregate::default() }).is_err());
    let bad = fit(Aggregate { method: majority(), weights: weights(&[("w0", "-1")]), ..Aggregate::default() });
    let bad_weight = Error::BadWeight { worker: "w0".into(), value: "-1".into() };
    assert_eq!(bad, Err(Error::OfTable { table: "weights", error: Box::new(bad_weight) }));
    let mixture = Method::Mixture(Mixture::default());
    assert!(matches!(
        fit(Aggregate { method: mixture, gold: Some(truth), ..Aggregate::default() }),
        Err(Error::NoGold(_))
    ));
    let none = Labels::from_rows([]).unwrap();
    assert_eq!(Aggregate::default().fit(&none, &Context::new()), Err(Error::Empty("label")));
    // A fit that stops too early is warned of.
    let stopping = Stopping { iterations: 1, ..Stopping::default() };
    let short = Method::DawidSkene(DawidSkene { stopping, ..DawidSkene::default() });
    let outcome = fit(Aggregate { method: short, ..Aggregate::default() }).unwrap();
    assert_eq!(outcome.warnings, [Warning::Stopped { steps: 1 }]);
}

#[test]
fn every_method_stops_when_it_is_asked_to() {
    let (labels, _) = crowd(30);
    for method in methods() {
        let context = Context::new().with_progress(|_| ControlFlow::Break(()));
        let aggregate = Aggregate { method: method.clone(), ..Aggregate::default() };
        assert_eq!(aggregate.fit(&labels, &context), Err(Error::Stopped), "{}", method.name());
    }
}

#[test]
fn progress_grows_to_the_end_with_every_method() {
    let (labels, _) = crowd(30);
    for method in methods() {
        let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let log = std::sync::Arc::clone(&heard);
        let context = Context::new().with_progress(move |progress| {
            log.lock().unwrap().push(progress.done);
            ControlFlow::Continue(())
        });
        Aggregate { method: method.clone(), ..Aggregate::default() }.fit(&labels, &context).unwrap();
        let heard = heard.lock().unwrap();
        assert!(heard.is_sorted(), "{}: {heard:?}", method.name());
        assert_eq!(heard.last(), Some(&1.0), "{}", method.name());
    }
}

/// The labels of a small crowd, those of every third task again.
fn repeated_rows(change: impl Fn(&str) -> String) -> (Labels, Labels) {
    let drawn = Crowd { tasks: 60, workers: 8, classes: 3, ..Crowd::default() }.draw(&Context::new()).unwrap();
    let once: Vec<(String, String, String)> = drawn.rows().collect();
    let again = once.iter().enumerate().filter(|(at, _)| at % 3 == 0);
    let twice: Vec<(String, String, String)> =
        once.iter().cloned().chain(again.map(|(_, (t, w, l))| (t.clone(), w.clone(), change(l)))).collect();
    let table = |rows: &[(String, String, String)]| {
        Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap()
    };
    (table(&once), table(&twice))
}

#[test]
fn a_label_given_twice_is_one_opinion_for_every_method() {
    let (once, twice) = repeated_rows(str::to_owned);
    for method in methods() {
        for repeats in [Repeats::Average, Repeats::First] {
            let aggregate = Aggregate { method: method.clone(), repeats, ..Aggregate::default() };
            let fit = |labels: &Labels| aggregate.fit(labels, &Context::new()).unwrap();
            let (one, mut other) = (fit(&once), fit(&twice));
            assert_eq!(other.warnings.len(), 1, "{}", method.name());
            other.warnings.clear();
            assert_eq!(one, other, "{}", method.name());
        }
        let all = Aggregate { method, repeats: Repeats::All, ..Aggregate::default() };
        let labels: u64 = all.fit(&twice, &Context::new()).unwrap().workers().map(|worker| worker.labels).sum();
        assert_eq!(labels, 400);
    }
}

#[test]
fn two_answers_of_one_worker_are_half_a_vote_each() {
    let rows = [("a", "w", "x"), ("a", "v", "y"), ("a", "w", "y"), ("b", "v", "x")];
    let labels = Labels::from_rows(rows).unwrap();
    let shares = |repeats| {
        let aggregate = Aggregate { method: Method::Majority(Majority::default()), repeats, ..Aggregate::default() };
        let outcome = aggregate.fit(&labels, &Context::new()).unwrap();
        (outcome.task(0).unwrap().probabilities.to_vec(), outcome.worker(0).unwrap().labels)
    };
    assert_eq!(shares(Repeats::Average), (vec![0.25, 0.75], 1));
    assert_eq!(shares(Repeats::First), (vec![0.5, 0.5], 1));
    assert_eq!(shares(Repeats::All), (vec![1.0 / 3.0, 2.0 / 3.0], 2));
    // A saved model reads them so, too, and every method has an answer.
    let (_, different) = repeated_rows(|label| if label == "c1" { "c2".into() } else { "c1".into() });
    for method in methods() {
        let outcome = Aggregate { method, ..Aggregate::default() }.fit(&different, &Context::new()).unwrap();
        assert!(outcome.tasks().all(|task| (task.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9));
        assert_eq!(outcome.workers().map(|worker| worker.labels).sum::<u64>(), 300);
        let read = outcome.model().unwrap().predict(&different, &Context::new()).unwrap();
        assert_eq!(read.warnings.len(), 1);
    }
}

#[cfg(feature = "serde")]
mod saved {
    use super::*;
    use crate::Model;

    #[test]
    fn a_model_of_every_method_survives_being_written_down() {
        let (labels, _) = crowd(60);
        for method in methods() {
            let aggregate = Aggregate { method: method.clone(), workers: WorkersToUse::Top(9), ..Aggregate::default() };
            let model = aggregate.fit(&labels, &Context::new()).unwrap().model().unwrap();
            let text = Model::Crowd(model.clone()).to_json();
            let Model::Crowd(read) = Model::from_json(&text).unwrap() else { panic!("a crowd's model") };
            assert_eq!(read.method(), method.name());
            assert_eq!((read.workers(), read.left_out()), (model.workers(), model.left_out()));
            assert_eq!(read.left_out().len(), labels.workers.len() - 9);
            let (one, other) =
                (model.predict(&labels, &Context::new()).unwrap(), read.predict(&labels, &Context::new()).unwrap());
            for (a, b) in one.tasks().zip(other.tasks()) {
                let close = a.probabilities.iter().zip(b.probabilities.iter()).all(|(p, q)| (p - q).abs() < 1e-9);
                assert!(close, "{}: {a:?} {b:?}", method.name());
            }
            assert_eq!(one.warnings, other.warnings);
            // Once more, and not a byte changes.
            assert_eq!(Model::Crowd(read).to_json(), text, "{}", method.name());
        }
    }

    #[test]
    fn the_outcome_is_written_row_by_row() {
        let labels = Labels::from_rows([("a", "w", "x"), ("a", "v", "x"), ("b", "w", "y")]).unwrap();
        let aggregate = Aggregate { method: Method::Majority(Majority::default()), ..Aggregate::default() };
        let outcome = aggregate.fit(&labels, &Context::new()).unwrap();
        let json = serde_json::to_value(&outcome).unwrap();
        assert_eq!(json["tasks"][1]["probabilities"]["y"], 1.0);
        assert_eq!(json["workers"][0]["labels"], 2);
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["method", "classes", "log_likelihood", "iterations", "converged", "states", "tasks", "workers"]
        );
    }
}
