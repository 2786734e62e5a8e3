use super::*;
use crate::simulate::Crowd;
use std::collections::HashMap;
use std::num::NonZeroUsize;

fn labels(rows: &[(String, String, String)]) -> Labels {
    Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], &label[..]))).unwrap()
}

/// 200 tasks of three votes by eight workers, five of whom are good.
fn rows() -> Vec<(String, String, String)> {
    let crowd = Crowd { tasks: 200, workers: 8, classes: 2, votes: (3, 3), accuracy: 0.8, ..Crowd::default() };
    let drawn = crowd.draw(&Context::new().with_seed(2)).unwrap();
    let votes = drawn.labels.iter().enumerate().flat_map(|(task, votes)| votes.iter().map(move |vote| (task, *vote)));
    votes.map(|(task, (worker, label))| (format!("t{task}"), format!("w{worker}"), format!("c{label}"))).collect()
}

fn run(next: &NextVotes, labels: &Labels) -> NextVotesOutcome {
    next.run(labels, &Context::new()).unwrap()
}

fn pool(names: &[&str]) -> Option<Vec<PoolWorker>> {
    Some(names.iter().map(|name| PoolWorker { worker: (*name).to_owned(), limit: None, cost: None }).collect())
}

#[test]
fn disputed_tasks_come_first_and_limits_hold() {
    let rows = rows();
    let labels = labels(&rows);
    let outcome = run(&NextVotes { votes: 30, ..NextVotes::default() }, &labels);
    assert_eq!((outcome.questions.len(), outcome.tasks, outcome.votes, outcome.price), (30, 200, 600, 30.0));
    assert!(outcome.questions.windows(2).all(|pair| pair[0].gain >= pair[1].gain));
    let split = |task: &str| {
        let of: Vec<&str> = rows.iter().filter(|row| row.0 == task).map(|row| row.2.as_str()).collect();
        of.iter().any(|label| *label != of[0])
    };
    let disputed = outcome.questions.iter().filter(|question| split(&question.task)).count();
    let all = (0..200).filter(|task| split(&format!("t{task}"))).count();
    assert!(all < 130 && disputed >= 28, "{disputed} of 30, {all} of 200");
    let mut per_task = HashMap::new();
    outcome.questions.iter().for_each(|question| *per_task.entry(&question.task).or_insert(0) += 1);
    assert!(per_task.values().all(|&n| n <= 2));
    let none = run(&NextVotes { most_per_task: Some(3), ..NextVotes::default() }, &labels);
    assert!(none.questions.is_empty());
    assert_eq!(none.warnings, [Warning::FewerQuestions { asked: 100, questions: 0 }]);
}

#[test]
fn workers_are_asked_once_within_their_limits_and_the_better_ones_more() {
    let rows = rows();
    let labels = labels(&rows);
    let names = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "new"];
    let next = NextVotes { votes: 60, workers: pool(&names), per_worker: Some(10), ..NextVotes::default() };
    let outcome = run(&next, &labels);
    assert_eq!(outcome.questions.len(), 60);
    let mut per_worker = HashMap::new();
    for question in &outcome.questions {
        let worker = question.worker.clone().unwrap();
        assert!(!rows.iter().any(|row| row.0 == question.task && row.1 == worker), "{question:?}");
        *per_worker.entry(worker).or_insert(0) += 1;
    }
    assert!(per_worker.values().all(|&n| n <= 10), "{per_worker:?}");
    let mut seen = std::collections::HashSet::new();
    assert!(outcome.questions.iter().all(|question| seen.insert((&question.task, &question.worker))));
    // Without a limit those who tell most get most.
    let free = run(&NextVotes { per_worker: None, ..next.clone() }, &labels);
    let accuracy = crate::Aggregate::default().fit(&labels, &Context::new()).unwrap();
    let best = accuracy.workers().max_by(|a, b| a.accuracy_low.unwrap().total_cmp(&b.accuracy_low.unwrap())).unwrap();
    let of = |name: &str| free.questions.iter().filter(|question| question.worker.as_deref() == Some(name)).count();
    let worst = accuracy.workers().min_by(|a, b| a.accuracy.unwrap().total_cmp(&b.accuracy.unwrap())).unwrap();
    assert!(of(best.worker) > of(worst.worker), "{} and {}", of(best.worker), of(worst.worker));
    // A price of ten times as much is seldom worth it.
    let mut dear = next.clone();
    dear.workers.as_mut().unwrap().iter_mut().filter(|of| of.worker == best.worker).for_each(|of| of.cost = Some(10.0));
    dear.per_worker = None;
    let dear = run(&dear, &labels);
    let asked = dear.questions.iter().filter(|question| question.worker.as_deref() == Some(best.worker)).count();
    assert!(asked < of(best.worker), "{asked}");
}

