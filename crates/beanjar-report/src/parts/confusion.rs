//! What each worker says of tasks of each class.

use crate::number::count;
use crate::text::{escaped, plain, shortened};

/// A worker of a figure.
pub(super) struct Worker<'a> {
    /// The row of the figure's table.
    pub(super) row: usize,
    pub(super) name: &'a str,
    /// P(label | class), class by class.
    pub(super) matrix: Option<Vec<Vec<f64>>>,
}

/// Classes of a matrix that can be read.
const MOST_CLASSES: usize = 12;

/// A list of workers to choose from, and their matrices; where there are none, why: too many classes, or `none`. `part` is the
/// part of the page, for a page may have several of them.
pub(super) fn confusion<'a>(
    classes: impl Iterator<Item = &'a str>,
    workers: impl Iterator<Item = Worker<'a>>,
    [part, none]: [&str; 2],
) -> String {
    let classes: Vec<String> = classes.map(|class| shortened(&plain(class), 30)).collect();
    let nothing = |why: &str| format!("<p class=\"note\">Confusion matrices are not shown: {why}.</p>\n");
    if classes.len() > MOST_CLASSES {
        return nothing(&format!("{} are too many to read; the JSON has them", count(classes.len(), "class")));
    }
    let rounded = |row: &Vec<f64>| row.iter().map(|share| (1e4 * share).round() / 1e4).collect();
    let (mut options, mut matrices) = (String::new(), serde_json::Map::new());
    for Worker { row, name, matrix } in workers {
        let Some(matrix) = matrix else { continue };
        options += &format!("<option value=\"{row}\">{}</option>", escaped(&plain(name)));
        let matrix: Vec<Vec<f64>> = matrix.iter().map(rounded).collect();
        matrices.insert(row.to_string(), matrix.into());
    }
    if matrices.is_empty() {
        return nothing(none);
    }
    let data = serde_json::json!({ "classes": classes, "matrices": matrices }).to_string().replace('<', "\\u003c");
    format!(
        "<div class=\"confusion\" hidden><label>What this worker says of tasks of each class: <select>{options}</select></label>\n<div class=\"matrix\" role=\"region\" tabindex=\"0\" aria-label=\"Confusion matrix of the {part} part\" aria-live=\"polite\"></div><script type=\"application/json\">{data}</script></div>\n"
    )
}
