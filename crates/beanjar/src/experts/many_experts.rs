//! The search for the best model: starts, EM from each, and Newton's steps from the best.

use super::em::{Climb, Penalties};
use super::expert_model::ExpertModel;
use super::labelled_units::Labelled;
use super::linear::Linear;
use super::newton::{Arrived, Newton};
use super::parameters::Parameters;
use super::penalty::{Penalty, PenaltyKind, check_penalty};
use super::split::random_split;
use super::starts::neighbours;
use crate::{Context, Error, Result};

/// A sparse classifier and the experts' skills, learned together from noisy labels (Izbicki and Stern 2014).
///
/// P(Z_i = 1 | x_i) = s(b0 + x_i b), and expert k is right with P(Y_ik = Z_i | x_i) = s(a_k + x_i g), s the logistic
/// function; labels are independent given Z and x. Maximised is the log-likelihood of the labels less `penalty` |b|_1 and
/// `penalty_ease` |g|_1, for features brought to mean 0 and variance 1, by EM from several starts: z_i = P(Z_i = 1 |
/// x_i, y_i), then two penalised logistic regressions, of z on x, and of 'the expert was right' on x and expert; and then
/// by Newton's steps on the likelihood of the labels itself. The objective never falls. (a, g, b) and its negative have
/// the same likelihood; the one that agrees most with the majority is taken. With more than two classes Z is multinomial,
/// with coefficients for each class, and an expert who is wrong says each of the other classes equally often. x_i g is the
/// ease of unit i: the paper calls g the difficulty, though it adds to the chance that experts are right.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `penalty` | on the coefficients of the class | 1 | 0 or more |
/// | `kind` | of the penalties | L1 | |
/// | `penalty_ease` | on the coefficients of ease | as `penalty` | 0 or more |
/// | `restarts` | random starts, as in section 4 of the paper | 30 | 0 or more |
/// | `asymmetric` | an expert has a skill for each of two true classes | no | |
/// | `iterations` | the most steps from a start | 1000 | 1 or more |
/// | `tolerance` | the end is where a step promises less than this share of the objective | 1e-9 | 0 to 1 |
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
/// assert!(fit.model.classifier().coefficients()[0] > 0.0);
/// assert!(fit.model.skills()[0] > fit.model.skills()[2]);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ManyExperts {
    /// The penalty on the coefficients of the class.
    pub penalty: f64,
    /// The kind of the penalties.
    pub kind: PenaltyKind,
    /// The penalty on the coefficients of ease; as `penalty` if not given.
    pub penalty_ease: Option<f64>,
    /// Random starts, besides the majority vote and the one-coin fit.
    pub restarts: usize,
    /// Whether an expert has a skill for each true class.
    pub asymmetric: bool,
    /// The most steps from a start.
    pub iterations: usize,
    /// The end is where a step promises less than this share of the objective.
    pub tolerance: f64,
}

impl Default for ManyExperts {
    fn default() -> Self {
        ManyExperts {
            penalty: 1.0,
            kind: PenaltyKind::L1,
            penalty_ease: None,
            restarts: 30,
            asymmetric: false,
            iterations: 1000,
            tolerance: 1e-9,
        }
    }
}

/// A classifier and experts, fitted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ExpertsFit {
    /// The classifier and the experts, for features on the user's scale.
    pub model: ExpertModel,
    /// The log-likelihood less the penalties.
    pub objective: f64,
    /// The log-likelihood of the labels.
    pub log_likelihood: f64,
    /// Steps of EM and of Newton from the start that was kept.
    pub iterations: usize,
    /// Whether the steps ended because none promised more.
    pub converged: bool,
    /// The same model for standardised features.
    pub(super) parameters: Parameters,
}

/// Each start is followed by EM for this many steps, and then to its end.
const SHORT: usize = 2;

/// All are first followed until a step promises less than this share of the objective.
const NEAR: f64 = 1e-5;

