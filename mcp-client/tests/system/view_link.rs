//! A view link: it opens everything and writes nothing, by the client's word, the plane's and every reader's.

use serde_json::json;

use crate::outsider::{Outsider, start_of, view_link};
use crate::scene::{Agent, CONTEXT, TITLE};
use crate::stdio::link_in;
use crate::stdio::plane::{Plane, Store};

#[tokio::test]
async fn a_view_link_reads_everything_and_posts_nothing() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let mut ada = Agent::on(plane.owner().with("DEVPILOT_NAME", "Ada")).await;
        let share = json!({ "title": TITLE, "context": CONTEXT, "view_only": true });
        let shared = ada.server.call("share", share).await;
        assert_eq!(shared.structured()["link_allows"], "view");
        let link = ada.machine.link();
        assert!(link.contains("#dp1v"), "the note has a view link");

        let (mut vic, joined) = Agent::join("Vic", &link).await;
        let joined = joined.structured();
        assert_eq!(
            (&joined["capability"], &joined["may_write"]),
            (&json!("view"), &json!(false))
        );
        assert_eq!(joined["card"]["handoff"]["text"], CONTEXT);
        assert_eq!(joined["title"], TITLE);
        let seq = ada.post("read this").await;
        vic.read_all().await.assert_text(seq, "read this");

        let refused = vic.try_post("let me write").await;
        assert_eq!(refused.code(), "view_only");
        let sentences = refused.text().matches(". ").count() + 1;
        assert!(
            sentences <= 2 && refused.text().contains("full link"),
            "{}",
            refused.text()
        );
        let relay = vic.server.call_agreed("mode", json!({ "set": "relay" })).await.0;
        assert_eq!(relay.code(), "view_only", "{}", relay.text());

        // What it hands on is again a view link.
        let again = vic.server.call("share", json!({ "session": TITLE })).await;
        assert_eq!(again.structured()["link_allows"], "view");
        let note = std::fs::read_to_string(again.structured()["handoff_file"].as_str().unwrap()).unwrap();
        assert_eq!(link_in(&note), link);

        // Past the client, by hand: the plane refuses.
        let vera = Outsider::join(&link, "Vera").await;
        let head = start_of(vera.me.session_id());
        let (status, problem) = vera.post(&vera.message("let me write", head)).await;
        assert_eq!(
            (status.as_u16(), &problem["code"]),
            (403, &json!("view_only")),
            "{problem}"
        );

        let who = ada.server.call("who", json!({})).await;
        let may_write = |name: &str| {
            let rows = who.structured()["participants"].as_array().unwrap().clone();
            rows.iter()
                .find(|row| row["name"] == name)
                .unwrap_or_else(|| panic!("{rows:?}"))["may_write"]
                .clone()
        };
        assert_eq!(
            (may_write("Ada"), may_write("Vic"), may_write("Vera")),
            (json!(true), json!(false), json!(false))
        );
        assert!(!ada.read_all().await.0.to_string().contains("let me write"));
    }
}

#[tokio::test]
async fn somebody_who_got_the_full_link_later_may_write_under_the_same_id() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut ada = Agent::on(plane.owner().with("DEVPILOT_NAME", "Ada")).await;
    ada.server
        .call("share", json!({ "title": TITLE, "context": CONTEXT }))
        .await
        .structured();
    let full = ada.machine.link();
    let mut vic = Agent::joined("Vic", &view_link(&full)).await;
    let id = vic.id().await;
    assert_eq!(vic.try_post("not yet").await.code(), "view_only");

    let joined = vic.server.call("join", json!({ "link": full })).await;
    assert_eq!(joined.structured()["may_write"], true, "{}", joined.text());
    assert_eq!(joined.structured()["my_id"], id);
    let seq = vic.post("now I may").await;
    let read = ada.read_all().await;
    read.assert_text(seq, "now I may");
    assert_eq!(read.at(seq)["from_id"], id);
}
