//! Random numbers that depend on a seed and a piece of work, and on nothing else.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The generator of one named piece of random work: the same for a seed and a piece, whichever
/// thread does it and in whatever order.
#[must_use]
pub fn stream(seed: u64, piece: u64) -> Pcg64Mcg {
    Pcg64Mcg::seed_from_u64(mix(seed ^ mix(piece)))
}

/// A random number for a pair: the same for a seed and a piece, and unlike those of its neighbours.
pub(crate) fn key(seed: u64, piece: u64) -> u64 {
    mix(mix(seed) ^ piece)
}

/// A random number for a text: the same for a seed and a text, whatever stands before it in a table.
pub(crate) fn key_of_text(seed: u64, text: &str) -> u64 {
    let mix_in = |sum: u64, bytes: &[u8]| {
        let mut piece = [0; 8];
        piece[..bytes.len()].copy_from_slice(bytes);
        mix(sum ^ u64::from_le_bytes(piece))
    };
    text.as_bytes().chunks(8).fold(mix(seed) ^ text.len() as u64, mix_in)
}

/// A bijection that spreads neighbouring numbers (the finaliser of SplitMix64).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
