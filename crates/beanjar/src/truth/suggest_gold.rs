use super::{Auto, Evidence, Majority, Posterior, Skilled};
use crate::judgments::{Ballots, Column, Labels};
use crate::random::{key, key_of_text};
use crate::{Context, Error, Result, Warning};
use std::fmt;

/// Which tasks to have checked by someone who knows, so that [`Aggregate`](super::Aggregate) learns most from the answers.
///
/// An answer to what everybody agrees on teaches little. So a task is taken with a probability in proportion to its doubt:
/// the probability that its label is wrong, and a half more where the plain vote has another label, for one of the two is
/// wrong there. To spread over kinds, classes and doubt, tasks are put in that order and taken at equal steps of their doubt
/// added up. The doubtful alone would teach nothing about how sure to be of the rest. Which of several equal tasks is taken
/// depends on the seed and the tasks' ids.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `n` | how many tasks to suggest | 50 | 1 or more |
/// | `known` | tasks with a known label, which are not suggested | none | |
///
/// Cost: as [`Auto`], and one fit more.
///
/// ```
/// use beanjar::{Context, Labels, SuggestGold};
///
/// let rows = (0..40).map(|i| (format!("t{}", i / 4), format!("w{}", i % 4), if i % 7 < 3 { "yes" } else { "no" }));
/// let rows: Vec<_> = rows.collect();
/// let labels = Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], *label)))?;
/// let outcome = SuggestGold { n: 3, ..SuggestGold::default() }.run(&labels, &Context::new())?;
/// assert_eq!(outcome.tasks.len(), 3);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SuggestGold {
    /// How many tasks to suggest.
    pub n: usize,
    /// Known true labels, whose tasks are not suggested.
    pub known: Option<Column>,
}

impl Default for SuggestGold {
    fn default() -> Self {
        SuggestGold { n: 50, known: None }
    }
}

/// The tasks to have checked, in the order of the table.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SuggestGoldOutcome {
    /// How many tasks could be suggested.
    pub candidates: usize,
    /// Those that are.
    pub tasks: Vec<SuggestedTask>,
    /// What a user should know.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// A task to have checked.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SuggestedTask {
    /// Its id.
    pub task: String,
    /// Its most probable class.
    pub label: String,
    /// The probability of that.
    pub confidence: f64,
    /// Whether it is of the kind that workers agree on, or of the other.
    pub kind: TaskKind,
    /// How many labels it has.
    pub votes: usize,
}

/// The two kinds of tasks that a class may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum TaskKind {
    /// Workers agree.
    Easy,
    /// Workers differ, or are misled.
    Hard,
}

impl fmt::Display for TaskKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TaskKind::Easy => "easy",
            TaskKind::Hard => "hard",
        })
    }
}

impl SuggestGold {
    /// Chooses the tasks.
    pub fn run(&self, labels: &Labels, context: &Context) -> Result<SuggestGoldOutcome> {
        self.check()?;
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        let ballots = labels.ballots();
        let known = match &self.known {
            Some(known) => known.classes_of(labels)?.classes,
            None => vec![None; ballots.tasks()],
        };
        let candidates: Vec<usize> = (0..ballots.tasks())
            .filter(|&task| known[task].is_none() && !ballots.votes(task).labels.is_empty())
            .collect();
        let evidence = Evidence::with_gold(ballots, known)?;
        let posterior = Auto::default().fit(&evidence, &context.part(0.0, 0.8))?.posterior;
        let plain = Majority::default().fit(&Evidence::votes(ballots)?, context)?.posterior;
        let kinds = kinds(ballots, &context.part(0.8, 1.0))?;

        let answer = |task: usize| {
            let class = posterior.best(task).next().unwrap_or(0);
            (class, posterior.of(task)[class])
        };
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by_cached_key(|&at| {
            let task = candidates[at];
            let (class, confidence) = answer(task);
            // Thousandths, so that what is equal but for rounding is in the order of the ids.
            let confidence = (confidence * 1e3).round() as u32;
            (kinds[task] == TaskKind::Hard, class, confidence, key_of_text(context.seed(), labels.tasks.get(task)))
        });
        let doubt = |&at: &usize| {
            let (class, confidence) = answer(candidates[at]);
            let otherwise = plain.best(candidates[at]).all(|vote| vote != class);
            (1.0 - confidence + if otherwise { 0.5 } else { 0.0 }).max(LEAST_DOUBT)
        };
        let doubts: Vec<f64> = order.iter().map(doubt).collect();
        let mut chosen: Vec<usize> =
            equal_steps(&doubts, self.n, context.seed()).into_iter().map(|at| candidates[order[at]]).collect();
        chosen.sort_unstable();
        let suggested = |task: usize| {
            let (class, confidence) = answer(task);
            SuggestedTask {
                task: labels.tasks.get(task).to_owned(),
                label: labels.classes.get(class).to_owned(),
                confidence,
                kind: kinds[task],
                votes: ballots.votes(task).labels.len(),
            }
        };
        let mut warnings = Vec::new();
        if chosen.len() < self.n {
            warnings.push(Warning::FewerTasks { asked: self.n, tasks: chosen.len() });
        }
        Ok(SuggestGoldOutcome {
            candidates: candidates.len(),
            tasks: chosen.into_iter().map(suggested).collect(),
            warnings,
        })
    }

