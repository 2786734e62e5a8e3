//! `simulate embeddings`.

use super::labels::{ModelName, from_to};
use super::{Files, Folder};
use crate::Common;
use crate::failure::Result;
use beanjar::simulate;
use clap::Args;

#[derive(Args)]
pub(super) struct Embeddings {
    /// How many units have labels.
    #[arg(long, value_name = "N", default_value_t = simulate::Embeddings::default().crowd.tasks)]
    units: usize,
    /// How many more have features and a true class only.
    #[arg(long, value_name = "N", default_value_t = simulate::Embeddings::default().unlabelled)]
    unlabelled: usize,
    /// How many features.
    #[arg(long, value_name = "N", default_value_t = simulate::Embeddings::default().features)]
    features: usize,
    /// How many classes.
    #[arg(long, value_name = "K", default_value_t = simulate::Embeddings::default().crowd.classes)]
    classes: usize,
    /// How many workers.
    #[arg(long, value_name = "N", default_value_t = simulate::Embeddings::default().crowd.workers)]
    workers: usize,
    /// Labels per unit: a number, or from and to, as 1-4.
    #[arg(long, value_name = "N", default_value = "1-4", value_parser = from_to)]
    votes: (usize, usize),
    /// How workers err.
    #[arg(long, value_enum, default_value_t = ModelName::OneCoin)]
    model: ModelName,
    /// Mean accuracy of workers.
    #[arg(long, value_name = "P", default_value_t = simulate::Embeddings::default().crowd.accuracy)]
    accuracy: f64,
    /// How far classes lie apart, in deviations.
    #[arg(long, value_name = "X", default_value_t = simulate::Embeddings::default().separation)]
    separation: f64,
    #[command(flatten)]
    files: Files,
}

impl Embeddings {
    pub(super) fn run(&self, common: &Common) -> Result<()> {
        let crowd = simulate::Crowd {
            tasks: self.units,
            workers: self.workers,
            classes: self.classes,
            votes: self.votes,
            model: self.model.model(),
            accuracy: self.accuracy,
            ..simulate::Crowd::default()
        };
        let embeddings = simulate::Embeddings {
            crowd,
            unlabelled: self.unlabelled,
            features: self.features,
            separation: self.separation,
            ..simulate::Embeddings::default()
        };
        let (drawn, folder) = (embeddings.draw(&common.context()?)?, Folder::new(common, &self.files)?);
        // Six digits, as single precision has.
        let short = |x: f64| (x * 1e6).round() / 1e6;
        let row = |unit: usize| drawn.columns.iter().map(|column| short(column[unit])).collect();
        let rows = drawn.units().enumerate().map(|(unit, id)| (id, row(unit)));
        folder.write_features(&drawn.feature_names(), rows)?;
        folder.write_labels("", drawn.rows())?;
        folder.write_truth("", "object", &drawn.truth()?)?;
        folder.finish()
    }
}
