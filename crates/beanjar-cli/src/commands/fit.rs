use super::Reading;
use super::labelled::{Chosen, Labelled, judgments_of};
use super::model::{Model, save};
use crate::Common;
use crate::failure::{Failure, Result};
use crate::output::{count, number, table};
use beanjar::multiselect::{Estimates, Fitting, Predictor, PredictorAttribute};
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
    labelled: Labelled,
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

impl Fit {
    pub(crate) fn run(&self, common: &Common) -> Result<()> {
        let sink = common.sink(&[&self.file, &self.labelled.labels, &self.selection])?;
        let chosen = Chosen::load(&self.selection)?;
        let judgments = judgments_of(self.reading.read(&self.file, common)?.data, &self.file)?;
        let wanted = chosen.label.as_ref().map(|label| label.name.as_str());
        let known = self.labelled.load(&self.file, &judgments.objects, wanted, common)?;
        let lookup = judgments.attributes.lookup();
        let mut repeats = vec![0; judgments.attributes.len()];
        for attribute in &chosen.selection {
            let name = &attribute.attribute;
            let code = lookup.code(name).ok_or_else(|| {
                Failure::Words(format!("{}: no judgment of '{name}', which the selection asks for", self.file.name()))
            })?;
            repeats[code] = attribute.judgments;
        }
        let fitting = match self.predictor {
            PredictorName::LeastSquares => Fitting::LeastSquares,
            PredictorName::Moments => Fitting::Moments,
        };
        let data = (&judgments, &known.coded.values[..]);
        let fit = || {
            let estimates = Estimates::new(&judgments, data.1, chosen.ridge, &common.context()?)?;
            Ok(Predictor::fit(fitting, &estimates, &repeats, data, common.seed)?)
        };
        let predictor = fit().map_err(|failure: Failure| failure.of(&self.file))?;
        let predictor = predictor.of(&known.name, known.coded.classes);
        if common.out.is_some() && !common.quiet {
            eprint!("{}", summary(&predictor));
        }
        sink.emit_text(&save(&Model::Multiselect(predictor)))
    }
}

fn summary(predictor: &Predictor) -> String {
    let row = |a: &PredictorAttribute| vec![a.attribute.clone(), a.judgments.to_string(), number(a.weight)];
    let rate = match predictor.error_rate {
        Some(rate) => format!("; {:.1}% to expect in the wrong class", 100.0 * rate),
        None => String::new(),
    };
    format!(
        "Predicts '{}', fitted on {}\n\n{}  (bias)  {}\n\n  expected squared error {} of a variance of {}{rate}\n",
        predictor.label,
        count(predictor.objects, "object"),
        table(&["attribute", "judgments", "weight"], predictor.attributes.iter().map(row).collect()),
        number(predictor.bias),
        number(predictor.error_variance),
        number(predictor.label_variance),
    )
}
