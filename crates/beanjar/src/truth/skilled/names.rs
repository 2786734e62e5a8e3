use super::super::em::Expected;
use super::super::rule::Confusion;
use crate::mutual_information::term;

/// How sharply a component is named after the class that its voters give most: shares of the weighted votes are raised to
/// this power. 1 would take the shares as they are, as if every voter were right as often as they agree; without a bound,
/// a component of 51 votes against 49 would be as clearly named as one of 99 against 1. Half makes answers less sure on
/// crowds, double more sure on panels; neither changes many labels.
const SHARPNESS: f64 = 4.0;
/// Votes of each class added to a component, so that one without votes has no name. Half or double change nothing.
const PSEUDO: f64 = 0.5;

/// What classes the components stand for: P(class | component), component by component.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::truth) struct Names {
    pub(in crate::truth) classes: usize,
    pub(in crate::truth) shares: Vec<f64>,
}

impl Names {
    /// With one kind the components are the classes.
    pub(in crate::truth) fn of_classes(classes: usize) -> Self {
        let shares = (0..classes * classes).map(|at| if at / classes == at % classes { 1.0 } else { 0.0 }).collect();
        Names { classes, shares }
    }

    /// Each component is named by its voters, a vote counting by the information that its worker's labels have about the
    /// components: whoever tells components apart may name them. On tasks where most workers guess, their guesses cancel,
    /// and the few who know remain.
    pub(in crate::truth) fn by_votes(tables: &Confusion, expected: &Expected) -> Self {
        let (classes, components) = (expected.labels, expected.classes);
        let workers = expected.votes.len() / (classes * components).max(1);
        let mut votes = vec![0.0; classes * components];
        let (mut weights, mut labels) = (0.0, 0.0);
        for worker in 0..workers {
            let weight = information(tables, worker);
            let counts = &expected.votes[worker * classes * components..][..classes * components];
            let given: f64 = counts.iter().sum();
            (weights, labels) = (weights + weight, labels + f64::from(u8::from(given > 0.0)));
            votes.iter_mut().zip(counts).for_each(|(sum, count)| *sum += weight * count);
        }
        // Weights are relative to the mean worker, so that votes are still counted in votes.
        let mean = f64::max(weights / f64::max(labels, 1.0), 1e-12);
        let mut shares = Vec::with_capacity(classes * components);
        for component in 0..components {
            let share = |class: usize| (votes[class * components + component] / mean + PSEUDO).powf(SHARPNESS);
            let of: Vec<f64> = (0..classes).map(share).collect();
            let sum: f64 = of.iter().sum();
            shares.extend(of.iter().map(|share| share / sum));
        }
        Names { classes, shares }
    }

    /// P(class | component) of one component.
    pub(in crate::truth) fn of(&self, component: usize) -> &[f64] {
        &self.shares[component * self.classes..(component + 1) * self.classes]
    }

    /// The probabilities of the classes, from those of the components.
    pub(in crate::truth) fn read(&self, components: &[f64], row: &mut [f64]) {
        row.fill(0.0);
        for (component, p) in components.iter().enumerate() {
            row.iter_mut().zip(self.of(component)).for_each(|(sum, share)| *sum += p * share);
        }
    }
}

/// The mutual information between a worker's label and the component, in nats.
fn information(tables: &Confusion, worker: usize) -> f64 {
    let prior = tables.prior();
    let mut information = 0.0;
    for label in 0..tables.labels() {
        let p = |component: usize| tables.probability(worker, component, label);
        let all: f64 = prior.iter().enumerate().map(|(component, share)| share * p(component)).sum();
        information += prior.iter().enumerate().map(|(c, share)| term(share * p(c), *share, all)).sum::<f64>();
    }
    information.max(0.0)
}
