use super::labelled_units::Labelled;
use super::large_path::{Job, Judged, OF_ALL, OF_PARTS, Walk};
use super::penalty::{Penalty, PenaltyKind};
use super::split::folds_of;
use super::{ClassifierFit, Features, Learner, PathFit, PathPoint};
use crate::judgments::Ballots;
use crate::likeliest::likeliest;
use crate::{Context, Error, Result};

/// Penalties compared by S: how often labels that were held out differ from what a fit to the rest predicts.
///
/// Penalties go down from the smallest at which no feature enters, evenly on a logarithmic scale. Those of kind L2, which
/// leave every feature in, go from ten times the number of labelled units to a thousandth of it.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `kind` | of the penalties | L1 | |
/// | `penalties` | how many; of the default, fewer are tried where features are many | 50 | 1 or more |
/// | `least` | the last penalty, as a share of the first | 0.01 | above 0, at most 1 |
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyPath {
    /// The kind of the penalties.
    pub kind: PenaltyKind,
    /// How many penalties.
    pub penalties: usize,
    /// The last penalty, as a share of the first.
    pub least: f64,
}

impl Default for PenaltyPath {
    fn default() -> Self {
        PenaltyPath { kind: PenaltyKind::L1, penalties: 50, least: 0.01 }
    }
}

/// Which labels S is taken on.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Validation<'a> {
    /// Those of each of this many parts of the units, predicted by a fit to the other parts.
    Folds(usize),
    /// Those of other units, whose classes have the same numbers; a class that the units to learn from do not have has a
    /// larger number.
    Others {
        /// Their features, on the user's scale.
        features: &'a Features,
        /// Their labels.
        ballots: &'a Ballots,
    },
}

impl PenaltyPath {
    /// The penalties to try.
    pub fn of(&self, learner: &Learner, data: &Labelled<'_>, context: &Context) -> Result<Vec<f64>> {
        let refuse = |name, value: String, range| Err(Error::OutOfRange { name, value, range });
        if self.penalties == 0 {
            return refuse("the number of penalties", "0".into(), "1 or more");
        }
        if !(self.least > 0.0 && self.least <= 1.0) {
            let range = "above 0 and at most 1, as a share of the first";
            return refuse("the last penalty", self.least.to_string(), range);
        }
        if self.kind == PenaltyKind::L2 {
            let units = data.with_labels().count() as f64;
            return Ok((0..L2_PENALTIES).map(|i| units * 10f64.powf(1.0 - 0.25 * i as f64)).collect());
        }
        let (one, _) = self.kind.factors();
        let most = learner.largest_penalty(data, context)? / one;
        let given = self.penalties != PenaltyPath::default().penalties;
        let count = match given || !learner.needs_products(data, self.kind) {
            true => self.penalties,
            false => LARGE_PENALTIES,
        };
        let ratio = self.least.powf(1.0 / (count.max(2) - 1) as f64);
        Ok((0..count).map(|i| most * ratio.powi(i as i32)).collect())
    }
}

/// From ten times the number of units to a thousandth of it, four each power of ten.
const L2_PENALTIES: usize = 17;

/// How many penalties are tried where features are many, if the number was left to us: each is .78 of the one before, and S of
/// neighbours differs by less than its noise.
const LARGE_PENALTIES: usize = 20;

const STAGE: &str = "cross-validating";

impl Learner {
    /// Learns with penalties of one kind, and takes S of each. Where features are many, those far from the best are left
    /// out.
    pub(super) fn walk(
        &self,
        data: &Labelled<'_>,
        penalties: &[Penalty],
        validation: Validation<'_>,
        context: &Context,
    ) -> Result<PathFit> {
        if penalties.iter().any(|penalty| self.needs_products(data, penalty.kind)) {
            return self.walk_by_products(data, penalties, validation, context);
        }
        let sizes: Vec<f64> = penalties.iter().map(|penalty| penalty.size).collect();
        self.compare(data, &sizes, validation, context)
    }

    fn walk_by_products(
        &self,
        data: &Labelled<'_>,
        penalties: &[Penalty],
        validation: Validation<'_>,
        context: &Context,
    ) -> Result<PathFit> {
        let whole = Job::new(self, data.clone(), OF_ALL, context)?;
        match validation {
            Validation::Others { features, ballots } => {
                let judged = Judged::Others { features, ballots };
                Walk { learner: self, jobs: &[whole], judged }.go(penalties, context)
            }
            Validation::Folds(folds) => {
                let fold = checked_folds(data, folds, context)?;
                let kept: Vec<Vec<usize>> =
                    (0..folds).map(|held| (0..data.units()).filter(|&unit| fold[unit] != held).collect()).collect();
                let ballots = kept.iter().map(|kept| data.ballots.of_tasks(kept)).collect::<Result<Vec<_>>>()?;
                let mut jobs = vec![whole];
                for (kept, ballots) in kept.iter().zip(&ballots) {
                    jobs.push(Job::new(self, data.part(kept, ballots)?, OF_PARTS, context)?);
                }
                Walk { learner: self, jobs: &jobs, judged: Judged::Parts(&fold) }.go(penalties, context)
            }
        }
    }

