//! A re-key that was not done yet: the lines that lead to it.

use serde_json::Value;

use crate::scene::{CONTEXT, by_hand, filled, names, operators, pair, works};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::proxy::Proxy;
use crate::stdio::shell::{line_in, lines_in, obey};
use crate::stdio::terminal::{at_terminal, line_at_terminal};
use crate::stdio::{Machine, binary};

/// What Ada answers who keeps the one other there is, and the history.
const KEEP_BEN: &str = "k\n\nrekey\n";

/// The only session of a machine.
async fn session(machine: &Machine) -> String {
    let listed = machine.run(["sessions", "--json"], b"").await.json();
    assert_eq!(listed["seats"].as_array().unwrap().len(), 1, "{listed}");
    listed["seats"][0]["session"].as_str().unwrap().to_owned()
}

/// A machine that shares on the plane at `port`, by a token of these scopes of the plane's first member.
async fn with_token(plane: &Plane, port: u16, scopes: &str) -> Machine {
    Machine::new()
        .with("DEVPILOT_NAME", "Ada")
        .with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{port}"))
        .with("DEVPILOT_BRIDGE_TOKEN", &token(plane, scopes).await)
}

async fn token(plane: &Plane, scopes: &str) -> String {
    let made: Vec<Value> = serde_json::from_str(&plane.admin(&["org", "list", "--json"]).await).unwrap();
    let org = made[0]["name"].as_str().unwrap();
    let members = plane.admin(&["member", "list", "--org", org, "--json"]).await;
    let members: Vec<Value> = serde_json::from_str(&members).unwrap();
    let member = members[0]["name"].as_str().unwrap();
    let made = plane
        .admin(&[
            "token", "create", "--org", org, "--member", member, "--scopes", scopes,
        ])
        .await;
    let token = made.split_whitespace().find(|word| word.starts_with("dpm_"));
    token.unwrap().to_owned()
}

#[tokio::test]
async fn an_id_that_is_nobodys_is_found_by_the_line_of_the_refusal() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _ben) = pair(&plane).await;
    // Another session is the one that a bare command means from here on.
    let first = session(&ada).await;
    let other = ["share", "--title", "Another", "--as", "human"];
    works(&ada.run(other, CONTEXT.as_bytes()).await);
    let refused = at_terminal(&ada, &format!("rekey --session {first} --keep Ben"), "").await;
    assert_eq!(refused.code(), 2, "{refused}");
    let who = obey(&ada, &line_in(&ada, &refused.stdout), b"").await;
    let row = who.stdout.lines().find(|line| line.contains("Ben")).unwrap();
    let id = row
        .split(|symbol: char| !symbol.is_ascii_hexdigit())
        .find(|word| word.len() == 8)
        .unwrap_or_else(|| panic!("no id: {who}"));
    let done = at_terminal(&ada, &format!("rekey --session {first} --keep {id}"), "\nrekey\n").await;
    works(&done);
}

#[tokio::test]
async fn a_re_key_that_the_plane_refused_is_made_by_the_line_of_the_refusal() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = with_token(&plane, plane.port(), "share").await;
    let share = ["share", "--title", "Stale cache", "--as", "human"];
    works(&ada.run(share, CONTEXT.as_bytes()).await);
    let ben = Machine::new().with("DEVPILOT_NAME", "Ben");
    works(&ben.run(["join", "-"], ada.link().as_bytes()).await);
    let refused = at_terminal(&ada, "rekey", KEEP_BEN).await;
    assert_eq!(refused.code(), 1, "this token may not: {refused}");
    let lines = lines_in(&ada, &refused.stdout);
    let line = lines.last().unwrap_or_else(|| panic!("no line: {refused}"));
    assert!(line.contains(" rekey --session "), "{line}");
    // A terminal breaks lines.
    let told = operators(&refused.stdout.replace("\r\n", " "));
    let (org, member) = names(&plane).await;
    let made = filled(&plane, &told[0], &[("ORG", &org), ("NAME", &member)]).await;
    let ada = ada.with("DEVPILOT_BRIDGE_TOKEN", made.trim());
    let done = by_hand(&ada, line, KEEP_BEN).await;
    assert!(done.stdout.contains("epoch 2"), "{done}");
}

/// It was confirmed, and never came to the plane: the next command says so, and gives the line that asks anew.
#[tokio::test]
async fn a_re_key_that_did_not_take_effect_is_made_by_the_line_of_the_next_command() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let ada = with_token(&plane, proxy.port(), "share,rekey").await;
    let share = ["share", "--title", "Stale cache", "--as", "human"];
    works(&ada.run(share, CONTEXT.as_bytes()).await);
    let ben = Machine::new().with("DEVPILOT_NAME", "Ben");
    works(&ben.run(["join", "-"], ada.link().as_bytes()).await);
    proxy.hold_requests("/rekey ");
    // The machine fails while the request is under way, and so does the plane, so that what is held is lost with the wire.
    let line = format!("echo $$ > pid; exec '{}' rekey", binary().display());
    let failing = async {
        proxy.until_held(1).await;
        let pid = std::fs::read_to_string(ada.home().join("pid")).unwrap();
        let killed = std::process::Command::new("kill")
            .args(["-KILL", pid.trim()])
            .status();
        assert!(killed.unwrap().success());
    };
    tokio::join!(line_at_terminal(&ada, &line, KEEP_BEN), failing);
    plane.kill().await;
    proxy.until_open(0).await;
    proxy.release_requests();
    plane.restart().await;
    let read = ada.run(["read", "--as", "human"], b"").await;
    works(&read);
    let said = format!("{}{}", read.stdout, read.stderr);
    assert!(said.contains("has not taken effect"), "{read}");
    let done = by_hand(&ada, &line_in(&ada, &said), KEEP_BEN).await;
    assert!(done.stdout.contains("epoch 2"), "{done}");
}

/// Who administers knows a title at most: the id comes by the line for who takes part, or from the operator by theirs.
#[tokio::test]
async fn the_whole_id_that_an_administrator_needs_comes_by_either_line() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _ben) = pair(&plane).await;
    let refused = at_terminal(&ada, "rekey --admin Stale", "").await;
    assert_eq!(refused.code(), 2, "{refused}");
    let lines = lines_in(&ada, &refused.stdout);
    let listed = obey(&ada, lines.last().unwrap(), b"").await.json();
    let id = listed["seats"][0]["session"].as_str().unwrap();

    let said = refused.stdout.replace(['\r', '\n'], " ");
    let operators = said
        .split('`')
        .find(|part| part.starts_with("devpilot-plane admin session list"))
        .unwrap_or_else(|| panic!("no line for the operator: {refused}"));
    let orgs: Vec<Value> = serde_json::from_str(&plane.admin(&["org", "list", "--json"]).await).unwrap();
    let line = operators.replace("ORG", orgs[0]["name"].as_str().unwrap());
    let theirs = plane.operator(&line).await;
    assert!(
        theirs.code() == 0 && theirs.stdout.contains(id),
        "{line}: {theirs}"
    );
    let done = at_terminal(&ada, &format!("rekey --admin {id}"), "rekey\n").await;
    works(&done);
}
