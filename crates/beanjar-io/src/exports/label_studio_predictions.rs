//! Aggregated labels as predictions for Label Studio, so that doubtful tasks come first there.

use super::Record;
use super::answers::field;
use super::label_studio::{TaskNames, is_export};
use crate::{Error, Output, Result, Source, read_columns};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;

/// A label and how sure it is.
struct Label {
    label: String,
    score: f64,
}

/// Writes the tasks of a Label Studio export with aggregated labels as predictions, the least sure first, for import into
/// Label Studio. `labels` is what `aggregate` writes: task, label and confidence, and a question if there are several.
/// Returns how many tasks have a prediction.
pub fn write_label_studio_predictions(labels: &Source, export: &Source, path: &Path) -> Result<usize> {
    let labels_by_task = labels_by_task(labels)?;
    let no_table = |problem: &str| Error::NoTable { file: export.name(), problem: problem.into() };
    let tasks: Vec<Record> = serde_json::from_slice(&export.bytes()?)
        .map_err(|error| no_table(&format!("this is no JSON export of Label Studio: {error}")))?;
    if !tasks.first().is_some_and(is_export) {
        return Err(no_table(
            "this is no JSON export of Label Studio, which is an array of tasks with data and annotations",
        ));
    }
    let names = TaskNames::of(&tasks);
    let controls = controls(&tasks);
    if controls.is_empty() {
        return Err(no_table("no annotation of a choice or a rating, which would show where predictions belong"));
    }
    let mut found = Vec::new();
    for task in &tasks {
        let labels = names.of_task(task).and_then(|name| labels_by_task.get(&name));
        let results = labels.into_iter().flatten().filter_map(|(question, label)| {
            let control = controls
                .iter()
                .find(|control| control.name == *question)
                .or(controls.first().filter(|_| question.is_empty()));
            Some((control?.result(&label.label)?, label.score))
        });
        let (results, scores): (Vec<Value>, Vec<f64>) = results.unzip();
        if results.is_empty() {
            continue;
        }
        // A task is as sure as its least sure answer.
        let score = scores.into_iter().fold(1.0, f64::min);
        let prediction = json!({"model_version": "beanjar", "score": score, "result": results});
        found.push((score, json!({"id": task.get("id"), "data": task.get("data"), "predictions": [prediction]})));
    }
    if found.is_empty() {
        let problem = format!("none of its {} tasks is in {}", tasks.len(), labels.name());
        return Err(no_table(&problem));
    }
    found.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let tasks: Vec<&Value> = found.iter().map(|(_, task)| task).collect();
    let mut output = Output::create(path, &[labels, export])?;
    output.write_with(|out| {
        serde_json::to_writer_pretty(&mut *out, &tasks)?;
        out.write_all(b"\n")
    })?;
    output.finish()?;
    Ok(tasks.len())
}

/// Of each task, the labels by question; a single question has no name.
fn labels_by_task(source: &Source) -> Result<HashMap<String, Vec<(String, Label)>>> {
    let (names, columns) = read_columns(source)?;
    let column = |name: &str| names.iter().position(|other| other == name).map(|at| &columns[at]);
    let (Some(tasks), Some(labels)) = (column("task"), column("label")) else {
        let problem = "columns 'task' and 'label' are needed, as 'aggregate' writes them".into();
        return Err(Error::NoTable { file: source.name(), problem });
    };
    let mut found: HashMap<String, Vec<(String, Label)>> = HashMap::new();
    for (row, (task, label)) in tasks.iter().zip(labels).enumerate() {
        let score = column("confidence").and_then(|scores| scores[row].parse().ok()).unwrap_or(1.0);
        let question = column("question").map(|questions| questions[row].clone()).unwrap_or_default();
        found.entry(task.clone()).or_default().push((question, Label { label: label.clone(), score }));
    }
    Ok(found)
}

/// Where in the labelling interface an answer belongs.
struct Control {
    name: String,
    to_name: String,
    kind: String,
}

impl Control {
    fn result(&self, label: &str) -> Option<Value> {
        let value = match self.kind.as_str() {
            "choices" => json!({"choices": label.split('|').collect::<Vec<_>>()}),
            kind => json!({kind: label.parse::<f64>().ok()?}),
        };
        Some(json!({"from_name": self.name, "to_name": self.to_name, "type": self.kind, "value": value}))
    }
}

/// The choices and ratings in the annotations.
fn controls(tasks: &[Record]) -> Vec<Control> {
    let mut found: Vec<Control> = Vec::new();
    let annotations = tasks.iter().filter_map(|task| task.get("annotations")?.as_array()).flatten();
    for result in annotations.filter_map(|annotation| annotation.get("result")?.as_array()).flatten() {
        let Some(result) = result.as_object() else { continue };
        let (name, to_name, kind) = (field(result, "from_name"), field(result, "to_name"), field(result, "type"));
        let (Some(name), Some(to_name), Some(kind)) = (name, to_name, kind) else { continue };
        let is_answer = ["choices", "rating", "number"].contains(&kind.as_str());
        if is_answer && !found.iter().any(|control| control.name == name) {
            found.push(Control { name, to_name, kind });
        }
    }
    found
}
