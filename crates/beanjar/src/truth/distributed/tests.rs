use super::*;
use crate::judgments::{Dictionary, Repeats, TaskBlock, TaskGathering, TaskIds, TaskPlacer, TaskSample};
use crate::reliability::{InspectLabels, Patterns};
use crate::simulate::{Crowd, WorkerModel};
use crate::truth::{Auto, DawidSkene, Method, OneCoin, Stopping};
use crate::{Aggregate, Context, Labels, Result};
use std::collections::HashMap;

type Row = (String, String, String);
/// A leaf, its votes and the ids of its tasks.
type Block = (u32, Vec<u8>, Vec<u8>);

/// A cluster in this process: blocks in several parts, everything as bytes.
struct Parts {
    blocks: Vec<Vec<Block>>,
    leaf_bits: u32,
    part_bits: u32,
    workers: usize,
    classes: usize,
}

impl Parts {
    fn of(rows: &[Row], part_bits: u32) -> (Parts, Dictionary, Dictionary) {
        Self::with_repeats(rows, part_bits, true)
    }

    fn with_repeats(rows: &[Row], part_bits: u32, average: bool) -> (Parts, Dictionary, Dictionary) {
        let sorted = |texts: Vec<&str>| {
            let mut texts = texts;
            texts.sort_unstable();
            texts.dedup();
            texts.into_iter().collect::<Dictionary>()
        };
        let workers = sorted(rows.iter().map(|row| row.1.as_str()).collect());
        let classes = sorted(rows.iter().map(|row| row.2.as_str()).collect());
        let mut parts = vec![TaskGathering::default(); 1 << part_bits];
        for piece in rows.chunks(1000) {
            let mut placer = TaskPlacer::new(workers.iter(), classes.iter().zip(0..), part_bits).unwrap();
            let piece: Vec<_> = piece.iter().map(|row| (row.0.as_str(), row.1.as_str(), row.2.as_str())).collect();
            placer.push(&piece).unwrap();
            for (part, block, ids) in placer.drain() {
                parts[part as usize].push_block(&block, &ids).unwrap();
            }
        }
        let leaf_bits = leaf_bits(rows.len() as u64);
        let bytes = |(leaf, block, ids): (u32, TaskBlock, TaskIds)| (leaf, block.to_bytes(), ids.to_bytes());
        let blocks = parts
            .into_iter()
            .map(|part| part.into_blocks(leaf_bits, average).into_iter().map(bytes).collect())
            .collect();
        let parts = Parts { blocks, leaf_bits, part_bits, workers: workers.len(), classes: classes.len() };
        (parts, workers, classes)
    }

    fn pairs(&self) -> impl Iterator<Item = (TaskBlock, TaskIds)> {
        let read = |block: &Block| (TaskBlock::from_bytes(&block.1).unwrap(), TaskIds::from_bytes(&block.2).unwrap());
        self.blocks.iter().flatten().map(read)
    }

    fn answers(&self, reading: &Reading) -> HashMap<String, Vec<f64>> {
        let reading = Reading::from_bytes(&reading.to_bytes()).unwrap();
        let mut found = HashMap::new();
        for (block, ids) in self.pairs() {
            let answers = reading.answers(block, &ids, 0).unwrap();
            let rows = answers.probabilities.chunks_exact(answers.probabilities.len() / ids.len());
            for ((id, row), class) in ids.iter().zip(rows).zip(&answers.classes) {
                let mut row = row.to_vec();
                row.push(f64::from(*class));
                found.insert(id.to_owned(), row);
            }
        }
        found
    }
}

impl Cluster for Parts {
    fn sum(&self, pass: &Pass) -> Result<Vec<f64>> {
        let pass = Pass::from_bytes(&pass.to_bytes())?;
        let bits = self.part_bits.min(pass.bits());
        let mut sums = Vec::new();
        for part in self.blocks.chunks(1 << (self.part_bits - bits)) {
            let blocks = part.iter().flatten().map(|block| Ok((block.0, TaskBlock::from_bytes(&block.1)?)));
            sums.extend(pass.sums(blocks, self.leaf_bits, bits)?);
        }
        Ok(add_parts(sums, bits)?.unwrap_or_default())
    }

