//! Changed JSON: values, keys and elements, and now and then bytes.

use crate::Case;
use crate::random::Random;
use serde_json::{Value, json};

pub fn changed(corpus: &[Case], random: &mut Random) -> Case {
    let mut case = random.of(corpus).clone();
    if random.once_in(6) {
        random.change_bytes(&mut case.bytes);
        return case;
    }
    let changes = 1 + random.below(3);
    let text = String::from_utf8(case.bytes).unwrap();
    let changed_text = |text: &str, random: &mut Random| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        change(&mut value, random);
        value.to_string()
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..changes {
        let at = random.below(lines.len());
        lines[at] = changed_text(&lines[at], random);
    }
    case.bytes = (lines.join("\n") + "\n").into_bytes();
    case
}

/// Changes one value somewhere within.
pub fn change(value: &mut Value, random: &mut Random) {
    let inner = match value {
        Value::Array(values) => values.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    if inner > 0 && !random.once_in(4) {
        let at = random.below(inner);
        match value {
            Value::Array(values) => change(&mut values[at], random),
            Value::Object(fields) => change(fields.values_mut().nth(at).unwrap(), random),
            _ => {}
        }
        return;
    }
    let replacement = |value: &Value, random: &mut Random| match (value, random.below(6)) {
        (Value::Number(number), 0..=2) => {
            let number = number.as_f64().unwrap_or(0.0);
            json!(*random.of(&[
                -number,
                0.0,
                number * 1e300,
                number + 1.0,
                0.5 * number,
                1e308,
                -1.0,
                1e-310,
                18446744073709551615.0
            ]))
        }
        (_, 0) => Value::Null,
        (_, 1) => json!([]),
        (_, 2) => json!({}),
        (_, 3) => json!([value.clone(), value.clone()]),
        (_, 4) => json!({"value": value.clone()}),
        _ => Value::String(random.odd_text()),
    };
    match value {
        Value::Array(values) if !random.once_in(3) => match random.below(3) {
            0 if !values.is_empty() => drop(values.remove(random.below(values.len()))),
            1 if !values.is_empty() => values.push(values[random.below(values.len())].clone()),
            _ => values.push(json!(null)),
        },
        Value::Object(fields) if !random.once_in(3) => {
            let Some(key) = fields.keys().nth(random.below(fields.len())).cloned() else { return };
            match random.below(3) {
                0 => drop(fields.remove(&key)),
                1 => {
                    let held = fields[&key].clone();
                    fields.insert(random.odd_text(), held);
                }
                _ => {
                    let new = replacement(&fields[&key], random);
                    fields.insert(key, new);
                }
            }
        }
        other => *other = replacement(other, random),
    }
}
