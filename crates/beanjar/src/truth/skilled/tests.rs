use super::*;
use crate::likeliest::likeliest;
use crate::simulate::{Crowd, WorkerModel};
use crate::truth::{DawidSkene, OneCoin};

fn crowd(model: WorkerModel, workers: usize) -> (Ballots, Vec<Option<u16>>, Vec<f64>) {
    let crowd = Crowd { tasks: 1000, workers, classes: 4, votes: (4, 4), model, spread: 5.0, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(8)).unwrap();
    let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
    let accuracy = (0..workers).map(|worker| drawn.accuracy(worker).unwrap()).collect();
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
    let mut model = Skills::new(&method, ballots.workers(), &VoteShares::of(&ballots));
    let em = Em { votes: &evidence, classes: 4, start: Start::Votes, stopping: method.stopping };
    em.climb(&mut model, &Context::new()).unwrap();
    let best = (0..20).max_by(|&i, &j| accuracy[i].total_cmp(&accuracy[j])).unwrap();
    let worst = (0..20).min_by(|&i, &j| accuracy[i].total_cmp(&accuracy[j])).unwrap();
    assert!(model.skill[best] > model.skill[worst] + 1.0);
    assert!(model.skill.iter().sum::<f64>().abs() < 1e-9);
}

/// ln P(votes) of a task under tables, the sum over components written out.
fn direct(tables: &crate::truth::Confusion, votes: &[(usize, usize)]) -> f64 {
    let joint = |component: usize| {
        let likelihood = votes.iter().map(|&(worker, label)| tables.probability(worker, component, label));
        tables.prior()[component] * likelihood.product::<f64>()
    };
    (0..tables.classes()).map(joint).sum::<f64>().ln()
}

#[test]
fn the_likelihood_with_kinds_agrees_with_the_sum_over_components() {
    let tasks =
        [vec![(0, 0), (1, 0), (2, 1)], vec![(0, 1), (1, 2)], vec![(2, 2)], vec![(0, 0), (1, 1), (2, 2)], vec![]];
    let ballots = Ballots::from_tasks(&tasks, 3, 3).unwrap();
    for kinds in [1, 2, 3] {
        let method = Skilled { kinds, ..Skilled::default() };
        let evidence = Evidence::votes(&ballots).unwrap();
        let fit = method.climb(&evidence, &Context::new()).unwrap();
        assert_eq!(fit.climb.tables.classes(), 3 * kinds);
        let sum: f64 =
            tasks.iter().filter(|votes| !votes.is_empty()).map(|votes| direct(&fit.climb.tables, votes)).sum();
        assert!((fit.climb.log_likelihood - sum).abs() < 1e-9, "{kinds} kinds: {} and {sum}", fit.climb.log_likelihood);
        let expected = fit.expected(&evidence, &Context::new()).unwrap();
        assert!((expected.tasks.iter().sum::<f64>() - 4.0).abs() < 1e-9);
    }
}

#[test]
fn a_vote_left_out_is_read_by_tables_of_the_others() {
    // The counts without one task's votes, by expectation, are those of a count over the other tasks.
    let tasks = [vec![(0, 0), (1, 0)], vec![(0, 1), (1, 0), (2, 1)], vec![(2, 0), (1, 1)], vec![(0, 0), (2, 0)]];
    let ballots = Ballots::from_tasks(&tasks, 3, 2).unwrap();
    let evidence = Evidence::votes(&ballots).unwrap();
    let method = Skilled { kinds: 2, ..Skilled::default() };
    let fit = method.climb(&evidence, &Context::new()).unwrap();
    let expected = fit.expected(&evidence, &Context::new()).unwrap();
    let found = fit.leave_one_out(&ballots, &expected, &Context::new());
    let (labels, components) = (2, 4);
    for (task, votes) in tasks.iter().enumerate() {
        let others = ballots.of_tasks(&(0..4).filter(|&other| other != task).collect::<Vec<_>>()).unwrap();
        let others = Evidence::votes(&others).unwrap();
        let without = fit.expected(&others, &Context::new()).unwrap();
        let mut scores: Vec<f64> = fit.climb.tables.prior().to_vec();
        for &(worker, label) in votes {
            for (component, score) in scores.iter_mut().enumerate() {
                let at = (worker * labels + label) * components + component;
                let sum: f64 = (0..labels).map(|l| without.votes[(worker * labels + l) * components + component]).sum();
                *score *= (without.votes[at] + fit.strength * fit.means[at]) / (sum + fit.strength);
            }
        }
        let all: f64 = scores.iter().sum();
        for (component, score) in scores.iter().enumerate() {
            assert!((found.of(task)[component] - score / all).abs() < 1e-9);
        }
    }
}

