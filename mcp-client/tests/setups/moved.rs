//! A plane at another address, and another plane at its address.

use serde_json::Value;

use crate::scene::{self, CONTEXT, TITLE, assert_said};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::proxy::Proxy;

fn at(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

fn says_moved(machine: &Machine, old: u16, new: u16) {
    let line = format!("[moved]\n\"{}\" = \"{}\"\n", at(old), at(new));
    std::fs::write(machine.devpilot().join("config.toml"), line).unwrap();
}

#[tokio::test]
async fn a_moved_plane_is_told_with_the_way_on_and_goes_on_by_one_line_of_config_toml() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    scene::post(&ben, "before it moved").await;
    let old = plane.port();
    plane.move_away().await;

    // What was read stays, and the sentence says where to write the new address.
    let read = ben.run(["read", "--since", "0"], b"").await;
    assert_eq!(read.code(), 0, "{read}");
    assert!(
        read.stdout.contains("before it moved") && read.stdout.contains(CONTEXT),
        "{read}"
    );
    assert!(
        read.stdout.contains("[moved]") && read.stdout.contains("config.toml"),
        "{read}"
    );
    assert_said(&ben.run(["post"], b"lost?").await, &[&at(old), "[moved]"]);

    for machine in [&ada, &ben] {
        says_moved(machine, old, plane.port());
    }
    scene::post(&ben, "after it moved").await;
    let read = scene::read_all(&ada).await;
    assert_eq!(
        scene::texts(&read),
        [CONTEXT, "before it moved", "after it moved"]
    );
    assert_eq!(read["integrity"]["state"], "ok");
    // The owner is who they were: the same participant, the machine token, notes with the new address.
    let noted = ada
        .run(["share", "--title", "Another", "--json"], CONTEXT.as_bytes())
        .await;
    assert_eq!(noted.code(), 0, "{noted}");
    let note = noted.json()["handoff_file"].as_str().unwrap().to_owned();
    let link = crate::stdio::link_in(&std::fs::read_to_string(note).unwrap());
    assert!(link.starts_with(&at(plane.port())), "the new address");
}

#[tokio::test]
async fn a_link_to_another_address_is_joined_there_and_nothing_of_the_old_seat_is_sent_to_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    let old: Value = serde_json::from_slice(&std::fs::read(scene::seat(&ben)).unwrap()).unwrap();
    // The same plane, or somebody's who wants to know what this machine would say to it.
    let other = Proxy::before(plane.port()).await;
    let elsewhere = link.replace(&at(plane.port()), &at(other.port()));
    let joined = ben.run(["join", "-", "--json"], elsewhere.as_bytes()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    let joined = joined.json();
    assert_eq!(joined["joined"], true);
    assert_ne!(joined["my_id"], old["participant"]);
    let warnings = joined["warnings"].to_string();
    assert!(
        warnings.contains(&at(plane.port())) && warnings.contains("[moved]"),
        "{warnings}"
    );
    let sent = other.seen();
    assert!(sent.contains("POST /v1/sessions/"), "it was asked");
    assert!(
        !sent.contains(old["token"]["text"].as_str().unwrap()),
        "no token of another plane"
    );
    assert!(
        !sent.contains(old["participant"].as_str().unwrap()),
        "nor who it was there"
    );
    // Both of them write, each at its own address.
    scene::post(&ben, "by the new way").await;
    let read = scene::read_all(&ada).await;
    assert_eq!(scene::texts(&read), [CONTEXT, "by the new way"]);
    let again = ben.run(["join", "-", "--json"], link.as_bytes()).await;
    assert_eq!(again.json()["my_id"], old["participant"], "{again}");
}

#[tokio::test]
async fn another_plane_at_the_address_is_told_plainly_and_what_was_read_stays() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    scene::post(&ben, "before").await;
    scene::read_all(&ada).await;
    plane.forget_everything().await;
    for machine in [&ada, &ben] {
        for _ in 0..2 {
            let read = machine.run(["read", "--since", "0"], b"").await;
            assert_eq!(read.code(), 0, "{read}");
            assert!(
                read.stdout.contains(CONTEXT) && read.stdout.contains("before"),
                "{read}"
            );
            assert!(read.stdout.contains("does not know this session"), "{read}");
        }
        assert_said(
            &machine.run(["post"], b"into nothing").await,
            &["does not know this session", "share a new session"],
        );
        let joined = scene::join(machine, &link).await;
        assert!(joined.stdout.contains("does not know this session"), "{joined}");
        let listed = machine.run(["sessions"], b"").await;
        assert!(listed.stdout.contains(TITLE), "{listed}");
    }
    // Its machine token is another one.
    let refused = ada.run(["share", "--title", "Again"], CONTEXT.as_bytes()).await;
    assert_said(&refused, &["does not know this machine's token"]);
    // A newcomer with the old link is told what a link can't do any more.
    let cleo = Machine::new();
    assert_said(
        &scene::join(&cleo, &link).await,
        &["Ask the sender for a new link"],
    );
}
