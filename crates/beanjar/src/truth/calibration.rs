use super::Posterior;

/// How good labels and their probabilities are, where the truth is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Calibration {
    /// How many tasks have a known class.
    pub tasks: usize,
    /// The share labelled rightly, a tie of n classes counting 1/n.
    pub accuracy: f64,
    /// The expected calibration error: how far confidence is from accuracy, on average.
    pub ece: f64,
    /// The mean of -ln of the probability of the true class, none of which counts as less than 1e-15.
    pub log_loss: f64,
    /// The bins of the calibration error, from the least confidence to the most.
    pub bins: [CalibrationBin; BINS],
}

/// Tasks whose confidence is in a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CalibrationBin {
    /// How many tasks.
    pub tasks: usize,
    /// Their mean confidence; none without tasks.
    pub confidence: Option<f64>,
    /// The share of them that are labelled rightly.
    pub accuracy: Option<f64>,
}

/// Bins of confidence, equally wide.
pub(crate) const BINS: usize = 10;

/// The bin of a confidence.
pub(crate) fn bin_of(confidence: f64) -> usize {
    ((confidence * BINS as f64) as usize).min(BINS - 1)
}

/// How often labels are right beside how often they say they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sureness {
    /// They are right more often than they say.
    TooLittle,
    /// They are right about as often as they say: any difference may be chance.
    AsItShouldBe,
    /// They are right less often than they say.
    TooMuch,
}

impl Calibration {
    /// Compares probabilities with known classes; none if no class is known, or if `truth` is not of these tasks and
    /// classes.
    ///
    /// ECE = sum over ten equally wide bins of confidence of the bin's share of tasks times |its accuracy - its mean
    /// confidence|. A tie among n classes one of which is true is right by 1/n.
    #[must_use]
    pub fn of(posterior: &Posterior, truth: &[Option<u16>]) -> Option<Self> {
        let mut bins = [(0, 0.0, 0.0); BINS];
        let (mut tasks, mut right, mut loss) = (0, 0.0, 0.0);
        for (task, class) in posterior.known(truth)? {
            let tied: Vec<usize> = posterior.best(task).collect();
            let confidence = posterior.of(task)[tied[0]];
            let hit = if tied.contains(&class) { 1.0 / tied.len() as f64 } else { 0.0 };
            let bin = bin_of(confidence);
            bins[bin].0 += 1;
            bins[bin].1 += confidence;
            bins[bin].2 += hit;
            tasks += 1;
            right += hit;
            loss -= posterior.of(task)[class].max(1e-15).ln();
        }
        let n = tasks as f64;
        let ece =
            bins.iter().map(|(_, confidence, hits): &(usize, f64, f64)| (confidence - hits).abs()).sum::<f64>() / n;
        let bins = bins.map(|(tasks, confidence, hits)| {
            let mean = |sum: f64| (tasks > 0).then(|| sum / tasks as f64);
            CalibrationBin { tasks, confidence: mean(confidence), accuracy: mean(hits) }
        });
        (tasks > 0).then(|| Calibration { tasks, accuracy: right / n, ece, log_loss: loss / n, bins })
    }

    /// The mean confidence.
    #[must_use]
    pub fn mean_confidence(&self) -> f64 {
        let sum: f64 = self.bins.iter().map(|bin| bin.tasks as f64 * bin.confidence.unwrap_or(0.0)).sum();
        sum / self.tasks.max(1) as f64
    }

    /// Whether labels are right more often than they say, or less often, by more than chance gives: two standard deviations
    /// of the share that is right, if the mean confidence is true.
    #[must_use]
    pub fn sureness(&self) -> Sureness {
        let said = self.mean_confidence();
        let chance = 2.0 * (said * (1.0 - said) / self.tasks.max(1) as f64).sqrt();
        match self.accuracy - said {
            more if more > chance => Sureness::TooLittle,
            less if less < -chance => Sureness::TooMuch,
            _ => Sureness::AsItShouldBe,
        }
    }

    /// The bins that have tasks, those with fewer than `fewest` joined to a neighbour: their accuracy is chance.
    #[must_use]
    pub fn joined_bins(&self, fewest: usize) -> Vec<CalibrationBin> {
        let mut joined: Vec<CalibrationBin> = Vec::new();
        for &bin in self.bins.iter().filter(|bin| bin.tasks > 0) {
            match joined.last_mut().filter(|last| last.tasks < fewest) {
                Some(last) => *last = last.with(bin),
                None => joined.push(bin),
            }
        }
        if joined.len() > 1
            && let Some(last) = joined.pop_if(|last| last.tasks < fewest)
            && let Some(before) = joined.last_mut()
        {
            *before = before.with(last);
        }
        joined
    }
}