    /// Checks the parameters.
    pub fn check(&self) -> Result<()> {
        match self.n {
            0 => Err(Error::OutOfRange { name: "the number of tasks", value: "0".into(), range: "1 or more" }),
            _ => Ok(()),
        }
    }
}

/// The kind of each task, by a fit with two kinds in each class.
fn kinds(ballots: &Ballots, context: &Context) -> Result<Vec<TaskKind>> {
    let evidence = Evidence::votes(ballots)?;
    let fit = Skilled { kinds: 2, ..Skilled::default() }.climb_large(&evidence, context)?;
    let components: Posterior = fit.leave_one_out(evidence.ballots, &fit.expected(&evidence, context)?, context);
    let kind = |task: usize| {
        let row = components.row(task);
        let (easy, hard) = row.split_at(ballots.classes());
        if hard.iter().sum::<f64>() > easy.iter().sum::<f64>() { TaskKind::Hard } else { TaskKind::Easy }
    };
    Ok((0..ballots.tasks()).map(kind).collect())
}

/// What a task counts that nobody doubts: a thousand of them are as one in full doubt.
const LEAST_DOUBT: f64 = 1e-3;

/// `n` positions at equal steps of the weights added up, from a start drawn by the seed: each is taken with a probability in
/// proportion to its weight, and for certain where that would be more than one. Weights are above zero.
fn equal_steps(weights: &[f64], n: usize, seed: u64) -> Vec<usize> {
    let n = n.min(weights.len());
    let mut certain = vec![false; weights.len()];
    let (mut sum, mut left): (f64, usize) = (weights.iter().sum(), n);
    loop {
        let step = sum / left as f64;
        let before = left;
        for (weight, certain) in weights.iter().zip(&mut certain) {
            if left > 0 && !*certain && *weight >= step {
                *certain = true;
                sum -= weight;
                left -= 1;
            }
        }
        if left == before || left == 0 {
            break;
        }
    }
    // Below one, with all the bits of a double.
    let start = (key(seed, weights.len() as u64) >> 11) as f64 / (1u64 << 53) as f64;
    let step = sum / left.max(1) as f64;
    let mut chosen = Vec::with_capacity(n);
    let (mut passed, mut next) = (0.0, start * step);
    let mut others = (0..weights.len()).filter(|&at| !certain[at]).count();
    for (at, &weight) in weights.iter().enumerate() {
        if certain[at] {
            chosen.push(at);
            continue;
        }
        passed += weight;
        // Rounding must not leave fewer tasks than are still to be taken.
        if left > 0 && (next < passed || others == left) {
            chosen.push(at);
            next += step;
            left -= 1;
        }
        others -= 1;
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn steps_take_each_at_most_once_and_as_many_as_asked(
            weights in proptest::collection::vec(1e-3f64..1.5, 0..300),
            n in 1usize..400,
            seed in any::<u64>(),
        ) {
            let chosen = equal_steps(&weights, n, seed);
            prop_assert_eq!(chosen.len(), n.min(weights.len()));
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(chosen.iter().all(|&at| at < weights.len()));
            // Where nothing is certain, any part has its share by weight, or one more or less.
            let sum: f64 = weights.iter().sum();
            if !weights.is_empty() && weights.iter().all(|weight| weight * (n as f64) < sum) {
                let half = weights.len() / 2;
                let first = chosen.iter().filter(|&&at| at < half).count() as f64;
                let due = n as f64 * weights[..half].iter().sum::<f64>() / sum;
                prop_assert!((first - due).abs() <= 1.0 + 1e-6, "{} and {}", first, due);
            }
        }
    }

    #[test]
    fn what_weighs_twice_as_much_is_taken_twice_as_often() {
        let weights: Vec<f64> = (0..60).map(|at| if at % 3 == 0 { 2.0 } else { 1.0 }).collect();
        let mut taken = [0usize; 3];
        for seed in 0..2000 {
            equal_steps(&weights, 8, seed).into_iter().for_each(|at| taken[at % 3] += 1);
        }
        // 16,000 in all, of which half are of the heavy third; three standard deviations of independent draws are 190.
        assert!(taken[0].abs_diff(8000) < 190 && taken[1].abs_diff(4000) < 165, "{taken:?}");
        // Five that weigh more than a step are taken for certain, the others share the rest.
        let weights: Vec<f64> = (0..100).map(|at| if at % 20 == 0 { 50.0 } else { 1.0 }).collect();
        let chosen = equal_steps(&weights, 10, 3);
        assert_eq!((chosen.len(), chosen.iter().filter(|at| *at % 20 == 0).count()), (10, 5));
    }

    /// 300 tasks, most of which everybody agrees on; on every fifth, each flips a coin.
    fn rows() -> Vec<(String, String, &'static str)> {
        let mut rows = Vec::new();
        for task in 0..300usize {
            for worker in 0..6usize {
                let yes = task % 2 == 0;
                let split = task % 5 == 0 && key(task as u64, worker as u64).is_multiple_of(2);
                rows.push((format!("t{task}"), format!("w{worker}"), if yes != split { "yes" } else { "no" }));
            }
        }
        rows
    }

    fn labels(rows: &[(String, String, &'static str)]) -> Labels {
        Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], *label))).unwrap()
    }

    fn suggest(suggest: &SuggestGold, labels: &Labels) -> SuggestGoldOutcome {
        suggest.run(labels, &Context::new()).unwrap()
    }

    #[test]
    fn suggestions_spread_over_kinds_and_classes_and_leave_out_what_is_known() {
        let labels = labels(&rows());
        let all = suggest(&SuggestGold { n: 30, ..Default::default() }, &labels);
        assert_eq!((all.candidates, all.tasks.len()), (300, 30));
        let split = all.tasks.iter().filter(|task| task.task[1..].parse::<usize>().unwrap() % 5 == 0).count();
        // A fifth of the tasks are split: 6 of 30 at random.
        assert!(split >= 15, "{split}");
        let yes = all.tasks.iter().filter(|task| task.label == "yes").count();
        assert!((10..=20).contains(&yes), "{yes}");
        let known: Vec<(&str, &str)> = all.tasks.iter().map(|task| (&task.task[..], &task.label[..])).collect();
        let known = Some(Column::from_rows("label", known).unwrap());
        let others = suggest(&SuggestGold { n: 30, known }, &labels);
        assert_eq!(others.candidates, 270);
        assert!(others.tasks.iter().all(|task| all.tasks.iter().all(|known| known.task != task.task)));
    }

    #[test]
    fn the_order_of_the_rows_does_not_matter() {
        let mut rows = rows();
        let set = |outcome: SuggestGoldOutcome| {
            let mut tasks: Vec<String> = outcome.tasks.into_iter().map(|task| task.task).collect();
            tasks.sort();
            tasks
        };
        let before = set(suggest(&SuggestGold::default(), &labels(&rows)));
        rows.reverse();
        assert_eq!(set(suggest(&SuggestGold::default(), &labels(&rows))), before);
    }

    #[test]
    fn few_tasks_are_all_suggested_with_a_warning() {
        let labels = Labels::from_rows([("a", "x", "1"), ("b", "x", "2")]).unwrap();
        let found = suggest(&SuggestGold::default(), &labels);
        assert_eq!(found.tasks.len(), 2);
        assert_eq!(found.warnings, [Warning::FewerTasks { asked: 50, tasks: 2 }]);
        assert!(SuggestGold { n: 0, ..Default::default() }.run(&labels, &Context::new()).is_err());
        let none = Labels::from_rows([] as [(&str, &str, &str); 0]).unwrap();
        assert!(SuggestGold::default().run(&none, &Context::new()).is_err());
    }
}
