use super::{Reading, labels_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, Rows, count, exact, number, table, with_header};
use beanjar::Labels;
use beanjar::truth::{Evidence, Skilled};
use beanjar::workers::{
    Information, Keep, KeepRule, Missing, Pair, Ranking, Suspicion, Trial, best_subset, elbow, goodness_of_fit,
};
use beanjar_io::Source;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::str::FromStr;

/// Rank workers by the mutual information between their labels and the others', and say how many to keep.
///
/// No truth is needed: workers who look at the tasks agree through the tasks, and workers who do not look agree with
/// nobody. With --suspicious, also say which pairs depend on one another beyond what the tasks explain: copies, or a shared
/// misunderstanding.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar workers labels.csv\n  beanjar workers labels.csv --keep 20 --out workers.csv\n  beanjar aggregate labels.csv --workers workers.csv\n  beanjar workers labels.csv --suspicious"
)]
pub(crate) struct Workers {
    /// The labels: task,worker,label.
    #[arg(value_name = "LABELS")]
    file: Source,
    #[command(flatten)]
    reading: Reading,
    /// How many to keep: auto (by --rule), all, or a number.
    #[arg(long, value_name = "auto|all|N", default_value = "auto")]
    keep: Wanted,
    /// By what --keep auto chooses.
    #[arg(long, value_enum, default_value_t = RuleName::Predictive)]
    rule: RuleName,
    /// What becomes of tasks that one of two workers did not label.
    #[arg(long, value_enum, default_value_t = MissingName::Paper)]
    missing: MissingName,
    /// Whom to keep: the first by score, or those who share the most among themselves.
    #[arg(long, value_enum, default_value_t = By::Score)]
    by: By,
    /// Look for pairs of workers who agree (or disagree) beyond what the tasks explain.
    #[arg(long)]
    suspicious: bool,
    /// In the table, show every worker.
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy)]
enum Wanted {
    Auto,
    All,
    Number(usize),
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "auto" => Ok(Wanted::Auto),
            "all" => Ok(Wanted::All),
            _ => match text.parse() {
                Ok(n) if n > 0 => Ok(Wanted::Number(n)),
                _ => Err("not auto, all or a number of workers".into()),
            },
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum RuleName {
    /// Hidden labels are most probable.
    Predictive,
    /// Hidden labels agree most with the aggregated ones.
    Surrogate,
    /// The classes leave least between workers.
    Goodness,
    /// The curve of scores bends.
    Elbow,
}

#[derive(Clone, Copy, ValueEnum)]
enum MissingName {
    /// Probabilities over all tasks, the cells of 'no label' left out.
    Paper,
    /// 'No label' is a label.
    Full,
    /// Only tasks that both labelled.
    Pair,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// The largest sums of information with all others.
    Score,
    /// The subset with the largest sum of information within it.
    Subset,
}

impl Workers {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let sink = common.sink(&[&self.file])?;
        let labels = labels_of(self.reading.read(&self.file, common)?.data, &self.file)?;
        sink.emit(&self.report(&labels, common).map_err(|failure| failure.of(&self.file))?)
    }

    fn report(&self, labels: &Labels, common: &Common) -> Result<WorkersReport> {
        let (ballots, context) = (labels.ballots(), common.context()?);
        if labels.is_empty() {
            return Err(beanjar::Error::Empty("label").into());
        }
        let missing = match self.missing {
            MissingName::Paper => Missing::Paper,
            MissingName::Full => Missing::Full,
            MissingName::Pair => Missing::Pair,
        };
        let rule = match self.rule {
            RuleName::Predictive => KeepRule::Predictive,
            RuleName::Surrogate => KeepRule::Surrogate,
            RuleName::Goodness => KeepRule::Goodness,
            RuleName::Elbow => KeepRule::Elbow,
        };
        let repeated = labels.repeated(&context);
        if repeated > 0 {
            let repeated = count(repeated, "label");
            common.warn(&format!("{repeated} with the (task, worker) of an earlier row; the first counts"));
        }
        let information = Information::new(ballots, missing, &context)?;
        let ranking = Ranking::new(&information);
        let everyone = labels.workers.len();
        let (keep, name, tried) = match self.keep {
            Wanted::All => (everyone, "all", Vec::new()),
            Wanted::Number(n) if n > everyone => {
                return Err(Failure::Words(format!("--keep {n}: there are {}", count(everyone, "worker"))));
            }
            Wanted::Number(n) => (n, "given", Vec::new()),
            Wanted::Auto => {
                let kept = Keep { rule, missing, seed: common.seed }.choose(ballots, &context)?;
                (kept.keep, rule.name(), kept.tried)
            }
        };
        let kept = match self.by {
            By::Score => ranking.top(keep),
            By::Subset => {
                let mut kept = vec![false; everyone];
                best_subset(&information, keep)?.workers.iter().for_each(|&worker| kept[worker] = true);
                kept
            }
        };
        let (goodness, suspicious) = match self.suspicious {
            true => self.suspicious(labels, common)?,
            false => (None, None),
        };
        let rows = ranking.order.iter().enumerate().map(|(rank, &worker)| Worker {
            worker: labels.workers.get(worker).to_owned(),
            labels: information.labelled(worker),
            score: ranking.scores[worker],
            rank: rank + 1,
            kept: kept[worker],
        });
        Ok(WorkersReport {
            keep,
            rule: name,
            elbow: elbow(&ranking.curve()),
            tried,
            workers: rows.collect(),
            goodness,
            suspicious,
            all: self.all,
        })
    }

