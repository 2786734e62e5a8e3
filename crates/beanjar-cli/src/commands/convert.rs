use super::Reading;
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::count;
use beanjar_io::{Form, Layout, Source};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Rewrite a table in another file format. The names of the files show the formats.
///
/// All columns are kept, ids and labels as text. Exports of annotation tools (Label Studio, Prodigy, Argilla, doccano,
/// Labelbox, Mechanical Turk, Toloka) and surveys (Qualtrics, Google and Microsoft Forms, SurveyMonkey) are recognised, and
/// become long tables. With --form, judgments go from one row per judgment (long) to one row per object and worker with a
/// column per attribute (wide), or back; labels with a column for each annotator become rows.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar convert labels.csv labels.parquet\n  beanjar convert ratings.tsv.gz ratings.jsonl.zst\n  beanjar convert wide.csv long.csv --form long\n  beanjar convert label-studio-export.json labels.csv\n  beanjar convert survey.csv labels.csv --wide tasks\n  beanjar convert truth.csv predictions.json --label-studio label-studio-export.json"
)]
pub(crate) struct Convert {
    /// The file to read; - is standard input.
    #[arg(value_name = "IN")]
    from: Source,
    /// The file to write.
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// How to lay the table out.
    #[arg(long, value_enum, default_value_t = FormName::Same)]
    form: FormName,
    /// Write predictions for Label Studio: IN are aggregated labels (task,label,confidence), and this is the JSON export of
    /// the project whose tasks they are of. The least sure tasks come first.
    #[arg(long, value_name = "EXPORT", conflicts_with = "form")]
    label_studio: Option<Source>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormName {
    /// As they are.
    Same,
    /// One row per judgment or label.
    Long,
    /// Of judgments: one row per object and worker, one column per attribute.
    Wide,
}

impl Convert {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        if common.out.is_some() {
            return Err(Failure::Words("convert: name the output as the second file, not with --out".into()));
        }
        if let Some(export) = &self.label_studio {
            let tasks = beanjar_io::write_label_studio_predictions(&self.from, export, &self.to)?;
            common.note(&format!("{}: {} with a prediction", self.to.display(), count(tasks, "task")));
            return Ok(());
        }
        let form = match self.form {
            FormName::Same => Form::Same,
            FormName::Long => Form::Long,
            FormName::Wide => Form::Wide,
        };
        let layout = Layout { form, safe: common.safe_csv };
        let written = beanjar_io::convert(&self.from, &self.to, layout, &self.reading.options(), &common.context()?)?;
        common.clear_bar();
        if written.incomplete > 0 {
            common.warn(&format!("{} without a value left out", count(written.incomplete, "judgment")));
        }
        common.note(&format!("{}: {}", self.to.display(), count(written.rows, "row")));
        Ok(())
    }
}
