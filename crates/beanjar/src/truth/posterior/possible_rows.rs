//! Rows of a posterior that hold the possible classes alone: of thousands of classes a task's votes name a few.

use super::Probabilities;
use crate::Context;

/// Of each task its possible classes, in rising order, and their probabilities. Tasks may share a row.
#[derive(Clone, Debug, Default)]
pub(super) struct PossibleRows {
    /// Of each task, where its row begins and ends.
    spans: Vec<(usize, usize)>,
    classes: Vec<u16>,
    values: Vec<f64>,
}

impl PossibleRows {
    /// Fills each task's row, pieces of the tasks side by side; the sum of what `fill` returns. A task whose row is left
    /// empty has equal probabilities of all `classes`.
    pub(super) fn fill(
        tasks: usize,
        classes: usize,
        context: &Context,
        fill: impl Fn(usize, &mut Vec<(u16, f64)>) -> f64 + Sync + Send,
    ) -> (Self, f64) {
        let piece = tasks.div_ceil(256).max(1);
        let starts: Vec<usize> = (0..tasks).step_by(piece).collect();
        let pieces = context.map(starts, |start| {
            let (mut rows, mut row, mut sum) = (PossibleRows::default(), Vec::new(), 0.0);
            for task in start..(start + piece).min(tasks) {
                row.clear();
                sum += fill(task, &mut row);
                let span = rows.push(row.iter().copied());
                rows.spans.push(span);
            }
            (rows, sum)
        });
        let entries = pieces.iter().map(|(piece, _)| piece.values.len()).sum();
        let mut rows = PossibleRows {
            spans: Vec::with_capacity(tasks),
            classes: Vec::with_capacity(entries),
            values: Vec::with_capacity(entries),
        };
        let mut sum = 0.0;
        for (piece, of_piece) in pieces {
            sum += of_piece;
            let from = rows.values.len();
            rows.spans.extend(piece.spans.iter().map(|(start, end)| (from + start, from + end)));
            rows.classes.extend(piece.classes);
            rows.values.extend(piece.values);
        }
        let open: Vec<usize> = (0..tasks).filter(|&task| rows.spans[task].0 == rows.spans[task].1).collect();
        rows.share(&open, &vec![1.0 / classes.max(1) as f64; classes]);
        (rows, sum)
    }

    pub(super) fn tasks(&self) -> usize {
        self.spans.len()
    }

    pub(super) fn of(&self, task: usize, classes: usize) -> Probabilities<'_> {
        let (start, end) = self.spans[task];
        Probabilities::listed(classes, &self.classes[start..end], &self.values[start..end])
    }

    /// Gives these tasks one row, of a probability for each class.
    pub(super) fn share(&mut self, tasks: &[usize], row: &[f64]) {
        if tasks.is_empty() {
            return;
        }
        let span = self.push(row.iter().enumerate().map(|(class, &p)| (class as u16, p)));
        tasks.iter().for_each(|&task| self.spans[task] = span);
    }

    /// Makes one class of a task certain.
    pub(super) fn set_certain(&mut self, task: usize, class: u16) {
        self.spans[task] = self.push([(class, 1.0)].into_iter());
    }

    /// Keeps what is not zero, and says where.
    fn push(&mut self, row: impl Iterator<Item = (u16, f64)>) -> (usize, usize) {
        let start = self.values.len();
        for (class, p) in row.filter(|(_, p)| *p > 0.0) {
            self.classes.push(class);
            self.values.push(p);
        }
        (start, self.values.len())
    }
}