    fn suspicious(&self, labels: &Labels, common: &Common) -> Result<(Option<f64>, Option<Suspects>)> {
        let (ballots, context) = (labels.ballots(), common.context()?);
        let posterior = Skilled::default().fit(&Evidence::votes(ballots)?, &context)?.posterior;
        let pairs = Suspicion { seed: common.seed, ..Suspicion::default() }.pairs(ballots, &context)?;
        let name = |worker: usize| labels.workers.get(worker).to_owned();
        let suspects = Suspects {
            looked_at: pairs.len(),
            pairs: pairs
                .into_iter()
                .take_while(|pair| pair.adjusted <= 0.05)
                .map(|pair| Suspect { workers: [name(pair.one), name(pair.other)], pair })
                .collect(),
        };
        Ok((Some(goodness_of_fit(ballots, &posterior, &context)), Some(suspects)))
    }
}

#[derive(Serialize)]
struct WorkersReport {
    keep: usize,
    rule: &'static str,
    elbow: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tried: Vec<Trial>,
    workers: Vec<Worker>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goodness: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suspicious: Option<Suspects>,
    #[serde(skip)]
    all: bool,
}

#[derive(Serialize)]
struct Worker {
    worker: String,
    labels: usize,
    score: f64,
    rank: usize,
    kept: bool,
}

#[derive(Serialize)]
struct Suspects {
    looked_at: usize,
    pairs: Vec<Suspect>,
}

#[derive(Serialize)]
struct Suspect {
    workers: [String; 2],
    #[serde(flatten)]
    pair: Pair,
}

impl Report for WorkersReport {
    fn text(&self) -> String {
        const MOST: usize = 20;
        let shown = if self.all { self.workers.len() } else { self.workers.len().min(MOST) };
        let mut text = format!(
            "{}; keep {} (rule: {}; the curve of scores bends at {})\n\n",
            count(self.workers.len(), "worker"),
            self.keep,
            self.rule,
            self.elbow
        );
        let row = |worker: &Worker| {
            let kept = if worker.kept { "keep" } else { "" };
            let (rank, labels) = (worker.rank.to_string(), worker.labels.to_string());
            vec![worker.worker.clone(), rank, labels, number(worker.score), kept.to_owned()]
        };
        text += &table(&["worker", "rank", "labels", "score", ""], self.workers[..shown].iter().map(row).collect());
        if shown < self.workers.len() {
            let rest = count(self.workers.len() - shown, "worker");
            text += &format!("  and {rest} who share less (--all shows them)\n");
        }
        text += "\n  score: mutual information with all others together, in nats\n";
        if !self.tried.is_empty() {
            let row = |trial: &Trial| {
                let mark = if trial.keep == self.keep { "chosen" } else { "" };
                let numbers = [trial.predictive, trial.surrogate, trial.goodness].map(number);
                [vec![trial.keep.to_string()], numbers.to_vec(), vec![mark.into()]].concat()
            };
            let header = ["kept", "predictive", "surrogate", "goodness", ""];
            text += &format!("\n{}", table(&header, self.tried.iter().map(row).collect()));
            text += "\n  predictive: mean log-probability of hidden labels; surrogate: share of them that differ from\n  the aggregated label; goodness: information between workers that the classes leave\n";
        }
        if let Some(suspects) = &self.suspicious {
            text += &format!("\n{} share 10 tasks or more; ", count(suspects.looked_at, "pair"));
            text += &match suspects.pairs.len() {
                0 => "none depends on the other beyond what the tasks explain\n".to_owned(),
                n => format!(
                    "{} on one another beyond what the tasks explain\n\n",
                    count(n, "pair") + if n == 1 { " depends" } else { " depend" }
                ),
            };
            let row = |suspect: &Suspect| {
                let [one, other] = &suspect.workers;
                let pair = &suspect.pair;
                let numbers = [pair.agreement, pair.expected, pair.p_value, pair.adjusted].map(number);
                [vec![format!("{one}, {other}"), pair.shared.to_string()], numbers.to_vec()].concat()
            };
            if !suspects.pairs.is_empty() {
                let header = ["workers", "shared", "agree", "expected", "p", "adjusted"];
                let shown = if self.all { usize::MAX } else { MOST };
                text += &table(&header, suspects.pairs.iter().take(shown).map(row).collect());
                if suspects.pairs.len() > shown {
                    let rest = count(suspects.pairs.len() - shown, "pair");
                    text += &format!("  and {rest} more (--all shows them)\n");
                }
                text += "\n  adjusted: p for the number of pairs looked at; those at or below 0.05 are listed\n";
            }
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let row = |worker: &Worker| {
            let (labels, rank) = (worker.labels.to_string(), worker.rank.to_string());
            vec![worker.worker.clone(), labels, exact(Some(worker.score)), rank, worker.kept.to_string()]
        };
        with_header(&["worker", "labels", "score", "rank", "kept"], self.workers.iter().map(row))
    }
}
