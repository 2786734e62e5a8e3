//! Numbers and names of the user in messages: short, however long they are.

/// A name that fits into a sentence.
pub(crate) fn cut(name: &str) -> String {
    const MOST: usize = 60;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.to_owned(),
    }
}

/// The first few names of many.
pub(crate) fn first_few(names: &[String]) -> String {
    const MOST: usize = 5;
    let others = if names.len() > MOST { " and others" } else { "" };
    names.iter().take(MOST).map(|name| cut(name)).collect::<Vec<_>>().join(", ") + others
}

/// A number of a few digits, however large or small it is.
pub(crate) fn brief(number: f64) -> String {
    match number == 0.0 || (1e-4..1e15).contains(&number.abs()) || !number.is_finite() {
        true => number.to_string(),
        false => format!("{number:e}"),
    }
}

/// A value that is refused; a number of hundreds of digits is not written out.
pub(crate) fn shortened(value: &str) -> String {
    match value.parse().ok().filter(|_| value.len() > 24) {
        Some(number) => brief(number),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn numbers_in_messages_are_short() {
        let numbers = [0.0, -1.0, 30.5, 1e300, -1e-300, f64::NAN, f64::INFINITY];
        assert_eq!(numbers.map(brief), ["0", "-1", "30.5", "1e300", "-1e-300", "NaN", "inf"]);
        let range =
            |value: f64| Error::OutOfRange { name: "the ridge", value: value.to_string(), range: "0 to 1" }.to_string();
        assert_eq!(range(-1e300), "the ridge is -1e300, and must be 0 to 1");
        assert_eq!(range(-0.5), "the ridge is -0.5, and must be 0 to 1");
        let small = Error::BudgetTooSmall { budget: 1e-300, cheapest: 1.0 };
        assert_eq!(small.to_string(), "a budget of 1e-300 is too small: what must be asked costs 1");
    }

    #[test]
    fn names_and_lists_are_cut() {
        let names = |n: usize| (0..n).map(|i| format!("a{i}")).collect::<Vec<_>>();
        assert_eq!(first_few(&names(2)), "a0, a1");
        assert_eq!(first_few(&names(6)), "a0, a1, a2, a3, a4 and others");
        assert_eq!(cut("é"), "é");
        let long = "é".repeat(40_000);
        assert_eq!(cut(&long), format!("{}...", "é".repeat(60)));
        let messages = [
            Error::NoModelAttribute(vec![long.clone(); 99]),
            Error::NoModelClass(vec![long.clone()]),
            Error::NeverJudged(long.clone()),
            Error::ModelKind(long.clone()),
            Error::RepeatedId(long.clone()),
            Error::UnknownAttribute { name: long.clone(), nearest: Some(long.clone()), known: vec![long.clone()] },
            Error::NotANumber { text: long.clone(), id: long.clone(), column: long },
        ];
        messages.iter().for_each(|message| assert!(message.to_string().chars().count() < 500, "{message}"));
    }
}
