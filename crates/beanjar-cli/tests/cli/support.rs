//! Runs the real binary on real files.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a run of the binary printed, and how it ended.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// A folder of its own for a test, gone at its end.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), content).expect("a file in the temporary folder");
        self.path(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("the temporary folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs `beanjar` in this folder.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_input(arguments, b"")
    }

    /// The same, with this on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = Command::new(env!("CARGO_BIN_EXE_beanjar"))
            .args(arguments)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the beanjar binary");
        // A command that fails early may not read all of it.
        let _ = child.stdin.take().expect("its standard input").write_all(input);
        let output = child.wait_with_output().expect("its output");
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// Runs a command that must succeed, and reads the JSON it prints, which has to fit the command's schema.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let run = self.run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(run.code, 0, "{arguments:?}: {}", run.err);
        let printed =
            serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}", run.out));
        crate::schemas::check(arguments[0], &printed);
        printed
    }

    /// Runs a command that must fail, and returns the one sentence it says, after what it says of files that it read.
    pub fn error(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        let lines: Vec<&str> = run.err.lines().filter(|line| !line.starts_with("read ")).collect();
        assert_eq!(run.code, 2, "{arguments:?}: {}", run.err);
        assert_eq!(run.out, "", "{arguments:?} printed a result");
        assert_eq!(lines.len(), 1, "{arguments:?}: {}", run.err);
        assert!(lines[0].starts_with("error: "), "{}", lines[0]);
        lines[0].to_owned()
    }
}
