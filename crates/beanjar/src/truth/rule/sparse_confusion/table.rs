/// One worker's labels by the tasks' classes, in the cells that have any.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::truth) struct Table {
    /// The labels that the worker gave, in rising order.
    labels: Vec<u16>,
    /// Where the cells of each label end.
    ends: Vec<usize>,
    /// The class of each cell, rising for each label.
    classes: Vec<u16>,
    /// Counts; once they are normalised, logarithms of probabilities.
    values: Vec<f64>,
    /// The classes that have a cell, in rising order, once it is normalised.
    met: Vec<u16>,
}

impl Table {
    /// Adds the cells of the next label: classes in rising order, with what was counted.
    pub(in crate::truth) fn push(&mut self, label: u16, cells: impl Iterator<Item = (u16, f64)>) {
        for (class, count) in cells {
            self.classes.push(class);
            self.values.push(count);
        }
        self.labels.push(label);
        self.ends.push(self.values.len());
    }

    /// Counts become logarithms of the shares of each class's labels. `sums` has a zero for each class, and is left so.
    pub(in crate::truth) fn normalise(&mut self, sums: &mut [f64]) {
        for (&class, count) in self.classes.iter().zip(&self.values) {
            if sums[usize::from(class)] == 0.0 {
                self.met.push(class);
            }
            sums[usize::from(class)] += count;
        }
        for (class, value) in self.classes.iter().zip(&mut self.values) {
            *value = (*value / sums[usize::from(*class)]).ln();
        }
        self.met.iter().for_each(|class| sums[usize::from(*class)] = 0.0);
        self.met.sort_unstable();
    }

    /// The classes and values of a label's cells; none of a label that was never given.
    #[inline]
    pub(in crate::truth) fn row(&self, label: u16) -> (&[u16], &[f64]) {
        let Ok(at) = self.labels.binary_search(&label) else { return (&[], &[]) };
        let cells = if at == 0 { 0 } else { self.ends[at - 1] }..self.ends[at];
        (&self.classes[cells.clone()], &self.values[cells])
    }

    /// The value of one cell.
    pub(super) fn log(&self, label: u16, class: u16) -> Option<f64> {
        let (classes, values) = self.row(label);
        classes.binary_search(&class).ok().map(|at| values[at])
    }

    /// Whether any label was given where this class was possible.
    pub(super) fn has_met(&self, class: u16) -> bool {
        self.met.binary_search(&class).is_ok()
    }

    /// The labels that were given.
    pub(in crate::truth) fn labels(&self) -> &[u16] {
        &self.labels
    }
}
