//! Google Forms: a first column of the moment of each answer, perhaps one of addresses, and one for each question.

use super::{Held, Survey, is_about_answers, simplified};
use crate::usual_names::is_nameless;

/// What the first column is called, in some of its languages; with a capital, which other programs' logs do without.
const MOMENT: [&str; 7] = [
    "timestamp",
    "zeitstempel",
    "horodateur",
    "marcatemporal",
    "carimbodedatahora",
    "informazionicronologiche",
    "tijdstempel",
];

pub(super) fn may_be(names: &[String]) -> bool {
    let is_moment = |name: &String| name.starts_with(char::is_uppercase) && MOMENT.contains(&simplified(name).as_str());
    names.len() > 2 && names.first().is_some_and(is_moment)
}

pub(super) fn find(table: &Held) -> Option<Survey> {
    let moments = table.columns.first().filter(|_| may_be(&table.names))?;
    let known: Vec<&String> = moments.iter().filter(|text| !text.trim().is_empty()).collect();
    if 2 * known.iter().filter(|text| is_moment(text)).count() <= known.len() {
        return None;
    }
    let is_name = |name: &String| {
        let name = simplified(name);
        let asked = ["yourname", "youremail", "emailaddress", "yourinitials", "yourid", "prolificid"];
        matches!(name.as_str(), "email" | "username" | "name" | "fullname" | "initials")
            || asked.into_iter().any(|words| name.contains(words))
    };
    let respondent = table.names.iter().position(is_name);
    // A quiz has a column of points.
    let is_task = |&column: &usize| {
        let name = &table.names[column];
        !is_nameless(name) && !is_about_answers(name) && simplified(name) != "score"
    };
    let tasks = (1..table.names.len()).filter(is_task).map(|column| (column, table.names[column].clone())).collect();
    Some(Survey { tool: "Google Forms", first: 0, tasks, respondent, moment: Some(0), left_out: None, certain: false })
}

/// `5/1/2024 10:00:00`, `2024-05-01T10:00`: a day and an hour, and not a place in a film.
fn is_moment(text: &str) -> bool {
    text.contains(':') && text.contains(['/', '-', '.']) && text.contains(|c: char| c.is_ascii_digit())
}
