//! Surveys: a row for each respondent, and a column for each thing that was judged; or a row for each thing of each.

mod alike;
mod by_rows;
mod google_forms;
mod long;
mod microsoft_forms;
mod qualtrics;
mod survey_monkey;

use super::Held;
use crate::column_roles::{ColumnNames, Header, Role};
use crate::error::shown;
use crate::read::wide::is_annotator;
use crate::usual_names::is_nameless;
pub(super) use alike::has_few_words;
use alike::{alike, is_own, share_words};
use by_rows::by_rows;
pub(super) use by_rows::long as long_by_rows;
use long::long;

/// Where in a table the answers of a survey are.
struct Survey {
    tool: &'static str,
    /// The first row of answers: what is above it explains the columns.
    first: usize,
    /// The columns that may be tasks, and what each is called.
    tasks: Vec<(usize, String)>,
    /// The column that names respondents, where the program writes one.
    respondent: Option<usize>,
    /// The column that says when an answer was given, where nothing else tells respondents apart.
    moment: Option<usize>,
    /// The rows of answers that are no respondent's, and what they are.
    left_out: Option<(Vec<usize>, &'static str)>,
    /// Whether the program has left a mark that no other table has.
    certain: bool,
}

/// Whether a table with these columns may be a survey.
pub(crate) fn may_be(names: &[String]) -> bool {
    let programs = [qualtrics::may_be, survey_monkey::may_be, microsoft_forms::may_be, google_forms::may_be];
    let given = ColumnNames::default();
    programs.into_iter().any(|may_be| may_be(names))
        || has_nothing_but_workers(&Header { place: "", file: "", names, given: &given })
}

/// Whether a table has a column of workers, and none of what they did nor of other workers.
fn has_nothing_but_workers(header: &Header<'_>) -> bool {
    let others = [Role::Object, Role::Label, Role::Value, Role::Attribute];
    matches!(header.find(Role::Worker), Ok(Some(_)))
        && !has_annotators(header.names)
        && others.into_iter().all(|role| matches!(header.find(role), Ok(None)))
}

/// Whether several columns are called as annotators are.
fn has_annotators(names: &[String]) -> bool {
    names.iter().filter(|name| is_annotator(name)).count() > 1
}

/// The long table of a survey: a task for each column. Without `asked` it has to be one unmistakably, and what only may be
/// one is an error, which says in a clause what to do; none if the table is no survey. The respondents are in the column
/// that the user gave, if any.
pub(crate) fn read(table: &Held, given: &ColumnNames, asked: bool) -> Option<Result<Held, String>> {
    let programs = [qualtrics::find, survey_monkey::find, microsoft_forms::find, google_forms::find];
    let known = programs.into_iter().find_map(|find| find(table));
    let header = Header { place: "", file: "", names: &table.names, given };
    let find = |role| header.find(role).ok().flatten();
    match (known, asked) {
        (Some(survey), false) => {
            // Others have a row for each respondent, always.
            if ["Google Forms", "Microsoft Forms"].contains(&survey.tool)
                && let Some(held) = by_rows(table, &survey, &header)
            {
                return Some(Ok(held));
            }
            // A column of objects makes it a table of rows, and columns called as annotators are one of annotators.
            let is_other = has_annotators(&table.names) || !matches!(header.find(Role::Object), Ok(None));
            (survey.certain || !is_other).then(|| long(table, survey, &header, false))
        }
        // Without a column of what was judged there is nothing else to judge; a row is a worker, if each has one.
        (None, false) => {
            let worker =
                find(Role::Worker).filter(|&worker| has_nothing_but_workers(&header) && is_own(table, worker))?;
            let survey = any(table);
            let columns = survey.tasks.iter().map(|(column, _)| *column).filter(|&column| column != worker);
            let same = alike(table, columns.collect());
            let is_survey = same.len() > 1 && share_words(table, &same) && has_few_words(table, &same);
            is_survey.then(|| long(table, survey, &header, false))
        }
        (Some(survey), true) => Some(long(table, survey, &header, true)),
        (None, true) => Some(match (find(Role::Object), find(Role::Label).or_else(|| find(Role::Value))) {
            (Some(task), Some(_)) => {
                let task = shown(&table.names[task]);
                Err(format!("a table with a row for each label, of tasks in column '{task}'; leave --wide tasks out"))
            }
            _ => long(table, any(table), &header, true),
        }),
    }
}

/// A table that the user says is a survey.
fn any(table: &Held) -> Survey {
    let named = |&column: &usize| !is_nameless(&table.names[column]) && !is_about_answers(&table.names[column]);
    let tasks = (0..table.names.len()).filter(named).map(|column| (column, table.names[column].clone())).collect();
    Survey { tool: "", first: 0, tasks, respondent: Some(0), moment: None, left_out: None, certain: false }
}

/// `StartDate`, `IP Address`, `Duration (in seconds)`: what programs write beside the answers.
fn is_about_answers(name: &str) -> bool {
    const KNOWN: [&str; 31] = [
        "timestamp",
        "startdate",
        "enddate",
        "status",
        "ipaddress",
        "progress",
        "durationinseconds",
        "finished",
        "recordeddate",
        "responseid",
        "recipientlastname",
        "recipientfirstname",
        "recipientemail",
        "externalreference",
        "locationlatitude",
        "locationlongitude",
        "distributionchannel",
        "userlanguage",
        "respondentid",
        "collectorid",
        "emailaddress",
        "email",
        "username",
        "firstname",
        "lastname",
        "customdata",
        "customdata1",
        "datecreated",
        "datemodified",
        "starttime",
        "completiontime",
    ];
    KNOWN.contains(&simplified(name).as_str())
}

fn simplified(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
