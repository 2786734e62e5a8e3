//! The whole of `select`: from judgments and labels to what to ask, and what to expect of it.

use super::attribute_label::averaged_from;
use super::attribute_names::find;
use super::combine::combined;
use super::estimates::check_ridge;
use super::select_found::Found;
use super::selection::{number, whole};
use super::stability::check_samples;
use super::{
    CodedLabels, Combine, Elsewhere, Estimates, LabelledJudgments, Method, NoiseFactors, RIDGES, SelectOutcome,
    SelectionFit, Selector, Spending, Strategy, ValidationFit,
};
use crate::judgments::LARGEST;
use crate::message::brief;
use crate::{Column, Context, Dictionary, Error, Judgments, Result, Warning};
use std::collections::BTreeMap;

/// Chooses which attributes to judge, how often each, within a budget per object (Sabato and Kalai 2013).
///
/// Judged r_a times each, attributes explain obj(r) = b' (Sigma + diag(v / r))^-1 b of the label's variance, where b are
/// the attributes' covariances with the label, v their noise, and Sigma the covariance of their true values, all
/// estimated from objects with two or more judgments of each attribute. The method raises obj(r) one judgment after the
/// other. The squared error to expect on new objects is cross-validated, and so is the ridge.
///
/// Labels that are not numbers are classes: see [`CodedLabels`]. With more than two, what is explained is summed over the
/// classes, each against the rest.
///
/// | parameter | meaning | default | range |
/// |---|---|---|---|
/// | `budget` | what may be spent on the judgments of each new object | 20 | above 0 |
/// | `method` | how to choose | Full | |
/// | `costs` | what a judgment of an attribute costs | 1 each | above 0 |
/// | `at_most` | how often any attribute may be judged | no limit | 1 or more |
/// | `limits` | how often an attribute may be judged, if not `at_most` | none | |
/// | `always` | attributes to judge at least once | none | |
/// | `never` | attributes never to judge | none | |
/// | `ridge` | `ridge` times (signal + noise / 2) is added to an attribute's variance | chosen among [`RIDGES`] by the expected loss | at least 0 |
/// | `aggregate` | how judgments of an attribute of an object become one number | mean | majority: of two values; neither majority nor median with Best, Averages, Copies |
/// | `noise_factors` | how many times the noise of these judgments those of new objects have | 1 each | above 0 |
/// | `classes` | whether labels that are numbers are names of classes; other labels always are | no | |
/// | `leak` | whether attributes that the label was averaged from may be judged | no | |
/// | `label_noise` | the variance of errors in the label itself, which is taken off losses and its variance | 0 | at least 0, below the label's variance |
/// | `label_of` | the attribute whose judgments the label is the mean of; they are paired with other workers' judgments alone | none | |
/// | `compare` | whether to estimate what error other methods would have | no | |
/// | `bootstrap` | on how many resamplings of the objects the selection is repeated | none | 1 to 100,000 |
///
/// Cost: O(judgments + d^3) for the moments of d attributes, some tens of times as much to cross-validate, and O(B^2 d)
/// for the selection of B judgments.
///
/// ```
/// use beanjar::{Column, Context, Judgments, multiselect::Select};
///
/// // Two judgments of two attributes of eight jars: 'beans' follows the label, 'colour' does not.
/// let ids: Vec<String> = (0..8).map(|jar| format!("jar {jar}")).collect();
/// let rows = ids.iter().enumerate().flat_map(|(jar, id)| {
///     let (beans, colour) = (10.0 * jar as f64, ((jar * 5) % 3) as f64);
///     [("beans", beans - 3.0), ("beans", beans + 4.0), ("colour", colour), ("colour", colour + 1.0)]
///         .map(|(attribute, value)| (id.as_str(), attribute, "ann", value))
/// });
/// let judgments = Judgments::from_rows(rows)?;
/// let labels: Vec<String> = (0..8).map(|jar| (10 * jar).to_string()).collect();
/// let label = Column::new("beans in the jar", judgments.objects.clone(), labels)?;
///
/// let outcome = Select { budget: 3.0, ..Select::default() }.fit(&judgments, &label, &Context::new())?;
/// assert_eq!((outcome.selection[0].attribute.as_str(), outcome.selection[0].judgments), ("beans", 3));
/// assert!(outcome.cv_loss.unwrap() < outcome.label.variance / 10.0);
/// # Ok::<(), beanjar::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// What may be spent on the judgments of each new object.
    pub budget: f64,
    /// How to choose.
    pub method: Method,
    /// What a judgment costs, by attribute, if not 1.
    pub costs: BTreeMap<String, f64>,
    /// How often any attribute may be judged.
    pub at_most: Option<u32>,
    /// How often an attribute may be judged, by attribute, if not `at_most`.
    pub limits: BTreeMap<String, u32>,
    /// Attributes to judge at least once.
    pub always: Vec<String>,
    /// Attributes never to judge.
    pub never: Vec<String>,
    /// The ridge; none to choose it by the expected loss.
    pub ridge: Option<f64>,
    /// How judgments of an attribute of an object become one number.
    pub aggregate: Combine,
    /// How many times the noise of these judgments those of new objects have.
    pub noise_factors: NoiseFactors,
    /// Whether labels that are numbers are names of classes.
    pub classes: bool,
    /// Whether attributes that the label was averaged from may be judged.
    pub leak: bool,
    /// The variance of errors in the label itself; see [`AttributeLabel`](super::AttributeLabel).
    pub label_noise: f64,
    /// The attribute whose judgments the label is the mean of; see [`AttributeLabel`](super::AttributeLabel).
    pub label_of: Option<String>,
    /// Whether to estimate what error other methods would have.
    pub compare: bool,
    /// On how many resamplings of the objects the selection is repeated.
    pub bootstrap: Option<usize>,
}

