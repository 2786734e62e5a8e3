//! Surveys with a row for each respondent and a column for each thing that was judged.

/// Whose survey these columns, among which there is none of objects, are of, and what to do with it.
pub(crate) fn refusal(names: &[String]) -> Option<String> {
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let (tool, respondent, skipped) = match () {
        () if has("ResponseId") && has("StartDate") => ("Qualtrics", "ResponseId", ", skiprows=[1, 2]"),
        () if has("Respondent ID") && has("Collector ID") => ("SurveyMonkey", "Respondent ID", ", skiprows=[1]"),
        () if names.first().is_some_and(|name| name == "Timestamp") && names.len() > 4 => {
            ("Google Forms", names.get(1)?.as_str(), "")
        }
        () => return None,
    };
    Some(format!(
        "a survey of {tool}, with a row for each respondent and a column for each question; make a row of each answer, as with pandas: read_csv(FILE{skipped}).melt(\"{}\", [COLUMNS OF ANSWERS], \"task\", \"label\").to_csv(\"long.csv\", index=False), and say --columns \"worker={}\"",
        crate::error::shown(respondent),
        crate::error::shown(respondent)
    ))
}
