//! SurveyMonkey: under the questions a row that says `Response`, or which row of a matrix a column is.

use super::{Held, Survey, is_about_answers};

pub(super) fn may_be(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("Respondent ID") && has("Collector ID")
}

pub(super) fn find(table: &Held) -> Option<Survey> {
    if !may_be(&table.names) {
        return None;
    }
    let respondent = table.names.iter().position(|name| name == "Respondent ID");
    let explained = respondent.is_some_and(|at| table.columns[at].first().is_some_and(String::is_empty));
    let under = |column: usize| if explained { table.columns[column][0].trim() } else { "" };
    let mut question = "";
    let mut tasks = Vec::new();
    for (column, name) in table.names.iter().enumerate() {
        // The question of several columns stands above the first.
        question = if name.is_empty() { question } else { name };
        if is_about_answers(question) || question.starts_with("Custom Data") || under(column) == "Open-Ended Response" {
            continue;
        }
        let task = if matches!(under(column), "" | "Response") { question } else { under(column) };
        tasks.push((column, task.to_owned()));
    }
    let (first, certain) = (usize::from(explained), explained);
    Some(Survey { tool: "SurveyMonkey", first, tasks, respondent, moment: None, left_out: None, certain })
}
