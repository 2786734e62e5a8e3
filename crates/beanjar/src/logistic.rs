//! The logistic function, and likelihoods as products of it.

/// s(x) = 1 / (1 + e^-x).
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The logarithm of a product of many factors of 1 or more, some in its numerator and some in its denominator: taken once
/// in a while instead of once a factor.
#[derive(Clone, Debug)]
pub(crate) struct LogProduct {
    log: f64,
    above: f64,
    below: f64,
}

impl LogProduct {
    /// No factor may be beyond this.
    pub(crate) const LARGEST_FACTOR: f64 = 1e100;

    /// Of no factors.
    pub(crate) fn new() -> Self {
        LogProduct { log: 0.0, above: 1.0, below: 1.0 }
    }

    /// Multiplies by e^log.
    #[inline]
    pub(crate) fn add(&mut self, log: f64) {
        self.log += log;
    }

    #[inline]
    pub(crate) fn multiply(&mut self, factor: f64) {
        self.above *= factor;
        if self.above > Self::LARGEST_FACTOR {
            self.fold();
        }
    }

    #[inline]
    pub(crate) fn divide(&mut self, factor: f64) {
        self.below *= factor;
        if self.below > Self::LARGEST_FACTOR {
            self.fold();
        }
    }

    fn fold(&mut self) {
        self.log += self.above.ln() - self.below.ln();
        (self.above, self.below) = (1.0, 1.0);
    }

    /// The logarithm.
    pub(crate) fn log(&self) -> f64 {
        self.log + self.above.ln() - self.below.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_of_a_product_is_the_sum_of_logarithms() {
        let (mut product, mut sum) = (LogProduct::new(), 0.0);
        assert_eq!(product.log(), 0.0);
        for i in 0..10_000 {
            let factor = 1.0 + f64::from(i % 17).exp2() * f64::from(i % 5);
            let huge = if i % 1000 == 0 { LogProduct::LARGEST_FACTOR } else { 1.0 };
            product.multiply(factor);
            product.divide(1.0 + 1.0 / factor);
            product.divide(huge);
            product.add(0.25);
            sum += factor.ln() - (1.0 + 1.0 / factor).ln() - huge.ln() + 0.25;
        }
        assert!((product.log() - sum).abs() < 1e-12 * 10_000.0, "{} {sum}", product.log());
    }
}
