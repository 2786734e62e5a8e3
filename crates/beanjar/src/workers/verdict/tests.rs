use super::*;
use crate::random::stream;
use crate::simulate::{Crowd, SimulatedLabels, WorkerKind};
use crate::truth::Posterior;
use rand::RngExt;
use rand::seq::SliceRandom;

fn judged(tasks: &[Vec<(usize, usize)>], workers: usize, classes: usize) -> JudgedWorkers {
    judge_workers(&Ballots::from_tasks(tasks, workers, classes).unwrap(), &Context::new()).unwrap()
}

/// Honest workers of accuracies from a range with 20 to 400 labels each, about ten votes per task.
fn honest(workers: usize, classes: usize, accuracies: (f64, f64), seed: u64) -> (Vec<Vec<(usize, usize)>>, Vec<f64>) {
    let mut random = stream(seed, 0);
    let tasks = workers * 21;
    let truth: Vec<usize> = (0..tasks).map(|_| random.random_range(0..classes)).collect();
    let mut votes = vec![Vec::new(); tasks];
    let mut order: Vec<usize> = (0..tasks).collect();
    let mut accuracy = Vec::new();
    for worker in 0..workers {
        accuracy.push(random.random_range(accuracies.0..accuracies.1));
        order.shuffle(&mut random);
        for &task in &order[..random.random_range(20..=400)] {
            let wrong = (truth[task] + random.random_range(1..classes)) % classes;
            let label = if random.random_bool(accuracy[worker]) { truth[task] } else { wrong };
            votes[task].push((worker, label));
        }
    }
    (votes, accuracy)
}

fn chance_corrected(accuracy: f64, classes: usize) -> f64 {
    let chance = 1.0 / classes as f64;
    (accuracy - chance) / (1.0 - chance)
}

#[test]
fn of_a_thousand_honest_workers_at_most_ten_are_called_anything_bad() {
    for (classes, seed) in [(2, 1), (5, 2)] {
        let (votes, accuracy) = honest(1000, classes, (0.6, 0.95), seed);
        let found = judged(&votes, 1000, classes);
        let bad = found.workers.iter().filter(|worker| worker.verdict.is_bad()).count();
        assert!(bad <= 10, "{bad} of {classes} classes");
        let covers = |(worker, accuracy): (&JudgedWorker, &f64)| {
            let truth = chance_corrected(*accuracy, classes);
            worker.low <= truth && truth <= worker.high
        };
        let covered = found.workers.iter().zip(&accuracy).filter(|both| covers(*both)).count();
        // 950 are expected; four standard deviations are 28.
        assert!((922..=978).contains(&covered), "{covered} of {classes} classes");
        let good = found.workers.iter().filter(|worker| worker.verdict == Verdict::Good).count();
        assert!(good > 600, "{good} of {classes} classes");
    }
}

/// What a crowd's planted workers are called.
fn wrongly_named(drawn: &SimulatedLabels, classes: usize) -> Vec<(usize, Verdict)> {
    let found = judged(&drawn.labels, drawn.workers.len(), classes);
    let right = |(worker, verdict): &(usize, Verdict)| match drawn.workers[*worker] {
        WorkerKind::Honest => !verdict.is_bad(),
        WorkerKind::Random => *verdict == Verdict::Random,
        WorkerKind::Constant => *verdict == Verdict::Constant,
        WorkerKind::Contrary => *verdict == Verdict::Contrary,
        WorkerKind::Copies(source) => *verdict == Verdict::Copies(source),
    };
    let verdicts = found.workers.iter().map(|worker| worker.verdict).enumerate();
    verdicts.filter(|named| !right(named)).collect()
}

#[test]
fn planted_workers_with_two_hundred_labels_are_all_named_rightly() {
    for classes in [2, 5] {
        for seed in 0..4 {
            // 60 workers with 200 labels each, as nearly as chance shares the work.
            let crowd = Crowd {
                tasks: 1500,
                workers: 60,
                classes,
                votes: (8, 8),
                accuracy: 0.85,
                spread: 60.0,
                random: 2,
                constant: 2,
                contrary: 2,
                ..Crowd::default()
            };
            let drawn = crowd.draw(&Context::new().with_seed(seed)).unwrap();
            assert_eq!(wrongly_named(&drawn, classes), [], "{classes} classes, seed {seed}");
        }
    }
}

#[test]
fn three_planted_among_two_hundred_are_named_and_not_kept() {
    // The example of a random worker, one who always says the same, and one who is always wrong, 400 labels each.
    let base = Crowd { tasks: 10_000, workers: 203, classes: 2, votes: (8, 8), accuracy: 0.8, ..Crowd::default() };
    let crowd = Crowd { spread: 60.0, random: 1, constant: 1, contrary: 1, ..base };
    let mut drawn = crowd.draw(&Context::new().with_seed(7)).unwrap();
    let wrong = |task: usize| 1 - drawn.truth[task];
    let turned: Vec<Vec<(usize, usize)>> = (0..10_000)
        .map(|task| {
            let vote = |&(worker, label): &(usize, usize)| (worker, if worker == 202 { wrong(task) } else { label });
            drawn.labels[task].iter().map(vote).collect()
        })
        .collect();
    drawn.labels = turned;
    assert_eq!(wrongly_named(&drawn, 2), []);
    let labels = drawn.to_labels().unwrap();
    let outcome = crate::RankWorkers::default().fit(&labels, &Context::new()).unwrap();
    let last: Vec<&str> = outcome.workers[200..].iter().map(|worker| worker.worker.as_str()).collect();
    assert_eq!(outcome.workers[202].worker, "w203");
    assert_eq!(outcome.workers[202].verdict, "contrary");
    assert!(last.contains(&"w201") && last.contains(&"w202"), "{last:?}");
    assert_eq!((outcome.keep, outcome.rule), (200, "verdict"));
    assert!(
        outcome.workers.iter().all(|worker| worker.kept == (worker.rank != 0 && !last.contains(&&worker.worker[..])))
    );
}

