use super::posterior::{Fitted, Posterior};
use super::rule::{Blend, Rule, sharpen};
use super::skilled::{Skilled, SkilledFit, View};
use super::{Evidence, Prior, check_tables};
use crate::judgments::Ballots;
use crate::logistic::logistic;
use crate::random::stream;
use crate::{Context, Error, Result};
use rand::seq::SliceRandom;

/// The method to use when nothing is known but the labels.
///
/// The [`Skilled`] model contains the usual ones as corners and learns from the data which of them it should be; what
/// labels cannot tell within one fit is what to think of the shares of the classes, and how much to believe workers who
/// tell little. So it is fitted under three views of the shares (anchored at the votes, estimated, uniform), each with and
/// without a discount of one half, and the six answers are averaged by how well they foretell labels that were hidden
/// from them:
/// - the discount's weight is s(z), z the standardised mean gain in ln P(hidden label) with it over without it, under the
///   anchored view;
/// - a view's weight is proportional to exp(30 (J / the best J - 1)), J the mutual information between the hidden labels and
///   the class that the remaining votes tell;
/// - the mean's power, from 0.3 to 1, is the one that gives the hidden labels the highest probability: sureness that
///   hidden labels do not bear out is taken back.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `folds` | each label is hidden once in so many fits | 5 | 2 to 20 |
/// | `prior` | known shares of the classes, for the three views | none | |
///
/// Cost: 6 fits of all labels and 6 `folds` of at most 200,000 (whole tasks drawn by the seed).
#[derive(Clone, Debug, PartialEq)]
pub struct Auto {
    /// Each label is hidden once in so many fits.
    pub folds: usize,
    /// Known shares of the classes, which stand in for the three views.
    pub prior: Option<Prior>,
    /// The seed of who is hidden when.
    pub seed: u64,
}

impl Default for Auto {
    fn default() -> Self {
        Auto { folds: 5, prior: None, seed: 0 }
    }
}

/// What [`Auto`] chose.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Chosen {
    /// How many hidden labels decided.
    pub hidden: usize,
    /// The weight of the fits that discount workers who tell little.
    pub discount: f64,
    /// The views of the classes' shares, and their weights.
    pub views: Vec<(&'static str, f64)>,
    /// The power to which probabilities were raised.
    pub sharpness: f64,
}

impl Chosen {
    /// The same in words.
    pub fn sentence(&self) -> String {
        let views: Vec<String> = self.views.iter().map(|(name, weight)| format!("{name} {weight:.2}")).collect();
        format!(
            "by {} hidden labels: class shares {}; discount {:.2}; power {:.1}",
            self.hidden,
            views.join(", "),
            self.discount,
            self.sharpness
        )
    }
}

/// How much less below-average workers count where they are discounted.
const DISCOUNT: f64 = 0.5;
/// How sharply views are told apart by what they foretell.
const SHARPLY: f64 = 30.0;
/// Labels beyond which choosing among the fits gains nothing from more.
const MOST_HIDDEN: usize = 200_000;
const POWERS: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

impl Auto {
    /// Fits the six, weighs them, and averages.
    pub fn fit(&self, evidence: &Evidence<'_>, context: &Context) -> Result<Fitted> {
        if !(2..=20).contains(&self.folds) {
            let value = self.folds.to_string();
            return Err(Error::OutOfRange { name: "the number of folds", value, range: "2 to 20" });
        }
        let candidates = self.candidates();
        check_tables(evidence.ballots, evidence.ballots.classes())?;
        candidates.iter().try_for_each(|candidate| candidate.method.check(evidence.ballots.classes()))?;
        let weighed = self.weigh(&candidates, evidence, &context.part(0.0, 0.7))?;
        let classes = evidence.ballots.classes();
        let mut posterior = Posterior::equal(evidence.ballots.tasks(), classes);
        posterior.values.fill(0.0);
        let (mut rules, mut iterations, mut converged) = (Vec::new(), 0, true);
        let fits = |candidate: &Candidate| -> Result<_> {
            let fit = candidate.method.climb(evidence, context)?;
            let told = fit.cavity(evidence, context);
            Ok((fit, told))
        };
        for (candidate, weight) in candidates.iter().zip(&weighed.weights) {
            let (fit, told) = fits(candidate)?;
            posterior.values.iter_mut().zip(&told.values).for_each(|(sum, p)| *sum += weight * p);
            iterations = iterations.max(fit.climb.objective.len());
            converged &= fit.climb.converged;
            rules.push(Rule::Confusion(fit.climb.tables));
        }
        posterior.fill(context, |_, row| sharpen(row, weighed.chosen.sharpness));
        posterior.settle(evidence.ballots, &evidence.gold);
        Ok(Fitted {
            rule: Rule::Blend(Blend { rules, weights: weighed.weights, sharpness: weighed.chosen.sharpness }),
            posterior,
            // An average of fits has none.
            log_likelihood: None,
            iterations,
            converged,
            chosen: Some(weighed.chosen),
        })
    }

