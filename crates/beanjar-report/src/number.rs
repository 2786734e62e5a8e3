//! Numbers as people read them.

/// A number in about four digits.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "\u{2013}".into();
    }
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.1e}");
    }
    let digits = match size {
        s if s >= 1000.0 => 0,
        s if s >= 100.0 => 1,
        s if s >= 10.0 => 2,
        s if s >= 0.1 => 3,
        s if s >= 0.01 => 4,
        _ => 5,
    };
    let text = trimmed(format!("{value:.digits$}"));
    if size >= 1000.0 { grouped(&text) } else { text }
}

/// The same, or a dash for none.
pub(crate) fn short_or_dash(value: Option<f64>) -> String {
    value.map_or("\u{2013}".into(), short)
}

/// A share in percent: whole ones, with a digit more near the ends.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let near_the_end = percent != 0.0 && (percent.abs() < 10.0 || (90.0..100.0).contains(&percent));
    let text = match near_the_end {
        true => trimmed(format!("{percent:.1}")),
        false => format!("{percent:.0}"),
    };
    // Nearly all is not all, and hardly any is not none.
    let rounded_away = near_the_end && matches!(text.as_str(), "100" | "0" | "-0");
    if rounded_away { format!("{}%", trimmed(format!("{percent:.3}"))) } else { format!("{text}%") }
}

/// A difference of shares, in percentage points.
pub(crate) fn points(difference: f64) -> String {
    let shown = percent(difference);
    let number = shown.trim_end_matches('%');
    format!("{number} percentage {}", if number == "1" { "point" } else { "points" })
}

/// A whole number, in groups of three digits.
pub(crate) fn whole(value: usize) -> String {
    grouped(&value.to_string())
}

/// A count with its noun.
pub(crate) fn count(n: usize, noun: &str) -> String {
    beanjar::counted(n, noun)
}

/// The form of a word that goes with a number: `is` or `are`.
pub(crate) fn form<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

/// A mean with what it counts: `1 vote`, `1.5 votes`.
pub(crate) fn mean_of(mean: f64, noun: &str) -> String {
    let number = short(mean);
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn trimmed(text: String) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    format!("{sign}{out}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact_where_they_are_short() {
        let cases = [
            (0.0, "0"),
            (0.12345, "0.123"),
            (0.018_413, "0.0184"),
            (12.345, "12.35"),
            (30.0, "30"),
            (-1234.5, "-1,234"),
            (1e-9, "1.0e-9"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
        assert_eq!(short(123_456.0), "123,456");
        assert_eq!(whole(1_234_567), "1,234,567");
        assert_eq!([0.5, 0.034, 0.996, 1.0, 0.0].map(percent), ["50%", "3.4%", "99.6%", "100%", "0%"]);
        assert_eq!([0.99953, 0.00031, -0.0004].map(percent), ["99.953%", "0.031%", "-0.04%"]);
    }

    #[test]
    fn differences_of_shares_are_points() {
        assert_eq!(
            [0.01, 0.096, 0.13].map(points),
            ["1 percentage point", "9.6 percentage points", "13 percentage points"]
        );
    }

    #[test]
    fn words_go_with_their_numbers() {
        assert_eq!([0, 1, 2].map(|n| form(n, "is", "are")), ["are", "is", "are"]);
        assert_eq!([1.0, 1.0001, 2.5].map(|mean| mean_of(mean, "vote")), ["1 vote", "1 vote", "2.5 votes"]);
        assert_eq!(count(0, "task"), "0 tasks");
    }
}
