use super::super::simulated_labels::{TaskCounts, id};
use super::*;

#[test]
fn labels_follow_the_confusion_matrices() {
    for model in [WorkerModel::OneCoin, WorkerModel::Confusion, WorkerModel::Pairs] {
        let crowd = Crowd { tasks: 30_000, workers: 3, classes: 4, votes: (3, 3), model, ..Default::default() };
        let drawn = crowd.draw(&Context::new().with_seed(3)).unwrap();
        for worker in 0..3 {
            let mut counts = vec![vec![0.0; 4]; 4];
            for (&class, votes) in drawn.truth.iter().zip(&drawn.labels) {
                votes.iter().filter(|(who, _)| *who == worker).for_each(|&(_, label)| counts[class][label] += 1.0);
            }
            for class in 0..4 {
                let row: f64 = counts[class].iter().sum();
                for label in 0..4 {
                    let p = drawn.confusion[worker][class][label];
                    // Four and a half standard errors: 96 such comparisons fail by chance once in 1500 runs.
                    let error = 4.5 * (p * (1.0 - p) / row).sqrt() + 1e-9;
                    assert!((counts[class][label] / row - p).abs() < error, "{model:?} {worker} {class} {label}");
                }
            }
        }
    }
}

#[test]
fn rows_are_probabilities_and_votes_are_by_different_workers() {
    let crowd = Crowd {
        classes: 5,
        votes: (2, 9),
        spammers: 0.4,
        unevenness: 1.0,
        model: WorkerModel::Confusion,
        priors: vec![5.0, 1.0, 1.0, 1.0, 0.0],
        ..Default::default()
    };
    let drawn = crowd.draw(&Context::new().with_seed(11)).unwrap();
    for row in drawn.confusion.iter().flatten() {
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12 && row.iter().all(|p| *p >= 0.0));
    }
    for votes in &drawn.labels {
        let mut workers: Vec<usize> = votes.iter().map(|(worker, _)| *worker).collect();
        workers.sort_unstable();
        assert!((2..=9).contains(&workers.len()) && workers.windows(2).all(|pair| pair[0] != pair[1]));
    }
    assert!(drawn.truth.iter().all(|&class| class != 4), "a class of share 0 does not occur");
    let spammers = drawn.confusion.iter().filter(|matrix| matrix.windows(2).all(|rows| rows[0] == rows[1])).count();
    assert_eq!(spammers, 20);
    let labels_of = |who: usize| drawn.labels.iter().flatten().filter(|(worker, _)| *worker == who).count();
    assert!(labels_of(0) > 3 * labels_of(40), "work is uneven");
}

#[test]
fn nonsense_is_refused() {
    let refused = [
        Crowd { tasks: 0, ..Default::default() },
        Crowd { classes: 1, ..Default::default() },
        Crowd { votes: (6, 5), ..Default::default() },
        Crowd { votes: (1, 51), ..Default::default() },
        Crowd { priors: vec![1.0], ..Default::default() },
        Crowd { accuracy: 1.0, ..Default::default() },
        Crowd { spammers: 1.1, ..Default::default() },
        Crowd { hard: 0.6, misleading: 0.6, ..Default::default() },
        Crowd { pull: -0.1, ..Default::default() },
        Crowd { families: 1, family_size: 1, ..Default::default() },
        Crowd { families: 10, family_size: 5, random: 1, ..Default::default() },
        Crowd { constant: usize::MAX, ..Default::default() },
    ];
    for crowd in refused {
        assert!(crowd.draw(&Context::new().with_seed(0)).is_err(), "{crowd:?}");
    }
}

