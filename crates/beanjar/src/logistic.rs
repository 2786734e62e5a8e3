/// s(x) = 1 / (1 + e^-x).
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// ln(1 + e^x) = -ln s(-x), without overflow.
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_the_derivative_of_the_other_and_neither_overflows() {
        for x in [-30.0, -1.5, 0.0, 0.3, 20.0] {
            let slope = (softplus(x + 1e-5) - softplus(x - 1e-5)) / 2e-5;
            assert!((slope - logistic(x)).abs() < 1e-8);
            assert!((softplus(x) + logistic(-x).ln()).abs() < 1e-12);
        }
        assert_eq!((softplus(1e4), softplus(-1e4), logistic(-1e4)), (1e4, 0.0, 0.0));
    }
}
