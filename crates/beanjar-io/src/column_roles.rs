//! Which column holds what: names, their synonyms, and the user's own word.

use crate::error::shown;
use crate::usual_names::{is_beside, is_nameless, is_person, is_thing, simplified};
use crate::{Error, Result};
use std::str::FromStr;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What was judged: the object or task.
    Object,
    /// Which attribute of it was judged.
    Attribute,
    /// Who judged.
    Worker,
    /// The judgment, a number.
    Value,
    /// The judgment, a category.
    Label,
}

/// All roles, in the order in which a row is read.
const ROLES: [Role; 5] = [Role::Object, Role::Attribute, Role::Worker, Role::Value, Role::Label];

impl Role {
    /// The names that columns of this role usually have, in groups: a name of a later group counts only where the file
    /// has none of an earlier one. Within a group no name is likelier than another.
    fn names(self) -> &'static [&'static [&'static str]] {
        match self {
            Role::Object => &[
                &[
                    "object", "task", "item", "example", "unit", "stimulus", "document", "doc", "sample", "instance",
                    "image", "photo", "picture", "video", "pair",
                ],
                &["question", "hit", "textid", "instruction"],
                &["id"],
                // Of a judge's prompts there may be several; what is judged is what a prompt says, where a judge has a name.
                &["prompt"],
            ],
            Role::Attribute => &[&["attribute"], &["criterion", "dimension", "aspect", "trait"]],
            Role::Worker => &[
                &[
                    "worker",
                    "annotator",
                    "rater",
                    "judge",
                    "coder",
                    "labeler",
                    "labeller",
                    "performer",
                    "participant",
                    "respondent",
                    "evaluator",
                    "reviewer",
                    "grader",
                    "assessor",
                    "scorer",
                ],
                &["judgemodel", "evaluatormodel", "gradermodel", "ratermodel", "annotatormodel"],
                &["user", "subject", "model"],
                &["prompt"],
                &["expert", "reader", "observer", "contributor", "turker", "initials"],
                &["assignment"],
            ],
            Role::Value => &[&["value", "rating", "score"]],
            Role::Label => &[
                &["label", "answer", "vote", "choice", "verdict"],
                &[
                    "response",
                    "annotation",
                    "judgment",
                    "judgement",
                    "category",
                    "class",
                    "winner",
                    "preference",
                    "preferred",
                    "decision",
                    "grade",
                ],
            ],
        }
    }

    /// What the role is called.
    pub fn name(self) -> &'static str {
        self.names()[0][0]
    }

    /// Whether a column of this name usually has this role, and by which group of names.
    fn group(self, name: &str) -> Option<usize> {
        let simple = simplified(name);
        let mut stem = simple.strip_suffix("id").unwrap_or_default();
        if self == Role::Worker && stem.is_empty() {
            stem = simple.strip_suffix("name").unwrap_or_default();
        }
        self.names().iter().position(|group| group.iter().any(|known| *known == simple || *known == stem))
    }
}

/// The user's own word on which column holds what; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnNames(Vec<(Role, String)>);

impl FromStr for ColumnNames {
    type Err = Error;

    /// Reads `object=id,worker=rater`; a name with a comma, or space around it, stands in quotes: `label="yes, or no"`.
    fn from_str(text: &str) -> Result<Self> {
        let pairs: Vec<(Role, String)> = between_commas(text)
            .into_iter()
            .map(|pair| {
                let (role, name) = pair.split_once('=').ok_or_else(|| Error::BadColumns(pair.into()))?;
                let role = match role.trim() {
                    "object" | "task" => Role::Object,
                    "attribute" => Role::Attribute,
                    "worker" => Role::Worker,
                    "value" => Role::Value,
                    "label" => Role::Label,
                    _ => return Err(Error::BadColumns(pair.into())),
                };
                Ok((role, without_quotes(name.trim())))
            })
            .collect::<Result<_>>()?;
        // Each role once.
        match (1..pairs.len()).find(|&i| pairs[..i].iter().any(|(role, _)| *role == pairs[i].0)) {
            Some(again) => Err(Error::BadColumns(format!("{}={}", pairs[again].0.name(), pairs[again].1))),
            None => Ok(ColumnNames(pairs)),
        }
    }
}

/// The parts of a text between commas that stand outside of quotes.
fn between_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted) = (Vec::new(), 0, false);
    // Only right after the sign of equality does a quote begin a name.
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '"' if quoted || before == '=' => quoted = !quoted,
            // Doubled within quotes: it goes on.
            '"' if before == '"' => quoted = true,
            ',' if !quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        before = if c == ' ' && before == '=' { before } else { c };
    }
    parts.push(&text[start..]);
    parts
}

