//! The string literals of sources, to find the commands that they print. What is test code or a comment is left out.

use std::path::{Path, PathBuf};

/// The files with one of these endings under `folders` of the repository.
pub(crate) fn files(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut left: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = left.pop() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            left.extend(
                entries
                    .map(|entry| entry.unwrap().path())
                    .filter(|path| !path.ends_with("tests")),
            );
        } else if endings.iter().any(|ending| name.ends_with(ending)) && name != "tests.rs" {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// One literal, and the code before it, without blanks, from the literal before.
pub(crate) struct Literal {
    #[allow(dead_code, reason = "not every test that reads sources asks for it")]
    pub(crate) before: String,
    pub(crate) text: String,
}

/// The literals of a Rust source up to its tests, as they read when the program prints them.
pub(crate) fn of_rust(source: &str) -> Vec<Literal> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut before = String::new();
    let mut left = code.chars().peekable();
    while let Some(symbol) = left.next() {
        match symbol {
            '/' if left.peek() == Some(&'/') => drop(left.by_ref().find(|symbol| *symbol == '\n')),
            // A character, as far as it could be taken for the beginning of a literal.
            '\'' if left.peek() == Some(&'"') => drop(left.next()),
            '\'' if left.peek() == Some(&'\\') => drop(left.nth(1)),
            '"' => {
                let raw: String = before
                    .chars()
                    .rev()
                    .take_while(|symbol| matches!(symbol, '#' | 'r'))
                    .collect();
                let text = match raw.strip_suffix('r') {
                    Some(signs) => raw_literal(&mut left, signs.len()),
                    None => literal(&mut left),
                };
                found.push(Literal {
                    before: std::mem::take(&mut before),
                    text,
                });
            }
            symbol if symbol.is_whitespace() => {}
            symbol => before.push(symbol),
        }
    }
    found
}

fn literal(left: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(symbol) = left.next() {
        match symbol {
            '"' => break,
            '\\' => match left.next() {
                Some('\n') => while left.next_if(|symbol| symbol.is_whitespace()).is_some() {},
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => break,
            },
            symbol => text.push(symbol),
        }
    }
    text
}

fn raw_literal(left: &mut std::iter::Peekable<std::str::Chars<'_>>, signs: usize) -> String {
    let end = format!("\"{}", "#".repeat(signs));
    let mut text = String::new();
    for symbol in left.by_ref() {
        text.push(symbol);
        if let Some(whole) = text.strip_suffix(&end) {
            return whole.to_owned();
        }
    }
    text
}

/// The commands of a program in a text: between backticks or tags to what closes them, else to the end of the line or sentence.
pub(crate) fn commands(text: &str, program: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(&format!("{program} ")) {
        let rest = &text[at..];
        let end = match text[..at].chars().next_back() {
            Some('`') => rest.find('`'),
            Some('>') => rest.find('<'),
            _ => [", ", ". ", "; ", "\n"]
                .iter()
                .filter_map(|end| rest.find(end))
                .min(),
        };
        let command = rest[..end.unwrap_or(rest.len())].trim_end_matches('.').trim_end();
        if command != program {
            found.push(command.to_owned());
        }
    }
    found
}
