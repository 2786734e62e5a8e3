//! Newton's steps on the penalised likelihood of the labels itself, where EM would crawl.

use super::curvature::{Parts, Said, row_class};
use super::em::Penalties;
use super::model::{ExpertModel, Labelled, Reader, Reading};
use super::quadratic::{Variable, descend, promise};
use crate::linalg::Symmetric;
use crate::logistic::LogProduct;

/// Where the steps ended.
pub(super) struct Arrived {
    pub(super) model: ExpertModel,
    pub(super) objective: f64,
    pub(super) log_likelihood: f64,
    pub(super) steps: usize,
    pub(super) converged: bool,
    /// What one more step promises to add to the objective.
    pub(super) promise: f64,
}

impl Arrived {
    /// How high it may end, were it followed on: what is left to gain is seldom more than a few times what a step promises.
    pub(super) fn may_end_at(&self) -> f64 {
        const TIMES: f64 = 30.0;
        self.objective + TIMES * self.promise.max(0.0)
    }
}

/// A unit's Hessian holds the square of its votes; beyond these EM is left to itself.
const MOST_VOTES: usize = 300;
const MOST_SKILLS: usize = 2000;

/// Whether the data are of a size for [`arrive`].
pub(super) fn suits(data: &Labelled<'_>, skills: usize) -> bool {
    skills <= MOST_SKILLS && (0..data.ballots.tasks()).all(|unit| data.ballots.votes(unit).labels.len() <= MOST_VOTES)
}

/// Skills beyond this are of experts who are always right or always wrong.
const FARTHEST: f64 = 20.0;

/// The moves, with skills that would go too far stopped.
fn within_bounds(mut moves: Vec<f64>, skills: &[f64]) -> Vec<f64> {
    let first = moves.len() - skills.len();
    for (by, skill) in moves[first..].iter_mut().zip(skills) {
        *by = by.clamp((-FARTHEST - skill).min(0.0), (FARTHEST - skill).max(0.0));
    }
    moves
}

/// Climbs to the nearest maximum from a model.
///
/// With S the complete data's score, the Hessian of the negative log-likelihood is C - V: C the complete data's
/// information, V the variance of S given the labels (Louis 1982), both sums over units. Where C - V is not positive, its
/// diagonal is raised. The quadratic model with its penalty is minimised over a working set (coefficients that are not zero or
/// whose gradient is beyond the penalty, and all intercepts), and the step shortened until the objective rises by a share
/// of what the model promised: it never falls. Ends when the promise is below `tolerance` of the objective.
///
/// Cost of a step: O(values of all features, and units times the square of the working set's size).
pub(super) fn arrive(
    data: &Labelled<'_>,
    penalties: Penalties,
    model: ExpertModel,
    tolerance: f64,
    most: usize,
) -> Arrived {
    let mut here = Point::new(data, penalties, model);
    let (mut cautious, mut steps, mut converged, mut promised) = (false, 0, false, f64::INFINITY);
    while steps < most && !converged {
        let working = here.working(data, penalties);
        let (hessian, as_it_is) = here.positive_hessian(data, &working, cautious);
        let moves = within_bounds(descend(&hessian, &working.variables), &here.model.skills);
        promised = promise(&working.variables, &moves);
        // Near a saddle little is promised at first, and much may follow.
        let enough = if as_it_is { tolerance } else { tolerance.min(1e-9) };
        if promised <= enough * here.objective.abs().max(1.0) {
            converged = true;
            break;
        }
        steps += 1;
        match here.moved(data, penalties, &working, &moves, promised) {
            Some(next) => (here, cautious) = (next, false),
            None if !cautious => cautious = true,
            // Rounding is all that is left.
            None => converged = true,
        }
    }
    let Point { model, objective, log_likelihood, .. } = here;
    Arrived { model, objective, log_likelihood, steps, converged, promise: promised }
}

/// A model, and what the labels say at it.
struct Point {
    model: ExpertModel,
    objective: f64,
    log_likelihood: f64,
    /// Sums for the class of each unit and row, and the ease of each unit.
    sums: Vec<f64>,
    ease: Vec<f64>,
    /// What the labels of each unit say, one unit after the other.
    readings: Reading,
    /// Row by row and last for ease, the derivative of the log-likelihood along each unit's sum.
    slopes: Vec<Vec<f64>>,
    skill_slopes: Vec<f64>,
}

