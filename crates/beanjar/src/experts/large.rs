//! The search where features are many: starts are compared on a sample and after few steps, and only the best are followed.

use super::labelled_units::Labelled;
use super::linear::{Linear, rows_of};
use super::many_experts::ExpertsFit;
use super::newton::{self, FARTHEST};
use super::parameters::Parameters;
use super::regression::SoftLabels;
use super::smooth::LabelLoss;
use super::starts::neighbours;
use super::truncated_newton::{Limits, Numbers, Problem};
use super::{ManyExperts, PenaltyKind};
use crate::{Context, Error, Result};

/// A matrix of second derivatives is not worth its products beyond this many.
const MOST_PRODUCTS: f64 = 3e8;

/// The same where experts are not few, and there is less to search for. With 12 to 59 experts and 6e6 to 4e8 products, fits
/// without matrices ended within 1e-6 of those with them, in a quarter of the time down to a tenth; a whole path in a
/// fiftieth.
const MOST_PRODUCTS_OF_MANY: f64 = 1e6;

/// How many products a matrix of second derivatives takes.
fn products_of_matrix(units: usize, numbers: usize) -> f64 {
    units as f64 * (numbers as f64).powi(2)
}

/// Whether there are too many numbers to learn for matrices of their second derivatives.
pub(super) fn is_large(units: usize, numbers: usize) -> bool {
    products_of_matrix(units, numbers) > MOST_PRODUCTS
}

/// With more units than this, a random sample of them decides which starts are promising: starts differ by far more than the
/// noise of 1,000 units, and a larger sample would cost as much as the path.
const SAMPLE: usize = 1000;

/// How far starts are followed before only the highest are kept, and how many these are. Each round goes ten times nearer to the
/// end, as far as the path itself goes; two are followed to there, for after the second round the votes and the one-coin fit
/// are mostly on the way to the same maximum.
type Rounds = [(Limits, usize); 3];
const ROUNDS: Rounds = [
    (Limits { tolerance: 1e-3, steps: 2 }, 8),
    (Limits { tolerance: 1e-4, steps: 4 }, 2),
    (Limits { tolerance: 1e-5, steps: 20 }, 1),
];

/// How many random starts are taken at a time; others follow while one of them is among this many best. A random start costs as
/// much as any other: with 8 at a time starts took a third of all products, with 4 a quarter, and the same maxima were found.
const AT_A_TIME: usize = 4;
const PROMISING: usize = 3;

/// Few experts leave many maxima of nearly the same height, and the first steps do not show which will be the highest: then
/// starts are followed farther, and more of them.
const FEW_EXPERTS: usize = 5;
const ROUNDS_OF_FEW: Rounds = [
    (Limits { tolerance: 1e-4, steps: 8 }, 16),
    (Limits { tolerance: 1e-5, steps: 30 }, 6),
    (Limits { tolerance: 1e-6, steps: 100 }, 1),
];

impl ManyExperts {
    /// Whether matrices of second derivatives are too large, or the penalty is of a kind that needs none, or votes have
    /// weights, which those matrices do not know.
    pub(super) fn needs_products(&self, data: &Labelled<'_>) -> bool {
        let most = if data.ballots.workers() <= FEW_EXPERTS { MOST_PRODUCTS } else { MOST_PRODUCTS_OF_MANY };
        let large = products_of_matrix(data.units(), self.blank(data).size()) > most;
        self.kind != PenaltyKind::L1 || large || data.ballots.has_weights() || !newton::suits(data, self.skills(data))
    }

    /// What another fit led to, or a higher maximum near it: with few experts there are many.
    pub(super) fn highest_nearby(&self, data: &Labelled<'_>, end: ExpertsFit, context: &Context) -> Result<ExpertsFit> {
        match data.ballots.workers() <= FEW_EXPERTS && data.with_labels().count() <= SAMPLE {
            true => self.highest_around(data, end, context),
            false => Ok(end),
        }
    }

