//! EM for many classes: cost follows the votes and the cells that are not zero.
//!
//! A step without smoothing gives a class no weight on a task unless some worker gave their label there and on a task where
//! the class had weight. So cells that have no count at first never get one, but where a worker who never met a class is
//! read by the population's table.

use super::DawidSkene;
use crate::judgments::Ballots;
use crate::truth::class_prior::VoteShares;
use crate::truth::rule::{Rule, SparseConfusion, Table, Weights};
use crate::truth::{Evidence, Posterior, TruthFit};
use crate::{Context, Result};

/// Finds the confusion matrices and the classes.
pub(super) fn fit(method: &DawidSkene, evidence: &Evidence<'_>, context: &Context) -> Result<TruthFit> {
    let ballots = evidence.ballots;
    let shares = method.prior.estimate(&VoteShares::of(ballots), 0.0);
    let votes = ByWorker::of(ballots);
    let enough = method.stopping.tolerance * ballots.len() as f64;
    let plain = Rule::Weights(Weights::equal(ballots.workers(), ballots.classes()));
    let mut posterior = plain.posterior(ballots, context)?;
    posterior.set_known(&evidence.gold);
    let (mut steps, mut last) = (0, f64::NEG_INFINITY);
    loop {
        context.report("aggregating", steps as f64 / method.stopping.iterations as f64)?;
        let prior = shares.shares(&tasks_of_classes(&posterior, ballots));
        let tables = SparseConfusion::of_tables(prior, votes.tables(&posterior, context));
        let log_likelihood;
        (posterior, log_likelihood) = read(&tables, evidence, context);
        let converged = (log_likelihood - last).abs() <= enough && enough > 0.0;
        (steps, last) = (steps + 1, log_likelihood);
        if converged || steps >= method.stopping.iterations {
            return Ok(TruthFit {
                rule: Rule::SparseConfusion(tables),
                posterior,
                log_likelihood: Some(log_likelihood),
                iterations: steps,
                converged,
                auto: None,
            });
        }
    }
}

/// The expected tasks of each class, of those with votes.
fn tasks_of_classes(posterior: &Posterior, ballots: &Ballots) -> Vec<f64> {
    let mut tasks = vec![0.0; ballots.classes()];
    for task in (0..ballots.tasks()).filter(|&task| !ballots.votes(task).labels.is_empty()) {
        posterior.of(task).possible().for_each(|(class, p)| tasks[class] += p);
    }
    tasks
}

/// The posterior of all tasks, and the log-likelihood of their votes.
fn read(tables: &SparseConfusion, evidence: &Evidence<'_>, context: &Context) -> (Posterior, f64) {
    let ballots = evidence.ballots;
    Posterior::of_possible(ballots.tasks(), ballots.classes(), context, |task, row| {
        let votes = ballots.votes(task);
        match evidence.gold.get(task).copied().flatten() {
            Some(class) => {
                row.push((class, 1.0));
                if votes.labels.is_empty() { 0.0 } else { tables.joint(votes, class) }
            }
            None if votes.labels.is_empty() => 0.0,
            None => tables.read(votes, row),
        }
    })
}

/// A worker's label of a task, and what it counts.
type Vote = (u16, u32, f64);

/// The votes of each worker, label by label.
struct ByWorker {
    votes: Vec<Vec<Vote>>,
    /// Who gave each label.
    givers: Vec<Vec<u32>>,
}

/// Items that one thread takes at a time.
const PIECE: usize = 64;

impl ByWorker {
    fn of(ballots: &Ballots) -> Self {
        let mut by_worker =
            ByWorker { votes: vec![Vec::new(); ballots.workers()], givers: vec![Vec::new(); ballots.classes()] };
        for task in 0..ballots.tasks() {
            for (worker, label, weight) in ballots.votes(task).weighted() {
                by_worker.votes[worker].push((label as u16, task as u32, weight));
            }
        }
        for (worker, votes) in by_worker.votes.iter_mut().enumerate() {
            votes.sort_by_key(|vote| vote.0);
            let given = votes.chunk_by(|a, b| a.0 == b.0).map(|same| same[0].0);
            given.for_each(|label| by_worker.givers[usize::from(label)].push(worker as u32));
        }
        by_worker
    }

    /// The tables that fit the posterior best, the population's last.
    fn tables(&self, posterior: &Posterior, context: &Context) -> Vec<Table> {
        let classes = self.givers.len();
        let pieces: Vec<&[Vec<Vote>]> = self.votes.chunks(PIECE).collect();
        let tables = context.map(pieces, |workers| {
            let mut counts = Counts::new(classes);
            let table = |votes: &Vec<Vote>| counts.table(votes, posterior);
            workers.iter().map(table).collect::<Vec<Table>>()
        });
        let mut tables: Vec<Table> = tables.into_iter().flatten().collect();
        let mut population = self.population(&tables, context);
        let mut sums = vec![0.0; classes];
        tables.iter_mut().chain([&mut population]).for_each(|table| table.normalise(&mut sums));
        tables.push(population);
        tables
    }

