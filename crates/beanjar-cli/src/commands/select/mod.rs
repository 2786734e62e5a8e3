mod report;

pub(crate) use report::SelectReport;

use super::Reading;
use super::labelled::{Known, Labelled, judgments_of};
use crate::Common;
use crate::failure::{Failure, Result};
use beanjar::Judgments;
use beanjar::multiselect::{Estimates, Method, RIDGES, Spending, select};
use beanjar_io::{Source, read_table};
use clap::{Args, ValueEnum};

/// Choose which attributes to judge, how many times each, within a budget per object.
///
/// From two or more judgments of each attribute of some labelled objects. 'explained' is how much of the label's
/// variance the chosen judgments explain; the projected loss is what that leaves, and is too good as a rule, for the same
/// objects were used to choose. The expected loss is cross-validated: believe that one. 'upper bound' is what no
/// selection within the budget can exceed.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar select judgments.csv --labels truth.csv --label height --budget 30\n  beanjar select judgments.csv --labels truth.csv --budget 40 --cost height=4,weight=4 --at-most 10 --out selection.json"
)]
pub(crate) struct Select {
    /// The judgments: object,attribute,worker,value, or a column per attribute.
    #[arg(value_name = "JUDGMENTS")]
    file: Source,
    #[command(flatten)]
    labelled: Labelled,
    /// What may be spent on the judgments of each new object.
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    budget: f64,
    /// How to choose.
    #[arg(long, value_enum, default_value_t = MethodName::Full)]
    method: MethodName,
    /// What a judgment costs, if not 1: height=4,weight=4, or a table of attribute,cost (and at_most, if you like).
    #[arg(long, value_name = "FILE|NAME=X,...")]
    cost: Vec<String>,
    /// How often an attribute may be judged.
    #[arg(long, value_name = "N")]
    at_most: Option<u32>,
    /// Attributes to judge at least once.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    always: Vec<String>,
    /// Attributes never to judge.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    never: Vec<String>,
    /// How much to steady the estimates where objects are few: X times (signal + noise/2) is added to each attribute's
    /// variance. 0 is the paper's algorithm to the letter, auto chooses by the expected loss.
    #[arg(long, value_name = "X|auto", default_value = "auto", allow_negative_numbers = true)]
    ridge: String,
    /// Repeat the selection on so many samples of the objects, and say how often each attribute is chosen.
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// One judgment after the other, the one that explains most given those before.
    Full,
    /// As if attributes were uncorrelated: steadier where objects are few.
    Scoring,
    /// Full, improved by exchanges, and on small problems proven best; the expected loss is that of Full.
    Best,
    /// Baseline: standard feature selection on the means of the judgments at hand.
    Averages,
    /// Baseline: standard feature selection on single judgments; without an expected loss.
    Copies,
    /// Baseline: the mean of one attribute, named with --always, else the best one.
    CrowdMean,
}