#[test]
fn tables_have_the_names_of_what_was_drawn() {
    let drawn = Crowd { tasks: 40, workers: 6, ..Default::default() }.draw(&Context::new()).unwrap();
    let (labels, truth) = (drawn.to_labels().unwrap(), drawn.truth().unwrap());
    assert_eq!((labels.tasks.len(), labels.len()), (40, 200));
    for task in 0..40 {
        assert_eq!((labels.tasks.get(task), truth.ids().get(task)), (&id('t', task)[..], &id('t', task)[..]));
        assert_eq!(truth.values()[task], id('c', drawn.truth[task]));
        let votes: Vec<(String, String)> = drawn.labels[task].iter().map(|v| (id('w', v.0), id('c', v.1))).collect();
        let found = labels.votes(task);
        let named = found
            .iter()
            .map(|(worker, label)| (labels.workers.get(worker).to_owned(), labels.classes.get(label).to_owned()));
        assert_eq!(named.collect::<Vec<_>>(), votes);
    }
    assert_eq!(drawn.workers().map(|(worker, _, _)| worker).collect::<Vec<_>>(), ["w1", "w2", "w3", "w4", "w5", "w6"]);
    assert_eq!(drawn.accuracy(6), None);
}

#[test]
fn parts_are_those_of_one_draw() {
    let crowd = Crowd { tasks: 101, workers: 9, hard: 0.3, misleading: 0.2, families: 1, ..Default::default() };
    let (context, mut counts) = (Context::new().with_seed(3), TaskCounts::default());
    let whole = crowd.draw(&context).unwrap();
    let parts: Vec<SimulatedLabels> = crowd.draw_parts(4, &context).unwrap().collect::<Result<_>>().unwrap();
    assert_eq!(parts.iter().map(|part| part.truth.len()).collect::<Vec<_>>(), [25, 25, 25, 26]);
    assert!(parts.iter().flat_map(SimulatedLabels::rows).eq(whole.rows()));
    assert!(parts.iter().flat_map(SimulatedLabels::tasks).eq(whole.tasks()));
    let ids = |drawn: &SimulatedLabels| drawn.truth().unwrap().ids().iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(parts.iter().flat_map(ids).collect::<Vec<_>>(), ids(&whole));
    parts.iter().for_each(|part| counts.add(&part.task_counts()));
    assert_eq!(counts, whole.task_counts());
    assert!(parts[0].workers_over(counts).eq(whole.workers()));
}

/// The label of a worker on a task, if they gave one.
fn label_of(drawn: &SimulatedLabels, task: usize, worker: usize) -> Option<usize> {
    drawn.labels[task].iter().find(|vote| vote.0 == worker).map(|vote| vote.1)
}

/// The share of tasks for which something holds, of those for which it is known.
fn share(values: impl Iterator<Item = Option<bool>>) -> f64 {
    let known: Vec<bool> = values.flatten().collect();
    known.iter().filter(|holds| **holds).count() as f64 / known.len() as f64
}

#[test]
fn hard_and_misleading_tasks_have_the_shares_and_the_errors_that_were_asked_for() {
    let crowd = Crowd {
        tasks: 20_000,
        workers: 6,
        classes: 4,
        votes: (6, 6),
        hard: 0.3,
        misleading: 0.2,
        guessing: 0.8,
        pull: 0.5,
        random: 1,
        ..Crowd::default()
    };
    let drawn = crowd.draw(&Context::new().with_seed(5)).unwrap();
    // Four and a half standard errors of a share of 4,000 or more.
    let near = |found: f64, expected: f64| (found - expected).abs() < 4.5 * 0.5 / 4000f64.sqrt();
    let of = |name: &str| drawn.tasks.iter().filter(|kind| kind.name() == name).count() as f64 / 20_000.0;
    assert!(near(of("hard"), 0.3) && near(of("misleading"), 0.2));
    for worker in 0..6 {
        let own = drawn.confusion[worker][0][0];
        let right_on = |name: &str| {
            let tasks = (0..20_000).filter(|&task| drawn.tasks[task].name() == name);
            share(tasks.map(|task| label_of(&drawn, task, worker).map(|label| label == drawn.truth[task])))
        };
        let trapped = share((0..20_000).map(|task| match drawn.tasks[task] {
            TaskKind::Misleading { favourite } => {
                assert_ne!(favourite, drawn.truth[task]);
                label_of(&drawn, task, worker).map(|label| label == favourite)
            }
            _ => None,
        }));
        let all = share((0..20_000).map(|task| label_of(&drawn, task, worker).map(|label| label == drawn.truth[task])));
        assert!(near(right_on("easy"), own), "{worker}");
        assert!(near(all, drawn.accuracy(worker).unwrap()), "{worker}");
        if worker < 5 {
            assert!(near(right_on("hard"), 0.8 / 4.0 + 0.2 * own), "{worker}");
            assert!(near(right_on("misleading"), 0.5 * own), "{worker}");
            assert!(near(trapped, 0.5 + 0.5 * (1.0 - own) / 3.0), "{worker}");
        } else {
            assert!(near(right_on("hard"), 0.25) && near(trapped, 0.25), "who answers at random does not look");
        }
    }
}