    /// What all workers count together.
    fn population(&self, tables: &[Table], context: &Context) -> Table {
        let classes = self.givers.len();
        let labels: Vec<usize> = (0..classes).filter(|&label| !self.givers[label].is_empty()).collect();
        let pieces: Vec<&[usize]> = labels.chunks(PIECE).collect();
        let rows = context.map(pieces, |labels| {
            let mut counts = Counts::new(classes);
            let row = |&label: &usize| {
                for &worker in &self.givers[label] {
                    let (classes, values) = tables[worker as usize].row(label as u16);
                    classes.iter().zip(values).for_each(|(&class, &count)| counts.add(class, count));
                }
                counts.take().collect::<Vec<(u16, f64)>>()
            };
            labels.iter().map(row).collect::<Vec<_>>()
        });
        let mut population = Table::default();
        for (&label, row) in labels.iter().zip(rows.into_iter().flatten()) {
            population.push(label as u16, row.into_iter());
        }
        population
    }
}

/// Counts of classes, few of which are not zero.
struct Counts {
    sums: Vec<f64>,
    counted: Vec<u16>,
}

impl Counts {
    fn new(classes: usize) -> Self {
        Counts { sums: vec![0.0; classes], counted: Vec::new() }
    }

    fn add(&mut self, class: u16, count: f64) {
        let sum = &mut self.sums[usize::from(class)];
        if *sum == 0.0 && count > 0.0 {
            self.counted.push(class);
        }
        *sum += count;
    }

    /// The classes that were counted, in rising order; all are zero after.
    fn take(&mut self) -> impl Iterator<Item = (u16, f64)> {
        self.counted.sort_unstable();
        self.counted.drain(..).map(|class| (class, std::mem::take(&mut self.sums[usize::from(class)])))
    }

