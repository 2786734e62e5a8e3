use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar::Labels;
use beanjar::workers::{Information, Keep, Missing, Ranking};
use beanjar_io::{Source, read_columns};
use std::str::FromStr;

/// Whose labels to use.
#[derive(Clone, Debug)]
pub(crate) enum WorkersWanted {
    All,
    Auto,
    Top(usize),
    File(Source),
}

impl FromStr for WorkersWanted {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        Ok(match (text, text.parse::<usize>()) {
            ("all", _) => WorkersWanted::All,
            ("auto", _) => WorkersWanted::Auto,
            (_, Ok(0)) => return Err("at least one worker must be kept".into()),
            (_, Ok(n)) => WorkersWanted::Top(n),
            _ => WorkersWanted::File(Source::from(text)),
        })
    }
}

impl WorkersWanted {
    pub(crate) fn file(&self) -> Option<&Source> {
        match self {
            WorkersWanted::File(source) => Some(source),
            _ => None,
        }
    }

    /// Whether each worker is kept; none if all are.
    pub(crate) fn kept(&self, labels: &Labels, file: &Source, common: &Common) -> Result<Option<Vec<bool>>> {
        let context = common.context()?;
        let ranking = || Information::new(labels.ballots(), Missing::default(), &context).map(|i| Ranking::new(&i));
        let kept = match self {
            WorkersWanted::All => return Ok(None),
            WorkersWanted::Auto => {
                let keep = Keep { seed: common.seed, ..Keep::default() };
                ranking()?.top(keep.choose(labels.ballots(), &context)?.keep)
            }
            WorkersWanted::Top(n) => {
                if *n > labels.workers.len() {
                    let workers = count(labels.workers.len(), "worker");
                    common.warn(&format!("--workers {n}: there are only {workers}, and all are kept"));
                }
                ranking()?.top(*n)
            }
            WorkersWanted::File(source) => listed(labels, file, source, common)?,
        };
        Ok(Some(kept))
    }
}

/// The workers in the column 'worker' of a table, or in its first; only those whose `kept` is true, if it has such a
/// column.
fn listed(labels: &Labels, file: &Source, source: &Source, common: &Common) -> Result<Vec<bool>> {
    let (names, columns) = read_columns(source)?;
    let column = |name: &str| names.iter().position(|other| other == name).map(|at| &columns[at]);
    let Some(ids) = column("worker").or(columns.first()) else {
        return Err(Failure::Words(format!("{}: there is no column of workers", source.name())));
    };
    let kept = column("kept");
    let yes = |text: &str| ["true", "yes", "1"].contains(&text.trim().to_lowercase().as_str());
    let wanted: beanjar::Dictionary =
        (0..ids.len()).filter(|&row| kept.is_none_or(|kept| yes(&kept[row]))).map(|row| ids[row].as_str()).collect();
    if wanted.is_empty() {
        return Err(Failure::Words(format!("{}: no worker is kept; mark some with 'true'", source.name())));
    }
    let lookup = wanted.lookup();
    let chosen: Vec<bool> = labels.workers.iter().map(|worker| lookup.code(worker).is_some()).collect();
    if !chosen.contains(&true) {
        return Err(super::super::labelled::nothing_in_common(file, &labels.workers, "worker", source, &wanted));
    }
    let found = chosen.iter().filter(|chosen| **chosen).count();
    if found < wanted.len() {
        let missing = count(wanted.len() - found, "worker");
        common.warn(&format!("{missing} of {} gave no label in {}", source.name(), file.name()));
    }
    Ok(chosen)
}
