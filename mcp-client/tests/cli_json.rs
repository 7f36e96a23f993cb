//! Every command with `--json`, as its help lists them: one JSON object on standard output, whatever happened.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::collections::BTreeSet;

use serde_json::Value;
use stdio::plane::{Plane, Store};
use stdio::terminal::at_terminal;
use stdio::{Machine, Ran};

/// How a command is run, and what its object has where it went well.
struct Case {
    command: &'static str,
    arguments: &'static str,
    input: &'static str,
    /// Typed at a terminal of its own, where it takes a person's hand.
    typed: &'static str,
    member: &'static str,
}

const fn case(command: &'static str, arguments: &'static str, member: &'static str) -> Case {
    Case {
        command,
        arguments,
        input: "",
        typed: "",
        member,
    }
}

const fn reads(case: Case, input: &'static str) -> Case {
    Case { input, ..case }
}

const fn asks(case: Case, typed: &'static str) -> Case {
    Case { typed, ..case }
}

/// In an order in which each can answer: sharing comes first, ending last.
const CASES: &[Case] = &[
    reads(
        case("share", "--title Json --as human", "session"),
        "What I know.",
    ),
    case("sessions", "", "seats"),
    case("doctor", "", "checks"),
    case("export", "--as human --output transcript.md", "messages"),
    case("read", "--since 0 --as human", "messages"),
    reads(case("read", "--query - --as human", "found"), "know"),
    reads(case("post", "--as human", "seq"), "A post."),
    case("who", "--as human", "participants"),
    case("mode", "--as human", "mode"),
    case("mode", "observe --as human", "mode"),
    asks(case("mode", "relay --as human", "mode"), "relay\n"),
    case("wait", "--timeout 1 --as human", "woke_by"),
    case("listen", "--timeout 1 --as human", "woke_by"),
    asks(case("link", "--as human", "handoff_file"), "link\n"),
    case("door", "--as human", "state"),
    asks(case("door ask", "--as human", "state"), "ask\n"),
    asks(case("door open", "--as human", "state"), "open\n"),
    asks(case("door closed", "--as human", "state"), "closed\n"),
    asks(case("rekey", "--history keep --as human", "epoch"), "rekey\n"),
    case("leave", "--as human", "next"),
    reads(case("share", "--title Again --as human", "session"), "More."),
    asks(case("end", "--as human", "session"), "end\n"),
    case("watch", "--session Again --as human", "type"),
];

/// Commands that can only refuse here, and the word for it.
const REFUSALS: &[(&str, &str, &str)] = &[
    ("join", "- --as human", "link_missing"),
    ("connect", "ftp://plane.example", "bad_argument"),
    ("history", "src/main.rs --repo example", "no_cockpit"),
    ("door admit", "1f2e3d4c", "not_knocking"),
    ("door refuse", "1f2e3d4c", "not_knocking"),
    ("link", "", "cannot_ask"),
    ("rekey", "", "cannot_ask"),
    ("end", "", "cannot_ask"),
    ("read", "--session nowhere", "no_session"),
    ("read", "--no-such-option", "bad_argument"),
    ("no-such-command", "", "bad_argument"),
];

/// Those whose output is not theirs to form: a host's own JSON, a shell's own words, a server that goes on.
const FOR_OTHERS: &[&str] = &["hook", "completions", "cockpit"];

/// Those that go on, and print one object a line.
const STREAMS: &[&str] = &["watch"];

/// The commands that a help text lists.
async fn listed(machine: &Machine, above: &str) -> Vec<String> {
    let mut command = machine.command([]);
    let help = command
        .args(above.split_whitespace())
        .arg("--help")
        .output()
        .await
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    lines
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(|name| format!("{above} {name}").trim().to_owned())
        .collect()
}

/// Runs it with `--json`; its one object, or the first of them.
async fn object(machine: &Machine, case: &Case) -> (Ran, Value) {
    let line = format!("{} {} --json", case.command, case.arguments);
    let (ran, output) = match case.typed {
        "" => {
            let mut command = machine.command([]);
            command.args(line.split_whitespace());
            let ran = stdio::ran(&mut command, case.input.as_bytes()).await;
            let output = ran.stdout.clone();
            (ran, output)
        }
        typed => {
            let ran = at_terminal(machine, &format!("{line} > answer"), typed).await;
            let output = std::fs::read_to_string(machine.home().join("answer")).unwrap();
            (ran, output)
        }
    };
    let mut objects = Vec::new();
    for one in output.lines() {
        let object: Value = serde_json::from_str(one).unwrap_or_else(|error| panic!("{line}: {error} {ran}"));
        assert!(object.is_object(), "{line}: {object}");
        objects.push(object);
    }
    let several = STREAMS.contains(&case.command);
    assert!(
        objects.len() == 1 || (several && !objects.is_empty()),
        "{line}: {output:?} {ran}"
    );
    (ran, objects.remove(0))
}

