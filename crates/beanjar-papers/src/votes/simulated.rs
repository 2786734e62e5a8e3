//! Fresh crowds with a known truth: whether bands hold what they promise, and how wide they are.

use super::Set;
use super::thinning::Halved;
use crate::settings::{Result, Settings};
use crate::table::table;
use beanjar::simulate::{Crowd, WorkerModel};

/// Kinds of crowds: independent votes, as models have them, and others.
fn kinds() -> Vec<(&'static str, Crowd)> {
    let crowd = |votes: usize| Crowd { tasks: 500, workers: 40, votes: (votes, votes), ..Crowd::default() };
    vec![
        ("one coin, 6 votes", crowd(6)),
        ("one coin, 4 classes", Crowd { classes: 4, ..crowd(6) }),
        ("confusion, 3 classes", Crowd { classes: 3, model: WorkerModel::Confusion, ..crowd(8) }),
        ("pairs, 6 classes", Crowd { classes: 6, model: WorkerModel::Pairs, ..crowd(6) }),
        ("a fifth spammers", Crowd { classes: 3, accuracy: 0.75, spammers: 0.2, ..crowd(6) }),
        ("uneven, a rare class", Crowd { priors: Crowd::rare_class(2, 0.1), unevenness: 1.0, ..crowd(6) }),
        ("a third of tasks hard", Crowd { hard: 0.33, accuracy: 0.8, ..crowd(8) }),
        ("a tenth mislead", Crowd { misleading: 0.1, accuracy: 0.8, ..crowd(8) }),
        ("families", Crowd { families: 8, family_size: 4, accuracy: 0.75, ..crowd(8) }),
        ("panel of 12, a fifth misleads", Crowd { workers: 12, misleading: 0.2, accuracy: 0.8, ..crowd(12) }),
    ]
}

pub(super) fn run(settings: &Settings, draws: u64) -> Result<String> {
    let (mut rows, mut total) = (Vec::new(), [[0.0; 3]; 3]);
    let kinds = kinds();
    for (name, crowd) in &kinds {
        settings.say(&format!("{name}: simulated crowds"));
        let mut sums = [[0.0; 3]; 3];
        for draw in 0..draws {
            let seed = settings.context.seed() + draw;
            let drawn = crowd.draw(&settings.context.clone().with_seed(seed))?;
            let set = Set::new((*name).to_owned(), drawn.to_labels()?, drawn.truth()?);
            let found = Halved::new(settings, &set, seed)?;
            for (sums, [mean, low, high, is]) in sums.iter_mut().zip([found.accuracy, found.agreement, found.ece]) {
                let inside = f64::from(u8::from((low..=high).contains(&is)));
                sums.iter_mut().zip([inside, (is - mean).abs(), (high - low) / 2.0]).for_each(|(sum, x)| *sum += x);
            }
        }
        let mut row = vec![(*name).to_owned()];
        for (sums, total) in sums.iter().zip(&mut total) {
            row.push(format!("{:.0}%", 100.0 * sums[0] / draws as f64));
            row.extend(sums[1..].iter().map(|sum| format!("{:.3}", sum / draws as f64)));
            total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        rows.push(row);
    }
    let header = ["crowd", "accuracy", "off", "half", "agreement", "off", "half", "ece", "off", "half"];
    let n = (kinds.len() as u64 * draws) as f64;
    let all: Vec<String> = total.iter().map(|sums| format!("{:.0}%", 100.0 * sums[0] / n)).collect();
    Ok(format!(
        "Predicted from half the votes of {draws} simulated crowds of each kind\n\n{}\n  \
         accuracy, agreement, ece: how often what is lies in the band; off: by how much the prediction is off, on average;\n  \
         half: half the width of the band\n  over all: accuracy {}, agreement {}, ece {}\n",
        table(&header, rows),
        all[0],
        all[1],
        all[2]
    ))
}
