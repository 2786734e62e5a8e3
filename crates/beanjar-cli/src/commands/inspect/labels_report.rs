//! What is said of labels.

use super::agreement_table::{Agreeing, worker_table};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::InspectLabelsOutcome;
use beanjar_io::PositionBias;
use serde::Serialize;

/// What `inspect` prints of labels.
#[derive(Serialize)]
pub(super) struct LabelsReport {
    #[serde(flatten)]
    pub(super) outcome: InspectLabelsOutcome,
    /// Of verdicts on pairs: how often each judge chose what stood first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) positions: Vec<PositionBias>,
    /// Whether to show every worker in the table.
    #[serde(skip)]
    pub(super) all: bool,
}

impl Report for LabelsReport {
    fn text(&self) -> String {
        let found = &self.outcome;
        let mut text = format!(
            "{} of {} by {}",
            count(found.labels, "label"),
            count(found.tasks, "task"),
            count(found.workers.len(), "worker"),
        );
        if let Some(labelled) = found.labelled {
            text += &format!("; {} with a known label", count(labelled, "task"));
        }
        text += "\n\n";
        let classes = found.classes.iter().zip(&found.shares);
        // A table of a thousand numbers is not read by anyone.
        const MOST: usize = 20;
        text += &table(
            &["class", "share"],
            classes.take(MOST).map(|(class, share)| vec![class.clone(), number(*share)]).collect(),
        );
        if found.classes.len() > MOST {
            text += &format!("  and {} more\n", count(found.classes.len() - MOST, "class"));
        }
        text += &format!("\n  votes per task: {}\n", self.votes());
        text += &format!("  Krippendorff's alpha ({}): {}", found.scale.name(), number(found.alpha));
        if let (Some(low), Some(high)) = (found.alpha_low, found.alpha_high) {
            text += &format!("  (95% interval over tasks: {} to {})", number(low), number(high));
        }
        text += "\n    1 is full agreement, 0 is what chance gives\n";
        if let Some(kappa) = found.fleiss_kappa {
            text += &format!("  Fleiss' kappa: {}\n", number(kappa));
        }
        text += &self.position_table();
        text + &worker_table(
            found.workers.iter().map(|w| Agreeing::new(&w.worker, w.labels, w.agreement, w.agreement_high)).collect(),
            "labels",
            "share of the others' votes on the same tasks that are the same",
            self.all,
        )
    }

    fn rows(&self) -> Rows<'_> {
        let rows =
            self.outcome.workers.iter().map(|w| vec![w.worker.clone(), w.labels.to_string(), exact(w.agreement)]);
        with_header(&["worker", "labels", "agreement"], rows)
    }
}

impl LabelsReport {
    /// How far the order of a pair mattered to each judge.
    fn position_table(&self) -> String {
        if self.positions.is_empty() {
            return String::new();
        }
        let row = |bias: &PositionBias| {
            let (verdicts, first) = (bias.verdicts.to_string(), number(bias.first));
            vec![bias.judge.clone(), verdicts, first, bias.both_orders.to_string(), bias.changed.to_string()]
        };
        let rows = self.positions.iter().map(row).collect();
        format!(
            "\n{}\n  first: the share of verdicts for what stood first; half where the order does not matter\n  \
             both: pairs seen in both orders; changed: how many of them got another verdict then\n",
            table(&["judge", "verdicts", "first", "both", "changed"], rows)
        )
    }

    fn votes(&self) -> String {
        let votes = &self.outcome.votes_per_task;
        match &votes[..] {
            [all] => format!("{} each", all.votes),
            [first, .., last] => {
                let mean = self.outcome.labels as f64 / self.outcome.tasks as f64;
                format!("{} to {}, mean {}", first.votes, last.votes, number(mean))
            }
            [] => "none".into(),
        }
    }
}