    /// The fits to weigh: each view without the discount and with it.
    fn candidates(&self) -> Vec<Candidate> {
        let views = match &self.prior {
            Some(prior) => vec![("given", View::Prior(prior.clone()))],
            None => vec![
                ("anchored", View::Anchored),
                ("estimated", View::Prior(Prior::Estimated)),
                ("uniform", View::Prior(Prior::Uniform)),
            ],
        };
        let with = |discount: f64| {
            move |(name, view): &(&'static str, View)| {
                let method = Skilled { view: view.clone(), discount, ..Skilled::default() };
                Candidate { view: name, method }
            }
        };
        views.iter().map(with(0.0)).chain(views.iter().map(with(DISCOUNT))).collect()
    }

    /// What labels hidden from the candidates say of them.
    fn weigh(&self, candidates: &[Candidate], evidence: &Evidence<'_>, context: &Context) -> Result<Weighed> {
        let sample = Sample::draw(evidence, self.folds, self.seed)?;
        let classes = evidence.ballots.classes();
        let jobs: Vec<(usize, usize)> =
            (0..self.folds).flat_map(|fold| (0..candidates.len()).map(move |candidate| (fold, candidate))).collect();
        // Each fit is small, so fits go side by side and each by itself.
        let steps = context.steps("aggregating", jobs.len());
        let fits = context.map(jobs, |(fold, candidate)| {
            let kept = sample.kept(fold);
            let evidence = Evidence { ballots: &kept, gold: sample.gold.clone() };
            let fit = candidates[candidate].method.climb(&evidence, &context.alone())?;
            steps.tick().map(|()| fit)
        });
        let fits: Vec<SkilledFit> = fits.into_iter().collect::<Result<_>>()?;
        let mut hidden = Hidden::new(candidates.len(), classes);
        for fold in 0..self.folds {
            hidden.observe(&sample, fold, &fits[fold * candidates.len()..(fold + 1) * candidates.len()]);
        }
        let views = candidates.len() / 2;
        let discount = hidden.discount();
        let told: Vec<f64> = (0..views)
            .map(|v| discount * hidden.information(views + v) + (1.0 - discount) * hidden.information(v))
            .collect();
        let most = told.iter().fold(1e-9, |most: f64, &told| most.max(told));
        let sharp: Vec<f64> = told.iter().map(|told| (SHARPLY * (told / most - 1.0)).exp()).collect();
        let sum: f64 = sharp.iter().sum();
        let of_view = |v: usize| sharp[v] / sum;
        let weights: Vec<f64> =
            (0..2 * views).map(|c| of_view(c % views) * if c < views { 1.0 - discount } else { discount }).collect();
        let mut sureness = [0.0; POWERS.len()];
        for fold in 0..self.folds {
            let fits = &fits[fold * candidates.len()..(fold + 1) * candidates.len()];
            sample.try_powers(fold, fits, &weights, &mut sureness);
        }
        let best = (0..POWERS.len())
            .rev()
            .fold(POWERS.len() - 1, |best, i| if sureness[i] > sureness[best] { i } else { best });
        let chosen = Chosen {
            hidden: hidden.count,
            discount,
            views: (0..views).map(|v| (candidates[v].view, of_view(v))).collect(),
            sharpness: POWERS[best],
        };
        Ok(Weighed { weights, chosen })
    }
}

struct Candidate {
    view: &'static str,
    method: Skilled,
}

struct Weighed {
    weights: Vec<f64>,
    chosen: Chosen,
}

/// Tasks to choose by, each of their votes in a fold.
struct Sample {
    ballots: Ballots,
    gold: Vec<Option<u16>>,
    /// The fold of each vote, and where each task's votes begin.
    fold: Vec<u8>,
    first: Vec<usize>,
}

impl Sample {
    fn draw(evidence: &Evidence<'_>, folds: usize, seed: u64) -> Result<Self> {
        let mut random = stream(seed, u64::MAX - 1);
        let all = evidence.ballots;
        let (ballots, gold) = match all.len() <= MOST_HIDDEN {
            true => (all.clone(), evidence.gold.clone()),
            false => {
                let mut order: Vec<usize> = (0..all.tasks()).collect();
                order.shuffle(&mut random);
                let mut votes = 0;
                order.retain(|&task| {
                    let more = all.votes(task).labels.len();
                    let fits = votes + more <= MOST_HIDDEN;
                    votes += if fits { more } else { 0 };
                    fits
                });
                order.sort_unstable();
                let gold = if evidence.gold.is_empty() {
                    Vec::new()
                } else {
                    order.iter().map(|&t| evidence.gold[t]).collect()
                };
                (all.of_tasks(&order)?, gold)
            }
        };
        let mut fold: Vec<u8> = (0..ballots.len()).map(|vote| (vote % folds) as u8).collect();
        fold.shuffle(&mut random);
        let mut first = Vec::with_capacity(ballots.tasks());
        let mut votes = 0;
        for task in 0..ballots.tasks() {
            first.push(votes);
            votes += ballots.votes(task).labels.len();
        }
        Ok(Sample { ballots, gold, fold, first })
    }

