//! The seam that every method goes through: observe one object, merge two sums.

use crate::Context;
use std::ops::Range;

/// Rows grouped by object.
pub trait Grouped: Sync {
    /// One object's rows.
    type Object<'a>
    where
        Self: 'a;

    /// How many objects there are.
    fn objects(&self) -> usize;

    /// How many rows there are in all.
    fn rows(&self) -> usize;

    /// The rows of object number `object`.
    fn object(&self, object: usize) -> Self::Object<'_>;
}

/// What a method keeps of the objects it has seen: a small sum, such as moments or counts.
///
/// Sums add, so a method written as these two verbs runs on one core, on all, or on the partitions of a
/// distributed engine, with the same code and the same result.
pub trait Sum<D: Grouped + ?Sized>: Send {
    /// Adds one object's rows.
    fn observe(&mut self, object: D::Object<'_>);

    /// Adds what another sum has seen of the objects that come after those of this one.
    fn merge(&mut self, later: Self);

    /// Is shown an object shortly before it is observed. A sum that no cache holds can ask memory for all that a few
    /// objects need at once, rather than wait for each of them.
    fn fetch(&self, _object: D::Object<'_>) {}
}

/// Objects that are fetched at once: their rows are many more than memory brings at a time, and few enough for the
/// smallest cache.
const FETCHED: usize = 16;

/// Observes these objects, in their order.
pub(crate) fn observe_all<D: Grouped>(sum: &mut impl Sum<D>, data: &D, objects: Range<usize>) {
    for first in objects.clone().step_by(FETCHED) {
        let few = first..objects.end.min(first + FETCHED);
        few.clone().for_each(|object| sum.fetch(data.object(object)));
        few.for_each(|object| sum.observe(data.object(object)));
    }
}

/// Rows below which a further cut would cost more than it gains.
const ROWS_IN_A_LEAF: usize = 8192;
/// Cuts beyond which large sums would cost more to add than objects to observe.
const MOST_LEAVES: usize = 64;

/// The sum over all objects.
///
/// The objects are halved until a leaf is small, and leaves are merged on the way back up. Where the cuts fall
/// depends on the data alone, so the result has the same bytes for any number of threads.
///
/// ```
/// use beanjar::{Context, Judgments, judgments::{ObjectJudgments, Sum, sum_over}};
///
/// struct Total(f64);
/// impl Sum<Judgments> for Total {
///     fn observe(&mut self, object: ObjectJudgments<'_>) {
///         self.0 += object.values.iter().sum::<f64>();
///     }
///     fn merge(&mut self, later: Self) {
///         self.0 += later.0;
///     }
/// }
///
/// let judgments = Judgments::from_rows([("jar 1", "beans", "ann", 310.0), ("jar 2", "beans", "ann", 50.0)])?;
/// assert_eq!(sum_over(&judgments, &Context::new(), || Total(0.0)).0, 360.0);
/// # Ok::<(), beanjar::Error>(())
/// ```
pub fn sum_over<D: Grouped, S: Sum<D>>(data: &D, context: &Context, empty: impl Fn() -> S + Sync) -> S {
    sum_over_large(data, context, 0, empty)
}

/// The same where a sum has this many numbers: it is cut only where objects to observe outweigh numbers to add.
pub fn sum_over_large<D: Grouped, S: Sum<D>>(
    data: &D,
    context: &Context,
    numbers: usize,
    empty: impl Fn() -> S + Sync,
) -> S {
    /// Numbers that are added in the time that a row takes to be observed.
    const NUMBERS_IN_A_ROW: usize = 4;
    let worthwhile = data.rows().saturating_mul(NUMBERS_IN_A_ROW) / numbers.max(1);
    let leaves = (data.rows() / ROWS_IN_A_LEAF).min(worthwhile).clamp(1, MOST_LEAVES);
    let leaf = data.objects().div_ceil(leaves).max(1);
    context.run(|| sum_range(data, context, &empty, 0..data.objects(), leaf))
}

fn sum_range<D: Grouped, S: Sum<D>>(
    data: &D,
    context: &Context,
    empty: &(impl Fn() -> S + Sync),
    range: Range<usize>,
    leaf: usize,
) -> S {
    if range.len() <= leaf {
        let mut sum = empty();
        observe_all(&mut sum, data, range);
        return sum;
    }
    let middle = range.start + range.len() / 2;
    let (mut sum, later) = context.join(
        || sum_range(data, context, empty, range.start..middle, leaf),
        || sum_range(data, context, empty, middle..range.end, leaf),
    );
    sum.merge(later);
    sum
}
