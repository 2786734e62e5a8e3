//! Microsoft Forms: the number of the answer, when it was begun and ended, who gave it, and a column for each question.

use super::alike::is_own;
use super::{Held, Survey, is_about_answers, simplified};
use crate::usual_names::is_nameless;

pub(super) fn may_be(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| simplified(name) == wanted);
    has("id") && has("starttime") && has("completiontime")
}

pub(super) fn find(table: &Held) -> Option<Survey> {
    if !may_be(&table.names) {
        return None;
    }
    let at = |wanted: &str| table.names.iter().position(|name| simplified(name) == wanted);
    // Those who need not say who they are are all called alike.
    let respondent = ["email", "name", "id"].into_iter().filter_map(at).find(|&column| is_own(table, column));
    let about = ["id", "name", "lastmodifiedtime", "language", "totalpoints", "quizfeedback"];
    let is_task = |&column: &usize| {
        let name = &table.names[column];
        let beside = ["Points - ", "Feedback - "].into_iter().any(|start| name.starts_with(start));
        !is_nameless(name) && !is_about_answers(name) && !about.contains(&simplified(name).as_str()) && !beside
    };
    let tasks = (0..table.names.len()).filter(is_task).map(|column| (column, table.names[column].clone())).collect();
    let (first, moment, left_out, certain) = (0, None, None, true);
    Some(Survey { tool: "Microsoft Forms", first, tasks, respondent, moment, left_out, certain })
}
