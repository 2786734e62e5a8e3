//! Sabato and Kalai (2013), Feature Multi-Selection among Subjective Features.

mod experiment;

use crate::settings::{Result, Settings};
use crate::table::{number, table};
use beanjar::multiselect::{Estimates, LabelledJudgments, Selector, Spending, Strategy};
use beanjar::simulate::{PHOTO_ATTRIBUTES, Photos, SimulatedPhotos};
use beanjar::{Context, Judgments};
use beanjar_io::{Data, ReadOptions, Source, read, read_columns, read_table};
use beanjar_report::{Chart, Series};
use experiment::{Experiment, TestError, World, pick};

pub(super) fn run(settings: &Settings, splits: u64) -> Result<String> {
    let paper = Paper { splits, settings };
    let mut text = String::from("Sabato and Kalai (2013), Feature Multi-Selection among Subjective Features\n");
    text += &paper.slices()?;
    text += &paper.photos()?;
    text += &paper.affect()?;
    text += &paper.convergence()?;
    Ok(text)
}

struct Paper<'a> {
    splits: u64,
    settings: &'a Settings,
}

const METHODS: [Strategy; 4] = [Strategy::Full, Strategy::Scoring, Strategy::Averages(2), Strategy::Copies(2)];
const BUDGETS: [f64; 14] = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0, 28.0, 32.0, 36.0, 44.0, 50.0];

/// A comparison of methods by test error.
struct Comparison<'a> {
    title: &'a str,
    figure: &'a str,
    train: usize,
    methods: Vec<Strategy>,
}

