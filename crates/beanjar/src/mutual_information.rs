//! Mutual information of tables of counts, in nats.

/// p ln(p / (q r)); nothing for p = 0.
#[inline]
pub(crate) fn term(p: f64, q: f64, r: f64) -> f64 {
    if p > 0.0 { p * (p / (q * r)).ln() } else { 0.0 }
}

/// The sum over cells (row, column, count) of P(x, y) ln (P(x, y) / (P(x) P(y))), where probabilities are shares of `n`
/// and the margins are as given: they may count what the cells leave out.
pub(crate) fn of_cells(cells: impl Iterator<Item = (usize, usize, f64)>, rows: &[f64], columns: &[f64], n: f64) -> f64 {
    cells.map(|(x, y, count)| term(count / n, rows[x] / n, columns[y] / n)).sum()
}

/// I(X; Y) of a table of counts that lies row by row, in rows of `columns`: what sums over cells are held against. An empty
/// table has none.
#[cfg(test)]
pub(crate) fn of_table(table: &[f64], columns: usize) -> f64 {
    let mut by_row = vec![0.0; table.len() / columns.max(1)];
    let mut by_column = vec![0.0; columns];
    for (row, sum) in table.chunks_exact(columns.max(1)).zip(&mut by_row) {
        for (count, column) in row.iter().zip(&mut by_column) {
            *sum += count;
            *column += count;
        }
    }
    let n: f64 = by_row.iter().sum();
    if n <= 0.0 {
        return 0.0;
    }
    of_cells(table.iter().enumerate().map(|(at, &count)| (at / columns, at % columns, count)), &by_row, &by_column, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::{Config, RngSeed};

    /// H(X) + H(Y) - H(X, Y), entropy by entropy.
    fn by_entropies(table: &[f64], columns: usize) -> f64 {
        let n: f64 = table.iter().sum();
        let entropy = |counts: Vec<f64>| -> f64 {
            counts.iter().filter(|count| **count > 0.0).map(|count| -(count / n) * (count / n).ln()).sum()
        };
        let rows = table.chunks_exact(columns).map(|row| row.iter().sum()).collect();
        let by_column = (0..columns).map(|y| table.iter().skip(y).step_by(columns).sum()).collect();
        entropy(rows) + entropy(by_column) - entropy(table.to_vec())
    }

    #[test]
    fn agrees_with_the_sum_of_entropies() {
        for (table, columns) in [
            (vec![3.0, 1.0, 0.5, 4.0], 2),
            (vec![1.0, 0.0, 0.0, 0.0, 2.5, 7.0], 3),
            (vec![5.0], 1),
            (vec![2.0, 4.0, 1.0, 2.0, 3.0, 6.0], 2),
        ] {
            assert!((of_table(&table, columns) - by_entropies(&table, columns)).abs() < 1e-14, "{table:?}");
        }
        // Rows in proportion tell nothing; one to one they tell all.
        assert!(of_table(&[2.0, 4.0, 1.0, 2.0], 2).abs() < 1e-15);
        assert!((of_table(&[3.0, 0.0, 0.0, 3.0], 2) - 2f64.ln()).abs() < 1e-15);
        assert_eq!((of_table(&[], 0), of_table(&[0.0; 4], 2)), (0.0, 0.0));
    }

    proptest! {
        #![proptest_config(Config { cases: 200, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() })]

        #[test]
        fn of_any_table_it_is_the_sum_of_entropies(
            (columns, table) in (1..6usize, 1..6usize).prop_flat_map(|(rows, columns)| {
                (Just(columns), prop::collection::vec(prop_oneof![Just(0.0), 0.001..50.0f64], rows * columns))
            }),
        ) {
            let n: f64 = table.iter().sum();
            let direct = if n > 0.0 { by_entropies(&table, columns) } else { 0.0 };
            prop_assert!((of_table(&table, columns) - direct).abs() < 1e-12);
            prop_assert!(of_table(&table, columns) > -1e-12);
        }
    }
}
