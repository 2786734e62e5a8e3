//! Accuracy, agreement and calibration by the number of votes.

use super::enough_outcome::{VotesNow, VotesRow};
use super::models::Models;
use super::panels::PanelCurve;
use super::reference::Reference;
use super::tally::{Spread, Tally, over_tied, same};
use super::thinned::Thinned;
use crate::judgments::Ballots;
use crate::random::key;
use crate::truth::{Auto, Evidence, TruthFit};
use crate::{Context, Result};

/// Tasks that all draws of thinned votes have together, at least.
const TASKS_OF_ALL_DRAWS: usize = 1000;
/// Draws at most.
const MOST_DRAWS: usize = 4;
/// Where fewer than this share of the tasks have more votes, leaving the rest out changes nothing worth a fit.
const FEW: f64 = 0.02;
/// Agreement is counted where at least this share of the tasks have the votes for two panels.
const COMPARED: f64 = 0.5;
/// The quantile of the normal distribution that 90 percent lie within.
const NINETY: f64 = 1.645;

/// What was found of each number of votes.
pub(super) struct Curves {
    rows: Vec<Found>,
    all: Found,
    pub(super) known: usize,
}

/// What was found of one number of votes.
#[derive(Clone)]
struct Found {
    votes: usize,
    measured: f64,
    /// The mean probability of being right: as the fit reads all votes, as copies, as independent.
    right: [f64; 3],
    tally: Tally,
    /// How many tasks there are; those of the tally are as many in each draw.
    tasks: f64,
    /// Of tasks with a known answer, right or not less the probability of it.
    residuals: Vec<f64>,
    /// What the models add for tasks with fewer votes.
    accuracy_beyond: f64,
    ece_beyond: f64,
    /// Agreement, and the half-width of its band.
    agreement: (f64, f64),
}

impl Curves {
    /// Cost: a fit of [`Auto`] for each number of votes that most tasks have more of.
    pub(super) fn new(
        ballots: &Ballots,
        truth: Option<&[Option<u16>]>,
        grid: &[usize],
        context: &Context,
    ) -> Result<Self> {
        let fit = Auto::default().fit(&Evidence::votes(ballots)?, &context.part(0.0, 0.2))?;
        let reference = Reference::new(&fit, ballots, context);
        let opinions = ballots.opinions();
        let tasks: Vec<usize> = (0..opinions.len()).filter(|&task| opinions[task] > 0).collect();
        let scorer = Scorer { reference: &reference, tasks: &tasks, truth };
        let draws = TASKS_OF_ALL_DRAWS.div_ceil(tasks.len()).clamp(1, MOST_DRAWS) as u64;

        let share = |votes: usize, more: bool| {
            let has = |&&task: &&usize| opinions[task] > votes || (opinions[task] == votes && !more);
            tasks.iter().filter(has).count() as f64 / tasks.len() as f64
        };
        let all = scorer.found(&fit, usize::MAX, 1.0);
        let mut rows = Vec::new();
        for (number, &votes) in grid.iter().enumerate() {
            let measured = share(votes, false);
            if share(votes, true) < FEW {
                rows.push(Found { votes, measured, ..all.clone() });
                continue;
            }
            let part = |at: usize| 0.2 + 0.6 * at as f64 / grid.len() as f64;
            let context = context.part(part(number), part(number + 1));
            let mut found: Option<Found> = None;
            for draw in 0..draws {
                let thinned = Thinned::new(ballots, key(context.seed(), draw));
                let few = thinned.first(votes);
                let fit = Auto::default().fit(&Evidence::votes(&few)?, &context)?;
                let mut one = scorer.found(&fit, votes, measured);
                scorer.compare(&mut one, &fit, &thinned.second(votes), &context)?;
                found = Some(match found {
                    None => one,
                    Some(before) => before.merged(one, draw as f64),
                });
            }
            rows.extend(found);
        }
        let mut curves = Curves { rows, known: all.residuals.len(), all };
        curves.extend(&fit, ballots, grid, &context.part(0.8, 1.0))?;
        curves.isotonic();
        Ok(curves)
    }

