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
const BINS: usize = 10;

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
            let bin = ((confidence * BINS as f64) as usize).min(BINS - 1);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use crate::judgments::Ballots;
    use crate::truth::{Evidence, Majority};

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
