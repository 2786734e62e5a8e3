mod crew;
mod report;

pub(crate) use report::AggregateReport;

pub(crate) use super::model::{Crowd, Model, save};
use super::{Reading, labels_of, truths};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar::truth::{
    Auto, Calibration, DawidSkene, Evidence, Fitted, Majority, Method, Mixture, OneCoin, Pooled, Prior, Skilled,
    Spectral, Stopping, View, Wawa, worker_accuracies,
};
use beanjar::{Labels, Warning};
use beanjar_io::{Output, Source};
use clap::{Args, ValueEnum};
use crew::WorkersWanted;
use report::Fit;
use std::path::PathBuf;

/// Find the true label of each task from the labels of several workers, with its probability.
///
/// No truth is needed: workers who agree with the others through the tasks are trusted more. The default method chooses
/// by what labels alone can tell. Classes with equal probability are tied, and one of them is drawn by --seed.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar aggregate labels.csv --out truth.csv\n  beanjar aggregate labels.csv --method dawid-skene --confusion --format json\n  beanjar aggregate labels.csv --gold known.csv --workers auto --model model.json"
)]
pub(crate) struct Aggregate {
    /// The labels: task,worker,label.
    #[arg(value_name = "LABELS")]
    file: Source,
    #[command(flatten)]
    reading: Reading,
    /// How to aggregate.
    #[arg(long, value_enum, default_value_t = MethodName::Auto)]
    method: MethodName,
    /// Known true labels (task,label), which are fixed; also says how good the method is without them.
    #[arg(long, value_name = "FILE")]
    gold: Option<Source>,
    /// True labels (task,label) that are only compared with: accuracy and calibration. Tasks in --gold are left out.
    #[arg(long, value_name = "FILE")]
    truth: Option<Source>,
    /// Whose labels to use: all, auto (as 'beanjar workers' would keep), a number (the top so many), or a file of workers.
    #[arg(long, value_name = "all|auto|N|FILE", default_value = "all")]
    workers: WorkersWanted,
    /// The shares of the classes: estimated, uniform, or one number for each class in sorted order.
    #[arg(long, value_name = "estimated|uniform|P,...", value_parser = prior)]
    prior: Option<Prior>,
    /// Pseudo-labels added to each cell of a worker's confusion matrix (dawid-skene, one-coin, mixture).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    smoothing: Option<f64>,
    /// Random starts, the likeliest of which is kept (spectral, mixture).
    #[arg(long, value_name = "N")]
    restarts: Option<usize>,
    /// How many hidden components (mixture).
    #[arg(long, value_name = "K")]
    components: Option<usize>,
    /// The most steps of EM.
    #[arg(long, value_name = "N")]
    iterations: Option<usize>,
    /// What each worker's vote counts: a table of worker,weight (majority); who is not in it counts nothing.
    #[arg(long, value_name = "FILE")]
    weights: Option<Source>,
    /// Save the fit here, for 'beanjar predict'.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Give each worker's confusion matrix (in JSON).
    #[arg(long)]
    confusion: bool,
    /// In the table, show every task and every worker.
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// Chosen by what labels alone can tell.
    Auto,
    /// The class with the most votes.
    Majority,
    /// Votes weighted by how often the worker agrees with the majority.
    Wawa,
    /// A confusion matrix for each worker.
    DawidSkene,
    /// An accuracy for each worker.
    OneCoin,
    /// Confusion matrices shrunk to the population's.
    Pooled,
    /// Confusion matrices shrunk to the population's as a worker of that skill would have it.
    Skilled,
    /// Confusion matrices started by the method of moments.
    Spectral,
    /// Hidden components that need not be the labels.
    Mixture,
}

fn prior(text: &str) -> std::result::Result<Prior, String> {
    let numbers = || text.split(',').map(|share| share.trim().parse::<f64>()).collect::<std::result::Result<_, _>>();
    match text {
        "estimated" => Ok(Prior::Estimated),
        "uniform" => Ok(Prior::Uniform),
        _ => numbers().map(Prior::Given).map_err(|_| "not estimated, uniform, or numbers such as 0.2,0.8".into()),
    }
}

