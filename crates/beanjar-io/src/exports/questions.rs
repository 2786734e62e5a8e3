//! Tables with a row for each task of each worker, and a column of words for each question.

use super::Held;
use super::survey::{has_few_words, long_by_rows};
use crate::class_names::is_plain_number;
use crate::column_roles::{Header, Role};
use crate::read::wide::{is_annotator, is_prose, words};
use crate::usual_names::{is_beside, is_nameless};

/// A table of this kind: the names of its columns of tasks and workers, and of those of questions.
pub(crate) struct Questions {
    task: String,
    worker: String,
    pub(crate) columns: Vec<String>,
}

/// The column of tasks, or the only one that is called as what people judge.
fn task(header: &Header<'_>) -> Option<usize> {
    match header.find(Role::Object).ok()? {
        None => header.thing_among(&(0..header.names.len()).collect::<Vec<_>>()),
        found => found,
    }
}

impl Questions {
    /// Whether a table with these columns may be such a one: of tasks and workers, and of nothing that is called as labels and
    /// values are.
    pub(crate) fn may_be(header: &Header<'_>) -> bool {
        let lacks = |role| matches!(header.find(role), Ok(None));
        task(header).is_some()
            && matches!(header.find(Role::Worker), Ok(Some(_)))
            && [Role::Label, Role::Value, Role::Attribute].into_iter().all(lacks)
            && header.names.iter().filter(|name| is_annotator(name)).count() < 2
    }

    /// The questions that the first rows show: columns of few words each. None if others hold numbers, which may be meant.
    pub(crate) fn of(sample: &Held, header: &Header<'_>) -> Option<Questions> {
        let (task, worker) = (task(header)?, header.find(Role::Worker).ok().flatten()?);
        let is_free = |&column: &usize| {
            let name = &header.names[column];
            column != task && column != worker && !is_nameless(name) && !is_beside(name)
        };
        let free: Vec<usize> =
            (0..header.names.len()).filter(is_free).filter(|&column| !words(sample, column).is_empty()).collect();
        let is_number = |column: &usize| words(sample, *column).iter().all(|text| is_plain_number(text));
        if task == worker || free.iter().any(is_number) {
            return None;
        }
        let is_question = |column: &usize| has_few_words(sample, &[*column]) && !is_prose(sample, *column, &free);
        let name = |column: usize| header.names[column].clone();
        let columns: Vec<String> = free.iter().copied().filter(is_question).map(name).collect();
        (!columns.is_empty()).then(|| Questions { task: name(task), worker: name(worker), columns })
    }

    /// The long table; none if the table is another.
    pub(crate) fn long(&self, table: &Held) -> Option<Held> {
        let columns: Option<Vec<usize>> = self.columns.iter().map(|name| table.at(name)).collect();
        Some(long_by_rows(table, "", [table.at(&self.task)?, table.at(&self.worker)?], &columns?))
    }
}
