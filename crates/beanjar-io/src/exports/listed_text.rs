//! Lists that were written as texts.

use serde_json::{Number, Value};

/// The list in a text, as JSON has it, or as Python and NumPy print it: `["a", "b"]`, `['a', None]`, `['a' 'b']`. None if
/// there is none.
pub(super) fn listed_text(text: &str) -> Option<Value> {
    if let Ok(list @ Value::Array(_)) = serde_json::from_str(text) {
        return Some(list);
    }
    let mut rest = text.trim();
    let list = list(&mut rest, 0)?;
    rest.trim().is_empty().then_some(list)
}

/// Lists within lists are looked into no further than this.
const DEEPEST: usize = 8;

fn list(rest: &mut &str, depth: usize) -> Option<Value> {
    *rest = rest.strip_prefix('[').filter(|_| depth < DEEPEST)?;
    let mut values = Vec::new();
    loop {
        *rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        match rest.chars().next()? {
            ']' => {
                *rest = &rest[1..];
                return Some(Value::Array(values));
            }
            '[' => values.push(list(rest, depth + 1)?),
            quote @ ('\'' | '"') => values.push(Value::String(quoted(rest, quote)?)),
            _ => values.push(bare(rest)),
        }
    }
}

/// A text in quotes, within which a backslash takes the sense from what follows.
fn quoted(rest: &mut &str, quote: char) -> Option<String> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                other => text.push(other),
            },
            c if c == quote => {
                *rest = &rest[at + c.len_utf8()..];
                return Some(text);
            }
            c => text.push(c),
        }
    }
    None
}

/// A number, yes or no, nothing, or a word without quotes.
fn bare(rest: &mut &str) -> Value {
    let end = rest.find(|c: char| c.is_whitespace() || c == ',' || c == ']').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    match word {
        "None" | "null" | "nan" | "NaN" => Value::Null,
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        // NumPy writes 4.0 as 4.
        word => match word.trim_end_matches('.').parse::<Number>() {
            Ok(number) => Value::Number(number),
            Err(_) => Value::String(word.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_of_json_python_and_numpy_are_read_alike() {
        for text in ["[\"a\", \"b c\", null]", "['a', 'b c', None]", "['a' 'b c' None]", " [ 'a',\n \"b c\" nan] "] {
            assert_eq!(listed_text(text), Some(json!(["a", "b c", null])), "{text}");
        }
        assert_eq!(listed_text("[4. 2.5]"), Some(json!([4, 2.5])));
        assert_eq!(listed_text("[True, False]"), Some(json!([true, false])));
        assert_eq!(listed_text("[['a', 'b'], ['it\\'s']]"), Some(json!([["a", "b"], ["it's"]])));
        assert_eq!(listed_text("[]"), Some(json!([])));
        for text in ["", "a", "['a'", "['a]", "['a'] b", &"[".repeat(50)] {
            assert_eq!(listed_text(text), None, "{text}");
        }
    }
}
