//! The search for the best model: starts, EM from each, and Newton's steps from the best.

use super::classifier::rows_of;
use super::em::{Climb, Penalties};
use super::model::{ExpertModel, Labelled};
use super::newton::{self, Arrived};
use super::starts::neighbours;
use super::{Classifier, check_penalty, drawn_apart};
use crate::{Context, Error, Result};

/// A sparse classifier and the experts' skills, learned together from noisy labels (Izbicki and Stern 2014).
///
/// P(Z_i = 1 | x_i) = s(b0 + x_i b), and expert k is right with P(Y_ik = Z_i | x_i) = s(a_k + x_i g), s the logistic
/// function; labels are independent given Z and x. Maximised is the log-likelihood of the labels less `penalty` |b|_1 and
/// `penalty_difficulty` |g|_1, for features brought to mean 0 and variance 1, by EM from several starts: z_i = P(Z_i = 1 |
/// x_i, y_i), then two penalised logistic regressions, of z on x, and of 'the expert was right' on x and expert; and then
/// by Newton's steps on the likelihood of the labels itself. The objective never falls. (a, g, b) and its negative have
/// the same likelihood; the one that agrees most with the majority is taken. With more than two classes Z is multinomial,
/// with coefficients for each class, and an expert who is wrong says each of the other classes equally often.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `penalty` | on the coefficients of the class | 1 | 0 or more |
/// | `penalty_difficulty` | on the coefficients of difficulty | as `penalty` | 0 or more |
/// | `restarts` | random starts, as in section 4 of the paper | 30 | 0 or more |
/// | `asymmetric` | an expert has a skill for each true class | no | |
///
/// Cost of a step of EM: O(values of all features, and labels) for each step of Newton in the two regressions; of a step
/// on the likelihood, O(units times the square of the number of features that enter).
///
/// ```
/// use beanjar::Context;
/// use beanjar::experts::{Features, Labelled, ManyExperts};
/// use beanjar::judgments::Ballots;
///
/// // Four units with one feature; two experts agree with it, a third does not.
/// let features = Features::from_columns(4, &[vec![-2.0, -1.0, 1.0, 2.0]])?;
/// let said = [vec![(0, 0), (1, 0), (2, 0)], vec![(0, 0), (1, 0), (2, 1)], vec![(0, 1), (1, 1), (2, 0)], vec![(0, 1), (1, 1), (2, 1)]];
/// let ballots = Ballots::from_tasks(&said, 3, 2)?;
/// let data = Labelled::new(&features, &ballots)?;
/// let fit = ManyExperts { penalty: 0.1, ..ManyExperts::default() }.fit(&data, &Context::new())?;
/// assert!(fit.model.classifier.coefficients[0] > 0.0);
/// assert!(fit.model.skills[0] > fit.model.skills[2]);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ManyExperts {
    /// The penalty on the coefficients of the class.
    pub penalty: f64,
    /// The penalty on the coefficients of difficulty; as `penalty` if not given.
    pub penalty_difficulty: Option<f64>,
    /// Random starts, besides the majority vote and the one-coin fit.
    pub restarts: usize,
    /// Whether an expert has a skill for each true class.
    pub asymmetric: bool,
    /// The most steps from a start.
    pub iterations: usize,
    /// The end is where a step promises less than this share of the objective.
    pub tolerance: f64,
    /// The seed of the starts.
    pub seed: u64,
}

impl Default for ManyExperts {
    fn default() -> Self {
        ManyExperts {
            penalty: 1.0,
            penalty_difficulty: None,
            restarts: 30,
            asymmetric: false,
            iterations: 1000,
            tolerance: 1e-9,
            seed: 0,
        }
    }
}

/// What was learned, for features standardised as those it was learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The classifier and the experts.
    pub model: ExpertModel,
    /// The log-likelihood less the penalties.
    pub objective: f64,
    /// The log-likelihood of the labels.
    pub log_likelihood: f64,
    /// Steps of EM and of Newton from the start that was kept.
    pub iterations: usize,
    /// Whether it came to an end by itself.
    pub converged: bool,
}

/// Each start is followed by EM for so many steps, and then to its end.
const SHORT: usize = 2;

/// All are first followed until a step promises less than this share of the objective.
const NEAR: f64 = 1e-5;

/// Where following all to the end would cost more than this many products, after so many steps so many are kept.
const MOST_PRODUCTS: f64 = 2e9;
const STAGES: [(usize, usize); 2] = [(4, 8), (12, 3)];

/// Which starts are promising, so many units can tell.
const SAMPLE: usize = 10_000;

