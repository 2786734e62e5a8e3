//! Better than greedy: exchange judgments until none helps, and on small problems prove that nothing is better.

use super::bound::{Relaxed, Rest, TO_PROVE, bound};
use super::residual::{Residual, after};
use super::spending::{Basket, Spending};
use super::{Estimates, TargetRows, full};
use crate::linalg::Symmetric;
use crate::{Context, Result};
use std::borrow::Cow;

/// The best selection found, and whether it is proven best.
pub(super) struct Best {
    pub(super) repeats: Vec<u32>,
    pub(super) proven: bool,
}

/// Parts of the problem looked at before the proof is given up: up to 4000, and fewer where each is a matrix of thousands
/// of attributes, which takes longer and is never proven.
///
/// A search that would be given up among the numbers of judgments of its first attribute is not begun: then the bound of the
/// whole proves the selection, or nothing does.
fn most_nodes(attributes: usize, spending: &Spending) -> usize {
    const MOST_NODES: usize = 4000;
    const MOST_CELLS: usize = 100_000_000;
    let most = (MOST_CELLS / (attributes * attributes).max(1)).clamp(1, MOST_NODES);
    let cheapest = spending.cost.iter().copied().fold(f64::INFINITY, f64::min);
    if most < MOST_NODES && (most as f64) < spending.budget / cheapest { 1 } else { most }
}

/// A selection that explains more by less than this share is not better.
const BETTER: f64 = 1e-10;

/// Improves the greedy selection and the rounded relaxed one by exchanges, then looks for a better one by branch and
/// bound.
pub(super) fn best(estimates: &Estimates, spending: &Spending, relaxed: &Relaxed, context: &Context) -> Result<Best> {
    let mut greedy = vec![0; estimates.len()];
    full::path(estimates, spending).iter().for_each(|step| greedy[step.attribute] += 1);
    let rounded: Vec<u32> = (0..estimates.len())
        .map(|a| {
            (relaxed.repeats[a].floor() as u32)
                .clamp(u32::from(spending.always[a]), spending.at_most[a].max(u32::from(spending.always[a])))
        })
        .collect();
    let mut starts = vec![greedy];
    if spending.affords(spending.total(&rounded), 0.0) {
        starts.push(rounded);
    }
    let improved = starts.into_iter().map(|start| exchange(estimates, spending, start));
    let found = improved.fold((f64::NEG_INFINITY, Vec::new()), |best, next| if next.0 > best.0 { next } else { best });

    let mut search = Search {
        estimates,
        spending,
        context,
        explained: found.0,
        repeats: found.1,
        nodes: 0,
        most: most_nodes(estimates.len(), spending),
    };
    let open = (0..estimates.len()).filter(|&a| estimates.usable[a] && spending.at_most[a] > 0).collect();
    let root = Node {
        external: Cow::Borrowed(&estimates.external),
        covariance: estimates.covariance.clone(),
        open,
        repeats: vec![0; estimates.len()],
        spent: 0.0,
        explained: 0.0,
    };
    let proven = search.branch(&root)?;
    Ok(Best { repeats: search.repeats, proven })
}

/// Takes a judgment away and spends what it cost better, as long as that helps.
fn exchange(estimates: &Estimates, spending: &Spending, start: Vec<u32>) -> (f64, Vec<u32>) {
    let (mut explained, mut repeats) = spend(estimates, spending, start);
    loop {
        let mut found: Option<(f64, Vec<u32>)> = None;
        for a in 0..repeats.len() {
            if repeats[a] <= u32::from(spending.always[a]) {
                continue;
            }
            let mut fewer = repeats.clone();
            fewer[a] -= 1;
            let changed = spend(estimates, spending, fewer);
            if changed.0 > found.as_ref().map_or(explained * (1.0 + BETTER), |(most, _)| *most) {
                found = Some(changed);
            }
        }
        match found {
            Some(better) => (explained, repeats) = better,
            None => return (explained, repeats),
        }
    }
}

/// Spends what is left of the budget greedily.
fn spend(estimates: &Estimates, spending: &Spending, repeats: Vec<u32>) -> (f64, Vec<u32>) {
    let mut residual = after(estimates, &repeats);
    let mut basket = Basket::new(spending);
    basket.spent = spending.total(&repeats);
    basket.repeats = repeats;
    while let Some(a) = basket.best(|a| residual.gain(a, estimates.noise[a])) {
        residual.take(a, estimates.noise[a]);
        basket.take(a);
    }
    (residual.explained, basket.repeats)
}

/// The selections that agree on the attributes no longer open.
struct Node<'a> {
    /// What the judgments taken leave of Sigma and of b.
    external: Cow<'a, Symmetric>,
    covariance: TargetRows,
    open: Vec<usize>,
    /// The judgments taken, what they cost, and what they explain.
    repeats: Vec<u32>,
    spent: f64,
    explained: f64,
}

struct Search<'a> {
    estimates: &'a Estimates,
    spending: &'a Spending,
    context: &'a Context,
    explained: f64,
    repeats: Vec<u32>,
    nodes: usize,
    most: usize,
}