impl Paper<'_> {
    /// Test errors of the methods at all budgets, as a table and a figure.
    fn compare(&self, world: &World<'_>, comparison: &Comparison<'_>) -> Result<String> {
        let experiment = Experiment {
            train: comparison.train,
            judgments: 2,
            budgets: BUDGETS.to_vec(),
            methods: comparison.methods.clone(),
            splits: self.splits,
            seed: self.settings.context.seed(),
        };
        let found = experiment.run(world, &self.settings.context)?;
        let mut header = vec!["budget"];
        header.extend(comparison.methods.iter().map(|method| method.method().name()));
        let cell = |error: &TestError| format!("{} ± {}", number(error.mean), number(error.se));
        let rows = BUDGETS.iter().enumerate().map(|(b, budget)| {
            let mut row = vec![number(*budget)];
            row.extend(found.iter().map(|errors| cell(&errors[b])));
            row
        });
        let mut text = format!("\n{}\n\n{}", comparison.title, table(&header, rows.collect()));
        let beaten: Vec<String> = BUDGETS
            .iter()
            .enumerate()
            .filter_map(|(b, budget)| {
                let best = (0..found.len()).min_by(|&i, &j| found[i][b].mean.total_cmp(&found[j][b].mean))?;
                (best != 0).then(|| format!("{budget} ({})", comparison.methods[best].method().name()))
            })
            .collect();
        text += &match beaten.is_empty() {
            true => "  Full is best at every budget, as in the paper.\n".to_owned(),
            false => format!("  Full is not best at budgets {}.\n", beaten.join(", ")),
        };
        let mut chart = Chart::new(comparison.title, "budget", "test error");
        for (method, errors) in comparison.methods.iter().zip(&found) {
            chart = chart.with(Series::new(
                method.method().name(),
                BUDGETS.iter().zip(errors).map(|(b, error)| (*b, error.mean)),
            ));
        }
        Ok(text + &self.settings.write(comparison.figure, &chart)?)
    }

    fn slices(&self) -> Result<String> {
        let path = self.settings.data.join("slices/slice_localization_data.csv.gz");
        if !path.exists() {
            return Ok(format!("\n(a) CT slices: left out, for {} is not there\n", path.display()));
        }
        self.settings.say("slices");
        let source = Source::from(&path);
        let (names, columns) = read_columns(&source)?;
        let numbers = |i: usize| -> Result<Vec<f64>> {
            let number = |text: &String| {
                text.parse()
                    .map_err(|_| format!("{}: '{text}' in '{}' is not a number", source.name(), names[i]).into())
            };
            columns[i].iter().map(number).collect()
        };
        let values: Vec<usize> = (0..names.len()).filter(|&i| names[i].starts_with("value")).collect();
        let label = names.iter().position(|name| name == "reference");
        let (384, Some(label)) = (values.len(), label) else {
            return Err(format!("{}: not the CT slices data: value0 to value383 and reference", source.name()).into());
        };
        let bins: Vec<Vec<f64>> = values.iter().map(|&i| numbers(i)).collect::<Result<_>>()?;
        let labels = numbers(label)?;
        // Eight adjacent bins are one attribute; a judgment is one of them at random.
        let judge = |split: u64, object: usize, a: usize, j: u32| bins[8 * a + pick(split, object, a, j, 8)][object];
        let world = World { labels: &labels, attributes: 48, judge: &judge, spending: Spending::judgments(1, 48) };
        let train = labels.len() * 2 / 3;
        let title = format!(
            "(a) CT slices, {} of {} objects to train on, {} splits (figure 3)",
            train,
            labels.len(),
            self.splits
        );
        let mut text = self
            .compare(&world, &Comparison { title: &title, figure: "slices.svg", train, methods: METHODS.to_vec() })?;
        text += &self.trade_off(&world)?;
        Ok(text)
    }

    /// Figure 8: at a fixed number of training judgments, fewer objects judged more often, or more judged less often.
    fn trade_off(&self, world: &World<'_>) -> Result<String> {
        let ks = [2, 3, 4, 5, 6, 8, 10];
        let totals: Vec<usize> =
            [200, 400, 800].into_iter().filter(|total| total / 2 < world.labels.len() * 3 / 4).collect();
        let mut header = vec!["k".to_owned()];
        header.extend(totals.iter().flat_map(|total| [format!("full, m k = {total}"), format!("scoring, {total}")]));
        let mut chart = Chart::new("Judgments per attribute at a fixed total (figure 8)", "k", "test error");
        let mut lines = vec![Vec::new(); 2 * totals.len()];
        let mut rows = Vec::new();
        for k in ks {
            let mut row = vec![k.to_string()];
            for (t, total) in totals.iter().enumerate() {
                let experiment = Experiment {
                    train: total / k as usize,
                    judgments: k,
                    budgets: vec![20.0],
                    methods: vec![Strategy::Full, Strategy::Scoring],
                    splits: self.splits,
                    seed: self.settings.context.seed(),
                };
                let found = experiment.run(world, &self.settings.context)?;
                for (i, errors) in found.iter().enumerate() {
                    row.push(number(errors[0].mean));
                    lines[2 * t + i].push((f64::from(k), errors[0].mean));
                }
            }
            rows.push(row);
        }
        for (line, name) in lines.into_iter().zip(&header[1..]) {
            chart = chart.with(Series::new(name.clone(), line));
        }
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let text = format!(
            "\n  Test error at budget 20 when the training judgments per attribute are fixed (figure 8; the paper: small k is best)\n\n{}",
            table(&header, rows)
        );
        Ok(text + &self.settings.write("trade-off.svg", &chart)?)
    }

    fn photos(&self) -> Result<String> {
        self.settings.say("photos");
        // As many judgments as any budget can ask for.
        let drawn = Photos { objects: 880, judgments: 50, workers: 50 }.draw(&self.settings.context)?;
        let judge = |_: u64, object: usize, a: usize, j: u32| drawn.judgments[object][a][j as usize].1;
        let mut text =
            format!("\n(b) Photos, simulated from Table 1 (the paper's own are not public)\n\n{}", table_1(&drawn)?);
        for (label, name, budget) in [(0, "height", 35), (1, "weight", 50)] {
            let labels: Vec<f64> = drawn.truth.iter().map(|truth| truth[label]).collect();
            let attribute = PHOTO_ATTRIBUTES.iter().position(|a| a.name == name).unwrap_or_default();
            let world = World { labels: &labels, attributes: 39, judge: &judge, spending: photo_spending(1) };
            let title = format!("{name} of people on photos, a numeric judgment costing 4 ({} splits)", self.splits);
            let methods = METHODS.into_iter().chain([Strategy::CrowdMean(attribute)]).collect();
            let figure = format!("photos-{name}.svg");
            text += &self.compare(&world, &Comparison { title: &title, figure: &figure, train: 587, methods })?;
            text += &table_2(&drawn, &labels, name, budget)?;
        }
        Ok(text)
    }

    fn affect(&self) -> Result<String> {
        let (judgments, truth) =
            (self.settings.data.join("affect/judgments.csv"), self.settings.data.join("affect/truth.csv"));
        if !judgments.exists() || !truth.exists() {
            return Ok(format!("\n(c) Headlines: left out, for {} is not there\n", judgments.display()));
        }
        self.settings.say("headlines");
        let source = Source::from(&judgments);
        let Data::Judgments(read) = read(&source, &ReadOptions::default(), &self.settings.context)?.data else {
            return Err(format!("{}: no judgments", source.name()).into());
        };
        let table = read_table(&Source::from(&truth))?;
        let valence = table.names.iter().position(|name| name == "valence");
        let lookup = table.ids.lookup();
        let label = |id: &str| -> Option<f64> { table.columns[valence?][lookup.code(id)?].parse().ok() };
        let labels: Option<Vec<f64>> = read.objects.iter().map(label).collect();
        let labels = labels.ok_or_else(|| format!("{}: a headline has no valence", truth.display()))?;
        let d = read.attributes.len();
        let mut pool = vec![vec![Vec::new(); d]; labels.len()];
        for (object, pool) in pool.iter_mut().enumerate() {
            for (a, _, values) in read.of(object).by_attribute() {
                pool[a] = values.to_vec();
            }
        }
        let most = pool.iter().flatten().map(Vec::len).min().unwrap_or(0);
        // Judgments in a random order of their own for each scale, none twice.
        let judge = |split: u64, object: usize, a: usize, j: u32| {
            let mut order: Vec<usize> = (0..pool[object][a].len()).collect();
            for i in 0..=(j as usize).min(order.len() - 1) {
                let other = i + pick(split, object, a, i as u32, order.len() - i);
                order.swap(i, other);
            }
            pool[object][a][order[j as usize]]
        };
        let mut spending = Spending::judgments(1, d);
        spending.at_most.fill(most as u32);
        let world = World { labels: &labels, attributes: d, judge: &judge, spending };
        let title = format!(
            "(c) Headlines: expert valence from crowd judgments of {d} scales, at most {most} each ({} splits)",
            self.splits
        );
        let train = labels.len() * 2 / 3;
        self.compare(&world, &Comparison { title: &title, figure: "headlines.svg", train, methods: METHODS.to_vec() })
    }

    /// Theorem 3.1: obj, as estimated from m objects, against its limit.
    fn convergence(&self) -> Result<String> {
        self.settings.say("convergence");
        let sizes = [50usize, 100, 200, 400, 800, 1600, 3200];
        let draws = 10;
        let estimates = |objects: usize, seed: u64| -> Result<Estimates> {
            let drawn = Photos { objects, judgments: 2, workers: 50 }.draw(&Context::new().with_seed(seed))?;
            let labels: Vec<f64> = drawn.truth.iter().map(|truth| truth[0]).collect();
            let judgments = photo_judgments(&drawn)?;
            Ok(Estimates::new(LabelledJudgments::new(&judgments, &labels)?, 0.0, &self.settings.context)?)
        };
        let limit = estimates(40_000, self.settings.context.seed().wrapping_add(1_000_000))?;
        let empty = Judgments::from_rows([])?;
        let selector = Selector { strategy: Strategy::Full, spending: photo_spending(35) };
        let repeats = selector.fit(&limit, LabelledJudgments::new(&empty, &[])?, &self.settings.context)?.repeats;
        let obj = |estimates: &Estimates| -> Result<f64> {
            let weights = estimates.weights(&repeats)?;
            Ok(weights.values().iter().zip(estimates.covariance.values()).map(|(w, b)| w * b).sum())
        };
        let target = obj(&limit)?;
        let mut rows = Vec::new();
        let mut line = Vec::new();
        for objects in sizes {
            let mut error = 0.0;
            for draw in 0..draws {
                let found = obj(&estimates(objects, self.settings.context.seed().wrapping_add(draw))?)?;
                error += (found - target).abs() / draws as f64;
            }
            rows.push(vec![
                objects.to_string(),
                number(error),
                number(error / target),
                number(error * (objects as f64).sqrt()),
            ]);
            line.push((objects as f64, error));
        }
        let chart = Chart::new("|obj(r) - limit| as objects grow (theorem 3.1)", "objects", "error")
            .with(Series::new("full", line))
            .logarithmic();
        let text = format!(
            "\nConvergence of obj(r) for height at budget 35 to its limit, {} (theorem 3.1: at least as fast as 1/sqrt(m))\n\n{}",
            number(target),
            table(&["objects", "mean error", "relative", "times sqrt(m)"], rows)
        );
        Ok(text + &self.settings.write("convergence.svg", &chart)?)
    }
}

