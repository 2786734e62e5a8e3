use super::information::{ByWorker, first_votes};
use crate::judgments::Ballots;
use crate::random::stream;
use crate::truth::{Confusion, Evidence, Posterior, Skilled, tables_against};
use crate::{Context, Error, Result};
use rand::RngExt;
use rand::seq::SliceRandom;
use std::ops::Range;

/// Two workers, and how far their labels depend on one another beyond what the tasks' classes explain.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Pair {
    /// One of them.
    pub one: usize,
    /// The other, who has the larger number.
    pub other: usize,
    /// How many tasks both labelled.
    pub shared: usize,
    /// The mutual information of their labels that is left once the class is known, over those tasks.
    pub information: f64,
    /// The share of those tasks on which they agree.
    pub agreement: f64,
    /// The share on which they would agree if only the class brought them together.
    pub expected: f64,
    /// How often chance alone would leave as much information.
    pub p_value: f64,
    /// The same, counting how many pairs were looked at (Benjamini and Hochberg).
    pub adjusted: f64,
}

/// Goodness of fit: the information between workers that the classes leave (equation 10 of the paper).
///
/// The sum over pairs of I(X_i, X_j | Y), P(x_i, x_j, y) being the mean over tasks of P(y | votes) where i said x_i and j
/// said x_j. Each pair's information is taken over the tasks that both labelled, and weighted by their share of all tasks,
/// which for complete data is the paper's sum; with a single class it is the sum of mutual informations (proposition 1).
/// Cost: O(sum over tasks of votes squared, times classes).
pub fn goodness_of_fit(ballots: &Ballots, posterior: &Posterior, context: &Context) -> f64 {
    let view = View::new(ballots);
    let tasks = ballots.tasks().max(1) as f64;
    let sums = context.map(view.pieces(), |range| {
        let mut sum = 0.0;
        view.for_pairs(range, |_, _, meetings| {
            let rows = meetings.iter().map(|meeting| posterior.of(meeting.task as usize));
            sum += meetings.len() as f64 / tasks * information(meetings, rows, ballots.classes(), posterior.classes());
        });
        sum
    });
    sums.iter().sum()
}

/// Looks for pairs of workers who copy one another or share a misunderstanding.
///
/// If the [`Skilled`] model is right, then given the classes what one worker says tells nothing of what another does. The
/// classes are not known, but can be drawn from their probabilities; given a draw, the labels of one worker of a pair
/// are shuffled among the tasks of a class that both labelled. The p-value is the share of draws whose shuffled labels
/// go together as much as the real ones do. A pair is looked at until ten shuffles have, or `most` were made.
///
/// Two who copy can take a fit over: what they agree on becomes the class, and explains itself. So the workers are cut
/// into five groups, a pair is held against a fit of the groups that neither is in, and only their own two votes are
/// added to what that fit says of a task. Cost: ten fits, then O(tasks shared) a shuffle.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `shared` | tasks a pair must share to be looked at | 10 | 2 or more |
/// | `most` | shuffles of a pair | 40 for each pair looked at, within 1,000 and 1,000,000 | 100 or more |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suspicion {
    /// Tasks a pair must share to be looked at.
    pub shared: usize,
    /// The most shuffles of a pair; by default enough for one pair to stand out among up to 50,000.
    pub most: Option<usize>,
    /// The seed of draws and shuffles.
    pub seed: u64,
}

impl Default for Suspicion {
    fn default() -> Self {
        Suspicion { shared: 10, most: None, seed: 0 }
    }
}

/// A pair that shuffles match so often is settled.
const ENOUGH: usize = 10;

impl Suspicion {
    /// All pairs looked at, the most suspicious first.
    pub fn pairs(&self, ballots: &Ballots, context: &Context) -> Result<Vec<Pair>> {
        let refuse = |name, value: usize, range| Err(Error::OutOfRange { name, value: value.to_string(), range });
        if self.shared < 2 {
            return refuse("the number of tasks that a pair must share", self.shared, "2 or more");
        }
        if let Some(most) = self.most.filter(|most| *most < 100) {
            return refuse("the number of shuffles", most, "100 or more");
        }
        if ballots.is_empty() {
            return Err(Error::Empty("label"));
        }
        let view = View::new(ballots);
        let witnesses = Witnesses::new(&view.ballots, self.seed, context)?;
        let counts = context.map(view.pieces(), |range| {
            let mut count = 0;
            view.for_pairs(range, |_, _, meetings| count += usize::from(meetings.len() >= self.shared));
            count
        });
        let looked_at: usize = counts.iter().sum();
        let most = self.most.unwrap_or((40 * looked_at).clamp(1_000, 1_000_000));
        let found = context.map(view.pieces(), |range| {
            let mut found = Vec::new();
            view.for_pairs(range, |one, other, meetings| {
                if meetings.len() >= self.shared {
                    let rows = witnesses.rows(one, other, meetings);
                    let mut random = stream(self.seed, (one * ballots.workers() + other) as u64);
                    found.push(tested(one, other, meetings, &rows, ballots.classes(), most, &mut random));
                }
            });
            found
        });
        let mut pairs: Vec<Pair> = found.into_iter().flatten().collect();
        let order = |a: &Pair, b: &Pair| {
            let p = a.p_value.total_cmp(&b.p_value);
            p.then(b.information.total_cmp(&a.information)).then((a.one, a.other).cmp(&(b.one, b.other)))
        };
        pairs.sort_by(order);
        let n = pairs.len() as f64;
        let mut least: f64 = 1.0;
        for (i, pair) in pairs.iter_mut().enumerate().rev() {
            least = least.min(pair.p_value * n / (i as f64 + 1.0));
            pair.adjusted = least;
        }
        Ok(pairs)
    }
}

