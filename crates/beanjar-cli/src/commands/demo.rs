use super::inspect::JudgmentsReport;
use super::simulate::photo_rows;
use crate::failure::Result;
use crate::output::Report;
use crate::{Common, Format};
use beanjar::Judgments;
use beanjar::reliability::JudgmentOptions;
use beanjar::simulate::Photos;
use clap::Args;

/// See what beanjar does, on data that it makes itself.
///
/// Simulates a crowd that judges photos of people, and says how reliable the judgments are.
#[derive(Args)]
pub(crate) struct Demo {}

impl Demo {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let photos = Photos::default();
        let drawn = photos.draw(common.seed)?;
        let rows: Vec<_> = photo_rows(&drawn).collect();
        let judgments = Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], *a, &w[..], *v)))?;
        let report = JudgmentsReport::of(&judgments, &JudgmentOptions::default(), false, None, common)?;
        if matches!(common.format, Some(Format::Json | Format::Csv)) {
            return common.emit(&report, &[]);
        }
        let story = format!(
            "A crowd of {} judges {} photos of people: 37 yes-no questions and two guesses, each asked {} times a photo.\n\
             How far can one answer be trusted, and how many would it take? (beanjar inspect)\n\n{}\n\
             'male' is judged well by anyone; of 'good-posture' a dozen opinions are needed before their mean says much.\n",
            photos.workers,
            photos.objects,
            photos.judgments,
            report.text(),
        );
        common.emit_text(&story, &[])
    }
}
