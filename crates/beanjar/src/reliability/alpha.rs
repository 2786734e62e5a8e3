//! Krippendorff's alpha from counts of votes, with a bootstrap interval over tasks.

use super::patterns::Patterns;
use crate::quantile::quantile;
use crate::random::stream;
use crate::{Context, Dictionary, Error, Result};
use rand_distr::{Binomial, Distribution};

/// How far apart two different labels are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Scale {
    /// All different labels are equally far apart.
    #[default]
    Nominal,
    /// Labels have an order: the distance is the number of votes between them.
    Ordinal,
    /// Labels are numbers: the distance is their difference.
    Interval,
    /// Labels are numbers from a true zero: the distance is their difference relative to their sum.
    Ratio,
}

impl Scale {
    /// The scale's name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scale::Nominal => "nominal",
            Scale::Ordinal => "ordinal",
            Scale::Interval => "interval",
            Scale::Ratio => "ratio",
        }
    }

    /// The scale of this name.
    pub fn named(name: &str) -> Result<Self> {
        let all = [Scale::Nominal, Scale::Ordinal, Scale::Interval, Scale::Ratio];
        let refused = || Error::OutOfRange {
            name: "the scale",
            value: name.to_owned(),
            range: "nominal, ordinal, interval or ratio",
        };
        all.into_iter().find(|scale| scale.name() == name).ok_or_else(refused)
    }
}

/// Alpha of one set of labels on one scale, ready to be computed for any weighting of the vote patterns.
///
/// alpha = 1 - D_o / D_e. With n_u votes on task u (tasks with one vote do not count), n in all, and d^2 the
/// squared distance of two labels,
/// D_o = 1/n sum_u 1/(n_u - 1) sum of d^2 over ordered pairs of votes on u, and
/// D_e = 1/(n (n - 1)) sum of d^2 over ordered pairs of all votes.
/// On an interval scale a sum of d^2 over pairs is twice n times the sum of squares about the mean, so no pairs are
/// formed; the ordinal distance is the interval distance of mid-ranks.
///
/// Cost: O(patterns); on the ratio scale also the square of the number of classes.
///
/// Krippendorff, Content Analysis, 2012.
pub(super) struct Alpha<'a> {
    patterns: &'a Patterns,
    scale: Scale,
    classes: usize,
    /// The classes as numbers, on the scales that need them.
    numbers: Vec<f64>,
    /// The patterns in an order that does not depend on that of the tasks.
    order: Vec<usize>,
}

impl<'a> Alpha<'a> {
    pub(super) fn new(patterns: &'a Patterns, scale: Scale, classes: &Dictionary) -> Result<Self> {
        let numbers = match scale {
            Scale::Nominal | Scale::Ordinal => Vec::new(),
            Scale::Interval | Scale::Ratio => {
                classes.iter().map(|class| number(scale, class)).collect::<Result<_>>()?
            }
        };
        Ok(Alpha { patterns, scale, classes: classes.len(), numbers, order: patterns.sorted() })
    }

    /// Alpha of the labels as they are. None if no task has two votes, or all votes are for one class.
    pub(super) fn estimate(&self) -> Option<f64> {
        let weights: Vec<f64> = self.patterns.tasks().iter().map(|&tasks| tasks as f64).collect();
        self.of(&weights)
    }

    /// The middle `1 - 2 tail` of alpha over `copies` resamplings of the tasks.
    pub(super) fn interval(&self, copies: usize, tail: f64, context: &Context) -> Result<Option<(f64, f64)>> {
        let steps = context.steps("resampling", copies);
        let drawn = context.map((0..copies as u64).collect(), |copy| {
            steps.tick()?;
            Ok(self.of(&self.resample(context.seed(), copy)))
        });
        let mut drawn: Vec<f64> = drawn.into_iter().filter_map(Result::transpose).collect::<Result<_>>()?;
        drawn.sort_unstable_by(f64::total_cmp);
        Ok(quantile(&drawn, tail).zip(quantile(&drawn, 1.0 - tail)))
    }

    /// How many tasks have each pattern when as many tasks as there are are drawn with replacement: a multinomial
    /// draw, one conditional binomial after the other.
    fn resample(&self, seed: u64, copy: u64) -> Vec<f64> {
        let mut random = stream(seed, copy);
        let mut tasks_left: u64 = self.patterns.tasks().iter().sum();
        let mut draws_left = tasks_left;
        let mut weights = vec![0.0; self.order.len()];
        for &pattern in &self.order {
            let tasks = self.patterns.tasks()[pattern];
            let share = tasks as f64 / tasks_left.max(1) as f64;
            let drawn = Binomial::new(draws_left, share.min(1.0)).map_or(0, |binomial| binomial.sample(&mut random));
            tasks_left -= tasks;
            draws_left -= drawn;
            weights[pattern] = drawn as f64;
        }
        weights
    }

