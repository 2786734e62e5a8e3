//! Verdicts on pairs, shown in one order or the other: turned to one frame, and how far the order mattered.

mod order;
mod verdicts;

use super::answers::left_out;
use super::{Held, Keys};
use crate::column_roles::{ColumnNames, Header, Role};
use crate::error::shown as shown_name;
use std::collections::{BTreeMap, HashMap, HashSet};
use verdicts::{Side, Sides, are_zero_and_one, from_zero, sides};

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

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a column of this name says in which order a pair was shown.
pub(super) fn says_order(name: &str) -> bool {
    order::says_order(name).is_some()
}

pub(crate) fn has_pairs(names: &[String]) -> bool {
    order::may_say(names) || both_games(names).is_some() || winners(names).is_some()
}

/// The verdicts of a table in one frame: the label is what was chosen, by its name, or `A` and `B` as they were shown
/// first. None if the table holds no such verdicts; an error says in a clause why they cannot be turned.
pub(super) fn read(table: &Held) -> Option<Result<Held, String>> {
    let games = both_games(&table.names).map(|games| each_game(table, games));
    let table = games.as_ref().unwrap_or(table);
    let chosen = winners(&table.names).map(|winners| one_winner(table, winners));
    let table = chosen.as_ref().unwrap_or(table);
    let columns = order::Columns::of(table)?;
    let given = ColumnNames::default();
    let header = Header { place: "", file: "", names: &table.names, given: &given };
    let find = |role| header.find(role).ok().flatten();
    // Some call it a score, and write `A>B` there.
    let in_words = |column: &usize| table.columns[*column].iter().all(|text| text.trim().parse::<f64>().is_err());
    let verdict = find(Role::Label).or_else(|| find(Role::Value).filter(in_words))?;
    let (item, judge) = (find(Role::Object)?, find(Role::Worker)?);
    // A verdict names a side, or what stood there.
    let contents = columns.contents.filter(|_| columns.exchanged.is_none());
    let by_content = |row: usize, text: &str| match contents {
        Some(contents) if table.columns[contents.first][row] == text => Some(Side::First),
        Some(contents) if table.columns[contents.second][row] == text => Some(Side::Second),
        _ => None,
    };
    let by_number = |row: usize, text: &str| match columns.contents {
        Some(contents) if contents.from_zero => by_content(row, text).or_else(|| from_zero(text)),
        _ => by_content(row, text),
    };
    let verdicts = &table.columns[verdict];
    let in_words = |(row, text): (usize, &String)| text.trim().is_empty() || by_number(row, text.trim()).is_some();
    if are_zero_and_one(verdicts) && !verdicts.iter().enumerate().all(in_words) {
        return columns.are_certain(&table.names, verdict).then(|| {
            Err(format!(
                "it holds verdicts on pairs, and nothing shows which of the two 0 and 1 in column '{}' stand for: write A and B there; or name the columns with --columns to take the verdicts as they are",
                shown_name(&table.names[verdict])
            ))
        });
    }
    let sides = sides(verdicts, by_number)?;
    Some(shown(table, &columns, item).map(|shown| in_one_frame(table, [item, judge, verdict], &sides, &shown)))
}

