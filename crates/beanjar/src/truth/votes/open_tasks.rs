use crate::judgments::{Dictionary, Labels, Votes};

/// The tasks that questions can be about: those with votes, and after them further ones that have none.
pub(super) struct OpenTasks<'a> {
    labels: &'a Labels,
    further: Vec<&'a str>,
    opinions: Vec<usize>,
}

impl<'a> OpenTasks<'a> {
    /// The tasks of the labels, and those of a list that have no vote.
    pub(super) fn new(labels: &'a Labels, listed: Option<&'a Dictionary>) -> Self {
        let lookup = labels.tasks.lookup();
        let listed = listed.into_iter().flat_map(Dictionary::iter);
        let further = listed.filter(|task| lookup.code(task).is_none()).collect();
        OpenTasks { labels, further, opinions: labels.ballots().opinions() }
    }

    pub(super) fn len(&self) -> usize {
        self.voted() + self.further.len()
    }

    /// How many have votes.
    pub(super) fn voted(&self) -> usize {
        self.opinions.len()
    }

    pub(super) fn name(&self, task: usize) -> &'a str {
        match task < self.voted() {
            true => self.labels.tasks.get(task),
            false => self.further[task - self.voted()],
        }
    }

    pub(super) fn votes(&self, task: usize) -> Votes<'a> {
        match task < self.voted() {
            true => self.labels.ballots().votes(task),
            false => Votes { task, workers: &[], labels: &[], weights: &[] },
        }
    }

    /// How many workers voted on a task.
    pub(super) fn opinions(&self, task: usize) -> usize {
        self.opinions.get(task).copied().unwrap_or(0)
    }

    /// How many votes there are, a worker's on a task counting once.
    pub(super) fn all_opinions(&self) -> usize {
        self.opinions.iter().sum()
    }
}
