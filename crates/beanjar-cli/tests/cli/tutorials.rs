//! Runs the commands of docs/tutorials.
//!
//! A block that begins with ```` ```console run ```` or ```` ```sh run ```` is run, all blocks of a page in one new folder.
//! In `console` blocks commands begin with `$ `, and what follows is the output they show; in `sh` blocks every line is a
//! command. A command must end with code 0, or with the one that stands behind it as `# exit code 2`. Each line of
//! output that is shown must be printed, unless it has three dots in it.

use crate::support::Folder;
use std::path::Path;
use std::process::Command;

/// A command of a page, and the output that the page shows of it.
#[derive(Debug, Default, PartialEq)]
struct Step {
    command: String,
    shown: Vec<String>,
}

/// The commands in the blocks that are marked for running.
fn steps(page: &str) -> Vec<Step> {
    let mut found: Vec<Step> = Vec::new();
    let mut lines = page.lines();
    while let Some(fence) = lines.next() {
        let console = match fence.trim_end() {
            "```console run" => true,
            "```sh run" => false,
            _ => continue,
        };
        let mut block = lines.by_ref().take_while(|line| *line != "```");
        while let Some(line) = block.next() {
            let Some(command) = (if console { line.strip_prefix("$ ") } else { Some(line) }) else {
                let step = found.last_mut().unwrap_or_else(|| panic!("output without a command: {line}"));
                step.shown.push(line.to_owned());
                continue;
            };
            let mut command = command.to_owned();
            while let Some(begin) = command.strip_suffix('\\') {
                command = begin.to_owned() + block.next().unwrap_or_default().trim_start();
            }
            if !command.trim().is_empty() {
                found.push(Step { command, shown: Vec::new() });
            }
        }
    }
    found
}

/// The command as a reader's terminal would take it: without the note on its exit code, and printing a table.
fn as_on_a_terminal(command: &str) -> (String, i32) {
    let (command, code) = match command.split_once("# exit code ") {
        Some((command, code)) => (command.trim(), code.trim().parse().expect("a number behind 'exit code'")),
        None => (command, 0),
    };
    let goes_elsewhere = ["|", ">", "--format", "--out", "--help"].iter().any(|sign| command.contains(sign));
    match command.starts_with("beanjar ") && !goes_elsewhere {
        true => (format!("{command} --format table"), code),
        false => (command.to_owned(), code),
    }
}

/// Whether a shown line can be looked for: dots stand for more.
fn is_fixed(line: &str) -> bool {
    !line.trim().is_empty() && !line.contains("...")
}

/// A line with single spaces, for columns are as wide as the numbers in them.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run_page(page: &str, name: &str) -> usize {
    let folder = Folder::new();
    let binary = Path::new(env!("CARGO_BIN_EXE_beanjar")).parent().expect("the folder of the binary");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let steps = steps(page);
    for Step { command, shown } in &steps {
        let (command, code) = as_on_a_terminal(command);
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(folder.path("."))
            .env("PATH", &path)
            .output()
            .expect("a shell");
        let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(code), "{name}: {command}\n{printed}");
        let printed_lines: Vec<String> = printed.lines().map(words).collect();
        for line in shown.iter().filter(|line| is_fixed(line)) {
            assert!(printed_lines.contains(&words(line)), "{name}: {command}\ndoes not print\n{line}\nbut\n{printed}");
        }
    }
    steps.len()
}

#[test]
fn pages_are_read_as_readers_read_them() {
    let page = "text\n```console run\n$ echo one \\\n    two\none two\n\n$ false # exit code 1\n```\n```sh\nignored\n```\n```sh run\necho x\n```\n";
    let step = |command: &str, shown: &[&str]| Step {
        command: command.into(),
        shown: shown.iter().map(|line| (*line).to_owned()).collect(),
    };
    let expected = [step("echo one two", &["one two", ""]), step("false # exit code 1", &[]), step("echo x", &[])];
    assert_eq!(steps(page), expected);
    assert_eq!(as_on_a_terminal("beanjar demo"), ("beanjar demo --format table".into(), 0));
    assert_eq!(as_on_a_terminal("beanjar workers l.csv | head -1"), ("beanjar workers l.csv | head -1".into(), 0));
    assert_eq!(as_on_a_terminal("false # exit code 1"), ("false".into(), 1));
    assert!(is_fixed("  worker  labels") && is_fixed("  w1  7") && !is_fixed("  ...") && !is_fixed(" "));
}

#[test]
#[cfg(unix)]
fn a_page_that_promises_too_much_fails() {
    for page in
        ["```console run\n$ echo one\ntwo\n```\n", "```sh run\nfalse\n```\n", "```sh run\ntrue # exit code 2\n```\n"]
    {
        assert!(std::panic::catch_unwind(|| run_page(page, "page")).is_err(), "{page}");
    }
}

#[test]
#[cfg(unix)]
fn every_command_of_the_tutorials_does_what_the_page_shows() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorials");
    let entries = std::fs::read_dir(&folder).expect("docs/tutorials");
    let mut pages: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    pages.sort();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    assert!(!pages.is_empty());
    for page in pages {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let commands = run_page(&std::fs::read_to_string(&page).expect("a page"), &name);
        assert!(commands > 0, "{name} has no command that is run");
    }
}
