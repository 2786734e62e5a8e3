//! Tables with a column for each annotator, for each attribute, or for each repeat of an attribute.

use super::{Input, Kind, ReadOptions};
use crate::class_names::is_plain_number;
use crate::column_roles::{Header, Role, found as named, role_of};
use crate::exports::Held;
use crate::usual_names::is_nameless;
use crate::{Error, Result};
use std::collections::{BTreeMap, HashSet};

/// What the columns of a wide table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    /// Each is an annotator.
    Annotators,
    /// Each is a task; a row is an annotator.
    Tasks,
    /// Each is an attribute.
    Attributes,
    /// Those of one name and different numbers, as `happy_1` and `happy_2`, are repeats of one attribute.
    Repeats,
}

/// A table with a column for each annotator.
pub(super) struct Matrix {
    pub(super) object: usize,
    pub(super) annotators: Vec<usize>,
    pub(super) kind: Kind,
}

/// The matrix that a file holds, if it has a column for each annotator: if the user says so, or if columns are called as
/// annotators are, or if no column has a usual name and all hold the same few words; the same few numbers will do where
/// labels are needed or rows are called tasks, which have labels, and are an error where either would do. Other columns beside are left out: the text of the task, what
/// is known of it, and answers that are nobody's own, such as the true one or the majority's.
pub(super) fn matrix(input: &Input, header: &Header<'_>, options: &ReadOptions) -> Result<Option<Matrix>> {
    let asked = options.wide == Some(Wide::Annotators);
    if !asked && options.wide.is_some() {
        return Ok(None);
    }
    // A prompt may be a worker's, and may be what was judged; a subject whom annotators judged is no annotator.
    let subject = judged_by_annotators(header);
    let is_worker = || !matches!(header.find(Role::Worker), Ok(worker) if worker.is_none() || worker == subject || worker == object_of(header));
    if !asked && ([Role::Value, Role::Label, Role::Attribute].iter().any(|role| is_there(header, *role)) || is_worker())
    {
        return Ok(None);
    }
    let sample = input.sample();
    let object = header.find(Role::Object)?.or(subject).unwrap_or_else(|| first_of_rows(header.names, sample.as_ref()));
    let mut annotators: Vec<usize> =
        (0..header.names.len()).filter(|&column| column != object && !is_nameless(&header.names[column])).collect();
    annotators.retain(|&column| !is_nobodys(&header.names[column]));
    if asked {
        let prose = |column: &usize| sample.as_ref().is_some_and(|sample| is_prose(sample, *column, &annotators));
        let others: Vec<usize> = annotators.iter().copied().filter(|column| !prose(column)).collect();
        annotators = if others.len() > 1 { others } else { annotators };
    } else {
        let called: Vec<usize> =
            annotators.iter().copied().filter(|&column| is_annotator(&header.names[column])).collect();
        annotators = match (called.len() > 1, &sample) {
            (true, _) => called,
            (false, Some(sample)) => match with_few_words(sample, object, &annotators, false) {
                none if none.is_empty() => with_few_numbers(sample, object, &annotators, header, options)?,
                found => found,
            },
            (false, None) => Vec::new(),
        };
    }
    if annotators.is_empty() {
        return Ok(None);
    }
    let kind = options.kind.unwrap_or_else(|| kind(sample.as_ref(), &annotators));
    Ok(Some(Matrix { object, annotators, kind }))
}

/// Those of some columns that hold the same few numbers, where labels are needed; an error where judgments would do too, in
/// which each object is judged once.
fn with_few_numbers(
    sample: &Held,
    object: usize,
    columns: &[usize],
    header: &Header<'_>,
    options: &ReadOptions,
) -> Result<Vec<usize>> {
    let wanted = options.kind.or(options.needed);
    // Where the first column is not called as tasks are, rows may be workers, and columns tasks.
    if object_of(header).is_none() {
        return Ok(Vec::new());
    }
    let found =
        if wanted == Some(Kind::Judgments) { Vec::new() } else { with_few_words(sample, object, columns, true) };
    let are_tasks = header.names[object].to_lowercase().starts_with("task");
    if found.is_empty() || wanted.is_some() || are_tasks {
        return Ok(found);
    }
    let names: Vec<String> = found.iter().map(|&column| header.names[column].clone()).collect();
    Err(Error::UnclearColumns { file: header.place.into(), columns: named(&names) })
}

/// Where columns are called as annotators are, and none as objects are: that of the people whom they judged, such as subjects.
fn judged_by_annotators(header: &Header<'_>) -> Option<usize> {
    let annotators = header.names.iter().filter(|name| is_annotator(name)).count();
    if annotators < 2 || object_of(header).is_some() {
        return None;
    }
    header.find(Role::Worker).ok().flatten()
}

/// The column of tasks where none is called so: the first with a name, unless it is an annotator's or holds values that stand in
/// several rows and a column without a name has one of its own in each, as the index of a data frame has.
fn first_of_rows(names: &[String], sample: Option<&Held>) -> usize {
    let is_own = |column: &usize| sample.is_some_and(|sample| words(sample, *column).len() == sample.rows());
    let index = (0..names.len()).find(|column| is_nameless(&names[*column]) && is_own(column));
    let named = (0..names.len()).find(|&column| !is_nameless(&names[column]));
    let fits = |column: &usize| index.is_none() || !is_annotator(&names[*column]) && is_own(column);
    named.filter(fits).or(index).unwrap_or(0)
}