    fn of(&self, weights: &[f64]) -> Option<f64> {
        let paired =
            || (0..self.patterns.len()).filter(|&pattern| weights[pattern] > 0.0 && self.patterns.size(pattern) >= 2);
        let mut totals = vec![0.0; self.classes];
        for pattern in paired() {
            for (class, votes) in self.patterns.votes(pattern) {
                totals[class] += weights[pattern] * votes;
            }
        }
        let all: f64 = totals.iter().sum();
        let places = self.places(&totals);
        let observed: f64 = paired()
            .map(|pattern| {
                let size = self.patterns.size(pattern) as f64;
                weights[pattern] * self.disagreement(self.patterns.votes(pattern), &places) / (size - 1.0)
            })
            .sum();
        let expected = self.disagreement(totals.iter().copied().enumerate().filter(|(_, votes)| *votes > 0.0), &places);
        (expected > 0.0).then(|| 1.0 - (all - 1.0) * observed / expected)
    }

    /// Where each class stands on the line, for the scales that have one.
    fn places(&self, totals: &[f64]) -> Vec<f64> {
        let mut places = match self.scale {
            Scale::Nominal => return Vec::new(),
            Scale::Ratio => return self.numbers.clone(),
            Scale::Interval => self.numbers.clone(),
            Scale::Ordinal => {
                let mut below = 0.0;
                totals
                    .iter()
                    .map(|votes| {
                        below += votes;
                        below - votes / 2.0
                    })
                    .collect()
            }
        };
        // Only differences matter, and small numbers keep their digits when squared.
        let all: f64 = totals.iter().sum();
        let mean = places.iter().zip(totals).map(|(place, votes)| place * votes).sum::<f64>() / all.max(1.0);
        places.iter_mut().for_each(|place| *place -= mean);
        places
    }

    /// The sum of squared distances over ordered pairs of these votes.
    fn disagreement(&self, votes: impl Iterator<Item = (usize, f64)> + Clone, places: &[f64]) -> f64 {
        match self.scale {
            Scale::Nominal => {
                let (mut size, mut alike) = (0.0, 0.0);
                for (_, count) in votes {
                    size += count;
                    alike += count * count;
                }
                size * size - alike
            }
            Scale::Ordinal | Scale::Interval => {
                let (mut size, mut sum) = (0.0, 0.0);
                for (class, count) in votes.clone() {
                    size += count;
                    sum += count * places[class];
                }
                let mean = sum / size;
                2.0 * size * votes.map(|(class, count)| count * (places[class] - mean).powi(2)).sum::<f64>()
            }
            Scale::Ratio => {
                let mut sum = 0.0;
                let mut rest = votes;
                while let Some((class, count)) = rest.next() {
                    for (other, others) in rest.clone() {
                        let (x, y) = (places[class], places[other]);
                        // Two ways to write zero are no distance apart.
                        sum += if x == y { 0.0 } else { 2.0 * count * others * ((x - y) / (x + y)).powi(2) };
                    }
                }
                sum
            }
        }
    }
}

