use super::Reading;
use super::labelled::{Known, Labelled, judgments_of};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{Report, exact, number, table};
use beanjar::Judgments;
use beanjar::multiselect::{Estimates, Method, RIDGES, Spending, Stability, Validation, bootstrap, select, validate};
use beanjar_io::{Source, read_table};
use clap::{Args, ValueEnum};
use serde::Serialize;

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
    #[arg(long, value_name = "B")]
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
    /// How much to steady the estimates where objects are few: 0 is the paper's algorithm to the letter, auto chooses by
    /// the expected loss.
    #[arg(long, value_name = "X|auto", default_value = "auto")]
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
    /// Full, improved by exchanges, and on small problems proven best.
    Best,
    /// Baseline: standard feature selection on the means of the judgments at hand.
    Averages,
    /// Baseline: standard feature selection on single judgments.
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
        let plain = Estimates::new(judgments, data.1, 0.0, &common.cores()?)?;
        let left_out: Vec<String> =
            (0..plain.usable.len()).filter(|&a| !plain.usable[a]).map(|a| plain.attributes[a].clone()).collect();
        if !left_out.is_empty() {
            common
                .warn(&format!("left out, for no labelled object has two judgments of them: {}", left_out.join(", ")));
        }
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
                let best = || {
                    attributes.filter(|&a| estimates.usable[a]).max_by(|&a, &b| explained(a).total_cmp(&explained(b)))
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

#[derive(Serialize)]
pub(crate) struct SelectReport {
    method: &'static str,
    budget: f64,
    spent: f64,
    objects: usize,
    label: LabelReport,
    ridge: f64,
    bias: f64,
    explained: f64,
    projected_loss: f64,
    cv_loss: Option<f64>,
    cv_se: Option<f64>,
    /// Of two classes, the share to expect in the wrong one.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_rate: Option<f64>,
    suggested_budget: Option<f64>,
    upper_bound: f64,
    /// The share of the upper bound that is not explained.
    gap: f64,
    proven: bool,
    selection: Vec<Chosen>,
    path: Vec<StepReport>,
    left_out: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<Vec<StabilityReport>>,
}

#[derive(Serialize)]
struct LabelReport {
    name: String,
    mean: f64,
    variance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<[String; 2]>,
}

#[derive(Serialize)]
struct Chosen {
    attribute: String,
    judgments: u32,
    cost: f64,
    weight: f64,
    covariance: f64,
    noise: f64,
    signal: f64,
}

#[derive(Serialize)]
struct StepReport {
    step: usize,
    attribute: String,
    spent: f64,
    explained: f64,
    projected_loss: f64,
    cv_loss: Option<f64>,
    cv_se: Option<f64>,
}

#[derive(Serialize)]
struct StabilityReport {
    attribute: String,
    chosen: f64,
    judgments_low: u32,
    judgments_high: u32,
}

impl SelectReport {
    /// Validates, selects, and puts together what there is to say.
    pub(crate) fn of(
        judgments: &Judgments,
        known: &Known,
        (method, spending, ridges): (Method, &Spending, &[f64]),
        copies: Option<usize>,
        left_out: Vec<String>,
        common: &Common,
    ) -> Result<Self> {
        let cores = common.cores()?;
        let data = (judgments, &known.coded.values[..]);
        let validation = match (method, validate(method, data, spending, ridges, common.seed, &cores)) {
            (Method::Copies(_), _) => None,
            (_, Ok(validation)) => Some(validation),
            (_, Err(error @ beanjar::Error::FewObjects { .. })) => {
                common.warn(&format!("{error}; only the projected loss is given, which is too good as a rule"));
                None
            }
            (_, Err(error)) => return Err(error.into()),
        };
        let ridge = validation.as_ref().map_or(if ridges.len() == 1 { ridges[0] } else { 0.0 }, |found| found.ridge);
        let estimates = Estimates::new(judgments, data.1, ridge, &cores)?;
        let selection = select(method, &estimates, spending, data)?;
        let stability = match copies {
            Some(copies) => Some(bootstrap(method, data, spending, ridge, copies, common.seed, &cores)?),
            None => None,
        };
        Ok(SelectReport::new(known, spending, &estimates, &selection, ridge, validation.as_ref(), stability, left_out))
    }

    #[allow(clippy::too_many_arguments)]
    fn new(
        known: &Known,
        spending: &Spending,
        estimates: &Estimates,
        selection: &beanjar::multiselect::Selection,
        ridge: f64,
        validation: Option<&Validation>,
        stability: Option<Vec<Stability>>,
        left_out: Vec<String>,
    ) -> Self {
        let weights = estimates.weights(&selection.repeats);
        let name = |a: usize| estimates.attributes[a].clone();
        let loss = |spent: f64| validation.map(|validation| validation.loss(spent));
        let path: Vec<StepReport> = selection
            .path
            .iter()
            .enumerate()
            .map(|(i, step)| StepReport {
                step: i + 1,
                attribute: name(step.attribute),
                spent: step.spent,
                explained: step.explained,
                projected_loss: estimates.label_variance - step.explained,
                cv_loss: loss(step.spent).map(|loss| loss.0),
                cv_se: loss(step.spent).map(|loss| loss.1),
            })
            .collect();
        // The smallest sum whose expected loss is within one standard error of the best.
        let expected = |step: &StepReport| step.cv_loss.zip(step.cv_se).map(|(loss, se)| (step.spent, loss, se));
        let expected: Vec<(f64, f64, f64)> = path.iter().filter_map(expected).collect();
        let best = expected.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.1 + best.2);
        let suggested_budget = best.and_then(|most| expected.iter().find(|step| step.1 <= most)).map(|step| step.0);
        SelectReport {
            method: selection.method.name(),
            budget: spending.budget,
            spent: selection.spent,
            objects: estimates.objects,
            label: LabelReport {
                name: known.name.clone(),
                mean: estimates.label_mean,
                variance: estimates.label_variance,
                classes: known.coded.classes.clone(),
            },
            ridge,
            bias: estimates.bias(&weights),
            explained: selection.explained,
            projected_loss: estimates.label_variance - selection.explained,
            cv_loss: loss(selection.spent).map(|loss| loss.0),
            cv_se: loss(selection.spent).map(|loss| loss.1),
            error_rate: loss(selection.spent)
                .and_then(|loss| known.coded.expected_error_rate(loss.0, estimates.label_variance)),
            suggested_budget,
            upper_bound: selection.upper_bound,
            gap: if selection.upper_bound > 0.0 { 1.0 - selection.explained / selection.upper_bound } else { 0.0 },
            proven: selection.proven,
            selection: (0..estimates.attributes.len())
                .filter(|&a| selection.repeats[a] > 0)
                .map(|a| Chosen {
                    attribute: name(a),
                    judgments: selection.repeats[a],
                    cost: spending.cost[a],
                    weight: weights[a],
                    covariance: estimates.covariance[a],
                    noise: estimates.noise[a],
                    signal: estimates.signal[a],
                })
                .collect(),
            path,
            left_out,
            stability: stability.map(|found| {
                let report = |(a, found): (usize, Stability)| StabilityReport {
                    attribute: name(a),
                    chosen: found.chosen,
                    judgments_low: found.judgments.0,
                    judgments_high: found.judgments.1,
                };
                found.into_iter().enumerate().map(report).collect()
            }),
        }
    }
}

