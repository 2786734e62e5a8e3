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
    /// The most shuffles.
    pub(super) most: usize,
}

/// A pair whose shuffled labels reached the real information this often is settled.
const ENOUGH: usize = 10;

impl Permutation<'_> {
    /// Draws classes and shuffles labels within them, until the pair is settled.
    pub(super) fn test(&self, random: &mut impl rand::Rng) -> WorkerPair {
        let Permutation { one, other, meetings, rows, most } = *self;
        let n = meetings.len() as f64;
        let mut table = PairTable::new(meetings);
        let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); rows[0].len()];
        let (mut made, mut matched, mut agreed) = (0, 0, 0.0);
        let mut partners: Vec<u32> = Vec::new();
        while made < most && matched < ENOUGH {
            by_class.iter_mut().for_each(Vec::clear);
            for (i, row) in rows.iter().enumerate() {
                by_class[draw(row, random.random())].push(i as u32);
            }
            let (mut real, mut shuffled) = (0.0, 0.0);
            for members in by_class.iter().filter(|members| !members.is_empty()) {
                members.iter().for_each(|&i| table.add(i as usize, i as usize, 1.0));
                real += table.take_information();
                partners.clone_from(members);
                partners.shuffle(random);
                for (&i, &partner) in members.iter().zip(&partners) {
                    table.add(i as usize, partner as usize, 1.0);
                    let agree = meetings[i as usize].said == meetings[partner as usize].other_said;
                    agreed += f64::from(u8::from(agree));
                }
                shuffled += table.take_information();
            }
            made += 1;
            // Equal tables may differ by rounding.
            matched += usize::from(shuffled >= real - 1e-12 * n);
        }
        let p_value = match matched < ENOUGH {
            true => (matched + 1) as f64 / (made + 1) as f64,
            false => matched as f64 / made as f64,
        };
        WorkerPair {
            one,
            other,
            shared: meetings.len(),
            information: conditional_information(meetings, rows),
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