    fn sample(&self, sample: &TaskSample) -> Result<Vec<(TaskBlock, TaskIds)>> {
        self.pairs().map(|(block, ids)| sample.of(&block, &ids)).collect()
    }

    fn patterns(&self) -> Result<Vec<Patterns>> {
        let of_part = |part: &Vec<Block>| {
            let mut patterns = Patterns::new(self.classes);
            part.iter().try_for_each(|block| patterns.observe_block(TaskBlock::from_bytes(&block.1)?, self.workers))?;
            Patterns::from_bytes(&patterns.to_bytes())
        };
        self.blocks.iter().map(of_part).collect()
    }
}

fn rows(crowd: &Crowd) -> Vec<Row> {
    let drawn = crowd.draw(&Context::new().with_seed(5)).unwrap();
    let vote = |(task, votes): (usize, &Vec<(usize, usize)>)| {
        votes.iter().map(|(w, l)| (format!("task {task}"), format!("w{w}"), format!("c{l}"))).collect::<Vec<_>>()
    };
    let mut rows: Vec<Row> = drawn.labels.iter().enumerate().flat_map(vote).collect();
    // Some are given twice, and not always alike.
    let again: Vec<Row> = rows.iter().step_by(97).map(|row| (row.0.clone(), row.1.clone(), "c0".into())).collect();
    rows.extend(again);
    rows
}

fn compare(rows: &[Row], method: &DistributedMethod, alone: Method) {
    compare_in(&[0, 1, 4], rows, method, alone);
}

fn compare_in(parts: &[u32], rows: &[Row], method: &DistributedMethod, alone: Method) {
    let labels = Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
    let context = Context::new();
    let direct = Aggregate { method: alone, ..Aggregate::default() }.fit(&labels, &context).unwrap();
    let mut before = None;
    for part_bits in parts.iter().map(|&bits| bits.min(leaf_bits(rows.len() as u64))) {
        let (parts, workers, classes) = Parts::of(rows, part_bits);
        let fit = DistributedFit {
            method: method.clone(),
            workers,
            classes,
            labels: rows.len() as u64,
            repeats: Repeats::Average,
        };
        let (reading, outcome) = fit.fit(&parts, &context).unwrap();
        let answers = parts.answers(&reading);
        assert_eq!(answers.len(), labels.tasks.len());
        for task in direct.tasks() {
            let (class, row) = answers[task.task].split_last().unwrap();
            assert_eq!(outcome.classes.get(*class as usize), task.label, "{}", task.task);
            for (p, alone) in row.iter().zip(task.probabilities.iter()) {
                assert!((p - alone).abs() < 1e-9, "{}: {row:?} and {:?}", task.task, task.probabilities);
            }
        }
        let summary = direct.fit.as_ref().unwrap();
        assert_eq!((outcome.fit.iterations, outcome.fit.converged), (summary.iterations, summary.converged));
        assert_eq!(outcome.warnings, direct.warnings);
        for worker in direct.workers() {
            let number = outcome.worker_ids.lookup().code(worker.worker).unwrap();
            let found = outcome.workers[number].unwrap();
            assert_eq!(found.labels, worker.labels);
            assert!((found.accuracy - worker.accuracy.unwrap()).abs() < 1e-9);
        }
        if let (Some(auto), Some(alone)) = (&outcome.fit.auto, &summary.auto) {
            assert!((auto.effective_votes - alone.effective_votes).abs() < 1e-9);
            assert!(auto.candidates.iter().zip(&alone.candidates).all(|(a, b)| (a.weight - b.weight).abs() < 1e-9));
            assert_eq!((auto.held_out, auto.families.len()), (alone.held_out, alone.families.len()));
        }
        let bytes = reading.to_bytes();
        assert!(before.is_none_or(|before| before == bytes), "{part_bits} bits of parts");
        before = Some(bytes);
    }
}

