use super::AggregateOutcome;
use crate::judgments::Labels;

/// A task whose label is doubtful, with what each worker said.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TaskInDoubt {
    /// The task's id.
    pub task: String,
    /// The most probable class.
    pub label: String,
    /// Its probability.
    pub confidence: f64,
    /// What workers said, in the order of their numbers.
    pub votes: Vec<Vote>,
}

/// What a worker said.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Vote {
    /// Who.
    pub worker: String,
    /// What.
    pub label: String,
}

/// More are not looked at one by one.
const MOST: usize = 50;

impl AggregateOutcome {
    /// The least sure tasks first, the first of equals first.
    pub(super) fn find_doubt(&self, labels: &Labels) -> Vec<TaskInDoubt> {
        let confidence = |task: usize| self.task(task).map_or(1.0, |found| found.confidence);
        let mut order: Vec<usize> = (0..self.task_ids.len()).filter(|&task| confidence(task) < 1.0).collect();
        order.sort_by(|&i, &j| confidence(i).total_cmp(&confidence(j)).then(i.cmp(&j)));
        order.truncate(MOST);
        let votes = |task: usize| {
            let vote = |(worker, label): (usize, usize)| Vote {
                worker: labels.workers.get(worker).to_owned(),
                label: labels.classes.get(label).to_owned(),
            };
            labels.votes(task).iter().map(vote).collect()
        };
        let doubt = |task: usize| {
            let found = self.task(task)?;
            let (id, label) = (found.task.to_owned(), found.label.to_owned());
            Some(TaskInDoubt { task: id, label, confidence: found.confidence, votes: votes(task) })
        };
        order.into_iter().filter_map(doubt).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Aggregate, Context, Labels};

    #[test]
    fn the_least_sure_come_first_with_their_votes() {
        let rows = [
            ("1", "ann", "x"),
            ("1", "bob", "x"),
            ("1", "cy", "x"),
            ("2", "ann", "x"),
            ("2", "bob", "y"),
            ("2", "cy", "x"),
            ("3", "ann", "y"),
            ("3", "bob", "y"),
            ("3", "cy", "y"),
            ("4", "ann", "x"),
            ("4", "bob", "y"),
        ];
        let labels = Labels::from_rows(rows).unwrap();
        let method = crate::truth::Method::Majority(crate::truth::Majority::default());
        let outcome =
            Aggregate { method, details: true, ..Aggregate::default() }.fit(&labels, &Context::new()).unwrap();
        let doubt = outcome.in_doubt.unwrap();
        assert_eq!(doubt.iter().map(|task| task.task.as_str()).collect::<Vec<_>>(), ["4", "2"]);
        let said: Vec<&str> = doubt[1].votes.iter().map(|vote| vote.label.as_str()).collect();
        assert_eq!((doubt[1].confidence, said), (2.0 / 3.0, vec!["x", "y", "x"]));
        assert_eq!(outcome.agreement.unwrap().workers.len(), 3);
        assert_eq!(Aggregate::default().fit(&labels, &Context::new()).unwrap().in_doubt, None);
    }
}