    /// Adds what the models expect where tasks have fewer votes than asked about.
    fn extend(&mut self, fit: &TruthFit, ballots: &Ballots, grid: &[usize], context: &Context) -> Result<()> {
        let Some(models) = Models::of(&fit.rule) else { return Ok(()) };
        let panels = PanelCurve::new(&fit.rule, &models, ballots, grid, context)?;
        let mut opinions = ballots.opinions();
        opinions.retain(|&votes| votes > 0);
        let n = opinions.len() as f64;
        let beyond = |votes: usize, figure: &dyn Fn(&Tally) -> f64| {
            let from = |&has: &usize| panels.at(votes, figure) - panels.at(votes.min(has), figure);
            opinions.iter().map(from).sum::<f64>() / n
        };
        // Agreement is counted up to `from` votes. Beyond, the models' votes are independent given a task's kind; real ones share
        // more, and were they copies, agreement would not rise. Models that know little of the workers say too little. So none
        // of the models' rise may come, or half as much again.
        let compared = |row: &Found| row.tally.agreement();
        let model = |votes: usize| panels.at(votes, |tally| tally.agreement().map_or(1.0, |(share, _)| share));
        let last = self.rows.iter().filter_map(|row| Some((row.votes, compared(row)?.0))).next_back();
        let (from, counted) = last.unwrap_or_else(|| (1, model(1)));
        let rise = |votes: usize| (model(votes) - model(from)).clamp(0.0, 1.0 - counted);
        for row in &mut self.rows {
            row.accuracy_beyond = beyond(row.votes, &|tally| tally.accuracy());
            row.ece_beyond = beyond(row.votes, &|tally| tally.ece());
            // Both what is expected and what another panel shows vary from task to task.
            let half = |share: f64, tasks: f64| NINETY * (2.0 * share * (1.0 - share) / tasks).sqrt();
            row.agreement = match compared(row) {
                Some((share, tasks)) => (share, half(share, tasks.min(n))),
                None => {
                    let middle = (0.75 * rise(row.votes)).min((1.0 - counted) / 2.0);
                    let share = counted + middle;
                    (share, half(share, n) + middle)
                }
            };
        }
        Ok(())
    }

    /// More votes do not make labels worse: where chance says so, neighbours are averaged.
    fn isotonic(&mut self) {
        for reading in 0..3 {
            let values: Vec<f64> = self.rows.iter().map(|row| row.right[reading] + row.accuracy_beyond).collect();
            for (row, value) in self.rows.iter_mut().zip(rising(&values)) {
                row.right[reading] = value - row.accuracy_beyond;
            }
        }
        let values: Vec<f64> = self.rows.iter().map(|row| row.agreement.0).collect();
        self.rows.iter_mut().zip(rising(&values)).for_each(|(row, value)| row.agreement.0 = value);
    }

    /// What the votes there are come to.
    pub(super) fn now(&self) -> VotesNow {
        let [accuracy, low, high] = self.all.accuracy();
        VotesNow { accuracy, accuracy_low: low, accuracy_high: high }
    }

    /// The rows, priced: of a number of votes, the price of all and of those still to buy.
    pub(super) fn rows(&self, prices: impl Fn(usize) -> (f64, f64)) -> Vec<VotesRow> {
        let accuracies: Vec<[f64; 3]> = self.rows.iter().map(Found::accuracy).collect();
        let row = |(at, found): (usize, &Found)| {
            let [accuracy, accuracy_low, accuracy_high] = accuracies[at];
            let (price, price_of_more) = prices(found.votes);
            let next = self
                .rows
                .get(at + 1)
                .map(|next| (accuracies[at + 1][0] - accuracy) / (next.votes - found.votes) as f64);
            let (agreement, half) = found.agreement;
            let [ece, ece_low, ece_high] = found.ece(accuracies[at]);
            VotesRow {
                votes: found.votes,
                measured: found.measured,
                accuracy,
                accuracy_low,
                accuracy_high,
                agreement,
                agreement_low: (agreement - half).max(0.0),
                agreement_high: (agreement + half).min(1.0),
                ece,
                ece_low,
                ece_high,
                gain: next,
                price,
                price_of_more,
            }
        };
        self.rows.iter().enumerate().map(row).collect()
    }
}

impl Found {
    /// The mean of this and of `draws` draws before it.
    fn merged(mut self, more: Found, draws: f64) -> Found {
        let mean = |sum: f64, more: f64| (sum * draws + more) / (draws + 1.0);
        self.right.iter_mut().zip(more.right).for_each(|(sum, more)| *sum = mean(*sum, more));
        self.residuals.iter_mut().zip(more.residuals).for_each(|(sum, more)| *sum = mean(*sum, more));
        self.tally.merge(&more.tally);
        self
    }

    /// The expected accuracy and its band.
    ///
    /// Before any answer is known, the band reaches from copies to independent votes, beyond both by a sampling error. Known
    /// answers say how far off the mean probability is, with a standard error; the two are weighed by their precision.
    fn accuracy(&self) -> [f64; 3] {
        let right = self.right.map(|share| share + self.accuracy_beyond);
        let (low, high) = right.iter().fold((1.0, 0.0), |(low, high): (f64, f64), &x| (low.min(x), high.max(x)));
        // What the models add may not come, or come twice.
        let beyond = self.accuracy_beyond.abs();
        let (low, high) = (low - beyond, high + beyond);
        // As for agreement, both what is expected and what is so vary from task to task.
        let sampling = NINETY * (2.0 * right[0] * (1.0 - right[0]).max(0.0) / self.tasks.max(1.0)).sqrt();
        let known = self.residuals.len() as f64;
        let (mut accuracy, mut below, mut above) = (right[0], right[0] - low, high - right[0]);
        if known >= 2.0 {
            let mean = self.residuals.iter().sum::<f64>() / known;
            let spread = self.residuals.iter().map(|residual| (residual - mean).powi(2)).sum::<f64>();
            // Residuals that happen to be alike are no proof of certainty: as if one more had been all wrong.
            let variance = (spread + 1.0) / (known * known);
            let prior = ((below.max(above) / NINETY).powi(2)).max(1e-9);
            let by_answers = prior / (prior + variance);
            accuracy += by_answers * mean;
            let half = NINETY * (prior * variance / (prior + variance)).sqrt();
            (below, above) = (half, half);
        }
        let accuracy = accuracy.clamp(0.0, 1.0);
        [accuracy, (accuracy - below - sampling).clamp(0.0, 1.0), (accuracy + above + sampling).clamp(0.0, 1.0)]
    }
}

