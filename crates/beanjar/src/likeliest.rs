/// The place of the largest; of equals the first.
pub(crate) fn likeliest(probabilities: &[f64]) -> usize {
    (1..probabilities.len())
        .fold(0, |best, class| if probabilities[class] > probabilities[best] { class } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equals_the_first() {
        assert_eq!([likeliest(&[]), likeliest(&[0.2, 0.4, 0.4]), likeliest(&[0.5, 0.5])], [0, 1, 0]);
    }
}
