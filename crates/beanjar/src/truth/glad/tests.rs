use super::*;
use crate::judgments::Ballots;
use crate::simulate::Crowd;

fn drawn(tasks: usize, classes: usize, hard: f64) -> (Ballots, Vec<Option<u16>>) {
    let crowd = Crowd { tasks, workers: 20, classes, votes: (5, 5), hard, spammers: 0.2, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(3)).unwrap();
    let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
    (Ballots::from_tasks(&drawn.labels, 20, classes).unwrap(), truth)
}

#[test]
fn slopes_are_those_of_differences() {
    let (ballots, _) = drawn(30, 3, 0.3);
    let evidence = Evidence::votes(&ballots).unwrap();
    let mut climb = GladClimb::new(&evidence, vec![0.5, 0.3, 0.2]).unwrap();
    climb.expect(&Context::new());
    let x: Vec<f64> = (0..50).map(|i| 0.3 + 0.05 * (i % 17) as f64).collect();
    let mut slopes = vec![0.0; 50];
    climb.loss(&x, &mut slopes, &Context::new());
    for at in [0, 7, 19, 20, 33, 49] {
        let moved = |by: f64| {
            let mut x = x.clone();
            x[at] += by;
            climb.loss(&x, &mut vec![0.0; 50], &Context::new())
        };
        let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!((difference - slopes[at]).abs() < 1e-6, "{at}: {difference} {}", slopes[at]);
    }
}

#[test]
fn the_posterior_is_bayes_rule_written_out() {
    let ballots = Ballots::from_tasks(&[vec![(0, 1), (1, 0), (2, 1)]], 3, 3).unwrap();
    let evidence = Evidence::votes(&ballots).unwrap();
    let mut climb = GladClimb::new(&evidence, vec![0.2, 0.5, 0.3]).unwrap();
    climb.parameters = vec![0.5, 2.0, -0.3, 0.4];
    climb.expect(&Context::new());
    let right = |ability: f64| 1.0 / (1.0 + (-ability * 0.4f64.exp()).exp());
    let vote = |ability: f64, label: usize, class: usize| match label == class {
        true => right(ability),
        false => (1.0 - right(ability)) / 2.0,
    };
    let joint: Vec<f64> = (0..3)
        .map(|class| [0.2, 0.5, 0.3][class] * vote(0.5, 1, class) * vote(2.0, 0, class) * vote(-0.3, 1, class))
        .collect();
    let sum: f64 = joint.iter().sum();
    assert!((0..3).all(|class| (climb.posterior().of(0)[class] - joint[class] / sum).abs() < 1e-12));
    assert!((climb.log_likelihood() - sum.ln()).abs() < 1e-12);
}

#[test]
fn the_objective_rises_and_the_labels_are_better_than_chance_would_have_them() {
    let (ballots, truth) = drawn(300, 3, 0.3);
    let evidence = Evidence::votes(&ballots).unwrap();
    let mut climb = GladClimb::new(&evidence, vec![1.0 / 3.0; 3]).unwrap();
    let mut last = f64::NEG_INFINITY;
    for _ in 0..10 {
        climb.expect(&Context::new());
        let objective = climb.log_likelihood() + climb.log_prior();
        assert!(objective >= last - 1e-6 * objective.abs(), "{objective} after {last}");
        last = objective;
        climb.maximise(25, 1e-2, &Context::new()).unwrap();
    }
    let fit = Glad::default().fit(&evidence, &Context::new()).unwrap();
    let majority = super::super::Majority::default().fit(&evidence, &Context::new()).unwrap();
    let (ours, votes) = (fit.posterior.error(&truth).unwrap(), majority.posterior.error(&truth).unwrap());
    assert!(ours <= votes, "{ours} {votes}");
}

#[test]
fn known_classes_are_certain_and_one_class_is_no_trouble() {
    let ballots = Ballots::from_tasks(&[vec![(0, 0), (1, 1)], vec![(0, 1)], vec![]], 2, 2).unwrap();
    let evidence = Evidence::with_gold(&ballots, vec![Some(1), None, None]).unwrap();
    let fit = Glad::default().fit(&evidence, &Context::new()).unwrap();
    assert_eq!(fit.posterior.of(0), [0.0, 1.0]);
    assert_eq!(fit.posterior.of(2), [0.5, 0.5]);
    let one = Ballots::from_tasks(&[vec![(0, 0)]], 1, 1).unwrap();
    let fit = Glad::default().fit(&Evidence::votes(&one).unwrap(), &Context::new()).unwrap();
    assert_eq!(fit.posterior.of(0), [1.0]);
    assert!(Glad { prior: ClassPrior::Estimated, ..Glad::default() }.fit(&evidence, &Context::new()).is_err());
}

#[test]
fn a_look_is_the_sum_of_its_votes_written_out_and_the_same_for_any_threads() {
    let (ballots, _) = drawn(5000, 3, 0.3);
    let (votes, ways) = (ballots.len(), 2f64.ln());
    let evidence = Evidence::votes(&ballots).unwrap();
    let mut climb = GladClimb::new(&evidence, vec![0.5, 0.3, 0.2]).unwrap();
    climb.expect(&Context::new());
    // Abilities below zero and of twenty, on which most of an exponential is lost.
    let x: Vec<f64> = (0..5020).map(|i| if i < 20 { i as f64 - 5.0 } else { 0.01 * (i % 200) as f64 }).collect();
    let mut slopes = vec![0.0; 5020];
    let loss = climb.loss(&x, &mut slopes, &Context::new());
    let mut expected: f64 = x.iter().map(|x| log_normal(x - 1.0)).sum();
    for task in 0..5000 {
        for (worker, label) in ballots.votes(task).iter() {
            let (right, x) = (climb.posterior().of(task)[label], x[worker] * x[20 + task].exp());
            expected += right * softplus(-x) + (1.0 - right) * (softplus(x) + ways);
        }
    }
    assert!((loss - expected).abs() < 1e-12 * expected, "{loss} {expected} of {votes} votes");
    let threads = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
    let mut again = vec![0.0; 5020];
    assert_eq!((climb.loss(&x, &mut again, &threads), again), (loss, slopes));
}

#[test]
fn the_same_votes_in_any_order_have_the_same_answer_to_the_last_digit() {
    let (ballots, _) = drawn(200, 3, 0.3);
    let mut rows: Vec<(String, String, String)> = (0..ballots.tasks())
        .flat_map(|task| ballots.votes(task).iter().map(move |vote| (task, vote)).collect::<Vec<_>>())
        .map(|(task, (worker, label))| (format!("t{task}"), format!("w{worker}"), format!("c{label}")))
        .collect();
    let mut fitted = || {
        let table = crate::Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
        let fit = Glad::default().fit(&Evidence::votes(table.ballots()).unwrap(), &Context::new()).unwrap();
        let mut tasks: Vec<(String, Vec<f64>)> = (0..table.tasks.len())
            .map(|task| (table.tasks.get(task).to_owned(), (0..3).map(|class| fit.posterior.of(task)[class]).collect()))
            .collect();
        tasks.sort_by(|a, b| a.0.cmp(&b.0));
        let seventh = table.workers.iter().position(|worker| worker == "w7");
        rows.reverse();
        rows.rotate_left(77);
        (tasks, fit.rule.matrix(seventh.unwrap()), fit.log_likelihood)
    };
    assert_eq!(fitted(), fitted());
}