/// A task that both of a pair labelled, and what they said.
#[derive(Clone, Copy)]
struct Meeting {
    other: u32,
    task: u32,
    said: u16,
    other_said: u16,
}

struct View<'a> {
    ballots: std::borrow::Cow<'a, Ballots>,
    by_worker: ByWorker,
}

impl<'a> View<'a> {
    fn new(ballots: &'a Ballots) -> Self {
        use std::borrow::Cow;
        let ballots = first_votes(ballots).map_or(Cow::Borrowed(ballots), Cow::Owned);
        View { by_worker: ByWorker::new(&ballots), ballots }
    }

    fn pieces(&self) -> Vec<Range<usize>> {
        self.by_worker.even_pieces(64)
    }

    /// Tells of each pair whose first worker is in the range: who, and where they met, task by task.
    fn for_pairs(&self, range: Range<usize>, mut tell: impl FnMut(usize, usize, &[Meeting])) {
        let mut meetings: Vec<Meeting> = Vec::new();
        for worker in range {
            meetings.clear();
            for &(task, said) in self.by_worker.of(worker) {
                let others = self.ballots.votes(task as usize);
                let later = others.iter().filter(|(other, _)| *other > worker);
                meetings.extend(later.map(|(other, label)| Meeting {
                    other: other as u32,
                    task,
                    said,
                    other_said: label as u16,
                }));
            }
            meetings.sort_by_key(|meeting| (meeting.other, meeting.task));
            meetings.chunk_by(|a, b| a.other == b.other).for_each(|met| tell(worker, met[0].other as usize, met));
        }
    }
}

/// What workers of other groups say of the classes, and how a pair's labels are read in their light.
struct Witnesses {
    group: Vec<usize>,
    /// For each two groups, the fit of the others.
    fits: Vec<Option<(Posterior, Confusion)>>,
}

/// Into how many groups the workers are cut.
const GROUPS: usize = 5;

impl Witnesses {
    fn new(ballots: &Ballots, seed: u64, context: &Context) -> Result<Self> {
        let mut group: Vec<usize> = (0..ballots.workers()).map(|worker| worker % GROUPS).collect();
        group.shuffle(&mut stream(seed, u64::MAX - 3));
        let pairs: Vec<(usize, usize)> = (0..GROUPS).flat_map(|a| (0..GROUPS).map(move |b| (a, b))).collect();
        let fit = |(a, b): (usize, usize)| -> Result<Option<(Posterior, Confusion)>> {
            let others = ballots.filtered(|_, worker| group[worker] != a && group[worker] != b);
            if a >= b || others.is_empty() {
                return Ok(None);
            }
            let mut posterior = Skilled::default().fit(&Evidence::votes(&others)?, &Context::new())?.posterior;
            posterior.fill_unseen(&others);
            let tables = tables_against(ballots, &posterior, &Context::new())?;
            Ok(Some((posterior, tables)))
        };
        let fits = context.map(pairs, fit).into_iter().collect::<Result<_>>()?;
        Ok(Witnesses { group, fits })
    }

    /// The probabilities of the classes of the tasks on which a pair met: what the others say, and the two votes.
    fn rows(&self, one: usize, other: usize, meetings: &[Meeting]) -> Vec<Vec<f64>> {
        let (a, mut b) = (self.group[one], self.group[other]);
        if a == b {
            b = (a + 1) % GROUPS;
        }
        let fit = &self.fits[a.min(b) * GROUPS + a.max(b)];
        let row = |meeting: &Meeting| {
            let Some((posterior, tables)) = fit else { return vec![1.0] };
            let said = |class: usize| {
                tables.probability(one, class, usize::from(meeting.said))
                    * tables.probability(other, class, usize::from(meeting.other_said))
            };
            let row = posterior.of(meeting.task as usize).iter().enumerate();
            let mut row: Vec<f64> = row.map(|(class, p)| p.max(1e-12) * said(class)).collect();
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|p| *p /= sum);
            row
        };
        meetings.iter().map(row).collect()
    }
}

