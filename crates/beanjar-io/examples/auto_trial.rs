//! How the methods of `aggregate` do on many sets of labels with a known truth: public sets as they are, sets made of
//! them (fewer votes, half the workers, half the tasks, one class against the rest), and simulated crowds.
//!
//! `cargo run --release -p beanjar-io --example auto_trial DATA`, DATA being the folder with crowd/ and music/. Prints a
//! table of mean accuracies by family, and of calibration errors; every family counts alike in the means.

use beanjar::judgments::Ballots;
use beanjar::simulate::{Crowd, WorkerModel};
use beanjar::truth::{Auto, Calibration, DawidSkene, Evidence, Majority, Method, OneCoin, Pooled, Skilled};
use beanjar::{Context, Labels};
use beanjar_io::{Data, ReadOptions, Source, read, read_table};
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;

/// Votes with the truth behind them.
struct Set {
    family: String,
    ballots: Ballots,
    truth: Vec<Option<u16>>,
}

type Tasks = Vec<Vec<(usize, usize)>>;
/// Its name, how many sets it has, and the sums of accuracy and calibration error of each method.
type Family = (String, usize, Vec<(f64, f64)>);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder with the data sets")?;
    let context = Context::new().with_threads(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))?;
    let mut sets = real(Path::new(&folder))?;
    for set in derived(&sets)? {
        sets.push(set);
    }
    sets.extend(simulated()?);
    let methods = [
        Method::Majority(Majority::default()),
        Method::OneCoin(OneCoin::default()),
        Method::DawidSkene(DawidSkene::default()),
        Method::Pooled(Pooled::default()),
        Method::Skilled(Skilled::default()),
        Method::Auto(Auto::default()),
    ];
    let mut families: Vec<Family> = Vec::new();
    for set in &sets {
        let evidence = Evidence::votes(&set.ballots)?;
        let mut found = Vec::new();
        for method in &methods {
            let posterior = method.fit(&evidence, &context)?.posterior;
            let quality = Calibration::of(&posterior, &set.truth).ok_or("no truth")?;
            found.push((quality.accuracy, quality.ece));
        }
        match families.iter_mut().find(|family| family.0 == set.family) {
            None => families.push((set.family.clone(), 1, found)),
            Some((_, count, sums)) => {
                *count += 1;
                sums.iter_mut().zip(found).for_each(|(sum, more)| *sum = (sum.0 + more.0, sum.1 + more.1));
            }
        }
    }
    let names: Vec<&str> = methods.iter().map(Method::name).collect();
    for (title, pick) in [("accuracy", 0), ("calibration error", 1)] {
        println!("\n| {title} | sets | {} |\n|---|---|{}", names.join(" | "), "---|".repeat(names.len()));
        let mut total = vec![0.0; methods.len()];
        for (name, count, sums) in &families {
            let means = sums.iter().map(|sum| if pick == 0 { sum.0 } else { sum.1 } / *count as f64);
            let means: Vec<f64> = means.collect();
            total.iter_mut().zip(&means).for_each(|(sum, mean)| *sum += mean / families.len() as f64);
            println!("| {name} | {count} | {} |", row(&means));
        }
        println!("| mean of families | {} | {} |", sets.len(), row(&total));
    }
    Ok(())
}

fn row(values: &[f64]) -> String {
    values.iter().map(|value| format!("{value:.3}")).collect::<Vec<_>>().join(" | ")
}

/// The public sets.
fn real(folder: &Path) -> Result<Vec<Set>, Box<dyn Error>> {
    let mut sets = Vec::new();
    for name in ["crowd/bird", "crowd/rte", "crowd/trec", "crowd/dog", "crowd/web", "music"] {
        let options = ReadOptions::default();
        let Data::Labels(labels) = read(&Source::from(folder.join(name).join("labels.csv")), &options)?.data else {
            return Err(format!("{name}: not labels").into());
        };
        let truth = truth(&labels, &folder.join(name).join("truth.csv"))?;
        let family = name.rsplit('/').next().unwrap_or(name).to_owned();
        sets.push(Set { family, ballots: labels.ballots().clone(), truth });
    }
    Ok(sets)
}

