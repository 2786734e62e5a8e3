//! What two workers said where they met, by the tasks' classes.

use super::pairs::Meeting;
use crate::mutual_information;

/// How often two workers said x and y where the class was z, at `(z * labels + x) * labels + y`.
pub(super) struct PairTable {
    labels: usize,
    cells: Vec<f64>,
}

impl PairTable {
    pub(super) fn new(labels: usize, classes: usize) -> Self {
        PairTable { labels, cells: vec![0.0; labels * labels * classes] }
    }

    pub(super) fn clear(&mut self) {
        self.cells.fill(0.0);
    }

    pub(super) fn add(&mut self, class: usize, x: u16, y: u16, weight: f64) {
        let (x, y) = (usize::from(x), usize::from(y));
        self.cells[(class * self.labels + x) * self.labels + y] += weight;
    }

    /// I(X, Y | class).
    pub(super) fn information(&self) -> f64 {
        mutual_information::given(&self.cells, self.labels)
    }
}

/// I(X_i, X_j | Y) over the meetings of a pair, by the probabilities of the classes.
pub(super) fn conditional_information(
    meetings: &[Meeting],
    rows: impl Iterator<Item = impl AsRef<[f64]>>,
    labels: usize,
    classes: usize,
) -> f64 {
    let mut table = PairTable::new(labels, classes);
    for (meeting, row) in meetings.iter().zip(rows) {
        row.as_ref().iter().enumerate().for_each(|(class, &p)| table.add(class, meeting.said, meeting.other_said, p));
    }
    table.information()
}
