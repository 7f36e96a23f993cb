//! Every command of this program that stands in a source is one that its command line takes, whole.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::string_slice)]

use std::collections::BTreeSet;

use super::CommandLine;

#[path = "../../../tests/printed/literals.rs"]
mod literals;

use literals::{commands, files, of_rust};

/// Ends of code behind which a literal is a command without the program's name.
const TAKES_WORDS: [&str; 6] = [
    "with_command(",
    "with_command(format!(",
    "program.line(",
    "program.line(&format!(",
    "command::line(",
    "command::line(&format!(",
];

/// What the sources print.
fn printed() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files(&["mcp-client/src", "plane/src", "cockpit/src"], &[".rs"]) {
        let source = std::fs::read_to_string(&file).unwrap();
        for literal in of_rust(&source) {
            found.extend(commands(&literal.text, "devpilot-session"));
            if TAKES_WORDS.iter().any(|call| literal.before.ends_with(call)) {
                found.insert(format!("devpilot-session {}", literal.text));
            }
        }
    }
    for file in files(&["web/src/page", "web/static"], &[".ts", ".html"]) {
        let source = std::fs::read_to_string(&file).unwrap();
        let quoted = |text: &String| text.trim_end_matches(['"', '\'', ',', ';']).to_owned();
        found.extend(commands(&source, "devpilot-session").iter().map(quoted));
    }
    found
}

/// Sentences about the program begin like a command; and of one that is put together elsewhere, the literal says nothing.
fn is_command(command: &str) -> bool {
    let word = command.split(' ').nth(1).unwrap_or_default();
    let begins = word.starts_with(|symbol: char| symbol.is_ascii_lowercase() || symbol == '-');
    begins && !word.ends_with(':') && !["is", "itself"].contains(&word)
}

/// As a shell takes it, up to where it leads input and output elsewhere; what is filled in is a word.
fn words(command: &str) -> Vec<String> {
    let line = [" < ", " > ", " >> "]
        .iter()
        .fold(command, |line, sign| line.split(sign).next().unwrap_or(line));
    let mut words = vec![String::new()];
    let mut quoted = false;
    for symbol in line.chars() {
        match symbol {
            '"' | '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            symbol => words.last_mut().unwrap().push(symbol),
        }
    }
    // Behind a whole word it is an option with its blank, or nothing.
    if let Some(word) = words.get_mut(1) {
        *word = word.trim_end_matches("{}").to_owned();
    }
    words
}

#[test]
fn every_printed_command_is_one_that_is_taken() {
    let printed = printed();
    assert!(printed.len() >= 25, "the sources were not read: {printed:?}");
    let refused = printed
        .iter()
        .filter(|command| is_command(command))
        .filter_map(|command| {
            let taken = CommandLine::definition().try_get_matches_from(words(command));
            // Help that was asked for is no fault.
            let error = taken.err().filter(clap::Error::use_stderr)?;
            Some(format!(
                "`{command}`: {}",
                error.to_string().lines().next().unwrap_or_default()
            ))
        });
    let refused: Vec<String> = refused.collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

#[test]
fn a_literal_is_read_as_it_is_printed() {
    let source = "fn f() { let c = '\"'; g(r#\"a \"b\"\"#, \"one \\\n   two \\\"x\\\"\\n\"); } // \"no\"\n#[cfg(test)] \"no\"";
    let found: Vec<String> = of_rust(source).into_iter().map(|literal| literal.text).collect();
    assert_eq!(found, ["a \"b\"", "one two \"x\"\n"]);
    let text = "`p a --b c,d` and p e, or <code>p f</code>: p g.";
    assert_eq!(commands(text, "p"), ["p a --b c,d", "p e", "p f", "p g"]);
}
