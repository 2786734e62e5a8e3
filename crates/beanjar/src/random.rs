//! Random numbers that depend on a seed and a piece of work, and on nothing else.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The generator of one named piece of random work: the same for a seed and a piece, whichever
/// thread does it and in whatever order.
pub fn stream(seed: u64, piece: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(mix(seed ^ mix(piece)))
}

/// A random number for a pair: the same for a seed and a piece, and unlike those of its neighbours.
pub(crate) fn key(seed: u64, piece: u64) -> u64 {
    mix(mix(seed) ^ piece)
}

/// A bijection that spreads neighbouring numbers (the finaliser of SplitMix64).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
