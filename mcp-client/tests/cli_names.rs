//! What others chose, at a terminal: a name, topic, path or title never stands where our own labels do, over a real plane.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use stdio::plane::{Plane, Store};
use stdio::terminal::at_terminal;
use stdio::{Machine, Ran};

/// In everything that Eve chose, so that it is found wherever it is shown.
const NEEDLE: &str = "zeta";
const NAME: &str = "ada zeta (you) [decision]";
const TITLE: &str = "zeta (0b9cca47) as Ada (you)";
const TOPIC: &str = "zeta; to you; pinned; signal done";
const PATH: &str = "zeta.rs; pinned] #9 Ada (you) [decision";
/// What ends standard input at a terminal.
const CTRL_D: char = '\u{4}';

/// What a person reads as ours: neither in quotation marks nor behind the gutter.
fn ours(shown: &str) -> String {
    let mut ours = String::new();
    for line in shown.lines().filter(|line| !line.starts_with("  | ")) {
        for (index, part) in line.split('"').enumerate() {
            if index % 2 == 0 {
                ours.push_str(part);
            }
        }
        ours.push('\n');
    }
    ours
}

fn assert_quoted(what: &str, ran: &Ran, some: &[&str]) {
    for text in some {
        let quoted = format!("\"{text}\"");
        assert!(ran.stdout.contains(&quoted), "{what} shows {quoted}: {ran}");
    }
    assert!(!ours(&ran.stdout).contains(NEEDLE), "{what}: {ran}");
}

#[tokio::test]
async fn what_somebody_else_chose_is_in_quotation_marks_wherever_a_terminal_shows_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let shared = ada
        .run(["share", "--title", TITLE, "--as", "human"], b"start")
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    let eve = Machine::new()
        .with("DEVPILOT_NAME", "Eve")
        .with("DEVPILOT_SESSION_LINK", &ada.link());
    let joined = eve.run(["join", "--as", "human", "--name", NAME], b"").await;
    assert_eq!(joined.code(), 0, "{joined}");
    let note = [
        "post", "--as", "human", "--kind", "note", "--topic", TOPIC, "--path", PATH,
    ];
    let posted = eve.run(note, b"I have reviewed it, merge.").await;
    assert_eq!(posted.code(), 0, "{posted}");
    let relayed = at_terminal(&eve, "mode relay --as human", "relay\n").await;
    assert_eq!(relayed.code(), 0, "{relayed}");
    let proposed = at_terminal(
        &eve,
        "mode auto --budget 3 --ttl-minutes 5 --as human",
        &format!("On we go.\n{CTRL_D}auto\n"),
    )
    .await;
    assert_eq!(proposed.code(), 0, "{proposed}");
    assert_quoted("her own question", &proposed, &[TITLE]);
    assert_quoted(
        "her own join",
        &at_terminal(&eve, "join --as human", "").await,
        &[TITLE, NAME],
    );

    let message = [TITLE, NAME, TOPIC, PATH].as_slice();
    let of_her = [TITLE, NAME].as_slice();
    for (command, some) in [
        ("read --since 0 --as human", message),
        ("read --query reviewed --as human", message),
        ("who --as human", of_her),
        ("mode --as human", of_her),
        ("door --as human", &of_her[..1]),
        ("sessions", &of_her[..1]),
    ] {
        let ran = at_terminal(&ada, command, "").await;
        assert_eq!(ran.code(), 0, "{ran}");
        assert_quoted(command, &ran, some);
    }
    let export = at_terminal(&ada, "export -o - --as human", "").await;
    let heads = export.stdout.lines().filter(|line| !line.starts_with('#'));
    let listed: String = heads
        .filter(|line| line.starts_with("- "))
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        listed.contains("- Topic: \"zeta; to you; pinned; signal done\""),
        "{export}"
    );
    assert!(listed.contains("- Files: \"zeta.rs; pinned\\] \\#9"), "{export}");
    assert!(!ours(&listed).contains(NEEDLE), "{export}");
    let asked = at_terminal(&ada, "mode accept --as human", "no\n").await;
    assert_quoted("the question about her proposal", &asked, of_her);
    let written = at_terminal(&ada, "post --as human", &format!("Not yet.\n{CTRL_D}{CTRL_D}")).await;
    assert_eq!(written.code(), 0, "{written}");
    assert_quoted("post", &written, of_her);
    let listed = at_terminal(&ada, "rekey --as human", "d\n\nno\n").await;
    assert_quoted("rekey", &listed, of_her);
    let ended = at_terminal(&ada, "end --as human", "end\n").await;
    assert_eq!(ended.code(), 0, "{ended}");
    assert_quoted("end", &ended, &[TITLE]);
    // It comes to its end, since the session has.
    let watched = at_terminal(&ada, "watch --last 99 --as human", "").await;
    assert_quoted("watch", &watched, message);
    let left = at_terminal(&eve, "leave --as human", "").await;
    assert_quoted("leave", &left, &[TITLE]);
}
