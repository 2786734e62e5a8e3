//! Votes revealed on request: with how many of them the labels are as good as with all.

use super::{Set, quality};
use crate::settings::{Result, Settings};
use crate::table::table;
use beanjar::truth::PoolWorker;
use beanjar::{Aggregate, Labels, NextVotes};
use beanjar_report::{Chart, Series};
use rand::seq::SliceRandom;

/// The share of all votes that a round asks for.
const ROUND: f64 = 0.05;
/// The share at which the ways of asking are compared.
const COMPARED: f64 = 0.6;

/// How to choose the questions of a round.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// Tasks and workers as `next` says.
    Next,
    /// Tasks as `next` says, whoever comes.
    Anyone,
    LeastSure,
    Random,
}

const WAYS: [(Way, &str); 4] =
    [(Way::Next, "next"), (Way::Anyone, "next, anyone"), (Way::LeastSure, "least sure"), (Way::Random, "random")];

pub(super) fn run(settings: &Settings, sets: &[Set]) -> Result<String> {
    let (mut rows, mut figures, mut reached) = (Vec::new(), String::new(), [0; 4]);
    for set in sets {
        settings.say(&format!("{}: votes revealed on request", set.name));
        let all = quality(&set.table(&set.tasks)?, &set.truth, &settings.context)?.0;
        let mut row = vec![set.name.clone(), format!("{all:.3}")];
        let mut chart = Chart::new(format!("{}: votes revealed", set.name), "share of the votes", "accuracy");
        for (number, (way, name)) in WAYS.into_iter().enumerate() {
            let curve = revealed(settings, set, way)?;
            let at = curve.iter().take_while(|point| point.0 <= COMPARED + 1e-9).last().map_or(0.0, |point| point.1);
            let first = curve.iter().find(|point| point.1 >= all);
            reached[number] += usize::from(first.is_some_and(|point| point.0 <= COMPARED + 1e-9));
            row.push(format!("{at:.3}"));
            row.push(first.map_or("-".into(), |point| format!("{:.0}%", 100.0 * point.0)));
            chart = chart.with(Series::new(name, curve));
        }
        rows.push(row);
        figures += &settings.write(&format!("next-{}.svg", set.name), &chart)?;
    }
    let n = rows.len();
    let header = ["set", "all votes", "next", "at", "anyone", "at", "least sure", "at", "random", "at"];
    let mut text = String::from("Votes revealed on request, from one vote a task on\n\n");
    text += &table(&header, rows);
    let percent = 100.0 * COMPARED;
    text += &format!(
        "\n  all votes: their accuracy; next to it that of {percent:.0}% of them, asked for in four ways: as next says (task and\n  \
         worker), its tasks with whoever comes, the least sure task first, at random; at: the share that reaches all votes'\n  \
         reached with at most {percent:.0}%: next {} of {n}, anyone {}, least sure {}, random {}\n",
        reached[0], reached[1], reached[2], reached[3]
    );
    Ok(text + &figures)
}

/// Accuracy by the share of the votes revealed, round by round.
fn revealed(settings: &Settings, set: &Set, way: Way) -> Result<Vec<(f64, f64)>> {
    let context = &settings.context;
    let mut left = set.shuffled(context.seed());
    let shown = left.iter_mut().map(|votes| votes.drain(..votes.len().min(1)).collect()).collect();
    let mut votes = Revealing { settings, set, left, shown };
    let all = set.votes();
    let mut curve = Vec::new();
    loop {
        let labels = set.table(&votes.shown)?;
        let share = labels.len() as f64 / all as f64;
        curve.push((share, quality(&labels, &set.truth, context)?.0));
        // The last round ends at the share that is compared.
        let left = ((COMPARED * all as f64) as usize).saturating_sub(labels.len());
        let round = ((ROUND * all as f64) as usize).max(1).min(left);
        if round == 0 || votes.ask(&labels, way, round)? == 0 {
            return Ok(curve);
        }
    }
}

/// The votes of each task: those that can still be asked for, and those shown.
struct Revealing<'a> {
    settings: &'a Settings,
    set: &'a Set,
    left: Vec<Vec<(usize, usize)>>,
    shown: Vec<Vec<(usize, usize)>>,
}

impl Revealing<'_> {
    /// Reveals the vote of a worker on a task, or the next one; false if there is none.
    fn reveal(&mut self, task: usize, worker: Option<usize>) -> bool {
        let of = &mut self.left[task];
        let at = worker.map_or(Some(0), |worker| of.iter().position(|vote| vote.0 == worker));
        match at.filter(|&at| at < of.len()) {
            Some(at) => {
                self.shown[task].push(of.remove(at));
                true
            }
            None => false,
        }
    }

    /// Asks a round of questions; how many were answered.
    fn ask(&mut self, labels: &Labels, way: Way, round: usize) -> Result<usize> {
        let mut answered = 0;
        for (task, worker) in self.questions(labels, way, round)? {
            if answered < round && self.reveal(task, worker) {
                answered += 1;
            }
        }
        Ok(answered)
    }

    /// Whom to ask about which task, in order; where anyone may be asked, more than the round needs, for some tasks have no
    /// vote left.
    fn questions(&self, labels: &Labels, way: Way, round: usize) -> Result<Vec<(usize, Option<usize>)>> {
        let Revealing { settings, set, left, .. } = self;
        let (tasks, workers) = (set.labels.tasks.lookup(), set.labels.workers.lookup());
        match way {
            Way::Random => {
                let each = left.iter().enumerate().flat_map(|(task, votes)| vec![(task, None); votes.len()]);
                let mut order: Vec<(usize, Option<usize>)> = each.collect();
                order.shuffle(&mut beanjar::random::stream(settings.context.seed(), labels.len() as u64));
                Ok(order)
            }
            Way::Next | Way::Anyone => {
                let id = |task: usize, worker: usize| {
                    (set.labels.tasks.get(task).to_owned(), set.labels.workers.get(worker).to_owned())
                };
                let pairs = left.iter().enumerate().flat_map(|(task, of)| of.iter().map(move |vote| (task, vote.0)));
                let everybody = set.labels.workers.iter().map(|worker| PoolWorker {
                    worker: worker.to_owned(),
                    limit: None,
                    cost: None,
                });
                let next = match way {
                    Way::Next => NextVotes {
                        votes: round,
                        workers: Some(everybody.collect()),
                        allowed: Some(pairs.map(|(task, worker)| id(task, worker)).collect()),
                        ..NextVotes::default()
                    },
                    _ => NextVotes { votes: usize::MAX, ..NextVotes::default() },
                };
                let asked = next.run(labels, &settings.context)?.questions;
                let worker = |name: &Option<String>| name.as_ref().and_then(|name| workers.code(name));
                Ok(asked.iter().filter_map(|of| Some((tasks.code(&of.task)?, worker(&of.worker)))).collect())
            }
            Way::LeastSure => {
                let outcome = Aggregate::default().fit(labels, &settings.context)?;
                let mut order: Vec<(f64, usize)> =
                    outcome.tasks().filter_map(|task| Some((task.confidence, tasks.code(task.task)?))).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                Ok(order.into_iter().map(|of| (of.1, None)).collect())
            }
        }
    }
}