impl Default for Select {
    fn default() -> Self {
        Select {
            budget: 20.0,
            method: Method::Full,
            costs: BTreeMap::new(),
            at_most: None,
            limits: BTreeMap::new(),
            always: Vec::new(),
            never: Vec::new(),
            ridge: None,
            aggregate: Combine::Mean,
            noise_factors: NoiseFactors::default(),
            classes: false,
            leak: false,
            label_noise: 0.0,
            label_of: None,
            compare: false,
            bootstrap: None,
        }
    }
}

impl Select {
    /// The same with the costs of a table: a number for each attribute; an empty one changes nothing.
    pub fn with_costs(mut self, costs: &Column) -> Result<Self> {
        for (row, attribute) in given(costs) {
            self.costs.insert(attribute.to_owned(), number(costs, row)?);
        }
        Ok(self)
    }

    /// The same with the limits of a table: a whole number for each attribute; an empty one changes nothing.
    pub fn with_limits(mut self, limits: &Column) -> Result<Self> {
        for (row, attribute) in given(limits) {
            self.limits.insert(attribute.to_owned(), whole(limits, row)?);
        }
        Ok(self)
    }

    /// An error if a parameter is out of its range.
    pub fn check(&self) -> Result<()> {
        let above_0 = |name, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::OutOfRange { name, value: value.to_string(), range: "above 0" }),
        };
        above_0("the budget", self.budget)?;
        if let Some((attribute, cost)) = self.costs.iter().find(|(_, cost)| !(**cost > 0.0 && **cost <= LARGEST)) {
            let value = format!("{} for '{}'", brief(*cost), attribute.chars().take(40).collect::<String>());
            return Err(Error::OutOfRange { name: "a cost", value, range: "above 0, and 1e50 at most" });
        }
        if self.at_most == Some(0) {
            return Err(Error::OutOfRange {
                name: "the most judgments of an attribute",
                value: "0".into(),
                range: "1 or more",
            });
        }
        self.ridge.map_or(Ok(()), check_ridge)?;
        self.noise_factors.check()?;
        if !self.aggregate.is_mean() && matches!(self.method, Method::Best | Method::Averages | Method::Copies) {
            let (value, range) =
                (self.method.name().to_owned(), "full, scoring or crowd-mean where judgments are not averaged");
            return Err(Error::OutOfRange { name: "the method", value, range });
        }
        if !(self.label_noise >= 0.0 && self.label_noise.is_finite()) {
            let value = self.label_noise.to_string();
            return Err(Error::OutOfRange { name: "the noise of the label", value, range: "0 or more" });
        }
        self.bootstrap.map_or(Ok(()), check_samples)
    }

    /// Chooses what to ask to predict a label. Objects without a label are left out.
    pub fn fit(&self, judgments: &Judgments, label: &Column, context: &Context) -> Result<SelectOutcome> {
        self.check()?;
        let coded = CodedLabels::of(label, &judgments.objects, self.classes)?;
        self.fit_coded(judgments, (label.name(), &coded), None, context)
    }

    /// The same where judgments are elsewhere: these are all judgments of a sample of the objects, beside the sums over all of
    /// them. Moments, and so what is chosen, are of all objects; folds and resamplings are of their groups. Of the sample are
    /// the scores of classes, what medians and majorities tell, and [`Method::Copies`].
    pub fn fit_sample(
        &self,
        sample: &Judgments,
        label: &Column,
        elsewhere: &Elsewhere,
        context: &Context,
    ) -> Result<SelectOutcome> {
        self.check()?;
        let coded = elsewhere.coded(sample, label)?;
        self.fit_coded(sample, (label.name(), &coded), Some(elsewhere), context)
    }

    fn fit_coded(
        &self,
        judgments: &Judgments,
        (name, coded): (&str, &CodedLabels),
        elsewhere: Option<&Elsewhere>,
        context: &Context,
    ) -> Result<SelectOutcome> {
        let mut spending = self.spending(&judgments.attributes)?;
        let noise_factors = self.noise_factors.in_order(&judgments.attributes)?;
        let label_of = self.label_of.as_deref().map(|name| find(&judgments.attributes, name)).transpose()?;
        let label_of = label_of.filter(|_| coded.classes.is_none());
        let data = LabelledJudgments::coded(judgments, coded)?.judged_anew(&noise_factors).averaged(label_of);
        let tells = combined(judgments, self.aggregate)?;
        let data = data.combined(self.aggregate, &tells).sampled(elsewhere);
        let mut warnings: Vec<Warning> = coded.warning().into_iter().collect();
        if !self.leak && coded.classes.is_none() {
            warnings.extend(leave_out_the_label(&mut spending, data, name));
        }
        context.report("estimating", 0.0)?;
        let plain = Estimates::new(data, 0.0, context)?;
        spending.check(&plain)?;
        let attributes = plain.judged_once();
        if !attributes.is_empty() {
            warnings.push(Warning::JudgedOnce { attributes });
        }
        let strategy = strategy(self.method, data, &plain, &spending)?;
        let selector = Selector { strategy, spending };

        let validated = if self.bootstrap.is_some() { 0.5 } else { 0.9 };
        let validation = match self.validate(&selector, data, &context.part(0.05, validated)) {
            Err(Error::FewObjects { objects, needed }) => {
                warnings.push(Warning::NotValidated { objects, needed });
                None
            }
            validation => validation?,
        };
        let given = self.ridge.unwrap_or(0.0);
        let ridge = validation.as_ref().map_or(given, |validation| validation.ridge);
        let estimates = plain.ridged(ridge);
        let selection = selector.fit(&estimates, data, &context.part(validated, validated + 0.1))?;
        if is_overfitted(&estimates, &selector, &selection, validation.as_ref()) {
            warnings.push(Warning::Overfitted);
        }
        let resample = |samples| selector.bootstrap(data, ridge, samples, &context.part(validated + 0.1, 1.0));
        let stability = self.bootstrap.map(resample).transpose()?;
        let others = match self.compare && validation.is_some() {
            true => {
                let (others, context) = (self.others(&selector, &estimates, data), context.part(0.99, 1.0));
                let losses = others.iter().map(|other| other.losses(&estimates, data, ridge, &context));
                Some(losses.collect::<Result<Vec<_>>>()?)
            }
            false => None,
        };
        let found = Found {
            label: name,
            coded,
            noise_factors: &noise_factors,
            combine: self.aggregate,
            selector: &selector,
            estimates: &estimates,
            ridge,
            selection: &selection,
            validation: validation.as_ref(),
            stability,
            others,
            warnings,
        };
        Ok(SelectOutcome::of(found).without_noise(self.label_noise))
    }

    /// The cross-validated losses, with the best ridge. None for single judgments, whose loss at other numbers of
    /// judgments is not known.
    fn validate(
        &self,
        selector: &Selector,
        data: LabelledJudgments<'_>,
        context: &Context,
    ) -> Result<Option<ValidationFit>> {
        match (self.method, self.ridge) {
            (Method::Copies, _) => Ok(None),
            (_, Some(ridge)) => selector.validate(data, &[ridge], context).map(Some),
            (_, None) => selector.validate(data, &RIDGES, context).map(Some),
        }
    }

    /// The other methods, on the same terms. Those that cannot choose anything are left out.
    fn others(&self, selector: &Selector, estimates: &Estimates, data: LabelledJudgments<'_>) -> Vec<Selector> {
        let mean = [Method::Full, Method::Scoring, Method::Averages, Method::CrowdMean];
        let others = mean.into_iter().filter(|method| self.aggregate.is_mean() || *method != Method::Averages);
        let strategies = others
            .filter(|method| *method != self.method)
            .filter_map(|method| strategy(method, data, estimates, &selector.spending).ok());
        strategies.map(|strategy| Selector { strategy, spending: selector.spending.clone() }).collect()
    }

    /// The terms by number, in the order of the attributes.
    fn spending(&self, attributes: &Dictionary) -> Result<Spending> {
        let d = attributes.len();
        let mut spending = Spending { budget: self.budget, ..Spending::judgments(0, d) };
        if let Some(most) = self.at_most {
            spending.at_most.fill(most);
        }
        for (name, &cost) in &self.costs {
            spending.cost[find(attributes, name)?] = cost;
        }
        for (name, &most) in &self.limits {
            spending.at_most[find(attributes, name)?] = most;
        }
        for name in &self.never {
            spending.at_most[find(attributes, name)?] = 0;
        }
        for name in &self.always {
            let a = find(attributes, name)?;
            if spending.at_most[a] == 0 {
                return Err(Error::AlwaysAndNever(name.clone()));
            }
            spending.always[a] = true;
        }
        Ok(spending)
    }
}