    /// Learns from the best of all starts.
    pub(super) fn best_start(&self, data: &Labelled<'_>, context: &Context) -> Result<ExpertsFit> {
        let labelled: Vec<usize> = data.with_labels().collect();
        if self.restarts > 0 && self.penalties().are_none() && data.features.len() >= labelled.len() {
            // Whatever the start, features can tell all units apart: there is no best one to look for.
            return ManyExperts { restarts: 0, ..self.clone() }.best_start(data, context);
        }
        let best = match labelled.len() > SAMPLE {
            false => self.most_promising(data, &context.part(0.0, 0.7))?.parameters,
            true => {
                let (alike, some) = self.for_sample(SAMPLE, &labelled, context);
                let ballots = data.ballots.of_tasks(&some)?;
                let sample = data.part(&some, &ballots)?;
                let by_sample =
                    alike.most_promising(&sample, &context.part(0.0, 0.5))?.parameters.restandardised(&sample, data);
                self.highest_on_all(data, by_sample, &context.part(0.5, 0.7))?
            }
        };
        let rest = context.part(0.7, 1.0);
        rest.report("learning", 0.0)?;
        let end = self.follow(data, best, self.limits(), &rest)?;
        self.highest_nearby(data, end, &rest)
    }

    /// A fit that is higher than another and can be reached from near it, if there is one: see [`neighbours`].
    fn highest_around(&self, data: &Labelled<'_>, mut best: ExpertsFit, context: &Context) -> Result<ExpertsFit> {
        const TIMES: usize = 3;
        let alone = context.alone();
        for _ in 0..TIMES {
            let near = context
                .map(neighbours(data, &best.parameters), |model| self.follow(data, model, ROUNDS_OF_FEW[1].0, &alone));
            let near = near.into_iter().collect::<Result<Vec<_>>>()?;
            let Some(next) = near.into_iter().max_by(|a, b| a.objective.total_cmp(&b.objective)) else { break };
            if next.objective <= best.objective + self.tolerance.max(1e-9) * best.objective.abs() {
                break;
            }
            best = self.follow(data, next.parameters, self.limits(), context)?;
        }
        Ok(best)
    }

    /// The highest after some steps on all units: of what a sample led to, the votes and the one-coin fit. With many
    /// features a sample may be too small to lead anywhere.
    fn highest_on_all(&self, data: &Labelled<'_>, by_sample: Parameters, context: &Context) -> Result<Parameters> {
        let plain = self.plain_starts(data, context)?;
        let mut models = vec![by_sample];
        for shares in plain.into_iter().take(2) {
            models.push(self.model_of_shares(data, shares, context)?);
        }
        let steps = context.steps("trying starts", models.len());
        let mut best: Option<ExpertsFit> = None;
        for model in models {
            let end = self.follow(data, model, ROUNDS[1].0, context)?;
            steps.tick()?;
            if best.as_ref().is_none_or(|best| end.objective > best.objective) {
                best = Some(end);
            }
        }
        best.map(|best| best.parameters).ok_or(Error::Empty("start"))
    }

    /// The highest after some steps from each start.
    ///
    /// Random starts are taken some at a time. Where experts are not few, and none of those last taken is among the best, the
    /// others are not tried: with many features a random classifier is far from any that is worth following.
    fn most_promising(&self, data: &Labelled<'_>, context: &Context) -> Result<ExpertsFit> {
        let alone = context.alone();
        let (few, mut starts) = (data.ballots.workers() <= FEW_EXPERTS, self.plain_starts(data, context)?);
        let [(first, kept), rounds @ ..] = if few { ROUNDS_OF_FEW } else { ROUNDS };
        let centre = match self.restarts {
            0 => None,
            _ => Some(self.centre_of_random_starts(data, context)?),
        };
        let steps = context.steps("trying starts", starts.len() + self.restarts + kept + rounds[0].1);
        // Each end with whether it is of the random starts last taken.
        let (mut ends, mut random): (Vec<(bool, ExpertsFit)>, usize) = (Vec::new(), 0);
        loop {
            let plain = starts.len();
            let until = if few { self.restarts } else { self.restarts.min(random + AT_A_TIME) };
            if let Some(centre) = &centre {
                starts.extend(self.random_starts(data, centre, random..until, context)?);
            }
            let tried = context.map(std::mem::take(&mut starts).into_iter().enumerate().collect(), |(at, shares)| {
                let end = self.follow(data, self.model_of_shares(data, shares, &alone)?, first, &alone)?;
                steps.tick()?;
                Ok((at >= plain, end))
            });
            ends.iter_mut().for_each(|(new, _)| *new = false);
            ends.extend(tried.into_iter().collect::<Result<Vec<_>>>()?);
            ends.sort_by(|(_, a), (_, b)| b.objective.total_cmp(&a.objective));
            random = until;
            if until == self.restarts || !ends.iter().take(PROMISING).any(|(new, _)| *new) {
                break;
            }
        }
        ends.truncate(kept);
        for (limits, kept) in rounds {
            let followed = context.map(std::mem::take(&mut ends), |(_, start)| {
                let end = self.follow(data, start.parameters, limits, &alone)?;
                steps.tick()?;
                Ok((false, end))
            });
            ends = followed.into_iter().collect::<Result<Vec<_>>>()?;
            ends.sort_by(|(_, a), (_, b)| b.objective.total_cmp(&a.objective));
            ends.truncate(kept);
        }
        ends.into_iter().next().map(|(_, best)| best).ok_or(Error::Empty("start"))
    }

