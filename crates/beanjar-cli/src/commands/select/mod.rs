mod report;

use super::label_column::LabelColumn;
use super::report_flags::ReportFlags;
use super::{Reading, column_names};
use crate::Common;
use crate::failure::{Failure, Result};
use beanjar::multiselect::{self, Combine, Elsewhere, Method, NoiseFactors};
use beanjar_io::{Source, read_table};
use clap::{Args, ValueEnum};

/// Choose which attributes to judge, how many times each, within a budget per object.
///
/// Needs two or more judgments of each attribute of some labelled objects. The result says how often to judge each
/// attribute of a new object, how to weigh the means of the judgments, and what squared error to expect. That error is
/// cross-validated: each object is predicted from the others.
///
/// Labels that are not numbers are classes, two or more: then it says what share of new objects to expect in the wrong class.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar select judgments.csv --labels truth.csv --label height --budget 30\n  beanjar select judgments.csv --labels truth.csv --budget 40 --cost height=4,weight=4 --at-most 10 --out selection.json\n  beanjar select judgments.csv --label trustworthy --budget 20\n  beanjar select judgments.csv --labels species.csv --budget 20\n  beanjar select judgments.csv --labels truth.csv --budget 20 --pilot few-by-the-new-crowd.csv\n  beanjar select judgments.csv --labels truth.csv --budget 40 --report report.html"
)]
pub(crate) struct Select {
    /// The judgments: object,attribute,worker,value, or a column per attribute.
    #[arg(value_name = "JUDGMENTS")]
    file: Source,
    #[command(flatten)]
    label_column: LabelColumn,
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
    /// How much to shrink the weights where objects are few: X times (signal + noise/2) is added to each attribute's
    /// variance. 0 is the paper's algorithm; auto takes the X with the smallest expected error.
    #[arg(long, value_name = "X|auto", default_value = "auto", allow_negative_numbers = true)]
    ridge: String,
    /// How judgments of an attribute of an object become one number.
    #[arg(long, value_enum, default_value_t = AggregateName::Mean)]
    aggregate: AggregateName,
    /// How many times the noise of these judgments those of new objects will have, where others will judge them: a number for
    /// all attributes, or NAME=F,...
    #[arg(long, value_name = "F|NAME=F,...", conflicts_with = "pilot", allow_negative_numbers = true)]
    noise_factor: Vec<String>,
    /// A few judgments by those who will judge new objects, some objects twice: their noise takes the place of that of
    /// JUDGMENTS.
    #[arg(long, value_name = "FILE")]
    pilot: Option<Source>,
    /// Whether an attribute that the label was averaged from may be used to predict it.
    #[arg(long, value_enum, value_name = "allow|refuse", default_value_t = Leak::Refuse)]
    leak: Leak,
    /// Repeat the selection on N resamplings of the objects, and report how often each attribute is chosen.
    #[arg(long, value_name = "N")]
    bootstrap: Option<usize>,
    /// Also estimate what error the other methods would have; a report always does.
    #[arg(long)]
    compare: bool,
    /// Sums over all objects, where JUDGMENTS are those of a sample: `beanjar.spark` makes them.
    #[arg(long, value_name = "FILE", hide = true)]
    moments: Option<Source>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    report: ReportFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Leak {
    /// It may.
    Allow,
    /// It may not.
    Refuse,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// One judgment after the other, the one that explains most given those before.
    Full,
    /// As if attributes were uncorrelated: steadier where objects are few.
    Scoring,
    /// Full, improved by exchanges, and on small problems proven best; the expected error is that of Full.
    Best,
    /// Baseline: standard feature selection on the means of the judgments at hand.
    Averages,
    /// Baseline: standard feature selection on single judgments; without an expected error.
    Copies,
    /// Baseline: the mean of one attribute, named with --always, else the best one.
    CrowdMean,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AggregateName {
    /// Their mean.
    Mean,
    /// Their median, which a few that are far off do not move.
    Median,
    /// Of two values the one that most give; the middle of both where as many give each.
    Majority,
}

impl From<AggregateName> for Combine {
    fn from(name: AggregateName) -> Combine {
        match name {
            AggregateName::Mean => Combine::Mean,
            AggregateName::Median => Combine::Median,
            AggregateName::Majority => Combine::Majority,
        }
    }
}

impl From<MethodName> for Method {
    fn from(name: MethodName) -> Method {
        match name {
            MethodName::Full => Method::Full,
            MethodName::Scoring => Method::Scoring,
            MethodName::Best => Method::Best,
            MethodName::Averages => Method::Averages,
            MethodName::Copies => Method::Copies,
            MethodName::CrowdMean => Method::CrowdMean,
        }
    }
}

impl Select {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let costs: Vec<Source> = self.cost.iter().filter(|given| !given.contains('=')).map(Source::from).collect();
        let inputs: Vec<&Source> =
            [&self.file].into_iter().chain(&self.label_column.labels).chain(&self.pilot).chain(&costs).collect();
        let (sink, page) = self.report.places(&inputs, common)?;
        let mut params = self.params(common)?;
        let judgments = self.reading.judgments(&self.file, common)?;
        let (label, averaged) = self.label_column.read(None, (&judgments, &self.file), &self.reading, common)?;
        if let Some(averaged) = averaged {
            params.label_noise = averaged.noise;
            params.label_of = Some(averaged.of);
        }
        if let Some(source) = &self.pilot {
            let pilot = self.reading.judgments(source, common)?;
            let found = NoiseFactors::from_pilot(&judgments, &pilot);
            params.noise_factors = found.map_err(|error| Failure::from(error).of(source))?;
        }
        let context = common.context()?;
        let found = match &self.moments {
            None => params.fit(&judgments, &label, &context),
            Some(source) => {
                let read = Elsewhere::from_bytes(&source.bytes()?);
                let elsewhere = read.map_err(|error| Failure::from(error).of(source))?;
                params.fit_sample(&judgments, &label, &elsewhere, &context)
            }
        };
        let outcome = found.map_err(|error| self.label_column.blame(error, &self.file))?;
        common.warn_all(&outcome.warnings);
        let title = format!("What to ask to predict {}", outcome.label.name);
        page.draw(&title, || vec![beanjar_report::select(&outcome)])?;
        sink.emit(&outcome)
    }

    fn params(&self, common: &Common) -> Result<multiselect::Select> {
        let names = |names: &[String]| names.iter().map(|name| name.trim().to_owned()).collect();
        let params = multiselect::Select {
            budget: self.budget,
            method: self.method.into(),
            at_most: self.at_most,
            always: names(&self.always),
            never: names(&self.never),
            ridge: self.ridge()?,
            aggregate: self.aggregate.into(),
            noise_factors: noise_factors(&self.noise_factor)?,
            classes: self.label_column.classes,
            leak: self.leak == Leak::Allow,
            bootstrap: self.bootstrap,
            compare: self.compare || self.report.wanted(common),
            ..Default::default()
        };
        self.cost.iter().try_fold(params, |params, given| match given.contains('=') {
            true => with_pairs(params, given),
            false => with_table(params, &Source::from(given)),
        })
    }

    fn ridge(&self) -> Result<Option<f64>> {
        let bad = || Failure::Words(format!("--ridge: '{}' is neither auto nor a number", self.ridge));
        match self.ridge.as_str() {
            "auto" => Ok(None),
            text => text.parse().map(Some).map_err(|_| bad()),
        }
    }
}

/// Noise factors: a number for all, or NAME=NUMBER,...
pub(crate) fn noise_factors(given: &[String]) -> Result<NoiseFactors> {
    let mut factors = NoiseFactors::default();
    for given in given {
        match given.parse() {
            Ok(all) => factors.others = all,
            Err(_) => factors.of.extend(pairs("--noise-factor", given)?),
        }
    }
    Ok(factors)
}

/// NAME=NUMBER,...
fn pairs(flag: &str, given: &str) -> Result<Vec<(String, f64)>> {
    let pair = |pair: &str| {
        let bad = || Failure::Words(format!("{flag}: '{pair}' is not NAME=NUMBER"));
        let (name, number) = pair.rsplit_once('=').ok_or_else(bad)?;
        Ok((name.trim().to_owned(), number.trim().parse().map_err(|_| bad())?))
    };
    given.split(',').map(pair).collect()
}

/// Costs written as NAME=NUMBER,...
fn with_pairs(mut params: multiselect::Select, given: &str) -> Result<multiselect::Select> {
    params.costs.extend(pairs("--cost", given)?);
    Ok(params)
}

/// Costs and limits from a table.
fn with_table(mut params: multiselect::Select, source: &Source) -> Result<multiselect::Select> {
    let table = read_table(source)?;
    let known = |name: &String| matches!(name.as_str(), "cost" | "at_most" | "at-most");
    if !table.names.iter().any(known) {
        let names = column_names(&table);
        return Err(Failure::Words(format!("{}: no column 'cost' or 'at_most'; found {names}", source.name())));
    }
    for (i, name) in table.names.iter().enumerate() {
        let Some(column) = table.column(i).filter(|_| known(name)) else { continue };
        let with = if name == "cost" { params.with_costs(&column) } else { params.with_limits(&column) };
        params = with.map_err(|error| Failure::from(error).of(source))?;
    }
    Ok(params)
}