/// Leaves out the attributes that the label was averaged from, unless they were never to be judged anyway.
fn leave_out_the_label(spending: &mut Spending, data: LabelledJudgments<'_>, label: &str) -> Option<Warning> {
    let judgments = data.judgments;
    let mut attributes = averaged_from(judgments, data.labels);
    attributes.retain(|&attribute| spending.at_most[attribute] > 0 && !spending.always[attribute]);
    attributes.iter().for_each(|&attribute| spending.at_most[attribute] = 0);
    let names = attributes.iter().map(|&attribute| judgments.attributes.get(attribute).to_owned());
    // Who names an attribute as the label knows.
    let attributes: Vec<String> = names.filter(|name| name != label).collect();
    (!attributes.is_empty()).then(|| Warning::LabelAveraged { label: label.to_owned(), attributes })
}

/// The rows with a value.
fn given(column: &Column) -> impl Iterator<Item = (usize, &str)> {
    column.ids().iter().enumerate().filter(|(row, _)| !column.values()[*row].trim().is_empty())
}

/// The method with the numbers that it needs: the judgments at hand, or the attribute of the crowd mean.
fn strategy(
    method: Method,
    data: LabelledJudgments<'_>,
    estimates: &Estimates,
    spending: &Spending,
) -> Result<Strategy> {
    Ok(match method {
        Method::Full => Strategy::Full,
        Method::Scoring => Strategy::Scoring,
        Method::Best => Strategy::Best,
        Method::Averages => Strategy::Averages(data.repeats()),
        Method::Copies => Strategy::Copies(data.repeats()),
        Method::CrowdMean => {
            let named = spending.always.iter().position(|always| *always);
            let attribute = named.or_else(|| best_crowd_mean(data, estimates, spending));
            Strategy::CrowdMean(attribute.ok_or(Error::NothingExplains)?)
        }
    })
}