fn in_one_frame(table: &Held, columns: [usize; 3], sides: &Sides, shown: &[Option<Shown<'_>>]) -> Held {
    let [item, judge, verdict] = columns;
    let several = several_pairs(shown, &table.columns[item]);
    let mut long = vec![Vec::new(); 3];
    let mut judges: BTreeMap<&str, Seen<'_>> = BTreeMap::new();
    let mut without_order = 0;
    for (row, side) in sides.all.iter().enumerate() {
        let Some(side) = side else { continue };
        let Some(shown) = &shown[row] else {
            without_order += 1;
            continue;
        };
        let item = &table.columns[item][row];
        let task = if several { format!("{item}: {}", shown.pair) } else { item.clone() };
        judges.entry(&table.columns[judge][row]).or_default().take(item, shown, *side);
        let cells = [task, table.columns[judge][row].clone(), shown.label(*side).to_owned()];
        long.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
    }
    let positions: Vec<PositionBias> = judges.into_iter().map(|(judge, seen)| seen.bias(judge)).collect();
    let mut notes = table.notes.clone();
    notes.push(format!("{}=label of pairs turned to one order", table.names[verdict]));
    notes.extend(left_out(sides.unread, "verdict", "left out: no side of a pair"));
    notes.extend(left_out(without_order, "verdict", "left out: of unknown order"));
    notes.extend(left_out(sides.between, "verdict", "between 1 and 2 read as the nearer"));
    notes.push(biases(&positions));
    let names = ["task", "worker", "label"].map(str::to_owned).to_vec();
    let [task, worker] = [item, judge].map(|column| table.names[column].clone());
    let keys = Some(Keys { task, worker, ..Keys::default() });
    Held { tool: None, keys, names, columns: long, notes, positions }
}

/// What the order did, judge by judge.
fn biases(positions: &[PositionBias]) -> String {
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
    format!("position: {}{more}", biased.join(", "))
}

/// The two verdicts of each row on one pair, shown in one order and then in the other, as FastChat writes them.
fn both_games(names: &[String]) -> Option<[usize; 2]> {
    let at = |wanted: &str| names.iter().position(|name| name == wanted);
    Some([at("g1_winner")?, at("g2_winner")?])
}

/// The columns of 0 and 1 that say of each side whether it won, and perhaps of a tie.
fn winners(names: &[String]) -> Option<[Option<usize>; 3]> {
    let at = |wanted: &str| names.iter().position(|name| plain(name) == wanted);
    let sides = [["winnermodela", "winnermodelb"], ["winnera", "winnerb"], ["awins", "bwins"], ["winner1", "winner2"]];
    let both = sides.into_iter().find_map(|[a, b]| Some([Some(at(a)?), Some(at(b)?)]))?;
    Some([both[0], both[1], ["winnertie", "tie"].into_iter().find_map(at)])
}

/// The same table with one column of winners.
fn one_winner(table: &Held, winners: [Option<usize>; 3]) -> Held {
    let is_set = |column: usize, row: usize| {
        let text = table.columns[column][row].trim();
        text.parse() == Ok(1.0) || text.eq_ignore_ascii_case("true")
    };
    let winner = |row: usize| {
        let mut set =
            winners.iter().zip(["A", "B", "tie"]).filter(|(column, _)| column.is_some_and(|at| is_set(at, row)));
        match (set.next(), set.next()) {
            (Some((_, winner)), None) => winner.to_owned(),
            _ => String::new(),
        }
    };
    let kept = |column: &usize| !winners.contains(&Some(*column));
    let mut held = Held { notes: table.notes.clone(), ..Held::default() };
    for column in (0..table.names.len()).filter(kept) {
        held.names.push(table.names[column].clone());
        held.columns.push(table.columns[column].clone());
    }
    held.names.push("winner".to_owned());
    held.columns.push((0..table.rows()).map(winner).collect());
    held
}

/// A row for each of the two verdicts, in both of which `model_1` is the same one of the two.
fn each_game(table: &Held, games: [usize; 2]) -> Held {
    let mut names: Vec<String> = Vec::new();
    let mut columns: Vec<Vec<String>> = Vec::new();
    for (column, name) in table.names.iter().enumerate().filter(|(column, _)| !games.contains(column)) {
        let other = match name.as_str() {
            "model_1" => table.column("model_2"),
            "model_2" => table.column("model_1"),
            _ => None,
        };
        let own = &table.columns[column];
        names.push(name.clone());
        columns.push([own, other.unwrap_or(own)].concat());
    }
    let turned = |verdict: &String| match verdict.as_str() {
        "model_1" => "model_2".to_owned(),
        "model_2" => "model_1".to_owned(),
        other => other.to_owned(),
    };
    let winners = table.columns[games[0]].iter().cloned().chain(table.columns[games[1]].iter().map(turned));
    names.push("winner".to_owned());
    columns.push(winners.collect());
    Held { names, columns, notes: table.notes.clone(), ..Held::default() }
}

/// A pair as it was shown, by the names of its sides in the frame.
struct Shown<'a> {
    first: &'a str,
    second: &'a str,
    /// The pair, the same in both orders.
    pair: String,
}

