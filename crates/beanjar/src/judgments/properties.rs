//! What must hold for any table: how its rows are cut into blocks, and who reads which, does not matter.

use super::{JudgmentColumns, JudgmentsPart, LabelsPart};
use crate::{Context, Judgments, Labels};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
use std::num::NonZeroUsize;

/// Where blocks end, and which of three parts takes each.
fn blocks(rows: usize, cuts: &[(usize, usize)]) -> Vec<(std::ops::Range<usize>, usize)> {
    let mut ends: Vec<(usize, usize)> = cuts.iter().map(|&(end, part)| (end % (rows + 1), part)).collect();
    ends.push((rows, 0));
    ends.sort_unstable();
    let starts = std::iter::once(0).chain(ends.iter().map(|(end, _)| *end));
    starts.zip(&ends).map(|(start, &(end, part))| (start..end, part)).collect()
}

fn context(threads: usize) -> Context {
    Context::new().with_threads(NonZeroUsize::new(threads).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn labels_are_the_same_in_any_cut(
        rows in vec(("[ab]{0,2}", "w[0-4]?", "[ ,\"x]{0,2}"), 0..60),
        cuts in vec((0..60usize, 0..3usize), 0..6),
        threads in 1..4usize,
    ) {
        let mut parts = vec![LabelsPart::default(); 3];
        for (block, (range, part)) in blocks(rows.len(), &cuts).into_iter().enumerate() {
            let rows = &rows[range];
            let column = |pick: fn(&(String, String, String)) -> &str| rows.iter().map(pick).collect::<Vec<_>>();
            parts[part].push(block as u32, &column(|r| &r.0), &column(|r| &r.1), &column(|r| &r.2)).unwrap();
        }
        let whole = Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap();
        prop_assert_eq!(Labels::from_parts(parts, &context(threads)).unwrap(), whole);
    }

    #[test]
    fn judgments_are_the_same_in_any_cut(
        rows in vec(("o[0-4]?", "a[0-3]?", "(w[0-4])?", -1e6..1e6f64), 0..60),
        cuts in vec((0..60usize, 0..3usize), 0..6),
        threads in 1..4usize,
    ) {
        let mut parts = vec![JudgmentsPart::default(); 3];
        for (block, (range, part)) in blocks(rows.len(), &cuts).into_iter().enumerate() {
            let rows = &rows[range];
            let column = |pick: fn(&(String, String, String, f64)) -> &str| rows.iter().map(pick).collect::<Vec<_>>();
            let (objects, attributes, workers) = (&column(|r| &r.0), &column(|r| &r.1), &column(|r| &r.2));
            let values = rows.iter().map(|row| row.3).collect();
            parts[part].push(block as u32, JudgmentColumns { objects, attributes, workers, values }).unwrap();
        }
        let whole = Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], &a[..], &w[..], *v))).unwrap();
        prop_assert_eq!(Judgments::from_parts(parts, &context(threads)).unwrap(), whole);
    }

    #[test]
    fn no_row_is_lost_or_changed(
        rows in vec(("o[0-4]", "a[0-3]", "(w[0-4])?", -1e6..1e6f64), 1..60),
    ) {
        let table = Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], &a[..], &w[..], *v))).unwrap();
        let mut found: Vec<(String, String, String, f64)> = Vec::new();
        for (object, id) in table.objects.iter().enumerate() {
            for (attribute, workers, values) in table.of(object).by_attribute() {
                let worker = |row: usize| match workers.get(row) {
                    Some(&worker) if worker != super::ANONYMOUS => table.workers.get(worker as usize),
                    _ => "",
                };
                let name = table.attributes.get(attribute);
                let named = (0..values.len()).map(|i| (id.into(), name.into(), worker(i).into(), values[i]));
                found.extend(named);
            }
        }
        let sorted = |mut rows: Vec<(String, String, String, f64)>| {
            rows.sort_by(|a, b| (&a.0, &a.1, &a.2).cmp(&(&b.0, &b.1, &b.2)).then(a.3.total_cmp(&b.3)));
            rows
        };
        prop_assert_eq!(sorted(found), sorted(rows));
    }
}