    /// A model of units whose classes are in these shares: the classifier roughly, experts by how often they agree.
    fn model_of_shares(&self, data: &Labelled<'_>, shares: Vec<f64>, context: &Context) -> Result<Parameters> {
        let mut model = self.blank(data);
        let (each, experts, classes) = (model.skills_each(), model.experts(), data.ballots.classes());
        // One label right and one wrong for each expert, before any is seen.
        let (mut right, mut count) = (vec![1.0; each * experts], vec![2.0; each * experts]);
        for unit in data.with_labels() {
            for (worker, label, weight) in data.ballots.votes(unit).weighted() {
                match self.asymmetric {
                    false => {
                        right[worker] += weight * shares[unit * classes + label];
                        count[worker] += weight;
                    }
                    true => {
                        let shares = &shares[unit * classes..(unit + 1) * classes];
                        right[label * experts + worker] += weight * shares[label];
                        (0..2).for_each(|class| count[class * experts + worker] += weight * shares[class]);
                    }
                }
            }
        }
        for (skill, (right, count)) in model.skills.iter_mut().zip(right.iter().zip(&count)) {
            *skill = (right / (count - right).max(1e-9)).ln().clamp(-FARTHEST, FARTHEST);
        }
        let labels = SoftLabels { rows: super::em::class_rows(data, shares) };
        let limits = Limits { tolerance: 1e-3, steps: 2 };
        let regression = labels.by_products(&data.features, self.penalty_of_truth(), limits);
        model.classifier = regression.minimise(None, context)?.0;
        Ok(model)
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { tolerance: self.tolerance, steps: self.iterations }
    }

