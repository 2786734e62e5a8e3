//! Words of the user's data, made harmless: ids may hold anything.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Longer ids are cut: a page of them would be read by nobody, and be larger than its figures.
pub(crate) const LONGEST: usize = 200;

/// Text for HTML and SVG, between tags and within quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// An id on one line: without characters that XML refuses, that turn the direction of what follows, or that cannot be
/// seen, and not longer than [`LONGEST`].
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let unseen = |c: char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    let tame = |c: char| match c {
        c if c.is_whitespace() => ' ',
        c if c.is_control() || unseen(c) => '\u{fffd}',
        c => c,
    };
    if text.chars().all(|c| tame(c) == c) && text.chars().nth(LONGEST).is_none() {
        return Cow::Borrowed(text);
    }
    // Joiners make one picture of several emoji, and belong to some scripts.
    let joined = |c: char| !c.is_ascii() && !c.is_whitespace() && !c.is_control() && !unseen(c);
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let joins = matches!(c, '\u{200c}' | '\u{200d}') && joined(before) && rest.peek().is_some_and(|&c| joined(c));
        out.push(if joins { c } else { tame(c) });
        before = c;
    }
    Cow::Owned(shortened(&out, LONGEST))
}

/// A sentence on one line; unlike an id it may be long.
pub(crate) fn plain_words(text: &str) -> String {
    let words: Vec<Cow<'_, str>> = text.split_whitespace().map(plain).collect();
    words.join(" ")
}

/// The first and the last characters, with dots between them if there are more: long ids differ at their ends.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.char_indices().nth(most).is_none() {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let last = text.chars().count() - kept / 2;
    text.chars().take(kept - kept / 2).chain(['\u{2026}']).chain(text.chars().skip(last)).collect()
}

/// Names on one line each, not longer than `most`; those that would look alike then show where they differ.
pub(crate) fn distinct(names: &[&str], most: usize) -> Vec<String> {
    let whole: Vec<Cow<'_, str>> = names.iter().map(|name| plain(name)).collect();
    let mut short: Vec<String> = whole.iter().map(|name| shortened(name, most)).collect();
    let mut alike: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, name) in short.iter().enumerate().filter(|(i, name)| name.as_str() != whole[*i]) {
        alike.entry(name.clone()).or_default().push(i);
    }
    for group in alike.into_values().filter(|group| group.len() > 1) {
        let letters: Vec<Vec<char>> = group.iter().map(|&i| whole[i].chars().collect()).collect();
        let first = &letters[0];
        let same =
            (0..first.len()).take_while(|&at| letters.iter().all(|other| other.get(at) == first.get(at))).count();
        // Neither a word nor a version is begun in its middle.
        let from = first[..same].iter().rposition(|c| !c.is_alphanumeric() && *c != '.').map_or(same, |at| at + 1);
        for (&i, letters) in group.iter().zip(&letters).filter(|_| from > 0) {
            let rest: String = letters[from..].iter().collect();
            short[i] = format!("\u{2026}{}", shortened(&rest, most.saturating_sub(1)));
        }
    }
    short
}

/// An id within a sentence.
pub(crate) fn quoted(id: &str) -> String {
    format!("\u{2018}{}\u{2019}", shortened(&plain(id), 40))
}

/// About how wide a text is, in the units of its font size.
pub(crate) fn width_of(text: &str) -> f64 {
    let of = |c: char| match c {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 0.36,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.9,
        c if c.is_ascii_uppercase() => 0.7,
        c if (c as u32) < 0x1100 => 0.57,
        _ => 1.05,
    };
    text.chars().map(of).sum()
}

/// The text in lines that are at most this wide, in the units of its font size.
pub(crate) fn lines(text: &str, widest: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_of(line) + width_of(word) + 0.4 <= widest => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_ids_are_harmless() {
        assert_eq!(escaped("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
        assert_eq!(plain("a\nb\u{202e}c\u{0}"), "a b\u{fffd}c\u{fffd}");
        assert_eq!(plain("שלום 🫘"), "שלום 🫘");
        assert_eq!(plain(&"x".repeat(10_000)).chars().count(), LONGEST);
        assert_eq!(plain(&"x".repeat(LONGEST)), "x".repeat(LONGEST));
        assert!(plain(&"x".repeat(LONGEST + 1)).contains('\u{2026}'));
    }

    #[test]
    fn joiners_stay_between_emoji_alone() {
        assert_eq!(plain("a\n\u{1f469}\u{200d}\u{1f52c}"), "a \u{1f469}\u{200d}\u{1f52c}");
        assert_eq!(plain("a\u{200d}b\u{200d}"), "a\u{fffd}b\u{fffd}");
        assert_eq!(plain("\u{1f469}\u{202e}\u{200d}\u{1f52c}"), "\u{1f469}\u{fffd}\u{fffd}\u{1f52c}");
    }

    #[test]
    fn long_ids_that_differ_at_the_end_stay_apart() {
        let id = |end: &str| format!("{}{end}", "a_rather_long_identifier_".repeat(20));
        for most in [11, 24, 40, LONGEST] {
            let (one, other) = (shortened(&id("01"), most), shortened(&id("02"), most));
            assert!(one != other && one.chars().count() == most, "{one} and {other}");
        }
        assert_ne!(plain(&id("01")), plain(&id("02")));
        assert_eq!((shortened("abcdef", 6), shortened("abcdef", 5)), ("abcdef".into(), "ab\u{2026}ef".into()));
    }

    #[test]
    fn names_that_would_look_alike_show_where_they_differ() {
        let names = ["wearing-colorful-clothes", "wearing-nice-clothes", "male"];
        assert_eq!(distinct(&names, 16), ["\u{2026}colorfu\u{2026}clothes", "\u{2026}nice-clothes", "male"]);
        let models = ["llama-3.2-90b-instruct-turbo", "llama-3.1-70b-instruct-turbo", "llama-3.1-405b-instruct-turbo"];
        for most in [11, 16, 24] {
            let found = distinct(&models, most);
            let different: std::collections::BTreeSet<&String> = found.iter().collect();
            assert_eq!(different.len(), 3, "{found:?}");
            assert!(found.iter().all(|name| name.chars().count() <= most), "{found:?}");
        }
        assert_eq!(distinct(&models, 16)[1], "\u{2026}3.1-70b\u{2026}t-turbo");
        assert_eq!(distinct(&["same", "same"], 16), ["same", "same"]);
        let long = "x".repeat(50);
        assert_eq!(distinct(&[&long, &long], 9).len(), 2);
    }

    #[test]
    fn words_are_wrapped_and_never_lost() {
        let text = "one two three four five six seven";
        let wrapped = lines(text, 6.0);
        assert!(wrapped.len() > 3);
        assert_eq!(wrapped.join(" "), text);
    }
}