/// A name without the quotes around it, those within being doubled.
fn without_quotes(name: &str) -> String {
    match name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => name.to_owned(),
    }
}

impl ColumnNames {
    /// The role that the user gave to a column.
    pub(crate) fn role_of(&self, name: &str) -> Option<Role> {
        self.0.iter().find(|(_, given)| given == name).map(|(role, _)| *role)
    }

    /// The same with a further role named.
    #[must_use]
    pub fn with(mut self, role: Role, name: impl Into<String>) -> Self {
        self.0.retain(|(given, _)| *given != role);
        self.0.push((role, name.into()));
        self
    }

    /// The same without the name of a role.
    #[must_use]
    pub fn without(mut self, role: Role) -> Self {
        self.0.retain(|(given, _)| *given != role);
        self
    }

    /// The column that the user named for a role.
    pub fn name_of(&self, role: Role) -> Option<&str> {
        self.0.iter().find(|(given, _)| *given == role).map(|(_, name)| name.as_str())
    }

    /// Whether the user named a column for a role.
    pub(crate) fn has(&self, role: Role) -> bool {
        self.0.iter().any(|(given, _)| *given == role)
    }
}

/// The header of a file, with what it takes to find columns in it and to say what is missing.
pub(crate) struct Header<'a> {
    /// The file, and the line of its header if it has one.
    pub(crate) place: &'a str,
    pub(crate) file: &'a str,
    pub(crate) names: &'a [String],
    pub(crate) given: &'a ColumnNames,
}

impl Header<'_> {
    /// The column of a role: the one the user named, else the one with a usual name. An error if two have names that are
    /// equally usual.
    pub(crate) fn find(&self, role: Role) -> Result<Option<usize>> {
        if let Some((_, given)) = self.given.0.iter().find(|(given, _)| *given == role) {
            let found = self.names.iter().position(|name| name == given);
            return found.map(Some).ok_or_else(|| Error::NoSuchColumn {
                file: self.place.into(),
                role: role.name(),
                name: shown(given),
                found: self.found(),
            });
        }
        let taken = |column: usize| self.given.0.iter().any(|(_, given)| self.names[column] == *given);
        let group = |column: &usize| role.group(&self.names[*column]);
        let usual: Vec<usize> = (0..self.names.len()).filter(|&i| !taken(i) && group(&i).is_some()).collect();
        let first = usual.iter().filter_map(group).min();
        let mut likely: Vec<usize> = usual.into_iter().filter(|i| group(i) == first).collect();
        // `image` may be a picture beside its `image_id`, and `label_id` a number beside its `label`.
        let with_id = |i: usize| simplified(&self.names[i]).ends_with("id");
        let ids = matches!(role, Role::Object | Role::Worker);
        if likely.iter().any(|&i| with_id(i) == ids) && likely.iter().any(|&i| with_id(i) != ids) {
            let stem = |i: usize| simplified(&self.names[i]).trim_end_matches("id").trim_end_matches("name").to_owned();
            let kept: Vec<String> = likely.iter().filter(|&&i| with_id(i) == ids).map(|&i| stem(i)).collect();
            likely.retain(|&i| with_id(i) == ids || !kept.contains(&stem(i)));
        }
        match likely[..] {
            [] => Ok(None),
            [column] => Ok(Some(column)),
            [first, second, ..] => Err(Error::UnclearColumn {
                file: self.place.into(),
                role: role.name(),
                first: shown(&self.names[first]),
                second: shown(&self.names[second]),
            }),
        }
    }

    /// The column of a role that the file must have.
    pub(crate) fn need(&self, role: Role) -> Result<usize> {
        let left = || match role {
            Role::Object => self.object_left(),
            Role::Worker => self.worker_left(),
            Role::Attribute | Role::Value | Role::Label => None,
        };
        let found = self.find(role)?.or_else(left);
        found.ok_or_else(|| Error::MissingColumn {
            file: self.place.into(),
            role: role.name(),
            looked_for: role.names().concat().join(", "),
            found: self.found(),
        })
    }

    /// The column of what was judged where none is called so, beside those of workers and of what they said: the only other one,
    /// or the only one that is called as texts, files and the like are, be it by their ids.
    fn object_left(&self) -> Option<usize> {
        let left = self.left_by(Role::Worker)?;
        only(&left).or_else(|| self.thing_among(&left))
    }

    /// The only one of some columns that is called as what people judge; one that is called as its id goes before it.
    pub(crate) fn thing_among(&self, columns: &[usize]) -> Option<usize> {
        let things: Vec<usize> = columns.iter().copied().filter(|&column| is_thing(&self.names[column])).collect();
        let is_id = |&column: &usize| simplified(&self.names[column]).ends_with("id");
        let ids: Vec<usize> = things.iter().copied().filter(is_id).collect();
        only(&ids).or_else(|| only(&things))
    }

    /// The column of who judged where none is called so: the only one that is called as people are.
    fn worker_left(&self) -> Option<usize> {
        let left = self.left_by(Role::Object)?;
        only(&left.into_iter().filter(|&column| is_person(&self.names[column])).collect::<Vec<_>>())
    }

    /// The columns without a role beside one of this role and one of labels or values; none if either is lacking.
    fn left_by(&self, role: Role) -> Option<Vec<usize>> {
        let find = |role| self.find(role).ok().flatten();
        let used = [find(role)?, find(Role::Label).or_else(|| find(Role::Value))?];
        let is_left = |&column: &usize| {
            let name = &self.names[column];
            !used.contains(&column) && role_of(name).is_none() && !is_nameless(name) && !is_beside(name)
        };
        Some((0..self.names.len()).filter(is_left).collect())
    }

    /// An error if a column has more than one of these roles.
    pub(crate) fn apart(&self, columns: &[(Role, Option<usize>)]) -> Result<()> {
        let known: Vec<(Role, usize)> = columns.iter().filter_map(|(role, column)| Some((*role, (*column)?))).collect();
        for (i, (first, column)) in known.iter().enumerate() {
            if let Some((second, _)) = known[i + 1..].iter().find(|(_, other)| other == column) {
                let (file, name) = (self.place.into(), shown(&self.names[*column]));
                return Err(Error::ColumnTwice { file, name, first: first.name(), second: second.name() });
            }
        }
        Ok(())
    }

    fn found(&self) -> String {
        found(self.names)
    }
}

