use super::curve::Curves;
use super::enough_outcome::{EnoughVotesOutcome, TargetVotes, VotesRow};
use crate::judgments::{Column, Labels, Repeats, sample_of_tasks};
use crate::truth::known;
use crate::{Context, Error, Result};

/// How many votes per task are enough: what accuracy, agreement and calibration to expect with 1, 2, 3, ... votes.
///
/// Where there are more votes than asked about, votes are left out at random and the rest is aggregated anew ([`Auto`]).
/// Beyond the votes there are, the fitted models draw further ones. How often a label is right is not known without true
/// answers: it is taken from the posterior of all votes. That depends on how far workers share their errors, which labels
/// cannot tell; so the band of an accuracy reaches from votes that are copies of one another to votes that are independent
/// given the class, and a sampling error (90 percent) further. Known answers narrow it.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `most` | the most votes per task to look at | twice the mean there are | 1 to 1000 |
/// | `target` | the accuracy to reach | none | 0 to 1, neither included |
/// | `cost` | the price of a vote | 1 | 1e-50 to 1e50 |
/// | `worth` | what a corrected label is worth, in the same money | 100 votes | 1e-50 to 1e50 |
/// | `known` | known true labels | none | tasks among those labelled |
/// | `repeats` | what becomes of labels that a worker gave to the same task twice | averaged | |
///
/// Cost: about as many fits of [`Auto`] as there are votes per task, each of at most 60,000 votes (whole tasks drawn by the
/// seed).
///
/// ```
/// use beanjar::{Context, EnoughVotes, Labels};
///
/// let rows: Vec<_> = (0..300)
///     .map(|i| (format!("t{}", i / 5), format!("w{}", i % 5), if (i * 7) % 11 < 2 { i % 2 } else { i / 5 % 2 }))
///     .map(|(task, worker, label)| (task, worker, if label == 0 { "yes" } else { "no" }))
///     .collect();
/// let labels = Labels::from_rows(rows.iter().map(|(task, worker, label)| (&task[..], &worker[..], *label)))?;
/// let outcome = EnoughVotes::default().run(&labels, &Context::new())?;
/// let (one, five) = (&outcome.curve[0], &outcome.curve[4]);
/// assert!(one.accuracy < five.accuracy && five.accuracy_low <= five.accuracy);
/// # Ok::<(), beanjar::Error>(())
/// ```
///
/// [`Auto`]: crate::truth::Auto
#[derive(Clone, Debug, PartialEq)]
pub struct EnoughVotes {
    /// The most votes per task to look at; none for twice the mean there are.
    pub most: Option<usize>,
    /// The accuracy to reach.
    pub target: Option<f64>,
    /// The price of a vote.
    pub cost: f64,
    /// What a corrected label is worth, in the same money; none for the price of 100 votes.
    pub worth: Option<f64>,
    /// Known true labels, by which the accuracy is corrected.
    pub known: Option<Column>,
    /// What becomes of labels that a worker gave to the same task more than once.
    pub repeats: Repeats,
}

impl Default for EnoughVotes {
    fn default() -> Self {
        EnoughVotes { most: None, target: None, cost: 1.0, worth: None, known: None, repeats: Repeats::default() }
    }
}

/// Votes beyond which tasks are sampled: a share over their tasks has a standard error below half a percent.
const MOST_VOTES: usize = 60_000;
/// Where nothing is said of what a corrected label is worth: the price of this many votes.
const WORTH: f64 = 100.0;

