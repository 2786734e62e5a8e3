//! The curvature of the likelihood over the parameters that may move, summed over units.

use super::labelled_units::Labelled;
use super::parameters::Parameters;
use super::posterior::Posteriors;
use super::quadratic::Variable;
use super::unit_hessian::{Unit, UnitHessian};
use crate::linalg::Symmetric;
use crate::{Context, Result};

/// What may move.
pub(super) struct Working {
    /// The rows of the classifier, and last ease.
    pub(super) channels: Vec<Channel>,
    /// Those of the channels in order, and last the skills.
    pub(super) variables: Vec<Variable>,
}

/// One of the sums of features: its variables lie together.
pub(super) struct Channel {
    pub(super) first: usize,
    pub(super) intercept: bool,
    pub(super) features: Vec<usize>,
}

impl Channel {
    pub(super) fn len(&self) -> usize {
        self.features.len() + usize::from(self.intercept)
    }

    /// Where one of its features is, after the intercept if there is one.
    pub(super) fn place(&self, feature: usize) -> usize {
        feature + usize::from(self.intercept)
    }
}

/// Where the Hessian is taken.
pub(super) struct At<'a> {
    pub(super) model: &'a Parameters,
    pub(super) posteriors: &'a Posteriors,
}

/// Units are taken this many at a time, and products of matrices made of their shares.
const BLOCK: usize = 128;

/// C - missing V over what may move, from as many units as keep its cost in bounds, evenly spread.
pub(super) fn hessian(
    data: &Labelled<'_>,
    at: &At<'_>,
    working: &Working,
    missing: f64,
    context: &Context,
) -> Result<Symmetric> {
    const MOST_PRODUCTS: usize = 2_000_000_000;
    let (units, in_channels) = (data.features.units(), working.variables.len() - at.model.skills.len());
    let every = (units.saturating_mul(in_channels * in_channels) / MOST_PRODUCTS + 1).min(units / (BLOCK * 8) + 1);
    let mut blocks = Blocks::new(data, at, working);
    let mut looked = 0;
    for from in (0..units).step_by(BLOCK * every) {
        let to = (from + BLOCK).min(units);
        blocks.add(from..to, missing);
        looked += to - from;
        context.worked((to - from) * in_channels * in_channels)?;
    }
    // Below the diagonal lies all of it; units that were left out are like those that were not.
    let share = units as f64 / looked.max(1) as f64;
    let mut hessian = blocks.sum;
    for i in 0..hessian.size() {
        hessian.row_mut(i)[..=i].iter_mut().for_each(|value| *value *= share);
    }
    hessian.mirror();
    Ok(hessian)
}

/// The sum so far, and room for a block's shares.
struct Blocks<'a> {
    data: &'a Labelled<'a>,
    model: &'a Parameters,
    posteriors: &'a Posteriors,
    channels: &'a [Channel],
    /// Right at and below the diagonal.
    sum: Symmetric,
    first_skill: usize,
    experts: usize,
    unit: UnitHessian,
    /// Of each channel, for each unit, its features after a 1 for the intercept.
    designs: Vec<Vec<f64>>,
    /// Of each pair of channels, a weight for each unit.
    between_channels: Vec<Vec<f64>>,
    /// Of each channel, for each unit, a weight for each skill; none where units have votes of few of the experts.
    with_skills: Option<Vec<Vec<f64>>>,
    /// The places of the skills of a unit's votes.
    places: Vec<usize>,
    scaled: Vec<f64>,
}

impl<'a> Blocks<'a> {
    fn new(data: &'a Labelled<'a>, at: &At<'a>, working: &'a Working) -> Self {
        let At { model, posteriors } = *at;
        // A matrix is worth its zeros if these are no more than this many for each vote.
        const DENSE: usize = 8;
        let (channels, skills) = (working.channels.len(), model.skills.len());
        let size = working.variables.len();
        let dense = skills * data.features.units() <= DENSE * data.ballots.len() * model.skills_each();
        Blocks {
            data,
            model,
            posteriors,
            channels: &working.channels,
            sum: Symmetric::zeros(size),
            first_skill: size - skills,
            experts: model.experts(),
            unit: UnitHessian::new(channels),
            designs: working.channels.iter().map(|channel| vec![1.0; channel.len() * BLOCK]).collect(),
            between_channels: vec![vec![0.0; BLOCK]; channels * channels],
            with_skills: dense.then(|| vec![vec![0.0; skills * BLOCK]; channels]),
            places: Vec::new(),
            scaled: Vec::new(),
        }
    }