/// Where following all to the end would cost more than this many products, only some are kept after some steps: steps,
/// and how many are kept.
const MOST_PRODUCTS: f64 = 2e9;
const STAGES: [(usize, usize); 2] = [(4, 8), (12, 3)];

/// With more units than this, a random sample of them decides which starts are promising.
const SAMPLE: usize = 10_000;

/// Numbers in all starts together: 2 GB of them.
const MOST_NUMBERS: usize = 250_000_000;

const STAGE: &str = "learning";

impl ManyExperts {
    /// Learns from units and labels.
    pub fn fit(&self, data: &Labelled<'_>, context: &Context) -> Result<ExpertsFit> {
        if self.needs_products(data) {
            self.check(data)?;
            return self.best_start(data, context);
        }
        let best = highest(self.ends(data, 0.0, &context.part(0.0, 0.8))?).ok_or(Error::Empty("start"))?;
        let small = self.affordable(data, 1) && data.units() <= SAMPLE;
        match small {
            true => self.higher_nearby(data, best, &context.part(0.8, 1.0)),
            false => Ok(best),
        }
    }

    /// Learns from where another fit ended: along a path of penalties.
    pub fn fit_from(&self, data: &Labelled<'_>, start: &ExpertsFit, context: &Context) -> Result<ExpertsFit> {
        self.fit_from_parameters(data, &start.parameters, context)
    }

    pub(super) fn fit_from_parameters(
        &self,
        data: &Labelled<'_>,
        start: &Parameters,
        context: &Context,
    ) -> Result<ExpertsFit> {
        self.check(data)?;
        let blank = self.blank(data);
        if (start.size(), start.asymmetric) != (blank.size(), blank.asymmetric) {
            let value = "of other features, classes or experts".to_owned();
            return Err(Error::OutOfRange { name: "the fit to start from", value, range: "of the same ones" });
        }
        match self.needs_products(data) {
            true => self.follow(data, start.clone(), self.limits(), context),
            false => self.arrive(data, start.clone(), 0, context),
        }
    }

    /// A fit that is higher than another and can be reached from near it, if there is one: one of its parts is taken out,
    /// and the rest led on.
    fn higher_nearby(&self, data: &Labelled<'_>, mut best: ExpertsFit, context: &Context) -> Result<ExpertsFit> {
        const ROUNDS: usize = 5;
        for round in 0..ROUNDS {
            context.report(STAGE, round as f64 / ROUNDS as f64)?;
            let near =
                context.map(neighbours(data, &best.parameters), |model| self.near_its_end(data, model, 0, context));
            let mut near = near.into_iter().collect::<Result<Vec<_>>>()?;
            near.retain(|climb| climb.may_end_at() > best.objective);
            let ends = context.map(apart(data, near, 0.0), |(model, steps)| self.arrive(data, model, steps, context));
            match highest(ends.into_iter().collect::<Result<_>>()?) {
                Some(next) if next.objective > best.objective + self.tolerance * best.objective.abs() => best = next,
                _ => break,
            }
        }
        Ok(best)
    }

    /// Whether following this many starts to their ends is affordable.
    fn affordable(&self, data: &Labelled<'_>, starts: usize) -> bool {
        let variables = self.blank(data).size() as f64;
        starts as f64 * data.units() as f64 * variables * variables <= MOST_PRODUCTS
    }

    /// Where the climbs from the starts end, each end once; not all of those that are lower than the highest by more than
    /// the margin.
    pub(super) fn ends(&self, data: &Labelled<'_>, margin: f64, context: &Context) -> Result<Vec<ExpertsFit>> {
        self.check(data)?;
        let labelled: Vec<usize> = data.with_labels().collect();
        let first = context.part(0.0, 0.4);
        let climbs = match labelled.len() > SAMPLE {
            false => self.promising(data, &first)?,
            true => self.promising_by_sample(data, &labelled, &first)?,
        };
        let (second, third) = (context.part(0.4, 0.7), context.part(0.7, 1.0));
        let models: Vec<(Parameters, usize)> =
            climbs.into_iter().map(|climb| (climb.model.unwrap_or_else(|| self.blank(data)), climb.steps)).collect();
        let steps = second.steps(STAGE, models.len());
        let near = context.map(models, |(model, done)| {
            let near = self.near_its_end(data, model, done, context)?;
            steps.tick()?;
            Ok(near)
        });
        let kept = apart(data, near.into_iter().collect::<Result<_>>()?, margin);
        let steps = third.steps(STAGE, kept.len());
        let ends = context.map(kept, |(model, done)| {
            let end = self.arrive(data, model, done, context)?;
            steps.tick()?;
            Ok(end)
        });
        ends.into_iter().collect()
    }

