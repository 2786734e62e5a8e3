//! One name for each class, however it is written.

use crate::error::shown;
use crate::write::plain;
use beanjar::Labels;
use std::collections::BTreeSet;

/// The classes by one name each: without space around it; numbers in their shortest form if all classes are numbers;
/// `true` and `false`, if there are no others, in small letters where one of them is written in two ways.
pub fn alike(names: &[&str]) -> Vec<String> {
    let trimmed: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    if trimmed.iter().all(|name| is_plain_number(name)) {
        // Zero has no sign.
        return trimmed.iter().map(|name| plain(name.parse().unwrap_or(f64::NAN) + 0.0)).collect();
    }
    let written: BTreeSet<&str> = trimmed.iter().copied().collect();
    let in_two_ways = written.iter().map(|name| name.to_lowercase()).collect::<BTreeSet<_>>().len() < written.len();
    match in_two_ways && trimmed.iter().all(|name| is_yes_or_no(name)) {
        true => trimmed.iter().map(|name| name.to_lowercase()).collect(),
        false => trimmed.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// Whether a class is true or false, in any letters.
pub fn is_yes_or_no(name: &str) -> bool {
    name.eq_ignore_ascii_case("true") || name.eq_ignore_ascii_case("false")
}

/// The labels with one name for each class, and what changed in a clause; none if nothing does.
pub(crate) fn with_one_name_each(labels: &Labels) -> beanjar::Result<Option<(Labels, String)>> {
    let names: Vec<&str> = labels.classes.iter().collect();
    let alike = alike(&names);
    let changed: Vec<(&&str, &String)> = names.iter().zip(&alike).filter(|(old, new)| *old != new).collect();
    let Some((old, new)) = changed.first() else { return Ok(None) };
    let mut note = format!("label '{}' read as '{}'", shown(old), shown(new));
    if changed.len() > 1 {
        note += &format!(", and {} more alike", changed.len() - 1);
    }
    Ok(Some((labels.renamed(&alike)?, note)))
}

/// Whether a text can be a number without losing a digit that counts: `007` is a code, and a long number is an id.
pub(crate) fn is_plain_number(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    let whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    let code = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    /// What a double holds of a whole number.
    const DIGITS: usize = 15;
    /// Digits that any two different doubles differ in.
    const MOST_DIGITS: usize = 17;
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let long =
        mantissa.bytes().filter(u8::is_ascii_digit).count() > MOST_DIGITS + usize::from(mantissa.starts_with("0."));
    !(code || long || whole && digits.len() > DIGITS) && text.parse().is_ok_and(|number: f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_has_one_name() {
        assert_eq!(alike(&["1", "1.0", " 1", "2e0", "-0.0", "0.50"]), ["1", "1", "1", "2", "0", "0.5"]);
        assert_eq!(alike(&["true", "False", "TRUE "]), ["true", "false", "true"]);
        assert_eq!(alike(&["True", "False ", "True"]), ["True", "False", "True"], "as they are written");
        assert_eq!(alike(&[" dog", "dog", "1.0"]), ["dog", "dog", "1.0"], "not all are numbers");
        assert_eq!(alike(&["007", "7"]), ["007", "7"], "a code is no number");
        assert_eq!(alike(&["true", "unsure", "True"]), ["true", "unsure", "True"]);
        assert!(alike(&[]).is_empty());
    }
}
