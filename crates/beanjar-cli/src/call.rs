//! A command called by another program.

use crate::failure::Failure;
use crate::parsing::parsed;
use crate::{Format, hush_expected_panics, said};
use beanjar::{AggregateOutcome, Progress};
use beanjar_io::{Memory, with_memory};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// What a command answers to a program.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// What it prints, as JSON; the lists of tasks of `outcomes` are empty there.
    pub json: Vec<u8>,
    /// What it found of tasks, which may be millions, question by question where there are several.
    pub outcomes: Vec<AggregateOutcome>,
    /// What each table was understood to hold, a line each.
    pub notes: Vec<String>,
    /// What it warns of, a sentence each.
    pub warnings: Vec<String>,
    /// Of each table by name: its columns, and what they hold.
    pub columns: Vec<(String, Vec<(String, &'static str)>)>,
}

/// The calling program: what it hears of progress, and the answer that it gets.
pub(crate) struct Caller {
    pub(crate) progress: Arc<Heard>,
    answer: Mutex<Answer>,
}

type Heard = dyn Fn(Progress) -> ControlFlow<()> + Send + Sync;

impl Caller {
    /// Adds to the answer.
    pub(crate) fn tell(&self, tell: impl FnOnce(&mut Answer)) {
        tell(&mut self.answer.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Calls a command with the arguments of the command line, without the program's name. Where one of them is the name of
/// something in `held`, that is read in place of a file. `progress` hears how far the command is, and can stop it.
///
/// An error is the sentence that the command line would print.
pub fn call(
    arguments: &[String],
    held: Vec<Memory>,
    progress: impl Fn(Progress) -> ControlFlow<()> + Send + Sync + 'static,
) -> Result<Answer, String> {
    hush_expected_panics();
    with_memory(held, || {
        let words = std::iter::once("beanjar").chain(arguments.iter().map(String::as_str));
        let mut cli = parsed(words).map_err(|error| parsing(&error.to_string()))?;
        cli.common.format.get_or_insert(Format::Json);
        cli.common.caller = Some(Caller { progress: Arc::new(progress), answer: Mutex::default() });
        match cli.run() {
            Ok(()) | Err(Failure::Closed) => {}
            Err(failure) => return Err(said(&failure)),
        }
        let answer = cli.common.caller.map(|caller| caller.answer.into_inner());
        Ok(answer.unwrap_or_else(|| Ok(Answer::default())).unwrap_or_else(PoisonError::into_inner))
    })
}

/// What is wrong with arguments, in one line: the parser's message without its advice on how to get help.
fn parsing(message: &str) -> String {
    let lines =
        message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let text = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    text.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use beanjar_io::Content;

    fn labels() -> Memory {
        let text = "task,worker,label\n1,a,x\n1,b,x\n2,a,y\n2,b,x\n2,c,y\n";
        Memory::new("labels", Content::Text(text.into()))
    }

    fn answer(arguments: &[&str]) -> Result<Answer, String> {
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        call(&arguments, vec![labels()], |_| ControlFlow::Continue(()))
    }

    #[test]
    fn the_answer_is_the_json_that_the_command_prints() {
        let answer = answer(&["inspect", "labels"]).unwrap();
        let found: serde_json::Value = serde_json::from_slice(&answer.json).unwrap();
        assert_eq!(found["workers"][2]["worker"], "c");
        assert!(answer.outcomes.is_empty());
        assert_eq!(answer.notes, ["read labels: task=task, worker=worker, label=label"]);
        assert_eq!(answer.warnings, ["1 worker with a single label: too few to measure agreement"]);
    }

    #[test]
    fn tasks_are_handed_over_as_they_are_and_the_rest_is_the_json_that_the_command_prints() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("found.json").display().to_string();
        let written = answer(&["aggregate", "labels", "--out", &file]).unwrap();
        assert!(written.json.is_empty() && written.outcomes.is_empty());
        let printed: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let answer = answer(&["aggregate", "labels"]).unwrap();
        let mut found: serde_json::Value = serde_json::from_slice(&answer.json).unwrap();
        assert_eq!(found["tasks"].as_array().unwrap().len(), 0);
        found["tasks"] = serde_json::to_value(answer.outcomes[0].written_tasks(usize::MAX)).unwrap();
        assert_eq!(found["tasks"][1]["label"], "y");
        assert_eq!(found, printed);
    }

    #[test]
    fn mistakes_are_one_sentence() {
        let wrong = answer(&["aggregate", "labels", "--columns", "label=answer"]).unwrap_err();
        assert!(wrong.starts_with("labels, line 1: ") && wrong.contains("'answer'"), "{wrong}");
        let wrong = answer(&["aggregate", "labels", "--method", "guess"]).unwrap_err();
        assert!(wrong.starts_with("invalid value 'guess' for '--method") && !wrong.contains('\n'), "{wrong}");
    }

    #[test]
    fn a_caller_can_stop_a_command() {
        let arguments = ["aggregate", "labels"].map(str::to_owned);
        assert!(call(&arguments, vec![labels()], |_| ControlFlow::Break(())).is_err());
    }
}
