//! What `select` prints.

use crate::output::{Report, Rows, exact, number, table, with_header};
use beanjar::multiselect::{AttributeStability, SelectOutcome, SelectedAttribute};

impl Report for SelectOutcome {
    fn text(&self) -> String {
        let mut text = format!(
            "To predict '{}' of a new object, for {} of a budget of {} (from {} labelled objects):\n\n",
            self.label.name, self.spent, self.budget, self.objects
        );
        text += &attributes(self);
        text += &losses(self);
        if self.still_falling {
            text += "\n  The expected error still falls at the end of the budget: a larger one would do better.\n";
        }
        if let Some(suggested) = self.suggested_budget {
            text += &format!(
                "\n  A budget of {suggested} would do: its expected error is within one standard error of the smallest.\n"
            );
        }
        if self.cv_loss.is_some() {
            text += &format!("\n{}", by_budget(self));
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let header = ["attribute", "judgments", "cost", "weight", "covariance", "noise", "signal"];
        let row = |a: &SelectedAttribute| {
            let numbers = [a.cost, a.weight, a.covariance, a.noise, a.signal];
            let texts = numbers.map(|number| exact(Some(number)));
            [vec![a.attribute.clone(), a.judgments.to_string()], texts.to_vec()].concat()
        };
        with_header(&header, self.selection.iter().map(row))
    }
}

/// What to ask, and what each column means.
fn attributes(outcome: &SelectOutcome) -> String {
    let mut header = vec!["attribute", "judgments", "cost", "weight", "covariance", "noise", "signal"];
    let mut meanings = vec![
        ("judgments", "how often to judge the attribute of each object"),
        ("cost", "what these judgments cost"),
        ("weight", "the prediction is the bias plus the sum of weight times mean judgment"),
        ("covariance", "between the attribute and the label"),
        ("noise", "variance of judgments of one object"),
        ("signal", "variance of the attribute's true values over objects"),
    ];
    if outcome.stability.is_some() {
        header.extend(["chosen", "range"]);
        meanings.push(("chosen", "share of resamplings of the objects in which the attribute is chosen"));
        meanings.push(("range", "its number of judgments in the middle 90% of the resamplings"));
    }
    let row =
        |a: &SelectedAttribute| {
            let mut row = vec![a.attribute.clone(), a.judgments.to_string(), number(a.cost * f64::from(a.judgments))];
            row.extend([a.weight, a.covariance, a.noise, a.signal].map(number));
            row.extend(stability(outcome, &a.attribute).into_iter().flat_map(|s| {
                [format!("{:.0}%", 100.0 * s.chosen), format!("{}-{}", s.judgments_low, s.judgments_high)]
            }));
            row
        };
    let mut text = table(&header, outcome.selection.iter().map(row).collect());
    text += &format!("  (bias)  {}\n\n", number(outcome.bias));
    for (name, meaning) in meanings {
        text += &format!("  {name:<10}  {meaning}\n");
    }
    text + "\n"
}

fn stability<'a>(outcome: &'a SelectOutcome, attribute: &str) -> Option<&'a AttributeStability> {
    outcome.stability.as_ref()?.iter().find(|stability| stability.attribute == attribute)
}

/// What error to expect, and how good the selection is.
fn losses(outcome: &SelectOutcome) -> String {
    let variance = outcome.label.variance;
    let mut text = String::new();
    let mut line = |name: &str, value: String, meaning: String| {
        text += &format!("  {name:<22}  {value:<8}  {meaning}\n");
    };
    if let (Some(loss), Some(se)) = (outcome.cv_loss, outcome.cv_se) {
        line(
            "expected squared error",
            number(loss),
            format!("on new objects, cross-validated; standard error {}", number(se)),
        );
    }
    line("label variance", number(variance), "the squared error of predicting the mean for every object".into());
    if let Some(rate) = outcome.error_rate {
        line("expected error rate", format!("{:.1}%", 100.0 * rate), "of new objects in the wrong class".into());
    }
    let above = outcome.cv_loss.is_some_and(|loss| loss < outcome.projected_loss);
    let meaning = match above {
        true => "by the shrunken weights' own account; a ridge makes it too large, so go by the expected one",
        false => "on the objects used to choose; too small as a rule",
    };
    line("projected error", number(outcome.projected_loss), meaning.into());
    let share = 100.0 * outcome.explained / variance;
    line("explained", number(outcome.explained), format!("{share:.1}% of the label variance, on the same objects"));
    let bound = match outcome.proven {
        true => "proven: no selection within the budget explains more".to_owned(),
        false => {
            let reached = 100.0 * (1.0 - outcome.gap);
            format!("no selection can explain more; this one reaches {reached:.1}% of it")
        }
    };
    line("upper bound", number(outcome.upper_bound), bound);
    if outcome.ridge > 0.0 {
        line(
            "ridge",
            outcome.ridge.to_string(),
            "shrinks the weights; chosen by the expected error unless given".into(),
        );
    }
    text
}

/// Some steps of the path: about a dozen, denser where little is spent.
fn by_budget(outcome: &SelectOutcome) -> String {
    let last = outcome.path.len();
    let mut shown: Vec<usize> = (0..).map(|i: i32| 1.5f64.powi(i).round() as usize).take_while(|&i| i < last).collect();
    shown.push(last);
    shown.dedup();
    let row = |&i: &usize| {
        let step = &outcome.path[i - 1];
        let numbers = [Some(step.projected_loss), step.cv_loss, step.cv_se].map(number);
        [vec![number(step.spent), step.attribute.clone()], numbers.to_vec()].concat()
    };
    let header = ["spent", "last asked", "projected error", "expected error", "se"];
    table(&header, shown.iter().map(row).collect())
        + "\n  spent           what the judgments up to and with 'last asked' cost\n  \
             expected error  squared error on new objects after them, and its standard error (se)\n"
}