/// The attribute whose mean explains most when the budget is spent on it alone; the first of equals.
fn best_crowd_mean(data: LabelledJudgments<'_>, estimates: &Estimates, spending: &Spending) -> Option<usize> {
    let explained = |a: usize| {
        let selector = Selector { strategy: Strategy::CrowdMean(a), spending: spending.clone() };
        let path = selector.path(estimates, data).unwrap_or_default();
        if path.is_empty() { f64::NEG_INFINITY } else { estimates.explained_by(&selector.repeats(&path)) }
    };
    let usable = (0..estimates.len()).filter(|&a| estimates.usable[a]);
    let found = usable.map(|a| (a, explained(a)));
    // From the last, for of equals `max_by` takes the last it sees.
    found.collect::<Vec<_>>().into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(a, _)| a)
}

/// Whether more seems explained than the label's variance, or the loss to expect is not positive: the estimates are too
/// unsteady for this many attributes. Scoring counts twice what correlated attributes both explain, so its objective
/// may exceed the variance.
fn is_overfitted(
    estimates: &Estimates,
    selector: &Selector,
    selection: &SelectionFit,
    validation: Option<&ValidationFit>,
) -> bool {
    let too_much = selection.explained > estimates.label_variance && selector.strategy != Strategy::Scoring;
    too_much || validation.is_some_and(|validation| validation.loss(selection.spent).loss <= 0.0)
}

#[cfg(test)]
mod tests;
