//! Units with dense features, as a pretrained network gives, and a crowd that labels them.

use super::simulated_labels::id;
use super::{Crowd, SimulatedLabels};
use crate::experts::{FeatureTable, Features};
use crate::random::stream;
use crate::{Column, Context, Error, Labels, Result};
use rand_distr::{Distribution, StandardNormal};

/// Units with dense features, of several classes, labelled by a crowd.
///
/// Classes and labels are those of a [`Crowd`]. Each class has a centre in a space of `directions` dimensions, normal
/// with length about `separation`; a unit lies around the centre of its class, normal with variance 1. Each feature is a
/// random direction of that space, with as much noise as it has signal, a mean and a scale of its own. All features carry
/// something and none is zero: what embeddings are like.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `crowd` | units (its tasks), classes, workers and their labels | 8 classes, 1000 units, 59 workers, 1 to 4 labels | see [`Crowd`] |
/// | `unlabelled` | more units, which nobody labelled | 0 | 0 or more |
/// | `features` | how many | 512 | 1 or more |
/// | `directions` | dimensions of the space they come from | 24 | 1 or more |
/// | `separation` | how far classes lie apart, in deviations | 3 | 0 to a million |
#[derive(Clone, Debug)]
pub struct Embeddings {
    /// The units (its tasks), classes, workers and their labels.
    pub crowd: Crowd,
    /// More units, which nobody labelled.
    pub unlabelled: usize,
    /// How many features.
    pub features: usize,
    /// The dimensions of the space that features come from.
    pub directions: usize,
    /// How far classes lie apart.
    pub separation: f64,
}

impl Default for Embeddings {
    fn default() -> Self {
        let crowd = Crowd { tasks: 1000, workers: 59, classes: 8, votes: (1, 4), ..Crowd::default() };
        Embeddings { crowd, unlabelled: 0, features: 512, directions: 24, separation: 3.0 }
    }
}

/// Units with features and labels, with the truth behind them.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedEmbeddings {
    /// Of each feature, the value of each unit; the unlabelled units are the last.
    pub columns: Vec<Vec<f64>>,
    /// Classes and labels; the unlabelled units have none.
    pub labels: SimulatedLabels,
}

/// The numbers of the streams that the space and the features are drawn from; units take theirs from `UNITS` upwards, for
/// the crowd takes those from 0.
const SPACE: u64 = 1 << 40;
const UNITS: u64 = 1 << 41;

impl Embeddings {
    /// Draws units, features and labels.
    pub fn draw(&self, context: &Context) -> Result<SimulatedEmbeddings> {
        self.check()?;
        let tasks = self.crowd.tasks + self.unlabelled;
        let mut labels = Crowd { tasks, ..self.crowd.clone() }.draw(&context.part(0.0, 0.2))?;
        labels.labels[self.crowd.tasks..].iter_mut().for_each(Vec::clear);
        let mut random = stream(context.seed(), SPACE);
        let mut normals =
            |count: usize| -> Vec<f64> { (0..count).map(|_| StandardNormal.sample(&mut random)).collect() };
        let length = self.separation / (self.directions as f64).sqrt();
        let centres: Vec<f64> = normals(self.crowd.classes * self.directions).iter().map(|z| length * z).collect();
        let loadings = normals(self.features * self.directions);
        let (means, scales) = (normals(self.features), normals(self.features));
        let rest = context.part(0.2, 1.0);
        let steps = rest.steps("simulating", tasks);
        let mut columns: Vec<Vec<f64>> = (0..self.features).map(|_| Vec::with_capacity(tasks)).collect();
        let noise = (self.directions as f64).sqrt();
        for (unit, &class) in labels.truth.iter().enumerate() {
            let mut random = stream(context.seed(), UNITS + unit as u64);
            let mut normal = || -> f64 { StandardNormal.sample(&mut random) };
            let centre = &centres[class * self.directions..(class + 1) * self.directions];
            let place: Vec<f64> = centre.iter().map(|centre| centre + normal()).collect();
            for (j, column) in columns.iter_mut().enumerate() {
                let loading = &loadings[j * self.directions..(j + 1) * self.directions];
                let signal: f64 = loading.iter().zip(&place).map(|(a, b)| a * b).sum();
                column.push(means[j] + (0.5 * scales[j]).exp() * (signal + noise * normal()) / noise);
            }
            steps.tick()?;
        }
        Ok(SimulatedEmbeddings { columns, labels })
    }