fn object_of(header: &Header<'_>) -> Option<usize> {
    header.find(Role::Object).ok().flatten()
}

/// Whether a column has a role; two that could have it are for the reader to ask about.
fn is_there(header: &Header<'_>, role: Role) -> bool {
    !matches!(header.find(role), Ok(None))
}

/// `ann1`, `Rater_2`, `coder A`, `judge3`.
pub(crate) fn is_annotator(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = match stem.len() < lower.len() {
        true => stem,
        // A letter behind a separator.
        false => match lower.rsplit_once(['_', ' ', '-', '.']) {
            Some((stem, letter)) if letter.chars().count() == 1 => stem,
            _ => return false,
        },
    };
    let stem = stem.trim_end_matches(|c: char| !c.is_alphanumeric());
    let short = ["ann", "anno", "annot", "expert", "grader", "reader", "observer", "llm"];
    !stem.is_empty() && (role_of(stem) == Some(Role::Worker) || short.contains(&stem))
}

/// `gold`, `majority_vote`, `final label`, `adjudicated`, `agreement`: made of the annotators' answers, or to compare them with.
pub(crate) fn is_nobodys(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let starts = ["gold", "truth", "true", "groundtruth", "majority", "consensus", "final", "adjudicat", "agreement"];
    let ends = ["label", "labels", "answer", "class", "category", "vote", "value", "standard", "ion", "ed", ""];
    starts.into_iter().filter_map(|start| plain.strip_prefix(start)).any(|rest| ends.contains(&rest))
}

/// More classes than this have a name for them, in a column of their own.
pub(crate) const MOST_WORDS: usize = 20;

/// The different words of a column.
pub(crate) fn words(sample: &Held, column: usize) -> HashSet<&str> {
    sample.columns[column].iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect()
}

/// Whether a column holds texts, of which none stands in another of these columns: more than there are classes, or each of
/// several words and unlike all others.
pub(crate) fn is_prose(sample: &Held, column: usize, columns: &[usize]) -> bool {
    let own = words(sample, column);
    let cells = sample.columns[column].iter().filter(|text| !text.trim().is_empty()).count();
    let is_text = own.iter().any(|text| !is_plain_number(text));
    let several_words = 2 * own.iter().filter(|text| text.contains(' ')).count() > own.len();
    let is_shared = || columns.iter().any(|&other| other != column && !words(sample, other).is_disjoint(&own));
    is_text && (own.len() > MOST_WORDS || own.len() == cells && several_words) && !is_shared()
}

/// Whether a column holds sentences, almost all of which differ.
pub(super) fn is_explanation(sample: &Held, column: usize) -> bool {
    let own = words(sample, column);
    let cells = sample.columns[column].iter().filter(|text| !text.trim().is_empty()).count();
    let sentences = own.iter().filter(|text| text.split_whitespace().count() > 2).count();
    cells > 1 && 10 * own.len() >= 9 * cells && 2 * sentences > own.len()
}

