//! The logarithm of a long product, taken once in a while instead of once a factor.

/// The logarithm of a product of many factors, some in its numerator and some in its denominator.
///
/// Factors are multiplied as ordinary numbers; their logarithm is taken when the product nears the limits of a double.
#[derive(Clone, Debug)]
pub(crate) struct LogProduct {
    log: f64,
    above: f64,
    below: f64,
}

impl LogProduct {
    /// No factor may be larger than this.
    pub(crate) const LARGEST_FACTOR: f64 = 1e100;
    /// A product below this has its logarithm taken: one more factor, which is at least 1e-100, keeps it a normal double.
    const SMALLEST_PRODUCT: f64 = 1e-200;

    /// Of no factors.
    pub(crate) fn new() -> Self {
        LogProduct { log: 0.0, above: 1.0, below: 1.0 }
    }

    /// Multiplies by e^log.
    #[inline]
    pub(crate) fn add(&mut self, log: f64) {
        self.log += log;
    }

    /// Multiplies by a positive factor.
    #[inline]
    pub(crate) fn multiply(&mut self, factor: f64) {
        self.above *= factor;
        if !(Self::SMALLEST_PRODUCT..=Self::LARGEST_FACTOR).contains(&self.above) {
            self.fold();
        }
    }

    /// Divides by a factor of 1 or more.
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

    #[test]
    fn small_factors_do_not_vanish() {
        let (mut product, mut sum) = (LogProduct::new(), 0.0);
        for i in 1..2000 {
            let factor = 0.1f64.powi(i % 100) / f64::from(i);
            product.multiply(factor);
            sum += factor.ln();
        }
        assert!((product.log() - sum).abs() < 1e-10 * sum.abs(), "{} {sum}", product.log());
    }
}