/// Places of the band of accuracy at which the calibration error is found.
const PLACES: usize = 9;

impl Found {
    /// The expected calibration error and its band, where accuracy may be anywhere in its own band: confidence is off by as
    /// much. How much it is off at each confidence is not known either, so it may be right wherever the band allows it. Beyond
    /// both ends comes what chance does to as many tasks (90 percent).
    fn ece(&self, [accuracy, low, high]: [f64; 3]) -> [f64; 3] {
        let at = |place: usize| {
            let share = place as f64 / (PLACES - 1) as f64;
            let more = low + share * (high - low) - accuracy;
            self.tally.ece_if(more, self.tasks)
        };
        let all: Vec<Spread> = (0..PLACES).map(at).collect();
        let mean = all.iter().map(|found| found.mean).sum::<f64>() / PLACES as f64;
        let least = self.tally.least_ece(low - accuracy, high - accuracy, self.tasks);
        let most = all.iter().map(|found| found.mean + NINETY * found.deviation).fold(0.0, f64::max);
        // As for accuracy, what the models add may not come.
        let beyond = self.ece_beyond;
        let low = least.mean - NINETY * least.deviation + beyond.min(0.0);
        [mean + beyond, low, most + beyond.max(0.0)].map(|ece| ece.clamp(0.0, 1.0))
    }
}

/// Reads labels by what all votes say of them.
struct Scorer<'a> {
    reference: &'a Reference,
    tasks: &'a [usize],
    truth: Option<&'a [Option<u16>]>,
}

impl Scorer<'_> {
    /// How good the labels of a fit are.
    fn found(&self, fit: &TruthFit, votes: usize, measured: f64) -> Found {
        let (mut right, mut tally, mut residuals) = ([0.0; 3], Tally::default(), Vec::new());
        for &task in self.tasks {
            let posterior = &fit.posterior;
            let of = |reading: usize| over_tied(posterior, task, |class| self.reference.of(task, class)[reading]);
            let probable = [of(0), of(1), of(2)];
            right.iter_mut().zip(probable).for_each(|(sum, p)| *sum += p);
            tally.add(over_tied(posterior, task, |class| posterior.of(task)[class]), probable[0]);
            if let Some(known) = self.truth.and_then(|truth| truth[task]) {
                let hit = over_tied(posterior, task, |class| f64::from(u8::from(class == usize::from(known))));
                residuals.push(hit - probable[0]);
            }
        }
        right.iter_mut().for_each(|sum| *sum /= self.tasks.len() as f64);
        let (accuracy_beyond, ece_beyond, agreement, tasks) = (0.0, 0.0, (1.0, 0.0), self.tasks.len() as f64);
        Found { votes, measured, right, tally, tasks, residuals, accuracy_beyond, ece_beyond, agreement }
    }

    /// Compares labels with those that as many other votes give, aggregated by themselves.
    fn compare(&self, found: &mut Found, fit: &TruthFit, others: &Ballots, context: &Context) -> Result<()> {
        let full = others.opinions();
        let tasks: Vec<usize> = self.tasks.iter().copied().filter(|&task| full[task] == found.votes).collect();
        if (tasks.len() as f64) < COMPARED * self.tasks.len() as f64 {
            return Ok(());
        }
        let second = Auto::default().fit(&Evidence::votes(others)?, context)?.posterior;
        tasks.iter().for_each(|&task| found.tally.compare(same(&fit.posterior, &second, task)));
        Ok(())
    }
}

/// The rising numbers nearest to these by least squares (pool adjacent violators).
fn rising(values: &[f64]) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        blocks.push((value, 1));
        while let [.., (before, n), (after, m)] = blocks[..]
            && before > after
        {
            blocks.truncate(blocks.len() - 2);
            blocks.push(((before * n as f64 + after * m as f64) / (n + m) as f64, n + m));
        }
    }
    blocks.into_iter().flat_map(|(value, n)| std::iter::repeat_n(value, n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rising_numbers_stay_and_falling_ones_become_their_mean() {
        assert_eq!(rising(&[0.1, 0.2, 0.2, 0.9]), [0.1, 0.2, 0.2, 0.9]);
        assert_eq!(rising(&[0.5, 0.3, 0.4, 0.8, 0.6]), [0.4, 0.4, 0.4, 0.7, 0.7]);
        assert!(rising(&[]).is_empty());
    }
}
