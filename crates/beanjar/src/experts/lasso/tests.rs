use super::*;
use crate::experts::Features;
use crate::random::stream;
use rand::RngExt;

/// ln(1 + e^x).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn standardised(units: usize, columns: &[Vec<f64>]) -> Standardised {
    Standardised::of(&Features::from_columns(units, columns).unwrap())
}

/// Rows by units, with their own copies of everything.
struct Case {
    features: Standardised,
    columns: Vec<Vec<f64>>,
    offsets: Vec<usize>,
    group: Vec<u32>,
    groups: usize,
    weight: Vec<f64>,
    target: Vec<f64>,
}

impl Case {
    fn draw(units: usize, features: usize, groups: usize, seed: u64) -> Case {
        let mut random = stream(seed, 0);
        let columns: Vec<Vec<f64>> = (0..features)
            .map(|j| {
                (0..units)
                    .map(|_| if random.random_bool(0.6) { random.random_range(-1.0..3.0) + j as f64 } else { 0.0 })
                    .collect()
            })
            .collect();
        let (mut offsets, mut group, mut weight, mut target) = (vec![0], Vec::new(), Vec::new(), Vec::new());
        for unit in 0..units {
            for k in 0..groups {
                if groups == 1 || random.random_bool(0.7) {
                    let signal = columns.first().map_or(0.0, |column| column[unit]) - 0.5;
                    group.push(k as u32);
                    weight.push(random.random_range(0.5..1.5));
                    target.push((logistic(signal + 0.3 * k as f64) + random.random_range(-0.3..0.3)).clamp(0.0, 1.0));
                }
            }
            offsets.push(group.len());
        }
        let features = standardised(units, &columns);
        Case { features, columns, offsets, group, groups, weight, target }
    }

    fn rows(&self) -> LogisticRows {
        LogisticRows {
            offsets: self.offsets.clone(),
            group: self.group.clone(),
            groups: self.groups,
            weight: self.weight.clone(),
            target: self.target.clone(),
        }
    }

    fn solve(&self, penalty: f64, tolerance: f64, start: Option<&Sparse>) -> Sparse {
        solve(&self.features, &self.rows(), Lasso { penalty, tolerance }, start, &Context::new()).unwrap()
    }

    /// Proximal gradient with restarts, on standardised columns written out, run long.
    fn slowly(&self, penalty: f64) -> (f64, Vec<f64>) {
        let units = self.offsets.len() - 1;
        let standard: Vec<Vec<f64>> = self
            .columns
            .iter()
            .map(|column| {
                let mean = column.iter().sum::<f64>() / units as f64;
                let deviation = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / units as f64).sqrt();
                column.iter().map(|x| if deviation > 1e-12 { (x - mean) / deviation } else { 0.0 }).collect()
            })
            .collect();
        let (d, k) = (standard.len(), self.groups);
        let value = |b: &[f64], a: &[f64]| -> f64 {
            let mut sum = penalty * b.iter().map(|b| b.abs()).sum::<f64>();
            for unit in 0..units {
                let x: f64 = (0..d).map(|j| b[j] * standard[j][unit]).sum();
                for row in self.offsets[unit]..self.offsets[unit + 1] {
                    let u = a[self.group[row] as usize] + x;
                    sum += self.weight[row] * (softplus(u) - self.target[row] * u);
                }
            }
            sum
        };
        let bound = 0.25 * self.weight.iter().sum::<f64>() * (d as f64 + 1.0);
        let (mut b, mut a) = (vec![0.0; d], vec![0.0; k]);
        let (mut vb, mut va, mut t) = (b.clone(), a.clone(), 1.0f64);
        for _ in 0..20_000 {
            let (mut gb, mut ga) = (vec![0.0; d], vec![0.0; k]);
            for unit in 0..units {
                let x: f64 = (0..d).map(|j| vb[j] * standard[j][unit]).sum();
                for row in self.offsets[unit]..self.offsets[unit + 1] {
                    let group = self.group[row] as usize;
                    let r = self.weight[row] * (logistic(va[group] + x) - self.target[row]);
                    ga[group] += r;
                    (0..d).for_each(|j| gb[j] += r * standard[j][unit]);
                }
            }
            let next_b: Vec<f64> = (0..d).map(|j| soft(vb[j] - gb[j] / bound, penalty / bound)).collect();
            let next_a: Vec<f64> = (0..k).map(|i| va[i] - ga[i] / bound).collect();
            let next_t = (1.0 + (1.0 + 4.0 * t * t).sqrt()) / 2.0;
            let (better, momentum) = match value(&next_b, &next_a) <= value(&b, &a) {
                true => (next_t, (t - 1.0) / next_t),
                false => (1.0, 0.0),
            };
            vb = (0..d).map(|j| next_b[j] + momentum * (next_b[j] - b[j])).collect();
            va = (0..k).map(|i| next_a[i] + momentum * (next_a[i] - a[i])).collect();
            (b, a, t) = (next_b, next_a, better);
        }
        (value(&b, &a), b)
    }
}

