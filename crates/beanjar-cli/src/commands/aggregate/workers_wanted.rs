use crate::failure::{Failure, Result};
use beanjar::Dictionary;
use beanjar::truth::WorkersToUse;
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

    /// The same with the file read.
    pub(crate) fn load(&self) -> Result<WorkersToUse> {
        Ok(match self {
            WorkersWanted::All => WorkersToUse::All,
            WorkersWanted::Auto => WorkersToUse::Auto,
            WorkersWanted::Top(n) => WorkersToUse::Top(*n),
            WorkersWanted::File(source) => WorkersToUse::These(listed(source)?),
        })
    }
}

/// The workers in the column 'worker' of a table, or in its first; only those whose `kept` is true, if it has such a
/// column.
fn listed(source: &Source) -> Result<Dictionary> {
    let (names, columns) = read_columns(source)?;
    let column = |name: &str| names.iter().position(|other| other == name).map(|at| &columns[at]);
    let Some(ids) = column("worker").or(columns.first()) else {
        return Err(Failure::Words(format!("{}: there is no column of workers", source.name())));
    };
    let kept = column("kept");
    let yes = |text: &str| ["true", "yes", "1"].contains(&text.trim().to_lowercase().as_str());
    let wanted: Dictionary =
        (0..ids.len()).filter(|&row| kept.is_none_or(|kept| yes(&kept[row]))).map(|row| ids[row].as_str()).collect();
    match wanted.is_empty() {
        true => Err(Failure::Words(format!("{}: no worker is kept; mark some with 'true'", source.name()))),
        false => Ok(wanted),
    }
}
