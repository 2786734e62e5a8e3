//! Qualtrics: under the names of columns a row of questions, and one of `{"ImportId":"QID1"}`.

use super::{Held, Survey, is_about_answers};

pub(super) fn may_be(names: &[String]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    has("ResponseId") || has("StartDate") || has("RecordedDate") || has("Finished")
}

pub(super) fn find(table: &Held) -> Option<Survey> {
    let at = |wanted: &str| table.names.iter().position(|name| name == wanted);
    let is_id = |row: &usize| table.columns.iter().any(|column| column[*row].starts_with(IMPORT));
    let ids = (0..table.rows().min(2)).find(is_id);
    if ids.is_none() && !(at("ResponseId").is_some() && at("StartDate").is_some()) {
        return None;
    }
    let first = match ids {
        Some(row) => row + 1,
        // Without the ids there still may be the questions.
        None => usize::from(
            at("StartDate")
                .is_some_and(|column| table.columns[column].first().is_some_and(|text| text == "Start Date")),
        ),
    };
    let is_question = |column: usize| match ids {
        Some(row) => is_question(&table.columns[column][row]),
        None => !is_about_answers(&table.names[column]) && !is_beside(&table.names[column]),
    };
    let tasks = (0..table.names.len()).filter(|&column| is_question(column));
    let tasks = tasks.map(|column| (column, table.names[column].clone())).collect();
    let previews = at("Status").map(|status| {
        let is_preview = |row: &usize| PREVIEWS.contains(&table.columns[status][*row].trim());
        ((first..table.rows()).filter(is_preview).collect(), "preview")
    });
    let respondent = at("ResponseId");
    let certain = ids.is_some();
    Some(Survey { tool: "Qualtrics", first, tasks, respondent, moment: None, left_out: previews, certain })
}

const IMPORT: &str = "{\"ImportId\":";

/// Answers that their author gave to try the survey, by name and by code.
const PREVIEWS: [&str; 6] = ["Survey Preview", "Survey Test", "1", "2", "9", "17"];

/// `{"ImportId":"QID3"}`, `{"ImportId":"2_QID7_1"}`; neither how long a page was open, nor in which order choices stood, nor
/// what was typed beside a choice.
fn is_question(cell: &str) -> bool {
    let id = serde_json::from_str::<serde_json::Value>(cell).ok();
    let id = id.as_ref().and_then(|id| id.get("ImportId")?.as_str()).unwrap_or_default();
    let Some((before, number)) = id.split_once("QID") else { return false };
    let looped = before.is_empty() || before.trim_end_matches('_').bytes().all(|byte| byte.is_ascii_digit());
    looped && number.starts_with(|c: char| c.is_ascii_digit()) && !is_beside(number)
}

/// `Q5_Page Submit`, `QID5_PAGE_SUBMIT`, `Q7_4_TEXT`, `Q7_DO_1`.
fn is_beside(name: &str) -> bool {
    let name = name.to_uppercase().replace(' ', "_");
    let ends = ["_FIRST_CLICK", "_LAST_CLICK", "_PAGE_SUBMIT", "_CLICK_COUNT", "_TEXT", "_DO"];
    ends.into_iter().any(|end| name.ends_with(end)) || name.contains("_DO_")
}
