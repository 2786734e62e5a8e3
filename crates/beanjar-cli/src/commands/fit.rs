use super::label_column::LabelColumn;
use super::selection_file::read_selection;
use super::{Reading, judgments_of};
use crate::Common;
use crate::failure::Result;
use crate::output::{count, number, table};
use beanjar::Model;
use beanjar::multiselect::{FitPredictor, Fitting, Predictor, PredictorAttribute};
use beanjar_io::Source;
use clap::{Args, ValueEnum};

/// Fit the linear predictor of a selection, and write it as a model file.
///
/// Least squares needs objects that have all the judgments that the selection asks for; --predictor moments needs no
/// further judgments.
#[derive(Args)]
#[command(
    after_help = "Example:\n  beanjar fit judgments.csv --labels truth.csv --selection selection.json --out model.json\n  beanjar predict model.json new.csv"
)]
pub(crate) struct Fit {
    /// The judgments.
    #[arg(value_name = "JUDGMENTS")]
    file: Source,
    #[command(flatten)]
    label_column: LabelColumn,
    /// The selection: the JSON that select writes, or a table of attribute,judgments.
    #[arg(long, value_name = "FILE")]
    selection: Source,
    /// How to find the weights.
    #[arg(long, value_enum, default_value_t = PredictorName::LeastSquares)]
    predictor: PredictorName,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum PredictorName {
    /// On the means of just the judgments selected, from the objects that have them.
    LeastSquares,
    /// From the moments of the judgments at hand.
    Moments,
}

impl From<PredictorName> for Fitting {
    fn from(name: PredictorName) -> Fitting {
        match name {
            PredictorName::LeastSquares => Fitting::LeastSquares,
            PredictorName::Moments => Fitting::Moments,
        }
    }
}

impl Fit {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let mut inputs = vec![&self.file, &self.selection];
        inputs.extend(&self.label_column.labels);
        let sink = common.json_sink(&inputs)?;
        let selection = read_selection(&self.selection)?;
        let judgments = judgments_of(self.reading.read(&self.file, common)?.data, &self.file)?;
        let (label, _) = self.label_column.read(selection.label.as_deref(), &judgments, &self.reading, common)?;
        let outcome = FitPredictor { selection, fitting: self.predictor.into() }
            .fit(&judgments, &label, &common.context()?)
            .map_err(|error| self.label_column.blame(error, &self.file))?;
        common.warn_all(&outcome.warnings);
        if common.out.is_some() {
            common.say(&summary(&outcome.predictor));
        }
        sink.emit_text(&Model::Multiselect(outcome.model()).to_json())
    }
}

fn summary(predictor: &Predictor) -> String {
    let row = |a: &PredictorAttribute| vec![a.attribute.clone(), a.judgments.to_string(), number(a.weight)];
    let rate = match predictor.error_rate {
        Some(rate) => format!("\n  expected error rate     {:.1}% of objects in the wrong class", 100.0 * rate),
        None => String::new(),
    };
    format!(
        "Predicts '{}', fitted on {}: the sum of the weighted means of the judgments, and the bias\n\n{}  (bias)  {}\n\n\
         \x20 expected squared error  {} on new objects; the label's variance is {}{rate}\n",
        predictor.label,
        count(predictor.objects, "object"),
        table(&["attribute", "judgments", "weight"], predictor.attributes.iter().map(row).collect()),
        number(predictor.bias),
        number(predictor.error_variance),
        number(predictor.label_variance),
    )
}
