//! What `select` prints.

use crate::output::{Report, Rows, exact, number, table, with_header};
use beanjar::multiselect::{AttributeStability, Combine, SelectOutcome, SelectedAttribute};

impl Report for SelectOutcome {
    fn text(&self) -> String {
        let mut text = format!(
            "To predict '{}' of a new object, for {} of a budget of {} (from {} labelled objects):\n\n",
            self.label.name, self.spent, self.budget, self.objects
        );
        text += &attributes(self);
        text += &losses(self);
        text += &recognised(self);
        if let Some(advice) = self.advice() {
            text += &format!("\n  {advice}\n");
        }
        if self.cv_loss.is_some() {
            text += &format!("\n{}", by_budget(self));
        }
        text
    }

    fn rows(&self) -> Rows<'_> {
        let several = self.several_classes();
        let of_each = |what: &str| match several {
            Some(classes) => classes.names.iter().map(|class| format!("{what} {class}")).collect(),
            None => vec![what.to_owned()],
        };
        let mut header = ["attribute", "judgments", "cost"].map(str::to_owned).to_vec();
        header.extend(of_each("weight"));
        header.extend(of_each("covariance"));
        header.extend(["noise", "signal"].map(str::to_owned));
        let row = |a: &SelectedAttribute| {
            let mut row = vec![a.attribute.clone(), a.judgments.to_string()];
            let numbers = [&[a.cost][..], a.weight.all(), a.covariance.all(), &[a.noise, a.signal]].concat();
            row.extend(numbers.into_iter().map(|number| exact(Some(number))));
            row
        };
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        with_header(&header, self.selection.iter().map(row).collect::<Vec<_>>().into_iter())
    }
}

/// What to ask, and what each column means.
fn attributes(outcome: &SelectOutcome) -> String {
    let mut header = vec!["attribute", "judgments", "cost"];
    let mut meanings =
        vec![("judgments", "how often to judge the attribute of each object"), ("cost", "what these judgments cost")];
    match outcome.several_classes() {
        Some(_) => {
            header.push("tells most of");
            meanings.push(("tells most of", "the class that it sets apart best; --format json has all weights"));
        }
        None => {
            header.extend(["weight", "covariance"]);
            meanings.push((
                "weight",
                match outcome.aggregate {
                    Combine::Median => "the prediction is the bias plus the sum of weight times median judgment",
                    Combine::Majority => {
                        "the prediction is the bias plus the sum of weight times majority of judgments"
                    }
                    _ => "the prediction is the bias plus the sum of weight times mean judgment",
                },
            ));
            meanings.push(("covariance", "between the attribute and the label"));
        }
    }
    header.extend(["noise", "signal"]);
    let anew = outcome.selection.iter().any(|chosen| chosen.noise_factor.is_some());
    meanings.push(match anew {
        true => ("noise", "variance of judgments of one object, by those who will judge new objects"),
        false => ("noise", "variance of judgments of one object"),
    });
    if anew {
        header.insert(header.len() - 1, "times");
        meanings.push(("times", "how many times the noise of the judgments at hand that is"));
    }
    meanings.push(("signal", "variance of the attribute's true values over objects"));
    if outcome.stability.is_some() {
        header.extend(["chosen", "range"]);
        meanings.push(("chosen", "share of resamplings of the objects in which the attribute is chosen"));
        meanings.push(("range", "its number of judgments in the middle 90% of the resamplings"));
    }
    let row =
        |a: &SelectedAttribute| {
            let mut row = vec![a.attribute.clone(), a.judgments.to_string(), number(a.cost * f64::from(a.judgments))];
            match outcome.several_classes() {
                Some(classes) => row.push(a.best_recognised(classes).to_owned()),
                None => row.extend([a.weight.single(), a.covariance.single()].map(number)),
            }
            row.push(number(a.noise));
            row.extend(a.noise_factor.map(number));
            row.push(number(a.signal));
            row.extend(stability(outcome, &a.attribute).into_iter().flat_map(|s| {
                [format!("{:.0}%", 100.0 * s.chosen), format!("{}-{}", s.judgments_low, s.judgments_high)]
            }));
            row
        };
    let mut text = table(&header, outcome.selection.iter().map(row).collect());
    if let Some(bias) = outcome.bias.single() {
        text += &format!("  (bias)  {}\n", number(bias));
    }
    text += "\n";
    let widest = meanings.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, meaning) in meanings {
        text += &format!("  {name:<widest$}  {meaning}\n");
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
    if let (Some(rate), Some(classes)) = (outcome.error_rate, &outcome.label.classes) {
        let guess = 100.0 * (1.0 - classes.largest());
        line(
            "expected error rate",
            format!("{:.1}%", 100.0 * rate),
            format!("of new objects in the wrong class; always the largest: {guess:.1}%"),
        );
    }
    if let (Some(loss), Some(se)) = (outcome.cv_loss, outcome.cv_se) {
        let of = if outcome.several_classes().is_some() { "summed over classes, " } else { "" };
        let (value, spread) = match outcome.error_below() {
            Some(below) => (format!("< {}", number(below)), "not distinguishable from 0".to_owned()),
            None => (number(loss), format!("standard error {}", number(se))),
        };
        line("expected squared error", value, format!("{of}on new objects, cross-validated; {spread}"));
    }
    let of_mean = match outcome.several_classes() {
        Some(_) => "the same where every object is given the shares of the classes",
        None => "the squared error of predicting the mean for every object",
    };
    line("label variance", number(variance), of_mean.into());
    let above = outcome.cv_loss.is_some_and(|loss| loss < outcome.projected_loss);
    let meaning = match (above, outcome.ridge > 0.0) {
        (true, true) => "too large where a ridge shrinks the weights: go by the expected one",
        (true, false) => "on the objects used to choose; above the expected one by chance",
        (false, _) => "on the objects used to choose; too small as a rule",
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

/// Of each class, how many of its objects are recognised; nothing of many classes.
fn recognised(outcome: &SelectOutcome) -> String {
    /// What is read at a glance.
    const MOST: usize = 20;
    let Some(classes) = outcome.recognised.as_ref().filter(|classes| classes.len() <= MOST) else {
        return String::new();
    };
    let percent = |share: f64| format!("{:.0}%", 100.0 * share);
    let rows = classes.iter().map(|of| vec![of.class.clone(), percent(of.share), percent(of.recall)]).collect();
    let rows = table(&["class", "share", "recognised"], rows);
    format!(
        "\n{rows}\n  share       of the labelled objects\n  recognised  of new objects of the class, those expected to be put there\n"
    )
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
