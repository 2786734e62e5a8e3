//! What CONTRIBUTING.md promises: files and functions are where it says, and what is public can be used.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => sources(&path, found),
            false if path.extension().is_some_and(|extension| extension == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The words in backquotes, each with what stands behind it up to the next one.
fn quoted(line: &str) -> Vec<(&str, &str)> {
    let pieces: Vec<&str> = line.split('`').collect();
    pieces.chunks(2).zip(pieces.chunks(2).skip(1)).filter_map(|(one, next)| Some((*one.get(1)?, next[0]))).collect()
}

#[test]
fn every_file_and_function_of_the_walk_is_where_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // The package by itself has neither.
    let Ok(text) = std::fs::read_to_string(root.join("CONTRIBUTING.md")) else { return };
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    let ending = |name: &str| -> Vec<&PathBuf> { files.iter().filter(|file| file.ends_with(name)).collect() };
    let is_name = |c: char| c.is_alphanumeric() || "/_-.".contains(c);
    let names = text.split(|c| !is_name(c)).filter(|word| word.ends_with(".rs") && !word.contains("COMMAND"));
    for name in names {
        assert!(!ending(name).is_empty(), "CONTRIBUTING.md: there is no {name}");
    }
    let start = text.find("## From file to table").expect("the walk");
    let walk = &text[start..start + text[start..].find("\n## Data").expect("its end")];
    let mut checked = 0;
    for (function, behind) in quoted(walk) {
        let Some(name) = behind.strip_prefix(" (").and_then(|rest| rest.split(&[')', ',', ';'][..]).next()) else {
            continue;
        };
        let wanted = format!("fn {}", function.rsplit("::").next().unwrap());
        let has = |file: &&PathBuf| {
            let text = std::fs::read_to_string(file).unwrap();
            text.match_indices(&wanted).any(|(at, _)| text[at + wanted.len()..].starts_with(['(', '<']))
        };
        assert!(ending(name).iter().any(has), "CONTRIBUTING.md: {name} has no {wanted}");
        checked += 1;
    }
    assert!(checked > 30, "{checked}");
}

#[test]
fn everything_public_in_the_library_can_be_cloned() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../beanjar/src");
    if !folder.exists() {
        return;
    }
    let mut files = Vec::new();
    sources(&folder, &mut files);
    let mut seen = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(name) = line.strip_prefix("pub struct ").or(line.strip_prefix("pub enum ")) else { continue };
            let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("///"));
            let derives: String = above.filter(|line| line.starts_with("#[derive")).copied().collect();
            assert!(derives.contains("Clone"), "{}: {name} cannot be cloned", file.display());
            seen += 1;
        }
    }
    assert!(seen > 150, "{seen}");
}