/// A yes-no judgment costs 1, a guess of a number 4.
fn photo_spending(budget: u32) -> Spending {
    let mut spending = Spending::judgments(budget, PHOTO_ATTRIBUTES.len());
    for (cost, attribute) in spending.cost.iter_mut().zip(&PHOTO_ATTRIBUTES) {
        if matches!(attribute.kind, beanjar::simulate::AttributeKind::Number { .. }) {
            *cost = 4.0;
        }
    }
    spending
}

/// The first two judgments of each attribute of each photo.
fn photo_judgments(drawn: &SimulatedPhotos) -> Result<Judgments> {
    let ids: Vec<String> = (0..drawn.judgments.len()).map(|object| object.to_string()).collect();
    let rows = drawn.judgments.iter().zip(&ids).flat_map(|(attributes, id)| {
        attributes.iter().zip(&PHOTO_ATTRIBUTES).flat_map(move |(judgments, attribute)| {
            judgments.iter().take(2).map(move |&(_, value)| (&id[..], attribute.name, "", value))
        })
    });
    Ok(Judgments::from_rows(rows)?)
}

/// Table 1, the paper's ratios beside those of the simulated photos. Correlations are scaled as the paper's are.
fn table_1(drawn: &SimulatedPhotos) -> Result<String> {
    let judgments = photo_judgments(drawn)?;
    let of = |label: usize| -> Result<Estimates> {
        let labels: Vec<f64> = drawn.truth.iter().map(|truth| truth[label]).collect();
        Ok(Estimates::new(LabelledJudgments::new(&judgments, &labels)?, 0.0, &Context::new())?)
    };
    let (height, weight) = (of(0)?, of(1)?);
    // The paper does not state its units of height and weight: the simulation's are such that these are their deviations.
    let scaled =
        |e: &Estimates, a: usize, paper: f64| e.covariance[a][0] / e.signal[a].sqrt() * paper / e.label_variance.sqrt();
    let row = |(a, attribute): (usize, &beanjar::simulate::PhotoAttribute)| {
        vec![
            attribute.name.to_owned(),
            number(attribute.noise_ratio),
            number(height.noise[a] / height.signal[a]),
            number(attribute.height),
            number(scaled(&height, a, 0.18)),
            number(attribute.weight),
            number(scaled(&weight, a, 0.135)),
        ]
    };
    let header = ["attribute", "var. paper", "ours", "height paper", "ours", "weight paper", "ours"];
    let rows = PHOTO_ATTRIBUTES.iter().enumerate().map(row).collect();
    Ok(format!(
        "  Table 1 (880 photos, two judgments each; var. is v/sigma^2, the others b/sigma)\n\n{}",
        table(&header, rows)
    ))
}