    /// The votes that a fold does not hide.
    fn kept(&self, fold: usize) -> Ballots {
        self.ballots.filtered(|vote, _| usize::from(self.fold[vote]) != fold)
    }

    /// Tells of each hidden vote whose task has others left: the task, the worker and the label. `classes` holds, for each
    /// fit, the probabilities of the task's classes by the votes left.
    fn for_hidden(&self, fold: usize, fits: &[SkilledFit], mut tell: impl FnMut(&[Vec<f64>], usize, usize)) {
        let kept = self.kept(fold);
        let classes = self.ballots.classes();
        let mut told: Vec<Vec<f64>> = vec![vec![0.0; classes]; fits.len()];
        for task in 0..self.ballots.tasks() {
            let (votes, left) = (self.ballots.votes(task), kept.votes(task));
            if left.labels.is_empty() || left.labels.len() == votes.labels.len() {
                continue;
            }
            for (fit, told) in fits.iter().zip(&mut told) {
                match self.gold.get(task).copied().flatten() {
                    None => {
                        fit.climb.tables.components(left, told);
                    }
                    Some(class) => {
                        told.fill(0.0);
                        told[usize::from(class)] = 1.0;
                    }
                }
            }
            for (i, (worker, label)) in votes.iter().enumerate() {
                if usize::from(self.fold[self.first[task] + i]) == fold {
                    tell(&told, worker, label);
                }
            }
        }
    }

    /// Adds to each power how probable it makes the hidden labels.
    fn try_powers(&self, fold: usize, fits: &[SkilledFit], weights: &[f64], sureness: &mut [f64]) {
        let classes = self.ballots.classes();
        let (mut mean, mut says, mut row) = (vec![0.0; classes], vec![0.0; classes], vec![0.0; classes]);
        self.for_hidden(fold, fits, |told, worker, label| {
            mean.fill(0.0);
            says.fill(0.0);
            for ((fit, told), weight) in fits.iter().zip(told).zip(weights) {
                for class in 0..classes {
                    mean[class] += weight * told[class];
                    says[class] += weight * fit.climb.tables.probability(worker, class, label);
                }
            }
            for (sum, power) in sureness.iter_mut().zip(POWERS) {
                row.copy_from_slice(&mean);
                sharpen(&mut row, power);
                *sum += row.iter().zip(&says).map(|(p, says)| p * says).sum::<f64>().max(1e-300).ln();
            }
        });
    }
}

/// What hidden labels say of each candidate.
struct Hidden {
    classes: usize,
    count: usize,
    /// Of each candidate, how often the class was k by the votes left where a hidden label was l, at k * classes + l.
    tables: Vec<Vec<f64>>,
    /// The sum of the discount's gains in log-probability under the first view, and of their squares.
    gain: f64,
    squares: f64,
}

impl Hidden {
    fn new(candidates: usize, classes: usize) -> Self {
        Hidden { classes, count: 0, tables: vec![vec![0.0; classes * classes]; candidates], gain: 0.0, squares: 0.0 }
    }

    fn observe(&mut self, sample: &Sample, fold: usize, fits: &[SkilledFit]) {
        let classes = self.classes;
        sample.for_hidden(fold, fits, |told, worker, label| {
            for (table, told) in self.tables.iter_mut().zip(told) {
                told.iter().enumerate().for_each(|(class, p)| table[class * classes + label] += p);
            }
            let foretold = |candidate: usize| {
                let says = |class: usize| fits[candidate].climb.tables.probability(worker, class, label);
                told[candidate].iter().enumerate().map(|(class, p)| p * says(class)).sum::<f64>().max(1e-300).ln()
            };
            let gain = foretold(fits.len() / 2) - foretold(0);
            self.count += 1;
            self.gain += gain;
            self.squares += gain * gain;
        });
    }

    /// The weight of the discount: how sure it is that it foretells better.
    fn discount(&self) -> f64 {
        let n = self.count.max(1) as f64;
        let mean = self.gain / n;
        let deviation = (self.squares / n - mean * mean).max(0.0).sqrt();
        logistic(mean / (deviation / n.sqrt() + 1e-12))
    }