    /// Climbs from a model to its maximum, or as far as the limits go.
    pub(super) fn follow(
        &self,
        data: &Labelled<'_>,
        start: Parameters,
        limits: Limits,
        context: &Context,
    ) -> Result<ExpertsFit> {
        let (penalties, width, classes) = (self.penalties(), data.features.len(), data.ballots.classes());
        let (one, two) = self.kind.factors();
        let smooth = LabelLoss { data, asymmetric: self.asymmetric };
        let mut costs = vec![(one * penalties.truth, two * penalties.truth); rows_of(classes)];
        costs.push((one * penalties.ease, two * penalties.ease));
        let problem = Problem { features: &data.features, smooth: &smooth, penalties: costs, farthest: FARTHEST };
        let mut coefficients = start.classifier.coefficients;
        coefficients.extend(start.ease);
        let start = Numbers { intercepts: start.classifier.intercepts, coefficients, free: start.skills };
        let end = problem.minimise(start, limits, context)?;
        let Numbers { intercepts, mut coefficients, free: skills } = end.numbers;
        let ease = coefficients.split_off(rows_of(classes) * width);
        let mut classifier = Linear { classes, intercepts, coefficients };
        classifier.centre(self.kind);
        let parameters = Parameters { classifier, skills, ease, asymmetric: self.asymmetric };
        let parameters = parameters.agreeing_with_the_majority(data);
        Ok(ExpertsFit {
            model: parameters.on_the_users_scale(data),
            objective: -end.loss - penalties.of(&parameters),
            log_likelihood: -end.loss,
            iterations: end.steps,
            converged: end.converged,
            parameters,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::Features;
    use crate::experts::simulated::simulated;
    use crate::judgments::Ballots;
    use crate::random::stream;
    use crate::simulate::ExpertCase;
    use rand::RngExt;

    #[test]
    fn few_weak_experts_are_searched_as_well_as_with_matrices() {
        // Three experts, of whom two hardly know more than a coin: many maxima, within a few units of one another.
        for (seed, case) in
            [(1, ExpertCase::Constant), (2, ExpertCase::Model), (3, ExpertCase::Constant), (4, ExpertCase::Model)]
        {
            let drawn = simulated(300, 10, case, seed);
            let data = Labelled::new(&drawn.features, &drawn.ballots).unwrap();
            for penalty in [3.0, 8.0] {
                let method = ManyExperts { penalty, restarts: 20, ..ManyExperts::default() };
                let by_matrices = method.fit(&data, &Context::new()).unwrap();
                let by_products = method.best_start(&data, &Context::new()).unwrap();
                // A tenth of a unit of log-likelihood is less than any label tells.
                assert!(
                    by_products.objective > by_matrices.objective - 0.1,
                    "{seed} {penalty}: {} {}",
                    by_products.objective,
                    by_matrices.objective
                );
            }
        }
    }

    /// Sparse features, a few of which matter, and experts of different skill who each see some of the units.
    fn sparse(units: usize, features: usize, experts: usize) -> (Features, Ballots, Vec<usize>) {
        let mut random = stream(11, 0);
        let mut columns: Vec<(Vec<u32>, Vec<f64>)> = vec![Default::default(); features];
        let (mut votes, mut truth) = (Vec::new(), Vec::new());
        for unit in 0..units {
            let mut sum = 0.0;
            for (feature, (at, values)) in columns.iter_mut().enumerate() {
                if random.random_bool(0.05) {
                    let value = random.random_range(-1.0..1.0);
                    sum += if feature < 20 { 6.0 * value } else { 0.0 };
                    at.push(unit as u32);
                    values.push(value);
                }
            }
            let class = usize::from(random.random::<f64>() < crate::logistic::logistic(sum));
            let says = |expert: usize, chance: f64| {
                let right = 0.5 + 0.45 * expert as f64 / experts as f64;
                (expert, if chance < right { class } else { 1 - class })
            };
            votes.push((0..5).map(|k| says((unit + k * 7) % experts, random.random())).collect());
            truth.push(class);
        }
        (Features::from_sparse(units, columns).unwrap(), Ballots::from_tasks(&votes, experts, 2).unwrap(), truth)
    }

    #[test]
    fn a_sparse_set_is_searched_by_a_sample_as_well_as_with_matrices() {
        let (features, ballots, _) = sparse(1500, 60, 20);
        let data = Labelled::new(&features, &ballots).unwrap();
        assert!(data.with_labels().count() > SAMPLE);
        for penalty in [8.0, 25.0] {
            let method = ManyExperts { penalty, restarts: 5, ..ManyExperts::default() };
            let ends = method.ends(&data, 0.0, &Context::new()).unwrap();
            let by_matrices = ends.iter().max_by(|a, b| a.objective.total_cmp(&b.objective)).unwrap();
            let by_products = method.best_start(&data, &Context::new()).unwrap();
            assert!(
                by_products.objective > by_matrices.objective - 0.01,
                "{penalty}: {} {}",
                by_products.objective,
                by_matrices.objective
            );
        }
    }

    #[test]
    fn a_large_sparse_set_ends_no_lower_than_from_the_truth() {
        // More labelled units than are sampled, and more products than matrices are made of.
        let (features, ballots, truth) = sparse(3000, 320, 20);
        let data = Labelled::new(&features, &ballots).unwrap();
        for penalty in [30.0, 70.0] {
            let method = ManyExperts { penalty, restarts: 5, tolerance: 1e-8, ..ManyExperts::default() };
            assert!(method.needs_products(&data) && data.with_labels().count() > SAMPLE);
            let found = method.fit(&data, &Context::new()).unwrap();
            let shares = truth.iter().flat_map(|&class| if class == 1 { [0.0, 1.0] } else { [1.0, 0.0] }).collect();
            let from_truth = method.model_of_shares(&data, shares, &Context::new()).unwrap();
            let other = method.follow(&data, from_truth, method.limits(), &Context::new()).unwrap();
            assert!(found.objective > other.objective - 1e-3, "{penalty}: {} {}", found.objective, other.objective);
        }
    }
}
