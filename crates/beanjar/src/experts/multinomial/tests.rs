use super::*;
use crate::experts::{Features, lasso};
use crate::random::stream;
use rand::RngExt;

struct Case {
    columns: Vec<Vec<f64>>,
    rows: ClassRows,
}

impl Case {
    fn draw(units: usize, features: usize, classes: usize, seed: u64) -> Case {
        let mut random = stream(seed, 0);
        let mut value =
            |j: usize| if random.random_bool(0.6) { random.random_range(-1.0..3.0) + j as f64 } else { 0.0 };
        let columns: Vec<Vec<f64>> = (0..features).map(|j| (0..units).map(|_| value(j)).collect()).collect();
        let mut target = Vec::new();
        for unit in 0..units {
            let u = |c: usize| columns.get(c % 4).map_or(0.0, |column| column[unit] - 0.5) * (1.0 - 0.4 * c as f64);
            let odds: Vec<f64> = (0..classes).map(|c| u(c).exp() * random.random_range(0.2..1.0)).collect();
            target.extend(odds.iter().map(|e| e / odds.iter().sum::<f64>()));
        }
        // Every fifth unit does not count.
        let weight = (0..units).map(|i| if i % 5 == 4 { 0.0 } else { random.random_range(0.5..1.5) }).collect();
        Case { columns, rows: ClassRows { classes, weight, target } }
    }

    /// All of each unit to one class.
    fn known(mut self, class_of: impl Fn(usize) -> usize) -> Case {
        let classes = self.rows.classes;
        self.rows.target.iter_mut().enumerate().for_each(|(at, target)| {
            *target = f64::from(u8::from(class_of(at / classes) == at % classes));
        });
        self
    }

    fn features(&self) -> Standardised {
        Standardised::of(&Features::from_columns(self.rows.weight.len(), &self.columns).unwrap())
    }

    fn solve(&self, penalty: f64, tolerance: f64, start: Option<&Sparse>) -> Sparse {
        solve(&self.features(), &self.rows, Lasso { penalty, tolerance }, start, &Context::new()).unwrap()
    }