/// I(X_i, X_j | Y) over the meetings, by the probabilities of the classes.
fn information<'a>(meetings: &[Meeting], rows: impl Iterator<Item = &'a [f64]>, labels: usize, classes: usize) -> f64 {
    let mut table = Table::new(labels, classes);
    for (meeting, row) in meetings.iter().zip(rows) {
        row.iter().enumerate().for_each(|(class, &p)| table.add(class, meeting.said, meeting.other_said, p));
    }
    table.information()
}

fn tested(
    one: usize,
    other: usize,
    meetings: &[Meeting],
    rows: &[Vec<f64>],
    labels: usize,
    most: usize,
    random: &mut impl rand::Rng,
) -> Pair {
    let classes = rows[0].len();
    let n = meetings.len() as f64;
    let (mut real, mut shuffled) = (Table::new(labels, classes), Table::new(labels, classes));
    let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); classes];
    let (mut made, mut matched, mut agreed) = (0, 0, 0.0);
    let mut said: Vec<u16> = Vec::new();
    while made < most && matched < ENOUGH {
        by_class.iter_mut().for_each(Vec::clear);
        real.clear();
        shuffled.clear();
        for (i, (meeting, row)) in meetings.iter().zip(rows).enumerate() {
            let class = draw(row, random.random());
            by_class[class].push(i as u32);
            real.add(class, meeting.said, meeting.other_said, 1.0);
        }
        for (class, members) in by_class.iter().enumerate() {
            said.clear();
            said.extend(members.iter().map(|&i| meetings[i as usize].other_said));
            said.shuffle(random);
            for (&i, &other_said) in members.iter().zip(&said) {
                let own = meetings[i as usize].said;
                shuffled.add(class, own, other_said, 1.0);
                agreed += f64::from(u8::from(own == other_said));
            }
        }
        made += 1;
        // Equal tables may differ by rounding.
        matched += usize::from(shuffled.information() >= real.information() - 1e-12);
    }
    let p_value = match matched < ENOUGH {
        true => (matched + 1) as f64 / (made + 1) as f64,
        false => matched as f64 / made as f64,
    };
    Pair {
        one,
        other,
        shared: meetings.len(),
        information: information(meetings, rows.iter().map(Vec::as_slice), labels, classes),
        agreement: meetings.iter().filter(|meeting| meeting.said == meeting.other_said).count() as f64 / n,
        expected: agreed / (n * made as f64),
        p_value,
        adjusted: 1.0,
    }
}

/// The class at a point of the unit interval.
fn draw(probabilities: &[f64], mut at: f64) -> usize {
    for (class, p) in probabilities.iter().enumerate() {
        if at < *p {
            return class;
        }
        at -= p;
    }
    probabilities.len() - 1
}

/// How often two workers said x and y where the class was z.
struct Table {
    labels: usize,
    cells: Vec<f64>,
}

impl Table {
    fn new(labels: usize, classes: usize) -> Self {
        Table { labels, cells: vec![0.0; labels * labels * classes] }
    }

    fn clear(&mut self) {
        self.cells.fill(0.0);
    }

    fn add(&mut self, class: usize, x: u16, y: u16, weight: f64) {
        let (x, y) = (usize::from(x), usize::from(y));
        self.cells[(class * self.labels + x) * self.labels + y] += weight;
    }

