//! What may not be meant, and is said: rows that are taken for tasks, and names that differ in nothing but capitals and space.

use super::Input;
use super::wide::words;
use crate::column_roles::Role;
use crate::error::shown;
use crate::exports::Held;
use beanjar::{Dictionary, Labels};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Which column may name the tasks instead of the one that does: the first of those that are not used in which values stand in
/// several rows, and no worker has one twice. None unless the column of tasks has a value of its own in each of the first rows.
pub(super) fn other_tasks(input: &Input, [task, worker, label]: [usize; 3]) -> Option<String> {
    let is_free = |column: &usize| ![task, worker, label].contains(column);
    if !(0..input.names.len()).any(|column| is_free(&column)) {
        return None;
    }
    let sample = input.sample().filter(|sample| words(sample, task).len() == sample.rows())?;
    let column = (0..sample.names.len()).filter(is_free).find(|&column| is_judged(&sample, column, worker))?;
    Some(sample.names[column].clone())
}

/// Whether most values of a column stand in several rows, and no worker has one twice.
fn is_judged(sample: &Held, column: usize, worker: usize) -> bool {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    let mut seen = HashSet::new();
    for (value, worker) in sample.columns[column].iter().zip(&sample.columns[worker]) {
        if value.trim().is_empty() || !seen.insert((value, worker)) {
            return false;
        }
        *rows.entry(value).or_default() += 1;
    }
    let several = rows.values().filter(|&&rows| rows > 1).count();
    rows.len() > 1 && 2 * several > rows.len()
}

/// Says that each task has one label, if it is so and another column may name the tasks.
pub(super) fn one_label_each(labels: &Labels, other: Option<&str>) -> Option<String> {
    let name = shown(other.filter(|_| labels.tasks.len() == labels.len())?);
    let role = Role::Object.name();
    Some(format!("each task has one label; if '{name}' names the tasks, say --columns \"{role}={name}\""))
}

/// Says which names are alike but for capitals and space, and are taken for different ones.
pub(super) fn nearly_alike(labels: &Labels) -> Vec<String> {
    [(&labels.classes, "classes"), (&labels.workers, "workers")]
        .into_iter()
        .filter_map(|(names, what)| near(names, what))
        .collect()
}

fn near(names: &Dictionary, what: &str) -> Option<String> {
    /// Those of a larger table are made by a program.
    const MOST: usize = 100_000;
    if names.len() > MOST {
        return None;
    }
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names.iter() {
        let plain: String = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        alike.entry(plain).or_default().push(name);
    }
    let several: Vec<&Vec<&str>> = alike.values().filter(|names| names.len() > 1).collect();
    let first = several.first()?;
    let mut first: Vec<String> = first.iter().map(|name| format!("'{}'", shown(name))).collect();
    first.sort();
    let more = if several.len() > 1 { format!(", and {} more alike", several.len() - 1) } else { String::new() };
    Some(format!("{} are different {what}{more}", first.join(" and ")))
}