    fn check(&self) -> Result<()> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.features == 0 || self.directions == 0 {
            return refuse("the number of features or directions", "0".into(), "1 or more");
        }
        if !(0.0..=1e6).contains(&self.separation) {
            return refuse("the separation", self.separation.to_string(), "0 to a million");
        }
        /// Numbers in all features together: 4 GB of them.
        const MOST_NUMBERS: usize = 500_000_000;
        let units = self.crowd.tasks.saturating_add(self.unlabelled);
        match units.saturating_mul(self.features.saturating_add(self.directions)) > MOST_NUMBERS {
            true => refuse(
                "the number of units",
                format!("{units} with {} features", self.features),
                "at most 500 million numbers",
            ),
            false => Ok(()),
        }
    }
}

impl SimulatedEmbeddings {
    /// The ids of the units: `u1`, ...
    pub fn units(&self) -> impl ExactSizeIterator<Item = String> {
        (0..self.labels.truth.len()).map(|unit| id('u', unit))
    }

    /// The names of the features: `x1`, ...
    pub fn feature_names(&self) -> Vec<String> {
        (0..self.columns.len()).map(|feature| id('x', feature)).collect()
    }

    /// The features as a table.
    pub fn table(&self) -> Result<FeatureTable> {
        let features = Features::from_columns(self.labels.truth.len(), &self.columns)?;
        let units: Vec<String> = self.units().collect();
        FeatureTable::new(units.iter().map(String::as_str).collect(), self.feature_names(), features)
    }

    /// The labels, row by row: unit, worker (`w1`, ...) and label (`c1`, ...).
    pub fn rows(&self) -> impl Iterator<Item = (String, String, String)> + '_ {
        self.units().zip(&self.labels.labels).flat_map(|(unit, votes)| {
            votes.iter().map(move |&(worker, label)| (unit.clone(), id('w', worker), id('c', label)))
        })
    }

    /// The labels as a table.
    pub fn to_labels(&self) -> Result<Labels> {
        let rows: Vec<_> = self.rows().collect();
        Labels::from_rows(rows.iter().map(|(unit, worker, label)| (&unit[..], &worker[..], &label[..])))
    }

    /// The true class of a unit, as its label; none if there is no such unit.
    pub fn class(&self, unit: usize) -> Option<String> {
        self.labels.truth.get(unit).map(|&class| id('c', class))
    }

    /// The true class of each unit, those that nobody labelled included.
    pub fn truth(&self) -> Result<Column> {
        Column::new("label", self.units().collect(), self.labels.truth.iter().map(|&class| id('c', class)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_differ_by_their_means_as_far_as_they_lie_apart() {
        let accuracy = |separation: f64| {
            let crowd = Crowd { tasks: 600, classes: 3, workers: 5, votes: (1, 2), ..Crowd::default() };
            let embeddings = Embeddings { crowd, unlabelled: 300, features: 40, directions: 6, separation };
            let drawn = embeddings.draw(&Context::new().with_seed(2)).unwrap();
            assert!(drawn.labels.labels[600..].iter().all(Vec::is_empty));
            assert_eq!((drawn.table().unwrap().names().len(), drawn.truth().unwrap().ids().len()), (40, 900));
            assert_eq!(drawn.to_labels().unwrap().tasks.len(), 600);
            // The nearest mean, in units of each feature's deviation.
            let truth = &drawn.labels.truth;
            let mut distance = vec![[0.0; 3]; 900];
            for column in &drawn.columns {
                let mean = |class: usize| {
                    let of: Vec<f64> = (0..600).filter(|&i| truth[i] == class).map(|i| column[i]).collect();
                    of.iter().sum::<f64>() / of.len() as f64
                };
                let means = [mean(0), mean(1), mean(2)];
                let variance = (0..600).map(|i| (column[i] - means[truth[i]]).powi(2)).sum::<f64>() / 600.0;
                for (cells, x) in distance.iter_mut().zip(column) {
                    (0..3).for_each(|class| cells[class] += (x - means[class]).powi(2) / variance);
                }
            }
            let nearest = |i: usize| (0..3).min_by(|&a, &b| distance[i][a].total_cmp(&distance[i][b])).unwrap();
            (600..900).filter(|&i| nearest(i) == truth[i]).count() as f64 / 300.0
        };
        // Three classes by chance: a third; the standard error is 0.03.
        assert!((accuracy(0.0) - 1.0 / 3.0).abs() < 0.1);
        assert!(accuracy(6.0) > 0.95);
    }

    #[test]
    fn parameters_are_checked() {
        let default = Embeddings::default;
        for bad in [
            Embeddings { features: 0, ..default() },
            Embeddings { directions: 0, ..default() },
            Embeddings { separation: f64::NAN, ..default() },
            Embeddings { separation: 1e308, ..default() },
            Embeddings { unlabelled: usize::MAX, ..default() },
            Embeddings { crowd: Crowd { classes: 1, ..Crowd::default() }, ..default() },
        ] {
            assert!(bad.draw(&Context::new()).is_err(), "{bad:?}");
        }
    }
}