impl Select {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let inputs = [&self.file, &self.labelled.labels];
        let sink = common.sink(&inputs)?;
        let judgments = judgments_of(self.reading.read(&self.file, common)?.data, &self.file)?;
        let known = self.labelled.load(&self.file, &judgments.objects, None, common)?;
        let report = self.report(&judgments, &known, common).map_err(|failure| failure.of(&self.file))?;
        sink.emit(&report)
    }

    fn report(&self, judgments: &Judgments, known: &Known, common: &Common) -> Result<SelectReport> {
        let data = (judgments, &known.coded.values[..]);
        let spending = self.spending(judgments)?;
        let plain = Estimates::new(judgments, data.1, 0.0, &common.context()?)?;
        let left_out: Vec<String> =
            (0..plain.usable.len()).filter(|&a| !plain.usable[a]).map(|a| plain.attributes[a].clone()).collect();
        if !left_out.is_empty() {
            common
                .warn(&format!("left out, for no labelled object has two judgments of them: {}", left_out.join(", ")));
        }
        spending.check(&plain)?;
        let method = self.method(judgments, &plain, &spending)?;
        let ridges =
            match self.ridge.as_str() {
                "auto" => RIDGES.to_vec(),
                text => vec![text.parse().ok().filter(|ridge: &f64| ridge.is_finite() && *ridge >= 0.0).ok_or_else(
                    || Failure::Words(format!("--ridge: '{text}' is neither auto nor a number of at least 0")),
                )?],
            };
        SelectReport::of(judgments, known, (method, &spending, &ridges), self.bootstrap, left_out, common)
    }

    fn method(&self, judgments: &Judgments, estimates: &Estimates, spending: &Spending) -> Result<Method> {
        // As many judgments as there are of an attribute of an object, on average.
        let at_hand = judgments.len() as f64 / (judgments.objects.len() * judgments.attributes.len()) as f64;
        let k = (at_hand.round() as u32).max(1);
        Ok(match self.method {
            MethodName::Full => Method::Full,
            MethodName::Scoring => Method::Scoring,
            MethodName::Best => Method::Best,
            MethodName::Averages => Method::Averages(k),
            MethodName::Copies => Method::Copies(k),
            MethodName::CrowdMean => {
                let named = spending.always.iter().position(|always| *always);
                let attributes = 0..estimates.attributes.len();
                let explained = |a: usize| {
                    let found = select(Method::CrowdMean(a), estimates, spending, (judgments, &[]));
                    found.map_or(f64::NEG_INFINITY, |selection| selection.explained)
                };
                // From the last, for of equals the last seen is taken, and ties go to the first.
                let best = || {
                    attributes
                        .rev()
                        .filter(|&a| estimates.usable[a])
                        .max_by(|&a, &b| explained(a).total_cmp(&explained(b)))
                };
                Method::CrowdMean(named.or_else(best).unwrap_or(0))
            }
        })
    }

    fn spending(&self, judgments: &Judgments) -> Result<Spending> {
        let d = judgments.attributes.len();
        let mut spending = Spending { budget: self.budget, ..Spending::judgments(0, d) };
        let lookup = judgments.attributes.lookup();
        let find = |flag: &str, name: &str| {
            lookup.code(name).ok_or_else(|| {
                let known: Vec<&str> = judgments.attributes.iter().take(12).collect();
                Failure::Words(format!(
                    "{flag}: no attribute '{name}' among the judgments; there are {}",
                    known.join(", ")
                ))
            })
        };
        if let Some(most) = self.at_most {
            spending.at_most.fill(most);
        }
        for given in &self.cost {
            if !given.contains('=') {
                self.costs_from(&Source::from(given), &find, &mut spending)?;
                continue;
            }
            for pair in given.split(',') {
                let bad = || Failure::Words(format!("--cost: '{pair}' is not NAME=NUMBER"));
                let (name, cost) = pair.rsplit_once('=').ok_or_else(bad)?;
                spending.cost[find("--cost", name.trim())?] = cost.trim().parse().map_err(|_| bad())?;
            }
        }
        for name in &self.never {
            spending.at_most[find("--never", name.trim())?] = 0;
        }
        for name in &self.always {
            let a = find("--always", name.trim())?;
            if spending.at_most[a] == 0 {
                return Err(Failure::Words(format!("'{name}' cannot be both always and never judged")));
            }
            spending.always[a] = true;
        }
        Ok(spending)
    }

    fn costs_from(
        &self,
        source: &Source,
        find: &impl Fn(&str, &str) -> Result<usize>,
        spending: &mut Spending,
    ) -> Result<()> {
        let table = read_table(source)?;
        let flag = format!("--cost {}", source.name());
        for (i, name) in table.names.iter().enumerate() {
            for (row, attribute) in table.ids.iter().enumerate() {
                let text = table.columns[i][row].trim();
                if text.is_empty() {
                    continue;
                }
                let bad =
                    || Failure::Words(format!("{flag}: '{text}' for '{attribute}' in column '{name}' is not a number"));
                match name.as_str() {
                    "cost" => spending.cost[find(&flag, attribute)?] = text.parse().map_err(|_| bad())?,
                    "at_most" | "at-most" => {
                        spending.at_most[find(&flag, attribute)?] = text.parse().map_err(|_| bad())?;
                    }
                    _ => {}
                }
            }
        }
        match table.names.iter().any(|name| matches!(name.as_str(), "cost" | "at_most" | "at-most")) {
            true => Ok(()),
            false => {
                Err(Failure::Words(format!("{flag}: no column 'cost' or 'at_most'; found {}", table.names.join(", "))))
            }
        }
    }
}
