//! From half the votes of each task: what to expect of all of them, and of the other half.

use super::{Set, quality};
use crate::settings::{Result, Settings};
use crate::table::{number, table};
use beanjar::{Aggregate, EnoughVotes, Labels};
use beanjar_report::{Chart, Series, tiled};

pub(super) fn run(settings: &Settings, sets: &[Set], draws: u64) -> Result<String> {
    let (mut rows, mut figures) = (Vec::new(), String::new());
    let (mut met, mut agreed, mut calibrated) = (0, 0, 0);
    let mut charts = Vec::new();
    for set in sets {
        settings.say(&format!("{}: all votes from half of them", set.name));
        for draw in 0..draws {
            let found = Halved::new(settings, set, settings.context.seed() + draw)?;
            met += usize::from(found.met());
            agreed += usize::from(found.agreed());
            calibrated += usize::from(found.calibrated());
            if draw == 0 {
                figures += &settings.write(&format!("votes-{}.svg", set.name), &found.chart)?;
                charts.push(found.chart.clone());
            }
            rows.push(found.row(&set.name));
        }
    }
    figures += &settings.write_svg("votes.svg", &tiled(&charts, 3))?;
    let header = ["set", "votes", "accuracy", "band", "is", "", "agreement", "band", "is", "", "ece", "band", "is", ""];
    let n = rows.len();
    let mut text = String::from("Predicted from half the votes of each task, and what is\n\n");
    text += &table(&header, rows);
    text += &format!(
        "\n  accuracy: predicted for all votes, and that of all votes by the truth; within its band on {met} of {n}\n  \
         agreement: of the labels by this half with those by the other; within its band on {agreed} of {n}\n  \
         ece: the calibration error of all votes; within its band on {calibrated} of {n}\n"
    );
    Ok(text + &figures)
}

/// What half the votes predict, and what is.
pub(super) struct Halved {
    votes: (f64, f64),
    /// Predicted, the band, and what is.
    pub(super) accuracy: [f64; 4],
    pub(super) agreement: [f64; 4],
    pub(super) ece: [f64; 4],
    chart: Chart,
}

impl Halved {
    pub(super) fn new(settings: &Settings, set: &Set, seed: u64) -> Result<Self> {
        let context = &settings.context;
        let (mut one, mut other) = (set.shuffled(seed), set.shuffled(seed));
        one.iter_mut().for_each(|votes| votes.truncate(votes.len().div_ceil(2)));
        other.iter_mut().for_each(|votes| drop(votes.drain(..votes.len().div_ceil(2))));
        let (half, rest, all) = (set.table(&one)?, set.table(&other)?, set.table(&set.tasks)?);
        let mean = |labels: &Labels| labels.len() as f64 / labels.tasks.len() as f64;
        let most = mean(&all).round() as usize;
        let predicted = EnoughVotes { most: Some(most), ..EnoughVotes::default() }.run(&half, context)?;
        let row = predicted.curve.last().ok_or("no prediction")?;
        let (accuracy, ece) = quality(&all, &set.truth, context)?;
        let near = mean(&half).round() as usize;
        let at_half = predicted.curve.iter().find(|row| row.votes >= near).unwrap_or(row);
        let agreement = agreement(&half, &rest, settings)?;
        let points = |figure: fn(&beanjar::truth::VotesRow) -> f64| {
            predicted.curve.iter().map(move |row| (row.votes as f64, figure(row)))
        };
        let band = predicted.curve.iter().map(|row| (row.votes as f64, row.accuracy_low, row.accuracy_high));
        let mut measured = Vec::new();
        for votes in 1..=most {
            // A few numbers are enough to see the line.
            if votes > 5 && votes != most && !votes.is_multiple_of(most.div_ceil(5)) {
                continue;
            }
            let mut tasks = set.shuffled(seed);
            tasks.iter_mut().for_each(|of| of.truncate(votes));
            measured.push((votes as f64, quality(&set.table(&tasks)?, &set.truth, context)?.0));
        }
        let chart = Chart::new(format!("{}: votes per task", set.name), "votes per task", "accuracy")
            .with(Series::new("expected from half", points(|row| row.accuracy)).with_band(band))
            .with(Series::new("by the truth", measured).dashed());
        Ok(Halved {
            votes: (mean(&half), mean(&all)),
            accuracy: [row.accuracy, row.accuracy_low, row.accuracy_high, accuracy],
            agreement: [at_half.agreement, at_half.agreement_low, at_half.agreement_high, agreement],
            ece: [row.ece, row.ece_low, row.ece_high, ece],
            chart,
        })
    }

    fn met(&self) -> bool {
        (self.accuracy[1]..=self.accuracy[2]).contains(&self.accuracy[3])
    }

    fn agreed(&self) -> bool {
        (self.agreement[1]..=self.agreement[2]).contains(&self.agreement[3])
    }

    fn calibrated(&self) -> bool {
        (self.ece[1]..=self.ece[2]).contains(&self.ece[3])
    }

    fn row(&self, name: &str) -> Vec<String> {
        let of = |[mean, low, high, is]: [f64; 4], inside: bool| {
            let mark = if inside { "" } else { "x" };
            vec![short(mean), format!("{}-{}", short(low), short(high)), short(is), mark.to_owned()]
        };
        let votes = format!(
            "{} of {}",
            number((self.votes.0 * 10.0).round() / 10.0),
            number((self.votes.1 * 10.0).round() / 10.0)
        );
        [
            vec![name.to_owned(), votes],
            of(self.accuracy, self.met()),
            of(self.agreement, self.agreed()),
            of(self.ece, self.calibrated()),
        ]
        .concat()
    }
}

/// Three digits after the point, which is enough to compare shares by.
fn short(share: f64) -> String {
    format!("{share:.3}")
}

/// The share of tasks with votes in both that have the same label in both.
fn agreement(one: &Labels, other: &Labels, settings: &Settings) -> Result<f64> {
    let one = Aggregate::default().fit(one, &settings.context)?;
    let other = Aggregate::default().fit(other, &settings.context)?;
    let lookup = other.task_ids.lookup();
    let (mut same, mut both) = (0.0, 0.0);
    for task in one.tasks() {
        let Some(second) = lookup.code(task.task).and_then(|at| other.task(at)) else { continue };
        both += 1.0;
        same += f64::from(u8::from(task.label == second.label));
    }
    Ok(same / both)
}
