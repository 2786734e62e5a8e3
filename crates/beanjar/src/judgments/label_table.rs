//! Categorical labels: which worker gave which label to which task.

use super::ballots::{Ballots, Votes};
use super::coded_blocks::{self, Part, check_lengths};
use super::dictionary::{Dictionary, inverse, reorder};
use super::grouping::{offsets, scatter};
use super::sum::{Grouped, Sum, sum_over};
use crate::random::key_of_text;
use crate::{Context, Error, Result};

/// Labels of tasks by workers, grouped by task.
///
/// Tasks and workers are numbered in order of first appearance, classes in sorted order: by value if all are
/// numbers, else as text. A pair of task and worker may occur more than once. Memory: six bytes a label, and the ids.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// The tasks' ids.
    pub tasks: Dictionary,
    /// The workers' ids.
    pub workers: Dictionary,
    /// The classes' names.
    pub classes: Dictionary,
    ballots: Ballots,
}

/// Labels in the terms of other workers and classes.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The labels whose class is known, by their own workers.
    pub labels: Labels,
    /// Their votes, by the numbers of the other workers; all newcomers have the number after the last.
    pub ballots: Ballots,
    /// How many workers with a label are not among the others.
    pub newcomers: usize,
    /// How many labels are of a class that is not among the others, and were left out.
    pub unknown_labels: usize,
}

/// The labels that one thread has read, on their way into a [`Labels`].
#[derive(Clone, Debug, Default)]
pub struct LabelsPart(Part);

impl LabelsPart {
    /// Takes the rows of block number `block`. A part takes its blocks in rising order; which part takes which does not
    /// matter. An error if the columns are not equally long.
    pub fn push(&mut self, block: u32, tasks: &[&str], workers: &[&str], labels: &[&str]) -> Result<()> {
        check_lengths(tasks.len(), &[("workers", workers.len()), ("labels", labels.len())])?;
        self.0.push(block, [tasks, workers, labels], Vec::new())
    }
}

