//! How often experts are right, by a model of them.

use super::labelled_units::Labelled;

/// A model of experts that gives the probability that a label is right.
pub(super) trait Rights {
    fn number_of_experts(&self) -> usize;

    /// Calls `visit` with the unit, the expert and the weight of each label, and the probability, before it was seen, that
    /// it is right.
    fn rights(&self, data: &Labelled<'_>, visit: &mut dyn FnMut(usize, usize, f64, f64));

    /// How often each expert is right, in expectation over the units they labelled; none for one without labels.
    fn accuracies(&self, data: &Labelled<'_>) -> Vec<Option<f64>> {
        let experts = self.number_of_experts();
        let (mut right, mut labels) = (vec![0.0; experts], vec![0.0; experts]);
        self.rights(data, &mut |_, expert, weight, chance| {
            right[expert] += weight * chance;
            labels[expert] += weight;
        });
        right.iter().zip(&labels).map(|(right, labels)| (*labels > 0.0).then(|| right / labels)).collect()
    }

    /// The mean error of experts, weighted as S is: the mean over units of the mean over their labels.
    fn expert_error(&self, data: &Labelled<'_>) -> Option<f64> {
        let (mut wrong, mut units) = (0.0, 0.0);
        self.rights(data, &mut |unit, _, weight, chance| {
            let share = weight / data.ballots.votes(unit).opinions();
            wrong += share * (1.0 - chance);
            units += share;
        });
        (units > 0.0).then(|| wrong / units)
    }
}