impl Point {
    fn new(data: &Labelled<'_>, penalties: Penalties, model: ExpertModel) -> Self {
        let sums = model.classifier.sums(data.features);
        let ease = data.features.standardised_sum(&model.difficulty);
        Point::at(data, penalties, model, sums, ease)
    }

    fn at(data: &Labelled<'_>, penalties: Penalties, model: ExpertModel, sums: Vec<f64>, ease: Vec<f64>) -> Self {
        let (rows, units) = (model.classifier.rows(), ease.len());
        let each = model.skills_each();
        let experts = model.experts();
        let (reader, mut reading) = (Reader::new(&model), Reading::new(model.classifier.classes));
        let mut readings = Reading::default();
        let mut slopes = vec![vec![0.0; units]; rows + 1];
        let mut skill_slopes = vec![0.0; model.skills.len()];
        let mut likelihood = LogProduct::new();
        for unit in 0..units {
            let votes = data.ballots.votes(unit);
            reader.read(&sums[unit * rows..(unit + 1) * rows], ease[unit], votes, &mut reading, &mut likelihood);
            for row in 0..rows {
                let class = row_class(rows, row);
                slopes[row][unit] = reading.posterior[class] - reading.prior[class];
            }
            for ((worker, label), right) in votes.iter().zip(reading.right.chunks_exact(each)) {
                for (class, right) in right.iter().enumerate() {
                    let slope = match model.asymmetric {
                        false => reading.posterior[label] - right,
                        true => reading.posterior[class] * (f64::from(u8::from(label == class)) - right),
                    };
                    slopes[rows][unit] += slope;
                    skill_slopes[class * experts + worker] += slope;
                }
            }
            readings.prior.extend_from_slice(&reading.prior);
            readings.posterior.extend_from_slice(&reading.posterior);
            readings.right.extend_from_slice(&reading.right);
        }
        let log_likelihood = likelihood.log();
        let objective = log_likelihood - penalties.of(&model);
        Point { model, objective, log_likelihood, sums, ease, readings, slopes, skill_slopes }
    }

    /// The parameters that may move, with their gradients.
    fn working(&self, data: &Labelled<'_>, penalties: Penalties) -> Working {
        let rows = self.model.classifier.rows();
        let mut working = Working { channels: Vec::new(), variables: Vec::new() };
        for channel in 0..=rows {
            let (values, penalty) = match channel < rows {
                true => (self.model.classifier.row(channel), penalties.truth),
                false => (&self.model.difficulty[..], penalties.difficulty),
            };
            let gradients = data.features.sums_with(&self.slopes[channel]);
            let enters =
                |j: &usize| data.features.column(*j).varies() && (values[*j] != 0.0 || gradients[*j].abs() > penalty);
            let features: Vec<usize> = (0..values.len()).filter(enters).collect();
            let intercept = channel < rows;
            working.channels.push(Channel { first: working.variables.len(), intercept, features });
            if intercept {
                let gradient = -self.slopes[channel].iter().sum::<f64>();
                let value = self.model.classifier.intercepts[channel];
                working.variables.push(Variable { value, gradient, penalty: 0.0 });
            }
            for &j in &working.channels[channel].features {
                working.variables.push(Variable { value: values[j], gradient: -gradients[j], penalty });
            }
        }
        for (&value, slope) in self.model.skills.iter().zip(&self.skill_slopes) {
            let at_its_bound = value.abs() >= FARTHEST && value * slope > 0.0;
            working.variables.push(Variable { value, gradient: if at_its_bound { 0.0 } else { -slope }, penalty: 0.0 });
        }
        working
    }

    /// A positive matrix for a step: C - V, raised where that is not positive; or C if `cautious`, which is a step of EM
    /// that stops halfway. And whether it is C - V as it is.
    fn positive_hessian(&self, data: &Labelled<'_>, working: &Working, cautious: bool) -> (Symmetric, bool) {
        // At a saddle: a pivot of -p made p would double the distance from it in a step. Twice that was tried, and half,
        // and a third: bolder steps are shortened more often, and there are no fewer of them.
        const TIMES: f64 = 2.0;
        let mut hessian = self.hessian(data, working, if cautious { 0.0 } else { 1.0 });
        // A trifle on the diagonal, for directions in which nothing changes.
        let size = hessian.size();
        let mean = (0..size).map(|i| hessian[(i, i)].max(0.0)).sum::<f64>() / size as f64;
        (0..size).for_each(|i| hessian[(i, i)] += 1e-9 * (hessian[(i, i)].abs() + mean));
        let (hessian, raised) = hessian.raised(TIMES);
        (hessian, !raised && !cautious)
    }

