use super::*;
use crate::judgments::Ballots;
use crate::simulate::Crowd;
use crate::truth::{Calibration, DawidSkene};

fn crowd(crowd: &Crowd, seed: u64) -> (Ballots, Vec<Option<u16>>) {
    let drawn = crowd.draw(&Context::new().with_seed(seed)).unwrap();
    let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
    (Ballots::from_tasks(&drawn.labels, crowd.workers, crowd.classes).unwrap(), truth)
}

#[test]
fn better_and_better_calibrated_than_free_tables_where_labels_are_few() {
    let (mut ours, mut theirs) = ((0.0, 0.0), (0.0, 0.0));
    for seed in 0..5 {
        let few = Crowd { tasks: 400, workers: 100, classes: 3, votes: (3, 3), ..Crowd::default() };
        let (ballots, truth) = crowd(&few, seed);
        let evidence = Evidence::votes(&ballots).unwrap();
        let auto =
            Calibration::of(&Auto::default().fit(&evidence, &Context::new()).unwrap().posterior, &truth).unwrap();
        let free =
            Calibration::of(&DawidSkene::default().fit(&evidence, &Context::new()).unwrap().posterior, &truth).unwrap();
        ours = (ours.0 + auto.accuracy / 5.0, ours.1 + auto.ece / 5.0);
        theirs = (theirs.0 + free.accuracy / 5.0, theirs.1 + free.ece / 5.0);
    }
    assert!(ours.0 > theirs.0 + 0.03, "{ours:?} {theirs:?}");
    assert!(ours.1 < 0.5 * theirs.1, "{ours:?} {theirs:?}");
}

#[test]
fn a_rare_class_is_no_bin_for_disagreement() {
    // Of three classes one has a vote in a hundred; workers disagree much about the other two.
    let tasks: Vec<Vec<(usize, usize)>> = (0..600)
        .map(|task| {
            (0..5)
                .map(|i| {
                    ((task * 7 + i * 3) % 31, if task % 20 == 0 && i == 0 { 2 } else { (task + task * i / 3) % 2 })
                })
                .collect()
        })
        .collect();
    let ballots = Ballots::from_tasks(&tasks, 31, 3).unwrap();
    let fit = Auto::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
    let read = fit.rule.posterior(&ballots, &Context::new()).unwrap();
    for (task, votes) in tasks.iter().enumerate() {
        for posterior in [&fit.posterior, &read] {
            let label = posterior.answer(task, 0).class;
            assert!(votes.iter().any(|vote| vote.1 == label), "task {task} got {label}, which nobody gave");
        }
    }
}

/// Of each task its class and its votes: easy tasks, on which all are right nine times in ten, and hard ones, on which
/// eight of twelve judges follow the same wrong lead three times in five and four are right four times in five.
fn easy_and_hard(tasks: usize) -> (Ballots, Vec<Option<u16>>) {
    use rand::RngExt;
    let mut random = crate::random::stream(11, 0);
    let (mut all, mut truth) = (Vec::new(), Vec::new());
    for task in 0..tasks {
        let class = usize::from(random.random::<f64>() < 0.5);
        let hard = task % 2 == 0;
        let misled = random.random::<f64>() < 0.6;
        let votes = (0..12).map(|judge| {
            let right = match (hard, judge < 8) {
                (false, _) => 0.9,
                (true, true) => {
                    if misled {
                        0.25
                    } else {
                        0.75
                    }
                }
                (true, false) => 0.85,
            };
            (judge, if random.random::<f64>() < right { class } else { 1 - class })
        });
        all.push(votes.collect());
        truth.push(Some(class as u16));
    }
    (Ballots::from_tasks(&all, 12, 2).unwrap(), truth)
}

#[test]
fn planted_kinds_are_recovered_and_the_few_who_know_are_believed() {
    let (ballots, truth) = easy_and_hard(600);
    let evidence = Evidence::votes(&ballots).unwrap();
    let fit = Auto::default().fit(&evidence, &Context::new()).unwrap();
    let plain = Majority::default().fit(&evidence, &Context::new()).unwrap();
    let (auto, plain) = (fit.posterior.error(&truth).unwrap(), plain.posterior.error(&truth).unwrap());
    // 0.188 and 0.198: with twelve judges half of the weight is the pool's, which follows the misled eight.
    assert!(auto < plain - 0.005, "{auto} and {plain}");
    let summary = fit.auto.unwrap();
    let two_kinds: f64 = summary.candidates[2..4].iter().map(|candidate| candidate.weight).sum();
    assert!(two_kinds > 0.5 && !summary.plain_vote, "{summary:?}");
    assert!((summary.candidates.iter().map(|candidate| candidate.weight).sum::<f64>() - 1.0).abs() < 1e-9);
    assert!(summary.correlation > 0.02, "{summary:?}");
}

