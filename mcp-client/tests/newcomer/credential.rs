//! The command with which a person lets a credential through repeats what they said, loses no option and shows no credential;
//! and what is said of who came in as what can be copied.

use crate::scene::{joined, shared, works};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::shell::{line_in, lines_in};
use crate::stdio::terminal::line_at_terminal;
use crate::stdio::{Machine, Ran, binary, ran};

/// A key of nobody's, of a kind that the guard knows.
fn key() -> String {
    format!("AKIA{}", "QYLPMN5HHHFPZAM2")
}

async fn refused(machine: &Machine, arguments: &[&str]) -> (Ran, String) {
    let mut command = machine.command([]);
    command.args(arguments);
    let refused = ran(&mut command, format!("the key is {}", key()).as_bytes()).await;
    assert_eq!(refused.code(), 1, "{refused}");
    assert!(
        refused.stderr.contains("`standard input`, line 1") && !refused.stderr.contains(&key()),
        "{refused}"
    );
    let line = line_in(machine, &refused.stderr);
    (refused, line)
}

#[tokio::test]
async fn a_hand_off_is_shared_by_the_line_with_every_option_it_had() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let hidden = format!("keys/{}.txt", key());
    let arguments = [
        "share",
        "--title",
        "It's $HOME",
        "--with",
        "Ben L",
        "--path",
        "a b.rs",
        "--path",
        &hidden,
        "--view-only",
        "--as",
        "human",
    ];
    let (_, line) = refused(&ada, &arguments).await;
    for part in [
        r"--title 'It'\''s $HOME'",
        "--with 'Ben L'",
        "--path 'a b.rs'",
        "--path PATH",
        "--view-only",
        "--as human",
        "--allow-secrets",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    std::fs::write(ada.home().join("text"), key()).unwrap();
    let shared = line_at_terminal(&ada, &format!("{line} < text"), "allow\n").await;
    works(&shared);
    assert!(shared.stdout.contains("It's $HOME"), "{shared}");
    assert!(ada.link().contains("dp1v"), "the link reads only");
}

#[tokio::test]
async fn a_message_and_a_goal_keep_their_options_too() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let (_, line) = refused(
        &ada,
        &[
            "post", "--as", "human", "--topic", "a b", "--path", "c d.rs", "--pin", "--kind", "note",
        ],
    )
    .await;
    for part in [
        "--topic 'a b'",
        "--path 'c d.rs'",
        "--pin",
        "--kind note",
        "--session ",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
    let (_, line) = refused(
        &ada,
        &[
            "mode",
            "auto",
            "--as",
            "human",
            "--budget",
            "7",
            "--ttl-minutes",
            "9",
        ],
    )
    .await;
    assert!(line.contains("--budget 7 --ttl-minutes 9"), "{line}");
}

/// Somebody who joined as what they are not is told how to take that one out, once they are in as themselves.
#[tokio::test]
async fn who_joined_as_the_other_kind_takes_it_out_by_the_line() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let jon = joined(&ada, "Jon", &[]).await;
    let none = jon.run(["join", "--as", "human"], b"").await;
    assert!(
        none.code() == 1 && line_in(&jon, &none.stderr).ends_with("join - --as human < note.txt"),
        "{none}"
    );
    std::fs::write(jon.home().join("note.txt"), ada.link()).unwrap();
    let join = format!("'{}' join - < note.txt", binary().display());
    let came = line_at_terminal(&jon, &join, "").await;
    works(&came);
    let leave = lines_in(&jon, &came.stdout).pop().unwrap();
    works(&line_at_terminal(&jon, &join.replace(" <", " --as human <"), "").await);
    let left = line_at_terminal(&jon, &leave, "").await;
    works(&left);
    let listed = jon.run(["sessions", "--json"], b"").await.json();
    for seat in listed["seats"].as_array().unwrap() {
        let state = if seat["kind"] == "agent" { "left" } else { "open" };
        assert_eq!(seat["state"], state, "{listed}");
    }
}