impl<'a> Shown<'a> {
    /// What a verdict for a side says in the frame.
    fn label(&self, side: Side) -> &'a str {
        match side {
            Side::First => self.first,
            Side::Second => self.second,
            Side::Tie => "tie",
        }
    }
}

/// Of each row how its pair was shown; none where that is not said.
fn shown<'a>(table: &'a Held, columns: &order::Columns, item: usize) -> Result<Vec<Option<Shown<'a>>>, String> {
    let exchanged = columns.exchanged.map(|column| order::exchanged(table, column)).transpose()?;
    let named = columns.contents.filter(|&contents| order::are_names(table, contents));
    match (named.or(columns.contents), exchanged) {
        (Some(contents), exchanged) if named.is_some() => {
            let turn = match exchanged {
                Some(exchanged) => order::to_turn(table, contents, &exchanged)?.then_some(exchanged),
                None => None,
            };
            let one = |row: usize| {
                let names = [contents.first, contents.second].map(|column| table.columns[column][row].as_str());
                let exchanged = turn.as_ref().map_or(Some(false), |exchanged| exchanged[row])?;
                let [first, second] = if exchanged { [names[1], names[0]] } else { names };
                let pair = format!("{} or {}", first.min(second), first.max(second));
                Some(Shown { first, second, pair })
            };
            Ok((0..table.rows()).map(one).collect())
        }
        (_, Some(exchanged)) => {
            let one = |exchanged: Option<bool>| {
                let (first, second) = if exchanged? { ("B", "A") } else { ("A", "B") };
                Some(Shown { first, second, pair: String::new() })
            };
            Ok(exchanged.into_iter().map(one).collect())
        }
        (Some(contents), None) => {
            let mut frames: HashMap<(&str, &str), &str> = HashMap::new();
            let mut one = |row: usize| {
                let [one, other] = [contents.first, contents.second].map(|column| table.columns[column][row].as_str());
                // What is shown first in the first row of the item is A.
                let a = *frames.entry((&table.columns[item][row], one.min(other))).or_insert(one);
                let (first, second) = if a == one { ("A", "B") } else { ("B", "A") };
                Some(Shown { first, second, pair: String::new() })
            };
            Ok((0..table.rows()).map(&mut one).collect())
        }
        (None, None) => Ok((0..table.rows()).map(|_| None).collect()),
    }
}

/// Whether one item has several pairs.
fn several_pairs(shown: &[Option<Shown<'_>>], items: &[String]) -> bool {
    let mut pairs: HashMap<&str, &str> = HashMap::new();
    let known = shown.iter().zip(items).filter_map(|(shown, item)| Some((shown.as_ref()?, item)));
    known.into_iter().any(|(shown, item)| *pairs.entry(item).or_insert(&shown.pair) != shown.pair)
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
    fn take(&mut self, item: &'a str, shown: &'a Shown<'a>, side: Side) {
        self.verdicts += usize::from(side != Side::Tie);
        self.first += usize::from(side == Side::First);
        self.pairs.entry((item, &shown.pair)).or_default().insert(shown.first, shown.label(side));
    }

    fn bias(&self, judge: &str) -> PositionBias {
        let both = self.pairs.values().filter(|orders| orders.len() == 2);
        let changed = both.clone().filter(|orders| orders.values().collect::<HashSet<_>>().len() == 2).count();
        let (verdicts, both_orders) = (self.verdicts, both.count());
        let first = self.first as f64 / self.verdicts.max(1) as f64;
        PositionBias { judge: judge.to_owned(), verdicts, first, both_orders, changed }
    }
}
