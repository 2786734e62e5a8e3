//! Products of many probabilities, one for each class.

/// The most factors that may be multiplied before a product could leave the range of a double.
pub(super) const AT_ONCE: usize = 6;
/// Classes up to which nothing is put on the heap.
pub(super) const FEW: usize = 16;

/// For each class a product of factors from e^-100 to 1, as a number between 1 and 2 and a power of two: nothing underflows
/// however far classes are apart, and no logarithm is taken.
pub(in crate::truth) struct Products<'a> {
    scores: &'a mut [f64],
    few: [i64; FEW],
    many: Vec<i64>,
    factors: usize,
}

/// The power of a product that is zero.
const NEVER: i64 = i64::MIN / 4;

impl<'a> Products<'a> {
    /// Products that begin with the shares of the classes, some of which may be zero. They are left in `scores`.
    #[inline(always)]
    pub(in crate::truth) fn new(shares: &[f64], scores: &'a mut [f64]) -> Self {
        let many = if scores.len() > FEW { vec![0; scores.len()] } else { Vec::new() };
        let mut products = Products { scores, few: [0; FEW], many, factors: 0 };
        let (scores, powers) = products.parts();
        for ((score, power), &share) in scores.iter_mut().zip(powers).zip(shares) {
            (*score, *power) = if share >= f64::MIN_POSITIVE { (share, 0) } else { (1.0, NEVER) };
        }
        products.take_powers();
        products
    }

    #[inline(always)]
    fn parts(&mut self) -> (&mut [f64], &mut [i64]) {
        let powers = if self.scores.len() > FEW { &mut self.many[..] } else { &mut self.few[..self.scores.len()] };
        (self.scores, powers)
    }

    /// Multiplies each class by its factor.
    #[inline(always)]
    pub(in crate::truth) fn multiply(&mut self, factors: impl Iterator<Item = f64>) {
        self.scores.iter_mut().zip(factors).for_each(|(score, factor)| *score *= factor);
        self.factors += 1;
        if self.factors == AT_ONCE {
            self.take_powers();
        }
    }

    /// Multiplies each class by several factors, of which there is a row each, before any that were multiplied one by one. A
    /// product stays in a register meanwhile, which takes half the time.
    #[inline(always)]
    pub(super) fn multiply_at_once(&mut self, rows: [&[f64]; AT_ONCE]) {
        let (scores, powers) = self.parts();
        let [a, b, c, d, e, f] = rows;
        let factors = a.iter().zip(b).zip(c).zip(d).zip(e).zip(f);
        for ((score, power), (((((a, b), c), d), e), f)) in scores.iter_mut().zip(powers).zip(factors) {
            let product = *score * a * b * c * d * e * f;
            *power += power_of(product);
            *score = without_power(product);
        }
    }

    /// Moves the powers of two out of the products, which are positive and not subnormal.
    #[inline(always)]
    fn take_powers(&mut self) {
        self.factors = 0;
        let (scores, powers) = self.parts();
        for (score, power) in scores.iter_mut().zip(powers) {
            *power += power_of(*score);
            *score = without_power(*score);
        }
    }

    /// Divides the products by their sum, which is returned as a factor and the logarithm of another.
    #[inline(always)]
    pub(in crate::truth) fn finish(mut self) -> (f64, f64) {
        self.take_powers();
        let (scores, powers) = self.parts();
        let most = powers.iter().fold(i64::MIN, |most, &power| if power > most { power } else { most });
        for (score, &power) in scores.iter_mut().zip(&*powers) {
            // What is behind by more than the range of a double is nothing.
            *score = if power < most - 1022 { 0.0 } else { *score * power_of_two(power - most) };
        }
        let sum: f64 = scores.iter().sum();
        let scale = sum.recip();
        scores.iter_mut().for_each(|score| *score *= scale);
        (sum, most as f64 * std::f64::consts::LN_2)
    }
}

/// The power of two in a positive number that is not subnormal.
#[inline(always)]
pub(super) fn power_of(number: f64) -> i64 {
    (number.to_bits() >> 52) as i64 - 1023
}

/// The same number with another power of two, so that it is between 1 and 2.
#[inline(always)]
fn without_power(number: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    const ONE: u64 = 1023 << 52;
    f64::from_bits(number.to_bits() & MANTISSA | ONE)
}

/// Of a power from -1022 to 1023.
#[inline(always)]
pub(super) fn power_of_two(power: i64) -> f64 {
    f64::from_bits(((power + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_logarithms_however_far_apart() {
        for classes in [1, 2, 5, 16, 17, 40] {
            let factor = |vote: usize, class: usize| match (vote * 7 + class * 3) % 13 {
                0 => (-100.0f64).exp(),
                n => n as f64 / 13.0,
            };
            let shares: Vec<f64> =
                (0..classes).map(|class| if class == 3 { 0.0 } else { 0.1 + class as f64 }).collect();
            for votes in [0, 1, 5, 6, 7, 12, 100, 1000] {
                let mut scores = vec![0.0; classes];
                let mut products = Products::new(&shares, &mut scores);
                (0..votes).for_each(|vote| products.multiply((0..classes).map(|class| factor(vote, class))));
                let (sum, log) = products.finish();
                let row = |vote: usize| (0..classes).map(|class| factor(vote, class)).collect::<Vec<f64>>();
                let mut several = vec![0.0; classes];
                let mut products = Products::new(&shares, &mut several);
                let rows: Vec<Vec<f64>> = (0..votes).map(row).collect();
                let (groups, rest) = rows.as_chunks::<AT_ONCE>();
                groups.iter().for_each(|group| products.multiply_at_once(group.each_ref().map(Vec::as_slice)));
                rest.iter().for_each(|row| products.multiply(row.iter().copied()));
                assert_eq!((products.finish(), &several), ((sum, log), &scores));
                let logs =
                    |class: usize| shares[class].ln() + (0..votes).map(|vote| factor(vote, class).ln()).sum::<f64>();
                let most = (0..classes).map(logs).fold(f64::NEG_INFINITY, f64::max);
                let direct: f64 = (0..classes).map(|class| (logs(class) - most).exp()).sum();
                let found = sum.ln() + log;
                assert!((found - most - direct.ln()).abs() < 1e-10 * (1.0 + most.abs()), "{classes} {votes}");
                for class in 0..classes {
                    assert!((scores[class] - (logs(class) - most).exp() / direct).abs() < 1e-9, "{classes} {votes}");
                }
            }
        }
    }
}
