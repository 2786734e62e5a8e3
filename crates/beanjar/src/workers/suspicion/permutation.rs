//! The permutation test of one pair.

use super::super::pair_table::{PairTable, conditional_information};
use super::super::pairs::Meeting;
use super::WorkerPair;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Where a pair met, and what is known of it.
pub(super) struct Permutation<'a> {
    pub(super) one: usize,
    pub(super) other: usize,
    pub(super) meetings: &'a [Meeting],
    /// The probabilities of the classes at each meeting.
    pub(super) rows: &'a [Vec<f64>],
    pub(super) labels: usize,
    /// The most shuffles.
    pub(super) most: usize,
}

/// A pair whose shuffled labels reached the real information this often is settled.
const ENOUGH: usize = 10;

impl Permutation<'_> {
    /// Draws classes and shuffles labels within them, until the pair is settled.
    pub(super) fn test(&self, random: &mut impl rand::Rng) -> WorkerPair {
        let Permutation { one, other, meetings, rows, labels, most } = *self;
        let classes = rows[0].len();
        let n = meetings.len() as f64;
        let (mut real, mut shuffled) = (PairTable::new(labels, classes), PairTable::new(labels, classes));
        let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); classes];
        let (mut made, mut matched, mut agreed) = (0, 0, 0.0);
        let mut said: Vec<u16> = Vec::new();
        while made < most && matched < ENOUGH {
            by_class.iter_mut().for_each(Vec::clear);
            real.clear();
            shuffled.clear();
            for (i, (meeting, row)) in meetings.iter().zip(rows).enumerate() {
                let class = draw(row, random.random());
                by_class[class].push(i as u32);
                real.add(class, meeting.said, meeting.other_said, 1.0);
            }
            for (class, members) in by_class.iter().enumerate() {
                said.clear();
                said.extend(members.iter().map(|&i| meetings[i as usize].other_said));
                said.shuffle(random);
                for (&i, &other_said) in members.iter().zip(&said) {
                    let own = meetings[i as usize].said;
                    shuffled.add(class, own, other_said, 1.0);
                    agreed += f64::from(u8::from(own == other_said));
                }
            }
            made += 1;
            // Equal tables may differ by rounding.
            matched += usize::from(shuffled.information() >= real.information() - 1e-12);
        }
        let p_value = match matched < ENOUGH {
            true => (matched + 1) as f64 / (made + 1) as f64,
            false => matched as f64 / made as f64,
        };
        WorkerPair {
            one,
            other,
            shared: meetings.len(),
            information: conditional_information(meetings, rows.iter(), labels, classes),
            agreement: meetings.iter().filter(|meeting| meeting.said == meeting.other_said).count() as f64 / n,
            expected: agreed / (n * made as f64),
            p_value,
            adjusted: 1.0,
        }
    }
}

/// The class at a point of the unit interval.
fn draw(probabilities: &[f64], mut at: f64) -> usize {
    for (class, p) in probabilities.iter().enumerate() {
        if at < *p {
            return class;
        }
        at -= p;
    }
    probabilities.len() - 1
}
