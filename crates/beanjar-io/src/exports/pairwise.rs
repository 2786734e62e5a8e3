//! Verdicts on pairs, shown in one order or the other: turned to one frame, and how far the order mattered.

use super::Held;
use crate::column_roles::{ColumnNames, Header, Role};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How often a judge of pairs chose what stood first.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct PositionBias {
    /// The judge.
    pub judge: String,
    /// How many verdicts were not ties.
    pub verdicts: usize,
    /// The share of them that chose what stood first; without bias it is a half where each pair is shown in both orders.
    pub first: f64,
    /// How many pairs the judge saw in both orders.
    pub both_orders: usize,
    /// How many of these got another verdict in the other order.
    pub changed: usize,
}

/// The side that a verdict chose, as it was shown.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    First,
    Second,
    Tie,
}

/// What says how a pair was shown.
enum Order {
    /// The columns of what stood first and second.
    Contents(usize, usize),
    /// The column that says whether the pair was shown the other way round.
    Swapped(usize),
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The columns of what stood first and second, or of the order.
fn order(names: &[String]) -> Option<Order> {
    let plain_names: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let at = |wanted: &str| plain_names.iter().position(|name| name == wanted);
    let stems =
        ["model", "system", "response", "answer", "output", "option", "candidate", "assistant", "generator", ""];
    let sides = [("a", "b"), ("1", "2"), ("first", "second"), ("left", "right")];
    let pair = stems.iter().flat_map(|stem| {
        sides.iter().flat_map(move |(one, other)| {
            [(format!("{stem}{one}"), format!("{stem}{other}")), (format!("{one}{stem}"), format!("{other}{stem}"))]
        })
    });
    let contents = pair.filter_map(|(one, other)| Some(Order::Contents(at(&one)?, at(&other)?)));
    let swapped = ["swapped", "isswapped", "swap", "order", "position", "flipped", "reversed", "presentationorder"]
        .into_iter()
        .filter_map(at);
    swapped.map(Order::Swapped).chain(contents).next()
}

pub(crate) fn has_pairs(names: &[String]) -> bool {
    order(names).is_some()
}

/// The side in a verdict.
fn side(verdict: &str) -> Option<Side> {
    Some(match plain(verdict).as_str() {
        "a" | "1" | "first" | "left" | "modela" | "model1" | "assistanta" | "responsea" | "answera" | "optiona" => {
            Side::First
        }
        "b" | "2" | "second" | "right" | "modelb" | "model2" | "assistantb" | "responseb" | "answerb" | "optionb" => {
            Side::Second
        }
        "tie" | "c" | "draw" | "equal" | "both" | "neither" | "same" | "tiebothbad" | "bothbad" => Side::Tie,
        _ => return None,
    })
}

/// Whether a pair was shown the other way round.
fn is_swapped(text: &str) -> Option<bool> {
    match plain(text).as_str() {
        "true" | "yes" | "1" | "ba" | "swapped" | "reversed" | "reverse" | "second" => Some(true),
        "false" | "no" | "0" | "ab" | "original" | "normal" | "forward" | "first" => Some(false),
        _ => None,
    }
}

/// The verdicts of a table in one frame: the label is what was chosen, by its name, or `A` and `B` as they were shown
/// first. None if the table holds no such verdicts.
pub(super) fn read(table: &Held) -> Option<Held> {
    let order = order(&table.names)?;
    let given = ColumnNames::default();
    let header = Header { place: "", file: "", names: &table.names, given: &given };
    let find = |role| header.find(role).ok().flatten();
    let (item, judge, verdict) = (find(Role::Object)?, find(Role::Worker)?, find(Role::Label)?);
    // A verdict names a side, or what stood there.
    let by_content = |row: usize, text: &str| match order {
        Order::Contents(one, _) if table.columns[one][row] == text => Some(Side::First),
        Order::Contents(_, other) if table.columns[other][row] == text => Some(Side::Second),
        _ => None,
    };
    let sides: Vec<Option<Side>> = table.columns[verdict]
        .iter()
        .enumerate()
        .map(|(row, text)| match text.trim() {
            "" => Some(None),
            text => by_content(row, text).or_else(|| side(text)).map(Some),
        })
        .collect::<Option<_>>()?;
    let shown = shown(table, &order, item)?;

    let several = several_pairs(&shown, &table.columns[item]);
    let mut columns = vec![Vec::new(); 3];
    let mut judges: BTreeMap<&str, Seen<'_>> = BTreeMap::new();
    for (row, side) in sides.iter().enumerate() {
        let Some(side) = side else { continue };
        let Shown { first, second, pair } = &shown[row];
        let label = match side {
            Side::First => first,
            Side::Second => second,
            Side::Tie => "tie",
        };
        let item = &table.columns[item][row];
        let task = if several { format!("{item}: {pair}") } else { item.clone() };
        judges.entry(&table.columns[judge][row]).or_default().take(item, pair, first, *side, label);
        let cells = [task, table.columns[judge][row].clone(), label.to_owned()];
        columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
    }
    let positions: Vec<PositionBias> = judges.into_iter().map(|(judge, seen)| seen.bias(judge)).collect();
    let note = |bias: &PositionBias| {
        let share =
            format!("{} chose the first of two {:.0}% of {} times", bias.judge, 100.0 * bias.first, bias.verdicts);
        match bias.both_orders {
            0 => share,
            both => format!("{share} and changed with the order {} of {both} times", bias.changed),
        }
    };
    let biased: Vec<String> = positions.iter().take(5).map(note).collect();
    let more = if positions.len() > 5 { format!(" and {} more judges", positions.len() - 5) } else { String::new() };
    let notes = vec![
        format!(
            "{}=task, {}=worker, {}=label of pairs turned to one order",
            table.names[item], table.names[judge], table.names[verdict]
        ),
        format!("position: {}{more}", biased.join(", ")),
    ];
    let names = ["task", "worker", "label"].map(str::to_owned).to_vec();
    Some(Held { tool: None, names, columns, notes, positions })
}

/// A pair as it was shown, by the names of its sides in the frame.
struct Shown<'a> {
    first: &'a str,
    second: &'a str,
    /// The pair, the same in both orders.
    pair: String,
}

