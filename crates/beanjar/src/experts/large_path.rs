//! A path of penalties where features are many: from its middle to both ends, all parts of the units side by side.

use super::labelled_units::Labelled;
use super::learner::{from, regression_fit};
use super::path::{classes_of, held_out_of, probabilities};
use super::penalty::Penalty;
use super::regression::SoftLabels;
use super::truncated_newton::Limits;
use super::{ClassifierFit, Features, Learner, ManyExperts, PathFit, PathPoint};
use crate::judgments::Ballots;
use crate::surrogate::{difference, disagreements};
use crate::{Context, Result};

/// Units to learn from, and what a regression on them is fitted to.
pub(super) struct Job<'a> {
    data: Labelled<'a>,
    labels: Option<SoftLabels>,
    /// Fits end where a step promises less than this share of the objective.
    tolerance: f64,
}

/// Of a fit to all units, and of one that predicts some of the others, which need be no finer: the fit with the penalty that is
/// chosen goes on from there. With 1e-4 for the parts, S of some hundred units moves by more than a percent. On two draws of
/// 1,000 units and 512 features, half and double of both moved S by at most .003 and took .9 to 1.7 times as long.
pub(super) const OF_ALL: f64 = 1e-5;
pub(super) const OF_PARTS: f64 = 3e-5;

/// Which labels S is taken on.
pub(super) enum Judged<'a> {
    /// Those of the units that a part was not learned from: the number of that part for each unit.
    Parts(&'a [usize]),
    Others {
        features: &'a Features,
        ballots: &'a Ballots,
    },
}

impl<'a> Job<'a> {
    pub(super) fn new(learner: &Learner, data: Labelled<'a>, tolerance: f64, context: &Context) -> Result<Self> {
        let labels = match learner {
            Learner::Experts(_) => None,
            _ => Some(learner.soft_labels(&data, context)?),
        };
        Ok(Job { data, labels, tolerance })
    }

    /// Fits from another fit, or from all starts.
    fn fit(
        &self,
        learner: &Learner,
        penalty: Penalty,
        start: Option<&ClassifierFit>,
        context: &Context,
    ) -> Result<ClassifierFit> {
        match (learner, &self.labels) {
            (Learner::Experts(method), _) => {
                let method = ManyExperts { tolerance: self.tolerance, ..method.with_penalty(penalty) };
                match from(&method, &self.data, start, context)? {
                    Some(fit) => Ok(fit.into()),
                    None => Ok(method.fit(&self.data, context)?.into()),
                }
            }
            (_, Some(labels)) => {
                let limits = Limits { tolerance: self.tolerance, steps: 500 };
                let linear = start.map(ClassifierFit::linear);
                let found = labels.by_products(&self.data.features, penalty, limits).minimise(linear, context)?;
                Ok(regression_fit(&self.data, labels, penalty, start, found))
            }
            (_, None) => learner.fit(&self.data, penalty, start, context),
        }
    }
}

/// Fits of one penalty: first to all units, then to all but each part.
type Fits = Vec<ClassifierFit>;

/// A path being walked.
pub(super) struct Walk<'a> {
    pub(super) learner: &'a Learner,
    /// First all units, then all but each part.
    pub(super) jobs: &'a [Job<'a>],
    pub(super) judged: Judged<'a>,
}

