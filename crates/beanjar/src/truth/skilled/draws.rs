use super::super::em::Expected;
use crate::gamma::{LANES, digamma_gains};

/// Expected counts below this are none: they stand for no more draws than that, and most cells of a table are such.
const NOTHING: f64 = 1e-6;
/// The same of a whole row.
const NO_ROW: f64 = 1e-9;

/// Independent draws from the mean rows, as far as the counts stand for them.
pub(super) struct Draws {
    /// Of the right label and of wrong ones, at `worker * components + component`.
    pub(super) right: Vec<f64>,
    pub(super) wrong: Vec<f64>,
    /// Of each wrong label, at `label * components + component`.
    pub(super) shares: Vec<f64>,
    /// Of all labels.
    pub(super) total: f64,
    /// What the rows' sums stand for in the evidence of the strength.
    pub(super) rows: f64,
}

impl Draws {
    /// Of counts that were drawn around these means with this strength.
    pub(super) fn of(expected: &Expected, strength: f64, means: &[f64]) -> Self {
        let (labels, components) = (expected.labels, expected.classes);
        let cells = labels * components;
        let workers = expected.votes.len() / cells.max(1);
        let mut draws = Draws {
            right: vec![0.0; workers * components],
            wrong: vec![0.0; workers * components],
            shares: vec![0.0; cells],
            total: 0.0,
            rows: 0.0,
        };
        let mut sums = vec![0.0; components];
        let (mut some, mut rows) = (Cells::new(), RowSums::default());
        for (worker, (table, means)) in expected.votes.chunks_exact(cells).zip(means.chunks_exact(cells)).enumerate() {
            sums.fill(0.0);
            for row in table.chunks_exact(components) {
                sums.iter_mut().zip(row).for_each(|(sum, count)| *sum += count);
            }
            sums.iter().filter(|sum| **sum >= NO_ROW).for_each(|&sum| draws.rows += rows.push(strength, sum));
            let cells = table.chunks_exact(components).zip(means.chunks_exact(components)).enumerate();
            for (label, (counts, means)) in cells {
                for component in 0..components {
                    if counts[component] >= NOTHING {
                        let cell = Cell { worker, label, component };
                        if some.push(cell, strength * means[component], counts[component]) {
                            draws.add(&mut some, labels, components);
                        }
                    }
                }
            }
        }
        draws.add(&mut some, labels, components);
        draws.rows += rows.stand_for(strength);
        draws
    }

    /// Adds the draws of some cells, and empties them.
    fn add(&mut self, some: &mut Cells, labels: usize, components: usize) {
        let gains = digamma_gains(&some.pseudo, &some.counts);
        for (lane, &Cell { worker, label, component }) in some.cells[..some.filled].iter().enumerate() {
            let drawn = some.pseudo[lane] * gains[lane];
            self.total += drawn;
            match component % labels == label {
                true => self.right[worker * components + component] += drawn,
                false => {
                    self.wrong[worker * components + component] += drawn;
                    self.shares[label * components + component] += drawn;
                }
            }
        }
        some.filled = 0;
    }
}

/// Cells whose draws are found side by side.
struct Cells {
    filled: usize,
    cells: [Cell; LANES],
    pseudo: [f64; LANES],
    counts: [f64; LANES],
}

#[derive(Clone, Copy, Default)]
struct Cell {
    worker: usize,
    label: usize,
    component: usize,
}

impl Cells {
    fn new() -> Self {
        Cells { filled: 0, cells: [Cell::default(); LANES], pseudo: [1.0; LANES], counts: [0.0; LANES] }
    }

    /// Whether no more have room.
    #[inline(always)]
    fn push(&mut self, cell: Cell, pseudo: f64, count: f64) -> bool {
        let lane = self.filled;
        (self.cells[lane], self.pseudo[lane], self.counts[lane]) = (cell, pseudo, count);
        self.filled += 1;
        self.filled == LANES
    }
}

/// Sums of rows, for which the gains are found side by side.
#[derive(Default)]
struct RowSums {
    filled: usize,
    sums: [f64; LANES],
}

impl RowSums {
    /// What the sums stand for once there is room for no more, and nothing until then.
    fn push(&mut self, strength: f64, sum: f64) -> f64 {
        self.sums[self.filled] = sum;
        self.filled += 1;
        if self.filled == LANES { self.stand_for(strength) } else { 0.0 }
    }

    /// What they stand for; there are none afterwards.
    fn stand_for(&mut self, strength: f64) -> f64 {
        let gains = digamma_gains(&[strength; LANES], &self.sums);
        gains[..std::mem::take(&mut self.filled)].iter().sum()
    }
}
