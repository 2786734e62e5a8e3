//! Quantiles of sorted values.

/// The quantile of sorted numbers, on a straight line between neighbours. None of none.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = place(sorted.len(), share)?;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    Some(low + (high - low) * place.fract())
}

/// The value nearest to the quantile, for values between which there is nothing. None of none.
#[must_use]
pub fn nearest_rank<T>(sorted: &[T], share: f64) -> Option<&T> {
    sorted.get(place(sorted.len(), share)?.round() as usize)
}

/// Where the quantile stands among this many sorted values.
fn place(values: usize, share: f64) -> Option<f64> {
    Some(share.clamp(0.0, 1.0) * values.checked_sub(1)? as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), Some(2.5));
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), Some(3.0));
        assert_eq!((quantile(&[7.0], 0.25), quantile(&[], 0.5)), (Some(7.0), None));
        assert_eq!((quantile(&[1.0, 2.0], -1.0), quantile(&[1.0, 2.0], 2.0)), (Some(1.0), Some(2.0)));
    }

    #[test]
    fn the_nearest_rank_is_one_of_the_values() {
        assert_eq!(nearest_rank(&[1, 2, 3, 10], 0.8), Some(&3));
        assert_eq!(nearest_rank(&[1, 2, 3, 10], 0.95), Some(&10));
        assert_eq!(nearest_rank::<u32>(&[], 0.5), None);
    }
}
