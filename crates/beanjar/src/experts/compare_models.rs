use super::{Learn, LearnData, LearnFrom, PenaltyKind};
use crate::{Column, Context, Error, Result, Score, ScoreOutcome};

/// What is compared, most elaborate first: of equals the first is kept.
const MODELS: [(&str, LearnFrom); 3] =
    [("experts", LearnFrom::Experts), ("majority", LearnFrom::Majority), ("aggregate", LearnFrom::Aggregate)];
const KINDS: [PenaltyKind; 2] = [PenaltyKind::L1, PenaltyKind::L2];

impl Learn {
    /// Learns from experts, from the majority and from aggregated labels, with penalties of kind L1 and L2, and compares
    /// them by S of the same parts of the units, each held out in turn.
    ///
    /// Each model's penalty is the one with its smallest S, so all are a little too good, and alike. Parameters other than
    /// folds, restarts and skills for each class are not looked at. Cost: six times that of [`Learn::fit`] at the most.
    pub fn compare(&self, data: &LearnData<'_>, context: &Context) -> Result<ScoreOutcome> {
        let count = (MODELS.len() * KINDS.len()) as f64;
        let (mut columns, mut warnings) = (Vec::new(), Vec::new());
        for (name, from) in MODELS {
            for kind in KINDS {
                let at = columns.len() as f64;
                let learn = Learn { from, penalty: None, penalty_kind: Some(kind), penalty_ease: None, ..self.clone() };
                let outcome = learn.fit(data, &context.part(at / count, (at + 1.0) / count))?;
                let rows = outcome.held_out.ok_or(Error::OutOfRange {
                    name: "what is held out",
                    value: "no part of the units in turn".into(),
                    range: "folds, to compare models",
                })?;
                let rows = rows.iter().map(|(unit, class)| (&unit[..], &class[..]));
                columns.push(Column::from_rows(format!("{name}, {kind}"), rows)?);
                warnings = outcome.warnings;
            }
        }
        let outcome = Score { repeats: self.repeats, ..Score::default() }.run(&columns, data.labels, context)?;
        // Of units without features or labels, which are the same for all.
        warnings
            .extend(outcome.warnings.iter().filter(|warning| !warnings.contains(warning)).cloned().collect::<Vec<_>>());
        Ok(ScoreOutcome { warnings, ..outcome })
    }
}