/// The judgments of Table 2, the paper's predictors.
const TABLE_2: [(&str, &[(&str, u32)]); 2] = [
    (
        "height",
        &[
            ("dark-hair", 1),
            ("dark-skin", 1),
            ("female", 1),
            ("heavy", 1),
            ("long-hair", 1),
            ("looking-at-the-camera", 1),
            ("male", 5),
            ("outdoors", 1),
            ("tall", 17),
            ("wearing-baggy-clothes", 6),
        ],
    ),
    (
        "weight",
        &[
            ("attractive", 2),
            ("can-see-a-lot-of-skin", 1),
            ("female", 3),
            ("has-beard", 1),
            ("heavy", 17),
            ("long-hair", 1),
            ("looking-at-the-camera", 1),
            ("male", 1),
            ("over-30-years-old", 14),
            ("over-40-years-old", 7),
            ("thin", 2),
        ],
    ),
];

/// Table 2: what Full selects, the paper's repeats beside ours.
fn table_2(drawn: &SimulatedPhotos, labels: &[f64], name: &str, budget: u32) -> Result<String> {
    let judgments = photo_judgments(drawn)?;
    let data = LabelledJudgments::new(&judgments, labels)?;
    let estimates = Estimates::new(data, 0.0, &Context::new())?;
    let selector = Selector { strategy: Strategy::Full, spending: photo_spending(budget) };
    let selection = selector.fit(&estimates, data, &Context::new())?;
    let weights = estimates.weights(&selection.repeats)?;
    let paper = TABLE_2.iter().find(|(label, _)| *label == name).map_or(&[][..], |(_, repeats)| *repeats);
    let of = |attribute: &str| paper.iter().find(|(other, _)| *other == attribute).map(|(_, repeats)| *repeats);
    let row = |(a, attribute): (usize, &beanjar::simulate::PhotoAttribute)| {
        let dash = |n: Option<u32>| n.map_or("-".to_owned(), |n| n.to_string());
        let ours = Some(selection.repeats[a]).filter(|repeats| *repeats > 0);
        (ours.is_some() || of(attribute.name).is_some()).then(|| {
            vec![attribute.name.to_owned(), dash(of(attribute.name)), dash(ours), number(ours.map(|_| weights[a][0]))]
        })
    };
    let rows = PHOTO_ATTRIBUTES.iter().enumerate().filter_map(row).collect();
    Ok(format!(
        "\n  Table 2, {name} at a budget of {budget} (other people's photos: alike in kind, not in number)\n\n{}",
        table(&["attribute", "paper", "ours", "weight"], rows)
    ))
}
