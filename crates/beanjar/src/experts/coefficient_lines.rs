use super::ClassifierFit;

/// A coefficient along a path of penalties, by numbers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CoefficientLine {
    pub(super) feature: usize,
    /// The row of the classifier: of two classes there is one.
    pub(super) row: usize,
    /// One for each penalty, of standardised features.
    pub(super) values: Vec<f64>,
}

/// More lines cannot be distinguished in a picture.
const MOST: usize = 20;

/// The coefficients that are largest at the best penalty, along all penalties; none of a single penalty.
pub(super) fn largest_coefficients(fits: &[ClassifierFit], best: usize) -> Vec<CoefficientLine> {
    let Some(chosen) = fits.get(best).filter(|_| fits.len() > 1) else { return Vec::new() };
    let linear = chosen.linear();
    let rows = 0..linear.rows();
    let mut all: Vec<(usize, usize, f64)> = rows
        .flat_map(|row| linear.row(row).iter().enumerate().map(move |(feature, &value)| (row, feature, value.abs())))
        .collect();
    all.retain(|(.., size)| *size > 0.0);
    all.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.1, a.0).cmp(&(b.1, b.0))));
    all.truncate(MOST);
    let line = |(row, feature, _): (usize, usize, f64)| CoefficientLine {
        feature,
        row,
        values: fits.iter().map(|fit| fit.linear().row(row)[feature]).collect(),
    };
    all.into_iter().map(line).collect()
}
