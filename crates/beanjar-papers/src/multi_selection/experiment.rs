//! The paper's experiment: choose on training objects, collect what was chosen, fit, and test on other objects.

use beanjar::linalg::linear_fit;
use beanjar::multiselect::{Estimates, LabelledJudgments, Selector, Spending, Strategy};
use beanjar::random::stream;
use beanjar::{Context, Judgments, Result};
use rand::seq::SliceRandom;

/// Objects that can be judged as often as one likes.
pub(crate) struct World<'a> {
    /// The label of each object.
    pub(crate) labels: &'a [f64],
    /// How many attributes there are.
    pub(crate) attributes: usize,
    /// Judgment number `j` of an attribute of an object in a split: (split, object, attribute, j).
    pub(crate) judge: &'a (dyn Fn(u64, usize, usize, u32) -> f64 + Sync),
    /// Costs and limits; the budget is set by the experiment.
    pub(crate) spending: Spending,
}

/// How the experiment is run.
#[derive(Clone, Debug)]
pub(crate) struct Experiment {
    /// How many training objects; the others are for testing.
    pub(crate) train: usize,
    /// How many judgments of each attribute of a training object to choose by, k.
    pub(crate) judgments: u32,
    /// The budgets to try.
    pub(crate) budgets: Vec<f64>,
    /// How to choose.
    pub(crate) methods: Vec<Strategy>,
    /// How many random splits.
    pub(crate) splits: u64,
    /// Of the splits.
    pub(crate) seed: u64,
}

/// The test error of one method at one budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TestError {
    /// Mean squared error on test objects, over splits.
    pub(crate) mean: f64,
    /// Its standard error over splits.
    pub(crate) se: f64,
}

impl Experiment {
    /// The test error of each method (row) at each budget (column): select on `judgments` judgments, add judgments to the
    /// training objects up to what was selected, least squares on the means, predict test objects judged as selected.
    pub(crate) fn run(&self, world: &World<'_>, context: &Context) -> Result<Vec<Vec<TestError>>> {
        let splits: Result<Vec<Vec<Vec<f64>>>> =
            context.map((0..self.splits).collect(), |split| self.split(world, split)).into_iter().collect();
        let splits = splits?;
        let n = splits.len().max(1) as f64;
        let summary = |method: usize, budget: usize| {
            let mean = splits.iter().map(|split| split[method][budget]).sum::<f64>() / n;
            let spread = splits.iter().map(|split| (split[method][budget] - mean).powi(2)).sum::<f64>();
            TestError { mean, se: (spread / (n - 1.0).max(1.0) / n).sqrt() }
        };
        Ok((0..self.methods.len()).map(|m| (0..self.budgets.len()).map(|b| summary(m, b)).collect()).collect())
    }

    fn split(&self, world: &World<'_>, split: u64) -> Result<Vec<Vec<f64>>> {
        let mut order: Vec<usize> = (0..world.labels.len()).collect();
        order.shuffle(&mut stream(self.seed, split));
        let (train, test) = order.split_at(self.train.min(order.len()));
        let draw = self.seed.wrapping_mul(1_000_003).wrapping_add(split);
        let names: Vec<String> = (0..world.attributes).map(|a| format!("{a}")).collect();
        let ids: Vec<String> = train.iter().map(|object| format!("{object}")).collect();
        let rows = train.iter().zip(&ids).flat_map(|(&object, id)| {
            names.iter().enumerate().flat_map(move |(a, name)| {
                (0..self.judgments).map(move |j| (&id[..], &name[..], "", (world.judge)(draw, object, a, j)))
            })
        });
        let judgments = Judgments::from_rows(rows)?;
        let labels: Vec<f64> = train.iter().map(|&object| world.labels[object]).collect();
        let data = LabelledJudgments::new(&judgments, &labels)?;
        let estimates = Estimates::new(data, 0.0, &Context::new())?;
        let most = self.budgets.iter().copied().fold(0.0, f64::max);
        let alike = world.spending.cost.windows(2).all(|pair| pair[0] == pair[1]);
        self.methods
            .iter()
            .map(|&strategy| {
                let within =
                    |budget: f64| Selector { strategy, spending: Spending { budget, ..world.spending.clone() } };
                let longest = within(most).path(&estimates, data)?;
                self.budgets
                    .iter()
                    .map(|&budget| {
                        // With equal costs the way to a smaller budget is the beginning of that to a larger one.
                        let steps = if alike { longest.clone() } else { within(budget).path(&estimates, data)? };
                        let taken = steps.iter().take_while(|step| step.spent <= budget * (1.0 + 1e-12)).count();
                        let repeats = within(budget).repeats(&steps[..taken]);
                        test_error(world, draw, (train, test), &repeats)
                    })
                    .collect()
            })
            .collect()
    }
}

/// The mean squared error on test objects of least squares on the training objects.
fn test_error(world: &World<'_>, draw: u64, (train, test): (&[usize], &[usize]), repeats: &[u32]) -> Result<f64> {
    let used: Vec<usize> = (0..repeats.len()).filter(|&a| repeats[a] > 0).collect();
    let means = |object: usize| -> Vec<f64> {
        let mean = |&a: &usize| {
            let n = repeats[a];
            (0..n).map(|j| (world.judge)(draw, object, a, j)).sum::<f64>() / f64::from(n)
        };
        used.iter().map(mean).collect()
    };
    let x: Vec<Vec<f64>> = train.iter().map(|&object| means(object)).collect();
    let y: Vec<f64> = train.iter().map(|&object| world.labels[object]).collect();
    let (weights, bias) = linear_fit(&x, &y)?;
    let squared = |&object: &usize| {
        let predicted = bias + means(object).iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
        (predicted - world.labels[object]).powi(2)
    };
    Ok(test.iter().map(squared).sum::<f64>() / test.len().max(1) as f64)
}

/// A whole number below `n` that looks random and depends on nothing but these numbers.
pub(crate) fn pick(split: u64, object: usize, attribute: usize, judgment: u32, n: usize) -> usize {
    use rand::RngExt;
    let piece = (object as u64) << 40 ^ (attribute as u64) << 20 ^ u64::from(judgment);
    stream(split, piece).random_range(0..n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_judgments_of_a_noisy_truth_make_a_smaller_error() {
        let labels: Vec<f64> = (0..120).map(|object| ((object * 37) % 53) as f64).collect();
        // Attribute 0 is the label with noise of six faces, attribute 1 is noise alone.
        let judge = |split: u64, object: usize, a: usize, j: u32| {
            let noise = pick(split, object, a, j, 6) as f64 * 12.0;
            if a == 0 { labels[object] + noise } else { noise }
        };
        let world = World { labels: &labels, attributes: 2, judge: &judge, spending: Spending::judgments(1, 2) };
        let experiment = Experiment {
            train: 80,
            judgments: 2,
            budgets: vec![1.0, 4.0, 16.0],
            methods: vec![Strategy::Full, Strategy::Averages(2)],
            splits: 10,
            seed: 0,
        };
        let found = experiment.run(&world, &Context::new()).unwrap();
        let full = &found[0];
        assert!(full[0].mean > 1.3 * full[1].mean && full[1].mean > 1.3 * full[2].mean, "{full:?}");
        // Averages can ask twice at the most, so it is worse where the budget is large.
        assert!(found[1][2].mean > full[2].mean, "{found:?}");
        assert_eq!(
            found,
            experiment
                .run(&world, &Context::new().with_threads(std::num::NonZeroUsize::new(2).unwrap()).unwrap())
                .unwrap()
        );
    }
}
