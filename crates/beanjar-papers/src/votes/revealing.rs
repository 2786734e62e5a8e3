//! Votes revealed on request: with how many of them the labels are as good as with all.

use super::{Set, quality};
use crate::settings::{Result, Settings};
use crate::table::{number, table};
use beanjar::truth::PoolWorker;
use beanjar::{Aggregate, Context, Labels, NextVotes};
use beanjar_report::{Chart, Series, tiled};
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

/// What came of one way of asking on one set, over several orders in which votes come.
#[derive(Default)]
struct Found {
    /// The accuracy of the share compared, summed over orders.
    accuracy: f64,
    /// The shares at which the accuracy of all votes was first reached, of the orders in which it was.
    reached: Vec<f64>,
    /// In how many orders the share compared came within a standard error of it.
    near: f64,
}

impl Found {
    fn cells(&self, orders: u64) -> [String; 2] {
        let share = self.reached.iter().sum::<f64>() / self.reached.len() as f64;
        let at = match self.reached.len() {
            0 => "-".to_owned(),
            _ if orders == 1 => format!("{:.0}%", 100.0 * share),
            n => format!("{:.0}% ({n})", 100.0 * share),
        };
        [format!("{:.3}", self.accuracy / orders as f64), at]
    }
}

pub(super) fn run(settings: &Settings, sets: &[Set], orders: u64) -> Result<String> {
    let (mut rows, mut figures, mut sums) = (Vec::new(), String::new(), [[0.0; 3]; WAYS.len()]);
    let (mut all_votes, mut charts) = (0.0, Vec::new());
    for set in sets {
        let mut all = 0.0;
        let mut found: [Found; WAYS.len()] = Default::default();
        let mut chart = Chart::new(format!("{}: votes revealed", set.name), "share of the votes", "accuracy");
        for order in 0..orders {
            settings.say(&format!("{}: votes revealed on request, order {} of {orders}", set.name, order + 1));
            let context = settings.context.clone().with_seed(settings.context.seed() + order);
            let goal = quality(&set.table(&set.tasks)?, &set.truth, &context)?.0;
            all += goal / orders as f64;
            let standard_error = (goal * (1.0 - goal) / set.known()? as f64).sqrt();
            for ((way, name), found) in WAYS.into_iter().zip(&mut found) {
                let curve = revealed(&context, set, way)?;
                let last = curve.last().map_or(0.0, |point| point.1);
                found.accuracy += last;
                found.near += f64::from(u8::from(last >= goal - standard_error));
                found.reached.extend(curve.iter().find(|point| point.1 >= goal).map(|point| point.0));
                if order == 0 {
                    chart = chart.with(Series::new(name, curve));
                }
            }
        }
        let mut row = vec![set.name.clone(), format!("{all:.3}")];
        row.extend(found.iter().flat_map(|found| found.cells(orders)));
        rows.push(row);
        all_votes += all / sets.len() as f64;
        for (sums, found) in sums.iter_mut().zip(&found) {
            sums[0] += found.accuracy / (orders * sets.len() as u64) as f64;
            sums[1] += found.reached.len() as f64 / orders as f64;
            sums[2] += found.near / orders as f64;
        }
        figures += &settings.write(&format!("next-{}.svg", set.name), &chart)?;
        charts.push(chart);
    }
    figures += &settings.write_svg("next.svg", &tiled(&charts, 3))?;
    let n = rows.len();
    let header = ["set", "all votes", "next", "at", "anyone", "at", "least sure", "at", "random", "at"];
    let mut text = String::from("Votes revealed on request, from one vote a task on\n\n");
    text += &table(&header, rows);
    let percent = 100.0 * COMPARED;
    let each = |of: usize, written: fn(f64) -> String| {
        let [next, anyone, least_sure, random] = sums.map(|sums| written(sums[of]));
        format!("next {next}, anyone {anyone}, least sure {least_sure}, random {random}")
    };
    let tenths = |count: f64| number((10.0 * count).round() / 10.0);
    let (accuracy, reached, near) = (each(0, |mean| format!("{mean:.3}")), each(1, tenths), each(2, tenths));
    text += &format!(
        "\n  all votes: their accuracy; next to it that of {percent:.0}% of them, asked for in four ways: as next says (task and\n  \
         worker), its tasks with whoever comes, the least sure task first, at random; at: the share that reaches all votes',\n  \
         on average over the orders of votes in which it is reached, and how many of {orders} these are\n  \
         reached with at most {percent:.0}%, of {n} sets on average over orders: {reached}\n  \
         {percent:.0}% within a standard error of it, by the tasks whose truth is known: {near}\n  \
         mean accuracy of {percent:.0}%: {accuracy}; of all votes {all_votes:.3}\n"
    );
    Ok(text + &figures)
}

/// Accuracy by the share of the votes revealed, round by round, up to the share that is compared.
fn revealed(context: &Context, set: &Set, way: Way) -> Result<Vec<(f64, f64)>> {
    let mut left = set.shuffled(context.seed());
    let shown = left.iter_mut().map(|votes| votes.drain(..votes.len().min(1)).collect()).collect();
    let mut votes = Revealing { context, set, left, shown };
    let all = set.votes();
    let mut curve = Vec::new();
    loop {
        let labels = set.table(&votes.shown)?;
        let share = labels.len() as f64 / all as f64;
        curve.push((share, quality(&labels, &set.truth, context)?.0));
        let left = ((COMPARED * all as f64) as usize).saturating_sub(labels.len());
        let round = ((ROUND * all as f64) as usize).max(1).min(left);
        if round == 0 || votes.ask(&labels, way, round)? == 0 {
            return Ok(curve);
        }
    }
}

/// The votes of each task: those that can still be asked for, and those shown.
struct Revealing<'a> {
    context: &'a Context,
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
        let Revealing { context, set, left, .. } = self;
        let (tasks, workers) = (set.labels.tasks.lookup(), set.labels.workers.lookup());
        match way {
            Way::Random => {
                let each = left.iter().enumerate().flat_map(|(task, votes)| vec![(task, None); votes.len()]);
                let mut order: Vec<(usize, Option<usize>)> = each.collect();
                order.shuffle(&mut beanjar::random::stream(context.seed(), labels.len() as u64));
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
                let asked = next.run(labels, context)?.questions;
                let worker = |name: &Option<String>| name.as_ref().and_then(|name| workers.code(name));
                Ok(asked.iter().filter_map(|of| Some((tasks.code(&of.task)?, worker(&of.worker)))).collect())
            }
            Way::LeastSure => {
                let outcome = Aggregate::default().fit(labels, context)?;
                let mut order: Vec<(f64, usize)> =
                    outcome.tasks().filter_map(|task| Some((task.confidence, tasks.code(task.task)?))).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                Ok(order.into_iter().map(|of| (of.1, None)).collect())
            }
        }
    }
}
