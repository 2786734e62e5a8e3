//! Units split at random.

use crate::Context;
use crate::random::stream;
use rand::seq::SliceRandom;

/// Numbers below `units`, split at random: about a share of them, and the others, both in rising order.
#[must_use]
pub fn random_split(units: usize, share: f64, context: &Context) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..units).collect();
    order.shuffle(&mut stream(context.seed(), u64::MAX - 5));
    let mut drawn = vec![false; units];
    order.iter().take((share * units as f64).round() as usize).for_each(|&unit| drawn[unit] = true);
    (0..units).partition(|&unit| drawn[unit])
}

/// The fold of each unit: folds of equal size but for one unit, drawn at random.
pub(super) fn folds_of(units: usize, folds: usize, context: &Context) -> Vec<usize> {
    let mut fold: Vec<usize> = (0..units).map(|unit| unit % folds).collect();
    fold.shuffle(&mut stream(context.seed(), u64::MAX - 4));
    fold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_has_each_unit_once_and_depends_on_the_seed() {
        let seed = |seed: u64| Context::new().with_seed(seed);
        let (held, kept) = random_split(10, 0.3, &seed(4));
        assert_eq!((held.len(), kept.len()), (3, 7));
        let mut all = [held.clone(), kept].concat();
        all.sort_unstable();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        assert_ne!(held, random_split(10, 0.3, &seed(5)).0);
        assert_eq!(random_split(0, 0.3, &seed(4)), (vec![], vec![]));
    }

    #[test]
    fn folds_are_even() {
        let fold = folds_of(11, 3, &Context::new());
        let count = |k: usize| fold.iter().filter(|fold| **fold == k).count();
        assert_eq!([count(0), count(1), count(2)], [4, 4, 3]);
        assert_ne!(fold, folds_of(11, 3, &Context::new().with_seed(1)));
    }
}
