//! What a verdict on a pair says: the side it chose, in whatever words.

use super::plain;

/// The side that a verdict chose, as it was shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    First,
    Second,
    Tie,
}

/// The sides of some verdicts.
pub(super) struct Sides {
    /// None where there is no verdict, or one that names no side.
    pub(super) all: Vec<Option<Side>>,
    /// How many verdicts name no side: an error, a refusal.
    pub(super) unread: usize,
    /// How many are numbers between the sides, which count for the nearer one.
    pub(super) between: usize,
}

/// The sides of all verdicts; none if they do not choose between two. `by_content` knows a side by what stood there.
pub(super) fn sides(verdicts: &[String], by_content: impl Fn(usize, &str) -> Option<Side>) -> Option<Sides> {
    let mut found = Sides { all: Vec::with_capacity(verdicts.len()), unread: 0, between: 0 };
    let numbers: Option<Vec<f64>> =
        verdicts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).map(|text| text.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| {
        let two = numbers.contains(&2.0);
        numbers.iter().all(|&number| (1.0..=2.0).contains(&number) || two && number == 0.0)
    });
    for (row, text) in verdicts.iter().map(|text| text.trim()).enumerate() {
        let side = by_content(row, text).or_else(|| if numbers.is_some() { by_number(text) } else { side(text) });
        if side.is_none() && !text.is_empty() {
            // A further letter is a further option, and no failure to answer.
            if text.chars().filter(|c| c.is_alphanumeric()).count() < 2 {
                return None;
            }
            found.unread += 1;
        }
        let is_between = |text: &str| text.parse::<f64>().is_ok_and(|number| (number * 2.0).fract() != 0.0);
        found.between += usize::from(numbers.is_some() && is_between(text));
        found.all.push(side);
    }
    let known = found.all.iter().flatten().count();
    (known > 0 && 10 * found.unread <= known).then_some(found)
}

/// Whether all verdicts are 0 and 1, and 0 is among them.
pub(super) fn are_zero_and_one(verdicts: &[String]) -> bool {
    let mut numbers = verdicts.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).map(str::parse::<f64>);
    let mut zero = false;
    numbers.all(|number| {
        number.is_ok_and(|number| {
            zero |= number == 0.0;
            number == 0.0 || number == 1.0
        })
    }) && zero
}

/// The side of a verdict that is 0 for the first and 1 for the second.
pub(super) fn from_zero(text: &str) -> Option<Side> {
    match text.parse() {
        Ok(0.0) => Some(Side::First),
        Ok(1.0) => Some(Side::Second),
        _ => None,
    }
}

/// 1 is the first, 2 the second, 1.5 (or 0 beside them) a tie; what lies between counts for the nearer side.
fn by_number(text: &str) -> Option<Side> {
    let number: f64 = text.parse().ok()?;
    Some(match number {
        0.0 | 1.5 => Side::Tie,
        _ if number < 1.5 => Side::First,
        _ => Side::Second,
    })
}

/// The side in a verdict: `A`, `[[B]]`, `model_1`, `second wins`, `tie`, `A>B`, `B>>A`, `A=B`.
fn side(verdict: &str) -> Option<Side> {
    if let Some(at) = verdict.find(['>', '<', '=']) {
        let (one, rest) = verdict.split_at(at);
        let other = rest.trim_start_matches(['>', '<', '=']);
        let (one, other) = (side(one)?, side(other)?);
        if one == other || one == Side::Tie || other == Side::Tie {
            return None;
        }
        return Some(match rest.as_bytes().first() {
            Some(b'>') => one,
            Some(b'<') => other,
            _ => Side::Tie,
        });
    }
    let verdict = plain(verdict);
    let ends = ["isbetter", "better", "wins", "win", "won"];
    let stem = ends.into_iter().find_map(|end| verdict.strip_suffix(end)).unwrap_or(&verdict);
    let things = ["", "model", "assistant", "response", "answer", "option", "output", "system", "candidate"];
    let stem = things.into_iter().rev().find_map(|thing| stem.strip_prefix(thing)).unwrap_or(stem);
    Some(match stem {
        "a" | "1" | "first" | "left" => Side::First,
        "b" | "2" | "second" | "right" => Side::Second,
        "tie" | "c" | "draw" | "equal" | "both" | "neither" | "same" | "tiebothbad" | "bothbad" => Side::Tie,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_in_any_words() {
        for text in ["A", "[[A]]", "1", "model_a", "Model 1", "assistant A", "A>B", "A>>B", "B<A", "A wins", "[[A>B]]"]
        {
            assert_eq!(side(text), Some(Side::First), "{text}");
        }
        for text in ["b", "[[B]]", "response_2", "second", "B>A", "A<<B", "model_b is better"] {
            assert_eq!(side(text), Some(Side::Second), "{text}");
        }
        for text in ["tie", "A=B", "tie (bothbad)", "[[C]]", "B=A"] {
            assert_eq!(side(text), Some(Side::Tie), "{text}");
        }
        for text in ["yes", "D", "A>A", "A>tie", ">", "3"] {
            assert_eq!(side(text), None, "{text}");
        }
    }
}