#[test]
fn copies_of_one_worker_are_named_however_many_there_are() {
    for copies in [1, 2, 5, 9] {
        let crowd = Crowd {
            tasks: 400,
            workers: 20 + copies,
            classes: 3,
            votes: (20 + copies, 20 + copies),
            spread: 30.0,
            families: 1,
            family_size: 1 + copies,
            copying: 1.0,
            ..Crowd::default()
        };
        let drawn = crowd.draw(&Context::new().with_seed(copies as u64)).unwrap();
        assert_eq!(wrongly_named(&drawn, 3), [], "{copies} copies");
        let found = judged(&drawn.labels, 20 + copies, 3);
        assert_eq!(found.families, [(0..=copies).collect::<Vec<_>>()]);
    }
}

#[test]
fn workers_who_err_together_on_misleading_tasks_do_not_copy() {
    for (hard, misleading) in [(0.3, 0.0), (0.0, 0.2)] {
        let base = Crowd { tasks: 400, workers: 15, classes: 3, votes: (15, 15), accuracy: 0.8, ..Crowd::default() };
        let drawn = Crowd { hard, misleading, spread: 30.0, ..base }.draw(&Context::new().with_seed(3)).unwrap();
        assert_eq!(wrongly_named(&drawn, 3), []);
    }
}

/// Certain posteriors: the sums have closed forms.
fn skill_of(labels: &[u16], truth: &[usize], classes: usize) -> Skill {
    let votes: Vec<(u32, u16)> = labels.iter().enumerate().map(|(task, label)| (task as u32, *label)).collect();
    Skill::of(&votes, &Posterior::certain(truth, classes).unwrap(), classes)
}

#[test]
fn with_known_classes_it_is_the_accuracy_beyond_chance() {
    let mut random = stream(5, 0);
    for classes in [2, 3, 7] {
        let truth: Vec<usize> =
            (0..300).map(|_| random.random_range(0..classes).min(random.random_range(0..classes))).collect();
        let labels: Vec<u16> = truth
            .iter()
            .map(|&class| if random.random_bool(0.6) { class as u16 } else { random.random_range(0..classes) as u16 })
            .collect();
        let share = |holds: &dyn Fn(usize) -> bool| (0..300).filter(|i| holds(*i)).count() as f64 / 300.0;
        let right = share(&|i| usize::from(labels[i]) == truth[i]);
        let of = |class: usize| (share(&|i| usize::from(labels[i]) == class), share(&|i| truth[i] == class));
        let chance: f64 = (0..classes).map(|class| of(class).0 * of(class).1).sum();
        let chance_of_the_best: f64 = (0..classes).map(|class| of(class).1.powi(2)).sum();
        let skill = skill_of(&labels, &truth, classes);
        assert!((skill.accuracy() - (right - chance) / (1.0 - chance_of_the_best)).abs() < 1e-12);
        let perfect: Vec<u16> = truth.iter().map(|&class| class as u16).collect();
        assert!((skill_of(&perfect, &truth, classes).accuracy() - 1.0).abs() < 1e-12);
        assert!(skill_of(&[0; 300], &truth, classes).accuracy().abs() < 1e-12);
        let (low, high) = skill.interval(Z);
        assert!(low < skill.accuracy() && skill.accuracy() < high);
        for end in [low, high] {
            assert!(((skill.accuracy() - end).abs() - Z * skill.deviation(end)).abs() < 1e-9);
        }
    }
}

#[test]
fn a_rare_class_makes_nobody_constant_and_nothing_to_see_is_no_evidence() {
    // Two of two hundred tasks are of the rare class; saying 'no' to all of them is what most would do.
    let truth: Vec<usize> = (0..200).map(|task| usize::from(task < 2)).collect();
    let skill = skill_of(&[0; 200], &truth, 2);
    assert!(skill.interval(Z).1 > 0.5, "{:?}", skill.interval(Z));
    assert!(Population::of(&[skill]).as_bad(&skill) > 0.05);
    let blind = skill_of(&[0; 5], &[0; 5], 2);
    assert_eq!((blind.accuracy(), blind.interval(Z), blind.as_bad(0.5)), (0.0, (-1.0, 1.0), 1.0));
    let crowd = Crowd { tasks: 600, workers: 30, votes: (6, 6), accuracy: 0.9, ..Crowd::default() };
    let crowd = Crowd { priors: Crowd::rare_class(2, 0.03), spread: 50.0, ..crowd };
    for seed in 0..3 {
        assert_eq!(wrongly_named(&crowd.draw(&Context::new().with_seed(seed)).unwrap(), 2), []);
    }
}

#[test]
fn small_and_odd_crowds_get_a_verdict() {
    assert!(judge_workers(&Ballots::from_tasks(&[vec![]], 1, 2).unwrap(), &Context::new()).is_err());
    for (votes, workers) in [
        (vec![vec![(0, 0)]], 1),
        (vec![vec![(0, 0), (1, 1)]; 30], 2),
        (vec![vec![(0, 0), (1, 0), (2, 0)]; 30], 4),
        (vec![vec![(0, 0), (1, 1), (2, 0), (0, 1)], vec![]], 3),
    ] {
        let found = judged(&votes, workers, 2);
        assert!(found.workers.iter().all(|worker| worker.verdict == Verdict::TooFew), "{found:?}");
        assert!(found.workers.iter().all(|worker| worker.low <= worker.accuracy && worker.accuracy <= worker.high));
    }
}
