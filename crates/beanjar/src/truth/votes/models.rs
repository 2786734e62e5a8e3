//! The models behind a fitted rule: what further votes on a task would say.

use super::super::rule::{Confusion, Rule};
use crate::judgments::Votes;
use rand::{Rng, RngExt};

/// The models of a rule, each a table P(label | component) for each worker, with their weights.
pub(super) struct Models<'a> {
    parts: Vec<(&'a Confusion, f64)>,
}

impl<'a> Models<'a> {
    /// The models of a rule, weighted as it weighs them; alike where all its weight is on the plain vote. None if it has
    /// no model.
    pub(super) fn of(rule: &'a Rule) -> Option<Self> {
        let mut parts = parts(rule, |rule| match rule {
            Rule::Confusion(tables) => Some(tables),
            _ => None,
        });
        parts.retain(|part| part.1 > 0.0);
        (!parts.is_empty()).then_some(Models { parts })
    }

    /// The models and their weights, which sum to one.
    pub(super) fn parts(&self) -> &[(&'a Confusion, f64)] {
        &self.parts
    }

    /// Draws a model by its weight, a component by the task's votes, and a class by what the component stands for.
    pub(super) fn draw(&self, votes: Votes<'_>, random: &mut impl Rng) -> (&'a Confusion, usize, usize) {
        let at = drawn(self.parts.iter().map(|part| part.1), random);
        let tables = self.parts[at].0;
        let mut components = vec![0.0; tables.classes()];
        tables.components(votes, &mut components);
        let component = drawn(components.into_iter(), random);
        let class = drawn((0..tables.labels()).map(|class| tables.meaning_of(component, class)), random);
        (tables, component, class)
    }
}

/// The wanted parts of a rule with their weights, which sum to one; alike where the rule gives them none.
pub(super) fn parts<'a, T>(rule: &'a Rule, wanted: impl Fn(&'a Rule) -> Option<T>) -> Vec<(T, f64)> {
    let mut parts: Vec<(T, f64)> = match rule {
        Rule::Blend(blend) => {
            let weighted = blend.rules().iter().zip(blend.weights());
            weighted.filter_map(|(rule, &weight)| Some((wanted(rule)?, weight))).collect()
        }
        other => wanted(other).map(|part| (part, 1.0)).into_iter().collect(),
    };
    let all: f64 = parts.iter().map(|part| part.1).sum();
    let count = parts.len() as f64;
    parts.iter_mut().for_each(|part| part.1 = if all > 0.0 { part.1 / all } else { 1.0 / count });
    parts
}

/// A number drawn with these probabilities.
pub(super) fn drawn(shares: impl Iterator<Item = f64>, random: &mut impl Rng) -> usize {
    let mut left: f64 = random.random();
    let mut last = 0;
    for (number, share) in shares.enumerate() {
        if share > 0.0 {
            last = number;
        }
        left -= share;
        if left < 0.0 {
            return number;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judgments::Ballots;
    use crate::random::stream;
    use crate::truth::{Blend, Sharpening, Weights};

    fn tables(right: f64) -> Confusion {
        let worker = || vec![vec![right, 1.0 - right], vec![1.0 - right, right]];
        Confusion::new(vec![0.5, 0.5], vec![worker(), worker()]).unwrap()
    }

    #[test]
    fn classes_are_drawn_as_often_as_the_models_say() {
        let rules = vec![Rule::Confusion(tables(0.9)), Rule::Confusion(tables(0.6))];
        let blend = Rule::Blend(Blend::new(rules, vec![0.3, 0.1], Sharpening::none(), false).unwrap());
        let models = Models::of(&blend).unwrap();
        let ballots = Ballots::from_tasks(&[vec![(0, 0)]], 1, 2).unwrap();
        let mut random = stream(1, 1);
        let n = 20_000;
        let first = (0..n).filter(|_| models.draw(ballots.votes(0), &mut random).2 == 0).count() as f64 / f64::from(n);
        let direct = 0.75 * 0.9 + 0.25 * 0.6;
        // Four standard errors.
        assert!((first - direct).abs() < 4.0 * (direct * (1.0 - direct) / f64::from(n)).sqrt(), "{first}");
    }

    #[test]
    fn a_plain_vote_has_no_model_and_models_without_weight_count_alike() {
        let plain = || Rule::Weights(Weights::equal(1, 2));
        assert!(Models::of(&plain()).is_none());
        let rules = vec![Rule::Confusion(tables(0.9)), plain()];
        let blend = Rule::Blend(Blend::new(rules, vec![0.0, 1.0], Sharpening::none(), false).unwrap());
        assert_eq!(Models::of(&blend).unwrap().parts()[0].1, 1.0);
    }
}
