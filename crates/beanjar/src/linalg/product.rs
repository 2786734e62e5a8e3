use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, Axis, Slice};

/// Rows, one after the other, and the number of their columns.
pub(crate) type Rows<'a> = (&'a [f64], usize);

/// A part of a matrix whose rows are kept one after the other.
pub(crate) struct Block<'a> {
    pub(crate) matrix: &'a mut [f64],
    pub(crate) columns: usize,
    /// The row and the column at which the part begins.
    pub(crate) corner: (usize, usize),
}

/// Adds scale times left' right to a block, which is as high as left has columns and as wide as right has columns.
pub(crate) fn add_product(block: Block<'_>, scale: f64, left: Rows<'_>, right: Rows<'_>) {
    let shape = |values: &[f64], columns: usize| (values.len() / columns.max(1), columns);
    let Block { matrix, columns, corner } = block;
    let views = (
        ArrayViewMut2::from_shape(shape(matrix, columns), matrix),
        ArrayView2::from_shape(shape(left.0, left.1), left.0),
        ArrayView2::from_shape(shape(right.0, right.1), right.0),
    );
    let (Ok(mut matrix), Ok(left), Ok(right)) = views else { return };
    if left.is_empty() || right.is_empty() {
        return;
    }
    matrix.slice_axis_inplace(Axis(0), Slice::from(corner.0..corner.0 + left.ncols()));
    matrix.slice_axis_inplace(Axis(1), Slice::from(corner.1..corner.1 + right.ncols()));
    general_mat_mul(scale, &left.t(), &right, 1.0, &mut matrix);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_any_size_agree_with_sums() {
        for (rows, m, n) in [(0, 2, 3), (1, 1, 1), (3, 0, 2), (5, 4, 1), (130, 17, 9), (40, 33, 65)] {
            let left: Vec<f64> = (0..rows * m).map(|i| ((i * 7) % 11) as f64 - 5.0).collect();
            let right: Vec<f64> = (0..rows * n).map(|i| ((i * 5) % 13) as f64 - 6.0).collect();
            let columns = n + 3;
            let mut target = vec![1.0; (m + 2) * columns];
            add_product(Block { matrix: &mut target, columns, corner: (1, 2) }, -2.0, (&left, m), (&right, n));
            for (at, found) in target.iter().enumerate() {
                let (i, j) = (at / columns, at % columns);
                let inside = (1..m + 1).contains(&i) && (2..n + 2).contains(&j);
                let sum: f64 =
                    if inside { (0..rows).map(|r| left[r * m + i - 1] * right[r * n + j - 2]).sum() } else { 0.0 };
                assert_eq!(*found, 1.0 - 2.0 * sum, "{rows} {m} {n}: {i} {j}");
            }
        }
    }
}
