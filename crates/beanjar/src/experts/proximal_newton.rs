//! Proximal Newton for a loss with an L1 penalty: the frame that both regressions share.

use crate::{Context, Result};

/// A loss to be minimised with a penalty on the sum of absolute coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lasso {
    pub(super) penalty: f64,
    /// The end is where the duality gap is below this.
    pub(super) tolerance: f64,
}

/// Intercepts, and coefficients of standardised features.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sparse {
    /// An intercept for each group of rows, or for each class.
    pub(super) intercepts: Vec<f64>,
    /// A coefficient for each feature; with several classes those of the first class, of the second, and so on.
    pub(super) coefficients: Vec<f64>,
    /// What is minimised: the loss, and the penalty times the sum of absolute coefficients.
    pub(super) objective: f64,
    /// How far above its minimum that is at most.
    pub(super) gap: f64,
    /// Steps of Newton that were taken.
    pub(super) steps: usize,
}

/// A loss at a point, and how to move the point.
pub(super) trait Loss {
    /// The loss's derivatives along the coefficients, and what they were made of.
    type Gradients;

    /// Whether to take a step from a warm start before the gap is looked at: where the gap costs as much as a step.
    const STEPS_AT_ONCE: bool;

    /// Brings the intercepts to their optimum, the coefficients as they are.
    fn fit_intercepts(&mut self, tolerance: f64, context: &Context) -> Result<()>;

    fn gradients(&self) -> Self::Gradients;

    /// The loss with the penalty.
    fn objective(&self, penalty: f64) -> f64;

    /// How far the objective is above its minimum at most, by the dual at the residuals.
    fn gap(&self, penalty: f64, gradients: &Self::Gradients) -> f64;

    /// Takes a step that lowers the objective; false if there is none, but by rounding.
    fn step(&mut self, lasso: &Lasso, gradients: &Self::Gradients, objective: f64, context: &Context) -> Result<bool>;

    /// How many products one look at all rows and features takes, roughly.
    fn products(&self) -> usize;

    /// The coefficients as they are now.
    fn into_fit(self, objective: f64, gap: f64, steps: usize) -> Sparse;
}

const MOST_STEPS: usize = 200;

impl Lasso {
    /// Minimises the penalised loss until the duality gap is below the tolerance, or no step lowers it.
    ///
    /// In each step the loss is replaced by its quadratic model at the point, and this with the penalty is minimised over
    /// a working set: the coefficients that are not zero, and those whose gradient is beyond the penalty. Then follows a
    /// step along the way there that lowers the objective. Intercepts are brought to their optimum in between, so that the
    /// residuals, scaled, are dual feasible.
    pub(super) fn minimise<L: Loss>(&self, mut point: L, warm: bool, context: &Context) -> Result<Sparse> {
        let mut steps = 0;
        loop {
            context.worked(point.products())?;
            point.fit_intercepts(self.tolerance, context)?;
            let gradients = point.gradients();
            let objective = point.objective(self.penalty);
            let at_once = steps == 0 && warm && L::STEPS_AT_ONCE;
            let gap = if at_once { f64::INFINITY } else { point.gap(self.penalty, &gradients) };
            let done = gap <= self.tolerance || steps >= MOST_STEPS;
            if done || !point.step(self, &gradients, objective, context)? {
                return Ok(point.into_fit(objective, gap, steps));
            }
            steps += 1;
        }
    }
}

/// The sum of absolute values.
pub(super) fn size<'a>(coefficients: impl IntoIterator<Item = &'a f64>) -> f64 {
    coefficients.into_iter().map(|b| b.abs()).sum()
}

/// The largest absolute value.
pub(super) fn largest<'a>(values: impl IntoIterator<Item = &'a f64>) -> f64 {
    values.into_iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

/// `from` and a share of `by`, into `to`.
pub(super) fn walk(to: &mut [f64], from: &[f64], by: &[f64], share: f64) {
    to.iter_mut().zip(from).zip(by).for_each(|((to, from), by)| *to = from + share * by);
}