    /// Learns with each penalty, from the largest down, and takes S of each.
    pub fn compare(
        &self,
        data: &Labelled<'_>,
        penalties: &[f64],
        validation: Validation<'_>,
        context: &Context,
    ) -> Result<PathFit> {
        match validation {
            Validation::Folds(folds) => self.compare_by_folds(data, penalties, folds, context),
            Validation::Others { features, ballots } => {
                let steps = context.steps(STAGE, self.fits_along(penalties.len()));
                PathFit::new(self.along(data, penalties, &steps, &context.alone())?, |i, fit| {
                    let probabilities = fit.classifier.probabilities(features)?;
                    let predicted = classes_of(&probabilities, fit);
                    Ok((PathPoint::new(penalties[i].into(), fit, Some((ballots, &predicted))), probabilities))
                })
            }
        }
    }

    fn compare_by_folds(
        &self,
        data: &Labelled<'_>,
        penalties: &[f64],
        folds: usize,
        context: &Context,
    ) -> Result<PathFit> {
        let fold = checked_folds(data, folds, context)?;
        // The first job is the path on all units.
        let jobs: Vec<Option<usize>> = [None].into_iter().chain((0..folds).map(Some)).collect();
        let steps = context.steps(STAGE, jobs.len() * self.fits_along(penalties.len()));
        let alone = context.alone();
        let paths = context.map(jobs, |held_out| match held_out {
            None => self.along(data, penalties, &steps, &alone),
            Some(held_out) => {
                let kept: Vec<usize> = (0..data.units()).filter(|&unit| fold[unit] != held_out).collect();
                let ballots = data.ballots.of_tasks(&kept)?;
                self.along(&data.part(&kept, &ballots)?, penalties, &steps, &alone)
            }
        });
        let mut paths = paths.into_iter().collect::<Result<Vec<_>>>()?.into_iter();
        let whole = paths.next().unwrap_or_default();
        let held_out: Vec<Vec<ClassifierFit>> = paths.collect();
        let path = PathFit::new(whole, |i, fit| {
            let of_parts =
                held_out.iter().map(|fits| probabilities(&fits[i], data, &alone)).collect::<Result<Vec<_>>>()?;
            let probabilities = held_out_of(&fold, &of_parts);
            let predicted = classes_of(&probabilities, fit);
            let point = PathPoint::new(penalties[i].into(), fit, Some((data.ballots, &predicted)));
            Ok((point.against(data.truth.as_deref(), &predicted), probabilities))
        })?;
        let best = path.best();
        let parts = held_out.into_iter().filter_map(|mut fits| (best < fits.len()).then(|| fits.swap_remove(best)));
        Ok(PathFit { parts: parts.collect(), ..path })
    }
}

/// Of each unit the part that it is held out in.
pub(super) fn checked_folds(data: &Labelled<'_>, folds: usize, context: &Context) -> Result<Vec<usize>> {
    if folds < 2 || folds > data.with_labels().count() {
        let range = "2 to the number of units with labels";
        return Err(Error::OutOfRange { name: "the number of folds", value: folds.to_string(), range });
    }
    Ok(folds_of(data.units(), folds, context))
}

/// The probabilities of the classes of each unit of the data, by a fit to some of them.
pub(super) fn probabilities(fit: &ClassifierFit, data: &Labelled<'_>, context: &Context) -> Result<Vec<f64>> {
    let classifier = fit.classifier.linear().standardised_as(&data.features);
    Ok(classifier.probabilities_of(&classifier.sums_by_products(&data.features, context)?))
}

/// Of each unit the probabilities by the fit that it was held out from.
pub(super) fn held_out_of(part: &[usize], of_parts: &[Vec<f64>]) -> Vec<f64> {
    let classes = of_parts.first().map_or(0, |first| first.len() / part.len().max(1));
    part.iter().enumerate().flat_map(|(unit, &part)| of_parts[part][unit * classes..][..classes].to_vec()).collect()
}