impl EnoughVotes {
    /// Finds what is to be expected.
    pub fn run(&self, labels: &Labels, context: &Context) -> Result<EnoughVotesOutcome> {
        self.check()?;
        if labels.is_empty() {
            return Err(Error::Empty("label"));
        }
        context.report("aggregating", 0.0)?;
        let mut warnings = Vec::new();
        let labels = labels.with_repeats(self.repeats, context, &mut warnings);
        let labels = labels.as_ref();
        let truth = known(self.known.as_ref(), "gold", labels, &mut warnings)?;
        let opinions = labels.ballots().opinions();
        let voted = opinions.iter().filter(|&&votes| votes > 0).count();
        if opinions.iter().all(|&votes| votes < 2) {
            return Err(Error::OneVoteEach);
        }
        let sample = sample_of_tasks(labels.ballots(), MOST_VOTES, context.seed());
        let part = sample.as_ref().map(|tasks| labels.ballots().of_tasks(tasks)).transpose()?;
        let truth = truth.map(|truth| match &sample {
            Some(tasks) => tasks.iter().map(|&task| truth[task]).collect(),
            None => truth,
        });
        let votes: usize = opinions.iter().sum();
        let mean = votes as f64 / voted as f64;
        let most = self.most.unwrap_or_else(|| ((2.0 * mean).ceil() as usize).clamp(5, 100));
        let ballots = part.as_ref().unwrap_or(labels.ballots());
        let curves = Curves::new(ballots, truth.as_deref(), &grid(most, mean), context)?;

        let worth = self.worth.unwrap_or(WORTH * self.cost);
        let missing = |votes: usize| {
            opinions.iter().map(|&has| if has > 0 { votes.saturating_sub(has) } else { 0 }).sum::<usize>()
        };
        let rows = curves.rows(|votes| (self.cost * (votes * voted) as f64, self.cost * missing(votes) as f64));
        let mut outcome = EnoughVotesOutcome {
            tasks: voted,
            votes,
            votes_per_task: mean,
            sampled_tasks: ballots.opinions().iter().filter(|&&votes| votes > 0).count(),
            known_answers: curves.known,
            cost: self.cost,
            worth,
            now: curves.now(),
            stops_paying: stops_paying(&rows, self.cost / worth),
            target: None,
            curve: rows,
            warnings,
        };
        outcome.target = self.target.map(|accuracy| TargetVotes::of(accuracy, &outcome.curve));
        context.report("simulating votes", 1.0)?;
        Ok(outcome)
    }

    /// An error if a parameter is out of its range.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if let Some(most) = self.most.filter(|most| !(1..=1000).contains(most)) {
            return refuse("the most votes per task", most.to_string(), "1 to 1000");
        }
        if let Some(target) = self.target.filter(|target| !(*target > 0.0 && *target < 1.0)) {
            return refuse("the accuracy to reach", target.to_string(), "between 0 and 1, neither included");
        }
        let sound = |price: f64| PRICES.contains(&price);
        if !sound(self.cost) {
            return refuse("the price of a vote", self.cost.to_string(), "1e-50 to 1e50");
        }
        match self.worth.filter(|worth| !sound(*worth)) {
            Some(worth) => refuse("the worth of a corrected label", worth.to_string(), "1e-50 to 1e50"),
            None => Ok(()),
        }
    }
}

/// Prices and what is worth them: of others, sums and quotients would be infinite.
pub(super) const PRICES: std::ops::RangeInclusive<f64> = 1e-50..=1e50;

/// The numbers of votes to look at: all up to 10, then in steps of an eighth, the last, and the whole number nearest to the
/// mean there are.
fn grid(most: usize, mean: f64) -> Vec<usize> {
    let mut grid: Vec<usize> = (1..=most.min(10)).collect();
    while let Some(&last) = grid.last().filter(|&&last| last < most) {
        grid.push((last + last.div_ceil(8)).min(most));
    }
    let near = (mean.round() as usize).max(1);
    if near <= most && !grid.contains(&near) {
        grid.push(near);
        grid.sort_unstable();
    }
    grid
}

/// The fewest votes after which no number of further votes gains `least` a vote; none if even the last does.
fn stops_paying(rows: &[VotesRow], least: f64) -> Option<usize> {
    let pays = |at: usize| {
        let gain = |later: &VotesRow| (later.accuracy - rows[at].accuracy) / (later.votes - rows[at].votes) as f64;
        rows[at + 1..].iter().any(|later| gain(later) >= least)
    };
    // Of the last row nothing is known that comes after.
    (0..rows.len().saturating_sub(1)).find(|&at| !pays(at)).map(|at| rows[at].votes)
}

#[cfg(test)]
mod tests;
