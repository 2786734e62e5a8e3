use super::inspect::JudgmentsReport;
use super::simulate::photo_rows;
use crate::failure::Result;
use crate::output::{Report, count};
use crate::{Common, Format};
use beanjar::reliability::{AttributeReliability, JudgmentOptions};
use beanjar::simulate::Photos;
use beanjar::{Column, Judgments, Select};
use clap::Args;

/// See what beanjar does, on data that it makes itself.
///
/// Simulates a crowd that judges photos of people, says how reliable the judgments are, and chooses what to ask of new
/// photos to predict people's height.
#[derive(Args)]
pub(crate) struct Demo {}

impl Demo {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let sink = common.sink(&[])?;
        let photos = Photos::default();
        let drawn = photos.draw(&common.context()?)?;
        let rows: Vec<_> = photo_rows(&drawn).collect();
        let judgments = Judgments::from_rows(rows.iter().map(|(o, a, w, v)| (&o[..], *a, &w[..], *v)))?;
        let report = JudgmentsReport::of(&judgments, &JudgmentOptions::default(), false, None, common)?;
        let attributes = report.attributes();
        if matches!(common.wished_format(), Some(Format::Json | Format::Csv)) {
            return sink.emit(&report);
        }
        let needed = |a: &&AttributeReliability| a.needed.unwrap_or(u64::MAX);
        let (easiest, hardest) = (attributes.iter().min_by_key(needed), attributes.iter().max_by_key(needed));
        let moral = match (easiest, hardest) {
            (Some(easy), Some(hard)) => format!(
                "For a reliability of 0.8, '{}' takes {} and '{}' takes {}:\nask each as often as it needs, and no more.\n",
                easy.attribute,
                opinions(easy.needed),
                hard.attribute,
                opinions(hard.needed),
            ),
            _ => String::new(),
        };
        let heights = drawn.truth.iter().map(|truth| truth[0].to_string()).collect();
        let height = Column::new("height", judgments.objects.clone(), heights)?;
        let costs = ["height", "weight"].map(|attribute| (attribute.to_owned(), 4.0)).into();
        let selected =
            Select { budget: 30.0, costs, ..Select::default() }.fit(&judgments, &height, &common.context()?)?;
        common.warn_all(&selected.warnings);
        let story = format!(
            "A crowd of {} judges {} photos of people: 37 yes-no questions and two guesses, each asked\n\
             {} times a photo.\n\
             How far can one answer be trusted, and how many would it take? (beanjar inspect)\n\n{}\n{moral}\n\
             Which of them would tell people's height best, if 30 answers can be paid for each new photo, and a\n\
             guess of a number costs as much as four yes-no answers? (beanjar select)\n\n{}",
            photos.workers,
            photos.objects,
            photos.judgments,
            report.text(),
            selected.text(),
        );
        sink.emit_text(&story)
    }
}

fn opinions(needed: Option<u64>) -> String {
    needed.map_or("more opinions than there are".into(), |needed| count(needed as usize, "opinion"))
}
