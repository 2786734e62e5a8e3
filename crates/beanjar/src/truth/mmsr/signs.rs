//! Which workers are on one side, and which on the other.

use super::Pairs;

/// Steps of the power iteration; only the signs are wanted, which settle early.
const MOST: usize = 2_000;

/// 1, -1, or 0 for a worker of whom nothing is known.
///
/// Workers are nodes of a graph, joined where they disagree; where they agree, a node is put between them. Then
/// neighbours are on opposite sides, as far as that can be, in the eigenvector of the random walk's smallest eigenvalue.
pub(super) fn of(pairs: &Pairs) -> Vec<f64> {
    let n = pairs.workers;
    let row = |i: usize| &pairs.relation[i * n..(i + 1) * n];
    let valid: Vec<usize> = (0..n).filter(|&i| row(i).iter().sum::<f64>() != 0.0).collect();
    let k = valid.len();
    let mut against: Vec<Vec<usize>> = vec![Vec::new(); k];
    let mut between: Vec<(usize, usize)> = Vec::new();
    for a in 0..k {
        for b in 0..k {
            let relation = row(valid[a])[valid[b]];
            if relation < 0.0 {
                against[a].push(b);
            } else if relation > 0.0 && a <= b {
                between.push((a, b));
            }
        }
    }
    let mut degree: Vec<f64> = against.iter().map(|others| others.len() as f64).collect();
    between.iter().for_each(|&(a, b)| [a, b].iter().for_each(|&node| degree[node] += 1.0));
    // Where all agree, this is the eigenvector already.
    let mut walk: Vec<f64> = (0..k).map(|i| 1.0 + 1e-3 * (i as f64 + 1.0).sin()).collect();
    let mut middle = vec![-1.0; between.len()];
    for _ in 0..MOST {
        // (1 - W) x, whose largest eigenvalue is where that of W is smallest.
        let mut stepped: Vec<f64> = against.iter().map(|others| others.iter().map(|&b| walk[b]).sum()).collect();
        for (&(a, b), x) in between.iter().zip(&middle) {
            stepped[a] += x;
            stepped[b] += x;
        }
        let next: Vec<f64> =
            (0..k).map(|i| walk[i] - if degree[i] > 0.0 { stepped[i] / degree[i] } else { 0.0 }).collect();
        let next_middle: Vec<f64> =
            between.iter().zip(&middle).map(|(&(a, b), x)| x - 0.5 * (walk[a] + walk[b])).collect();
        let size = next.iter().chain(&next_middle).map(|x| x * x).sum::<f64>().sqrt();
        if size == 0.0 {
            break;
        }
        let change: f64 = next.iter().zip(&walk).map(|(new, old)| (new / size - old).abs()).sum();
        walk = next.iter().map(|x| x / size).collect();
        middle = next_middle.iter().map(|x| x / size).collect();
        if change < 1e-10 {
            break;
        }
    }
    let sign = |x: f64| {
        if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            0.0
        }
    };
    // Most workers are taken to be honest.
    let honest = sign(walk.iter().map(|x| sign(*x)).sum());
    let mut signs = vec![0.0; n];
    valid.iter().zip(&walk).for_each(|(&worker, x)| signs[worker] = honest * sign(*x));
    signs
}