/// The likeliest class of each unit.
pub(super) fn classes_of(probabilities: &[f64], fit: &ClassifierFit) -> Vec<Option<usize>> {
    probabilities.chunks_exact(fit.classifier.classes()).map(|unit| Some(likeliest(unit))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experts::ManyExperts;
    use crate::experts::simulated::simulated;
    use crate::simulate::{Crowd, Embeddings, ExpertCase};

    fn constant(units: usize, seed: u64) -> (Features, Ballots) {
        let drawn = simulated(units, 5, ExpertCase::Constant, seed);
        (drawn.features, drawn.ballots)
    }

    #[test]
    fn the_path_goes_from_nothing_to_much_and_s_prefers_what_predicts() {
        let (features, ballots) = constant(400, 1);
        let data = Labelled::new(&features, &ballots).unwrap();
        let learner = Learner::Experts(ManyExperts { restarts: 2, tolerance: 1e-7, ..ManyExperts::default() });
        let path = PenaltyPath { penalties: 8, ..PenaltyPath::default() };
        let penalties = path.of(&learner, &data, &Context::new()).unwrap();
        let path = learner.compare(&data, &penalties, Validation::Folds(3), &Context::new()).unwrap();
        let found = &path.points;
        assert_eq!(found[0].nonzero, 0);
        assert!(found[7].nonzero > 5 && found[7].log_likelihood > found[0].log_likelihood);
        assert!(
            found.windows(2).all(|pair| pair[1].objective >= pair[0].objective - 1e-6),
            "a smaller penalty costs less"
        );
        let chosen = &found[path.best()];
        assert!(chosen.surrogate <= found[7].surrogate && chosen.surrogate < found[0].surrogate);
        let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
        assert_eq!(path, learner.compare(&data, &penalties, Validation::Folds(3), &context).unwrap());
    }

    #[test]
    fn products_of_matrices_lead_to_where_small_steps_do() {
        let crowd = Crowd { tasks: 200, workers: 7, classes: 3, votes: (3, 4), accuracy: 0.75, ..Crowd::default() };
        let embeddings = Embeddings { crowd, unlabelled: 0, features: 12, directions: 4, separation: 3.0 };
        let drawn = embeddings.draw(&Context::new().with_seed(1)).unwrap();
        let features = Features::from_columns(200, &drawn.columns).unwrap();
        let ballots = Ballots::from_tasks(&drawn.labels.labels, 7, 3).unwrap();
        let data = Labelled::new(&features, &ballots).unwrap();
        let experts = Learner::Experts(ManyExperts { restarts: 2, tolerance: 1e-9, ..ManyExperts::default() });
        let penalties = [40.0, 25.0, 16.0, 10.0, 6.0];
        for learner in [experts, Learner::Majority] {
            let folds = Validation::Folds(3);
            let one = learner.compare(&data, &penalties, folds, &Context::new()).unwrap();
            let of_kind = penalties.map(Penalty::from);
            let walk = |context: &Context| learner.walk_by_products(&data, &of_kind, folds, context);
            let other = walk(&Context::new()).unwrap();
            assert!(!other.points.is_empty());
            for point in &other.points {
                let same = one.points.iter().find(|same| same.penalty == point.penalty).unwrap();
                // Those ends are rougher.
                assert!((point.objective - same.objective).abs() < 1e-5 * same.objective.abs(), "{point:?} {same:?}");
                assert!((point.surrogate.unwrap() - same.surrogate.unwrap()).abs() < 0.01, "{point:?} {same:?}");
            }
            let context = Context::new().with_threads(std::num::NonZeroUsize::new(3).unwrap()).unwrap();
            assert_eq!(other, walk(&context).unwrap());
        }
    }

    #[test]
    fn other_units_are_predicted_from_their_own_features() {
        let (features, ballots) = constant(300, 2);
        let (others, labels) = constant(500, 3);
        let data = Labelled::new(&features, &ballots).unwrap();
        let validation = Validation::Others { features: &others, ballots: &labels };
        let point = Learner::Majority.compare(&data, &[20.0], validation, &Context::new()).unwrap().points[0];
        // By hand: standardise as the units learned from, and count.
        let fit = Learner::Majority.fit(&data, 20.0, None, &Context::new()).unwrap();
        let standardised = fit.linear();
        let (slopes, shift) = data.features.on_the_users_scale(&standardised.coefficients);
        let sums = others.sums(&slopes);
        let differ = |unit: usize| {
            let class = usize::from(standardised.intercepts[0] + shift + sums[unit] > 0.0);
            labels.votes(unit).iter().filter(|(_, label)| *label != class).count() as f64 / 3.0
        };
        let surrogate = (0..500).map(differ).sum::<f64>() / 500.0;
        assert!((point.surrogate.unwrap() - surrogate).abs() < 1e-12);
    }
}