impl Labels {
    /// Builds the table from rows of task, worker and label.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = (&'a str, &'a str, &'a str)>) -> Result<Self> {
        let (mut tasks, mut workers, mut labels) = (Vec::new(), Vec::new(), Vec::new());
        for (task, worker, label) in rows {
            tasks.push(task);
            workers.push(worker);
            labels.push(label);
        }
        let mut part = LabelsPart::default();
        part.push(0, &tasks, &workers, &labels)?;
        Labels::from_parts(vec![part], &Context::new())
    }

    /// Joins what several threads have read.
    pub fn from_parts(parts: Vec<LabelsPart>, context: &Context) -> Result<Self> {
        let ([tasks, workers, classes], mut blocks) =
            coded_blocks::join(parts.into_iter().map(|part| part.0).collect(), context);
        if classes.len() > usize::from(u16::MAX) {
            return Err(Error::TooMany { what: "labels", limit: u64::from(u16::MAX) });
        }
        let order = sorted(&classes);
        let class = inverse(&order);
        let offsets = offsets(&blocks, tasks.len());
        let worker = scatter(&mut blocks, &offsets, context, |block| std::mem::take(&mut block.codes[1]), |code| code);
        let label = scatter(
            &mut blocks,
            &offsets,
            context,
            |block| std::mem::take(&mut block.codes[2]),
            |code| class[code as usize] as u16,
        );
        let classes = reorder(&classes, &order);
        let keys = |ids: &Dictionary| ids.iter().map(|id| key_of_text(0, id)).collect();
        let ballots =
            Ballots::new(offsets, worker, label, workers.len(), classes.len()).with_keys(keys(&tasks), keys(&workers));
        Ok(Labels { tasks, workers, classes, ballots })
    }

    /// How many labels there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ballots.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ballots.is_empty()
    }

    /// The labels of one task.
    ///
    /// # Panics
    /// If there is no such task.
    #[must_use]
    pub fn votes(&self, task: usize) -> Votes<'_> {
        self.ballots.votes(task)
    }

    /// The votes alone, with numbers for names.
    #[must_use]
    pub fn ballots(&self) -> &Ballots {
        &self.ballots
    }

    /// The same tasks, workers and classes with other votes.
    pub(super) fn with_ballots(&self, ballots: Ballots) -> Labels {
        let (tasks, workers, classes) = (self.tasks.clone(), self.workers.clone(), self.classes.clone());
        Labels { tasks, workers, classes, ballots }
    }

    /// The same without the votes of some workers.
    #[must_use]
    pub fn without(&self, workers: &Dictionary) -> Labels {
        let lookup = workers.lookup();
        let kept: Vec<bool> = self.workers.iter().map(|worker| lookup.code(worker).is_none()).collect();
        let (tasks, workers, classes) = (self.tasks.clone(), self.workers.clone(), self.classes.clone());
        Labels { tasks, workers, classes, ballots: self.ballots.filtered(|_, worker| kept[worker]) }
    }

    /// The same labels in the terms of others: classes as given, votes by the given workers' numbers.
    #[must_use]
    pub fn in_terms_of(&self, workers: &Dictionary, classes: &Dictionary) -> Translated {
        let (known_workers, known_classes) = (workers.lookup(), classes.lookup());
        let class: Vec<Option<u16>> =
            self.classes.iter().map(|name| known_classes.code(name).map(|code| code as u16)).collect();
        let worker: Vec<Option<usize>> = self.workers.iter().map(|id| known_workers.code(id)).collect();
        let kept = self.ballots.relabelled(&class, classes.len());
        let ballots = kept.by_workers(|own| worker[own].unwrap_or(workers.len()), workers.len() + 1);
        let unknown_labels = self.len() - kept.len();
        let votes = kept.per_worker();
        let newcomers = worker.iter().zip(votes).filter(|(code, votes)| code.is_none() && *votes > 0).count();
        let labels = Labels {
            tasks: self.tasks.clone(),
            workers: self.workers.clone(),
            classes: classes.clone(),
            ballots: kept,
        };
        Translated { labels, ballots, newcomers, unknown_labels }
    }

    /// The same with other names for classes, one for each. Classes of one name become one class.
    pub fn renamed(&self, names: &[impl AsRef<str>]) -> Result<Labels> {
        if names.len() != self.classes.len() {
            let value = format!("{} for {} classes", names.len(), self.classes.len());
            return Err(Error::OutOfRange { name: "the number of names", value, range: "one for each class" });
        }
        let mut seen = std::collections::HashSet::new();
        let classes: Dictionary = names.iter().map(AsRef::as_ref).filter(|name| seen.insert(*name)).collect();
        let classes = sorted_classes(&classes);
        Ok(self.with_classes(classes, names.iter().map(AsRef::as_ref)))
    }

    /// The same with classes in another order, in which each of them stands; names in it that no label has are left out.
    pub fn in_order(&self, order: &[impl AsRef<str>]) -> Result<Labels> {
        let given: Dictionary = order.iter().collect();
        let lookup = given.lookup();
        if let Some(class) = self.classes.iter().find(|class| lookup.code(class).is_none()) {
            return Err(Error::NotInOrder { class: class.to_owned() });
        }
        let known = self.classes.lookup();
        let classes: Dictionary = given.iter().filter(|name| known.code(name).is_some()).collect();
        Ok(self.with_classes(classes, self.classes.iter()))
    }

    /// The same with these classes; `names` has the new name of each old one.
    fn with_classes<'a>(&self, classes: Dictionary, names: impl Iterator<Item = &'a str>) -> Labels {
        let lookup = classes.lookup();
        let class: Vec<Option<u16>> = names.map(|name| lookup.code(name).map(|code| code as u16)).collect();
        let ballots = self.ballots.relabelled(&class, classes.len());
        Labels { tasks: self.tasks.clone(), workers: self.workers.clone(), classes, ballots }
    }

    /// How many labels are by a worker who labelled the same task before.
    #[must_use]
    pub fn repeated(&self, context: &Context) -> usize {
        sum_over(self, context, || Repeats { last: vec![usize::MAX; self.workers.len()], repeated: 0 }).repeated
    }
}

impl Grouped for Labels {
    type Object<'a> = Votes<'a>;

    fn objects(&self) -> usize {
        self.tasks.len()
    }

    fn rows(&self) -> usize {
        self.len()
    }

    fn object(&self, task: usize) -> Votes<'_> {
        self.votes(task)
    }
}

struct Repeats {
    last: Vec<usize>,
    repeated: usize,
}

impl Sum<Labels> for Repeats {
    fn observe(&mut self, votes: Votes<'_>) {
        for &worker in votes.workers {
            let last = std::mem::replace(&mut self.last[worker as usize], votes.task);
            self.repeated += usize::from(last == votes.task);
        }
    }

    fn merge(&mut self, later: Self) {
        self.repeated += later.repeated;
    }
}

/// Classes in the order in which they are numbered: by value if all are numbers, else as text.
#[must_use]
pub fn sorted_classes(classes: &Dictionary) -> Dictionary {
    reorder(classes, &sorted(classes))
}