#[test]
fn it_stops_when_enough_is_expected() {
    let labels = labels(&rows());
    let now = run(&NextVotes::default(), &labels).accuracy;
    let reached = run(&NextVotes { stop: Some(now - 0.01), ..NextVotes::default() }, &labels);
    assert_eq!((reached.questions.len(), reached.stop.unwrap().reached), (0, true));
    let soon = run(&NextVotes { stop: Some(now + 1e-4), ..NextVotes::default() }, &labels);
    assert!(!soon.stop.unwrap().reached && (1..100).contains(&soon.questions.len()), "{}", soon.questions.len());
    assert!(soon.accuracy_after >= now + 1e-4);
}

#[test]
fn tasks_without_votes_can_be_asked_about_and_known_ones_are_not() {
    let rows = rows();
    let labels = labels(&rows);
    let further: Dictionary = ["t0", "x1", "x2"].into_iter().collect();
    let known = Column::from_rows(
        "label",
        (0..150).map(|task| format!("t{task}")).collect::<Vec<_>>().iter().map(|task| (&task[..], "c0")),
    )
    .unwrap();
    let next = NextVotes { votes: 500, tasks: Some(further), known: Some(known), ..NextVotes::default() };
    let outcome = run(&next, &labels);
    assert_eq!(outcome.tasks, 202);
    let first_vote = |task: &str| outcome.questions.iter().any(|question| question.task == task && question.votes == 0);
    assert!(first_vote("x1") && first_vote("x2"));
    assert!(
        outcome
            .questions
            .iter()
            .all(|question| question.task.starts_with('x') || question.task[1..].parse::<usize>().unwrap() >= 150)
    );
}

#[test]
fn neither_threads_nor_the_order_of_rows_matter() {
    let mut rows = rows();
    let next = NextVotes { votes: 40, ..NextVotes::default() };
    let one = run(&next, &labels(&rows));
    let three = Context::new().with_threads(NonZeroUsize::new(3).unwrap()).unwrap();
    assert_eq!(next.run(&labels(&rows), &three).unwrap(), one);
    rows.sort_by(|a, b| b.0.cmp(&a.0));
    let mut before: Vec<&str> = one.questions.iter().map(|question| &question.task[..]).collect();
    let after = run(&next, &labels(&rows));
    let mut after: Vec<&str> = after.questions.iter().map(|question| &question.task[..]).collect();
    before.sort_unstable();
    after.sort_unstable();
    // Folds of auto go by the numbers of tasks, so gains differ in their last digits.
    let same = before.iter().filter(|task| after.contains(task)).count();
    assert!(same >= 36, "{same} of 40");
}

#[test]
fn gains_are_shared_among_the_votes_that_they_need() {
    let close = |found: Vec<f64>, expected: [f64; 4]| found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12);
    assert!(close(rates(&[0.0, 0.2, 0.2, 0.3]), [0.1, 0.1, 0.05, 0.05]));
    assert!(close(rates(&[0.3, 0.4, 0.4, 0.4]), [0.3, 0.1, 0.0, 0.0]));
}

#[test]
fn what_cannot_be_is_refused() {
    let labels = labels(&rows());
    for bad in [
        NextVotes { votes: 0, ..NextVotes::default() },
        NextVotes { per_task: 5, ..NextVotes::default() },
        NextVotes { stop: Some(1.0), ..NextVotes::default() },
        NextVotes { cost: -1.0, ..NextVotes::default() },
        NextVotes { workers: Some(Vec::new()), ..NextVotes::default() },
        NextVotes { workers: pool(&["a", "a"]), ..NextVotes::default() },
    ] {
        assert!(bad.run(&labels, &Context::new()).is_err(), "{bad:?}");
    }
}

#[test]
fn with_one_vote_a_task_there_are_questions_and_nothing_is_sure() {
    let mut seen = std::collections::HashSet::new();
    let rows: Vec<_> = rows().into_iter().filter(|row| seen.insert(row.0.clone())).collect();
    assert_eq!(rows.len(), 200);
    let labels = labels(&rows);
    let outcome = run(&NextVotes { votes: 30, ..NextVotes::default() }, &labels);
    assert_eq!(outcome.questions.len(), 30);
    assert!(outcome.accuracy < 0.99 && outcome.accuracy > 0.5, "{}", outcome.accuracy);
    assert!(outcome.questions.iter().all(|question| question.confidence < Some(0.99)));
    let by_worker = NextVotes { votes: 30, workers: pool(&["w0", "w1", "w2", "w3"]), ..NextVotes::default() };
    assert_eq!(run(&by_worker, &labels).questions.len(), 30);
}
