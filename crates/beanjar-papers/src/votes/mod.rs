//! How many votes, and whose: what `votes` predicts from half the votes, and what `next` reaches with fewer of them.

mod revealing;
mod simulated;
mod thinning;

use crate::settings::{Result, Settings};
use beanjar::{Column, Context, Labels};
use beanjar_io::{Data, ReadOptions, Source, read, read_table};
use rand::seq::SliceRandom;
use std::path::{Path, PathBuf};

/// What is run besides the sets that are there.
pub(super) struct Parts {
    /// How many random halves of each set.
    pub(super) draws: u64,
    /// In how many random orders votes are revealed on request.
    pub(super) orders: u64,
    /// How many simulated crowds of each kind.
    pub(super) simulated: u64,
}

pub(super) fn run(settings: &Settings, only: &[String], parts: &Parts) -> Result<String> {
    let &Parts { draws, orders, simulated } = parts;
    if simulated > 0 {
        return simulated::run(settings, simulated);
    }
    let folders = folders(&settings.data, only)?;
    let mut sets = Vec::new();
    for folder in &folders {
        sets.push(Set::load(folder, &settings.context)?);
    }
    let thinned = match draws {
        0 => String::new(),
        _ => thinning::run(settings, &sets, draws)? + "\n",
    };
    let revealed = match orders {
        0 => String::new(),
        _ => revealing::run(settings, &sets, orders)?,
    };
    Ok(thinned + &revealed)
}

/// The folders with labels.csv and truth.csv, in the data folder and in those within, in the order of their names.
fn folders(data: &Path, only: &[String]) -> Result<Vec<PathBuf>> {
    let within = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
        let mut folders: Vec<PathBuf> = entries.into_iter().filter(|path| path.is_dir()).collect();
        folders.sort();
        Ok(folders)
    };
    let mut found = vec![data.to_owned()];
    for folder in within(data)? {
        found.push(folder.clone());
        found.extend(within(&folder)?);
    }
    found.retain(|folder| folder.join("labels.csv").exists() && folder.join("truth.csv").exists());
    let names: Vec<String> = found.iter().map(|folder| name(folder)).collect();
    if let Some(missing) = only.iter().find(|wanted| !names.contains(wanted)) {
        return Err(format!("--sets: there is no set '{missing}'; there are {}", names.join(", ")).into());
    }
    found.retain(|folder| only.is_empty() || only.contains(&name(folder)));
    match found.is_empty() {
        true => Err(format!("{}: no folder within has labels.csv and truth.csv", data.display()).into()),
        false => Ok(found),
    }
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A set of labels with the truth of some tasks, one opinion of a worker on a task.
struct Set {
    name: String,
    /// Of each task, who said what.
    tasks: Vec<Vec<(usize, usize)>>,
    labels: Labels,
    truth: Column,
}

impl Set {
    fn load(folder: &Path, context: &Context) -> Result<Set> {
        let source = Source::from(folder.join("labels.csv"));
        let Data::Labels(labels) = read(&source, &ReadOptions::default(), context)?.data else {
            return Err(format!("{}: no labels", source.name()).into());
        };
        let source = Source::from(folder.join("truth.csv"));
        let truth = read_table(&source)?.classes_named("label");
        let truth = truth.ok_or_else(|| format!("{}: no column 'label'", source.name()))?;
        Ok(Set::new(name(folder), labels, truth))
    }

    fn new(name: String, labels: Labels, truth: Column) -> Set {
        let first_of_each = |task: usize| {
            let mut votes: Vec<(usize, usize)> = Vec::new();
            for (worker, label) in labels.votes(task).iter() {
                if votes.iter().all(|vote| vote.0 != worker) {
                    votes.push((worker, label));
                }
            }
            votes
        };
        let tasks = (0..labels.tasks.len()).map(first_of_each).collect();
        Set { name, tasks, labels, truth }
    }

    /// The same with the votes of each task in a random order.
    fn shuffled(&self, seed: u64) -> Vec<Vec<(usize, usize)>> {
        let mut tasks = self.tasks.clone();
        for (task, votes) in tasks.iter_mut().enumerate() {
            votes.shuffle(&mut beanjar::random::stream(seed, task as u64));
        }
        tasks
    }

    /// A table of some of the votes.
    fn table(&self, tasks: &[Vec<(usize, usize)>]) -> Result<Labels> {
        let row = |(task, votes): (usize, &Vec<(usize, usize)>)| {
            let names = |&(worker, label): &(usize, usize)| {
                (self.labels.tasks.get(task), self.labels.workers.get(worker), self.labels.classes.get(label))
            };
            votes.iter().map(names).collect::<Vec<_>>()
        };
        Ok(Labels::from_rows(tasks.iter().enumerate().flat_map(row))?)
    }

    /// How many tasks have a known truth.
    fn known(&self) -> Result<usize> {
        Ok(self.truth.classes_of(&self.labels)?.classes.iter().flatten().count())
    }

    /// How many votes there are.
    fn votes(&self) -> usize {
        self.tasks.iter().map(Vec::len).sum()
    }
}

/// The share of labels that are right, and the expected calibration error, of `aggregate`.
fn quality(labels: &Labels, truth: &Column, context: &Context) -> Result<(f64, f64)> {
    let aggregate = beanjar::Aggregate { truth: Some(truth.clone()), ..beanjar::Aggregate::default() };
    let found = aggregate.fit(labels, context)?.truth.ok_or("no task has a true label")?;
    Ok((found.accuracy, found.ece))
}
