use super::assign::{Asked, Assignment};
use super::enough::PRICES;
use super::models::Models;
use super::next_outcome::{NextQuestion, NextVotesOutcome, StopVotes};
use super::prospects::{AHEAD, Prospects};
use super::task_state::SETTLED;
use crate::judgments::{Column, Dictionary, Labels, Repeats, Votes};
use crate::random::key_of_text;
use crate::truth::known;
use crate::truth::{Auto, Evidence};
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
        let further = self.further_tasks(labels);
        let Some(models) = Models::of(&fit.rule) else {
            let what = "a model of the workers by these labels, without which no question is better than another";
            return Err(Error::TooManyClasses { classes: ballots.classes(), what });
        };
        let prospects = Prospects::new(models);

        let tasks = ballots.tasks() + further.len();
        let name =
            |task: usize| if task < ballots.tasks() { labels.tasks.get(task) } else { further[task - ballots.tasks()] };
        let votes_of = |task: usize| match task < ballots.tasks() {
            true => ballots.votes(task),
            false => Votes { task, workers: &[], labels: &[], weights: &[] },
        };
        let components_of = |task: usize| prospects.components(votes_of(task));
        let opinions = ballots.opinions();
        let have = |task: usize| opinions.get(task).copied().unwrap_or(0);
        let open: Vec<usize> = (0..tasks)
            .filter(|&task| gold.get(task).copied().flatten().is_none())
            .filter(|&task| self.most_per_task.is_none_or(|most| have(task) < most))
            .collect();
        let pieces: Vec<&[usize]> = open.chunks(1024).collect();
        let steps = context.part(0.8, 0.9);
        let steps = steps.steps("choosing questions", pieces.len());
        let found = context.map(pieces, |tasks| {
            let of = |&task: &usize| {
                let gains = rates(&prospects.gains(&components_of(task)));
                let room = self.most_per_task.map_or(AHEAD, |most| most - have(task)).min(self.per_task);
                let key = key_of_text(context.seed(), name(task));
                gains.into_iter().take(room).map(move |gain| Candidate { task, gain, key }).collect::<Vec<_>>()
            };
            let candidates: Vec<Candidate> = tasks.iter().flat_map(of).collect();
            steps.tick().map(|()| candidates)
        });
        let mut candidates = found.into_iter().collect::<Result<Vec<_>>>()?.concat();
        // Gains that differ by rounding are the same: which of them comes first must not depend on the order of the rows.
        let whole = |gain: f64| (gain * 1e9).round() as i64;
        candidates.sort_by(|a, b| whole(b.gain).cmp(&whole(a.gain)).then(a.key.cmp(&b.key)));

        let class = |task: usize| fit.posterior.best(task).next().unwrap_or(0);
        // A single vote has all of a task's votes. Where no label could be held out, the models' priors say what that is worth.
        let unchecked = fit.auto.as_ref().is_some_and(|auto| auto.plain_vote && auto.gain.is_none());
        let sure = |task: usize| match task < ballots.tasks() {
            true if unchecked => prospects.best(&components_of(task)),
            true => fit.posterior.of(task)[class(task)],
            false => 0.0,
        };
        let known_sure = (0..ballots.tasks()).map(sure).sum::<f64>();
        let unseen = further.len() as f64 * prior_accuracy(&prospects, &votes_of(ballots.tasks() + 1));
        let accuracy = (known_sure + unseen) / tasks as f64;
        let mut asked: Vec<Asked> = match &self.workers {
            None => candidates
                .iter()
                .take(self.votes)
                .map(|of| Asked { task: of.task, worker: None, gain: of.gain, cost: self.cost })
                .collect(),
            Some(pool) => {
                Assignment::new(self, pool, labels, &prospects)?.assign(&candidates, name, votes_of, context.seed())
            }
        };
        let reached = self.stop.is_some_and(|stop| accuracy >= stop);
        if let Some(stop) = self.stop {
            let mut so_far = accuracy;
            asked.retain(|question| {
                let needed = so_far < stop;
                so_far += question.gain / tasks as f64;
                needed
            });
        }
        let question = |asked: &Asked| NextQuestion {
            task: name(asked.task).to_owned(),
            worker: asked.worker.map(|at| self.workers.as_ref().map_or(String::new(), |pool| pool[at].worker.clone())),
            label: (asked.task < ballots.tasks()).then(|| labels.classes.get(class(asked.task)).to_owned()),
            confidence: (asked.task < ballots.tasks()).then(|| sure(asked.task)),
            votes: have(asked.task),
            gain: asked.gain,
        };
        if asked.len() < self.votes && !reached && self.stop.is_none() {
            warnings.push(Warning::FewerQuestions { asked: self.votes, questions: asked.len() });
        }
        let gained = asked.iter().map(|asked| asked.gain).sum::<f64>() / tasks as f64;
        context.report("choosing questions", 1.0)?;
        Ok(NextVotesOutcome {
            tasks,
            votes: opinions.iter().sum(),
            settled: (0..ballots.tasks()).filter(|&task| sure(task) > SETTLED).count(),
            accuracy,
            accuracy_after: (accuracy + gained).min(1.0),
            price: asked.iter().map(|asked| asked.cost).sum(),
            stop: self.stop.map(|accuracy| StopVotes { accuracy, reached }),
            questions: asked.iter().map(question).collect(),
            warnings,
        })
    }

    /// Those of the further tasks that have no vote.
    fn further_tasks(&self, labels: &Labels) -> Vec<&str> {
        let lookup = labels.tasks.lookup();
        let further = self.tasks.iter().flat_map(Dictionary::iter);
        further.filter(|task| lookup.code(task).is_none()).collect()
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

/// How probable the best class of a task without votes is.
fn prior_accuracy(prospects: &Prospects<'_>, votes: &Votes<'_>) -> f64 {
    prospects.best(&prospects.components(*votes))
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
