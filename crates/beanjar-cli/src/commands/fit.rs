use super::Reading;
use super::label_column::LabelColumn;
use super::select::{AggregateName, noise_factors};
use super::selection_file::read_selection;
use crate::Common;
use crate::failure::Result;
use crate::output::{count, number, one_line, table};
use beanjar::Model;
use beanjar::multiselect::{Combine, FitPredictor, Fitting, Predictor, PredictorAttribute};
use beanjar_io::Source;
use clap::{Args, ValueEnum};

/// Fit the linear predictor of a selection, and write it as a model file.
///
/// Least squares needs objects that have all the judgments that the selection asks for; --predictor moments needs no
/// further judgments. Where the label is an attribute, weights are from the moments: they pair judgments of different workers.
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
    /// How judgments of an attribute of an object become one number [default: as the selection says].
    #[arg(long, value_enum)]
    aggregate: Option<AggregateName>,
    /// With --predictor moments: how many times the noise of these judgments those of new objects will have, if not as the
    /// selection says; a number for all attributes, or NAME=F,...
    #[arg(long, value_name = "F|NAME=F,...", allow_negative_numbers = true)]
    noise_factor: Vec<String>,
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
        let mut selection = read_selection(&self.selection)?;
        selection.classes |= self.label_column.classes;
        selection.aggregate = self.aggregate.map_or(selection.aggregate, Into::into);
        if !self.noise_factor.is_empty() {
            let factors = noise_factors(&self.noise_factor)?;
            for attribute in &mut selection.attributes {
                attribute.noise_factor = Some(factors.of.get(&attribute.attribute).copied().unwrap_or(factors.others));
            }
        }
        let judgments = self.reading.judgments(&self.file, common)?;
        let (label, averaged) =
            self.label_column.read(selection.label.as_deref(), (&judgments, &self.file), &self.reading, common)?;
        let outcome =
            FitPredictor { selection, fitting: self.predictor.into(), label_of: averaged.map(|label| label.of) }
                .fit(&judgments, &label, &common.context()?)
                .map_err(|error| self.label_column.blame(error, &self.file))?;
        common.warn_all(&outcome.warnings);
        if common.out.is_some() {
            common.say(&summary(&outcome.predictor));
        }
        sink.emit_text(&Model::Multiselect(outcome.model()).to_json())
    }
}

/// What weights are of.
pub(crate) fn plural(aggregate: Combine) -> &'static str {
    match aggregate {
        Combine::Median => "medians",
        Combine::Majority => "majorities",
        _ => "means",
    }
}

fn summary(predictor: &Predictor) -> String {
    let mut header = vec!["attribute", "judgments"];
    let weight = predictor.bias.single().map(|_| "weight");
    header.extend(weight);
    let row = |a: &PredictorAttribute| {
        let mut row = vec![a.attribute.clone(), a.judgments.to_string()];
        row.extend(a.weight.single().map(number));
        row
    };
    let rows = table(&header, predictor.attributes.iter().map(row).collect());
    let objects = count(predictor.objects, "object");
    let mut text = match (predictor.bias.single(), &predictor.classes) {
        (None, Some(classes)) => format!(
            "Tells apart the {} classes of '{}', fitted on {objects}: each class has weights of its own\n\n{rows}",
            classes.names.len(),
            one_line(&predictor.label)
        ),
        (bias, _) => format!(
            "Predicts '{}', fitted on {objects}: the sum of the weighted {} of the judgments, and the bias\n\n{rows}  (bias)  {}\n",
            one_line(&predictor.label),
            plural(predictor.aggregate),
            number(bias)
        ),
    };
    text += &format!(
        "\n  expected squared error  {} on new objects; the label's variance is {}\n",
        number(predictor.error_variance),
        number(predictor.label_variance)
    );
    if let (Some(rate), Some(classes)) = (predictor.error_rate, &predictor.classes) {
        let guess = 100.0 * (1.0 - classes.largest());
        text += &format!(
            "  expected error rate     {:.1}% of new objects in the wrong class; always the largest: {guess:.1}%\n",
            100.0 * rate
        );
    }
    text
}