impl Walk<'_> {
    /// Learns with penalties from the middle one on, to larger ones and then to smaller ones, each from the fit before, and
    /// ends each way where S has clearly risen: see [`has_risen`]. Smaller penalties take more steps, so it is well to know by
    /// then how small S is on the other side.
    ///
    /// All starts are tried once, at the middle penalty on all units; parts of the units follow the best.
    pub(super) fn go(&self, penalties: &[Penalty], context: &Context) -> Result<PathFit> {
        let middle = penalties.len() / 2;
        let Some(&first) = penalties.get(middle) else {
            return Ok(PathFit::of(Vec::new()));
        };
        const STAGE: &str = "cross-validating";
        let begin = context.part(0.0, 0.3);
        let whole = self.jobs[0].fit(self.learner, first, None, &begin)?;
        let rest = context.part(0.3, 1.0);
        let count = penalties.len() as f64;
        // Some penalties may be left out; the share done is then a little behind.
        rest.report(STAGE, 0.0)?;
        let middle_fits = self.parts(first, whole, context)?;
        let mut found = vec![self.point(middle, first, &middle_fits, context)?];
        let mut best = Best { surrogate: found[0].surrogate(), at: middle, parts: middle_fits[1..].to_vec() };
        let mut done = 1.0;
        let ways: [Vec<usize>; 2] = [(0..middle).rev().collect(), (middle + 1..penalties.len()).collect()];
        for way in ways {
            let mut last = middle_fits.clone();
            // The last before the first of a way is the middle.
            found.sort_by_key(|judged| usize::from(judged.at == middle));
            let left = way.len() as f64;
            for (walked, at) in way.into_iter().enumerate() {
                last = self.on(penalties[at], &last, context)?;
                let judged = self.point(at, penalties[at], &last, context)?;
                best.take(judged.surrogate(), at, &last[1..]);
                found.push(judged);
                rest.report(STAGE, (done + walked as f64 + 1.0) / count)?;
                if has_risen(&found, at > middle) {
                    break;
                }
            }
            done += left;
        }
        found.sort_by_key(|judged| judged.at);
        let path = PathFit::of(found.into_iter().map(|found| (found.point, found.fit, found.probabilities)).collect());
        Ok(PathFit { parts: best.parts, ..path })
    }

    /// The fits of the parts, from that of the whole.
    fn parts(&self, penalty: Penalty, whole: ClassifierFit, context: &Context) -> Result<Fits> {
        let alone = context.alone();
        let parts = context
            .map(self.jobs[1..].iter().collect(), |job: &Job<'_>| job.fit(self.learner, penalty, Some(&whole), &alone));
        let mut fits = vec![whole];
        for fit in parts {
            fits.push(fit?);
        }
        Ok(fits)
    }

    /// The fits with another penalty, each from where it was.
    fn on(&self, penalty: Penalty, last: &Fits, context: &Context) -> Result<Fits> {
        // A single job may use all threads itself.
        let inner = if self.jobs.len() > 1 { context.alone() } else { context.part(0.0, 0.0) };
        let fits = context.map(self.jobs.iter().zip(last).collect(), |(job, start): (&Job<'_>, &ClassifierFit)| {
            job.fit(self.learner, penalty, Some(start), &inner)
        });
        fits.into_iter().collect()
    }

    fn point(&self, at: usize, penalty: Penalty, fits: &Fits, context: &Context) -> Result<Found> {
        let whole = &self.jobs[0].data;
        let (ballots, probabilities) = match &self.judged {
            Judged::Others { features, ballots } => (*ballots, fits[0].classifier.probabilities(features)?),
            Judged::Parts(part) => {
                let alone = context.alone();
                let of_parts = context.map(fits[1..].iter().collect(), |fit| probabilities(fit, whole, &alone));
                (whole.ballots, held_out_of(part, &of_parts.into_iter().collect::<Result<Vec<_>>>()?))
            }
        };
        let predicted = classes_of(&probabilities, &fits[0]);
        let truth = whole.truth.as_deref().filter(|_| matches!(self.judged, Judged::Parts(_)));
        let point = PathPoint::new(penalty, &fits[0], Some((ballots, &predicted))).against(truth, &predicted);
        let disagreements = disagreements(ballots, &predicted);
        Ok(Found { at, point, fit: fits[0].clone(), probabilities, disagreements })
    }
}

/// A penalty that was tried.
struct Found {
    /// Its place among all.
    at: usize,
    point: PathPoint,
    fit: ClassifierFit,
    /// The probabilities of the classes of the units that S is taken on.
    probabilities: Vec<f64>,
    /// Of each unit, the share of labels that differ from the prediction.
    disagreements: Vec<Option<f64>>,
}

impl Found {
    fn surrogate(&self) -> f64 {
        self.point.surrogate.unwrap_or(f64::INFINITY)
    }
}

/// The fits of the parts with the smallest S so far; of equals with the largest penalty.
struct Best {
    surrogate: f64,
    at: usize,
    parts: Fits,
}

impl Best {
    fn take(&mut self, surrogate: f64, at: usize, parts: &[ClassifierFit]) {
        if surrogate < self.surrogate || (surrogate == self.surrogate && at < self.at) {
            *self = Best { surrogate, at, parts: parts.to_vec() };
        }
    }
}

/// Whether S of the last penalties is larger than the smallest. On the way to larger penalties: that of the last by twice the
/// standard error of the difference, those of the last two by that error, or those of the last [`IN_VAIN`] at all.
///
/// On the way to smaller ones it is enough that S of the last is larger by one standard error, or that the last two are larger at
/// all. There a fit takes many times longer, and S errs towards small penalties as it is: a model that has learned the errors
/// which labels share agrees with labels that were held out.
fn has_risen(found: &[Found], to_smaller: bool) -> bool {
    let Some(best) = found.iter().min_by(|a, b| a.surrogate().total_cmp(&b.surrogate())) else { return false };
    let errors = |other: &Found| {
        difference(&other.disagreements, &best.disagreements)
            .and_then(|risen| Some(risen.mean / risen.se.filter(|se| *se > 0.0)?))
            .unwrap_or(0.0)
    };
    let in_vain = found.iter().rev().take_while(|other| other.surrogate() > best.surrogate()).count();
    match found {
        [.., _, last] if to_smaller => errors(last) > 1.0 || in_vain + 1 >= IN_VAIN,
        [.., before, last] => errors(last) > 2.0 || (errors(last) > 1.0 && errors(before) > 1.0) || in_vain >= IN_VAIN,
        _ => false,
    }
}

/// S has one valley, but for noise: three penalties on from where it was smallest, the penalty is half or double, and S no
/// smaller.
const IN_VAIN: usize = 3;