#[test]
fn members_of_a_family_err_together_and_others_do_not() {
    let crowd = Crowd {
        tasks: 20_000,
        workers: 8,
        classes: 3,
        votes: (5, 8),
        families: 2,
        family_size: 3,
        copying: 0.75,
        ..Crowd::default()
    };
    let drawn = crowd.draw(&Context::new().with_seed(2)).unwrap();
    let kinds: Vec<&str> = drawn.workers.iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds, ["honest", "copies", "copies", "honest", "copies", "copies", "honest", "honest"]);
    let right = |worker: usize| drawn.confusion[worker][0][0];
    let agree = |one: usize, other: usize| {
        let (a, b) = (right(one), right(other));
        let found = share((0..20_000).map(|task| Some(label_of(&drawn, task, one)? == label_of(&drawn, task, other)?)));
        (found, a * b + (1.0 - a) * (1.0 - b) / 2.0)
    };
    let near = |found: f64, expected: f64| (found - expected).abs() < 4.5 * 0.5 / 10_000f64.sqrt();
    for (one, other) in [(0, 1), (0, 2), (3, 4), (3, 5)] {
        let (found, independent) = agree(one, other);
        assert!(near(found, 0.75 + 0.25 * independent), "{one} {other}");
    }
    for (one, other) in [(0, 3), (6, 7), (0, 6)] {
        let (found, independent) = agree(one, other);
        assert!(near(found, independent), "{one} {other}");
    }
    // Two members who both copy agree though the first was not asked.
    let alone = (0..20_000).filter(|&task| label_of(&drawn, task, 0).is_none());
    let found = share(alone.map(|task| Some(label_of(&drawn, task, 1)? == label_of(&drawn, task, 2)?)));
    assert!(found > 0.75 * 0.75);
}

#[test]
fn workers_who_do_not_do_their_best_are_the_last_ones() {
    let crowd = Crowd {
        tasks: 5000,
        workers: 12,
        classes: 5,
        votes: (12, 12),
        random: 2,
        constant: 2,
        constancy: 0.9,
        contrary: 2,
        spammers: 0.25,
        accuracy: 0.8,
        priors: Crowd::rare_class(5, 0.01),
        ..Crowd::default()
    };
    let drawn = crowd.draw(&Context::new().with_seed(4)).unwrap();
    let kinds: Vec<&str> = drawn.workers.iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds[3..9], ["random", "random", "constant", "constant", "contrary", "contrary"]);
    assert!(kinds[..3].iter().all(|kind| *kind == "honest"));
    assert!(kinds[9..].iter().all(|kind| ["random", "constant"].contains(kind)));
    let given = |worker: usize| {
        let mut counts = [0.0f64; 5];
        (0..5000).for_each(|task| counts[label_of(&drawn, task, worker).unwrap()] += 1.0 / 5000.0);
        counts
    };
    for worker in [3, 4] {
        assert!(given(worker).iter().all(|share| (share - 0.2).abs() < 0.03), "{:?}", given(worker));
    }
    for worker in [5, 6] {
        let most = given(worker).into_iter().fold(0.0, f64::max);
        assert!((0.9..0.97).contains(&most), "{most}");
    }
    for worker in [7, 8] {
        let next = share((0..5000).map(|task| Some(label_of(&drawn, task, worker)? == (drawn.truth[task] + 1) % 5)));
        assert!(next > 0.5 && drawn.accuracy(worker).unwrap() < 0.2, "{next}");
    }
    let rare = drawn.truth.iter().filter(|class| **class == 4).count();
    // 50 are expected; five standard errors are 35.
    assert!((15..=85).contains(&rare), "{rare}");
}
