//! Getting in, and getting a link: what is missing, and what was passed in the wrong way.

use crate::scene::{CONTEXT, by_hand, pair, refused, works};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::shell::{line_in, lines_in, obey};

#[tokio::test]
async fn a_note_that_is_nowhere_comes_in_by_the_line_for_a_file() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _) = pair(&plane).await;
    let cleo = Machine::new();
    let line = refused(&cleo.run(["join", "--json"], b"").await, "link_missing");
    std::fs::write(cleo.home().join("note.txt"), ada.link()).unwrap();
    let joined = obey(&cleo, &line, b"").await;
    assert!(joined.stdout.contains("Stale cache"), "{joined}");

    // Passed as an argument it is not used; as the variable, the line of the refusal finds it.
    let dora = Machine::new().with("DEVPILOT_SESSION_LINK", &ada.link());
    let line = refused(
        &dora.run(["join", &ada.link(), "--json"], b"").await,
        "bad_argument",
    );
    let joined = obey(&dora, &line, b"").await;
    assert!(joined.stdout.contains("Stale cache"), "{joined}");
}

#[tokio::test]
async fn the_note_of_a_session_that_is_there_comes_by_the_line_of_share() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _) = pair(&plane).await;
    let session = ada.run(["sessions", "--json"], b"").await.json()["seats"][0]["session"].clone();
    let share = [
        "share",
        "--title",
        "x",
        "--session",
        session.as_str().unwrap(),
        "--json",
    ];
    let line = refused(&ada.run(share, b"").await, "bad_argument");
    by_hand(&ada, &line, "link\n").await;
}

#[tokio::test]
async fn a_machine_without_a_plane_or_token_connects_by_the_line_of_share() {
    let plane = Plane::start(Store::Sqlite).await;
    let url = format!("http://127.0.0.1:{}", plane.port());
    let share = ["share", "--title", "x", "--json"];
    let nothing = Machine::new();
    let without_token = Machine::new().with("DEVPILOT_PLANE", &url);
    let damaged = plane.owner();
    std::fs::write(damaged.devpilot().join("credentials.json"), "{\"torn").unwrap();
    for (machine, word) in [
        (nothing, "no_plane"),
        (without_token, "no_machine_token"),
        (damaged, "local_file"),
    ] {
        let line = refused(&machine.run(share, CONTEXT.as_bytes()).await, word);
        connect(&machine, &plane, &line.replace("https://PLANE", &url)).await;
        works(&machine.run(share, CONTEXT.as_bytes()).await);
    }
}

/// The line, and the operator's yes by the command that it shows; what it said at the end.
async fn connect(machine: &Machine, plane: &Plane, line: &str) -> String {
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
    let mut child = crate::stdio::shell::shell(machine, line)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let code = loop {
        let line = lines.next_line().await.unwrap().expect("the operator's command");
        if let Some(code) = line.trim().strip_prefix("devpilot-plane admin approve ") {
            break code.to_owned();
        }
    };
    plane.admin(&["approve", &code]).await;
    let mut said = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .await
        .unwrap();
    assert!(child.wait().await.unwrap().success(), "{said}");
    said
}

#[tokio::test]
async fn what_connect_says_to_do_next_can_be_done() {
    let one = Plane::start(Store::Sqlite).await;
    let two = Plane::start(Store::Sqlite).await;
    let at = |plane: &Plane| format!("http://127.0.0.1:{}", plane.port());
    let machine = Machine::new();
    let bad = machine.run(["connect", "plane.example.org", "--json"], b"").await;
    let line = refused(&bad, "bad_argument").replace("https://plane.example.org", &at(&one));
    let said = connect(&machine, &one, &line).await;
    let shared = obey(&machine, &line_in(&machine, &said), CONTEXT.as_bytes()).await;
    assert!(shared.stdout.contains("A first session"), "{shared}");

    connect(&machine, &two, &line.replace(&at(&one), &at(&two))).await;
    let again = machine.run(["connect", &at(&one)], b"").await;
    let lines = lines_in(&machine, &again.stdout);
    assert_eq!(lines.len(), 2, "{again}");
    let default = obey(&machine, &lines[0], b"").await;
    assert!(default.stdout.contains("Sessions are shared there."), "{default}");
    let replaced = connect(&machine, &one, &lines[1]).await;
    assert!(replaced.contains("is gone from here"), "{replaced}");
}