    /// The mutual information between hidden labels and classes.
    fn information(&self, candidate: usize) -> f64 {
        let (table, k) = (&self.tables[candidate], self.classes);
        let total: f64 = table.iter().sum();
        let row = |class: usize| table[class * k..(class + 1) * k].iter().sum::<f64>();
        let rows: Vec<f64> = (0..k).map(row).collect();
        let columns: Vec<f64> = (0..k).map(|label| (0..k).map(|class| table[class * k + label]).sum()).collect();
        let cell = |(at, &cell): (usize, &f64)| match cell > 0.0 {
            true => cell / total * (cell * total / (rows[at / k] * columns[at % k])).ln(),
            false => 0.0,
        };
        table.iter().enumerate().map(cell).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Crowd;
    use crate::truth::{Calibration, DawidSkene};

    fn crowd(crowd: &Crowd, seed: u64) -> (Ballots, Vec<Option<u16>>) {
        let drawn = crowd.draw(&Context::new().with_seed(seed)).unwrap();
        let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
        (Ballots::from_tasks(&drawn.labels, crowd.workers, crowd.classes).unwrap(), truth)
    }

    #[test]
    fn better_and_better_calibrated_than_free_tables_where_labels_are_few() {
        let (mut ours, mut theirs) = ((0.0, 0.0), (0.0, 0.0));
        for seed in 0..5 {
            let few = Crowd { tasks: 400, workers: 100, classes: 3, votes: (3, 3), ..Crowd::default() };
            let (ballots, truth) = crowd(&few, seed);
            let evidence = Evidence::votes(&ballots).unwrap();
            let auto =
                Calibration::of(&Auto::default().fit(&evidence, &Context::new()).unwrap().posterior, &truth).unwrap();
            let free =
                Calibration::of(&DawidSkene::default().fit(&evidence, &Context::new()).unwrap().posterior, &truth)
                    .unwrap();
            ours = (ours.0 + auto.accuracy / 5.0, ours.1 + auto.ece / 5.0);
            theirs = (theirs.0 + free.accuracy / 5.0, theirs.1 + free.ece / 5.0);
        }
        assert!(ours.0 > theirs.0 + 0.03, "{ours:?} {theirs:?}");
        assert!(ours.1 < 0.5 * theirs.1, "{ours:?} {theirs:?}");
    }

    #[test]
    fn rare_classes_do_not_die_of_the_uniform_view() {
        let rare = Crowd {
            tasks: 1500,
            workers: 60,
            votes: (3, 3),
            priors: vec![0.9, 0.1],
            accuracy: 0.75,
            ..Crowd::default()
        };
        let (ballots, truth) = crowd(&rare, 2);
        let evidence = Evidence::votes(&ballots).unwrap();
        let fitted = Auto::default().fit(&evidence, &Context::new()).unwrap();
        let chosen = fitted.chosen.clone().unwrap();
        assert!(chosen.views[2].1 < 0.1, "{chosen:?}");
        let uniform = Skilled { view: View::Prior(Prior::Uniform), ..Skilled::default() };
        let uniform = uniform.fit(&evidence, &Context::new()).unwrap();
        assert!(fitted.posterior.error(&truth) < uniform.posterior.error(&truth));
    }

    #[test]
    fn threads_change_nothing_and_odd_crowds_get_an_answer() {
        let (ballots, _) = crowd(&Crowd { tasks: 80, workers: 10, classes: 3, ..Crowd::default() }, 1);
        let evidence = Evidence::votes(&ballots).unwrap();
        let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
        assert!(
            Auto::default().fit(&evidence, &Context::new()).unwrap()
                == Auto::default().fit(&evidence, &context).unwrap()
        );
        // One label each: nothing can be hidden, and what was said stands.
        let alone = Ballots::from_tasks(&[vec![(0, 0)], vec![(1, 1)], vec![], vec![(0, 1)]], 2, 2).unwrap();
        let fitted = Auto::default().fit(&Evidence::votes(&alone).unwrap(), &Context::new()).unwrap();
        assert_eq!(fitted.posterior.of(2), [0.5, 0.5]);
        assert!(fitted.posterior.answer(0, 0).class == 0 && fitted.posterior.answer(1, 0).class == 1);
        let single = Ballots::from_tasks(&[vec![(0, 0)], vec![(1, 0)]], 2, 1).unwrap();
        let fitted = Auto::default().fit(&Evidence::votes(&single).unwrap(), &Context::new()).unwrap();
        assert_eq!(fitted.posterior.of(1), [1.0]);
    }

    #[test]
    fn known_classes_stay() {
        let (ballots, truth) = crowd(&Crowd { tasks: 100, workers: 8, classes: 2, ..Crowd::default() }, 3);
        let evidence = Evidence::with_gold(&ballots, truth.clone()).unwrap();
        let fitted = Auto::default().fit(&evidence, &Context::new()).unwrap();
        assert_eq!(fitted.posterior.error(&truth), Some(0.0));
    }
}