    fn add(&mut self, units: std::ops::Range<usize>, missing: f64) {
        for (channel, design) in self.channels.iter().zip(&mut self.designs) {
            for (at, &j) in channel.features.iter().enumerate() {
                let cells = &mut design[channel.place(at)..];
                self.data.features.column(j).write(units.start, units.end, cells, channel.len());
            }
        }
        for unit in units.clone() {
            self.add_unit(unit, unit - units.start, missing);
        }
        self.add_products(units.len());
    }

    /// What is between the skills of its votes, and the weights of all else.
    fn add_unit(&mut self, unit: usize, at: usize, missing: f64) {
        let (classes, each, experts) = (self.model.classifier.classes, self.model.skills_each(), self.experts);
        let votes = self.data.ballots.votes(unit);
        let first_vote = self.data.ballots.first_vote(unit);
        let labels = Unit {
            labels: votes.labels,
            prior: &self.posteriors.prior[unit * classes..(unit + 1) * classes],
            posterior: &self.posteriors.posterior[unit * classes..(unit + 1) * classes],
            right: &self.posteriors.right[first_vote * each..][..votes.labels.len() * each],
        };
        match classes == 2 && each == 1 {
            true => self.unit.of_two_classes(&labels, missing),
            false => self.unit.of(&labels, missing),
        }
        for (weights, weight) in self.between_channels.iter_mut().zip(&self.unit.between_channels) {
            weights[at] = *weight;
        }
        self.places.clear();
        for &worker in votes.workers {
            self.places.extend((0..each).map(|class| self.first_skill + class * experts + worker as usize));
        }
        for (a, &place) in self.places.iter().enumerate() {
            let row = self.sum.row_mut(place);
            let between = &self.unit.between_votes[a * self.places.len()..][..self.places.len()];
            self.places.iter().zip(between).for_each(|(&other, value)| row[other] += value);
            let weights = &self.unit.vote_and_channel[a * self.channels.len()..];
            for (k, (channel, &weight)) in self.channels.iter().zip(weights).enumerate() {
                if let Some(with_skills) = &mut self.with_skills {
                    with_skills[k][at * self.model.skills.len() + place - self.first_skill] += weight;
                    continue;
                }
                let design = &self.designs[k][at * channel.len()..][..channel.len()];
                let cells = &mut row[channel.first..][..channel.len()];
                cells.iter_mut().zip(design).for_each(|(cell, x)| *cell += weight * x);
            }
        }
    }

    /// What is between channels, and between skills and channels where that is a matrix.
    fn add_products(&mut self, units: usize) {
        let skills = self.model.skills.len();
        for (a, left) in self.channels.iter().enumerate() {
            for (b, right) in self.channels.iter().enumerate().take(a + 1) {
                let weights = &self.between_channels[a * self.channels.len() + b][..units];
                self.scaled.clear();
                for (weight, row) in weights.iter().zip(self.designs[a].chunks_exact(left.len().max(1))) {
                    self.scaled.extend(row.iter().map(|x| weight * x));
                }
                let other = &self.designs[b][..units * right.len()];
                self.sum.add_product((left.first, right.first), (&self.scaled, left.len()), (other, right.len()));
            }
            if let Some(with_skills) = &mut self.with_skills {
                let (weights, design) = (&mut with_skills[a][..units * skills], &self.designs[a][..units * left.len()]);
                self.sum.add_product((self.first_skill, left.first), (weights, skills), (design, left.len()));
                weights.fill(0.0);
            }
        }
    }
}