impl Search<'_> {
    /// Looks at all selections of a node, unless the bound says that none of them is better. False if the search was
    /// given up.
    fn branch(&mut self, node: &Node<'_>) -> Result<bool> {
        self.nodes += 1;
        self.context.report("proving", self.nodes as f64 / self.most as f64)?;
        if self.nodes > self.most {
            return Ok(false);
        }
        if node.explained > self.explained * (1.0 + BETTER) && self.has_all_required(&node.repeats) {
            (self.explained, self.repeats) = (node.explained, node.repeats.clone());
        }
        let budget = self.spending.budget - node.spent;
        let affords = |&a: &usize| self.spending.affords(node.spent, self.spending.cost[a]);
        let payable: Vec<usize> = node.open.iter().copied().filter(affords).collect();
        if payable.is_empty() {
            return Ok(true);
        }
        let Node { external, covariance, .. } = node;
        let noise = &self.estimates.noise;
        let relaxed = bound(&Rest { external, covariance, noise, open: &payable, budget }, self.spending, TO_PROVE);
        if node.explained + relaxed.upper <= self.explained * (1.0 + BETTER) {
            return Ok(true);
        }
        let cost = |a: usize| relaxed.repeats[a] * self.spending.cost[a];
        let Some(&a) = payable.iter().max_by(|&&a, &&b| cost(a).total_cmp(&cost(b))) else { return Ok(true) };
        let open: Vec<usize> = payable.iter().copied().filter(|&other| other != a).collect();
        let most = ((budget * (1.0 + 1e-12) / self.spending.cost[a]) as u32).min(self.spending.at_most[a]);
        // The likeliest first: a good selection found early cuts the rest short.
        let mut counts: Vec<u32> = (0..=most).collect();
        counts.sort_by(|x, y| {
            let distance = |count: &u32| (f64::from(*count) - relaxed.repeats[a]).abs();
            distance(x).total_cmp(&distance(y))
        });
        let mut complete = true;
        for count in counts {
            complete &= self.branch(&self.child(node, open.clone(), a, count))?;
            if self.nodes > self.most {
                return Ok(false);
            }
        }
        Ok(complete)
    }

    /// The selections of a node that judge attribute `a` this often.
    fn child<'n>(&self, node: &'n Node<'_>, open: Vec<usize>, a: usize, count: u32) -> Node<'n> {
        let mut residual = Residual::new(&node.external, &node.covariance);
        if count > 0 {
            residual.take(a, self.estimates.noise[a] / f64::from(count));
        }
        let external = if count > 0 { Cow::Owned(residual.external()) } else { Cow::Borrowed(&*node.external) };
        let mut repeats = node.repeats.clone();
        repeats[a] = count;
        Node {
            external,
            open,
            repeats,
            spent: node.spent + f64::from(count) * self.spending.cost[a],
            explained: node.explained + residual.explained,
            covariance: residual.covariance,
        }
    }

    fn has_all_required(&self, repeats: &[u32]) -> bool {
        repeats.iter().zip(&self.spending.always).all(|(&repeats, &always)| repeats > 0 || !always)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiselect::estimates::tests::{random_estimates, unit};

    fn brute_force(estimates: &Estimates, spending: &Spending, repeats: &mut Vec<u32>, a: usize, left: f64) -> f64 {
        if a == estimates.len() {
            return after(estimates, repeats).explained;
        }
        let mut best = f64::NEG_INFINITY;
        for count in u32::from(spending.always[a])..=spending.at_most[a] {
            let cost = f64::from(count) * spending.cost[a];
            if cost > left + 1e-9 {
                break;
            }
            repeats[a] = count;
            best = best.max(brute_force(estimates, spending, repeats, a + 1, left - cost));
        }
        repeats[a] = 0;
        best
    }

    fn whole_bound(estimates: &Estimates, spending: &Spending) -> Relaxed {
        let open: Vec<usize> = (0..estimates.len()).filter(|&a| spending.at_most[a] > 0).collect();
        let Estimates { external, covariance, noise, .. } = estimates;
        bound(&Rest { external, covariance, noise, open: &open, budget: spending.budget }, spending, TO_PROVE)
    }

    #[test]
    fn the_proven_best_is_the_brute_force_optimum_and_the_bound_is_not_below_it() {
        for seed in 0..16 {
            let d = 1 + (seed as usize) % 4;
            let mut estimates = random_estimates(100 + seed, d, 25);
            let mut spending = unit(7, d);
            if seed % 2 == 1 {
                spending.cost = (0..d).map(|a| [2.0, 3.0, 1.0, 1.5][a]).collect();
            }
            if seed % 3 == 0 {
                spending.at_most[0] = 2;
            }
            if seed % 5 == 4 {
                estimates.noise[d - 1] = 0.0;
            }
            let optimum = brute_force(&estimates, &spending, &mut vec![0; d], 0, 7.0);
            let relaxed = whole_bound(&estimates, &spending);
            assert!(relaxed.upper >= optimum * (1.0 - 1e-9), "seed {seed}: {} below {optimum}", relaxed.upper);
            let found = best(&estimates, &spending, &relaxed, &Context::new()).unwrap();
            let explained = after(&estimates, &found.repeats).explained;
            assert!((explained - optimum).abs() < 1e-8 * optimum, "seed {seed}: {explained} of {optimum}");
            assert!(found.proven, "seed {seed}");
            assert!(spending.total(&found.repeats) <= 7.0 + 1e-9);
        }
    }

    #[test]
    fn the_relaxation_is_tight_where_judgments_are_many() {
        // With a budget of thousands a fraction of a judgment hardly matters: greedy and bound meet.
        let estimates = random_estimates(5, 6, 80);
        let spending = unit(3000, 6);
        let greedy = full::path(&estimates, &spending).last().unwrap().explained;
        let upper = whole_bound(&estimates, &spending).upper;
        assert!(upper >= greedy && upper - greedy < 1e-4 * upper, "{greedy} and {upper}");
    }
}
