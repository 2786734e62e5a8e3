//! Objects and raters: how much each adds to a judgment.

/// One judgment of an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rated {
    pub(super) object: u32,
    pub(super) rater: u32,
    pub(super) value: f64,
}

/// The judgments of one attribute by known raters: value = object + rater + error.
///
/// Objects and raters are numbered as in the table; those without a judgment do not count.
pub(super) struct TwoWay<'a> {
    rated: &'a [Rated],
    /// How many judgments each object and each rater has.
    of_object: Vec<f64>,
    of_rater: Vec<f64>,
}

/// Variances of objects, raters and errors (Henderson's third method), which may come out below zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Components {
    pub(super) objects: f64,
    pub(super) raters: f64,
    pub(super) error: f64,
    /// Degrees of freedom of the error.
    pub(super) freedom: f64,
}

impl<'a> TwoWay<'a> {
    pub(super) fn new(rated: &'a [Rated], objects: usize, raters: usize) -> Self {
        let (mut of_object, mut of_rater) = (vec![0.0; objects], vec![0.0; raters]);
        for row in rated {
            of_object[row.object as usize] += 1.0;
            of_rater[row.rater as usize] += 1.0;
        }
        TwoWay { rated, of_object, of_rater }
    }

    /// How many objects were judged.
    pub(super) fn objects(&self) -> f64 {
        self.of_object.iter().filter(|n| **n > 0.0).count() as f64
    }

    /// How many raters judged.
    pub(super) fn raters(&self) -> f64 {
        self.of_rater.iter().filter(|n| **n > 0.0).count() as f64
    }

    /// The harmonic mean of the judgments of an object, k: a mean of k judgments has the reliability of the objects' means.
    pub(super) fn judgments_of_an_object(&self) -> f64 {
        let inverse: f64 = self.of_object.iter().filter(|n| **n > 0.0).map(|n| 1.0 / n).sum();
        self.objects() / inverse.max(f64::MIN_POSITIVE)
    }

    /// What each rater adds, given the objects, by least squares with `ridge` judgments of zero added to each rater; and
    /// what is left for each object.
    ///
    /// Objects are eliminated, and the rest is solved by conjugate gradients. Cost: O(judgments) a step, at most as many
    /// steps as raters.
    pub(super) fn effects(&self, ridge: f64) -> (Vec<f64>, Vec<f64>) {
        let raters = self.of_rater.len();
        let mut residual = vec![0.0; raters];
        let means = self.object_means(|row| row.value);
        self.rated.iter().for_each(|row| residual[row.rater as usize] += row.value - means[row.object as usize]);
        let times = |direction: &[f64]| {
            let means = self.object_means(|row| direction[row.rater as usize]);
            let mut product: Vec<f64> = direction.iter().map(|x| ridge * x).collect();
            for row in self.rated {
                product[row.rater as usize] += direction[row.rater as usize] - means[row.object as usize];
            }
            product
        };
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let (mut effects, mut direction) = (vec![0.0; raters], residual.clone());
        let mut size = dot(&residual, &residual);
        // Thirteen digits are more than rounding leaves.
        let small = 1e-26 * size;
        for _ in 0..raters.clamp(10, 1000) {
            if size <= small {
                break;
            }
            let product = times(&direction);
            let curvature = dot(&direction, &product);
            if curvature <= 0.0 {
                break;
            }
            let step = size / curvature;
            effects.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
            residual.iter_mut().zip(&product).for_each(|(r, p)| *r -= step * p);
            let next = dot(&residual, &residual);
            direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + next / size * *d);
            size = next;
        }
        // Only differences matter: the mean over judgments is zero.
        let all: f64 = self.of_rater.iter().sum();
        let mean = dot(&effects, &self.of_rater) / all.max(1.0);
        effects.iter_mut().for_each(|effect| *effect -= mean);
        let objects = self.object_means(|row| row.value - effects[row.rater as usize]);
        (effects, objects)
    }

    /// The variances; none unless errors, objects and raters can be separated.
    pub(super) fn components(&self) -> Option<Components> {
        let n = self.rated.len() as f64;
        let groups = self.connected();
        let freedom = n - self.objects() - self.raters() + groups;
        let (more_raters, more_objects) = (self.raters() - groups, self.objects() - groups);
        if freedom < 1.0 || more_raters < 1.0 || more_objects < 1.0 {
            return None;
        }
        let (raters, objects) = self.effects(0.0);
        let squares = |fitted: &dyn Fn(&Rated) -> f64| {
            self.rated.iter().map(|row| (row.value - fitted(row)).powi(2)).sum::<f64>()
        };
        let full = squares(&|row| objects[row.object as usize] + raters[row.rater as usize]);
        let by_object = self.object_means(|row| row.value);
        let by_rater = self.rater_means(|row| row.value);
        let error = full / freedom;
        let of = |alone: f64, freedom: f64, weight: f64| (alone - full - freedom * error) / weight;
        let [within_objects, within_raters] = self.overlap();
        let raters = of(squares(&|row| by_object[row.object as usize]), more_raters, n - within_objects);
        let objects = of(squares(&|row| by_rater[row.rater as usize]), more_objects, n - within_raters);
        [raters, objects, error].iter().all(|x| x.is_finite()).then_some(Components { objects, raters, error, freedom })
    }

    /// The sums over pairs of object and rater of the squared number of judgments, divided by those of the object, and by
    /// those of the rater.
    fn overlap(&self) -> [f64; 2] {
        let mut pairs: Vec<(u32, u32)> = self.rated.iter().map(|row| (row.object, row.rater)).collect();
        pairs.sort_unstable();
        let mut sums = [0.0; 2];
        for run in pairs.chunk_by(|a, b| a == b) {
            let squared = (run.len() * run.len()) as f64;
            sums[0] += squared / self.of_object[run[0].0 as usize];
            sums[1] += squared / self.of_rater[run[0].1 as usize];
        }
        sums
    }

    fn object_means(&self, value: impl Fn(&Rated) -> f64) -> Vec<f64> {
        means(self.rated, &self.of_object, |row| row.object, value)
    }

    fn rater_means(&self, value: impl Fn(&Rated) -> f64) -> Vec<f64> {
        means(self.rated, &self.of_rater, |row| row.rater, value)
    }

    /// How many groups of objects and raters have nothing to do with one another.
    fn connected(&self) -> f64 {
        let objects = self.of_object.len();
        let mut parent: Vec<usize> = (0..objects + self.of_rater.len()).collect();
        fn root(parent: &mut [usize], mut at: usize) -> usize {
            while parent[at] != at {
                parent[at] = parent[parent[at]];
                at = parent[at];
            }
            at
        }
        let mut groups = self.objects() + self.raters();
        for row in self.rated {
            let (one, other) =
                (root(&mut parent, row.object as usize), root(&mut parent, objects + row.rater as usize));
            if one != other {
                parent[one] = other;
                groups -= 1.0;
            }
        }
        groups
    }
}