fn crowd(tasks: usize) -> Crowd {
    let votes = (2, 6);
    Crowd { tasks, workers: 15, classes: 3, votes, model: WorkerModel::Confusion, ..Crowd::default() }
}

#[test]
fn majority_is_that_of_one_machine() {
    compare(&rows(&crowd(3000)), &DistributedMethod::Majority, Method::Majority(Default::default()));
}

#[test]
fn dawid_skene_is_that_of_one_machine() {
    let method = DawidSkene { stopping: Stopping { iterations: 30, tolerance: 1e-8 }, ..DawidSkene::default() };
    compare(&rows(&crowd(3000)), &DistributedMethod::DawidSkene(method.clone()), Method::DawidSkene(method));
}

#[test]
fn one_coin_is_that_of_one_machine() {
    let method = OneCoin::default();
    compare(&rows(&crowd(3000)), &DistributedMethod::OneCoin(method.clone()), Method::OneCoin(method));
}

#[test]
fn auto_is_that_of_one_machine() {
    compare(&rows(&crowd(1500)), &DistributedMethod::Auto(Auto::default()), Method::default());
}

#[test]
fn copies_vote_as_one_here_too() {
    let mut rows = rows(&Crowd { votes: (6, 10), ..crowd(400) });
    let copies: Vec<Row> = rows.iter().filter(|row| row.1 == "w3").cloned().collect();
    rows.extend(copies.into_iter().map(|row| (row.0, "copy".to_owned(), row.2)));
    compare(&rows, &DistributedMethod::Auto(Auto::default()), Method::default());
}

#[test]
fn methods_that_cannot_be_spread_are_refused() {
    assert!(DistributedMethod::named("glad", None, None, None).is_err());
    assert!(DistributedMethod::named("majority", None, Some(1.0), None).is_err());
    assert_eq!(DistributedMethod::named("one-coin", None, None, Some(3)).unwrap().name(), "one-coin");
}

/// More votes than EM takes its first steps on.
#[test]
fn auto_on_many_votes_is_that_of_one_machine() {
    let crowd = Crowd { tasks: 110_000, workers: 200, votes: (2, 6), ..crowd(0) };
    compare_in(&[4], &rows(&crowd), &DistributedMethod::Auto(Auto::default()), Method::default());
}

#[test]
fn inspecting_is_that_of_one_machine() {
    let rows = rows(&crowd(3000));
    let labels = Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
    let (inspect, context) = (InspectLabels::default(), Context::new().with_seed(2));
    let alone = inspect.run(&labels, &context).unwrap();
    let mut before = None;
    for part_bits in [0, 1, 4] {
        let (parts, workers, classes) = Parts::with_repeats(&rows, part_bits, false);
        let mut found = inspect.run_far(rows.len() as u64, (&workers, &classes), &parts, &context).unwrap();
        assert!(before.is_none_or(|before| before == found), "{part_bits} bits of parts");
        before = Some(found.clone());
        // One machine has workers in the order of their first labels, and adds in another order.
        let near = |a: Option<f64>, b: Option<f64>| a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 1e-12);
        for worker in &alone.workers {
            let one = found.workers.iter().find(|one| one.worker == worker.worker).unwrap();
            assert_eq!(one.labels, worker.labels);
            assert!(near(one.agreement, worker.agreement) && near(one.agreement_low, worker.agreement_low));
        }
        assert!(near(found.alpha, alone.alpha) && near(found.alpha_low, alone.alpha_low));
        assert!(found.repeated > 0 && found.shares.iter().zip(&alone.shares).all(|(a, b)| (a - b).abs() < 1e-12));
        found.workers.clone_from(&alone.workers);
        (found.alpha, found.alpha_low, found.alpha_high) = (alone.alpha, alone.alpha_low, alone.alpha_high);
        found.shares.clone_from(&alone.shares);
        assert_eq!(found, alone);
    }
}
