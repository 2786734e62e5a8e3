//! Which columns of a survey may be answers to one question, asked of several tasks.

use super::Held;
use crate::class_names::is_plain_number;
use crate::read::wide::{MOST_WORDS, is_prose, words};
use std::collections::{HashMap, HashSet};

/// Whether a column has a value of its own in each row.
pub(super) fn is_own(body: &Held, column: usize) -> bool {
    let known = words(body, column);
    body.rows() > 1 && known.len() == body.rows()
}

fn is_numeric(body: &Held, column: usize) -> bool {
    words(body, column).iter().all(|text| is_plain_number(text))
}

/// Those of some columns that may be answers to one question: without texts in words of one's own, without columns that nobody
/// filled, and without the smaller part that has no answer in common with the others, such as a respondent's age. A column
/// between others in which all gave the same answer is a task of a class that has no other. Where the others are the larger
/// part, or have answers in common among themselves, the largest group of columns with answers in common.
pub(super) fn alike(body: &Held, columns: Vec<usize>) -> Vec<usize> {
    let filled: Vec<usize> = columns.into_iter().filter(|&column| !words(body, column).is_empty()).collect();
    let columns: Vec<usize> = filled.iter().copied().filter(|&column| !is_prose(body, column, &filled)).collect();
    let numeric = |column: &usize| is_numeric(body, *column);
    let mostly_numbers = 2 * columns.iter().filter(|column| numeric(column)).count() > columns.len();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in columns.iter().flat_map(|&column| words(body, column)) {
        *counts.entry(word).or_default() += 1;
    }
    let shares = |column: &usize| words(body, *column).iter().any(|word| counts[word] > 1);
    let inner = columns.iter().copied().find(shares).zip(columns.iter().copied().rfind(shares));
    let is_inner = |column: usize| inner.is_some_and(|(first, last)| first < column && column < last);
    let sharing: Vec<usize> = columns.iter().copied().filter(shares).collect();
    let fits = |column: &usize| match mostly_numbers && !has_few_words(body, &sharing) {
        true => numeric(column),
        false => shares(column) || is_inner(*column) && words(body, *column).len() == 1,
    };
    let kept: Vec<usize> = columns.iter().copied().filter(fits).collect();
    let mostly = if 2 * kept.len() > columns.len() { kept } else { columns };
    match mostly.iter().all(numeric) {
        true => mostly,
        false => largest_group(body, &mostly).unwrap_or(mostly),
    }
}

/// Fewer columns may have an answer in common by chance: `yes`, or `none`.
const FEWEST: usize = 3;

/// The largest group of columns with answers in common, if it is larger than any other and its answers are few; with those
/// between its columns in which all gave the same answer.
fn largest_group(body: &Held, columns: &[usize]) -> Option<Vec<usize>> {
    let of: Vec<HashSet<&str>> = columns.iter().map(|&column| words(body, column)).collect();
    let alike = |a: usize, b: usize| !of[a].is_disjoint(&of[b]);
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..of.len() {
        let (near, far): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(|&other| alike(at, other)));
        groups = far;
        groups.push(near.into_iter().flatten().chain([at]).collect());
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let size = |at: usize| groups.get(at).map_or(0, Vec::len);
    if size(0) < FEWEST || size(0) == size(1) {
        return None;
    }
    let group = &groups[0];
    let (first, last) = (*group.iter().min()?, *group.iter().max()?);
    let belongs = |at: &usize| group.contains(at) || first < *at && *at < last && of[*at].len() == 1;
    let found: Vec<usize> = (0..of.len()).filter(belongs).map(|at| columns[at]).collect();
    has_few_words(body, &found).then_some(found)
}

/// Whether some columns may be answers to one question: they are numbers, or share values.
pub(super) fn has_common_words(body: &Held, columns: &[usize]) -> bool {
    columns.iter().all(|&column| is_numeric(body, column)) || share_words(body, columns)
}

/// Whether most of some columns share a value with another.
pub(super) fn share_words(body: &Held, columns: &[usize]) -> bool {
    let of: Vec<HashSet<&str>> = columns.iter().map(|&column| words(body, column)).collect();
    let shares = |at: usize| (0..of.len()).any(|other| other != at && !of[other].is_disjoint(&of[at]));
    2 * (0..of.len()).filter(|&at| shares(at)).count() > of.len()
}

/// Whether some columns hold the same few values.
pub(super) fn few_words(body: &Held, columns: &[usize]) -> bool {
    body.rows() > 1 && has_common_words(body, columns) && has_few_words(body, columns)
}

pub(in crate::exports) fn has_few_words(body: &Held, columns: &[usize]) -> bool {
    let all: HashSet<&str> = columns.iter().flat_map(|&column| words(body, column)).collect();
    let filled = |column: &usize| body.columns[*column].iter().filter(|text| !text.trim().is_empty()).count();
    let cells: usize = columns.iter().map(filled).sum();
    all.len() <= MOST_WORDS.min(cells / 2)
}

/// Whether answers are numbers on a scale, and not classes.
pub(super) fn on_a_scale(answers: &[String]) -> bool {
    let known: HashSet<&str> = answers.iter().map(|answer| answer.trim()).collect();
    known.len() > MOST_WORDS && known.iter().all(|text| text.parse().is_ok_and(f64::is_finite))
}
