//! How far confidence can be believed, where answers are known.

use crate::chart::{Chart, Series};
use crate::figure::Figure;
use crate::number::{count, form, percent, points, whole};
use crate::table::{Table, row};
use beanjar::truth::{Calibration, Sureness};

/// Points of fewer tasks are chance: they are drawn with their neighbours.
const FEWEST: usize = 10;

pub(super) fn reliability(name: &str, found: &Calibration) -> Figure {
    let joined = found.joined_bins(FEWEST);
    let merged = joined.len() < found.bins.iter().filter(|bin| bin.tasks > 0).count();
    let bins: Vec<(usize, f64, f64)> =
        joined.iter().filter_map(|bin| Some((bin.tasks, bin.confidence?, bin.accuracy?))).collect();
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
    let (right, says) = (percent(found.accuracy), percent(found.mean_confidence()));
    match found.sureness() {
        Sureness::TooLittle => {
            format!("Labels are right more often than they say: {right} against {says}. They can be trusted further.")
        }
        Sureness::TooMuch => {
            format!(
                "Labels are right less often than they say: {right} against {says}. Take their confidence with care."
            )
        }
        _ => format!("Labels are right about as often as they say: {right} against {says}."),
    }
}