fn agrees(case: &Case, penalty: f64, what: &str) {
    let fast = case.solve(penalty, 1e-9, None);
    let (objective, coefficients) = case.slowly(penalty);
    assert!(
        (fast.objective - objective).abs() < 1e-6 * objective.abs().max(1.0),
        "{what}: {} {objective}",
        fast.objective
    );
    assert!(fast.gap < 1e-6, "{what}: gap {}", fast.gap);
    for (j, (ours, theirs)) in fast.coefficients.iter().zip(&coefficients).enumerate() {
        let borderline = ours.abs().max(theirs.abs()) < 1e-3;
        assert!((*ours == 0.0) == (*theirs == 0.0) || borderline, "{what}: support at {j}: {ours} {theirs}");
    }
}

#[test]
fn agrees_with_a_long_proximal_gradient() {
    agrees(&Case::draw(60, 4, 1, 1), 2.0, "plain");
    agrees(&Case::draw(60, 4, 3, 2), 2.0, "groups");
    agrees(&Case::draw(40, 12, 2, 3), 0.3, "many features");
    agrees(&Case::draw(15, 25, 1, 4), 0.5, "more features than units");
    agrees(&Case::draw(30, 0, 2, 5), 1.0, "no features");
    let mut constant = Case::draw(50, 3, 1, 6);
    constant.columns.push(vec![4.0; 50]);
    constant.features = standardised(50, &constant.columns);
    agrees(&constant, 1.0, "a constant column");
}

#[test]
fn ties_and_separable_data_have_an_optimum_with_a_penalty() {
    let mut twins = Case::draw(50, 2, 1, 7);
    twins.columns.push(twins.columns[0].clone());
    twins.features = standardised(50, &twins.columns);
    let fast = twins.solve(0.5, 1e-9, None);
    let (objective, _) = twins.slowly(0.5);
    assert!((fast.objective - objective).abs() < 1e-6 * objective);
    let mut apart = Case::draw(40, 2, 1, 8);
    apart.target = apart.columns[0].iter().map(|x| f64::from(u8::from(*x > 0.4))).collect();
    let fast = apart.solve(0.1, 1e-9, None);
    assert!(fast.gap < 1e-6 && fast.coefficients.iter().all(|b| b.is_finite()));
}

#[test]
fn the_largest_penalty_is_the_smallest_with_all_zero_and_conditions_hold_below_it() {
    let case = Case::draw(80, 6, 2, 9);
    let most = largest_penalty(&case.features, &case.rows(), &Context::new()).unwrap();
    assert!(case.solve(most * 1.0001, 1e-10, None).coefficients.iter().all(|b| *b == 0.0));
    assert!(case.solve(most * 0.99, 1e-10, None).coefficients.iter().any(|b| *b != 0.0));
    let penalty = most / 5.0;
    let fit = case.solve(penalty, 1e-12, None);
    let rows = case.rows();
    let gradients = case.features.sums_with(&State::new(&case.features, &rows, Some(&fit)).slope);
    for (j, gradient) in gradients.into_iter().enumerate() {
        match fit.coefficients[j] != 0.0 {
            true => assert!((gradient + penalty * fit.coefficients[j].signum()).abs() < 1e-4 * penalty),
            false => assert!(gradient.abs() <= penalty * (1.0 + 1e-6)),
        }
    }
}

#[test]
fn a_warm_start_comes_to_the_same_in_fewer_steps() {
    let case = Case::draw(100, 10, 2, 10);
    let first = case.solve(2.0, 1e-9, None);
    let cold = case.solve(1.9, 1e-9, None);
    let warm = case.solve(1.9, 1e-9, Some(&first));
    assert!((cold.objective - warm.objective).abs() < 1e-7);
    assert!(warm.steps <= cold.steps);
}