impl ManyExperts {
    /// Learns from units and labels.
    pub fn fit(&self, data: &Labelled<'_>, context: &Context) -> Result<Learned> {
        let best = highest(self.ends(data, 0.0, context)?).ok_or(Error::Empty("start"))?;
        let small = self.affordable(data, 1) && data.ballots.tasks() <= SAMPLE;
        Ok(if small && newton::suits(data, self.skills(data)) { self.higher_nearby(data, best, context) } else { best })
    }

    /// What is higher than a fit and can be had from near it, if anything: one of its parts is taken out, and the rest led on.
    fn higher_nearby(&self, data: &Labelled<'_>, mut best: Learned, context: &Context) -> Learned {
        const ROUNDS: usize = 5;
        for _ in 0..ROUNDS {
            let mut near = context.map(neighbours(data, &best.model), |model| self.near_its_end(data, model, 0));
            near.retain(|climb| climb.may_end_at() > best.objective);
            let ends = context.map(apart(data, near, 0.0), |(model, steps)| self.arrive(data, model, steps));
            match highest(ends) {
                Some(next) if next.objective > best.objective + self.tolerance * best.objective.abs() => best = next,
                _ => break,
            }
        }
        best
    }

    /// Whether following so many starts to their ends is affordable.
    fn affordable(&self, data: &Labelled<'_>, starts: usize) -> bool {
        let variables = self.blank(data).size() as f64;
        starts as f64 * data.features.units() as f64 * variables * variables <= MOST_PRODUCTS
    }

    /// Where the climbs from the starts end, each end once; not all of those that are lower than the highest by more than
    /// the margin.
    pub(super) fn ends(&self, data: &Labelled<'_>, margin: f64, context: &Context) -> Result<Vec<Learned>> {
        self.check(data)?;
        let labelled = (0..data.ballots.tasks()).filter(|&unit| !data.ballots.votes(unit).labels.is_empty());
        let labelled: Vec<usize> = labelled.collect();
        let climbs = match labelled.len() > SAMPLE {
            false => self.promising(data, context)?,
            true => {
                let share = SAMPLE as f64 / labelled.len() as f64;
                let (some, _) = drawn_apart(labelled.len(), share, self.seed);
                let some: Vec<usize> = some.iter().map(|&at| labelled[at]).collect();
                let (features, ballots) = (data.features.of_units(&some), data.ballots.of_tasks(&some)?);
                let sample = Labelled::new(&features, &ballots)?;
                let penalty_difficulty = self.penalty_difficulty.map(|penalty| share * penalty);
                let alike = ManyExperts { penalty: share * self.penalty, penalty_difficulty, ..self.clone() };
                let models =
                    alike.promising(&sample, context)?.into_iter().filter_map(|climb| climb.model).take(STAGES[0].1);
                let starts = models.map(|model| model.on_the_users_scale(&features).plain_posterior(data)).collect();
                context.map(starts, |shares| self.climb(data, shares).run(SHORT.min(self.iterations), self.tolerance))
            }
        };
        Ok(match newton::suits(data, self.skills(data)) {
            true => {
                let models =
                    climbs.into_iter().map(|climb| (climb.model.unwrap_or_else(|| self.blank(data)), climb.steps));
                let near = context.map(models.collect(), |(model, steps)| self.near_its_end(data, model, steps));
                context.map(apart(data, near, margin), |(model, steps)| self.arrive(data, model, steps))
            }
            false => context.map(climbs, |climb| self.by_em(data, climb)),
        })
    }

    /// The starts worth following, some steps on their way.
    fn promising<'a>(&self, data: &'a Labelled<'a>, context: &Context) -> Result<Vec<Climb<'a>>> {
        let starts = self.starts(data)?;
        let stages = if self.affordable(data, starts.len()) { &[(SHORT, usize::MAX)] } else { &STAGES[..] };
        let mut climbs: Vec<Climb<'_>> = starts.into_iter().map(|shares| self.climb(data, shares)).collect();
        for &(steps, kept) in stages {
            climbs = context.map(climbs, |climb| climb.run(steps.min(self.iterations), self.tolerance));
            climbs.sort_by(|a, b| b.objective.total_cmp(&a.objective));
            climbs.truncate(kept);
        }
        Ok(climbs)
    }

    fn climb<'a>(&self, data: &'a Labelled<'a>, shares: Vec<f64>) -> Climb<'a> {
        Climb::new(self.penalties(), self.asymmetric, data, shares)
    }

