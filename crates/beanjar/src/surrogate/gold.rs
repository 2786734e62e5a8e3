use crate::reliability::{Interval, share_interval};

/// The risk of a model by known answers of some tasks, made sharper by the noisy labels of all.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct GoldRisk {
    /// How many tasks have a prediction and a known answer.
    pub units: usize,
    /// How often the model errs.
    pub risk: f64,
    /// The ends of a 95% interval.
    pub low: f64,
    /// The ends of a 95% interval.
    pub high: f64,
    /// The interval from the known answers alone.
    pub alone_low: f64,
    /// The interval from the known answers alone.
    pub alone_high: f64,
}

impl GoldRisk {
    /// Of each task, whether the prediction is wrong, where the answer is known, and the share of labels that differ from
    /// it, where there are any.
    ///
    /// Prediction-powered inference (Angelopoulos and others 2023): the mean error on known tasks, less w times by how much
    /// the labels of these tasks differ from predictions more than those of all tasks do. The interval is valid whatever
    /// the errors of the labels, if tasks with known answers are a random sample. w makes it as narrow as may be (PPI++);
    /// with labels that say nothing it is 0. None with fewer than two known answers.
    pub(super) fn of(wrong: &[Option<bool>], disagreements: &[Option<f64>]) -> Option<Self> {
        let known: Vec<(f64, Option<f64>)> = wrong
            .iter()
            .zip(disagreements)
            .filter_map(|(wrong, differ)| Some((f64::from(u8::from((*wrong)?)), *differ)))
            .collect();
        if known.len() < 2 {
            return None;
        }
        let errors: Vec<f64> = known.iter().map(|(error, _)| *error).collect();
        let n = errors.len() as f64;
        let alone = mean(&errors);
        let Interval { low: alone_low, high: alone_high, .. } = share_interval(alone, n);
        // Tasks that have labels but no known answer are what the labels add.
        let both: Vec<(f64, f64)> = known.iter().filter_map(|(error, differ)| Some((*error, (*differ)?))).collect();
        let rest: Vec<f64> = wrong
            .iter()
            .zip(disagreements)
            .filter(|(wrong, _)| wrong.is_none())
            .filter_map(|(_, differ)| *differ)
            .collect();
        let plain =
            GoldRisk { units: errors.len(), risk: alone, low: alone_low, high: alone_high, alone_low, alone_high };
        if both.len() < known.len() || both.len() < 3 || rest.len() < 2 {
            return Some(plain);
        }
        let differ: Vec<f64> = both.iter().map(|(_, differ)| *differ).collect();
        let others = rest.len() as f64;
        let (spread, rest_spread) = (variance(&differ), variance(&rest));
        let cross = covariance(&errors, &differ);
        // The weight at which the variance below is smallest.
        let weight = (cross / n) / (spread / n + rest_spread / others).max(f64::MIN_POSITIVE);
        let left: Vec<f64> = both.iter().map(|(error, differ)| error - weight * differ).collect();
        let risk = (mean(&left) + weight * mean(&rest)).clamp(0.0, 1.0);
        // One for the mean and one for the weight, which was estimated as well.
        let se = (variance(&left) * (n - 1.0) / (n - 2.0) / n + weight * weight * rest_spread / others).sqrt();
        let plain_se = (variance(&errors) / n).sqrt();
        // As many tasks as would give this standard error: their interval stays within 0 and 1.
        match se > 0.0 && plain_se > 0.0 {
            true => {
                let Interval { low, high, .. } = share_interval(risk, n * (plain_se / se).powi(2));
                Some(GoldRisk { risk, low, high, ..plain })
            }
            false => Some(plain),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    covariance(values, values)
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>() / (a.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use rand::RngExt;

    /// Over many draws, how often the interval has the true risk, and how wide it is beside that of known answers alone.
    fn covered(known: usize, label_error: impl Fn(bool, f64) -> bool) -> (f64, f64) {
        const RISK: f64 = 0.25;
        const RUNS: usize = 1000;
        let (mut inside, mut widths, mut alone) = (0.0, 0.0, 0.0);
        for run in 0..RUNS {
            let mut random = stream(run as u64, 5);
            let (mut wrong, mut differ) = (Vec::new(), Vec::new());
            for unit in 0..1000 {
                let error = random.random::<f64>() < RISK;
                wrong.push((unit < known).then_some(error));
                let labels = 3;
                let count = (0..labels).filter(|_| label_error(error, random.random())).count();
                differ.push(Some(count as f64 / f64::from(labels)));
            }
            let found = GoldRisk::of(&wrong, &differ).unwrap();
            inside += f64::from(u8::from(found.low <= RISK && RISK <= found.high));
            widths += found.high - found.low;
            alone += found.alone_high - found.alone_low;
        }
        (inside / RUNS as f64, widths / alone)
    }

    #[test]
    fn intervals_cover_whatever_the_labels_errors_and_are_narrower_where_labels_know() {
        // Labels that differ from a wrong prediction mostly, from a right one seldom; that are coins; that are contrary.
        for known in [60, 200] {
            let (good, narrow) = covered(known, |error, u| u < if error { 0.85 } else { 0.15 });
            let (coins, same) = covered(known, |_, u| u < 0.5);
            let (contrary, also) = covered(known, |error, u| u < if error { 0.2 } else { 0.8 });
            // 95%, of 1000 runs: three standard errors are 2%.
            for coverage in [good, coins, contrary] {
                assert!(coverage > 0.93 && coverage < 0.98, "{known}: {good} {coins} {contrary}");
            }
            assert!(narrow < 0.75 && also < 0.8 && same < 1.02, "{known}: {narrow} {also} {same}");
        }
    }

    #[test]
    fn few_answers_say_little() {
        assert_eq!(GoldRisk::of(&[Some(true), None], &[None, Some(0.5)]), None);
        let found = GoldRisk::of(&[Some(false); 4], &[None; 4]).unwrap();
        assert_eq!((found.units, found.risk, found.low), (4, 0.0, 0.0));
        assert!(found.high > 0.4 && found.high < 0.6);
    }
}