#[test]
fn votes_at_random_stay_the_plain_vote() {
    use rand::RngExt;
    let mut random = crate::random::stream(5, 0);
    let tasks: Vec<Vec<(usize, usize)>> =
        (0..200).map(|_| (0..5).map(|worker| (worker, usize::from(random.random::<f64>() < 0.5))).collect()).collect();
    let ballots = Ballots::from_tasks(&tasks, 5, 2).unwrap();
    let evidence = Evidence::votes(&ballots).unwrap();
    let fit = Auto::default().fit(&evidence, &Context::new()).unwrap();
    let summary = fit.auto.unwrap();
    if summary.plain_vote {
        let plain = Majority::default().fit(&evidence, &Context::new()).unwrap();
        assert!(
            (0..200)
                .flat_map(|task| fit.posterior.of(task).iter().zip(plain.posterior.of(task).iter()))
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
        assert!(summary.sentence().contains("plain vote"));
    }
    // Whatever is chosen, nobody can be sure of a coin.
    let sure = (0..200).filter(|&task| fit.posterior.answer(task, 0).confidence > 0.95).count();
    assert!(sure < 60, "{sure}");
}

#[test]
fn gold_that_contradicts_every_judge_turns_the_answer() {
    // All judges agree, and every known answer is the other class.
    let tasks: Vec<Vec<(usize, usize)>> = (0..300)
        .map(|task| {
            (0..5).map(|judge| (judge, if (task + judge) % 9 == 0 { 1 - task % 2 } else { task % 2 })).collect()
        })
        .collect();
    let ballots = Ballots::from_tasks(&tasks, 5, 2).unwrap();
    let gold: Vec<Option<u16>> = (0..300).map(|task| (task < 100).then_some((1 - task % 2) as u16)).collect();
    let evidence = Evidence::with_gold(&ballots, gold).unwrap();
    // On most tasks nobody votes for the true class.
    let fit = Auto { unvoted: true, ..Auto::default() }.fit(&evidence, &Context::new()).unwrap();
    let turned = (100..300).filter(|&task| fit.posterior.answer(task, 0).class == 1 - task % 2).count();
    assert!(turned > 150, "{turned} of 200");
    assert_eq!(fit.auto.unwrap().known.unwrap().answers, 100);
}

#[test]
fn more_labels_than_are_sampled_get_the_same_answers() {
    // Beyond the part on which large data are fitted first: 90,000 tasks of five votes.
    let crowd = Crowd { tasks: 90_000, workers: 40, classes: 2, votes: (5, 5), ..Crowd::default() };
    let (ballots, truth) = self::crowd(&crowd, 4);
    let some: Vec<usize> = (0..20_000).collect();
    let part = ballots.of_tasks(&some).unwrap();
    let error = |ballots: &Ballots| {
        let fit = Auto::default().fit(&Evidence::votes(ballots).unwrap(), &Context::new()).unwrap();
        fit.posterior.error(&truth[..ballots.tasks()]).unwrap()
    };
    let (all, part) = (error(&ballots), error(&part));
    // A share of 20,000 has a standard error of 0.002.
    assert!((all - part).abs() < 0.01, "{all} and {part}");
}

#[test]
fn threads_change_nothing_and_odd_crowds_get_an_answer() {
    let (ballots, _) = crowd(&Crowd { tasks: 80, workers: 10, classes: 3, ..Crowd::default() }, 1);
    let evidence = Evidence::votes(&ballots).unwrap();
    let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
    assert!(
        Auto::default().fit(&evidence, &Context::new()).unwrap() == Auto::default().fit(&evidence, &context).unwrap()
    );
    // One label each: nothing can be held out, and the label given stands.
    let alone = Ballots::from_tasks(&[vec![(0, 0)], vec![(1, 1)], vec![], vec![(0, 1)]], 2, 2).unwrap();
    let fitted = Auto::default().fit(&Evidence::votes(&alone).unwrap(), &Context::new()).unwrap();
    assert_eq!(fitted.posterior.of(2), [0.5, 0.5]);
    assert!(fitted.posterior.answer(0, 0).class == 0 && fitted.posterior.answer(1, 0).class == 1);
    let single = Ballots::from_tasks(&[vec![(0, 0)], vec![(1, 0)]], 2, 1).unwrap();
    let fitted = Auto::default().fit(&Evidence::votes(&single).unwrap(), &Context::new()).unwrap();
    assert_eq!(fitted.posterior.of(1), [1.0]);
}

#[test]
fn known_classes_stay() {
    let (ballots, truth) = crowd(&Crowd { tasks: 100, workers: 8, classes: 2, ..Crowd::default() }, 3);
    let evidence = Evidence::with_gold(&ballots, truth.clone()).unwrap();
    let fitted = Auto::default().fit(&evidence, &Context::new()).unwrap();
    assert_eq!(fitted.posterior.error(&truth), Some(0.0));
}

#[test]
fn copies_of_one_judge_do_not_change_how_sure_answers_are() {
    let judges = Crowd { tasks: 300, workers: 14, classes: 3, votes: (14, 14), spread: 30.0, ..Crowd::default() };
    let drawn = judges.draw(&Context::new().with_seed(5)).unwrap().labels;
    let fit = |tasks: &[Vec<(usize, usize)>], workers: usize| {
        let ballots = Ballots::from_tasks(tasks, workers, 3).unwrap();
        Auto::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap()
    };
    let alone = fit(&drawn, 14);
    assert!(alone.auto.unwrap().families.is_empty());
    // Twenty copies cast three votes in five.
    for copies in [1, 2, 5, 9, 20] {
        let copied = |votes: &Vec<(usize, usize)>| {
            let label = votes.iter().find(|vote| vote.0 == 3).unwrap().1;
            [votes.clone(), (14..14 + copies).map(|copy| (copy, label)).collect()].concat()
        };
        let tasks: Vec<Vec<(usize, usize)>> = drawn.iter().map(copied).collect();
        let together = fit(&tasks, 14 + copies);
        let family: Vec<usize> = std::iter::once(3).chain(14..14 + copies).collect();
        let summary = together.auto.as_ref().unwrap();
        assert_eq!(summary.families, [family]);
        assert_eq!(summary.effective_votes(&Ballots::from_tasks(&tasks, 14 + copies, 3).unwrap()).len(), 300);
        // Workers without a vote of their own move the population's spread of skills a little.
        let (one, other) = (&alone.posterior, &together.posterior);
        let off = (0..300).flat_map(|task| one.of(task).iter().zip(other.of(task).iter())).map(|(p, q)| (p - q).abs());
        let most = off.fold(0.0, f64::max);
        assert!(most < 0.01, "{copies} copies: {most}");
        // Each of them is read as the first in new tasks.
        assert_eq!(together.rule.matrix(3), together.rule.matrix(14));
    }
}

#[test]
fn families_who_copy_nine_times_in_ten_do_not_outvote_the_others() {
    // The mean over four panels: a family of which one member was left out used to take the classes over.
    let panel = Crowd { tasks: 400, workers: 9, votes: (9, 9), misleading: 0.1, families: 2, ..Crowd::default() };
    let (mut auto, mut plain) = (0.0, 0.0);
    for seed in [0, 1, 2, 4] {
        let (ballots, truth) = crowd(&panel, seed);
        let evidence = Evidence::votes(&ballots).unwrap();
        let fit = Auto::default().fit(&evidence, &Context::new()).unwrap();
        auto += fit.posterior.error(&truth).unwrap() / 4.0;
        plain += Majority::default().fit(&evidence, &Context::new()).unwrap().posterior.error(&truth).unwrap() / 4.0;
        assert_eq!(fit.auto.unwrap().families.len(), 2);
    }
    assert!(auto < plain, "{auto} {plain}");
}

#[test]
fn judges_who_all_vote_on_every_task_share_their_mistakes_however_many_they_are() {
    for judges in [1, 7, 20, 39, 115, 1000] {
        assert!((pool_share(judges, judges as f64) - 0.5).abs() < 1e-12, "{judges}");
    }
    // Of more workers than a task has votes, others vote on other tasks.
    let falling: Vec<f64> = [20, 40, 100, 400, 2000].map(|workers| pool_share(workers, 5.0)).into();
    assert!(falling.windows(2).all(|pair| pair[0] > pair[1]) && falling[4] == 0.1, "{falling:?}");
    assert!(pool_share(100, 40.0) > pool_share(100, 5.0));
    // The fit goes by it: beside the plain vote's part, half of the weight is the pool's.
    let dense = Crowd { tasks: 80, workers: 50, votes: (50, 50), hard: 0.3, ..Crowd::default() };
    let (ballots, _) = crowd(&dense, 3);
    let summary = Auto::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap().auto.unwrap();
    let plain = summary.candidates.last().unwrap().weight;
    assert!((summary.pool - 0.5 * (1.0 - plain)).abs() < 1e-9 && !summary.plain_vote, "{summary:?}");
}