    /// Standardised columns written out, a column of ones first.
    fn design(&self) -> Vec<Vec<f64>> {
        let n = self.rows.weight.len() as f64;
        let standard = |column: &Vec<f64>| {
            let mean = column.iter().sum::<f64>() / n;
            let deviation = (column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
            column.iter().map(|x| if deviation > 1e-12 { (x - mean) / deviation } else { 0.0 }).collect()
        };
        [vec![vec![1.0; n as usize]], self.columns.iter().map(standard).collect()].concat()
    }

    /// The loss and its gradient; of class c, intercept and coefficients are at c times columns of the design.
    fn loss(&self, design: &[Vec<f64>], point: &[f64]) -> (f64, Vec<f64>) {
        let (mut loss, mut gradient, width) = (0.0, vec![0.0; point.len()], design.len());
        for (unit, (target, weight)) in self.rows.target.chunks(self.rows.classes).zip(&self.rows.weight).enumerate() {
            let sum = |b: &[f64]| b.iter().zip(design).map(|(b, column)| b * column[unit]).sum::<f64>();
            let u: Vec<f64> = point.chunks(width).map(sum).collect();
            let total = u.iter().map(|u| u.exp()).sum::<f64>();
            for (class, (u, target)) in u.iter().zip(target).enumerate() {
                loss += weight * target * (total.ln() - u);
                let slope = weight * (u.exp() / total - target);
                (0..width).for_each(|j| gradient[class * width + j] += slope * design[j][unit]);
            }
        }
        (loss, gradient)
    }

    /// Proximal gradient with restarts, run long: the objective, and intercept and coefficients class by class.
    fn slowly(&self, penalty: f64) -> (f64, Vec<f64>) {
        let design = self.design();
        let width = design.len();
        let norm = |unit: usize| design.iter().map(|column| column[unit].powi(2)).sum::<f64>();
        let bound = self.rows.weight.iter().enumerate().map(|(unit, weight)| 0.5 * weight * norm(unit)).sum::<f64>();
        let price = |at: usize| if at.is_multiple_of(width) { 0.0 } else { penalty };
        let value =
            |b: &[f64]| self.loss(&design, b).0 + b.iter().enumerate().map(|(at, b)| price(at) * b.abs()).sum::<f64>();
        let mut b = vec![0.0; width * self.rows.classes];
        let (mut ahead, mut t, mut best) = (b.clone(), 1.0f64, value(&b));
        for _ in 0..5_000 {
            let gradient = self.loss(&design, &ahead).1;
            let to = |at: usize| soft(ahead[at] - gradient[at] / bound, price(at) / bound);
            let next: Vec<f64> = (0..b.len()).map(to).collect();
            let (reached, next_t) = (value(&next), (1.0 + (1.0 + 4.0 * t * t).sqrt()) / 2.0);
            let (speed, momentum) = if reached <= best { (next_t, (t - 1.0) / next_t) } else { (1.0, 0.0) };
            ahead = next.iter().zip(&b).map(|(next, b)| next + momentum * (next - b)).collect();
            (b, t, best) = (next, speed, reached);
        }
        (best, b)
    }
}

fn agrees(case: &Case, penalty: f64, what: &str) {
    let (fast, (objective, slow)) = (case.solve(penalty, 1e-9, None), case.slowly(penalty));
    let width = case.columns.len();
    assert!((fast.objective - objective).abs() < 1e-7 * objective.max(1.0), "{what}: {} {objective}", fast.objective);
    assert!(fast.gap < 1e-6 * objective.max(1.0), "{what}: gap {}", fast.gap);
    for (at, ours) in fast.coefficients.iter().enumerate() {
        let theirs = slow[at / width * (width + 1) + 1 + at % width];
        assert!((ours - theirs).abs() < 2e-3, "{what}: coefficient {at}: {ours} {theirs}");
        let borderline = ours.abs().max(theirs.abs()) < 1e-3;
        assert!((*ours == 0.0) == (theirs == 0.0) || borderline, "{what}: support at {at}: {ours} {theirs}");
    }
}

#[test]
fn agrees_with_a_long_proximal_gradient() {
    agrees(&Case::draw(60, 4, 3, 1), 1.0, "plain");
    agrees(&Case::draw(60, 8, 5, 2), 0.5, "more classes");
    agrees(&Case::draw(15, 25, 3, 3), 0.3, "more features than units");
    agrees(&Case::draw(60, 6, 3, 14).known(|unit| unit % 7 % 3), 0.5, "known classes");
    let mut constant = Case::draw(50, 3, 3, 4);
    constant.columns.insert(1, vec![4.0; 50]);
    agrees(&constant, 0.5, "a constant column");
}

#[test]
fn the_smallest_problems_have_an_answer() {
    for (units, features, classes) in [(0, 0, 0), (0, 2, 3), (1, 2, 3), (30, 0, 3), (20, 2, 1), (2, 1, 2)] {
        for penalty in [0.0, 0.5] {
            let case = Case::draw(units, features, classes, 5);
            let fit = case.solve(penalty, 1e-9, None);
            let entropy = |unit: usize| case.rows.target[unit * classes..][..classes].iter().map(|p| -p * p.ln()).sum();
            let least: f64 =
                (0..units).map(|unit| -> f64 { case.rows.weight[unit] * f64::max(0.0, entropy(unit)) }).sum();
            assert_eq!((fit.intercepts.len(), fit.coefficients.len()), (classes, classes * features));
            assert!(fit.objective >= least - 1e-9 && fit.intercepts.iter().sum::<f64>().abs() < 1e-9);
            assert!((0.0..1e-8).contains(&(fit.gap + 1e-9)) || (features, penalty) == (0, 0.0), "{units} {fit:?}");
        }
    }
}

#[test]
fn twins_share_and_separable_data_come_to_an_end() {
    let mut twins = Case::draw(50, 2, 3, 6);
    twins.columns.push(twins.columns[0].clone());
    let (fast, (objective, _)) = (twins.solve(0.5, 1e-9, None), twins.slowly(0.5));
    assert!((fast.objective - objective).abs() < 1e-7 * objective, "{} {objective}", fast.objective);
    let apart = Case::draw(40, 2, 3, 7);
    let first = apart.columns[0].clone();
    let apart = apart.known(|unit| usize::from(first[unit] > 0.0) + usize::from(first[unit] > 1.5));
    let (held, free) = (apart.solve(0.1, 1e-9, None), apart.solve(0.0, 1e-6, None));
    assert!(held.gap < 1e-8 && held.objective > 0.5, "{held:?}");
    assert!(free.objective <= 1e-6 && free.coefficients.iter().all(|b| b.is_finite()), "{free:?}");
    assert!(apart.solve(0.0, 0.0, None).coefficients.iter().all(|b| b.is_finite()));
}

#[test]
fn without_a_penalty_gradients_vanish_and_coefficients_sum_to_zero() {
    let case = Case::draw(80, 3, 4, 8);
    let fit = case.solve(0.0, 1e-9, None);
    let point: Vec<f64> =
        (0..4).flat_map(|c| [&[fit.intercepts[c]], &fit.coefficients[c * 3..][..3]].concat()).collect();
    let (loss, gradient) = case.loss(&case.design(), &point);
    assert!((loss - fit.objective).abs() < 1e-9 && gradient.iter().all(|g| g.abs() < 1e-5), "{gradient:?}");
    assert!((0..3).all(|j| (0..4).map(|c| fit.coefficients[c * 3 + j]).sum::<f64>().abs() < 1e-9));
    assert!(fit.coefficients.iter().any(|b| b.abs() > 0.1));
}

#[test]
fn the_largest_penalty_is_the_smallest_with_all_zero_and_conditions_hold_below_it() {
    let case = Case::draw(80, 6, 4, 9);
    let most = largest_penalty(&case.features(), &case.rows, &Context::new()).unwrap();
    assert!(case.solve(most * 1.0001, 1e-10, None).coefficients.iter().all(|b| *b == 0.0));
    assert!(case.solve(most * 0.99, 1e-10, None).coefficients.iter().any(|b| *b != 0.0));
    let penalty = most / 5.0;
    let fit = case.solve(penalty, 1e-12, None);
    let point: Vec<f64> =
        (0..4).flat_map(|c| [&[fit.intercepts[c]], &fit.coefficients[c * 6..][..6]].concat()).collect();
    for (at, (b, gradient)) in point.iter().zip(case.loss(&case.design(), &point).1).enumerate() {
        match (at % 7 == 0, *b == 0.0) {
            (true, _) => assert!(gradient.abs() < 1e-6, "intercept: {gradient}"),
            (_, true) => assert!(gradient.abs() <= penalty * (1.0 + 1e-6), "{at}: {gradient}"),
            _ => assert!((gradient + penalty * b.signum()).abs() < 1e-4 * penalty, "{at}: {gradient}"),
        }
    }
}

#[test]
fn two_classes_are_the_difference_of_their_coefficients() {
    let case = Case::draw(70, 6, 2, 10);
    let target = case.rows.target.chunks(2).map(|pair| pair[1]).collect();
    let (offsets, group) = ((0..=70).collect(), vec![0; 70]);
    let rows = lasso::LogisticRows { offsets, group, groups: 1, weight: case.rows.weight.clone(), target };
    let pair = case.solve(1.0, 1e-10, None);
    let single =
        lasso::solve(&case.features(), &rows, Lasso { penalty: 1.0, tolerance: 1e-10 }, None, &Context::new()).unwrap();
    assert!((pair.objective - single.objective).abs() < 1e-8 && single.coefficients.iter().any(|b| *b != 0.0));
    assert!((pair.intercepts[1] - pair.intercepts[0] - single.intercepts[0]).abs() < 1e-4);
    for j in 0..6 {
        assert!((pair.coefficients[6 + j] - pair.coefficients[j] - single.coefficients[j]).abs() < 1e-4);
    }
}

#[test]
fn a_class_that_never_occurs_lies_far_below() {
    let case = Case::draw(40, 3, 3, 11).known(|unit| unit % 2);
    let fit = case.solve(0.5, 1e-9, None);
    assert!((fit.intercepts[0].max(fit.intercepts[1]) - fit.intercepts[2] - FARTHEST).abs() < 1e-9, "{fit:?}");
    let mut two = Case::draw(40, 3, 3, 11);
    two.rows.classes = 2;
    two.rows.target.truncate(80);
    let two = two.known(|unit| unit % 2).solve(0.5, 1e-9, None);
    assert_eq!(
        (fit.objective, &fit.coefficients[..6], &fit.coefficients[6..]),
        (two.objective, &*two.coefficients, &[0.0; 3][..])
    );
    assert!(two.coefficients.iter().any(|b| *b != 0.0));
    // Once it occurs, it is found again from there.
    let back = Case::draw(40, 3, 3, 11);
    let (warm, cold) = (back.solve(0.5, 1e-9, Some(&fit)), back.solve(0.5, 1e-9, None));
    assert!((warm.objective - cold.objective).abs() < 1e-7 && warm.steps < 10, "{warm:?} {cold:?}");
}

#[test]
fn a_warm_start_comes_to_the_same_in_fewer_steps() {
    let case = Case::draw(100, 10, 4, 12);
    let (first, cold) = (case.solve(1.0, 1e-9, None), case.solve(0.98, 1e-9, None));
    let warm = case.solve(0.98, 1e-9, Some(&first));
    assert!((cold.objective - warm.objective).abs() < 1e-7 && first.objective - cold.objective > 1e-3);
    assert!(warm.steps < cold.steps && case.solve(1.0, 1e-6, Some(&first)).steps == 0, "{} {}", warm.steps, cold.steps);
    let mut lifted = first.clone();
    lifted.coefficients.iter_mut().for_each(|b| *b += 0.3);
    assert_eq!(case.solve(1.0, 1e-6, Some(&lifted)).steps, 0, "what is common to all classes changes nothing");
}

#[test]
fn classes_in_another_order_have_the_same_fit() {
    let case = Case::draw(60, 5, 3, 13);
    let mut turned = Case::draw(60, 5, 3, 13);
    turned.rows.target.chunks_mut(3).for_each(|shares| shares.rotate_left(1));
    let (fit, other) = (case.solve(0.5, 1e-10, None), turned.solve(0.5, 1e-10, None));
    let back = [&other.coefficients[10..], &other.coefficients[..10]].concat();
    assert!(fit.coefficients.iter().zip(&back).all(|(a, b)| (a - b).abs() < 1e-5), "{fit:?} {other:?}");
    assert!((0..3).all(|c| (fit.intercepts[c] - other.intercepts[(c + 2) % 3]).abs() < 1e-5));
    assert!((fit.intercepts[0] - fit.intercepts[1]).abs() > 1e-3, "the order can be seen");
}
