//! Logs in which a worker judged one thing several times over, and a column says what differed: the model whose answer it
//! was, the turn of a conversation, or the prompt of the judge.

use super::Held;
use crate::column_roles::{ColumnNames, Header, Role};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What belongs to the thing that was judged.
const OF_TASK: [&str; 14] = [
    "model",
    "modelid",
    "modelname",
    "targetmodel",
    "judgedmodel",
    "evaluatedmodel",
    "answermodel",
    "responsemodel",
    "system",
    "systemid",
    "systemname",
    "generator",
    "turn",
    "turnid",
];

/// What belongs to the judge.
const OF_WORKER: [&str; 5] = ["prompt", "promptid", "promptname", "prompttemplate", "promptversion"];

fn is_one_of(known: &[&str], name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    known.contains(&plain.as_str())
}

/// The columns of things and workers, and those beside that may say what differed.
struct Columns {
    item: usize,
    worker: usize,
    question: Option<usize>,
    of_task: Vec<usize>,
    of_worker: Vec<usize>,
}

fn columns(names: &[String]) -> Option<Columns> {
    let given = ColumnNames::default();
    let header = Header { place: "", file: "", names, given: &given };
    let find = |role| header.find(role).ok().flatten();
    let (item, worker, question) = (find(Role::Object)?, find(Role::Worker)?, find(Role::Attribute));
    find(Role::Label).or_else(|| find(Role::Value))?;
    let beside = |known: &[&str]| -> Vec<usize> {
        let is_free = |&column: &usize| ![Some(item), Some(worker), question].contains(&Some(column));
        (0..names.len()).filter(is_free).filter(|&column| is_one_of(known, &names[column])).collect()
    };
    let (of_task, of_worker) = (beside(&OF_TASK), beside(&OF_WORKER));
    Some(Columns { item, worker, question, of_task, of_worker })
}

/// Columns that are made part of another, that of tasks or of workers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Join {
    pub(crate) whole: usize,
    /// The columns, and what each is called.
    pub(crate) parts: Vec<(usize, String)>,
    role: &'static str,
}

impl Join {
    /// An id with the values of its parts.
    pub(crate) fn joined<'a>(&self, id: &str, values: impl Iterator<Item = &'a str>) -> String {
        let mut whole = id.to_owned();
        for ((_, name), value) in self.parts.iter().zip(values.map(str::trim)) {
            match value.parse::<f64>().is_ok() {
                _ if value.is_empty() || id.is_empty() => {}
                true => whole += &format!(": {name} {value}"),
                false => whole += &format!(": {value}"),
            }
        }
        whole
    }

    /// What was done, in a clause for each part.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let note =
            |name: &String| format!("{name} made part of the {}, as it tells judgments of one worker apart", self.role);
        self.parts.iter().map(move |(_, name)| note(name))
    }
}

/// Looks at a table row by row for what tells judgments of one thing apart. It keeps numbers for texts, so that a table need
/// not be held for it.
pub(crate) struct Apart {
    names: Vec<String>,
    columns: Columns,
    /// Of each such column, of each thing and worker, its first value; and whether another came.
    of_task: Vec<First>,
    of_worker: Vec<First>,
    prompts: Vec<Prompts>,
}

#[derive(Default)]
struct First {
    values: HashMap<u64, u64>,
    differs: bool,
}

impl First {
    fn see(&mut self, key: u64, value: &str) {
        if !value.is_empty() && !self.differs {
            let value = code(&[value]);
            self.differs = *self.values.entry(key).or_insert(value) != value;
        }
    }
}

/// Of each prompt the first thing it came with, and those that came with another.
#[derive(Default)]
struct Prompts {
    things: HashMap<u64, u64>,
    again: HashSet<u64>,
}

impl Prompts {
    fn see(&mut self, prompt: &str, thing: &str) {
        if !prompt.is_empty() {
            let (prompt, thing) = (code(&[prompt]), code(&[thing]));
            if *self.things.entry(prompt).or_insert(thing) != thing {
                self.again.insert(prompt);
            }
        }
    }
}