fn number(scale: Scale, class: &str) -> Result<f64> {
    let extra = if scale == Scale::Ratio { " of at least zero" } else { "" };
    let found = class.trim().parse().ok().filter(|x: &f64| x.is_finite() && (scale != Scale::Ratio || *x >= 0.0));
    found.ok_or_else(|| Error::ClassNotANumber { scale: scale.name(), class: class.to_owned(), extra })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Labels;
    use crate::judgments::{Grouped, sum_over};

    /// The definition, pair by pair of votes.
    fn by_pairs(labels: &Labels, distance: impl Fn(usize, usize) -> f64) -> f64 {
        let tasks: Vec<Vec<usize>> = (0..labels.objects())
            .map(|task| labels.votes(task).labels.iter().map(|&label| usize::from(label)).collect())
            .filter(|votes: &Vec<usize>| votes.len() > 1)
            .collect();
        let all: Vec<usize> = tasks.concat();
        let pairs = |votes: &[usize]| -> f64 {
            votes.iter().flat_map(|&a| votes.iter().map(move |&b| (a, b))).map(|(a, b)| distance(a, b)).sum()
        };
        let n = all.len() as f64;
        let observed: f64 = tasks.iter().map(|votes| pairs(votes) / (votes.len() as f64 - 1.0)).sum::<f64>() / n;
        1.0 - observed / (pairs(&all) / (n * (n - 1.0)))
    }

    fn some_labels(tasks: usize, classes: usize) -> Labels {
        let rows: Vec<(String, String, String)> = (0..tasks)
            .flat_map(|task| {
                (0..1 + (task * 7) % 5).map(move |vote| {
                    let label = (task * task + vote * (vote + task / 2)) % classes;
                    (format!("t{task}"), format!("w{vote}"), format!("{}", label * label))
                })
            })
            .collect();
        Labels::from_rows(rows.iter().map(|(t, w, l)| (&t[..], &w[..], &l[..]))).unwrap()
    }

    fn alpha_of(labels: &Labels, scale: Scale) -> Option<f64> {
        let patterns = sum_over(labels, &Context::new(), || Patterns::new(labels.classes.len()));
        Alpha::new(&patterns, scale, &labels.classes).unwrap().estimate()
    }

    #[test]
    fn agrees_with_the_definition_pair_by_pair_on_every_scale() {
        for (tasks, classes) in [(2, 2), (9, 2), (10, 3), (41, 5), (60, 17)] {
            let labels = some_labels(tasks, classes);
            let value = |class: usize| labels.classes.get(class).parse::<f64>().unwrap();
            let mut votes = vec![0.0; labels.classes.len()];
            for task in (0..labels.objects()).filter(|&task| labels.votes(task).labels.len() > 1) {
                labels.votes(task).labels.iter().for_each(|&label| votes[usize::from(label)] += 1.0);
            }
            let nominal = |a, b| f64::from(a != b);
            let ordinal = |a: usize, b: usize| {
                let (a, b) = (a.min(b), a.max(b));
                (votes[a..=b].iter().sum::<f64>() - (votes[a] + votes[b]) / 2.0).powi(2)
            };
            let interval = |a, b| (value(a) - value(b)).powi(2);
            let ratio = |a, b| if a == b { 0.0 } else { ((value(a) - value(b)) / (value(a) + value(b))).powi(2) };
            for (scale, direct) in [
                (Scale::Nominal, by_pairs(&labels, nominal)),
                (Scale::Ordinal, by_pairs(&labels, ordinal)),
                (Scale::Interval, by_pairs(&labels, interval)),
                (Scale::Ratio, by_pairs(&labels, ratio)),
            ] {
                let found = alpha_of(&labels, scale).unwrap();
                assert!((found - direct).abs() < 1e-10, "{scale:?} of {tasks} tasks: {found} and {direct}");
            }
        }
    }

    #[test]
    fn perfect_agreement_is_one_and_a_single_class_has_no_alpha() {
        let agree = Labels::from_rows([("a", "v", "1"), ("a", "w", "1"), ("b", "v", "2"), ("b", "w", "2")]).unwrap();
        assert_eq!(alpha_of(&agree, Scale::Nominal), Some(1.0));
        let one_class = Labels::from_rows([("a", "v", "1"), ("a", "w", "1")]).unwrap();
        assert_eq!(alpha_of(&one_class, Scale::Nominal), None);
        let lonely = Labels::from_rows([("a", "v", "1"), ("b", "w", "2")]).unwrap();
        assert_eq!(alpha_of(&lonely, Scale::Nominal), None);
    }

    #[test]
    fn the_interval_is_that_of_resampled_tasks() {
        use rand::{Rng, RngExt};
        let labels = some_labels(80, 3);
        let patterns = sum_over(&labels, &Context::new(), || Patterns::new(labels.classes.len()));
        let alpha = Alpha::new(&patterns, Scale::Nominal, &labels.classes).unwrap();
        let (low, high) = alpha.interval(4000, 0.025, &Context::new().with_seed(1)).unwrap().unwrap();

        // The slow way: draw tasks one by one, and build the table anew.
        let mut random = stream(2, 0);
        let mut drawn = Vec::new();
        fn draw(random: &mut impl Rng, n: usize) -> usize {
            random.random_range(0..n)
        }
        for _ in 0..4000 {
            let mut rows = Vec::new();
            for copy in 0..80 {
                let votes = labels.votes(draw(&mut random, 80));
                rows.extend(
                    votes.labels.iter().map(|&label| (format!("{copy}"), labels.classes.get(usize::from(label)))),
                );
            }
            let copy = Labels::from_rows(rows.iter().map(|(task, label)| (&task[..], "w", *label))).unwrap();
            drawn.push(alpha_of(&copy, Scale::Nominal).unwrap());
        }
        drawn.sort_by(f64::total_cmp);
        // Quantiles of 4000 draws have a standard error near 2.7 percent of a standard deviation, here about 0.07.
        assert!((low - quantile(&drawn, 0.025).unwrap()).abs() < 0.01);
        assert!((high - quantile(&drawn, 0.975).unwrap()).abs() < 0.01);
    }

    #[test]
    fn words_have_no_interval_scale() {
        let labels = Labels::from_rows([("a", "v", "cat"), ("a", "w", "dog")]).unwrap();
        let patterns = sum_over(&labels, &Context::new(), || Patterns::new(2));
        let error = Alpha::new(&patterns, Scale::Interval, &labels.classes).err().unwrap();
        assert!(error.to_string().contains("'cat'"), "{error}");
    }
}
