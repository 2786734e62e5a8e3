use super::assign::{Asked, Assignment};
use super::enough::PRICES;
use super::models::Models;
use super::next_outcome::{NextQuestion, NextVotesOutcome, StopVotes};
use super::open_tasks::OpenTasks;
use super::prospects::{AHEAD, Prospects};
use super::task_state::SETTLED;
use crate::judgments::{Column, Dictionary, Labels, Repeats};
use crate::random::key_of_text;
use crate::truth::known;
use crate::truth::{Auto, Evidence, TruthFit};
use crate::{Context, Error, Result, Warning};

/// Which questions to ask next: the votes that raise the expected accuracy most.
///
/// The fitted models say how probable each class of a task is, and what a worker would say of it. So the probability that
/// the best class is right can be worked out for what one to four further votes may say, before they are cast. A question
/// is worth the rise per vote. A task whose votes agree is worth little, and so is one on which workers guess: it stays in
/// doubt however many are asked. After the votes are in, they are appended to the table and the call is made again.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `votes` | how many questions to ask | 100 | 1 or more |
/// | `per_task` | how many of them on one task at most | 2 | 1 to 4 |
/// | `most_per_task` | how many votes a task may have in all | no limit | 1 or more |
/// | `workers` | whom to ask | anyone | each once |
/// | `per_worker` | how many questions to ask one worker at most | no limit | 1 or more |
/// | `cost` | the price of a vote, where a worker has none of their own | 1 | 1e-50 to 1e50 |
/// | `stop` | the expected accuracy at which to stop | none | 0 to 1, neither included |
/// | `allowed` | which of the workers may be asked about which task | anyone any task | pairs of task and worker |
/// | `tasks` | further tasks, which have no vote yet | none | |
/// | `known` | known true labels, whose tasks are not asked about | none | tasks among those labelled |
/// | `repeats` | what becomes of labels that a worker gave to the same task twice | averaged | |
///
/// Cost: a fit of [`Auto`], then O(tasks times classes squared); with a list of workers O(questions times workers) more.
///
/// ```
/// use beanjar::{Context, Labels, NextVotes};
///
/// let rows: Vec<_> = (0..120)
///     .map(|i| (format!("t{}", i / 3), format!("w{}", i % 3), (i / 3 % 2 == 0) != (i / 3 % 5 == 0 && i % 3 == 1)))
///     .map(|(task, worker, yes)| (task, worker, if yes { "yes" } else { "no" }))
///     .collect();
/// let labels = Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], *label)))?;
/// let outcome = NextVotes { votes: 5, ..NextVotes::default() }.run(&labels, &Context::new())?;
/// assert_eq!(outcome.questions.len(), 5);
/// assert!(outcome.accuracy_after >= outcome.accuracy);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NextVotes {
    /// How many questions to ask.
    pub votes: usize,
    /// How many of them on one task at most.
    pub per_task: usize,
    /// How many votes a task may have in all.
    pub most_per_task: Option<usize>,
    /// Whom to ask; none for anyone.
    pub workers: Option<Vec<PoolWorker>>,
    /// How many questions to ask one worker at most, where they have no limit of their own.
    pub per_worker: Option<usize>,
    /// The price of a vote, where a worker has none of their own.
    pub cost: f64,
    /// The expected accuracy at which to stop.
    pub stop: Option<f64>,
    /// Whom of the workers each task may be given to, as pairs of task and worker; none for anyone any task.
    pub allowed: Option<Vec<(String, String)>>,
    /// Further tasks, which have no vote yet.
    pub tasks: Option<Dictionary>,
    /// Known true labels, whose tasks are not asked about.
    pub known: Option<Column>,
    /// What becomes of labels that a worker gave to the same task more than once.
    pub repeats: Repeats,
}

/// Somebody who may be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct PoolWorker {
    /// Their id; that of a worker with labels, or a new one.
    pub worker: String,
    /// How many questions they may be asked now.
    pub limit: Option<usize>,
    /// What a vote of theirs costs.
    pub cost: Option<f64>,
}

impl Default for NextVotes {
    fn default() -> Self {
        NextVotes {
            votes: 100,
            per_task: 2,
            most_per_task: None,
            workers: None,
            per_worker: None,
            cost: 1.0,
            stop: None,
            allowed: None,
            tasks: None,
            known: None,
            repeats: Repeats::default(),
        }
    }
}