impl Report for SelectReport {
    fn text(&self) -> String {
        let share = |part: f64| format!("{:.1}%", 100.0 * part / self.label.variance);
        let mut text = format!(
            "To predict '{}' of a new object, for {} of a budget of {} (from {} labelled objects):\n\n",
            self.label.name, self.spent, self.budget, self.objects
        );
        let stability = |attribute: &str| self.stability.as_ref()?.iter().find(|s| s.attribute == attribute);
        let mut header = vec!["attribute", "judgments", "cost", "weight", "covariance", "noise", "signal"];
        if self.stability.is_some() {
            header.extend(["chosen", "range"]);
        }
        let row = |a: &Chosen| {
            let mut row = vec![
                a.attribute.clone(),
                a.judgments.to_string(),
                number(a.cost * f64::from(a.judgments)),
                number(a.weight),
                number(a.covariance),
                number(a.noise),
                number(a.signal),
            ];
            if let Some(s) = stability(&a.attribute) {
                row.extend([format!("{:.0}%", 100.0 * s.chosen), format!("{}-{}", s.judgments_low, s.judgments_high)]);
            }
            row
        };
        text += &table(&header, self.selection.iter().map(row).collect());
        text += &format!("  (bias)  {}\n\n", number(self.bias));
        if let (Some(loss), Some(se)) = (self.cv_loss, self.cv_se) {
            text += &format!(
                "  expected squared error  {} (standard error {}), of a variance of {}\n",
                number(loss),
                number(se),
                number(self.label.variance)
            );
        }
        if let Some(rate) = self.error_rate {
            text += &format!("  expected error rate     {:.1}% of objects in the wrong class\n", 100.0 * rate);
        }
        text += &format!(
            "  projected               {}: from the very objects used to choose; do not rely on it\n",
            number(self.projected_loss)
        );
        text += &format!(
            "  explained               {} ({} of the variance)\n",
            number(self.explained),
            share(self.explained)
        );
        text += &match self.proven {
            true => "  no selection within the budget explains more (proven)\n".to_owned(),
            false => format!(
                "  upper bound             {}: at most {:.2}% could be gained by any other selection\n",
                number(self.upper_bound),
                100.0 * self.gap
            ),
        };
        if self.ridge > 0.0 {
            text += &format!("  ridge                   {}, chosen by the expected error unless given\n", self.ridge);
        }
        if let Some(suggested) = self.suggested_budget {
            text += &format!(
                "\n  a budget of {suggested} would do: its expected error is within one standard error of the best\n"
            );
            text += &format!("\n{}", self.by_budget());
        }
        text
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let header = ["attribute", "judgments", "cost", "weight", "covariance", "noise", "signal"];
        let row = |a: &Chosen| {
            let numbers = [a.cost, a.weight, a.covariance, a.noise, a.signal];
            let texts = numbers.map(|number| exact(Some(number)));
            [vec![a.attribute.clone(), a.judgments.to_string()], texts.to_vec()].concat()
        };
        std::iter::once(header.map(str::to_owned).to_vec()).chain(self.selection.iter().map(row)).collect()
    }
}

impl SelectReport {
    /// Some steps of the path: about a dozen, denser where little is spent.
    fn by_budget(&self) -> String {
        let last = self.path.len();
        let mut shown: Vec<usize> =
            (0..).map(|i: i32| 1.5f64.powi(i).round() as usize).take_while(|&i| i < last).collect();
        shown.push(last);
        shown.dedup();
        let row = |&i: &usize| {
            let step = &self.path[i - 1];
            vec![
                number(step.spent),
                step.attribute.clone(),
                number(step.projected_loss),
                number(step.cv_loss),
                number(step.cv_se),
            ]
        };
        table(&["spent", "last asked", "projected", "expected", "se"], shown.iter().map(row).collect())
    }
}