    /// C - missing V over the working set, from as many units as keep its cost in bounds, evenly spread.
    fn hessian(&self, data: &Labelled<'_>, working: &Working, missing: f64) -> Symmetric {
        const BLOCK: usize = 128;
        const DENSE: usize = 8;
        const MOST_PRODUCTS: usize = 2_000_000_000;
        let size = working.variables.len();
        let (units, each, classes) = (self.ease.len(), self.model.skills_each(), self.model.classifier.classes);
        let (experts, channels) = (self.model.experts(), self.model.classifier.rows() + 1);
        let first_skill = size - self.model.skills.len();
        let every = (units.saturating_mul(first_skill * first_skill) / MOST_PRODUCTS + 1).min(units / (BLOCK * 8) + 1);
        let mut hessian = Symmetric::zeros(size);
        let mut parts = Parts::new(channels);
        let mut designs: Vec<Vec<f64>> =
            working.channels.iter().map(|channel| vec![1.0; channel.len() * BLOCK]).collect();
        let mut weights = vec![0.0; BLOCK * channels * channels];
        let (mut scaled, mut skills) = (Vec::new(), Vec::new());
        // Where a unit's votes are of many of the experts, the weights of votes are a matrix, with zeros for the others.
        let all_skills = self.model.skills.len();
        let dense = all_skills * units <= DENSE * data.ballots.len() * each;
        let mut votes_weights: Vec<Vec<f64>> =
            (0..channels).filter(|_| dense).map(|_| vec![0.0; all_skills * BLOCK]).collect();
        for from in (0..units).step_by(BLOCK * every) {
            let to = (from + BLOCK).min(units);
            for (channel, design) in working.channels.iter().zip(&mut designs) {
                for (at, &j) in channel.features.iter().enumerate() {
                    let cells = &mut design[channel.place(at)..];
                    data.features.column(j).write(from, to, cells, channel.len());
                }
            }
            for unit in from..to {
                let votes = data.ballots.votes(unit);
                let said = Said {
                    labels: votes.labels,
                    prior: &self.readings.prior[unit * classes..(unit + 1) * classes],
                    posterior: &self.readings.posterior[unit * classes..(unit + 1) * classes],
                    right: &self.readings.right[data.ballots.first_vote(unit) * each..][..votes.labels.len() * each],
                };
                match classes == 2 && each == 1 {
                    true => parts.of_two_classes(&said, missing),
                    false => parts.of(&said, missing),
                }
                for pair in 0..channels * channels {
                    weights[pair * BLOCK + unit - from] = parts.between_channels[pair];
                }
                // Votes with each other, and with each channel.
                skills.clear();
                for &worker in votes.workers {
                    skills.extend((0..each).map(|class| first_skill + class * experts + worker as usize));
                }
                for (a, &skill) in skills.iter().enumerate() {
                    let row = hessian.row_mut(skill);
                    let between = &parts.between_votes[a * skills.len()..][..skills.len()];
                    skills.iter().zip(between).for_each(|(&other, value)| row[other] += value);
                    for (at, channel) in working.channels.iter().enumerate() {
                        let weight = parts.vote_and_channel[a * channels + at];
                        if dense {
                            votes_weights[at][(unit - from) * all_skills + skill - first_skill] += weight;
                            continue;
                        }
                        let design = &designs[at][(unit - from) * channel.len()..][..channel.len()];
                        let cells = &mut row[channel.first..][..channel.len()];
                        cells.iter_mut().zip(design).for_each(|(cell, x)| *cell += weight * x);
                    }
                }
            }
            for ((channel, design), weights) in working.channels.iter().zip(&designs).zip(&mut votes_weights) {
                let (weights, design) =
                    (&mut weights[..(to - from) * all_skills], &design[..(to - from) * channel.len()]);
                hessian.add_product((first_skill, channel.first), (weights, all_skills), (design, channel.len()));
                weights.fill(0.0);
            }
            for (a, left) in working.channels.iter().enumerate() {
                for (b, right) in working.channels.iter().enumerate().take(a + 1) {
                    let weights = &weights[(a * channels + b) * BLOCK..][..to - from];
                    scaled.clear();
                    for (weight, row) in weights.iter().zip(designs[a].chunks_exact(left.len().max(1))) {
                        scaled.extend(row.iter().map(|x| weight * x));
                    }
                    let other = &designs[b][..(to - from) * right.len()];
                    hessian.add_product((left.first, right.first), (&scaled, left.len()), (other, right.len()));
                }
            }
        }
        // Below the diagonal lies all of it; units that were left out are like those that were not.
        let looked: usize = (0..units).step_by(BLOCK * every).map(|from| BLOCK.min(units - from)).sum();
        let share = units as f64 / looked.max(1) as f64;
        for i in 0..size {
            for j in 0..=i {
                let value = hessian[(i, j)] * share;
                (hessian[(i, j)], hessian[(j, i)]) = (value, value);
            }
        }
        hessian
    }

