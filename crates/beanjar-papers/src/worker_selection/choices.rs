//! Choices that the paper leaves open: how missing labels count, how many workers to keep, which method.

use super::experiment::Experiment;
use super::{Paper, Set, all_sizes, percent, thinned};
use crate::settings::Result;
use crate::table::table;
use beanjar::truth::{
    Auto, Calibration, DawidSkene, Evidence, Majority, Method, OneCoin, Pooled, Posterior, Skilled, Spectral, Wawa,
};
use beanjar::workers::{Information, Keep, KeepRule, Missing, Ranking, elbow};

impl Paper<'_> {
    /// The best number of workers for majority with EM, for the three ways to count missing labels.
    pub(super) fn missing(&self, sets: &[Set]) -> Result<String> {
        let mut rows = Vec::new();
        for set in sets {
            self.settings.say(&format!("{}: ways to count missing labels", set.published.name));
            let ballots = set.labels.ballots();
            let mut row = vec![set.published.name.to_owned()];
            for missing in [Missing::Paper, Missing::Full, Missing::Pair] {
                let ranking = Ranking::new(&Information::new(ballots, missing, &self.settings.context)?);
                let sizes = thinned(&all_sizes(ballots.workers()), 180);
                let errors = self.experiment(set, 0).run(&ranking.order, &sizes, &self.settings.context)?;
                let best = errors.iter().min_by(|a, b| a.em.total_cmp(&b.em));
                row.push(best.map_or("-".into(), |best| format!("{} ({})", percent(best.em), best.keep)));
            }
            rows.push(row);
        }
        let header = ["set", "paper", "full", "pair"];
        Ok(format!(
            "\nMajority+EM at its best number of workers, by the rule for missing labels (--missing-labels)\n\n{}",
            table(&header, rows)
        ))
    }

    /// How the rules that see labels only choose the number of workers.
    pub(super) fn rules(&self, sets: &[Set]) -> Result<String> {
        let mut rows = Vec::new();
        for set in sets {
            self.settings.say(&format!("{}: how many workers to keep, by labels alone", set.published.name));
            let ballots = set.labels.ballots();
            let ranking = Ranking::new(&Information::new(ballots, Missing::Paper, &self.settings.context)?);
            let tried = Keep::default().trials(ballots, &self.settings.context)?;
            let error = |keep: usize| -> Result<[f64; 2]> {
                let some = ballots.of_workers(&ranking.top(keep))?;
                let evidence = Evidence::votes(&some)?;
                let auto = Auto::default().fit(&evidence, &self.settings.context)?;
                let em = Experiment { truth: &set.truth, ..self.experiment(set, 0) };
                let em = em.run(&ranking.order, &[keep], &self.settings.context)?;
                Ok([em[0].em, auto.posterior.error(&set.truth).unwrap_or(f64::NAN)])
            };
            let mut best: [(f64, usize); 2] = [(f64::INFINITY, 0); 2];
            for trial in &tried {
                for (best, error) in best.iter_mut().zip(error(trial.keep)?) {
                    if error < best.0 {
                        *best = (error, trial.keep);
                    }
                }
            }
            let chosen = KeepRule::ALL.map(|rule| match rule {
                KeepRule::Elbow => elbow(&ranking.curve()),
                rule => rule.best_of(&tried).unwrap_or(ballots.workers()),
            });
            let all = error(ballots.workers())?;
            let by_rule: Vec<[f64; 2]> = chosen.iter().map(|&keep| error(keep)).collect::<Result<_>>()?;
            for (i, method) in ["majority+EM", "auto"].iter().enumerate() {
                let mut row = vec![set.published.name.to_owned(), (*method).to_owned(), percent(all[i])];
                row.extend(by_rule.iter().zip(chosen).map(|(error, keep)| format!("{} ({keep})", percent(error[i]))));
                row.push(format!("{} ({})", percent(best[i].0), best[i].1));
                rows.push(row);
            }
        }
        let header = ["set", "method", "all", "predictive", "surrogate", "goodness", "elbow", "hindsight"];
        Ok(format!(
            "\nHow many workers to keep, by rules that see labels only: error in percent (workers kept)\n\n{}",
            table(&header, rows)
        ))
    }

    /// All methods, with the labels of all workers.
    pub(super) fn methods(&self, sets: &[Set]) -> Result<String> {
        let methods = [
            Method::Majority(Majority::default()),
            Method::Wawa(Wawa),
            Method::OneCoin(OneCoin::default()),
            Method::DawidSkene(DawidSkene::default()),
            Method::Spectral(Spectral::default()),
            Method::Pooled(Pooled::default()),
            Method::Skilled(Skilled::default()),
            Method::Auto(Auto::default()),
        ];
        let mut header = vec!["method"];
        header.extend(sets.iter().map(|set| set.published.name));
        header.push("mean");
        let (mut accuracies, mut errors) = (Vec::new(), Vec::new());
        for method in &methods {
            self.settings.say(&format!("method {}", method.name()));
            let mut found = Vec::new();
            for set in sets {
                let evidence = Evidence::votes(set.labels.ballots())?;
                let posterior: Posterior = method.fit(&evidence, &self.settings.context)?.posterior;
                found.extend(Calibration::of(&posterior, &set.truth));
            }
            let row = |of: &dyn Fn(&Calibration) -> f64| {
                let mean = found.iter().map(of).sum::<f64>() / found.len() as f64;
                let cells = found.iter().map(of).chain([mean]).map(|value| format!("{value:.3}"));
                std::iter::once(method.name().to_owned()).chain(cells).collect::<Vec<_>>()
            };
            accuracies.push(row(&|found| found.accuracy));
            errors.push(row(&|found| found.ece));
        }
        Ok(format!(
            "\nAccuracy of all methods, all workers\n\n{}\nExpected calibration error, ten bins\n\n{}",
            table(&header, accuracies),
            table(&header, errors)
        ))
    }
}
