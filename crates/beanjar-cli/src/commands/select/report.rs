//! What `select` prints.

use crate::Common;
use crate::commands::labelled::Known;
use crate::failure::Result;
use crate::output::{Report, Rows, exact, number, table, with_header};
use beanjar::Judgments;
use beanjar::multiselect::{Classes, Estimates, Method, Spending, Stability, Validation, bootstrap, select, validate};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct SelectReport {
    method: &'static str,
    budget: f64,
    spent: f64,
    objects: usize,
    label: LabelReport,
    ridge: f64,
    bias: f64,
    explained: f64,
    projected_loss: f64,
    cv_loss: Option<f64>,
    cv_se: Option<f64>,
    /// Of two classes, the share to expect in the wrong one.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_rate: Option<f64>,
    suggested_budget: Option<f64>,
    upper_bound: f64,
    /// The share of the upper bound that is not explained.
    gap: f64,
    proven: bool,
    selection: Vec<Chosen>,
    path: Vec<StepReport>,
    left_out: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stability: Option<Vec<StabilityReport>>,
}

#[derive(Serialize)]
struct LabelReport {
    name: String,
    mean: f64,
    variance: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Classes>,
}

#[derive(Serialize)]
struct Chosen {
    attribute: String,
    judgments: u32,
    cost: f64,
    weight: f64,
    covariance: f64,
    noise: f64,
    signal: f64,
}

#[derive(Serialize)]
struct StepReport {
    step: usize,
    attribute: String,
    spent: f64,
    explained: f64,
    projected_loss: f64,
    cv_loss: Option<f64>,
    cv_se: Option<f64>,
}

#[derive(Serialize)]
struct StabilityReport {
    attribute: String,
    chosen: f64,
    judgments_low: u32,
    judgments_high: u32,
}

impl SelectReport {
    /// Validates, selects, and puts together what there is to say.
    pub(crate) fn of(
        judgments: &Judgments,
        known: &Known,
        (method, spending, ridges): (Method, &Spending, &[f64]),
        copies: Option<usize>,
        left_out: Vec<String>,
        common: &Common,
    ) -> Result<Self> {
        let context = common.context()?;
        let data = (judgments, &known.coded.values[..]);
        let validation = match (method, validate(method, data, spending, ridges, common.seed, &context)) {
            (Method::Copies(_), _) => None,
            (_, Ok(validation)) => Some(validation),
            (_, Err(error @ beanjar::Error::FewObjects { .. })) => {
                common.warn(&format!("{error}; only the projected loss is given, which is too good as a rule"));
                None
            }
            (_, Err(error)) => return Err(error.into()),
        };
        let ridge = validation.as_ref().map_or(if ridges.len() == 1 { ridges[0] } else { 0.0 }, |found| found.ridge);
        let estimates = Estimates::new(judgments, data.1, ridge, &context)?;
        let selection = select(method, &estimates, spending, data)?;
        let unsteady = |found: &&Validation| found.loss(selection.spent).0 <= 0.0;
        if selection.explained > estimates.label_variance && method != Method::Scoring
            || validation.iter().any(|found| unsteady(&found))
        {
            common.warn("more seems explained than there is: too few objects for so many attributes; try --ridge 0.4, --never or more objects");
        }
        let stability = match copies {
            Some(copies) => Some(bootstrap(method, data, spending, ridge, copies, common.seed, &context)?),
            None => None,
        };
        Ok(SelectReport::new(known, spending, &estimates, &selection, ridge, validation.as_ref(), stability, left_out))
    }

    #[allow(clippy::too_many_arguments)]
    fn new(
        known: &Known,
        spending: &Spending,
        estimates: &Estimates,
        selection: &beanjar::multiselect::Selection,
        ridge: f64,
        validation: Option<&Validation>,
        stability: Option<Vec<Stability>>,
        left_out: Vec<String>,
    ) -> Self {
        let weights = estimates.weights(&selection.repeats);
        let name = |a: usize| estimates.attributes[a].clone();
        let loss = |spent: f64| validation.map(|validation| validation.loss(spent));
        let path: Vec<StepReport> = selection
            .path
            .iter()
            .enumerate()
            .map(|(i, step)| StepReport {
                step: i + 1,
                attribute: name(step.attribute),
                spent: step.spent,
                explained: step.explained,
                projected_loss: estimates.label_variance - step.explained,
                cv_loss: loss(step.spent).map(|loss| loss.0),
                cv_se: loss(step.spent).map(|loss| loss.1),
            })
            .collect();
        // The smallest sum whose expected loss is within one standard error of the best.
        let expected = |step: &StepReport| step.cv_loss.zip(step.cv_se).map(|(loss, se)| (step.spent, loss, se));
        let expected: Vec<(f64, f64, f64)> = path.iter().filter_map(expected).collect();
        let best = expected.iter().min_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.1 + best.2);
        let suggested_budget = best.and_then(|most| expected.iter().find(|step| step.1 <= most)).map(|step| step.0);
        SelectReport {
            method: selection.method.name(),
            budget: spending.budget,
            spent: selection.spent,
            objects: estimates.objects,
            label: LabelReport {
                name: known.name.clone(),
                mean: estimates.label_mean,
                variance: estimates.label_variance,
                classes: known.coded.classes.clone(),
            },
            ridge,
            bias: estimates.bias(&weights),
            explained: selection.explained,
            projected_loss: estimates.label_variance - selection.explained,
            cv_loss: loss(selection.spent).map(|loss| loss.0),
            cv_se: loss(selection.spent).map(|loss| loss.1),
            error_rate: loss(selection.spent)
                .zip(known.coded.classes.as_ref())
                .map(|((loss, _), classes)| classes.error_rate(1.0 - loss / estimates.label_variance)),
            suggested_budget,
            upper_bound: selection.upper_bound,
            gap: if selection.upper_bound > 0.0 { 1.0 - selection.explained / selection.upper_bound } else { 0.0 },
            proven: selection.proven,
            selection: (0..estimates.attributes.len())
                .filter(|&a| selection.repeats[a] > 0)
                .map(|a| Chosen {
                    attribute: name(a),
                    judgments: selection.repeats[a],
                    cost: spending.cost[a],
                    weight: weights[a],
                    covariance: estimates.covariance[a],
                    noise: estimates.noise[a],
                    signal: estimates.signal[a],
                })
                .collect(),
            path,
            left_out,
            stability: stability.map(|found| {
                let report = |(a, found): (usize, Stability)| StabilityReport {
                    attribute: name(a),
                    chosen: found.chosen,
                    judgments_low: found.judgments.0,
                    judgments_high: found.judgments.1,
                };
                found.into_iter().enumerate().map(report).collect()
            }),
        }
    }
}