/// The only one of some columns.
fn only(columns: &[usize]) -> Option<usize> {
    if let [column] = columns { Some(*column) } else { None }
}

/// The columns of a file, in a message.
pub(crate) fn found(names: &[String]) -> String {
    /// Enough to recognise the file by.
    const MOST: usize = 12;
    let mut found = names.iter().take(MOST).map(|name| format!("'{}'", shown(name))).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        found += &format!(" and {} more", names.len() - MOST);
    }
    found
}

/// The role that a column of this name is taken for, if any.
pub(crate) fn role_of(name: &str) -> Option<Role> {
    ROLES.into_iter().find(|role| role.group(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(names: &[&str], given: &str, role: Role) -> Result<Option<usize>> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let given = if given.is_empty() { ColumnNames::default() } else { given.parse().unwrap() };
        Header { place: "f.csv, line 1", file: "f.csv", names: &names, given: &given }.find(role)
    }

    #[test]
    fn synonyms_are_recognised_in_any_spelling() {
        assert_eq!(find(&["Task_ID", "Annotator", "Answer"], "", Role::Object).unwrap(), Some(0));
        assert_eq!(find(&["Task_ID", "Annotator", "Answer"], "", Role::Worker).unwrap(), Some(1));
        assert_eq!(find(&["id", "workerId", "choice"], "", Role::Worker).unwrap(), Some(1));
        assert_eq!(find(&["id", "task"], "", Role::Object).unwrap(), Some(1), "the likelier name wins");
        assert_eq!(find(&["a", "b"], "", Role::Label).unwrap(), None);
    }

    #[test]
    fn the_users_word_wins_and_must_be_true() {
        assert_eq!(find(&["task", "q"], "task=q", Role::Object).unwrap(), Some(1));
        assert_eq!(find(&["id", "who"], "worker=id", Role::Object).unwrap(), None, "a column has one role");
        let error = find(&["task", "q"], "object=z", Role::Object).unwrap_err().to_string();
        assert!(error.contains("'z'") && error.contains("'task', 'q'"), "{error}");
    }

    #[test]
    fn names_with_commas_and_quotes_stand_in_quotes() {
        let names = |text: &str| {
            let given: ColumnNames = text.parse().unwrap();
            [Role::Object, Role::Label].map(|role| given.name_of(role).unwrap_or_default().to_owned())
        };
        for (text, wanted) in [
            ("object=a,label=b", ["a", "b"]),
            ("object=\"a, b\",label=c=d", ["a, b", "c=d"]),
            ("label= \"x=1, \"\"y\"\"\" , object=\" a\"", [" a", "x=1, \"y\""]),
            ("label=5\" screen,object=a\"b", ["a\"b", "5\" screen"]),
        ] {
            assert_eq!(names(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_strange_role_is_an_error() {
        for bad in ["", "x", "x=y", "worker", "object=a,object=b", "object=a,task=b"] {
            assert!(bad.parse::<ColumnNames>().is_err(), "{bad}");
        }
    }
}