    /// What one worker counts.
    fn table(&mut self, votes: &[Vote], posterior: &Posterior) -> Table {
        let mut table = Table::default();
        for same in votes.chunk_by(|a, b| a.0 == b.0) {
            for &(_, task, weight) in same {
                let row = posterior.of(task as usize).possible();
                row.for_each(|(class, p)| self.add(class as u16, weight * p));
            }
            table.push(same[0].0, self.take());
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{crowd, textbook};
    use super::*;
    use crate::truth::{Majority, Stopping};

    /// Workers who know the class of four tasks in five, and else name one of three classes they take it for.
    fn codes(tasks: usize, classes: usize) -> (Ballots, Vec<Option<u16>>) {
        let mix = |x: usize| (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
        let class = |task: usize| mix(task) as usize % classes;
        let said = |task: usize, worker: usize| match mix(task * 31 + worker) % 5 {
            0 => (class(task) + 1 + mix(task + 7 * worker) as usize % 3 + worker % 2) % classes,
            _ => class(task),
        };
        let voters = |task: usize| (0..4).map(move |vote| (task * 3 + vote * 5) % 12);
        let votes: Vec<Vec<(usize, usize)>> =
            (0..tasks).map(|task| voters(task).map(|worker| (worker, said(task, worker))).collect()).collect();
        let truth = (0..tasks).map(|task| Some(class(task) as u16)).collect();
        (Ballots::from_tasks(&votes, 12, classes).unwrap(), truth)
    }

    fn steps(iterations: usize) -> DawidSkene {
        DawidSkene { stopping: Stopping { iterations, tolerance: 0.0 }, ..DawidSkene::default() }
    }

    fn far_apart(one: &Posterior, other: &Posterior) -> f64 {
        let rows =
            (0..one.tasks()).map(|task| one.row(task).into_owned().into_iter().zip(other.row(task).into_owned()));
        rows.flatten().map(|(p, q)| (p - q).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn agrees_with_tables_of_all_cells() {
        for classes in [2, 3, 5, 7] {
            let (ballots, truth) = crowd(classes, classes as u64);
            let some: Vec<Option<u16>> = truth.iter().enumerate().map(|(i, &t)| t.filter(|_| i % 3 == 0)).collect();
            for gold in [Vec::new(), some] {
                let evidence = Evidence::with_gold(&ballots, gold).unwrap();
                let (few, all) =
                    (fit(&steps(30), &evidence, &Context::new()), steps(30).fit(&evidence, &Context::new()));
                let (few, all) = (few.unwrap(), all.unwrap());
                assert!(far_apart(&few.posterior, &all.posterior) < 1e-8, "{classes} classes");
                assert!((few.log_likelihood.unwrap() - all.log_likelihood.unwrap()).abs() < 1e-6);
                let (Rule::SparseConfusion(sparse), Rule::Confusion(full)) = (&few.rule, &all.rule) else {
                    panic!("tables")
                };
                for (worker, class, label) in [(0, 0, 0), (3, 1, 0), (11, 1, 1), (12, 0, 1)] {
                    let off = sparse.probability(worker, class, label) - full.probability(worker, class, label);
                    assert!(off.abs() < 1e-6, "{worker} {class} {label}");
                }
            }
        }
    }

    #[test]
    fn agrees_with_the_textbook_on_many_classes() {
        let (ballots, truth) = codes(2400, 80);
        let evidence = Evidence::votes(&ballots).unwrap();
        // Every worker meets every class here, so that nothing is read by the population's table.
        let found = steps(12).fit(&evidence, &Context::new()).unwrap();
        assert!(matches!(found.rule, Rule::SparseConfusion(_)));
        let (posterior, log_likelihood) = textbook(&ballots, 12);
        let majority = Majority::default().fit(&evidence, &Context::new()).unwrap().posterior;
        let met_all = (0..ballots.tasks()).all(|task| {
            let row = found.posterior.row(task);
            row.iter().zip(&posterior[task]).all(|(p, q)| (p - q).abs() < 1e-8)
        });
        assert!(met_all);
        assert!((found.log_likelihood.unwrap() - log_likelihood).abs() < 1e-6);
        assert!(found.posterior.error(&truth) <= majority.error(&truth));
    }

    #[test]
    fn a_worker_who_never_met_a_class_is_read_by_the_population() {
        // Workers 0 to 2 label all tasks; worker 3 only tasks of class 0.
        let classes = 60;
        let votes: Vec<Vec<(usize, usize)>> = (0..240)
            .map(|task| {
                let class = task % classes;
                let late = if class == 0 { vec![(3, 0)] } else { vec![] };
                [vec![(0, class), (1, class), (2, if task < 60 { (class + 1) % 60 } else { class })], late].concat()
            })
            .collect();
        let ballots = Ballots::from_tasks(&votes, 4, classes).unwrap();
        let found = DawidSkene::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let Rule::SparseConfusion(tables) = &found.rule else { panic!("cells") };
        assert_eq!(tables.probability(3, 0, 0), 1.0);
        let population = tables.probability(4, 5, 5);
        assert!((population - 11.0 / 12.0).abs() < 1e-9, "{population}");
        assert_eq!(tables.probability(3, 5, 5), population);
        // On a new task, their vote for a class that others know counts as anybody's.
        let new = Ballots::from_tasks(&[vec![(3, 5)], vec![(0, 7), (3, 5)], vec![(9, 8)]], 10, classes).unwrap();
        assert!(found.rule.posterior(&new, &Context::new()).is_err(), "beyond one newcomer");
        let new = Ballots::from_tasks(&[vec![(3, 5)], vec![(0, 7), (3, 7)], vec![(4, 8)]], 5, classes).unwrap();
        let read = found.rule.posterior(&new, &Context::new()).unwrap();
        assert_eq!([0, 1, 2].map(|task| read.answer(task, 0).class), [5, 7, 8]);
    }

    #[test]
    fn threads_do_not_change_a_byte() {
        let (ballots, _) = codes(3000, 200);
        let fit = |threads| {
            let context = Context::new().with_threads(std::num::NonZeroUsize::new(threads).unwrap()).unwrap();
            DawidSkene::default().fit(&Evidence::votes(&ballots).unwrap(), &context).unwrap()
        };
        let one = fit(1);
        assert!(one == fit(2) && one == fit(5));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_saved_rule_reads_as_before_and_a_broken_one_is_refused() {
        let (ballots, _) = codes(400, 70);
        let found = steps(5).fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let saved = serde_json::to_string(&found.rule).unwrap();
        let loaded: Rule = serde_json::from_str(&saved).unwrap();
        assert!(loaded.is_sound(12, 70));
        let read = loaded.posterior(&ballots, &Context::new()).unwrap();
        assert!(far_apart(&read, &found.posterior) < 1e-9);
        for broken in [
            r#"{"sparse_confusion":{"prior":[],"workers":[[]]}}"#,
            r#"{"sparse_confusion":{"prior":[1.0],"workers":[]}}"#,
            r#"{"sparse_confusion":{"prior":[0.5,0.6],"workers":[[]]}}"#,
            r#"{"sparse_confusion":{"prior":[0.5,0.5],"workers":[[[0,2,1.0]]]}}"#,
            r#"{"sparse_confusion":{"prior":[0.5,0.5],"workers":[[[0,1,0.5]]]}}"#,
            r#"{"sparse_confusion":{"prior":[0.5,0.5],"workers":[[[0,1,0.5],[0,1,0.5]]]}}"#,
            r#"{"sparse_confusion":{"prior":[0.5,0.5],"workers":[[[0,1,-1.0],[0,0,2.0]]]}}"#,
        ] {
            assert!(serde_json::from_str::<Rule>(broken).is_err(), "{broken}");
        }
    }
}
