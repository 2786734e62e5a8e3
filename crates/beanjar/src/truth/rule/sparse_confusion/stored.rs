//! Sparse confusion matrices as they are written to a file.

use super::{SparseConfusion, Table};
use crate::truth::rule::possible;

#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Stored {
    prior: Vec<f64>,
    /// Of each worker, class, label and P(label | class) where that is not zero; the last is the newcomer's.
    workers: Vec<Vec<(u16, u16, f64)>>,
}

impl TryFrom<Stored> for SparseConfusion {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        let classes = stored.prior.len();
        if classes == 0 || stored.workers.is_empty() {
            return Err("there are no confusion matrices".into());
        }
        let share = |p: &f64| (0.0..=1.0 + 1e-9).contains(p);
        if !stored.prior.iter().all(share) || (stored.prior.iter().sum::<f64>() - 1.0).abs() >= 1e-6 {
            return Err("probabilities do not sum to one".into());
        }
        let mut sums = vec![0.0; classes];
        let mut tables = Vec::with_capacity(stored.workers.len());
        for mut cells in stored.workers {
            if cells.iter().any(|(class, label, _)| usize::from(*class.max(label)) >= classes) {
                return Err("a cell is beyond the number of classes".into());
            }
            if cells.iter().any(|(_, _, p)| !(share(p) && *p > 0.0)) {
                return Err("a probability is not between 0 and 1".into());
            }
            cells.iter().for_each(|(class, _, p)| sums[usize::from(*class)] += p);
            let whole = |class: &u16| (sums[usize::from(*class)] - 1.0).abs() < 1e-6;
            if !cells.iter().all(|(class, _, _)| whole(class)) {
                return Err("probabilities do not sum to one".into());
            }
            cells.iter().for_each(|(class, _, _)| sums[usize::from(*class)] = 0.0);
            cells.sort_unstable_by_key(|(class, label, _)| (*label, *class));
            if cells.windows(2).any(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
                return Err("a cell is there twice".into());
            }
            let mut table = Table::default();
            for of_label in cells.chunk_by(|a, b| a.1 == b.1) {
                table.push(of_label[0].1, of_label.iter().map(|(class, _, p)| (*class, *p)));
            }
            table.normalise(&mut sums);
            tables.push(table);
        }
        Ok(SparseConfusion::of_tables(stored.prior.into_iter().map(possible).collect(), tables))
    }
}

impl From<SparseConfusion> for Stored {
    fn from(confusion: SparseConfusion) -> Self {
        let cells = |table: &Table| {
            let mut cells: Vec<(u16, u16, f64)> = Vec::new();
            for &label in table.labels() {
                let (classes, logs) = table.row(label);
                // What is too small for a double to hold is as good as never.
                let written = classes.iter().zip(logs).map(|(class, log)| (*class, label, log.exp()));
                cells.extend(written.filter(|(_, _, p)| *p > 0.0));
            }
            cells.sort_unstable_by_key(|(class, label, _)| (*class, *label));
            cells
        };
        let workers = confusion.tables.iter().map(cells).collect();
        Stored { prior: confusion.prior, workers }
    }
}
