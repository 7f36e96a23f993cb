//! A person's word at a real controlling terminal, and what happens without one.
//!
//! `script` gives a process a terminal of its own; `setsid` takes it away. Each part that needs one or the other is this
//! same program with the name of an ignored test.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::io::Write;
use std::process::{Command, Stdio};

use mcp_client::terminal::{Terminal, TerminalError, Typed};

fn part(name: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("'{}' --exact {name} --ignored --nocapture", program.display())
}

/// Runs a shell line at a terminal where `typed` is typed; what that terminal showed.
fn at_a_terminal(line: &str, typed: &str) -> String {
    let mut script = Command::new("script")
        .args(["--quiet", "--return", "--command", line, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    script.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    let out = script.wait_with_output().unwrap();
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn a_word_typed_at_the_terminal_counts() {
    let shown = at_a_terminal(&part("part_asks"), "relay\n");
    assert!(shown.contains("Type relay to confirm"), "{shown}");
    assert!(shown.contains("typed: Word"), "{shown}");
    let shown = at_a_terminal(&part("part_asks"), "yes\n");
    assert!(shown.contains("typed: Other"), "{shown}");
}

#[test]
fn standard_input_is_never_the_answer() {
    let line = format!("echo relay | {}", part("part_asks"));
    let shown = at_a_terminal(&line, "no\n");
    assert!(shown.contains("typed: Other"), "{shown}");
}

#[test]
#[ignore = "a part of another test, run by it at a terminal"]
fn part_asks() {
    let typed = Terminal::open()
        .unwrap()
        .ask_word("Go to relay?", "relay")
        .unwrap();
    println!("typed: {typed:?}");
    assert!(matches!(typed, Typed::Word | Typed::Other));
}

#[test]
fn without_a_terminal_nobody_can_be_asked() {
    let mut setsid = Command::new("setsid")
        .args(["--wait", "sh", "-c", &part("part_finds_no_terminal")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    setsid.stdin.take().unwrap().write_all(b"relay\n").unwrap();
    let out = setsid.wait_with_output().unwrap();
    assert!(out.status.success());
    assert!(String::from_utf8_lossy(&out.stdout).contains("1 passed"));
}

#[test]
#[ignore = "a part of another test, run by it without a terminal"]
fn part_finds_no_terminal() {
    let error = Terminal::open().unwrap_err();
    assert!(matches!(error, TerminalError::None));
    assert!(error.to_string().contains("Run it in a terminal of this machine"));
    assert_eq!(
        mcp_client::clipboard::through_terminal("note", &mcp_client::home::Environment::of([])),
        mcp_client::clipboard::Outcome::Unavailable
    );
}

#[test]
fn a_terminal_is_asked_to_copy_what_no_clipboard_takes() {
    let shown = at_a_terminal(&part("part_copies_through_the_terminal"), "");
    assert!(shown.contains("\u{1b}]52;c;bm90ZQ==\u{7}"), "{shown:?}");
}

#[test]
#[ignore = "a part of another test, run by it at a terminal"]
fn part_copies_through_the_terminal() {
    let outcome = mcp_client::clipboard::through_terminal("note", &mcp_client::home::Environment::of([]));
    assert_eq!(outcome, mcp_client::clipboard::Outcome::NotConfirmed);
}
