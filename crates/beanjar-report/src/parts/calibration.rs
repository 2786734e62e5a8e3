//! How far confidence can be believed, where answers are known.

use crate::chart::{Chart, Series};
use crate::figure::Figure;
use crate::number::{count, form, percent, points, whole};
use crate::table::{Table, row};
use beanjar::truth::Calibration;

/// Points of fewer tasks are chance: they are drawn with their neighbours.
const FEWEST: usize = 10;

/// Tasks of a range of confidence: how many, their mean confidence, and the share that is right.
type Bin = (usize, f64, f64);

pub(super) fn reliability(name: &str, found: &Calibration) -> Figure {
    let all = found.bins.iter().filter_map(|bin| Some((bin.tasks, bin.confidence?, bin.accuracy?)));
    let (bins, merged) = merged(all);
    let chart = Chart::new("", "confidence", "share that is right")
        .with(Series::new("as it should be", [(0.0, 0.0), (1.0, 1.0)]).dashed())
        .with(
            Series::new(
                "as it is, with the number of tasks",
                bins.iter().map(|&(_, confidence, accuracy)| (confidence, accuracy)),
            )
            .marked()
            .with_spots()
            .with_notes(bins.iter().map(|(tasks, ..)| whole(*tasks)).collect()),
        )
        .in_percent(true, true);
    let by = if name == "gold" { "known answers, when they are not used" } else { "the truth" };
    let title = format!(
        "By {by}, {} of {} {} right; confidence is off by {} on average",
        percent(found.accuracy),
        count(found.tasks, "label"),
        form(found.tasks, "is", "are"),
        points(found.ece),
    );
    let mut meaning = direction(found);
    if merged {
        meaning += &format!(" Neighbouring points with fewer than {FEWEST} tasks are drawn as one.");
    }
    let rows = bins.iter().map(|&(tasks, confidence, accuracy)| row![confidence, accuracy, tasks]);
    let table = Table::new(&["confidence", "right", "tasks"], rows);
    Figure::new(&format!("reliability-{name}"), title, chart, meaning, table)
}

/// Whether labels are right more often than they say, or less often.
fn direction(found: &Calibration) -> String {
    let sum: f64 = found.bins.iter().map(|bin| bin.tasks as f64 * bin.confidence.unwrap_or(0.0)).sum();
    let said = sum / found.tasks.max(1) as f64;
    // What the mean confidence would leave to chance.
    let chance = 2.0 * (said * (1.0 - said) / found.tasks.max(1) as f64).sqrt();
    let (right, says) = (percent(found.accuracy), percent(said));
    match found.accuracy - said {
        more if more > chance => {
            format!("Labels are right more often than they say: {right} against {says}. They can be trusted further.")
        }
        less if less < -chance => {
            format!(
                "Labels are right less often than they say: {right} against {says}. Take their confidence with care."
            )
        }
        _ => format!("Labels are right about as often as they say: {right} against {says}."),
    }
}

/// The bins, those with few tasks joined to their neighbours, and whether any was.
fn merged(bins: impl Iterator<Item = Bin>) -> (Vec<Bin>, bool) {
    let join = |(n, said, right): Bin, (more, also_said, also_right): Bin| {
        let (a, b) = (n as f64, more as f64);
        (n + more, (a * said + b * also_said) / (a + b), (a * right + b * also_right) / (a + b))
    };
    let (mut found, mut any): (Vec<Bin>, bool) = (Vec::new(), false);
    for bin in bins {
        match found.last_mut().filter(|last| last.0 < FEWEST) {
            Some(last) => {
                *last = join(*last, bin);
                any = true;
            }
            None => found.push(bin),
        }
    }
    if found.len() > 1
        && let Some(last) = found.pop_if(|last| last.0 < FEWEST)
        && let Some(before) = found.last_mut()
    {
        *before = join(*before, last);
        any = true;
    }
    (found, any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_few_tasks_are_drawn_together() {
        let (found, any) = merged([(3, 0.2, 0.0), (9, 0.6, 1.0), (30, 0.8, 0.9), (4, 1.0, 0.5)].into_iter());
        assert!(any && found.len() == 2);
        assert_eq!(found[0], (12, 0.5, 0.75));
        assert_eq!((found[1].0, (found[1].2 - (27.0 + 2.0) / 34.0).abs() < 1e-12), (34, true));
        let few = merged([(1, 0.5, 1.0)].into_iter());
        assert_eq!(few, (vec![(1, 0.5, 1.0)], false));
        assert_eq!(merged([(10, 0.5, 0.5), (10, 0.9, 0.9)].into_iter()).0.len(), 2);
    }
}