/// A question that could be asked of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    /// Beyond the last task with votes come the further tasks.
    pub(super) task: usize,
    /// How much accuracy a vote is expected to gain on this task.
    pub(super) gain: f64,
    /// In which order equal ones come.
    key: u64,
}

impl NextVotes {
    /// Chooses the questions.
    pub fn run(&self, labels: &Labels, context: &Context) -> Result<NextVotesOutcome> {
        self.check()?;
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        let mut warnings = Vec::new();
        let labels = labels.with_repeats(self.repeats, context, &mut warnings);
        let labels = labels.as_ref();
        let ballots = labels.ballots();
        let gold = known(self.known.as_ref(), "gold", labels, &mut warnings)?.unwrap_or_default();
        let evidence = Evidence::with_gold(ballots, gold.clone())?;
        let fit = Auto::default().fit_models(&evidence, &context.part(0.0, 0.8))?;
        let Some(models) = Models::of(&fit.rule) else {
            let what = "a model of the workers by these labels, without which no question is better than another";
            return Err(Error::TooManyClasses { classes: ballots.classes(), what });
        };
        let prospects = Prospects::new(models);
        let tasks = OpenTasks::new(labels, self.tasks.as_ref());
        let candidates = self.candidates(&tasks, &gold, &prospects, &context.part(0.8, 0.9))?;
        let sure = Confidences::new(&fit, &prospects, &tasks);
        let mut asked = match &self.workers {
            None => {
                let ask = |of: &Candidate| Asked { task: of.task, worker: None, gain: of.gain, cost: self.cost };
                candidates.iter().take(self.votes).map(ask).collect()
            }
            Some(pool) => Assignment::new(self, pool, labels, &prospects)?.assign(&candidates, &tasks, context.seed()),
        };
        let stop = self.stop.map(|accuracy| StopVotes { accuracy, reached: sure.mean >= accuracy });
        match self.stop {
            Some(stop) => stop_at(&mut asked, stop, sure.mean, tasks.len()),
            None if asked.len() < self.votes => {
                warnings.push(Warning::FewerQuestions { asked: self.votes, questions: asked.len() });
            }
            None => {}
        }
        let worker = |at: usize| self.workers.as_ref().map_or(String::new(), |pool| pool[at].worker.clone());
        let question = |asked: &Asked| {
            let label = sure.of(asked.task);
            NextQuestion {
                task: tasks.name(asked.task).to_owned(),
                worker: asked.worker.map(worker),
                label: label.map(|(class, _)| labels.classes.get(class).to_owned()),
                confidence: label.map(|(_, confidence)| confidence),
                votes: tasks.opinions(asked.task),
                gain: asked.gain,
            }
        };
        let gained = asked.iter().map(|asked| asked.gain).sum::<f64>() / tasks.len() as f64;
        context.report("choosing questions", 1.0)?;
        Ok(NextVotesOutcome {
            tasks: tasks.len(),
            votes: tasks.all_opinions(),
            settled: sure.voted.iter().filter(|of| of.1 > SETTLED).count(),
            accuracy: sure.mean,
            accuracy_after: (sure.mean + gained).min(1.0),
            price: asked.iter().map(|asked| asked.cost).sum(),
            stop,
            questions: asked.iter().map(question).collect(),
            warnings,
        })
    }

    /// The questions that could be asked, the most useful first.
    fn candidates(
        &self,
        tasks: &OpenTasks<'_>,
        gold: &[Option<u16>],
        prospects: &Prospects<'_>,
        context: &Context,
    ) -> Result<Vec<Candidate>> {
        let open: Vec<usize> = (0..tasks.len())
            .filter(|&task| gold.get(task).copied().flatten().is_none())
            .filter(|&task| self.most_per_task.is_none_or(|most| tasks.opinions(task) < most))
            .collect();
        let pieces: Vec<&[usize]> = open.chunks(1024).collect();
        let steps = context.steps("choosing questions", pieces.len());
        let found = context.map(pieces, |piece| {
            let of = |&task: &usize| {
                let gains = rates(&prospects.gains(&prospects.components(tasks.votes(task))));
                let room = self.most_per_task.map_or(AHEAD, |most| most - tasks.opinions(task)).min(self.per_task);
                let key = key_of_text(context.seed(), tasks.name(task));
                gains.into_iter().take(room).map(move |gain| Candidate { task, gain, key }).collect::<Vec<_>>()
            };
            let candidates: Vec<Candidate> = piece.iter().flat_map(of).collect();
            steps.tick().map(|()| candidates)
        });
        let mut candidates = found.into_iter().collect::<Result<Vec<_>>>()?.concat();
        // Gains that differ by rounding are the same: which of them comes first must not depend on the order of the rows.
        let whole = |gain: f64| (gain * 1e9).round() as i64;
        candidates.sort_by(|a, b| whole(b.gain).cmp(&whole(a.gain)).then(a.key.cmp(&b.key)));
        Ok(candidates)
    }

