//! From the words of a command line to a command.

use crate::Cli;
use crate::output::{one_line, width};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// Lines of help that are longer are hard to follow.
const WIDEST: u16 = 100;

/// The command that the words ask for, the first of them being the program's name.
pub(crate) fn parsed(words: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    parse(&words).map_err(|error| {
        // The message repeats what it is about, on a terminal too.
        let shown: Vec<OsString> = words.iter().map(|word| shown(&word.to_string_lossy()).into()).collect();
        if shown == words { error } else { parse(&shown).err().unwrap_or(error) }
    })
}

/// A word as it can be shown: short, and without what plays tricks with a terminal.
fn shown(word: &str) -> String {
    const MOST: usize = 200;
    let cut = if word.chars().nth(MOST).is_some() { "..." } else { "" };
    one_line(&word.chars().take(MOST).collect::<String>()) + cut
}

fn parse(words: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = with_negative_numbers(Cli::command()).term_width(width().min(WIDEST).into());
    let matches = command
        .try_get_matches_from_mut(words)
        .and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command)));
    matches.map_err(with_better_advice)
}

/// A number below 0 after an option is its value, so that the message about it names the option.
fn with_negative_numbers(command: Command) -> Command {
    let command = command.mut_args(|arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    command.mut_subcommands(with_negative_numbers)
}

/// An option that there is not is a slip: nobody has a file of such a name. A file in place of a command wants to be looked
/// at. A number that is none is said to be one in plain words.
fn with_better_advice(mut error: clap::Error) -> clap::Error {
    if let (Some(ContextValue::String(option)), Some(ContextValue::String(value))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
        && error.to_string().contains("invalid digit found in string")
    {
        let words = format!("invalid value '{value}' for '{option}': it must be a whole number, 0 or above\n");
        return clap::Error::raw(ErrorKind::ValueValidation, words);
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested)
    {
        let tips: Vec<_> = tips.into_iter().filter(|tip| !tip.to_string().contains("as a value, use")).collect();
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && std::path::Path::new(word).is_file()
    {
        let tip = format!("to look at a file, begin with: beanjar inspect {word}");
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}