    /// sum over cells of P(x, y, z) ln (P(x, y, z) P(z) / (P(x, z) P(y, z))).
    fn information(&self) -> f64 {
        let k = self.labels;
        let total: f64 = self.cells.iter().sum();
        let mut sum = 0.0;
        for class in self.cells.chunks_exact(k * k) {
            let all: f64 = class.iter().sum();
            if all <= 0.0 {
                continue;
            }
            let row = |x: usize| class[x * k..(x + 1) * k].iter().sum::<f64>();
            let rows: Vec<f64> = (0..k).map(row).collect();
            let columns: Vec<f64> = (0..k).map(|y| (0..k).map(|x| class[x * k + y]).sum()).collect();
            for (at, &cell) in class.iter().enumerate().filter(|(_, cell)| **cell > 0.0) {
                sum += cell * (cell * all / (rows[at / k] * columns[at % k])).ln();
            }
        }
        sum / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::Crowd;
    use crate::truth::Mixture;
    use crate::workers::{Information, Missing};

    fn crowd(copies: bool) -> Ballots {
        let crowd = Crowd { tasks: 300, workers: 10, classes: 3, votes: (6, 6), ..Crowd::default() };
        let mut labels = crowd.draw(&Context::new().with_seed(3)).unwrap().labels;
        if copies {
            // Worker 9 says what worker 0 says wherever both are asked.
            for votes in &mut labels {
                if let Some(said) = votes.iter().find(|vote| vote.0 == 0).map(|vote| vote.1) {
                    votes.iter_mut().filter(|vote| vote.0 == 9).for_each(|vote| vote.1 = said);
                }
            }
        }
        Ballots::from_tasks(&labels, 10, 3).unwrap()
    }

    #[test]
    fn a_copier_stands_out_and_without_them_nobody_does() {
        let ballots = crowd(true);
        let found = Suspicion::default().pairs(&ballots, &Context::new()).unwrap();
        assert_eq!((found[0].one, found[0].other), (0, 9));
        assert!(found[0].adjusted < 0.05 && found[0].agreement == 1.0 && found[0].expected < 0.9);
        // While both are in, they also bend the classes for other pairs; without the copier nobody is suspicious.
        let kept: Vec<bool> = (0..10).map(|worker| worker != 9).collect();
        let found = Suspicion::default().pairs(&ballots.of_workers(&kept).unwrap(), &Context::new()).unwrap();
        assert!(found.iter().all(|pair| pair.adjusted > 0.05));
    }

    #[test]
    fn honest_workers_have_p_values_that_are_not_small_too_often() {
        let ballots = crowd(false);
        let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
        let found = Suspicion::default().pairs(&ballots, &context).unwrap();
        assert_eq!(found.len(), 45);
        // 45 pairs, of which 4.5 are below 0.1 by chance; more than 11 would be so once in a thousand times.
        assert!(found.iter().filter(|pair| pair.p_value < 0.1).count() <= 11);
        assert!(found.iter().all(|pair| pair.adjusted > 0.05));
        assert_eq!(found, Suspicion::default().pairs(&ballots, &Context::new()).unwrap());
    }

    #[test]
    fn honest_crowds_of_many_kinds_are_rarely_accused() {
        use crate::simulate::WorkerModel;
        let base = Crowd { tasks: 600, workers: 10, classes: 2, votes: (3, 3), ..Crowd::default() };
        let kinds = [
            base.clone(),
            Crowd { votes: (2, 2), ..base.clone() },
            Crowd { workers: 12, votes: (5, 5), ..base.clone() },
            Crowd { workers: 8, votes: (4, 4), classes: 3, model: WorkerModel::Confusion, ..base.clone() },
            Crowd { workers: 20, votes: (5, 5), unevenness: 1.0, ..base.clone() },
            Crowd { workers: 20, votes: (5, 5), priors: vec![0.85, 0.15], ..base },
        ];
        let mut accused = Vec::new();
        for (kind, crowd) in kinds.iter().enumerate() {
            for seed in 0..5 {
                let labels = crowd.draw(&Context::new().with_seed(seed)).unwrap().labels;
                let ballots = Ballots::from_tasks(&labels, crowd.workers, crowd.classes).unwrap();
                let found = Suspicion::default().pairs(&ballots, &Context::new()).unwrap();
                let listed = found.iter().filter(|pair| pair.adjusted <= 0.05).count();
                accused.extend((listed > 0).then_some((kind, listed)));
            }
        }
        // At five in a hundred, 1.5 of the thirty crowds; six or more would be so once in 300 times.
        assert!(accused.len() <= 5, "{accused:?}");
    }

    #[test]
    fn with_one_class_it_is_the_sum_of_mutual_informations() {
        // Proposition 1, on complete data and under one component.
        let crowd = Crowd { tasks: 80, workers: 5, classes: 2, votes: (5, 5), ..Crowd::default() };
        let ballots = Ballots::from_tasks(&crowd.draw(&Context::new().with_seed(1)).unwrap().labels, 5, 2).unwrap();
        let information = Information::new(&ballots, Missing::Paper, &Context::new()).unwrap();
        let sum = information.scores().iter().sum::<f64>() / 2.0;
        let one = Posterior::certain(80, 1, |_| 0);
        assert!((goodness_of_fit(&ballots, &one, &Context::new()) - sum).abs() < 1e-12);
    }

    #[test]
    fn classes_that_explain_leave_less() {
        let ballots = crowd(false);
        let evidence = Evidence::votes(&ballots).unwrap();
        let left = |posterior: &Posterior| goodness_of_fit(&ballots, posterior, &Context::new());
        let one = Posterior::certain(300, 1, |_| 0);
        let fitted = Mixture { components: Some(3), ..Mixture::default() }.fit(&evidence, &Context::new()).unwrap();
        assert!(left(&fitted.posterior) < 0.5 * left(&one));
    }
}
