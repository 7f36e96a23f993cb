//! The command line as a process: help, exit codes, and that no link is taken from an argument or repeated.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use stdio::Machine;

#[tokio::test]
async fn help_and_version_are_answers() {
    let machine = Machine::new();
    let version = machine.run(["--version"], b"").await;
    assert_eq!(
        version.stdout.trim(),
        concat!("devpilot-session ", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(version.code(), 0);
    let help = machine.run(["--help"], b"").await;
    assert_eq!((help.code(), help.stderr.as_str()), (0, ""));
    for part in [
        "Examples:",
        "Exit codes:",
        "Environment:",
        "DEVPILOT_HOME",
        "--json",
        "--as <KIND>",
    ] {
        assert!(
            help.stdout.contains(part),
            "{part} is missing from:\n{}",
            help.stdout
        );
    }
    for command in [
        "share", "join", "read", "post", "wait", "who", "mode", "link", "leave", "sessions",
    ] {
        assert!(help.stdout.contains(&format!("\n  {command} ")), "{command}");
        let help = machine.run([command, "--help"], b"").await;
        assert_eq!(help.code(), 0, "{help}");
    }
}

#[tokio::test]
async fn every_example_of_the_help_is_understood() {
    let machine = Machine::new();
    let help = machine.run(["--help"], b"").await.stdout;
    let examples = help
        .split("Examples:")
        .nth(1)
        .unwrap()
        .split("Exit codes:")
        .next()
        .unwrap();
    let mut tried = 0;
    for line in examples.lines() {
        let Some(at) = line.find("devpilot-session ") else {
            continue;
        };
        let script = line[at..].replace("devpilot-session", "\"$BINARY\"");
        let ran = tokio::process::Command::new("sh")
            .args(["-c", &format!("touch notes.md note.txt; echo text | {script}")])
            .env_clear()
            .env("HOME", machine.home())
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("BINARY", stdio::binary())
            .env("DEVPILOT_CLIPBOARD", "off")
            .current_dir(machine.home())
            .output()
            .await
            .unwrap();
        let stderr = String::from_utf8(ran.stderr).unwrap();
        assert_ne!(ran.status.code(), Some(2), "{line}: {stderr}");
        tried += 1;
    }
    assert!(tried >= 8, "{tried}");
}

#[tokio::test]
async fn what_is_not_understood_is_said_on_standard_error() {
    let machine = Machine::new();
    for arguments in [
        ["raed", "--as"],
        ["read", "--sinse"],
        ["mode", "chaos"],
        ["join", "not-a-dash"],
    ] {
        let ran = machine.run(arguments, b"").await;
        assert_eq!(ran.code(), 2, "{ran}");
        assert_eq!(ran.stdout, "");
        assert!(ran.stderr.contains("error:"), "{ran}");
    }
}

#[tokio::test]
async fn budget_and_time_of_auto_are_whole_numbers_within_bounds() {
    let machine = Machine::new();
    for number in [
        "0",
        "-1",
        "9223372036854775808",
        "ten",
        "1.5",
        "1e3",
        "",
        "99999999999999999999999",
    ] {
        for option in ["--budget", "--ttl-minutes"] {
            let ran = machine.run(["mode", "auto", option, number], b"a goal").await;
            assert_eq!(
                (ran.code(), ran.stdout.as_str()),
                (2, ""),
                "{option} {number}: {ran}"
            );
            assert!(ran.stderr.contains(option), "{ran}");
        }
    }
    // They go with auto alone.
    let ran = machine.run(["mode", "relay", "--budget", "5"], b"").await;
    assert_eq!(ran.code(), 2, "{ran}");
    assert!(ran.stderr.contains("`mode auto`"), "{ran}");
}

#[tokio::test]
async fn a_link_in_any_argument_is_refused_and_wiped() {
    let key = format!("dp1f{}", "abcdefg2".repeat(8));
    let link = format!("https://plane.example/s/00112233445566778899aabbccddeeff#{key}");
    let machine = Machine::new();
    for arguments in [
        ["join", &link],
        ["--help", &link],
        ["post", &link.replace('#', "%23")],
        ["--session", &key.to_uppercase()],
        [&link[..90], &link[90..]],
    ] {
        let ran = machine.run(arguments, b"").await;
        assert_eq!((ran.code(), ran.stdout.as_str()), (2, ""), "{ran}");
        assert!(!ran.stderr.to_lowercase().contains("abcdefg2"), "{ran}");
        assert!(
            ran.stderr.contains("process list") && ran.stderr.contains("join -"),
            "{ran}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_failure_is_json_where_json_was_asked_for() {
    let ran = Machine::new().run(["read", "--json"], b"").await;
    assert_eq!(ran.code(), 1, "{ran}");
    assert!(ran.json()["error"].is_string(), "{ran}");
    assert!(ran.json()["message"].as_str().unwrap().len() > 10, "{ran}");
}
