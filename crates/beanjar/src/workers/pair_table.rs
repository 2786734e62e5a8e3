//! What two workers said where they met, by the tasks' classes.

use super::pairs::Meeting;
use crate::mutual_information::of_cells;

/// How often two workers said x and y on tasks of one class. Labels are numbered as the two gave them, so that there are no
/// more cells than the square of the number of meetings, however many classes there are.
pub(super) struct PairTable {
    /// What the two said at each meeting, by number.
    said: Vec<(usize, usize)>,
    rows: Vec<f64>,
    columns: Vec<f64>,
    cells: Vec<f64>,
    /// The cells that are not empty.
    filled: Vec<(usize, usize)>,
}

impl PairTable {
    /// An empty table for these meetings.
    pub(super) fn new(meetings: &[Meeting]) -> Self {
        let (own, rows) = numbered(meetings.iter().map(|meeting| meeting.said));
        let (others, columns) = numbered(meetings.iter().map(|meeting| meeting.other_said));
        PairTable {
            said: own.into_iter().zip(others).collect(),
            rows: vec![0.0; rows],
            columns: vec![0.0; columns],
            cells: vec![0.0; rows * columns],
            filled: Vec::new(),
        }
    }

    /// Adds what one said at one meeting and the other at another.
    pub(super) fn add(&mut self, meeting: usize, other: usize, weight: f64) {
        let (x, y) = (self.said[meeting].0, self.said[other].1);
        let cell = &mut self.cells[x * self.columns.len() + y];
        if *cell == 0.0 {
            self.filled.push((x, y));
        }
        *cell += weight;
        self.rows[x] += weight;
        self.columns[y] += weight;
    }

    /// I(X, Y) times the sum of all weights. The table is empty afterwards.
    pub(super) fn take_information(&mut self) -> f64 {
        let n: f64 = self.filled.iter().map(|&(x, y)| self.cells[x * self.columns.len() + y]).sum();
        if n <= 0.0 {
            return 0.0;
        }
        let cells = self.filled.iter().map(|&(x, y)| (x, y, self.cells[x * self.columns.len() + y]));
        let information = n * of_cells(cells, &self.rows, &self.columns, n);
        for (x, y) in self.filled.drain(..) {
            self.cells[x * self.columns.len() + y] = 0.0;
            (self.rows[x], self.columns[y]) = (0.0, 0.0);
        }
        information
    }
}

/// Labels as numbers from 0, and how many different ones there are.
fn numbered(labels: impl Iterator<Item = u16> + Clone) -> (Vec<usize>, usize) {
    let mut different: Vec<u16> = labels.clone().collect();
    different.sort_unstable();
    different.dedup();
    let number = |label: u16| different.partition_point(|&other| other < label);
    (labels.map(number).collect(), different.len())
}

/// I(X_i, X_j | Y) over the meetings of a pair, by the probabilities of the classes.
pub(super) fn conditional_information(meetings: &[Meeting], rows: &[impl AsRef<[f64]>]) -> f64 {
    let mut table = PairTable::new(meetings);
    let classes = rows.first().map_or(0, |row| row.as_ref().len());
    let mut sum = 0.0;
    for class in 0..classes {
        for (meeting, row) in rows.iter().enumerate().filter(|(_, row)| row.as_ref()[class] > 0.0) {
            table.add(meeting, meeting, row.as_ref()[class]);
        }
        sum += table.take_information();
    }
    // The probabilities of the classes of each meeting sum to one.
    sum / f64::max(meetings.len() as f64, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutual_information::of_table;

    #[test]
    fn it_is_the_weighted_mean_of_the_information_in_the_table_of_each_class() {
        let (labels, classes) = (4, 3);
        let met = |i: usize| Meeting {
            other: 1,
            task: i as u32,
            said: (i * i % 4) as u16,
            other_said: ((i + i / 3) % 4) as u16,
        };
        let meetings: Vec<Meeting> = (0..29).map(met).collect();
        let row = |i: usize| {
            let weight = |class: usize| (1 + (i * 5 + class * 3) % 7) as f64;
            (0..classes).map(|class| weight(class) / (0..classes).map(weight).sum::<f64>()).collect()
        };
        let rows: Vec<Vec<f64>> = (0..29).map(row).collect();
        let mut direct = 0.0;
        for class in 0..classes {
            let mut table = vec![0.0; labels * labels];
            for (meeting, row) in meetings.iter().zip(&rows) {
                table[usize::from(meeting.said) * labels + usize::from(meeting.other_said)] += row[class];
            }
            direct += table.iter().sum::<f64>() * of_table(&table, labels);
        }
        assert!((conditional_information(&meetings, &rows) - direct / 29.0).abs() < 1e-14);
        assert_eq!(conditional_information(&[], &[] as &[Vec<f64>]), 0.0);
    }
}