/// Those of some columns that hold few different words, most of which occur in several of them; else none. Texts are left
/// out, and so is what shares no word with the others, if that is the smaller part. With `numbers`, these are words too,
/// unless columns are repeats of several attributes.
fn with_few_words(sample: &Held, object: usize, columns: &[usize], numbers: bool) -> Vec<usize> {
    let names: Vec<String> = columns.iter().map(|&column| sample.names[column].clone()).collect();
    let attributes: HashSet<String> = without_repeats(&names, false).into_iter().collect();
    if numbers && attributes.len() > 1 && attributes.len() < names.len() {
        return Vec::new();
    }
    let is_measure = |column: usize| numbers && words(sample, column).len() > MOST_WORDS;
    let is_other = |column: usize| is_prose(sample, column, columns) || is_measure(column);
    let columns: Vec<usize> = columns.iter().copied().filter(|&column| !is_other(column)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in columns.iter().flat_map(|&column| words(sample, column)) {
        *counts.entry(word).or_default() += 1;
    }
    let is_alone = |column: usize| {
        let own = words(sample, column);
        let is_text = numbers || own.iter().all(|text| !is_plain_number(text));
        !own.is_empty() && is_text && own.iter().all(|word| counts[word] == 1)
    };
    let shared: Vec<usize> = columns.iter().copied().filter(|&column| !is_alone(column)).collect();
    let columns = if 2 * shared.len() > columns.len() { shared } else { columns };
    if columns.len() > 1 && few_words(sample, object, &columns, numbers) { columns } else { Vec::new() }
}

fn few_words(sample: &Held, object: usize, columns: &[usize], numbers: bool) -> bool {
    let words = |column: usize| words(sample, column);
    let of_columns: Vec<HashSet<&str>> = columns.iter().map(|&column| words(column)).collect();
    let cells: usize =
        columns.iter().flat_map(|&column| &sample.columns[column]).filter(|text| !text.is_empty()).count();
    let all: HashSet<&str> = of_columns.iter().flatten().copied().collect();
    let is_text = |set: &HashSet<&str>| set.iter().any(|word| !is_plain_number(word));
    let shared = |set: &HashSet<&str>| {
        set.is_empty() || set.iter().any(|word| of_columns.iter().filter(|other| other.contains(word)).count() > 1)
    };
    all.len() <= MOST_WORDS.min(cells / 2)
        && of_columns.iter().filter(|set| !set.is_empty()).count() > 1
        && of_columns.iter().all(|set| numbers || set.is_empty() || is_text(set))
        && of_columns.iter().all(shared)
        && words(object).len() == sample.rows()
}

/// Labels, unless the cells hold many different numbers.
fn kind(sample: Option<&Held>, columns: &[usize]) -> Kind {
    /// Points of a scale that people tell apart.
    const MOST: usize = 20;
    let Some(sample) = sample else { return Kind::Labels };
    let all: HashSet<&str> = columns
        .iter()
        .flat_map(|&column| &sample.columns[column])
        .map(|text| text.trim())
        .filter(|text| !text.is_empty())
        .collect();
    match all.len() > MOST && all.iter().all(|text| text.parse().is_ok_and(f64::is_finite)) {
        true => Kind::Judgments,
        false => Kind::Labels,
    }
}

/// The attribute that each of some columns is: `happy_1` and `happy_2` are both `happy`, and so are `happy` and `happy.1`.
/// With `asked`, any name with a number is a repeat; else only one that is not usually numbered.
pub(super) fn without_repeats(names: &[String], asked: bool) -> Vec<String> {
    let mut numbers: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let parts: Vec<Option<(&str, u32)>> = names.iter().map(|name| numbered(name, names, asked)).collect();
    for (stem, number) in parts.iter().flatten() {
        numbers.entry(stem).or_default().push(*number);
    }
    let is_repeat = |stem: &str| {
        let mut found = numbers[stem].clone();
        found.sort_unstable();
        // Counted from 0 or 1, without a gap.
        found.len() > 1 && found[0] <= 1 && found.windows(2).all(|pair| pair[1] == pair[0] + 1)
    };
    let attribute = |(name, part): (&String, &Option<(&str, u32)>)| match part {
        Some((stem, _)) if is_repeat(stem) => (*stem).to_owned(),
        _ => name.clone(),
    };
    names.iter().zip(&parts).map(attribute).collect()
}

/// A name and the number behind it.
fn numbered<'a>(name: &'a str, names: &[String], asked: bool) -> Option<(&'a str, u32)> {
    // Such columns are different things that have nothing but a number for a name.
    const NUMBERED: [&str; 18] = [
        "x",
        "f",
        "q",
        "v",
        "feature",
        "attribute",
        "attr",
        "question",
        "item",
        "var",
        "variable",
        "col",
        "column",
        "dim",
        "factor",
        "trait",
        "value",
        "pc",
    ];
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (stem, number) = name.split_at(name.len() - digits);
    if number.is_empty() {
        // The first of the names to which a data frame has added numbers.
        return names.contains(&format!("{name}.1")).then_some((name, 0));
    }
    let apart = stem.trim_end_matches(['_', '.', '-', ' ']);
    let usual = NUMBERED.contains(&apart.to_lowercase().as_str());
    let fits = asked || apart.len() < stem.len() && !usual;
    (fits && !apart.is_empty()).then(|| number.parse().ok().map(|number| (apart, number))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotators_are_known_by_their_names() {
        for name in ["ann1", "Annotator_2", "rater 3", "coder_A", "judge-b", "worker12", "LLM 1", "Model_1"] {
            assert!(is_annotator(name), "{name}");
        }
        for name in ["tall", "x1", "happy_1", "annual", "rater", "1"] {
            assert!(!is_annotator(name), "{name}");
        }
    }

    #[test]
    fn answers_that_are_nobodys_own_are_known_by_their_names() {
        for name in
            ["gold", "Gold_Label", "truth", "ground truth", "majority_vote", "final", "adjudicated", "true_label"]
        {
            assert!(is_nobodys(name), "{name}");
        }
        for name in ["golda", "finn", "majorie", "ann", "trudy", "consuelo"] {
            assert!(!is_nobodys(name), "{name}");
        }
    }

    #[test]
    fn repeats_of_an_attribute_have_its_name() {
        let of = |names: &[&str], asked| {
            without_repeats(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), asked)
        };
        assert_eq!(
            of(&["happy_1", "happy_2", "sad_1", "sad_2", "sad_3"], false),
            ["happy", "happy", "sad", "sad", "sad"]
        );
        assert_eq!(of(&["happy", "happy.1", "sad"], false), ["happy", "happy", "sad"]);
        for different in
            [&["x1", "x2"][..], &["q_1", "q_2"], &["happy_1", "happy_3"], &["happy_1", "sad"], &["h2", "h3"]]
        {
            assert_eq!(of(different, false), different);
        }
        assert_eq!(of(&["x1", "x2"], true), ["x", "x"]);
    }
}