    /// The starts worth following, some steps on their way.
    fn promising<'a>(&self, data: &'a Labelled<'a>, context: &Context) -> Result<Vec<Climb<'a>>> {
        let starts = self.starts(data, context)?;
        let stages = if self.affordable(data, starts.len()) { &[(SHORT, usize::MAX)] } else { &STAGES[..] };
        let mut climbs: Vec<Climb<'_>> = starts.into_iter().map(|shares| self.climb(data, shares)).collect();
        let total = stages.iter().scan(climbs.len(), |left, stage| Some(std::mem::replace(left, (*left).min(stage.1))));
        let ticks = context.steps(STAGE, total.sum());
        for &(steps, kept) in stages {
            let followed = context.map(climbs, |climb| {
                let climb = climb.run(steps.min(self.iterations), self.tolerance, context)?;
                ticks.tick()?;
                Ok(climb)
            });
            climbs = followed.into_iter().collect::<Result<_>>()?;
            climbs.sort_by(|a, b| b.objective.total_cmp(&a.objective));
            climbs.truncate(kept);
        }
        Ok(climbs)
    }

    /// About `units` of the units with labels, drawn at random, and the method with penalties in proportion.
    pub(super) fn for_sample(&self, units: usize, labelled: &[usize], context: &Context) -> (ManyExperts, Vec<usize>) {
        let share = units as f64 / labelled.len() as f64;
        let (some, _) = random_split(labelled.len(), share, context);
        let penalty_ease = self.penalty_ease.map(|penalty| share * penalty);
        let alike = ManyExperts { penalty: share * self.penalty, penalty_ease, ..self.clone() };
        (alike, some.iter().map(|&at| labelled[at]).collect())
    }