fn truth(labels: &Labels, path: &Path) -> Result<Vec<Option<u16>>, Box<dyn Error>> {
    let table = read_table(&Source::from(path))?;
    let column = table.names.iter().position(|name| name == "label").unwrap_or(0);
    let (tasks, classes) = (table.ids.lookup(), labels.classes.lookup());
    let class = |task: &str| classes.code(&table.columns[column][tasks.code(task)?]).map(|class| class as u16);
    Ok(labels.tasks.iter().map(class).collect())
}

/// A number that looks random.
fn hash(a: usize, b: usize) -> usize {
    let mut x = (a as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (b as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ (x >> 32)) as usize
}

/// Sets made of the public ones.
fn derived(sets: &[Set]) -> beanjar::Result<Vec<Set>> {
    let mut made = Vec::new();
    for (which, set) in sets.iter().enumerate() {
        let (workers, classes) = (set.ballots.workers(), set.ballots.classes());
        let tasks: Tasks = (0..set.ballots.tasks()).map(|task| set.ballots.votes(task).iter().collect()).collect();
        let mut add = |family: String, tasks: &Tasks, classes: usize, truth: Vec<Option<u16>>| {
            made.push(Set { family, ballots: Ballots::from_tasks(tasks, workers, classes)?, truth });
            Ok(())
        };
        for seed in 0..3 {
            let seed = seed + 10 * which;
            for votes in [2, 3, 5] {
                let few = tasks.iter().enumerate().map(|(task, all)| {
                    let mut order: Vec<usize> = (0..all.len()).collect();
                    order.sort_by_key(|&i| hash(task * 1009 + i, seed));
                    order.iter().take(votes).map(|&i| all[i]).collect()
                });
                add(format!("{votes} votes a task"), &few.collect(), classes, set.truth.clone())?;
            }
            let some = tasks
                .iter()
                .map(|all| all.iter().copied().filter(|vote| hash(vote.0, seed).is_multiple_of(2)).collect());
            add("half the workers".into(), &some.collect(), classes, set.truth.clone())?;
            let half: Vec<usize> = (0..tasks.len()).filter(|&task| hash(task, seed + 77).is_multiple_of(2)).collect();
            let votes: Tasks = half.iter().map(|&task| tasks[task].clone()).collect();
            add("half the tasks".into(), &votes, classes, half.iter().map(|&task| set.truth[task]).collect())?;
        }
        for class in (0..classes).filter(|_| classes > 2) {
            let against = |label: usize| usize::from(label == class);
            let votes = tasks.iter().map(|all| all.iter().map(|&(worker, label)| (worker, against(label))).collect());
            let truth = set.truth.iter().map(|known| known.map(|known| against(usize::from(known)) as u16)).collect();
            add("one class against the rest".into(), &votes.collect(), 2, truth)?;
        }
    }
    Ok(made)
}

/// Crowds of many kinds.
fn simulated() -> Result<Vec<Set>, Box<dyn Error>> {
    let base = Crowd::default();
    let kinds = [
        ("simulated: coins, 4 classes", Crowd { classes: 4, workers: 60, accuracy: 0.6, spread: 4.0, ..base.clone() }),
        (
            "simulated: own mistakes",
            Crowd { classes: 4, workers: 30, model: WorkerModel::Confusion, accuracy: 0.6, ..base.clone() },
        ),
        ("simulated: spammers", Crowd { classes: 3, workers: 40, spammers: 0.4, ..base.clone() }),
        (
            "simulated: rare class, 3 votes",
            Crowd { votes: (3, 3), priors: vec![0.88, 0.12], accuracy: 0.8, ..base.clone() },
        ),
        ("simulated: few labels a worker", Crowd { classes: 3, workers: 1000, votes: (4, 4), ..base.clone() }),
        (
            "simulated: few busy workers",
            Crowd { classes: 3, workers: 15, unevenness: 1.0, model: WorkerModel::Confusion, ..base },
        ),
    ];
    let mut sets = Vec::new();
    for (family, crowd) in kinds {
        for seed in 0..5 {
            let drawn = crowd.draw(&Context::new().with_seed(seed))?;
            let ballots = Ballots::from_tasks(&drawn.labels, crowd.workers, crowd.classes)?;
            let truth = drawn.truth.iter().map(|&class| Some(class as u16)).collect();
            sets.push(Set { family: family.into(), ballots, truth });
        }
    }
    Ok(sets)
}