    /// Learns from where another fit ended: along a path of penalties.
    pub fn fit_from(&self, data: &Labelled<'_>, start: &ExpertModel) -> Result<Learned> {
        self.check(data)?;
        Ok(match newton::suits(data, self.skills(data)) {
            true => self.arrive(data, start.clone(), 0),
            false => self.by_em(data, self.climb(data, start.posterior(data))),
        })
    }

    /// By EM to the end.
    fn by_em(&self, data: &Labelled<'_>, climb: Climb<'_>) -> Learned {
        let Climb { model, objective, log_likelihood, steps, converged, .. } =
            climb.run(self.iterations, self.tolerance);
        let model = model.unwrap_or_else(|| self.blank(data)).agreeing_with_the_majority(data);
        Learned { model, objective, log_likelihood, iterations: steps, converged }
    }

    /// By Newton's steps to where it is clear where a climb will end.
    fn near_its_end(&self, data: &Labelled<'_>, model: ExpertModel, steps: usize) -> Arrived {
        let most = self.iterations.saturating_sub(steps);
        let near = newton::arrive(data, self.penalties(), model, self.tolerance.max(NEAR), most);
        Arrived { model: near.model.agreeing_with_the_majority(data), steps: steps + near.steps, ..near }
    }

    /// By Newton's steps to the end.
    fn arrive(&self, data: &Labelled<'_>, model: ExpertModel, steps: usize) -> Learned {
        let most = self.iterations.saturating_sub(steps).max(1);
        let end = newton::arrive(data, self.penalties(), model, self.tolerance, most);
        Learned {
            model: end.model.agreeing_with_the_majority(data),
            objective: end.objective,
            log_likelihood: end.log_likelihood,
            iterations: steps + end.steps,
            converged: end.converged,
        }
    }

    fn penalties(&self) -> Penalties {
        Penalties { truth: self.penalty, difficulty: self.penalty_difficulty.unwrap_or(self.penalty) }
    }

    fn check(&self, data: &Labelled<'_>) -> Result<()> {
        let refuse = |name, value: f64, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        check_penalty("the penalty", self.penalty)?;
        check_penalty("the penalty of difficulty", self.penalty_difficulty.unwrap_or(0.0))?;
        if self.asymmetric && data.ballots.classes() != 2 {
            return refuse("the number of classes", data.ballots.classes() as f64, "2 with asymmetric skills");
        }
        if self.iterations == 0 {
            return refuse("the number of iterations", 0.0, "1 or more");
        }
        match (0.0..1.0).contains(&self.tolerance) {
            true => Ok(()),
            false => refuse("the tolerance", self.tolerance, "0 to 1"),
        }
    }

    /// How many skills there are.
    fn skills(&self, data: &Labelled<'_>) -> usize {
        data.ballots.workers() * if self.asymmetric { 2 } else { 1 }
    }

    /// A model of zeros.
    pub(super) fn blank(&self, data: &Labelled<'_>) -> ExpertModel {
        let (classes, features) = (data.ballots.classes(), data.features.len());
        let rows = rows_of(classes);
        ExpertModel {
            classifier: Classifier { classes, intercepts: vec![0.0; rows], coefficients: vec![0.0; rows * features] },
            skills: vec![0.0; self.skills(data)],
            difficulty: vec![0.0; features],
            asymmetric: self.asymmetric,
        }
    }
}

/// The end with the highest objective.
fn highest(ends: Vec<Learned>) -> Option<Learned> {
    ends.into_iter().reduce(|best, next| if next.objective > best.objective { next } else { best })
}

/// Of climbs near their ends, those that may end no lower than the highest less a margin, each end once.
fn apart(data: &Labelled<'_>, mut near: Vec<Arrived>, margin: f64) -> Vec<(ExpertModel, usize)> {
    /// Climbs end alike if what they think of units differs by no more than this, root mean square.
    const ALIKE: f64 = 0.02;
    near.sort_by(|a, b| b.objective.total_cmp(&a.objective));
    let highest = near.first().map_or(0.0, |first| first.objective);
    let mut kept: Vec<(Arrived, Vec<f64>)> = Vec::new();
    for climb in near {
        if climb.may_end_at() < highest - margin {
            continue;
        }
        let thinks = climb.model.posterior(data);
        let alike = |other: &Vec<f64>| {
            let squares: f64 = other.iter().zip(&thinks).map(|(a, b)| (a - b) * (a - b)).sum();
            squares <= ALIKE * ALIKE * thinks.len() as f64
        };
        if !kept.iter().any(|(_, other)| alike(other)) {
            kept.push((climb, thinks));
        }
    }
    kept.into_iter().map(|(climb, _)| (climb.model, climb.steps)).collect()
}

#[cfg(test)]
mod tests;