fn means(rated: &[Rated], counts: &[f64], of: impl Fn(&Rated) -> u32, value: impl Fn(&Rated) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; counts.len()];
    rated.iter().for_each(|row| sums[of(row) as usize] += value(row));
    sums.iter_mut().zip(counts).for_each(|(sum, n)| *sum /= n.max(1.0));
    sums
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Shrout and Fleiss (1979), table 2: six targets by four judges.
    pub(crate) fn shrout_and_fleiss() -> Vec<Rated> {
        let table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]];
        let row = |object: usize| {
            (0..4).map(move |rater| Rated {
                object: object as u32,
                rater: rater as u32,
                value: f64::from(table[object][rater]),
            })
        };
        (0..6).flat_map(row).collect()
    }

    #[test]
    fn mean_squares_of_the_published_example() {
        let rated = shrout_and_fleiss();
        let found = TwoWay::new(&rated, 6, 4).components().unwrap();
        // Their table 3: targets 11.24, judges 32.49, residual 1.02.
        assert!((found.error - 1.02).abs() < 0.005, "{found:?}");
        assert!((found.error + 4.0 * found.objects - 11.24).abs() < 0.005, "{found:?}");
        assert!((found.error + 6.0 * found.raters - 32.49).abs() < 0.005, "{found:?}");
        assert_eq!(found.freedom, 15.0);
    }

    #[test]
    fn effects_are_found_where_raters_judge_different_objects() {
        // Rater r adds r; each object is judged by two neighbours.
        let rated: Vec<Rated> = (0..30u32)
            .flat_map(|object| {
                [0, 1].map(|step| {
                    let rater = (object + step) % 5;
                    Rated { object, rater, value: f64::from(object * object % 7) + f64::from(rater) }
                })
            })
            .collect();
        let table = TwoWay::new(&rated, 30, 5);
        let (raters, objects) = table.effects(0.0);
        assert!(raters.iter().enumerate().all(|(rater, effect)| (effect - (rater as f64 - 2.0)).abs() < 1e-9));
        assert!(objects.iter().enumerate().all(|(o, value)| (value - 2.0 - (o * o % 7) as f64).abs() < 1e-9));
        let found = table.components().unwrap();
        // Of each pair of neighbours half the squared difference: 24 of 1 and 6 of 4, over the 30 that they are worth.
        assert!(found.error.abs() < 1e-12 && (found.raters - 2.0).abs() < 1e-9, "{found:?}");
        // A ridge draws effects to zero.
        assert!(table.effects(50.0).0.iter().all(|effect| effect.abs() < 1.0));
    }

    #[test]
    fn what_cannot_be_separated_has_no_components() {
        let one = |object, rater, value| Rated { object, rater, value };
        assert_eq!(TwoWay::new(&[], 0, 0).components(), None);
        assert_eq!(TwoWay::new(&[one(0, 0, 1.0), one(1, 0, 2.0)], 2, 1).components(), None);
        // Two groups that share no rater: each rater judges one object alone.
        assert_eq!(TwoWay::new(&[one(0, 0, 1.0), one(1, 1, 2.0)], 2, 2).components(), None);
    }
}
