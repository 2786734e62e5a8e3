use super::repeats::RepeatsFlag;
use super::report_flags::{ReportFlags, title_of};
use super::{Known, Reading};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, exact, number, table, with_header};
use beanjar::truth::VotesRow;
use beanjar::{EnoughVotes, EnoughVotesOutcome};
use beanjar_io::Source;
use clap::Args;

/// How many votes per task are enough: accuracy, agreement and calibration with 1, 2, 3, ... votes, and what the next gains.
///
/// Up to the votes there are, some are left out at random; beyond, the fitted models draw further ones. Without known answers
/// nobody can tell errors that all workers share from the truth, so accuracy has a band: from workers who err together to
/// workers who err independently. Some 50 known answers (--gold) narrow it.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar votes labels.csv\n  beanjar votes labels.csv --target-accuracy 0.95 --cost 0.04\n  beanjar votes labels.csv --gold known.csv --worth 2 --cost 0.04\n  beanjar votes labels.csv --report report.html"
)]
pub(crate) struct Votes {
    /// The labels: task,worker,label.
    #[arg(value_name = "LABELS")]
    labels: Source,
    /// The accuracy to reach: gives the votes per task and their price.
    #[arg(long, value_name = "SHARE")]
    target_accuracy: Option<f64>,
    /// The price of a vote.
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true)]
    cost: f64,
    /// What a corrected label is worth, in the same money: votes pay as long as they correct labels for less [default: the
    /// price of 100 votes].
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    worth: Option<f64>,
    /// The most votes per task to look at [default: twice the mean there are].
    #[arg(long, value_name = "N")]
    most: Option<usize>,
    /// Known true labels (task,label): the accuracy is corrected by them, and its band is narrower.
    #[arg(long, value_name = "FILE")]
    gold: Option<Source>,
    #[command(flatten)]
    repeats: RepeatsFlag,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    report: ReportFlags,
}

impl Votes {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs: Vec<&Source> = [&self.labels].into_iter().chain(&self.gold).collect();
        let (sink, page) = self.report.places(&inputs, common)?;
        let labels = self.reading.labels(&self.labels, common)?;
        let enough = EnoughVotes {
            most: self.most,
            target: self.target_accuracy,
            cost: self.cost,
            worth: self.worth,
            known: self.gold.as_ref().map(|gold| Known::new(&self.reading, common).labels(gold)).transpose()?,
            repeats: self.repeats.repeats(),
        };
        let outcome = enough.run(&labels, &common.context()?);
        let outcome = outcome.map_err(|error| of_tables(error, &self.labels, self.gold.as_ref()))?;
        common.warn_all(&outcome.warnings);
        page.draw(&format!("How many votes {} needs", title_of(&self.labels)), || {
            vec![beanjar_report::votes(&outcome)]
        })?;
        sink.emit(&outcome)
    }
}

/// What is wrong, with the file that it is wrong with.
pub(super) fn of_tables(error: beanjar::Error, labels: &Source, gold: Option<&Source>) -> Failure {
    match (error, gold) {
        (beanjar::Error::OfTable { error, .. }, Some(gold)) => Failure::from(*error).of_two(labels, gold),
        (error, _) => Failure::from(error).of(labels),
    }
}

impl Report for EnoughVotesOutcome {
    fn text(&self) -> String {
        let share = |value: f64| format!("{value:.3}");
        let row = |row: &VotesRow| {
            let measured = if row.measured >= 0.995 { "yes".into() } else { format!("{:.0}%", 100.0 * row.measured) };
            let accuracy = format!("{} to {}", share(row.accuracy_low), share(row.accuracy_high));
            vec![
                row.votes.to_string(),
                share(row.accuracy),
                accuracy,
                share(row.agreement),
                share(row.ece),
                row.gain.map_or("-".into(), |gain| format!("{:.4}", gain.max(0.0))),
                number(row.price),
                number(row.price_of_more),
                measured,
            ]
        };
        let mut text = self.headline() + "\n\n";
        let header =
            ["votes", "accuracy", "band", "agreement", "ece", "next gains", "price", "still to pay", "measured"];
        text += &table(&header, self.curve.iter().map(row).collect());
        text += "\n  accuracy    share of labels expected to be right with that number of votes on every task\n";
        text += match self.known_answers {
            0 => "  band        low if workers share their errors, high if they err independently; --gold narrows it\n",
            _ => "  band        where the accuracy lies with 90 percent, by labels and known answers\n",
        };
        text += "  agreement   share of tasks that as many other votes would give the same label\n";
        text += "  ece         expected calibration error: how far stated confidence is from accuracy\n";
        text += "  next gains  accuracy gained by one more vote on every task\n";
        text += "  measured    whether tasks have as many votes; where not, the models drew the rest\n\n";
        for sentence in self.advice() {
            text += &format!("{sentence}\n");
        }
        if self.stops_paying.is_none() {
            text += "--most looks further.\n";
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let header = [
            "votes",
            "measured",
            "accuracy",
            "accuracy_low",
            "accuracy_high",
            "agreement",
            "agreement_low",
            "agreement_high",
            "ece",
            "ece_low",
            "ece_high",
            "gain",
            "price",
            "price_of_more",
        ];
        let row = |row: &VotesRow| {
            let numbers = [
                row.measured,
                row.accuracy,
                row.accuracy_low,
                row.accuracy_high,
                row.agreement,
                row.agreement_low,
                row.agreement_high,
                row.ece,
                row.ece_low,
                row.ece_high,
            ];
            let mut cells = vec![row.votes.to_string()];
            cells.extend(numbers.map(|value| exact(Some(value))));
            cells.extend([exact(row.gain), exact(Some(row.price)), exact(Some(row.price_of_more))]);
            cells
        };
        with_header(&header, self.curve.iter().map(row))
    }
}
