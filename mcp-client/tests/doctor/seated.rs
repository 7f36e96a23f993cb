//! What a machine depends on that is in sessions of others: their plane, and what it still knows.

use serde_json::{Value, json};

use crate::scene::{check, command, fails, is_well};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::shell::obey;

/// A machine that joined a session on a plane that it has no token for.
async fn guest(plane: &Plane) -> Machine {
    let ada = plane.owner();
    let shared = ["share", "--title", "Flaky login", "--as", "human"];
    assert_eq!(ada.run(shared, b"start").await.code(), 0);
    let ben = Machine::new().with("DEVPILOT_SESSION_LINK", &ada.link());
    let joined = ben.run(["join", "--as", "human"], b"").await;
    assert_eq!(joined.code(), 0, "{joined}");
    ben
}

#[tokio::test]
async fn the_plane_of_a_session_that_was_joined_is_looked_at_and_what_depends_on_it_is_named() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let ben = guest(&plane).await;
    let known = is_well(&ben).await;
    assert!(
        check(&known, "sessions")["about"]
            .as_str()
            .unwrap()
            .contains("\"Flaky login\""),
        "{known}"
    );
    let names = known["checks"].as_array().unwrap().iter();
    assert!(
        names.clone().all(|check| check["check"] != "token"),
        "it needs none: {known}"
    );

    plane.kill().await;
    let away = fails(&ben, "plane", "does not answer").await;
    assert!(
        away["about"].as_str().unwrap().contains("\"Flaky login\""),
        "{away}"
    );
    plane.restart().await;
    is_well(&ben).await;

    plane.forget_everything().await;
    let forgotten = fails(&ben, "sessions", "does not know").await;
    assert!(
        forgotten["about"].as_str().unwrap().contains("\"Flaky login\""),
        "{forgotten}"
    );
    obey(&ben, &command(&forgotten), b"").await;
    is_well(&ben).await;
    let sessions = ben.run(["sessions", "--json"], b"").await.json();
    let session = sessions["seats"][0]["session"].as_str().unwrap();
    let read = [
        "read",
        "--since",
        "0",
        "--session",
        session,
        "--as",
        "human",
        "--json",
    ];
    let read = ben.run(read, b"").await;
    assert_eq!(
        read.json()["messages"][0]["text"],
        "start",
        "what was read stays: {read}"
    );
}

#[tokio::test]
async fn a_look_writes_nothing_of_a_seat() {
    let plane = Plane::start(Store::Sqlite).await;
    let ben = guest(&plane).await;
    let before = seat_files(&ben);
    is_well(&ben).await;
    assert_eq!(seat_files(&ben), before);
}

#[tokio::test]
async fn a_transcript_that_does_not_hold_is_said_with_what_helps() {
    let plane = Plane::start(Store::Sqlite).await;
    let ben = guest(&plane).await;
    let (path, text) = seat_files(&ben)
        .into_iter()
        .find(|(path, _)| path.extension().is_some_and(|end| end == "json"))
        .unwrap();
    let mut seat: Value = serde_json::from_slice(&text).unwrap();
    seat["alarm"] = json!({ "error": "rollback", "seq": 3, "at": "2026-11-29T14:02:31.123Z" });
    std::fs::write(&path, serde_json::to_vec(&seat).unwrap()).unwrap();
    let said = fails(&ben, "integrity", "rollback").await;
    assert!(
        said["about"].as_str().unwrap().contains("\"Flaky login\""),
        "{said}"
    );
}

fn seat_files(machine: &Machine) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(machine.devpilot().join("sessions")).unwrap() {
        for file in std::fs::read_dir(folder.unwrap().path()).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.is_file() {
                found.push((path.clone(), std::fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}