impl Aggregate {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let mut inputs = vec![&self.file];
        inputs.extend(self.gold.iter().chain(&self.truth).chain(&self.weights).chain(self.workers.file()));
        let sink = common.sink(&inputs)?;
        if self.model.is_some() && self.model == common.out {
            return Err(Failure::Words("--model and --out name the same file; give each its own".into()));
        }
        let model = self.model.as_ref().map(|path| Output::create(path, &inputs)).transpose()?;
        let labels = labels_of(self.reading.read(&self.file, common)?.data, &self.file)?;
        let context = common.context()?;
        if labels.is_empty() {
            return Err(Failure::from(beanjar::Error::Empty("label")).of(&self.file));
        }
        let repeated = labels.repeated(&context);
        if repeated > 0 {
            let repeated = count(repeated, "label");
            common.warn(&format!("{repeated} with the (task, worker) of an earlier row; all are kept"));
        }
        let known = |source: &Option<Source>| {
            source.as_ref().map(|source| truths(&self.file, &labels, source, common)).transpose()
        };
        let (gold, truth) = (known(&self.gold)?, known(&self.truth)?);
        let kept = self.workers.kept(&labels, &self.file, common)?;
        let method = self.method(&labels, common)?;
        let of_file = |error: beanjar::Error| Failure::from(error).of(&self.file);
        let some = kept.as_ref().map(|kept| labels.ballots().of_workers(kept)).transpose()?;
        let ballots = some.as_ref().unwrap_or(labels.ballots());
        let evidence = Evidence::with_gold(ballots, gold.clone().unwrap_or_default()).map_err(of_file)?;
        let fitted = method.fit(&evidence, &context).map_err(of_file)?;
        // Skilled and auto stop after fifty steps on purpose; of the others one expects a fixed point.
        if !fitted.converged && !matches!(method, Method::Skilled(_) | Method::Auto(_)) {
            common.warn_all(&[Warning::Stopped { steps: fitted.iterations }]);
        }
        let blind = match &gold {
            Some(gold) if gold.iter().any(Option::is_some) => {
                let blind = Evidence::votes(ballots).and_then(|evidence| method.fit(&evidence, &context));
                Calibration::of(&blind.map_err(of_file)?.posterior, gold)
            }
            _ => None,
        };
        if let Some(mut output) = model {
            output.write_text(&save(&Model::Crowd(crowd_model(&labels, method.name(), kept.as_deref(), &fitted))))?;
            output.finish()?;
        }
        // Tasks whose class was told say nothing about the method.
        let untold = truth.map(|truth| match &gold {
            None => truth,
            Some(gold) => truth.into_iter().zip(gold).map(|(class, told)| class.filter(|_| told.is_none())).collect(),
        });
        sink.emit(&AggregateReport {
            method: method.name().to_owned(),
            workers: worker_accuracies(&fitted.posterior, labels.ballots()),
            kept: kept.unwrap_or_else(|| vec![true; labels.workers.len()]),
            gold: blind,
            truth: untold.and_then(|truth| Calibration::of(&fitted.posterior, &truth)),
            labels: &labels,
            posterior: fitted.posterior,
            fit: Some(Fit {
                rule: fitted.rule,
                log_likelihood: fitted.log_likelihood,
                iterations: fitted.iterations,
                converged: fitted.converged,
                chosen: fitted.chosen,
            }),
            confusion: self.confusion,
            seed: common.seed,
            all: self.all,
        })
    }

    fn method(&self, labels: &Labels, common: &Common) -> Result<Method> {
        use MethodName as Name;
        let name = self.method;
        let refuse = |given: bool, flag: &str, of: &[Name]| match given && !of.contains(&name) {
            true => {
                let names: Vec<String> =
                    of.iter().filter_map(|name| Some(name.to_possible_value()?.get_name().to_owned())).collect();
                Err(Failure::Words(format!("{flag} is only of use with --method {}", names.join(" or "))))
            }
            false => Ok(()),
        };
        let models =
            [Name::DawidSkene, Name::OneCoin, Name::Pooled, Name::Skilled, Name::Spectral, Name::Mixture, Name::Auto];
        refuse(self.smoothing.is_some(), "--smoothing", &[Name::DawidSkene, Name::OneCoin, Name::Mixture])?;
        refuse(self.restarts.is_some(), "--restarts", &[Name::Spectral, Name::Mixture])?;
        refuse(self.components.is_some(), "--components", &[Name::Mixture])?;
        refuse(self.weights.is_some(), "--weights", &[Name::Majority])?;
        refuse(self.iterations.is_some(), "--iterations", &models[..6])?;
        refuse(self.confusion && matches!(name, Name::Majority | Name::Wawa), "--confusion", &models)?;
        let with_prior = [Name::DawidSkene, Name::OneCoin, Name::Pooled, Name::Skilled, Name::Spectral, Name::Auto];
        refuse(self.prior.is_some(), "--prior", &with_prior)?;
        let stops =
            |default: Stopping| Stopping { iterations: self.iterations.unwrap_or(default.iterations), ..default };
        let stopping = stops(Stopping::default());
        let smoothing = self.smoothing.unwrap_or(0.0);
        let (prior, seed) = (self.prior.clone().unwrap_or_default(), common.seed);
        Ok(match name {
            Name::Auto => Method::Auto(Auto { seed, prior: self.prior.clone(), ..Auto::default() }),
            Name::Majority => Method::Majority(Majority { weights: self.weights(labels)? }),
            Name::Wawa => Method::Wawa(Wawa),
            Name::DawidSkene => Method::DawidSkene(DawidSkene { smoothing, prior, stopping }),
            Name::OneCoin => Method::OneCoin(OneCoin { smoothing, prior, stopping }),
            Name::Pooled => Method::Pooled(Pooled { prior, stopping: stops(Pooled::default().stopping) }),
            Name::Skilled => {
                let default = Skilled::default();
                let view = self.prior.clone().map_or(default.view, View::Prior);
                Method::Skilled(Skilled { view, stopping: stops(default.stopping), ..Skilled::default() })
            }
            Name::Spectral => {
                let restarts = self.restarts.unwrap_or(Spectral::default().restarts);
                Method::Spectral(Spectral { restarts, prior, stopping, seed })
            }
            Name::Mixture => {
                let default = Mixture::default();
                let restarts = self.restarts.unwrap_or(default.restarts);
                let smoothing = self.smoothing.unwrap_or(default.smoothing);
                Method::Mixture(Mixture { components: self.components, restarts, smoothing, stopping, seed })
            }
        })
    }

    /// The weights of the workers; one who is not in the table has none.
    fn weights(&self, labels: &Labels) -> Result<Option<Vec<f64>>> {
        let Some(source) = &self.weights else { return Ok(None) };
        let table = beanjar_io::read_table(source)?;
        let rows = super::labelled::matched(&self.file, &labels.workers, "worker", source, &table, 0)?;
        let weight = |row: &Option<usize>| {
            let Some(row) = row else { return Ok(0.0) };
            let text = table.columns[0][*row].trim();
            let bad = || format!("{}: the weight of '{}' is '{text}'", source.name(), table.ids.get(*row));
            let weight: Option<f64> = text.parse().ok().filter(|weight: &f64| *weight >= 0.0 && weight.is_finite());
            weight.ok_or_else(|| Failure::Words(format!("{}, which is not a number of 0 or more", bad())))
        };
        Ok(Some(rows.iter().map(weight).collect::<Result<_>>()?))
    }
}

fn crowd_model(labels: &Labels, method: &str, kept: Option<&[bool]>, fitted: &Fitted) -> Crowd {
    let left_out = (0..labels.workers.len()).filter(|&worker| kept.is_some_and(|kept| !kept[worker]));
    Crowd {
        method: method.to_owned(),
        classes: labels.classes.iter().map(str::to_owned).collect(),
        workers: labels.workers.iter().map(str::to_owned).collect(),
        left_out: left_out.map(|worker| labels.workers.get(worker).to_owned()).collect(),
        rule: fitted.rule.clone(),
    }
}
