//! What is said of judgments.

use super::agreement_table::{Agreeing, MOST, worker_table};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::InspectJudgmentsOutcome;
use beanjar::reliability::{AttributeReliability, Interval, JudgmentWorker};
use serde::Serialize;

/// What `inspect` prints of judgments.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct JudgmentsReport<'a> {
    pub(crate) outcome: &'a InspectJudgmentsOutcome,
    /// Whether to show every worker in the table.
    #[serde(skip)]
    pub(crate) all: bool,
}

impl Report for JudgmentsReport<'_> {
    fn text(&self) -> String {
        let found = self.outcome;
        let mut text = format!(
            "{} of {} on {}",
            count(found.judgments, "judgment"),
            count(found.objects, "object"),
            count(found.attributes.len(), "attribute"),
        );
        if !found.workers.is_empty() {
            text += &format!(", by {}", count(found.workers.len(), "worker"));
        }
        if let Some(labelled) = found.labelled {
            text += &format!("; {} with a label", count(labelled, "object"));
        }
        text += "\n\n";
        let mean_of = format!("mean of {}", found.repeats);
        let header = ["attribute", "judgments", "mean", "noise", "signal", "icc", &mean_of, "needed", "alpha"];
        let row = |a: &AttributeReliability| {
            vec![
                a.attribute.clone(),
                a.judgments.to_string(),
                number(a.mean),
                number(a.noise),
                number(a.signal),
                number(a.icc),
                number(a.reliability),
                a.needed.map_or("-".into(), |needed| needed.to_string()),
                number(a.alpha),
            ]
        };
        text += &table(&header, found.attributes.iter().map(row).collect());
        let wanted = found.wanted;
        text += &format!(
            "\n  noise: variance among judgments of one object; signal: variance among objects\n  \
             icc: reliability of one judgment; {mean_of}: of the mean of {} judgments\n  \
             needed: judgments to average for a reliability of {wanted}; alpha: Krippendorff's, 1 is full agreement\n",
            found.repeats
        );
        text += &self.means_table();
        text += &worker_table(
            found
                .workers
                .iter()
                .map(|w| Agreeing::new(&w.worker, w.judgments, w.agreement, w.agreement_high))
                .collect(),
            "judgments",
            "correlation with the others' mean on the same objects",
            self.all,
        );
        text + &self.bias_table()
    }

    fn rows(&self) -> Rows<'_> {
        let header = [
            "attribute",
            "objects",
            "judgments",
            "mean",
            "noise",
            "signal",
            "icc",
            "reliability",
            "needed",
            "alpha",
            "icc_low",
            "icc_high",
            "icc2k",
            "icc3k",
            "alpha_low",
            "alpha_high",
        ];
        let row = |a: &AttributeReliability| {
            vec![
                a.attribute.clone(),
                a.objects.to_string(),
                a.judgments.to_string(),
                exact(Some(a.mean)),
                exact(a.noise),
                exact(a.signal),
                exact(a.icc),
                exact(a.reliability),
                a.needed.map(|needed| needed.to_string()).unwrap_or_default(),
                exact(a.alpha),
                exact(a.icc_low),
                exact(a.icc_high),
                exact(a.icc2k.map(|icc| icc.estimate)),
                exact(a.icc3k.map(|icc| icc.estimate)),
                exact(a.alpha_low),
                exact(a.alpha_high),
            ]
        };
        with_header(&header, self.outcome.attributes.iter().map(row))
    }
}

impl JudgmentsReport<'_> {
    /// Reliabilities with their intervals, those of the means of all judgments of an object too.
    fn means_table(&self) -> String {
        let of = |icc: Option<Interval>| match icc {
            Some(icc) => interval(Some(icc.estimate), Some(icc.low), Some(icc.high)),
            None => "-".into(),
        };
        let row = |a: &AttributeReliability| {
            vec![
                a.attribute.clone(),
                interval(a.icc, a.icc_low, a.icc_high),
                interval(a.alpha, a.alpha_low, a.alpha_high),
                a.raters.map_or("-".into(), |raters| format!("{raters:.1}")),
                of(a.icc2k),
                of(a.icc3k),
            ]
        };
        let all = self.outcome.attributes.len();
        let shown = if self.all { all } else { all.min(MOST) };
        let rows = self.outcome.attributes[..shown].iter().map(row).collect();
        let mut text = format!("\n{}", table(&["attribute", "icc(1)", "alpha", "k", "icc(2,k)", "icc(3,k)"], rows));
        if shown < all {
            text += &format!("  and {} (--all shows them)\n", count(all - shown, "further attribute"));
        }
        text + "\n  with 95% intervals; icc(2,k) and icc(3,k): reliability of the mean of the k judgments that an\n  \
                object has, by any raters, and by the same raters for all objects\n"
    }

    /// Who rates high or low, and who uses the ends of the scale; the farthest first.
    fn bias_table(&self) -> String {
        let mut workers: Vec<&JudgmentWorker> = self.outcome.workers.iter().filter(|w| w.bias.is_some()).collect();
        let far = |worker: &JudgmentWorker| worker.bias.unwrap_or(0.0).abs();
        workers.sort_by(|a, b| far(b).total_cmp(&far(a)).then(a.worker.cmp(&b.worker)));
        let shown = if self.all { workers.len() } else { workers.len().min(MOST) };
        if shown == 0 {
            return String::new();
        }
        let row = |worker: &&JudgmentWorker| {
            let bias = worker.bias.map_or("-".into(), |bias| format!("{bias:+.2}"));
            let ends = |share: Option<f64>| share.map_or("-".into(), |share| format!("{:.0}%", 100.0 * share));
            vec![worker.worker.clone(), worker.judgments.to_string(), bias, ends(worker.ends), ends(worker.ends_usual)]
        };
        format!(
            "\n{}\n  bias: what the worker adds to a judgment, in standard deviations: + rates high, - rates low\n  \
             ends: share of their judgments at the lowest or highest value; usual: that of all judgments\n  \
             --adjusted FILE.csv writes objects' means without the bias of their raters\n",
            table(&["worker", "judgments", "bias", "ends", "usual"], workers[..shown].iter().map(row).collect())
        )
    }
}

/// Two digits are all that an interval leaves.
fn interval(estimate: Option<f64>, low: Option<f64>, high: Option<f64>) -> String {
    match (estimate, low, high) {
        (Some(estimate), Some(low), Some(high)) => {
            let short = |x: f64| format!("{x:.2}").replacen("0.", ".", 1);
            format!("{estimate:.2} [{}, {}]", short(low), short(high))
        }
        (Some(estimate), ..) => format!("{estimate:.2}"),
        _ => "-".into(),
    }
}
