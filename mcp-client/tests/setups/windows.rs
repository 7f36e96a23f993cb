//! Two windows of one person's editor, and their terminal: three processes on one home, in one repository.

use serde_json::json;

use crate::scene::{self, CONTEXT, TITLE};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::proxy::Proxy;
use crate::stdio::{Machine, Server};

async fn window(machine: &Machine) -> Server {
    let mut server = machine.server();
    server.initialize("2025-06-18", json!({})).await;
    server
}

async fn id(server: &mut Server) -> String {
    let who = server.call("who", json!({})).await;
    who.structured()["my_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn windows_and_a_terminal_have_seats_of_their_own_and_none_reads_the_others_news_away() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner().with("DEVPILOT_NAME", "Ada");
    let mut first = window(&machine).await;
    first
        .call("share", json!({ "title": TITLE, "context": CONTEXT }))
        .await
        .structured();
    let link = machine.link();
    let mut second = window(&machine).await;
    second.call("read", json!({})).await.structured();
    let terminal = machine
        .run(["join", "-", "--as", "human", "--json"], link.as_bytes())
        .await;
    assert_eq!(terminal.code(), 0, "{terminal}");
    let mut ids = vec![
        id(&mut first).await,
        id(&mut second).await,
        terminal.json()["my_id"].as_str().unwrap().to_owned(),
    ];
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 3, "each is a participant of its own");

    let ben = scene::joined("Ben", &link).await;
    scene::post(&ben, "news").await;
    for server in [&mut first, &mut second] {
        let read = server.call("read", json!({})).await;
        assert_eq!(read.structured()["messages"][0]["text"], "news", "{}", read.0);
        assert_eq!(read.structured()["messages"].as_array().unwrap().len(), 1);
    }
    let read = machine.run(["read", "--as", "human", "--json"], b"").await;
    assert_eq!(scene::texts(&read.json()), ["news"], "{read}");

    // All write at once, again and again.
    let mut expected = vec![CONTEXT.to_owned(), "news".to_owned()];
    for round in 0..5 {
        let one = first
            .start_call("post", json!({ "text": format!("first {round}") }))
            .await;
        let other = second
            .start_call("post", json!({ "text": format!("second {round}") }))
            .await;
        let text = format!("terminal {round}");
        let typed = machine.run(["post", "--as", "human"], text.as_bytes());
        let (one, other, typed) = tokio::join!(first.answer(one), second.answer(other), typed);
        for answer in [one, other] {
            assert_eq!(answer["result"]["isError"], false, "{answer}");
        }
        assert_eq!(typed.code(), 0, "{typed}");
        for who in ["first", "second", "terminal"] {
            expected.push(format!("{who} {round}"));
        }
    }
    expected.sort();
    let read = scene::read_all(&ben).await;
    let mut found = scene::texts(&read);
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(read["integrity"]["state"], "ok");
    for server in [&mut first, &mut second] {
        let read = server.call("read", json!({ "since": 0 })).await;
        assert_eq!(read.structured()["integrity"]["state"], "ok");
    }
}

#[tokio::test]
async fn a_window_that_reads_while_another_is_still_sharing_takes_no_seat_of_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let wire = Proxy::before(plane.port()).await;
    let owner = plane.owner();
    let credentials = std::fs::read_to_string(owner.devpilot().join("credentials.json")).unwrap();
    let token = credentials
        .split('"')
        .find(|word| word.starts_with("dpm_"))
        .unwrap();
    let machine = Machine::new()
        .with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{}", wire.port()))
        .with("DEVPILOT_BRIDGE_TOKEN", token);
    // The plane has made the session; what its maker asks next is under way.
    wire.hold_requests("/participants");
    let mut first = window(&machine).await;
    let share = json!({ "title": TITLE, "context": CONTEXT });
    let sharing = first.start_call("share", share).await;
    wire.until_held(1).await;
    let mut second = window(&machine).await;
    let reading = second.start_call("read", json!({})).await;
    wire.until_held(2).await;
    wire.release_requests();
    let shared = first.answer(sharing).await;
    assert_eq!(shared["result"]["isError"], false, "{shared}");
    let read = second.answer(reading).await;
    assert_eq!(read["result"]["isError"], false, "{read}");
    assert_ne!(
        id(&mut first).await,
        id(&mut second).await,
        "two windows, two participants"
    );
    for (server, text) in [(&mut first, "by the first"), (&mut second, "by the second")] {
        server.call("post", json!({ "text": text })).await.structured();
    }
    let read = first.call("read", json!({ "since": 0 })).await;
    assert_eq!(
        scene::texts(read.structured()),
        [CONTEXT, "by the first", "by the second"]
    );
    assert_eq!(read.structured()["integrity"]["state"], "ok");
}
