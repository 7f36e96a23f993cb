//! Rules between the rooms of the workspace that the compiler does not check: which sources may touch the
//! outside world, and which file alone may write to standard output.

#![allow(clippy::expect_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a crate without I/O, clock and environment may not name.
const OUTSIDE_WORLD: [&str; 10] = [
    "std::env",
    "std::fs",
    "std::io::stdin",
    "std::io::stdout",
    "std::net",
    "std::process",
    "std::thread",
    "std::time::Instant",
    "std::time::SystemTime",
    "tokio",
];

/// Ends the process at an invariant that can't break; touches nothing outside.
const EXEMPT: &str = "std::process::abort";

/// The text without `//` comments, whatever their kind. A `//` inside a string literal ends the line too
/// early, which can hide a path after it on the same line, but no path is written behind a URL.
fn without_comments(source: &str) -> String {
    source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Every path the source names, `use std::{fs, io::{self, Read}}` spelled out as `std::fs`, `std::io::self`,
/// `std::io::Read`.
fn paths(source: &str) -> BTreeSet<String> {
    let text = without_comments(source);
    let mut found = BTreeSet::new();
    let mut prefixes: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            _ if c.is_alphanumeric() || c == '_' => current.push(c),
            ':' if chars.peek() == Some(&':') => {
                chars.next();
                current.push_str("::");
            }
            '{' if current.ends_with("::") => {
                let outer = prefixes.last().cloned().unwrap_or_default();
                prefixes.push(outer + &current);
                current.clear();
            }
            _ => {
                if !current.is_empty() {
                    found.insert(prefixes.last().cloned().unwrap_or_default() + &current);
                    current.clear();
                }
                if c == '}' {
                    prefixes.pop();
                }
                // A block that is no import: its closing brace must not end an import's prefix.
                if c == '{' {
                    prefixes.push(String::new());
                }
            }
        }
    }
    found
}

fn outside_world_in(source: &str) -> Vec<&'static str> {
    let mut paths = paths(source);
    paths.remove(EXEMPT);
    let names = |forbidden: &str| {
        paths.iter().any(|path| {
            path == forbidden
                || path
                    .strip_prefix(forbidden)
                    .is_some_and(|rest| rest.starts_with("::"))
        })
    };
    OUTSIDE_WORLD
        .into_iter()
        .filter(|forbidden| names(forbidden))
        .collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn sources_of(package: &str) -> Vec<PathBuf> {
    let files = rust_files(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(package)
            .join("src"),
    );
    assert!(!files.is_empty(), "no sources of {package}");
    files
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a source is UTF-8 text")
}

#[test]
fn wire_and_seal_touch_nothing_outside() {
    for package in ["wire", "seal"] {
        for file in sources_of(package) {
            assert_eq!(
                outside_world_in(&read(&file)),
                [""; 0],
                "{} does I/O",
                file.display()
            );
        }
    }
}

#[test]
fn seal_takes_randomness_in_one_place() {
    let random = |file: &PathBuf| {
        paths(&read(file))
            .iter()
            .any(|path| path.starts_with("getrandom"))
    };
    let places: Vec<PathBuf> = sources_of("seal").into_iter().filter(random).collect();
    assert!(
        places.len() <= 1,
        "the operating system's generator is asked in more than one file: {places:?}"
    );
}

/// A byte on standard output that is not JSON-RPC ends an MCP connection. The command line has an output of
/// its own; beside it one file holds the handle.
#[test]
fn one_file_of_the_mcp_server_holds_standard_output() {
    let writes = |file: &PathBuf| {
        let source = without_comments(&read(file));
        ["stdout()", "rmcp::transport::stdio", "print!(", "println!("]
            .iter()
            .any(|call| source.contains(call))
    };
    let in_command_line = |file: &PathBuf| file.components().any(|part| part.as_os_str() == "cli");
    let holders: Vec<PathBuf> = sources_of("mcp-client")
        .into_iter()
        .filter(|file| writes(file) && !in_command_line(file))
        .collect();
    assert_eq!(
        holders.len(),
        1,
        "exactly one file may write to standard output in MCP mode: {holders:?}"
    );
}

/// Who has no such program on the PATH can't run a line that begins with its bare name. Lines are completed in one place;
/// the help of the command line, which its reader has just called, and the note, which is for another machine, stand bare.
#[test]
fn no_printed_command_begins_with_the_programs_bare_name() {
    let is_bare = |line: &str| {
        let mut rest = line.split("devpilot-session ").skip(1);
        rest.any(|part| {
            let verb: String = part.chars().take_while(char::is_ascii_lowercase).collect();
            VERBS.contains(&verb.as_str())
        })
    };
    assert!(is_bare("Run `devpilot-session read` again.") && !is_bare("of devpilot-session itself"));
    for file in sources_of("mcp-client") {
        if file
            .components()
            .any(|room| ["arguments", "note"].iter().any(|bare| room.as_os_str() == *bare))
        {
            continue;
        }
        let source = without_comments(&read(&file));
        let found: Vec<&str> = source.lines().filter(|line| is_bare(line)).collect();
        assert_eq!(
            found,
            [""; 0],
            "{}: `App::command` completes a line",
            file.display()
        );
    }
}

/// The commands there are.
const VERBS: [&str; 21] = [
    "share",
    "join",
    "read",
    "post",
    "wait",
    "watch",
    "listen",
    "who",
    "mode",
    "link",
    "rekey",
    "end",
    "door",
    "leave",
    "connect",
    "doctor",
    "sessions",
    "history",
    "cockpit",
    "export",
    "completions",
];

#[test]
fn the_check_finds_what_it_looks_for() {
    assert_eq!(
        outside_world_in("use std::fs;\nfn f() { std::net::TcpStream::connect(x); }"),
        ["std::fs", "std::net"]
    );
    assert_eq!(
        outside_world_in("use std::{collections::BTreeMap, time::{Duration, SystemTime}, process};"),
        ["std::process", "std::time::SystemTime"]
    );
    assert_eq!(
        outside_world_in("fn f() { if x { y } }\nuse tokio::{net, time};"),
        ["tokio"]
    );
    assert_eq!(
        outside_world_in("use std::time::Duration; // std::fs is elsewhere\nuse crate::tokio_like;"),
        [""; 0]
    );
    assert_eq!(outside_world_in("std::process::abort()"), [""; 0]);
    assert_eq!(
        outside_world_in("use std::process;\nprocess::abort()"),
        ["std::process"]
    );
    assert_eq!(outside_world_in("mod fs {}\nuse self::fs::std_env;"), [""; 0]);
}
