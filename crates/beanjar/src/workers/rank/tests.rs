use super::*;
use crate::Warning;
use crate::simulate::Crowd;
use std::ops::ControlFlow;

/// Half of the workers guess; the last copies the first wherever both are asked.
fn labels() -> Labels {
    let crowd =
        Crowd { tasks: 200, workers: 10, classes: 3, votes: (8, 8), accuracy: 0.7, spammers: 0.4, ..Crowd::default() };
    let mut rows = Vec::new();
    for (task, mut votes) in crowd.draw(&Context::new().with_seed(2)).unwrap().labels.into_iter().enumerate() {
        let first = votes.iter().find(|vote| vote.0 == 0).map(|vote| vote.1);
        if let Some(label) = first {
            votes.iter_mut().filter(|vote| vote.0 == 9).for_each(|vote| vote.1 = label);
        }
        rows.extend(votes.iter().map(|(worker, label)| [format!("t{task}"), format!("w{worker}"), label.to_string()]));
    }
    Labels::from_rows(rows.iter().map(|[task, worker, label]| (&task[..], &worker[..], &label[..]))).unwrap()
}

#[test]
fn as_many_as_asked_are_kept_and_ranks_follow_scores() {
    let labels = labels();
    let fit = |keep, by| RankWorkers { keep, by, ..RankWorkers::default() }.fit(&labels, &Context::new());
    let first = fit(WorkersToKeep::Number(3), KeepBy::Score).unwrap();
    assert_eq!((first.keep, first.rule), (3, "given"));
    assert!(first.workers.iter().all(|worker| worker.kept == (worker.rank <= 3)));
    assert!(first.workers.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let subset = fit(WorkersToKeep::Number(3), KeepBy::Subset).unwrap();
    assert_eq!(subset.workers.iter().filter(|worker| worker.kept).count(), 3);
    let all = fit(WorkersToKeep::All, KeepBy::Score).unwrap();
    assert_eq!((all.keep, all.rule, all.tried.len()), (10, "all", 0));
    assert_eq!(fit(WorkersToKeep::Number(11), KeepBy::Score), Err(Error::FewWorkers { asked: 11, workers: 10 }));
    assert!(matches!(fit(WorkersToKeep::Number(0), KeepBy::Score), Err(Error::OutOfRange { .. })));
}

#[test]
fn the_copier_is_listed_and_the_rate_decides_how_many_are() {
    let labels = labels();
    let fit = |false_discovery_rate| {
        let keep = WorkersToKeep::All;
        let rank = RankWorkers { keep, suspicious: true, false_discovery_rate, ..RankWorkers::default() };
        rank.fit(&labels, &Context::new())
    };
    let found = fit(0.05).unwrap();
    let suspicious = found.suspicious.unwrap();
    assert_eq!(suspicious.looked_at, 45);
    let copier = |pair: &SuspiciousPair| pair.workers.iter().all(|worker| ["w0", "w9"].contains(&&worker[..]));
    assert!(suspicious.pairs.iter().any(|pair| copier(pair) && pair.pair.agreement == 1.0), "{:?}", suspicious.pairs);
    assert!(suspicious.pairs.iter().all(|pair| pair.pair.adjusted <= 0.05));
    assert!(found.goodness.unwrap() > 0.0);
    assert_eq!(fit(1.0).unwrap().suspicious.unwrap().pairs.len(), 45);
    assert!(fit(0.0).is_err() && fit(f64::NAN).is_err());
}

#[test]
fn a_repeated_label_is_warned_of_and_counts_once() {
    let rows = [("a", "w", "x"), ("a", "v", "x"), ("b", "w", "y"), ("b", "v", "y")];
    let rank = RankWorkers { keep: WorkersToKeep::All, ..RankWorkers::default() };
    let fit = |rows: &[(&'static str, &'static str, &'static str)]| {
        rank.fit(&Labels::from_rows(rows.iter().copied()).unwrap(), &Context::new()).unwrap()
    };
    let (once, twice) = (fit(&rows), fit(&[&rows[..], &[("a", "w", "y")]].concat()));
    assert_eq!(once.workers, twice.workers);
    assert_eq!(once.warnings, []);
    let warning = Warning::Repeated { count: 1, what: "label", rule: "they count as one opinion" };
    assert_eq!(twice.warnings, [warning]);
}

#[test]
fn progress_grows_and_a_break_stops() {
    let labels = labels();
    let rank = RankWorkers { suspicious: true, ..RankWorkers::default() };
    for stop in [0.0, 0.3, 0.6, 0.95] {
        let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let log = std::sync::Arc::clone(&heard);
        let context = Context::new().with_progress(move |progress| {
            log.lock().unwrap().push(progress.done);
            if progress.done >= stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(rank.fit(&labels, &context), Err(Error::Stopped), "{stop}");
        assert!(heard.lock().unwrap().is_sorted(), "{stop}");
    }
}

/// Groups, ties and shuffles are drawn by ids.
#[test]
fn rows_in_another_order_give_the_same_verdicts_and_pairs() {
    let labels = labels();
    let mut rows = Vec::new();
    for task in 0..labels.tasks.len() {
        let name = |(worker, label): (usize, usize)| (worker, labels.classes.get(label));
        rows.extend(labels.votes(task).iter().map(name).map(|(worker, label)| (task, worker, label)));
    }
    rows.reverse();
    let rows = rows.iter().map(|&(task, worker, label)| (labels.tasks.get(task), labels.workers.get(worker), label));
    let turned = Labels::from_rows(rows).unwrap();
    for by in [KeepBy::Accuracy, KeepBy::Score] {
        let rank = RankWorkers { by, suspicious: true, ..RankWorkers::default() };
        let found = |labels: &Labels| rank.fit(labels, &Context::new()).unwrap();
        let (one, other) = (found(&labels), found(&turned));
        assert_eq!((one.keep, &one.families), (other.keep, &other.families));
        for (a, b) in one.workers.iter().zip(&other.workers) {
            assert_eq!((&a.worker, &a.verdict, a.rank, a.kept), (&b.worker, &b.verdict, b.rank, b.kept));
            assert!((a.accuracy - b.accuracy).abs() < 1e-6 && (a.score - b.score).abs() < 1e-9);
        }
        let pairs = |outcome: &RankWorkersOutcome| {
            let of = |pair: &SuspiciousPair| {
                let mut workers = pair.workers.clone();
                workers.sort();
                (workers, pair.pair.shared, format!("{:.6}", pair.pair.p_value))
            };
            outcome.suspicious.iter().flat_map(|found| found.pairs.iter().map(of)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(&one), pairs(&other));
        assert!(!pairs(&one).is_empty());
    }
}

#[test]
fn confusion_matrices_are_those_of_the_truth_but_for_chance() {
    let crowd = Crowd { tasks: 900, workers: 9, classes: 3, votes: (7, 7), accuracy: 0.75, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(4)).unwrap();
    let (labels, truth) = (drawn.to_labels().unwrap(), drawn.truth().unwrap());
    let found = RankWorkers { details: true, ..RankWorkers::default() }.fit(&labels, &Context::new()).unwrap();
    let class_of: std::collections::BTreeMap<&str, usize> = truth
        .ids()
        .iter()
        .zip(truth.values())
        .map(|(task, class)| (task, found.classes.iter().position(|name| name == class).unwrap()))
        .collect();
    for ranked in &found.workers {
        let mut counts = vec![vec![0.0; 3]; 3];
        for task in 0..labels.tasks.len() {
            let own = |&(worker, _): &(usize, usize)| labels.workers.get(worker) == ranked.worker;
            for (_, label) in labels.votes(task).iter().filter(own) {
                counts[class_of[labels.tasks.get(task)]][label] += 1.0;
            }
        }
        for (shares, counts) in ranked.confusion.as_ref().unwrap().iter().zip(&counts) {
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let all: f64 = counts.iter().sum();
            for (share, count) in shares.iter().zip(counts) {
                let by_truth = count / all;
                // Two standard errors of what was counted, and what the unknown classes add.
                let chance = 2.0 * (by_truth * (1.0 - by_truth) / all).sqrt();
                assert!((share - by_truth).abs() < chance + 0.04, "{}: {share} for {by_truth}", ranked.worker);
            }
        }
    }
    let plain = RankWorkers::default().fit(&labels, &Context::new()).unwrap();
    assert!(plain.classes.is_empty() && plain.workers.iter().all(|worker| worker.confusion.is_none()));
    let same = |a: &RankedWorker, b: &RankedWorker| RankedWorker { confusion: None, ..a.clone() } == *b;
    assert!(found.workers.iter().zip(&plain.workers).all(|(a, b)| same(a, b)), "details change nothing else");
}
