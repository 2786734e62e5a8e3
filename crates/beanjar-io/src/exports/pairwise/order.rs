//! In which order a pair was shown: by columns of what stood there, or by one that says whether they were exchanged.

use super::plain;
use crate::column_roles::found;
use crate::error::shown;
use crate::exports::Held;
use std::collections::{HashMap, HashSet};

/// The columns that say how pairs were shown.
pub(super) struct Columns {
    /// Those of what stood first and second.
    pub(super) contents: Option<Contents>,
    /// The one that says whether the pair was shown the other way round.
    pub(super) exchanged: Option<usize>,
}

#[derive(Clone, Copy)]
pub(super) struct Contents {
    pub(super) first: usize,
    pub(super) second: usize,
    /// Whether the columns are called as those of names are.
    pub(super) named: bool,
    /// Whether the first of them has the number 0.
    pub(super) from_zero: bool,
}

impl Columns {
    /// None if there are no such columns.
    pub(super) fn of(table: &Held) -> Option<Columns> {
        let exchanged = (0..table.names.len()).find(|&column| match says_order(&table.names[column]) {
            Some(Says::Exchanged) => true,
            // With more values than two it is the number of a row or of an item.
            Some(Says::Order) => known(&table.columns[column]).len() <= 2,
            None => false,
        });
        let columns = Columns { contents: contents(&table.names), exchanged };
        (columns.contents.is_some() || columns.exchanged.is_some()).then_some(columns)
    }

    /// Whether a verdict can be about nothing but a pair.
    pub(super) fn are_certain(&self, names: &[String], verdict: usize) -> bool {
        let is_choice =
            matches!(plain(&names[verdict]).as_str(), "winner" | "preference" | "choice" | "vote" | "verdict");
        let is_exchanged = |column: usize| matches!(says_order(&names[column]), Some(Says::Exchanged));
        let is_contest = matches!(plain(&names[verdict]).as_str(), "winner" | "preference");
        self.contents.is_some_and(|contents| contents.named || is_choice)
            || self.exchanged.is_some_and(|column| is_contest || is_choice && is_exchanged(column))
    }
}

/// Whether columns of these names may say how pairs were shown.
pub(super) fn may_say(names: &[String]) -> bool {
    contents(names).is_some() || names.iter().any(|name| says_order(name).is_some())
}

pub(super) enum Says {
    Exchanged,
    Order,
}

pub(super) fn says_order(name: &str) -> Option<Says> {
    const ORDERS: [&str; 12] = [
        "order",
        "ordering",
        "position",
        "presentationorder",
        "presentedorder",
        "displayorder",
        "answerorder",
        "responseorder",
        "pairorder",
        "presentedfirst",
        "shownfirst",
        "firstshown",
    ];
    let name = plain(name);
    if ["swap", "flip", "switch", "revers"].into_iter().any(|part| name.contains(part)) {
        return Some(Says::Exchanged);
    }
    ORDERS.contains(&name.as_str()).then_some(Says::Order)
}

fn contents(names: &[String]) -> Option<Contents> {
    let plain_names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let at = |wanted: &str| plain_names.iter().position(|name| name == wanted);
    // Names of systems before what they wrote.
    let stems =
        ["model", "system", "generator", "assistant", "candidate", "response", "answer", "output", "option", ""];
    let sides =
        [["a", "b", "c"], ["0", "1", "2"], ["1", "2", "3"], ["first", "second", "third"], ["left", "right", "middle"]];
    for (place, stem) in stems.into_iter().enumerate() {
        for side in sides {
            // Columns called 0 and 1 alone have no names; those counted from 0 are not counted from 1.
            let is_zero = side[0] == "0";
            if is_zero && stem.is_empty() || side[0] == "1" && at(&format!("{stem}0")).is_some() {
                continue;
            }
            let columns =
                [side.map(|side| at(&format!("{stem}{side}"))), side.map(|side| at(&format!("{side}{stem}")))];
            for [first, second, third] in columns {
                // A third option makes it a question with several answers.
                if let (Some(first), Some(second), None) = (first, second, third) {
                    return Some(Contents { first, second, named: place < 3, from_zero: is_zero });
                }
            }
        }
    }
    contents_in_words(names)
}

/// The same by names of several words: `response_a_model`, `Model A name`, `output_1_text`.
fn contents_in_words(names: &[String]) -> Option<Contents> {
    const SIDES: [[&str; 3]; 4] =
        [["a", "b", "c"], ["1", "2", "3"], ["first", "second", "third"], ["left", "right", "middle"]];
    const SYSTEMS: [&str; 3] = ["model", "system", "generator"];
    const THINGS: [&str; 7] = ["assistant", "candidate", "response", "answer", "output", "option", "completion"];
    const BESIDE: [&str; 3] = ["name", "id", "text"];
    let is_thing = |word: &str| SYSTEMS.contains(&word) || THINGS.contains(&word);
    let lower: Vec<Vec<String>> = names.iter().map(|name| words(name)).collect();
    // Of a column the side it is of, and its other words.
    let of_side = |column: usize, sides: &[&str; 3]| {
        let place = |word: &String| sides.iter().position(|side| side == word);
        let (side, others): (Vec<&String>, Vec<&String>) = lower[column].iter().partition(|word| place(word).is_some());
        let known = |word: &&String| is_thing(word) || BESIDE.contains(&word.as_str());
        match side[..] {
            [side] if others.iter().any(|word| is_thing(word)) && others.iter().all(known) => {
                Some((place(side)?, others))
            }
            _ => None,
        }
    };
    let mut found: Vec<Contents> = Vec::new();
    for sides in &SIDES {
        for first in 0..names.len() {
            let Some((0, others)) = of_side(first, sides) else { continue };
            let with = |side: usize| {
                (0..names.len())
                    .find(|&column| of_side(column, sides).is_some_and(|found| found == (side, others.clone())))
            };
            if let (Some(second), None) = (with(1), with(2)) {
                let named = others.iter().any(|word| SYSTEMS.contains(&word.as_str()));
                found.push(Contents { first, second, named, from_zero: false });
            }
        }
    }
    // Names of systems before what they wrote.
    found.sort_by_key(|contents| !contents.named);
    found.into_iter().next()
}

