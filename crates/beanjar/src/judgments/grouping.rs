//! Rows to groups: a counting sort by object that keeps the order of rows within one.

use super::coded_blocks::Block;
use crate::Context;

/// Where each object's rows begin, and after the last one where they end.
pub(super) fn offsets(blocks: &[Block], objects: usize) -> Vec<usize> {
    let mut offsets = vec![0; objects + 1];
    for &object in blocks.iter().flat_map(|block| &block.codes[0]) {
        offsets[object as usize + 1] += 1;
    }
    let mut sum = 0;
    for offset in &mut offsets {
        sum += *offset;
        *offset = sum;
    }
    offsets
}

/// A column in the order of objects. `take` hands over a block's column, which is freed once it is placed.
pub(super) fn scatter<C: Copy + Send + Sync, T: Copy + Default + Send>(
    blocks: &mut [Block],
    offsets: &[usize],
    context: &Context,
    take: impl Fn(&mut Block) -> Vec<C>,
    convert: impl Fn(C) -> T + Sync + Send,
) -> Vec<T> {
    let column: Vec<Vec<C>> = blocks.iter_mut().map(take).collect();
    let blocks = &*blocks;
    let rows = offsets.last().copied().unwrap_or(0);
    let mut out = vec![T::default(); rows];

    // Each thread reads all rows and places those of its own range of objects: the reading is cheap and in order,
    // the placing is where memory is slow.
    let mut pieces = Vec::new();
    let mut rest = &mut out[..];
    let mut first = 0;
    for piece in 1..=context.threads() {
        let until = rows * piece / context.threads();
        let last = if piece == context.threads() {
            offsets.len() - 1
        } else {
            offsets.partition_point(|&offset| offset < until).clamp(first, offsets.len() - 1)
        };
        let (mine, others) = rest.split_at_mut(offsets[last] - offsets[first]);
        rest = others;
        pieces.push((first, last, mine));
        first = last;
    }
    context.map(pieces, |(first, last, out)| {
        let start = offsets[first];
        let mut next: Vec<usize> = offsets[first..last].iter().map(|offset| offset - start).collect();
        for (block, column) in blocks.iter().zip(&column) {
            for (&object, &value) in block.codes[0].iter().zip(column) {
                // One comparison for both bounds: what is before `first` wraps around.
                if let Some(place) = next.get_mut((object as usize).wrapping_sub(first)) {
                    out[*place] = convert(value);
                    *place += 1;
                }
            }
        }
    });
    out
}