impl Report for SelectReport {
    fn text(&self) -> String {
        let share = |part: f64| format!("{:.1}%", 100.0 * part / self.label.variance);
        let mut text = format!(
            "To predict '{}' of a new object, for {} of a budget of {} (from {} labelled objects):\n\n",
            self.label.name, self.spent, self.budget, self.objects
        );
        let stability = |attribute: &str| self.stability.as_ref()?.iter().find(|s| s.attribute == attribute);
        let mut header = vec!["attribute", "judgments", "cost", "weight", "covariance", "noise", "signal"];
        if self.stability.is_some() {
            header.extend(["chosen", "range"]);
        }
        let row = |a: &Chosen| {
            let mut row = vec![
                a.attribute.clone(),
                a.judgments.to_string(),
                number(a.cost * f64::from(a.judgments)),
                number(a.weight),
                number(a.covariance),
                number(a.noise),
                number(a.signal),
            ];
            if let Some(s) = stability(&a.attribute) {
                row.extend([format!("{:.0}%", 100.0 * s.chosen), format!("{}-{}", s.judgments_low, s.judgments_high)]);
            }
            row
        };
        text += &table(&header, self.selection.iter().map(row).collect());
        text += &format!("  (bias)  {}\n\n", number(self.bias));
        if let (Some(loss), Some(se)) = (self.cv_loss, self.cv_se) {
            text += &format!(
                "  expected squared error  {} (standard error {}), of a variance of {}\n",
                number(loss),
                number(se),
                number(self.label.variance)
            );
        }
        if let Some(rate) = self.error_rate {
            text += &format!("  expected error rate     {:.1}% of objects in the wrong class\n", 100.0 * rate);
        }
        text += &format!(
            "  projected               {}: from the very objects used to choose; do not rely on it\n",
            number(self.projected_loss)
        );
        text += &format!(
            "  explained               {} ({} of the variance)\n",
            number(self.explained),
            share(self.explained)
        );
        text += &match self.proven {
            true => "  no selection within the budget explains more (proven)\n".to_owned(),
            false => format!(
                "  upper bound             {}: at most {:.2}% could be gained by any other selection\n",
                number(self.upper_bound),
                100.0 * self.gap
            ),
        };
        if self.ridge > 0.0 {
            text += &format!("  ridge                   {}, chosen by the expected error unless given\n", self.ridge);
        }
        if let Some(suggested) = self.suggested_budget {
            text += &format!(
                "\n  a budget of {suggested} would do: its expected error is within one standard error of the best\n"
            );
            text += &format!("\n{}", self.by_budget());
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let header = ["attribute", "judgments", "cost", "weight", "covariance", "noise", "signal"];
        let row = |a: &Chosen| {
            let numbers = [a.cost, a.weight, a.covariance, a.noise, a.signal];
            let texts = numbers.map(|number| exact(Some(number)));
            [vec![a.attribute.clone(), a.judgments.to_string()], texts.to_vec()].concat()
        };
        with_header(&header, self.selection.iter().map(row))
    }
}

impl SelectReport {
    /// Some steps of the path: about a dozen, denser where little is spent.
    fn by_budget(&self) -> String {
        let last = self.path.len();
        let mut shown: Vec<usize> =
            (0..).map(|i: i32| 1.5f64.powi(i).round() as usize).take_while(|&i| i < last).collect();
        shown.push(last);
        shown.dedup();
        let row = |&i: &usize| {
            let step = &self.path[i - 1];
            vec![
                number(step.spent),
                step.attribute.clone(),
                number(step.projected_loss),
                number(step.cv_loss),
                number(step.cv_se),
            ]
        };
        table(&["spent", "last asked", "projected", "expected", "se"], shown.iter().map(row).collect())
    }
}
