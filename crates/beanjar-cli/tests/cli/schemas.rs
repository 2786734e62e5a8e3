//! What the binary prints against docs/schema. Every JSON that a test reads comes through here (`Folder::json`).

use crate::support::Folder;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Panics if what a command printed does not fit its schema.
pub fn check(command: &str, printed: &Value) {
    // Of several questions each has its own result, with its name in it.
    if let Some(questions) = printed.get("questions").and_then(Value::as_array) {
        for question in questions {
            let mut result = question.clone();
            assert!(result.as_object_mut().expect("a result").remove("question").is_some(), "{question}");
            check(command, &result);
        }
        return;
    }
    let has = |key| printed.get(key).is_some();
    let name = match command {
        "demo" => "inspect-judgments",
        "inspect" if has("tasks") => "inspect-labels",
        "inspect" => "inspect-judgments",
        "fit" => "model-multiselect",
        "learn" if has("models") => "score",
        "predict" if has("tasks") => "aggregate",
        "predict" if printed["label"].is_string() => "predict-values",
        "predict" => "predict-classes",
        other => other,
    };
    let found = violations(&schema(name), printed);
    assert!(found.is_empty(), "{command} against docs/schema/{name}.schema.json: {found:#?}");
}

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{name}.schema.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Where and how a value differs from a schema.
fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Schema { root: schema, here: schema }.check(value, "$", &mut found);
    found
}

/// A schema, or a part of one.
#[derive(Clone, Copy)]
struct Schema<'a> {
    root: &'a Value,
    here: &'a Value,
}

impl<'a> Schema<'a> {
    fn part(self, here: &'a Value) -> Self {
        Schema { here, ..self }
    }

    /// The keywords that our schemas use; any other is a mistake, for it would be ignored.
    fn check(self, value: &Value, at: &str, found: &mut Vec<String>) {
        for (keyword, wanted) in self.here.as_object().expect("a schema is an object") {
            let fits = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let pointer =
                        wanted.as_str().and_then(|path| path.strip_prefix('#')).expect("a part of this schema");
                    let part = self.root.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in the schema"));
                    self.part(part).check(value, at, found);
                    true
                }
                "oneOf" => {
                    let fits = |part: &&Value| violations_of(self.part(part), value).is_empty();
                    wanted.as_array().expect("schemas").iter().filter(fits).count() == 1
                }
                "const" => value == wanted,
                "enum" => wanted.as_array().expect("values").contains(value),
                "type" => match wanted {
                    Value::Array(kinds) => kinds.iter().any(|kind| is(value, kind)),
                    kind => is(value, kind),
                },
                "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().expect("a number")),
                "maximum" => value.as_f64().is_none_or(|number| number <= wanted.as_f64().expect("a number")),
                "minItems" => {
                    value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().expect("a number"))
                }
                "maxItems" => {
                    value.as_array().is_none_or(|items| items.len() as u64 <= wanted.as_u64().expect("a number"))
                }
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.part(wanted).check(item, &format!("{at}[{i}]"), found);
                    }
                    true
                }
                "required" => {
                    let has = |key: &Value| value.get(key.as_str().expect("a key")).is_some();
                    !value.is_object() || wanted.as_array().expect("keys").iter().all(has)
                }
                "properties" => {
                    for (key, part) in wanted.as_object().expect("schemas by key") {
                        if let Some(value) = value.get(key) {
                            self.part(part).check(value, &format!("{at}.{key}"), found);
                        }
                    }
                    true
                }
                "additionalProperties" => self.additional(wanted, value, at, found),
                other => panic!("the schema's keyword '{other}' is not checked"),
            };
            if !fits {
                let shown: String = value.to_string().chars().take(200).collect();
                found.push(format!("{at}: {shown} against {keyword} {wanted}"));
            }
        }
    }

    fn additional(self, wanted: &'a Value, value: &Value, at: &str, found: &mut Vec<String>) -> bool {
        let empty = Map::new();
        let named = self.here.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let others = value.as_object().into_iter().flatten().filter(|(key, _)| !named.contains_key(*key));
        match wanted {
            Value::Bool(allowed) => *allowed || others.count() == 0,
            part => {
                others.for_each(|(key, value)| self.part(part).check(value, &format!("{at}.{key}"), found));
                true
            }
        }
    }
}

fn violations_of(schema: Schema<'_>, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    schema.check(value, "$", &mut found);
    found
}

fn is(value: &Value, kind: &Value) -> bool {
    match kind.as_str().expect("the name of a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema's type '{other}' is none"),
    }
}