    /// The point after the moves, or half of them, or a quarter, until the objective rises as promised.
    fn moved(
        &self,
        data: &Labelled<'_>,
        penalties: Penalties,
        working: &Working,
        moves: &[f64],
        promise: f64,
    ) -> Option<Point> {
        const HALVINGS: usize = 12;
        let rows = self.model.classifier.rows();
        let features = self.model.difficulty.len();
        // What the moves do to each unit's sums.
        let mut full = vec![vec![0.0; features]; rows + 1];
        for (channel, full) in working.channels.iter().zip(&mut full) {
            channel.features.iter().enumerate().for_each(|(at, &j)| full[j] = moves[channel.first + channel.place(at)]);
        }
        let along: Vec<Vec<f64>> = full.iter().map(|full| data.features.standardised_sum(full)).collect();
        let first_skill = moves.len() - self.model.skills.len();
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let mut model = self.model.clone();
            let (mut sums, mut ease) = (self.sums.clone(), self.ease.clone());
            for row in 0..rows {
                let intercept = share * moves[working.channels[row].first];
                model.classifier.intercepts[row] += intercept;
                let coefficients = &mut model.classifier.coefficients[row * features..(row + 1) * features];
                coefficients.iter_mut().zip(&full[row]).for_each(|(b, by)| *b += share * by);
                let cells = sums.iter_mut().skip(row).step_by(rows);
                cells.zip(&along[row]).for_each(|(sum, by)| *sum += intercept + share * by);
            }
            model.difficulty.iter_mut().zip(&full[rows]).for_each(|(g, by)| *g += share * by);
            ease.iter_mut().zip(&along[rows]).for_each(|(ease, by)| *ease += share * by);
            for (skill, by) in model.skills.iter_mut().zip(&moves[first_skill..]) {
                *skill += share * by;
            }
            let next = Point::at(data, penalties, model, sums, ease);
            if next.objective >= self.objective + 1e-3 * share * promise {
                return Some(next);
            }
            share /= 2.0;
        }
        None
    }
}

/// What may move.
struct Working {
    /// The rows of the classifier, and last ease.
    channels: Vec<Channel>,
    /// Those of the channels in order, and last the skills.
    variables: Vec<Variable>,
}

struct Channel {
    first: usize,
    intercept: bool,
    features: Vec<usize>,
}

impl Channel {
    fn len(&self) -> usize {
        self.features.len() + usize::from(self.intercept)
    }