fn shown<'a>(table: &'a Held, order: &Order, item: usize) -> Option<Vec<Shown<'a>>> {
    match *order {
        Order::Swapped(column) => {
            let one = |text: &String| {
                let (first, second) = if is_swapped(text)? { ("B", "A") } else { ("A", "B") };
                Some(Shown { first, second, pair: String::new() })
            };
            table.columns[column].iter().map(one).collect()
        }
        Order::Contents(one, other) => {
            let (ones, others) = (&table.columns[one], &table.columns[other]);
            let names: HashSet<&str> = ones.iter().chain(others).map(String::as_str).collect();
            // Systems have names that come again; the texts themselves differ from item to item.
            let are_names = names.iter().all(|name| name.len() <= 60) && 4 * names.len() <= 2 * ones.len() + 8;
            let mut frames: HashMap<(&str, &str), &str> = HashMap::new();
            let mut all = Vec::with_capacity(ones.len());
            for (row, (one, other)) in ones.iter().zip(others).enumerate() {
                let (low, high) = if one <= other { (one, other) } else { (other, one) };
                if are_names {
                    all.push(Shown { first: one, second: other, pair: format!("{low} or {high}") });
                    continue;
                }
                // What is shown first in the first row of the item is A.
                let a = *frames.entry((&table.columns[item][row], low)).or_insert(one);
                let (first, second) = if a == one { ("A", "B") } else { ("B", "A") };
                all.push(Shown { first, second, pair: String::new() });
            }
            Some(all)
        }
    }
}

/// Whether one item has several pairs.
fn several_pairs(shown: &[Shown<'_>], items: &[String]) -> bool {
    let mut pairs: HashMap<&str, &str> = HashMap::new();
    shown.iter().zip(items).any(|(shown, item)| *pairs.entry(item).or_insert(&shown.pair) != shown.pair)
}

/// What a judge chose.
#[derive(Default)]
struct Seen<'a> {
    verdicts: usize,
    first: usize,
    /// Of each item and pair, the verdicts by what stood first.
    pairs: HashMap<(&'a str, &'a str), BTreeMap<&'a str, &'a str>>,
}

impl<'a> Seen<'a> {
    fn take(&mut self, item: &'a str, pair: &'a str, first: &'a str, side: Side, label: &'a str) {
        self.verdicts += usize::from(side != Side::Tie);
        self.first += usize::from(side == Side::First);
        self.pairs.entry((item, pair)).or_default().insert(first, label);
    }

    fn bias(&self, judge: &str) -> PositionBias {
        let both = self.pairs.values().filter(|orders| orders.len() == 2);
        let changed = both.clone().filter(|orders| orders.values().collect::<HashSet<_>>().len() == 2).count();
        let (verdicts, both_orders) = (self.verdicts, both.count());
        let first = self.first as f64 / self.verdicts.max(1) as f64;
        PositionBias { judge: judge.to_owned(), verdicts, first, both_orders, changed }
    }
}
