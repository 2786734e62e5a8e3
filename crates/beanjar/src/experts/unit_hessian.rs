//! What one unit adds to the Hessian of the likelihood: the complete data's information less what is missing.

/// The class whose sum a row is.
pub(super) fn row_class(rows: usize, row: usize) -> usize {
    if rows == 1 { 1 } else { row }
}

/// The labels of one unit and their posterior: see [`super::posterior::Posteriors`].
pub(super) struct Unit<'a> {
    pub(super) labels: &'a [u16],
    pub(super) prior: &'a [f64],
    pub(super) posterior: &'a [f64],
    pub(super) right: &'a [f64],
}

/// One unit's share of C - missing V: between channels, between votes' skills, and between the two.
pub(super) struct UnitHessian {
    channels: usize,
    pub(super) between_channels: Vec<f64>,
    pub(super) between_votes: Vec<f64>,
    pub(super) vote_and_channel: Vec<f64>,
    /// Of each channel and each vote's skill, its score as the class may be, less the mean, times the root of the class's
    /// probability: V is the sum of products.
    scores: Vec<f64>,
    information: Vec<f64>,
}

impl UnitHessian {
    pub(super) fn new(channels: usize) -> Self {
        UnitHessian {
            channels,
            between_channels: vec![0.0; channels * channels],
            between_votes: Vec::new(),
            vote_and_channel: Vec::new(),
            scores: Vec::new(),
            information: Vec::new(),
        }
    }

    /// For two classes and one skill an expert: all scores are the class's indicator, times 1 for the class's own sum, the
    /// sign of the vote for a skill, and the sum of signs for ease.
    pub(super) fn of_two_classes(&mut self, unit: &Unit<'_>, missing: f64) {
        let (votes, variance) = (unit.labels.len(), missing * unit.posterior[0] * unit.posterior[1]);
        let sign = |label: u16| 2.0 * f64::from(label) - 1.0;
        let signs: f64 = unit.labels.iter().map(|label| sign(*label)).sum();
        self.between_votes.resize(votes * votes, 0.0);
        self.vote_and_channel.resize(votes * 2, 0.0);
        let rows = self.between_votes.chunks_exact_mut(votes.max(1)).zip(self.vote_and_channel.chunks_exact_mut(2));
        let mut total = 0.0;
        for (a, ((row, with_channels), right)) in rows.zip(unit.right).enumerate() {
            let (curvature, missed) = (right * (1.0 - right), variance * sign(unit.labels[a]));
            total += curvature;
            row.iter_mut().zip(unit.labels).for_each(|(cell, other)| *cell = -missed * sign(*other));
            row[a] += curvature;
            with_channels.copy_from_slice(&[-missed, curvature - missed * signs]);
        }
        // A unit without labels has the class's prior for its posterior, and adds nothing.
        let class = if unit.labels.is_empty() { 0.0 } else { unit.prior[0] * unit.prior[1] - variance };
        let cross = -variance * signs;
        self.between_channels.copy_from_slice(&[class, cross, cross, total + cross * signs]);
    }

    /// For any classes and skills: channels are the classifier's rows and ease, and V is written as a sum over classes.
    pub(super) fn of(&mut self, unit: &Unit<'_>, missing: f64) {
        let (channels, rows, slots) = (self.channels, self.channels - 1, unit.right.len());
        let each = slots / unit.labels.len().max(1);
        let classes = unit.prior.len();
        self.scores.clear();
        self.scores.resize((channels + slots) * classes, 0.0);
        self.information.clear();
        for row in 0..rows {
            self.scores[row * classes + row_class(rows, row)] = 1.0;
        }
        for (slot, right) in unit.right.iter().enumerate() {
            let (label, given) = (usize::from(unit.labels[slot / each]), slot % each);
            let (curvature, at) = (right * (1.0 - right), (channels + slot) * classes);
            match each {
                1 => {
                    self.scores[at + label] = 1.0;
                    self.information.push(curvature);
                }
                _ => {
                    self.scores[at + given] = f64::from(u8::from(label == given)) - right;
                    self.information.push(unit.posterior[given] * curvature);
                }
            }
            for class in 0..classes {
                self.scores[rows * classes + class] += self.scores[at + class];
            }
        }
        for scores in self.scores.chunks_exact_mut(classes) {
            let mean: f64 = scores.iter().zip(unit.posterior).map(|(score, z)| score * z).sum();
            scores.iter_mut().zip(unit.posterior).for_each(|(score, z)| *score = (*score - mean) * z.sqrt());
        }
        let scores = &self.scores;
        let variance = |a: usize, b: usize| -> f64 {
            let (a, b) = (&scores[a * classes..][..classes], &scores[b * classes..][..classes]);
            missing * a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
        };
        let total: f64 = self.information.iter().sum();
        for a in 0..channels {
            for b in 0..channels {
                let complete = match (a < rows, b < rows) {
                    (true, true) => {
                        let (p, q) = (unit.prior[row_class(rows, a)], unit.prior[row_class(rows, b)]);
                        if a == b { p * (1.0 - p) } else { -p * q }
                    }
                    (false, false) => total,
                    _ => 0.0,
                };
                self.between_channels[a * channels + b] = complete - variance(a, b);
            }
        }
        self.between_votes.clear();
        self.vote_and_channel.clear();
        for a in 0..slots {
            for b in 0..slots {
                let complete = if a == b { self.information[a] } else { 0.0 };
                self.between_votes.push(complete - variance(channels + a, channels + b));
            }
            for b in 0..channels {
                let complete = if b == rows { self.information[a] } else { 0.0 };
                self.vote_and_channel.push(complete - variance(channels + a, b));
            }
        }
        if unit.labels.is_empty() {
            self.between_channels.fill(0.0);
        }
    }
}
