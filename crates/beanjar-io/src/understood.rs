//! What a file was understood to hold, in a line.

use crate::error::{shown, visible};
use crate::exports::Keys;
use std::fmt;

/// What a file was understood to hold. Its text is one line: which column is what, which are ignored, and what was
/// changed or left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Understood {
    /// The program whose export this is, if it is one.
    pub tool: Option<&'static str>,
    /// The names of columns, and what each holds: `("photo", "object")`.
    pub columns: Vec<(String, &'static str)>,
    /// Columns of one kind, of which there may be many: what they are, and their names.
    pub many: Option<(&'static str, Vec<String>)>,
    /// The columns that are not used.
    pub ignored: Vec<String>,
    /// What was changed or left out, a clause each.
    pub notes: Vec<String>,
}

impl Understood {
    /// The roles of the columns that are used; the others of `names` are ignored.
    pub(crate) fn of(names: &[String], used: &[(usize, &'static str)]) -> Understood {
        let columns = used.iter().map(|&(column, role)| (names[column].clone(), role)).collect();
        let ignored = (0..names.len()).filter(|column| used.iter().all(|(used, _)| used != column));
        Understood { columns, ignored: ignored.map(|column| names[column].clone()).collect(), ..Default::default() }
    }

    /// From here on, columns are called as the export that they come from calls them.
    pub(crate) fn in_words_of(&mut self, keys: Keys) {
        let Keys { task, worker, questions, tasks } = keys;
        let is_kept = |role: &str| role == "worker" || tasks.is_empty() && matches!(role, "task" | "object");
        self.columns.retain(|(_, role)| is_kept(role));
        for (name, role) in &mut self.columns {
            *name = if *role == "worker" { worker.clone() } else { task.clone() };
        }
        let what = if questions.len() == 1 { "question" } else { "questions" };
        self.many = match tasks.is_empty() {
            true => (!questions.is_empty()).then_some((what, questions)),
            false => Some(("tasks", tasks)),
        };
    }

    /// The same with columns of one kind, which are then not ignored.
    pub(crate) fn with_many(mut self, what: &'static str, names: Vec<String>) -> Understood {
        self.ignored.retain(|name| !names.contains(name));
        Understood { many: Some((what, names)), ..self }
    }
}

impl fmt::Display for Understood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut clauses: Vec<String> = self.tool.iter().map(|tool| format!("export of {tool}")).collect();
        let columns: Vec<String> = self.columns.iter().map(|(name, role)| format!("{}={role}", word(name))).collect();
        if !columns.is_empty() {
            clauses.push(columns.join(", "));
        }
        clauses.extend(self.many.iter().map(|(what, names)| format!("{what}: {}", some(names))));
        if !self.ignored.is_empty() {
            clauses.push(format!("ignored: {}", some(&self.ignored)));
        }
        clauses.extend(self.notes.iter().map(|note| visible(note)));
        f.write_str(&clauses.join("; "))
    }
}

/// The first of some names, and how many more there are.
pub(crate) fn some(names: &[impl AsRef<str>]) -> String {
    /// More would fill the line.
    const MOST: usize = 6;
    let mut text = names.iter().take(MOST).map(|name| word(name.as_ref())).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text += &format!(" and {} more", names.len() - MOST);
    }
    text
}

/// A name in the line; quoted where it would not stand out.
fn word(name: &str) -> String {
    let plain = !name.is_empty() && !name.contains([',', ';', '=', ' ', '\'']);
    if plain { shown(name) } else { format!("'{}'", shown(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_columns_what_is_ignored_and_what_was_left_out() {
        let names = ["photo", "text", "rater", "rating", "a time"].map(str::to_owned);
        let mut understood = Understood::of(&names, &[(0, "object"), (2, "worker"), (3, "value")]);
        understood.notes.push("12 rows with a missing value left out".into());
        let line =
            "photo=object, rater=worker, rating=value; ignored: text, 'a time'; 12 rows with a missing value left out";
        assert_eq!(understood.to_string(), line);
    }

    #[test]
    fn many_columns_are_cut_short() {
        let names: Vec<String> = (0..100).map(|i| format!("x{i}")).collect();
        let line = Understood::of(&names, &[(0, "object")]).with_many("attributes", names[1..].to_vec()).to_string();
        assert_eq!(line, "x0=object; attributes: x1, x2, x3, x4, x5, x6 and 93 more");
    }
}