impl CalibrationBin {
    /// The tasks of two bins.
    fn with(self, other: CalibrationBin) -> CalibrationBin {
        let (a, b) = (self.tasks as f64, other.tasks as f64);
        let mean = |one: Option<f64>, more: Option<f64>| Some((a * one? + b * more?) / (a + b));
        CalibrationBin {
            tasks: self.tasks + other.tasks,
            confidence: mean(self.confidence, other.confidence),
            accuracy: mean(self.accuracy, other.accuracy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::judgments::Ballots;
    use crate::truth::{Evidence, Majority};

    fn of_bins(bins: &[(usize, f64, f64)]) -> Calibration {
        let mut all = [CalibrationBin::default(); BINS];
        for (bin, &(tasks, confidence, accuracy)) in all.iter_mut().zip(bins) {
            *bin = CalibrationBin { tasks, confidence: Some(confidence), accuracy: Some(accuracy) };
        }
        let tasks = bins.iter().map(|bin| bin.0).sum::<usize>();
        let right: f64 = bins.iter().map(|bin| bin.0 as f64 * bin.2).sum();
        Calibration { tasks, accuracy: right / tasks as f64, ece: 0.0, log_loss: 0.0, bins: all }
    }

    #[test]
    fn bins_of_few_tasks_are_joined() {
        let found = of_bins(&[(3, 0.2, 0.0), (9, 0.6, 1.0), (30, 0.8, 0.9), (4, 1.0, 0.5)]).joined_bins(10);
        assert_eq!(found[0], CalibrationBin { tasks: 12, confidence: Some(0.5), accuracy: Some(0.75) });
        assert_eq!((found.len(), found[1].tasks), (2, 34));
        assert!((found[1].accuracy.unwrap() - (27.0 + 2.0) / 34.0).abs() < 1e-12);
        assert_eq!(of_bins(&[(1, 0.5, 1.0)]).joined_bins(10).len(), 1);
        assert_eq!(of_bins(&[(10, 0.5, 0.5), (10, 0.9, 0.9)]).joined_bins(10).len(), 2);
    }

    #[test]
    fn what_chance_gives_is_not_called_too_sure() {
        // With 100 tasks and a confidence of 0.8, chance is within 0.08.
        let at = |accuracy: f64| of_bins(&[(100, 0.8, accuracy)]).sureness();
        assert_eq!([at(0.71), at(0.73), at(0.87), at(0.89)], {
            use Sureness::*;
            [TooMuch, AsItShouldBe, AsItShouldBe, TooLittle]
        });
    }

    #[test]
    fn bins_by_hand() {
        // Shares 1 (right), 2/3 (right, wrong), 1/2 (a tie with the truth in it); one task without a known class.
        let tasks = [
            vec![(0, 0), (1, 0)],
            vec![(0, 1), (1, 1), (2, 0)],
            vec![(0, 1), (1, 1), (2, 0)],
            vec![(0, 0), (1, 1)],
            vec![(0, 0)],
        ];
        let ballots = Ballots::from_tasks(&tasks, 3, 2).unwrap();
        let fitted = Majority::default().fit(&Evidence::votes(&ballots).unwrap(), &Context::new()).unwrap();
        let truth = [Some(0), Some(1), Some(0), Some(1), None];
        let found = Calibration::of(&fitted.posterior, &truth).unwrap();
        assert_eq!((found.tasks, found.accuracy), (4, 2.5 / 4.0));
        // Bins: 1.0 exact; 2/3 twice with one hit: |4/3 - 1|; 1/2 with half a hit: 0.
        assert!((found.ece - (1.0 / 3.0) / 4.0).abs() < 1e-12);
        let counts = found.bins.map(|bin| bin.tasks);
        assert_eq!(counts, [0, 0, 0, 0, 0, 1, 2, 0, 0, 1]);
        assert_eq!((found.bins[6].confidence, found.bins[6].accuracy), (Some(2.0 / 3.0), Some(0.5)));
        assert_eq!(found.bins[0].confidence, None);
        let loss = -((2.0f64 / 3.0).ln() + (1.0f64 / 3.0).ln() + 0.5f64.ln()) / 4.0;
        assert!((found.log_loss - loss).abs() < 1e-12);
        assert_eq!(Calibration::of(&fitted.posterior, &[None; 5]), None);
    }
}