    /// Where one of its features is, after the intercept if there is one.
    fn place(&self, feature: usize) -> usize {
        feature + usize::from(self.intercept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::em::Climb;
    use crate::experts::{Classifier, Features};
    use crate::judgments::Ballots;
    use crate::random::stream;
    use rand::RngExt;

    const NONE: Penalties = Penalties { truth: 0.0, difficulty: 0.0 };

    /// Units with two features, one sparse, and votes of four experts, some of whom vote twice or not at all.
    fn drawn(units: usize, classes: usize) -> (Features, Ballots) {
        let mut random = stream(8, classes as u64);
        let dense: Vec<f64> = (0..units).map(|_| random.random_range(-1.0..3.0)).collect();
        let sparse: Vec<f64> =
            (0..units).map(|_| if random.random_bool(0.2) { random.random_range(0.0..2.0) } else { 0.0 }).collect();
        let votes: Vec<Vec<(usize, usize)>> = dense
            .iter()
            .map(|x| {
                let class = ((x + 1.0) / 4.0 * classes as f64) as usize;
                let says = |random: &mut rand_pcg::Pcg64Mcg| match random.random_bool(0.7) {
                    true => class,
                    false => random.random_range(0..classes),
                };
                (0..random.random_range(0..6)).map(|_| (random.random_range(0..4), says(&mut random))).collect()
            })
            .collect();
        (Features::from_columns(units, &[dense, sparse]).unwrap(), Ballots::from_tasks(&votes, 4, classes))
    }

    fn some_model(classes: usize, asymmetric: bool) -> ExpertModel {
        let rows = if classes == 2 { 1 } else { classes };
        ExpertModel {
            classifier: Classifier {
                classes,
                intercepts: (0..rows).map(|row| 0.3 - 0.2 * row as f64).collect(),
                coefficients: (0..2 * rows).map(|i| 0.7 - 0.4 * i as f64).collect(),
            },
            skills: (0..if asymmetric { 8 } else { 4 }).map(|k| 0.9 - 0.2 * k as f64).collect(),
            difficulty: vec![0.4, -0.3],
            asymmetric,
        }
    }

    #[test]
    fn gradient_and_hessian_are_those_of_the_likelihood() {
        for (classes, asymmetric) in [(2, false), (2, true), (3, false)] {
            let (features, ballots) = drawn(150, classes);
            let data = Labelled::new(&features, &ballots).unwrap();
            let here = Point::new(&data, NONE, some_model(classes, asymmetric));
            let working = here.working(&data, NONE);
            let hessian = here.hessian(&data, &working, 1.0);
            let rows = here.model.classifier.rows();
            let size = working.variables.len();
            assert_eq!(size, rows * 3 + 2 + here.model.skills.len());
            let shifted = |i: usize, by: f64| {
                let mut model = here.model.clone();
                match i {
                    i if i < rows * 3 && i % 3 == 0 => model.classifier.intercepts[i / 3] += by,
                    i if i < rows * 3 => model.classifier.coefficients[i / 3 * 2 + i % 3 - 1] += by,
                    i if i < rows * 3 + 2 => model.difficulty[i - rows * 3] += by,
                    i => model.skills[i - rows * 3 - 2] += by,
                }
                Point::new(&data, NONE, model)
            };
            for i in 0..size {
                let (up, down) = (shifted(i, 1e-5), shifted(i, -1e-5));
                let slope = -(up.log_likelihood - down.log_likelihood) / 2e-5;
                assert!((slope - working.variables[i].gradient).abs() < 1e-4, "{classes} {asymmetric} {i}: {slope}");
                let (up, down) = (up.working(&data, NONE), down.working(&data, NONE));
                for j in 0..size {
                    let bend = (up.variables[j].gradient - down.variables[j].gradient) / 2e-5;
                    assert!((bend - hessian[(i, j)]).abs() < 1e-4, "{i} {j}: {bend} {}", hessian[(i, j)]);
                }
            }
        }
    }

    #[test]
    fn the_end_is_where_em_ends_after_very_many_steps() {
        for (classes, asymmetric) in [(2, false), (2, true), (3, false)] {
            let (features, ballots) = drawn(200, classes);
            let data = Labelled::new(&features, &ballots).unwrap();
            let penalties = Penalties { truth: 1.0, difficulty: 2.0 };
            let climb = Climb::new(penalties, asymmetric, &data, data.shares()).run(5, 0.0);
            let start = climb.model.clone().unwrap();
            let quick = arrive(&data, penalties, start, 1e-12, 200);
            let slow = climb.run(3000, 0.0);
            assert!(quick.converged && quick.steps < 60, "{}", quick.steps);
            let gap = (quick.objective - slow.objective) / slow.objective.abs();
            assert!(gap > -1e-9 && gap < 1e-5, "{classes} {asymmetric}: {} {}", quick.objective, slow.objective);
        }
    }

    #[test]
    fn too_many_votes_of_a_unit_are_left_to_em() {
        let votes = |count: usize| vec![(0..count).map(|i| (i % 4, i % 2)).collect::<Vec<_>>()];
        let features = Features::from_columns(1, &[]).unwrap();
        let few = Ballots::from_tasks(&votes(MOST_VOTES), 4, 2);
        let many = Ballots::from_tasks(&votes(MOST_VOTES + 1), 4, 2);
        assert!(suits(&Labelled::new(&features, &few).unwrap(), 4));
        assert!(!suits(&Labelled::new(&features, &many).unwrap(), 4));
    }
}