#[tokio::test]
async fn every_command_that_help_lists_answers_one_object() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner().with("DEVPILOT_NAME", "Ada");
    let mut known: BTreeSet<&str> = CASES.iter().map(|case| case.command).collect();
    known.extend(REFUSALS.iter().map(|(command, ..)| *command));
    for command in listed(&machine, "").await {
        if FOR_OTHERS.contains(&command.as_str()) {
            continue;
        }
        assert!(known.contains(command.as_str()), "`{command}` has no case here");
        for below in listed(&machine, &command).await {
            assert!(known.contains(below.as_str()), "`{below}` has no case here");
        }
    }
    let mut wrong = Vec::new();
    for case in CASES {
        let (ran, object) = object(&machine, case).await;
        if object.get("error").is_some() || object[case.member].is_null() {
            wrong.push(format!("{} {}: {object} {ran}", case.command, case.arguments));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn what_did_not_work_is_one_object_with_a_stable_word_and_what_to_do() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let shared = machine
        .run(["share", "--title", "Json", "--json"], b"What I know.")
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    let mut wrong = Vec::new();
    for (command, arguments, word) in REFUSALS {
        let (ran, object) = object(&machine, &case(command, arguments, "error")).await;
        let says = object["message"]
            .as_str()
            .is_some_and(|message| message.len() > 20);
        if object["error"] != *word || !says || ran.code() == 0 || !ran.stderr.is_empty() {
            wrong.push(format!("{command} {arguments}: {object} {ran}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_link_among_the_arguments_is_refused_as_an_object_and_not_repeated() {
    let link =
        "https://plane.example/s/00112233445566778899aabbccddeeff#dp1faaaabbbbccccddddeeeeffffgggghhhhiiii";
    let ran = Machine::new().run(["join", link, "--json"], b"").await;
    assert_eq!(ran.json()["error"], "bad_argument");
    assert!(!ran.stdout.contains("aaaabbbb") && !ran.stderr.contains("aaaabbbb"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_answer_that_can_not_be_written_is_said_on_standard_error() {
    let machine = Machine::new();
    let line = format!("{} sessions --json > /dev/full", stdio::binary().display());
    let ran = stdio::ran(&mut stdio::shell::shell(&machine, &line), b"").await;
    assert_eq!((ran.code(), ran.stdout.as_str()), (1, ""), "{ran}");
    assert!(ran.stderr.contains("could not be written"), "{ran}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_was_done_is_said_where_the_answer_to_it_can_not_be_written() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let into_nothing = async |line: &str, input: &[u8]| {
        let line = format!("{} {line} --as human > /dev/full", stdio::binary().display());
        let ran = stdio::ran(&mut stdio::shell::shell(&machine, &line), input).await;
        assert_eq!((ran.code(), ran.stdout.as_str()), (1, ""), "{ran}");
        ran.stderr
    };
    let shared = into_nothing("share --title Full", b"What I know.").await;
    assert!(
        shared.contains("was shared") && shared.contains("do not share it again"),
        "{shared}"
    );
    let note = shared
        .split_once("its note is in ")
        .unwrap()
        .1
        .split(',')
        .next()
        .unwrap();
    assert!(std::path::Path::new(note).is_file(), "{note}");

    for form in ["", " --json"] {
        let posted = into_nothing(&format!("post{form}"), b"once").await;
        let read = machine
            .run(["read", "--since", "0", "--json", "--as", "human"], b"")
            .await;
        let newest = read.json()["messages"].as_array().unwrap().last().unwrap()["seq"].clone();
        assert!(posted.contains(&format!("Posted as #{newest}, but")), "{posted}");
        assert!(
            posted.contains("do not post it again") && !posted.contains("unread"),
            "{posted}"
        );
    }
    for (looks, unread) in [("who", false), ("mode", false), ("door", false), ("read", true)] {
        let said = into_nothing(looks, b"").await;
        assert_eq!(said.contains("counts as unread"), unread, "{said}");
        assert_eq!(said.contains("Nothing was changed"), !unread, "{said}");
    }
    let left = into_nothing("leave", b"").await;
    assert!(
        left.contains("was left, but") && !left.contains("unread"),
        "{left}"
    );
}
