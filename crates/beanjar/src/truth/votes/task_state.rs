//! Which tasks are settled, which in doubt, and which will stay so.

use super::models::Models;
use super::prospects::{AHEAD, Prospects};
use crate::Context;
use crate::judgments::Ballots;
use crate::truth::{Posterior, Rule};

/// How far a task's label is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskState {
    /// Its label has a probability above 0.95.
    Settled,
    /// It has not, and further votes may settle it.
    InDoubt,
    /// It has not, and further votes by such workers are expected to change little: they guess, or are divided for good.
    Hopeless,
    /// Its answer was given: it says nothing of the labels.
    Known,
}

impl TaskState {
    /// Its name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TaskState::Settled => "settled",
            TaskState::InDoubt => "in-doubt",
            TaskState::Hopeless => "hopeless",
            TaskState::Known => "known",
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for TaskState {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The probability above which a label is settled.
pub(in crate::truth) const SETTLED: f64 = 0.95;
/// A task is hopeless if four further votes are expected to raise the probability of its label by less than this. A matter of
/// taste, on which no label depends: half of it calls fewer tasks so, and double more.
const LITTLE: f64 = 0.02;

/// By the probability of each task's label alone.
pub(in crate::truth) fn by_confidence(confidence: impl Iterator<Item = f64>) -> Vec<TaskState> {
    confidence.map(|sure| if sure > SETTLED { TaskState::Settled } else { TaskState::InDoubt }).collect()
}

/// Finds which of the tasks in doubt are hopeless, where the rule has models to say so.
///
/// A task without votes, or with one, is in doubt for lack of votes. The models are sure of some tasks that the posterior,
/// which is more cautious, is not: these are no hopeless ones.
pub(in crate::truth) fn find_hopeless(
    states: &mut [TaskState],
    rule: &Rule,
    posterior: &Posterior,
    ballots: &Ballots,
    context: &Context,
) {
    let Some(models) = Models::of(rule) else { return };
    let prospects = Prospects::new(models);
    let opinions = ballots.opinions();
    let pieces: Vec<(usize, &mut [TaskState])> = states.chunks_mut(1024).enumerate().collect();
    context.map(pieces, |(piece, states)| {
        for (at, state) in states.iter_mut().enumerate() {
            let task = piece * 1024 + at;
            if *state != TaskState::InDoubt || opinions[task] < 2 {
                continue;
            }
            let components = prospects.components(ballots.votes(task));
            let sure = posterior.best(task).next().map_or(0.0, |class| posterior.of(task)[class]);
            let doubtful = prospects.best(&components) < f64::midpoint(SETTLED, sure);
            if doubtful && prospects.gain(&components, AHEAD as i32) < LITTLE {
                *state = TaskState::Hopeless;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::Confusion;

    #[test]
    fn guessers_leave_a_task_hopeless_and_better_workers_do_not() {
        // Component 0 and 1: workers are right nine times in ten; 2 and 3: they guess.
        let clear = |class: usize| if class == 0 { vec![0.9, 0.1] } else { vec![0.1, 0.9] };
        let worker = [clear(0), clear(1), vec![0.52, 0.48], vec![0.48, 0.52]];
        let shares = vec![1.0, 0.0, 0.0, 1.0, 0.55, 0.45, 0.45, 0.55];
        let prior = vec![0.4, 0.4, 0.1, 0.1];
        let mut table = Vec::new();
        for _ in 0..13 {
            for label in 0..2 {
                table.extend(worker.iter().map(|row| row[label]));
            }
        }
        let rule = Rule::Confusion(Confusion::of_tables(2, prior, table).with_meaning(shares));
        let by = |votes: Vec<usize>| votes.into_iter().enumerate().collect::<Vec<_>>();
        let tasks = [by((0..12).map(|i| i % 2).collect()), by(vec![0, 1]), by(vec![1]), by(vec![0; 9])];
        let ballots = Ballots::from_tasks(&tasks, 12, 2).unwrap();
        let posterior = rule.posterior(&ballots, &Context::new()).unwrap();
        let sure = |task: usize| posterior.of(task).iter().fold(0.0, f64::max);
        let mut states = by_confidence((0..4).map(sure));
        find_hopeless(&mut states, &rule, &posterior, &ballots, &Context::new());
        assert_eq!(states, [TaskState::Hopeless, TaskState::InDoubt, TaskState::InDoubt, TaskState::Settled]);
    }
}
