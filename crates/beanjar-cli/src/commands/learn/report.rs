use crate::output::{Report, Rows, count, exact, number, one_line, table, with_header};
use beanjar::LearnOutcome;
use beanjar::experts::{ErrorModel, ExpertSkill, FeatureEffect, PerClass};

/// The value, or the classes with the largest values.
fn text_of(value: &PerClass) -> String {
    let values = match value {
        PerClass::Second(value) => return number(*value),
        PerClass::Each(values) => values,
    };
    let mut sorted: Vec<(&String, &f64)> = values.iter().filter(|(_, value)| **value != 0.0).collect();
    sorted.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let shown: Vec<String> =
        sorted.iter().take(3).map(|(class, value)| format!("{class} {}", number(**value))).collect();
    let more = if sorted.len() > 3 { ", ..." } else { "" };
    shown.join(", ") + more
}

/// What each number means, in a plain line.
fn explained(outcome: &LearnOutcome) -> String {
    let class = match &outcome.classes[..] {
        [_, second] => format!("the log-odds of {second}"),
        _ => "the log-odds of each class".to_owned(),
    };
    let mut text = format!("\n  truth: what one unit of the feature adds to {class}\n");
    if !outcome.experts.is_empty() {
        if outcome.error_model == Some(ErrorModel::Rows) {
            text += "  experts have a confusion matrix each (JSON has them), and features do not say which units are easy\n";
        }
        text += "  ease: what it adds to the log-odds that experts are right; below zero it makes units hard\n";
        text += "  skill: an expert's log-odds of being right where all features are 0\n";
        text += "  accuracy: the share of the expert's labels that are right, by the model\n";
    }
    text += &how_experts_err(outcome).unwrap_or_default();
    text + &held_out(outcome)
}

/// What is predicted.
fn target(outcome: &LearnOutcome) -> String {
    match &outcome.classes[..] {
        [_, second] => format!("P({})", one_line(second)),
        classes => format!("P of {}", count(classes.len(), "class")),
    }
}

/// How experts err, and why.
fn how_experts_err(outcome: &LearnOutcome) -> Option<String> {
    let each = outcome.error_model?.in_words();
    let compared = outcome.error_models.map(|found| {
        let (by, se) = (number(found.difference), number(found.difference_se));
        format!(
            "    a held-out unit's labels are likelier with matrices than with skills by {by} (se {se}), in logarithm\n"
        )
    });
    Some(format!("  experts: {each}\n{}", compared.unwrap_or_default()))
}

/// S, and the risk that follows, if labels were held out.
fn held_out(outcome: &LearnOutcome) -> String {
    let Some(surrogate) = outcome.surrogate else { return String::new() };
    let (s, se) = (number(surrogate), number(outcome.surrogate_se));
    let mut text = format!("  S: {s} of the labels held out differ from the prediction (standard error {se})\n");
    if let (Some(error), Some(risk)) = (outcome.expert_error, outcome.risk) {
        let (error, risk, se) = (number(error), number(risk), number(outcome.risk_se));
        text +=
            &format!("  risk: with experts who err {error} of the time, the classifier errs about {risk} (se {se})\n");
    }
    text
}

impl Report for LearnOutcome {
    fn text(&self) -> String {
        const MOST: usize = 30;
        let mut text = format!(
            "{} from {}; penalty {} ({}); log-likelihood {}\n\n",
            target(self),
            count(self.features.iter().filter(|row| !row.truth.is_zero()).count(), "feature"),
            number(self.penalty),
            self.penalty_kind,
            number(self.log_likelihood),
        );
        let mut entered: Vec<&FeatureEffect> =
            self.features.iter().filter(|row| !row.truth.is_zero() || row.ease != 0.0).collect();
        let shown = entered.len().min(MOST);
        let rest = entered.split_off(shown).len();
        let row = |row: &&FeatureEffect| vec![row.feature.clone(), text_of(&row.truth), number(row.ease)];
        let mut rows = vec![vec!["(intercept)".to_owned(), text_of(&self.intercept), String::new()]];
        rows.extend(entered.iter().map(row));
        text += &table(&["feature", "truth", "ease"], rows);
        if rest > 0 {
            text += &format!("  and {} more (--format csv has all)\n", count(rest, "feature"));
        }
        if !self.experts.is_empty() {
            let asymmetric = self.experts.iter().any(|row| row.skill_false.is_some());
            let row = |row: &ExpertSkill| {
                let mut cells = vec![row.worker.clone()];
                cells.extend(row.skill_false.map(number));
                cells.extend([number(row.skill), number(row.accuracy)]);
                cells
            };
            let rows = self.experts.iter().take(MOST).map(row).collect();
            let skills = self.classes.iter().map(|class| format!("skill if {class}"));
            let mut head = vec!["expert".to_owned()];
            head.extend(skills.take(if asymmetric { 2 } else { 0 }));
            head.extend((!asymmetric).then(|| "skill".to_owned()));
            head.push("accuracy".to_owned());
            let head: Vec<&str> = head.iter().map(String::as_str).collect();
            text += &format!("\n{}", table(&head, rows));
        }
        if self.experts.len() > MOST {
            text += &format!("  and {} more\n", count(self.experts.len() - MOST, "expert"));
        }
        text + &explained(self)
    }

    fn rows(&self) -> Rows<'_> {
        if let PerClass::Second(_) = self.intercept {
            let value = |value: &PerClass| match value {
                PerClass::Second(value) => exact(Some(*value)),
                PerClass::Each(_) => String::new(),
            };
            let row = move |row: &FeatureEffect| vec![row.feature.clone(), value(&row.truth), exact(Some(row.ease))];
            return with_header(&["feature", "truth", "difficulty"], self.features.iter().map(row));
        }
        let rows = self.features.iter().flat_map(|row| {
            let PerClass::Each(values) = &row.truth else { return Vec::new() };
            let cells = |(class, value): (&String, &f64)| {
                vec![row.feature.clone(), class.clone(), exact(Some(*value)), exact(Some(row.ease))]
            };
            values.iter().map(cells).collect()
        });
        with_header(&["feature", "class", "truth", "difficulty"], rows)
    }

    fn summary(&self) -> String {
        let entered = self.features.iter().filter(|row| !row.truth.is_zero()).count();
        let mut text = format!(
            "{}: {entered} of {} enter; penalty {} ({})\n",
            target(self),
            count(self.features.len(), "feature"),
            number(self.penalty),
            self.penalty_kind,
        );
        let mut accuracies: Vec<f64> = self.experts.iter().filter_map(|expert| expert.accuracy).collect();
        accuracies.sort_by(f64::total_cmp);
        if let (Some(least), Some(most)) = (accuracies.first(), accuracies.last()) {
            let experts = count(accuracies.len(), "expert");
            text += &format!("  {experts}: right {} to {} of the time, by the model\n", number(*least), number(*most));
        }
        text += &how_experts_err(self).unwrap_or_default();
        text + &held_out(self)
    }
}