    /// An error if a parameter is out of its range.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.votes == 0 {
            return refuse("the number of votes to ask for", "0".into(), "1 or more");
        }
        if !(1..=AHEAD).contains(&self.per_task) {
            return refuse("the number of votes on one task", self.per_task.to_string(), "1 to 4");
        }
        if self.most_per_task == Some(0) || self.per_worker == Some(0) {
            return refuse("a limit", "0".into(), "1 or more");
        }
        if let Some(stop) = self.stop.filter(|stop| !(*stop > 0.0 && *stop < 1.0)) {
            return refuse("the accuracy to stop at", stop.to_string(), "between 0 and 1, neither included");
        }
        let costs = self.workers.iter().flatten().filter_map(|worker| worker.cost).chain([self.cost]);
        match costs.into_iter().find(|cost| !PRICES.contains(cost)) {
            Some(cost) => refuse("the price of a vote", cost.to_string(), "1e-50 to 1e50"),
            None => Ok(()),
        }
    }
}

/// How sure the labels are before anything is asked.
struct Confidences {
    /// Of each task with votes its class and the probability of that.
    voted: Vec<(usize, f64)>,
    /// The mean over all tasks, those without votes among them.
    mean: f64,
}

impl Confidences {
    fn new(fit: &TruthFit, prospects: &Prospects<'_>, tasks: &OpenTasks<'_>) -> Self {
        // A single vote has all of a task's votes. Where no label could be held out, the models' priors say what that is worth.
        let unchecked = fit.auto.as_ref().is_some_and(|auto| auto.plain_vote && auto.gain.is_none());
        let by_models = |task: usize| prospects.best(&prospects.components(tasks.votes(task)));
        let of = |task: usize| {
            let class = fit.posterior.best(task).next().unwrap_or(0);
            (class, if unchecked { by_models(task) } else { fit.posterior.of(task)[class] })
        };
        let voted: Vec<(usize, f64)> = (0..tasks.voted()).map(of).collect();
        let further = tasks.len() - tasks.voted();
        let unseen = if further > 0 { further as f64 * by_models(tasks.voted()) } else { 0.0 };
        let mean = (voted.iter().map(|of| of.1).sum::<f64>() + unseen) / tasks.len() as f64;
        Confidences { voted, mean }
    }

    /// The class of a task and its probability; none without votes.
    fn of(&self, task: usize) -> Option<(usize, f64)> {
        self.voted.get(task).copied()
    }
}

/// Cuts the questions off where the accuracy that is expected reaches what is wanted.
fn stop_at(asked: &mut Vec<Asked>, wanted: f64, accuracy: f64, tasks: usize) {
    let mut so_far = accuracy;
    asked.retain(|question| {
        let needed = so_far < wanted;
        so_far += question.gain / tasks as f64;
        needed
    });
}

/// Of each further vote its gain, if votes go on as long as they pay: the slopes of the least concave curve above G.
///
/// Two votes may turn a label that one cannot; then each of the two gains half.
fn rates(gains: &[f64; AHEAD]) -> Vec<f64> {
    let at = |votes: usize| if votes == 0 { 0.0 } else { gains[votes - 1] };
    let mut rates = Vec::with_capacity(AHEAD);
    while rates.len() < AHEAD {
        let from = rates.len();
        let slope = |to: usize| (at(to) - at(from)) / (to - from) as f64;
        let to = (from + 1..=AHEAD).fold(from + 1, |best, to| if slope(to) > slope(best) { to } else { best });
        let slope = slope(to);
        rates.extend(std::iter::repeat_n(slope, to - from));
    }
    rates
}

#[cfg(test)]
mod tests;
