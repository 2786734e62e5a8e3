//! From numbers to places.

use crate::number::{percent, short};

/// An axis: what it shows, from where to where.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) title: String,
    low: f64,
    high: f64,
    /// The smallest and the largest number.
    seen: (f64, f64),
    logarithmic: bool,
    percent: bool,
}

impl Axis {
    /// An axis with room for all of these numbers.
    pub(crate) fn of(title: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let seen = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = range(seen);
        Axis { title: title.into(), low, high, seen, logarithmic: false, percent: false }
    }

    /// The same, of numbers above zero on a logarithmic scale.
    pub(crate) fn logarithmic(title: impl Into<String>, values: impl Iterator<Item = f64>) -> Self {
        let logs = values.filter(|value| *value > 0.0).map(f64::log10);
        Axis { logarithmic: true, ..Axis::of(title, logs) }
    }

    /// The same, with this number on it.
    pub(crate) fn with(self, value: f64) -> Self {
        Axis { low: self.low.min(value), high: self.high.max(value), ..self }
    }

    /// The same with room on both sides, so that no mark touches the frame.
    pub(crate) fn roomy(self) -> Self {
        let room = 0.04 * (self.high - self.low);
        Axis { low: self.low - room, high: self.high + room, ..self }
    }

    /// The same, its numbers shown as percent. Of shares it ends where shares end.
    pub(crate) fn in_percent(self) -> Self {
        let (least, most) = self.seen;
        let low = if least >= 0.0 && !self.logarithmic { self.low.max(0.0) } else { self.low };
        let high = if most <= 1.0 && !self.logarithmic { self.high.min(1.02) } else { self.high };
        Axis { percent: true, low, high, ..self }
    }

    /// Where a number is, between 0 and 1; none if the axis cannot show it.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let value = match self.logarithmic {
            true if value > 0.0 => value.log10(),
            true => return None,
            false => value,
        };
        value.is_finite().then(|| (value - self.low) / (self.high - self.low))
    }

    /// Round numbers along the axis with their places, at most about this many.
    pub(crate) fn ticks(&self, most: usize) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / most.max(1) as f64);
        // Powers of ten alone are read as such.
        let step = if self.logarithmic { step.max(1.0).round() } else { step };
        let mut found = ticks(self.low, self.high, step);
        if found.len() < 3 && self.logarithmic {
            found = round_logs(self.low, self.high, most.max(2));
        }
        if found.len() < 2 {
            // One number is no scale.
            found = ticks(self.low, self.high, round_step((self.high - self.low) / (2.0 * most.max(1) as f64)));
        }
        let name = |tick: f64| match (self.logarithmic, self.percent) {
            (true, _) => short(10f64.powf(tick)),
            (_, true) => percent(tick),
            _ => short(tick),
        };
        found.into_iter().map(|tick| ((tick - self.low) / (self.high - self.low), name(tick))).collect()
    }
}

/// The smallest and the largest value, with room between them.
fn range((low, high): (f64, f64)) -> (f64, f64) {
    match high - low {
        spread if spread > 0.0 && spread.is_finite() => (low, high + 0.02 * spread),
        _ if low.is_finite() => {
            let room = (low.abs() * 0.1).max(0.5);
            (low - room, low + room)
        }
        _ => (0.0, 1.0),
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough * (1.0 - 1e-9)).unwrap_or(rough)
}

/// Logarithms of round numbers within a range: the most of 1, 1 and 3, or 1, 2 and 5 times powers of ten that have room.
fn round_logs(low: f64, high: f64, most: usize) -> Vec<f64> {
    let powers = || (low.floor() as i32)..=(high.ceil() as i32);
    let of = |leading: &[f64]| -> Vec<f64> {
        let all = powers().flat_map(|power| leading.iter().map(move |n| n.log10() + f64::from(power)));
        all.filter(|tick| (low..=high).contains(tick)).collect()
    };
    let sets: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
    sets.iter().map(|leading| of(leading)).find(|found| found.len() <= most).unwrap_or_default()
}

fn ticks(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step - 1e-9).ceil();
    let ticks = (0..40).map(|i| (first + f64::from(i)) * step);
    // Zero with a sign is still zero.
    ticks.take_while(|tick| *tick <= high + 1e-9 * step).map(|tick| tick + 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let axis = Axis::of("", [0.0, 97.0].into_iter());
        let names: Vec<String> = axis.ticks(5).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["0", "20", "40", "60", "80"]);
        assert!(axis.ticks(5).iter().all(|(at, _)| (0.0..=1.0).contains(at)));
        assert_eq!(axis.place(0.0), Some(0.0));
        let names: Vec<String> =
            Axis::of("", [0.0, 0.42].into_iter()).ticks(2).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["0", "0.2", "0.4"]);
        let logs = Axis::logarithmic("", [0.01, 100.0].into_iter());
        let names: Vec<String> = logs.ticks(5).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["0.01", "0.1", "1", "10", "100"]);
        assert_eq!(logs.place(0.0), None);
        let names = |low: f64, high: f64, most: usize| -> Vec<String> {
            Axis::logarithmic("", [low, high].into_iter()).ticks(most).into_iter().map(|(_, name)| name).collect()
        };
        assert_eq!(names(45.0, 900.0, 6), ["50", "100", "200", "500"]);
        assert_eq!(names(2.2, 130.0, 6), ["5", "10", "20", "50", "100"]);
        assert_eq!(names(2.2, 130.0, 4), ["3", "10", "30", "100"]);
        assert_eq!(names(2.2, 130.0, 3), ["10", "100"]);
    }

    #[test]
    fn nothing_and_one_number_have_an_axis() {
        assert!(!Axis::of("", std::iter::empty()).ticks(4).is_empty());
        let one = Axis::of("", [3.0].into_iter());
        assert_eq!(one.place(3.0), Some(0.5));
        assert!(Axis::of("", [f64::NAN, f64::INFINITY].into_iter()).place(0.5).is_some());
    }
}