/// The codes in the order of their texts.
fn sorted(classes: &Dictionary) -> Vec<u32> {
    let mut order: Vec<u32> = (0..classes.len() as u32).collect();
    let numbers: Option<Vec<f64>> =
        classes.iter().map(|text| text.trim().parse().ok().filter(|x: &f64| x.is_finite())).collect();
    let text = |&code: &u32| classes.get(code as usize);
    match numbers {
        Some(numbers) => order
            .sort_by(|a, b| numbers[*a as usize].total_cmp(&numbers[*b as usize]).then_with(|| text(a).cmp(text(b)))),
        None => order.sort_by(|a, b| text(a).cmp(text(b))),
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroUsize;

    fn rows(n: usize) -> Vec<(String, String, String)> {
        let hash = |i: usize, m: usize| (i * 7919 + i / 3) % m;
        (0..n)
            .map(|i| (format!("t{}", hash(i, n / 3 + 1)), format!("w{}", hash(i + 5, 11)), format!("{}", hash(i, 12))))
            .collect()
    }

    fn grouped_directly(rows: &[(String, String, String)]) -> Vec<(String, Vec<(String, String)>)> {
        let mut groups: Vec<(String, Vec<(String, String)>)> = Vec::new();
        for (task, worker, label) in rows {
            let found = groups.iter().position(|(id, _)| id == task).unwrap_or_else(|| {
                groups.push((task.clone(), Vec::new()));
                groups.len() - 1
            });
            groups[found].1.push((worker.clone(), label.clone()));
        }
        groups
    }

    fn groups(labels: &Labels) -> Vec<(String, Vec<(String, String)>)> {
        (0..labels.objects())
            .map(|task| {
                let votes = labels.votes(task);
                let pair = |(&worker, &label): (&u32, &u16)| {
                    let worker = labels.workers.get(worker as usize).to_owned();
                    (worker, labels.classes.get(usize::from(label)).to_owned())
                };
                (labels.tasks.get(task).to_owned(), votes.workers.iter().zip(votes.labels).map(pair).collect())
            })
            .collect()
    }

    #[test]
    fn rows_are_grouped_by_task_in_file_order() {
        for n in [0, 1, 2, 3, 7, 100, 999] {
            let rows = rows(n);
            let labels = Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
            assert_eq!(groups(&labels), grouped_directly(&rows), "{n} rows");
            assert_eq!(labels.len(), n);
        }
    }

    #[test]
    fn blocks_and_threads_do_not_change_the_table() {
        let rows = rows(5001);
        let whole = Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
        for threads in [1, 2, 3, 8] {
            let mut parts: Vec<LabelsPart> = (0..threads).map(|_| LabelsPart::default()).collect();
            for (i, block) in rows.chunks(123).enumerate() {
                let column = |pick: fn(&(String, String, String)) -> &str| block.iter().map(pick).collect::<Vec<_>>();
                parts[(i * i) % threads]
                    .push(i as u32, &column(|r| &r.0), &column(|r| &r.1), &column(|r| &r.2))
                    .unwrap();
            }
            let context = Context::new().with_threads(NonZeroUsize::new(threads).unwrap()).unwrap();
            assert_eq!(Labels::from_parts(parts, &context).unwrap(), whole);
        }
    }

    #[test]
    fn classes_are_sorted_as_numbers_when_they_are_numbers() {
        let names = |labels: &[&str]| {
            let rows = labels.iter().map(|label| ("t", "w", *label));
            Labels::from_rows(rows).unwrap().classes.iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(names(&["10", "9", "-1"]), ["-1", "9", "10"]);
        assert_eq!(names(&["10", "9", "x"]), ["10", "9", "x"]);
    }

    #[test]
    fn classes_get_other_names_and_another_order() {
        let rows = [("a", "w", "1.0"), ("a", "v", "10"), ("b", "w", "1"), ("b", "v", "9")];
        let labels = Labels::from_rows(rows).unwrap();
        assert_eq!(labels.classes.iter().collect::<Vec<_>>(), ["1", "1.0", "9", "10"]);
        let renamed = labels.renamed(&["1", "1", "9", "10"]).unwrap();
        let same = rows.map(|(task, worker, label)| (task, worker, if label == "1.0" { "1" } else { label }));
        assert_eq!(renamed, Labels::from_rows(same).unwrap());
        assert!(labels.renamed(&["1"]).is_err());
        let ordered = renamed.in_order(&["10", "2", "9", "1"]).unwrap();
        assert_eq!(ordered.classes.iter().collect::<Vec<_>>(), ["10", "9", "1"]);
        assert_eq!(groups(&ordered), groups(&renamed));
        assert_eq!(renamed.in_order(&["10", "1"]), Err(Error::NotInOrder { class: "9".into() }));
    }

    #[test]
    fn columns_of_different_lengths_are_refused() {
        let mut part = LabelsPart::default();
        assert!(part.push(0, &["a", "b"], &["w", "w"], &["1"]).is_err());
        assert!(part.push(0, &["a"], &["w", "w"], &["1"]).is_err());
        assert!(Labels::from_parts(vec![part], &Context::new()).unwrap().is_empty());
    }

    #[test]
    fn repeated_pairs_are_kept_and_counted() {
        let rows = [("a", "w", "1"), ("b", "w", "1"), ("a", "w", "2"), ("a", "v", "1"), ("a", "w", "1")];
        let labels = Labels::from_rows(rows).unwrap();
        assert_eq!(labels.len(), 5);
        assert_eq!(labels.repeated(&Context::new()), 2);
    }
}