/// The words of a name, in small letters: `Model_A`, `modelA` and `model a` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<char> = None;
    for c in name.chars() {
        let begins = before.is_none_or(|before| {
            !before.is_alphanumeric()
                || before.is_lowercase() && c.is_uppercase()
                || before.is_numeric() != c.is_numeric()
        });
        if c.is_alphanumeric() {
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        before = Some(c);
    }
    words
}

/// The values of a column.
fn known(values: &[String]) -> HashSet<String> {
    values.iter().map(|text| plain(text)).filter(|text| !text.is_empty()).collect()
}

/// Of each row whether the pair was shown the other way round; none where nothing is said. An error if the values cannot be
/// read.
pub(super) fn exchanged(table: &Held, column: usize) -> Result<Vec<Option<bool>>, String> {
    let values = &table.columns[column];
    let number = |text: &str| text.trim().parse::<f64>().ok();
    // Counted from 1: the second order is the other way round.
    let from_one = values.iter().any(|text| number(text) == Some(2.0))
        || !values.iter().any(|text| number(text) == Some(0.0))
            && matches!(says_order(&table.names[column]), Some(Says::Order));
    let one = |text: &String| match (number(text), plain(text).as_str()) {
        (_, "") => Ok(None),
        (Some(number), _) if [0.0, 1.0, 2.0].contains(&number) => Ok(Some(number == if from_one { 2.0 } else { 1.0 })),
        (
            _,
            "true" | "yes" | "ba" | "b" | "bfirst" | "second" | "swap" | "swapped" | "reverse" | "reversed" | "flipped"
            | "switched",
        ) => Ok(Some(true)),
        (
            _,
            "false" | "no" | "ab" | "a" | "afirst" | "first" | "original" | "normal" | "forward" | "standard"
            | "default" | "unswapped" | "notswapped",
        ) => Ok(Some(false)),
        _ => Err(format!(
            "it holds verdicts on pairs, and the order in which they were shown, '{}' in column '{}', is not understood: write AB or BA there; or name the columns with --columns to take the verdicts as they are",
            shown(text),
            shown(&table.names[column])
        )),
    };
    values.iter().map(one).collect()
}

/// Whether what stands in the two columns are names of systems, which come again, and not texts that differ from item to item.
pub(super) fn are_names(table: &Held, contents: Contents) -> bool {
    let (ones, others) = (&table.columns[contents.first], &table.columns[contents.second]);
    let names: HashSet<&str> = ones.iter().chain(others).map(String::as_str).collect();
    let few = 4 * names.len() <= 2 * ones.len() + 8;
    names.iter().all(|name| name.len() <= 60) && (contents.named || few)
}

/// Whether names stand in the same columns however the pair was shown, and so have to be turned; else they stand as they
/// were shown. An error if that is not clear.
pub(super) fn to_turn(table: &Held, contents: Contents, exchanged: &[Option<bool>]) -> Result<bool, String> {
    let (ones, others) = (&table.columns[contents.first], &table.columns[contents.second]);
    let mut pairs: HashMap<(&str, &str), HashSet<(bool, bool)>> = HashMap::new();
    for ((one, other), exchanged) in ones.iter().zip(others).zip(exchanged) {
        let in_order = one <= other;
        let pair = if in_order { (one.as_str(), other.as_str()) } else { (other.as_str(), one.as_str()) };
        pairs.entry(pair).or_default().extend(exchanged.map(|exchanged| (in_order, exchanged)));
    }
    let varies =
        |seen: &HashSet<(bool, bool)>, pick: fn(&(bool, bool)) -> bool| seen.iter().any(pick) && !seen.iter().all(pick);
    let (mut fixed, mut as_shown, mut unclear) = (false, false, false);
    for seen in pairs.values() {
        match (varies(seen, |row| row.0), varies(seen, |row| row.1)) {
            (false, true) => fixed = true,
            (true, true) if seen.len() == 2 => as_shown = true,
            (true, _) => unclear = true,
            (false, false) => {}
        }
    }
    // Nothing was exchanged, and nothing has to be turned.
    if !exchanged.contains(&Some(true)) {
        return Ok(false);
    }
    if unclear || fixed == as_shown {
        let names = [contents.first, contents.second].map(|column| table.names[column].clone());
        return Err(format!(
            "it is not clear whether {} name what was shown first and second, or what was so before the order was changed; leave out the column that says it was changed, or name the columns with --columns to take the verdicts as they are",
            found(&names)
        ));
    }
    Ok(fixed)
}