    /// The starts that are promising by a random sample of the units, a few steps on their way on all.
    fn promising_by_sample<'a>(
        &self,
        data: &'a Labelled<'a>,
        labelled: &[usize],
        context: &Context,
    ) -> Result<Vec<Climb<'a>>> {
        let (alike, some) = self.for_sample(SAMPLE, labelled, context);
        let ballots = data.ballots.of_tasks(&some)?;
        let sample = data.part(&some, &ballots)?;
        let models = alike.promising(&sample, &context.part(0.0, 0.7))?.into_iter().filter_map(|climb| climb.model);
        let posteriors = models.take(STAGES[0].1).map(|model| model.posterior_of_other_units(&sample, data)).collect();
        let climbs = context.map(posteriors, |shares| {
            self.climb(data, shares).run(SHORT.min(self.iterations), self.tolerance, context)
        });
        climbs.into_iter().collect()
    }

    fn climb<'a>(&self, data: &'a Labelled<'a>, shares: Vec<f64>) -> Climb<'a> {
        Climb::new(self.penalties(), self.asymmetric, data, shares)
    }

    /// By Newton's steps to where it is clear where a climb will end.
    fn near_its_end(&self, data: &Labelled<'_>, model: Parameters, steps: usize, context: &Context) -> Result<Arrived> {
        let (tolerance, most) = (self.tolerance.max(NEAR), self.iterations.saturating_sub(steps));
        let near = Newton { penalties: self.penalties(), tolerance, most }.climb(data, model, context)?;
        Ok(Arrived { model: near.model.agreeing_with_the_majority(data), steps: steps + near.steps, ..near })
    }

    /// By Newton's steps to the end.
    fn arrive(&self, data: &Labelled<'_>, model: Parameters, steps: usize, context: &Context) -> Result<ExpertsFit> {
        let most = self.iterations.saturating_sub(steps).max(1);
        let newton = Newton { penalties: self.penalties(), tolerance: self.tolerance, most };
        let end = newton.climb(data, model, context)?;
        let parameters = end.model.agreeing_with_the_majority(data);
        Ok(ExpertsFit {
            model: parameters.on_the_users_scale(data),
            objective: end.objective,
            log_likelihood: end.log_likelihood,
            iterations: steps + end.steps,
            converged: end.converged,
            parameters,
        })
    }

    pub(super) fn penalties(&self) -> Penalties {
        Penalties { kind: self.kind, truth: self.penalty, ease: self.penalty_ease.unwrap_or(self.penalty) }
    }

    /// The penalty on the coefficients of the class.
    pub(super) fn penalty_of_truth(&self) -> Penalty {
        Penalty { kind: self.kind, size: self.penalty }
    }

    pub(super) fn check(&self, data: &Labelled<'_>) -> Result<()> {
        let refuse = |name, value: f64, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        check_penalty("the penalty", self.penalty)?;
        check_penalty("the penalty of ease", self.penalty_ease.unwrap_or(0.0))?;
        if self.asymmetric && data.ballots.classes() != 2 {
            return Err(Error::NotTwoClasses(data.ballots.classes()));
        }
        if self.iterations == 0 {
            return refuse("the number of iterations", 0.0, "1 or more");
        }
        let numbers = self.restarts.saturating_mul(data.units().min(SAMPLE) * data.ballots.classes());
        if numbers > MOST_NUMBERS {
            return refuse(
                "the number of restarts",
                self.restarts as f64,
                "fewer, as starts of this number of units need too much memory",
            );
        }
        match (0.0..1.0).contains(&self.tolerance) {
            true => Ok(()),
            false => refuse("the tolerance", self.tolerance, "0 to 1"),
        }
    }

    /// How many skills there are.
    pub(super) fn skills(&self, data: &Labelled<'_>) -> usize {
        data.ballots.workers() * if self.asymmetric { 2 } else { 1 }
    }

    /// A model of zeros.
    pub(super) fn blank(&self, data: &Labelled<'_>) -> Parameters {
        Parameters {
            classifier: Linear::zero(data.ballots.classes(), data.features.len()),
            skills: vec![0.0; self.skills(data)],
            ease: vec![0.0; data.features.len()],
            asymmetric: self.asymmetric,
        }
    }
}

/// The end with the highest objective.
fn highest(ends: Vec<ExpertsFit>) -> Option<ExpertsFit> {
    ends.into_iter().reduce(|best, next| if next.objective > best.objective { next } else { best })
}

/// Of climbs near their ends, those that may end no lower than the highest less a margin, each end once.
fn apart(data: &Labelled<'_>, mut near: Vec<Arrived>, margin: f64) -> Vec<(Parameters, usize)> {
    /// Climbs end alike if their posteriors of the units differ by no more than this, root mean square.
    const ALIKE: f64 = 0.02;
    near.sort_by(|a, b| b.objective.total_cmp(&a.objective));
    let highest = near.first().map_or(0.0, |first| first.objective);
    let mut kept: Vec<(Arrived, Vec<f64>)> = Vec::new();
    for climb in near {
        if climb.may_end_at() < highest - margin {
            continue;
        }
        let posterior = climb.model.posterior(data);
        let alike = |other: &Vec<f64>| {
            let squares: f64 = other.iter().zip(&posterior).map(|(a, b)| (a - b) * (a - b)).sum();
            squares <= ALIKE * ALIKE * posterior.len() as f64
        };
        if !kept.iter().any(|(_, other)| alike(other)) {
            kept.push((climb, posterior));
        }
    }
    kept.into_iter().map(|(climb, _)| (climb.model, climb.steps)).collect()
}

#[cfg(test)]
mod tests;