/// A number for some texts, the same in every run.
fn code(texts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    texts.hash(&mut hasher);
    hasher.finish()
}

impl Apart {
    /// None if the table has no column that may tell several judgments of one thing apart.
    pub(crate) fn of(names: &[String]) -> Option<Apart> {
        let columns = columns(names)?;
        if columns.of_task.is_empty() && columns.of_worker.is_empty() {
            return None;
        }
        let of_task = columns.of_task.iter().map(|_| First::default()).collect();
        let of_worker = columns.of_worker.iter().map(|_| First::default()).collect();
        let prompts = columns.of_worker.iter().map(|_| Prompts::default()).collect();
        Some(Apart { names: names.to_vec(), columns, of_task, of_worker, prompts })
    }

    /// The columns to look at.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let Columns { item, worker, question, of_task, of_worker } = &self.columns;
        [*item, *worker].into_iter().chain(*question).chain(of_task.iter().chain(of_worker).copied()).collect()
    }

    /// Takes a row of these columns.
    pub(crate) fn see(&mut self, row: &[&str]) {
        let ids = 2 + usize::from(self.columns.question.is_some());
        let (own, parts) = row.split_at(ids);
        let key = code(own);
        let (of_task, of_worker) = parts.split_at(self.of_task.len());
        self.of_task.iter_mut().zip(of_task).for_each(|(first, value)| first.see(key, value));
        self.of_worker.iter_mut().zip(of_worker).for_each(|(first, value)| first.see(key, value));
        self.prompts.iter_mut().zip(of_worker).for_each(|(prompts, value)| prompts.see(value, own[0]));
    }

    /// What has to be joined: columns with another value where somebody judged a thing again. A prompt has to come again
    /// with another thing as well: then it is the judge's, and not the text of the thing.
    pub(crate) fn joins(self) -> Vec<Join> {
        let Apart { names, columns, of_task, of_worker, prompts } = self;
        let named = |&column: &usize| (column, names[column].clone());
        let tasks = columns.of_task.iter().zip(&of_task).filter(|(_, first)| first.differs);
        let workers = columns.of_worker.iter().zip(of_worker.iter().zip(&prompts));
        let is_judges = |prompts: &Prompts| prompts.again.len() == prompts.things.len();
        let workers = workers.filter(|(_, (first, prompts))| first.differs && is_judges(prompts));
        let tasks = Join { whole: columns.item, parts: tasks.map(|(column, _)| named(column)).collect(), role: "task" };
        let parts = workers.map(|(column, _)| named(column)).collect();
        let workers = Join { whole: columns.worker, parts, role: "worker" };
        [tasks, workers].into_iter().filter(|join| !join.parts.is_empty()).collect()
    }
}

/// The same table with such columns made part of the task or the worker; none if nobody judged a thing twice with other
/// values there.
pub(super) fn made_distinct(table: &Held) -> Option<Held> {
    let mut apart = Apart::of(&table.names)?;
    let columns = apart.columns();
    for row in 0..table.rows() {
        let cells: Vec<&str> = columns.iter().map(|&column| table.columns[column][row].as_str()).collect();
        apart.see(&cells);
    }
    let joins = apart.joins();
    if joins.is_empty() {
        return None;
    }
    let mut held = table.clone();
    for join in &joins {
        for (row, cell) in held.columns[join.whole].iter_mut().enumerate() {
            *cell = join.joined(cell, join.parts.iter().map(|(part, _)| table.columns[*part][row].as_str()));
        }
        held.notes.extend(join.notes());
    }
    let is_part = |column: usize| joins.iter().any(|join| join.parts.iter().any(|(part, _)| *part == column));
    let kept: Vec<usize> = (0..held.names.len()).filter(|&column| !is_part(column)).collect();
    held.names = kept.iter().map(|&column| std::mem::take(&mut held.names[column])).collect();
    held.columns = kept.iter().map(|&column| std::mem::take(&mut held.columns[column])).collect();
    Some(held)
}