#[test]
fn a_known_class_leaves_its_kinds_open() {
    let ballots =
        Ballots::from_tasks(&[vec![(0, 0), (1, 1)], vec![(0, 1), (1, 1)], vec![(0, 0), (1, 0)]], 2, 2).unwrap();
    let evidence = Evidence::with_gold(&ballots, vec![Some(1), None, None]).unwrap();
    let method = Skilled { kinds: 2, ..Skilled::default() };
    let fit = method.climb(&evidence, &Context::new()).unwrap();
    let first = ballots.of_tasks(&[0]).unwrap();
    let row = fit.expected(&Evidence::part(&first, &[Some(1)]), &Context::new()).unwrap().tasks;
    assert_eq!((row[0], row[2]), (0.0, 0.0));
    assert!((row[1] + row[3] - 1.0).abs() < 1e-12);
    assert_eq!(method.fit(&evidence, &Context::new()).unwrap().posterior.of(0), [0.0, 1.0]);
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
            let fitted = Skilled { kinds: classes, ..Skilled::default() };
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

#[test]
fn two_kinds_that_are_the_same_are_one_kind() {
    let (ballots, _, _) = crowd(WorkerModel::Confusion, 12);
    let evidence = Evidence::votes(&ballots).unwrap();
    let context = Context::new();
    let one = Skilled::default();
    // From a start in which each class is shared by both kinds alike, EM has no reason to set them apart.
    let mut halves = Posterior::equal(ballots.tasks(), 8);
    halves.fill(&context, |task, row| {
        let votes = ballots.votes(task);
        row.fill(0.0);
        for (_, label) in votes.iter() {
            row[label] += 0.5 / votes.labels.len() as f64;
            row[label + 4] += 0.5 / votes.labels.len() as f64;
        }
    });
    let climb = |kinds: usize, start: Start<'_>| {
        // Equal shares of classes, for a pseudo-task of each component is one for each kind.
        let method = Skilled { kinds, prior: ClassPrior::Uniform, ..one.clone() };
        let mut model = Skills::new(&method, ballots.workers(), &VoteShares::of(&ballots));
        let em =
            Em { votes: &evidence, classes: 4 * kinds, start, stopping: Stopping { iterations: 3, tolerance: 0.0 } };
        em.climb(&mut model, &context).unwrap()
    };
    let (single, double) = (climb(1, Start::Votes), climb(2, Start::Posterior(&halves)));
    let (mut row, mut rows) = ([0.0; 4], [0.0; 8]);
    let (mut apart, mut same) = (0.0, 0);
    for task in 0..ballots.tasks() {
        single.tables.components(ballots.votes(task), &mut row);
        double.tables.components(ballots.votes(task), &mut rows);
        for class in 0..4 {
            assert!((rows[class] - rows[class + 4]).abs() < 1e-9, "{task}");
            rows[class] += rows[class + 4];
            apart += (row[class] - rows[class]).abs() / 4000.0;
        }
        same += usize::from(likeliest(&row) == likeliest(&rows[..4]));
    }
    // Not to the last digit: the rows of either kind have half of the votes, and are drawn to the population's as strongly.
    assert!(apart < 0.005 && same >= 990, "{apart}, {same}");
}

#[test]
fn leaving_a_vote_out_is_near_to_a_fit_without_it() {
    let crowd = Crowd { tasks: 240, workers: 8, classes: 3, votes: (4, 4), accuracy: 0.65, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(3)).unwrap();
    let context = Context::new();
    let fitted = |tasks: &[Vec<(usize, usize)>]| {
        let ballots = Ballots::from_tasks(tasks, 8, 3).unwrap();
        let mut fit = Skilled::default().climb(&Evidence::votes(&ballots).unwrap(), &context).unwrap();
        let expected = fit.take_expected(&Evidence::votes(&ballots).unwrap(), &context).unwrap();
        (fit.leave_one_out(&ballots, &expected, &context), fit.climb.tables, ballots)
    };
    let (left_out, tables, ballots) = fitted(&drawn.labels);
    let (mut near, mut far) = (0.0, 0.0);
    for task in (0..240).step_by(20) {
        // Each vote is read by the tables of a fit that has not seen it.
        let mut refitted: Vec<f64> = tables.prior().to_vec();
        for vote in 0..drawn.labels[task].len() {
            let (worker, label) = drawn.labels[task][vote];
            let mut others = drawn.labels.clone();
            others[task].remove(vote);
            let (_, tables, _) = fitted(&others);
            refitted.iter_mut().enumerate().for_each(|(class, p)| *p *= tables.probability(worker, class, label));
        }
        let sum: f64 = refitted.iter().sum();
        let mut with_it = [0.0; 3];
        tables.components(ballots.votes(task), &mut with_it);
        for class in 0..3 {
            near += (left_out.of(task)[class] - refitted[class] / sum).abs();
            far += (with_it[class] - refitted[class] / sum).abs();
        }
    }
    // A fit without a vote differs in all tables, of which only the voter's is corrected.
    assert!(near < 0.75 * far, "{near} against {far} with the vote");
}