#[test]
fn what_does_not_fit_is_found() {
    let schema = json!({
        "type": "object",
        "properties": {
            "share": { "type": ["number", "null"], "minimum": 0, "maximum": 1 },
            "names": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2 },
            "tree": { "$ref": "#/$defs/tree" },
            "rule": { "enum": ["a", "b"] },
            "by_class": { "type": "object", "additionalProperties": { "type": "integer" } }
        },
        "required": ["share"],
        "additionalProperties": false,
        "$defs": { "tree": { "oneOf": [{ "const": 1 }, { "type": "array", "items": { "$ref": "#/$defs/tree" } }] } }
    });
    for good in [
        json!({ "share": null }),
        json!({ "share": 0.5, "names": ["a", "b"], "tree": [1, [1, []]], "rule": "a", "by_class": { "x": 3 } }),
    ] {
        assert_eq!(violations(&schema, &good), Vec::<String>::new());
    }
    for bad in [
        json!([]),
        json!({}),
        json!({ "share": 1.5 }),
        json!({ "share": -0.1 }),
        json!({ "share": "1" }),
        json!({ "share": 1, "other": 1 }),
        json!({ "share": 1, "names": [] }),
        json!({ "share": 1, "names": ["a", "b", "c"] }),
        json!({ "share": 1, "names": [1] }),
        json!({ "share": 1, "tree": [2] }),
        json!({ "share": 1, "rule": "c" }),
        json!({ "share": 1, "by_class": { "x": 0.5 } }),
    ] {
        assert!(!violations(&schema, &bad).is_empty(), "{bad}");
    }
}

/// Every schema is met by real output, and refuses it with any of its required keys taken away or one added.
#[test]
fn every_schema_is_of_something_the_binary_writes() {
    let folder = Folder::new();
    for made in [
        &["simulate", "photos", "--objects", "60", "--out", "photos"][..],
        &["simulate", "labels", "--tasks", "60", "--workers", "8", "--classes", "3", "--out", "crowd"],
        &["simulate", "experts", "--units", "80", "--noise-features", "2", "--out", "experts"],
    ] {
        assert_eq!(folder.run(made).code, 0);
    }
    let photos = ["photos/judgments.csv", "--labels", "photos/truth.csv", "--label", "height"];
    let experts = ["experts/features.csv", "--labels", "experts/labels.csv"];
    let save = |name: &str, value: &Value| folder.write(name, value.to_string());
    let run = |arguments: &[&[&str]]| folder.json(&arguments.concat());

    let select = run(&[&["select"], &photos, &["--budget", "5", "--bootstrap", "5"]]);
    save("selection.json", &select);
    let predictor = run(&[&["fit"], &photos, &["--selection", "selection.json"]]);
    save("predictor.json", &predictor);
    let aggregate = run(&[&[
        "aggregate",
        "crowd/labels.csv",
        "--truth",
        "crowd/truth.csv",
        "--confusion",
        "--model",
        "crowd.json",
    ]]);
    let learn = run(&[&["learn"], &experts, &["--penalty", "0.02", "--restarts", "1"]]);
    save("learned.json", &learn);
    let classes = run(&[&["predict", "learned.json", "experts/features.csv"]]);
    let predictions = folder.run(&["predict", "learned.json", "experts/features.csv", "--format", "csv"]).out;
    folder.write("predictions.csv", predictions);
    let written = [
        ("inspect-judgments", run(&[&["inspect", "photos/judgments.csv", "--labels", "photos/truth.csv"]])),
        ("inspect-labels", run(&[&["inspect", "crowd/labels.csv", "--bootstrap", "20"]])),
        ("plan", run(&[&["plan", "photos/judgments.csv", "--selection", "selection.json"]])),
        ("predict-values", run(&[&["predict", "predictor.json", "photos/judgments.csv"]])),
        ("gold", run(&[&["gold", "crowd/labels.csv", "--n", "5"]])),
        ("votes", run(&[&["votes", "crowd/labels.csv"]])),
        ("next", run(&[&["next", "crowd/labels.csv", "--votes", "5"]])),
        ("workers", run(&[&["workers", "crowd/labels.csv", "--suspicious"]])),
        ("score", run(&[&["score", "predictions.csv", "--labels", "experts/labels.csv"]])),
        ("model-crowd", serde_json::from_str(&folder.read("crowd.json")).expect("a model file")),
        ("select", select),
        ("model-multiselect", predictor),
        ("aggregate", aggregate),
        ("learn", learn),
        ("predict-classes", classes),
    ];
    for (name, value) in &written {
        let schema = schema(name);
        assert_eq!(violations(&schema, value), Vec::<String>::new(), "{name}");
        let whole = value.as_object().expect("an object");
        for key in schema["required"].as_array().expect("keys").iter().filter_map(Value::as_str) {
            let mut less = whole.clone();
            assert!(less.remove(key).is_some(), "{name}: {key}");
            assert!(!violations(&schema, &less.into()).is_empty(), "{name} without {key}");
        }
        let mut more = whole.clone();
        more.insert("more".into(), Value::Null);
        assert!(!violations(&schema, &more.into()).is_empty(), "{name} with another key");
    }
    let schemas =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema")).expect("docs/schema");
    let named = schemas.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let named: Vec<String> = named.filter_map(|name| Some(name.strip_suffix(".schema.json")?.to_owned())).collect();
    for name in &named {
        assert!(written.iter().any(|(written, _)| written == name), "nothing is checked against {name}");
    }
    assert_eq!(named.len(), written.len());
}
