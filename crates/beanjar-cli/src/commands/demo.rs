use super::inspect::JudgmentsReport;
use crate::failure::Result;
use crate::output::{Report, count};
use crate::{Common, Format};
use beanjar::reliability::AttributeReliability;
use beanjar::simulate::Photos;
use beanjar::{InspectJudgments, Select};
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
        let context = common.context()?;
        let drawn = photos.draw(&context)?;
        let judgments = drawn.to_judgments()?;
        let inspected = InspectJudgments::default().run(&judgments, &context)?;
        common.warn_all(&inspected.warnings);
        let report = JudgmentsReport { outcome: &inspected, all: false };
        if matches!(common.wished_format(), Some(Format::Json | Format::Csv)) {
            return sink.emit(&report);
        }
        let attributes = &inspected.attributes;
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
        let costs = ["height", "weight"].map(|attribute| (attribute.to_owned(), 4.0)).into();
        let select = Select { budget: 30.0, costs, ..Select::default() };
        let selected = select.fit(&judgments, &drawn.heights()?, &context)?;
        common.warn_all(&selected.warnings);
        let story = format!(
            "A crowd of {} judges {} photos of people: 37 yes-no questions and two guesses, each asked\n\
             {} times a photo.\n\
             How far can one answer be trusted, and how many would it take? (beanjar inspect)\n\n{}\n{moral}\n\
             Which of them would predict people's height best, if 30 answers can be paid for each new photo, and\n\
             a guess of a number costs as much as four yes-no answers? (beanjar select)\n\n{}",
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
