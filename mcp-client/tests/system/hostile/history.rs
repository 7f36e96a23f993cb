//! Histories that never happened: altered, swapped, replayed, dropped, reordered, forked, rolled back.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::Method;
use serde_json::{Value, json};

use super::plane::{HostilePlane, at, renumber};
use crate::scene::{Agent, Scene, share};

/// Ada, and Ben whose plane lies; Ada's posts 5, 6 and 7 were each written at the head before it.
struct Stage {
    scene: Scene,
    hostile: HostilePlane,
    ben: Agent,
    ben_id: String,
}

const FIRST: u64 = 5;
const TEXTS: [&str; 3] = ["first by Ada", "second by Ada", "third by Ada"];

impl Stage {
    async fn set() -> Self {
        let mut scene = Scene::new().await;
        let hostile = HostilePlane::before(scene.plane.port()).await;
        let mut ben = Agent::joined("Ben", &scene.link_through(hostile.port())).await;
        let ben_id = ben.id().await;
        for (seq, text) in (FIRST..).zip(TEXTS) {
            assert_eq!(scene.ada.post(text).await, seq);
        }
        Self {
            scene,
            hostile,
            ben,
            ben_id,
        }
    }

    /// Ben holds a fault against the plane: nothing more is accepted, nothing posted, also by a later process.
    async fn assert_failed(mut self, error: &str) {
        for round in ["at once", "after a restart"] {
            self.scene.ada.post("after the fault").await;
            let read = self.ben.server.call("read", json!({ "since": 0 })).await;
            assert!(
                !read.0.to_string().contains("after the fault"),
                "{round}: {}",
                read.0
            );
            if read.failed() {
                assert_eq!(
                    read.code(),
                    error,
                    "{round}: where there is nothing to show, the call says so"
                );
            } else {
                let integrity = &read.structured()["integrity"];
                assert_eq!(
                    (&integrity["state"], &integrity["error"]),
                    (&json!("failed"), &json!(error)),
                    "{round}"
                );
            }
            let refused = self.ben.try_post("into the void").await;
            assert_eq!(refused.code(), error, "{round}: {}", refused.text());
            self.ben = self.ben.restarted().await;
        }
        assert!(
            !self
                .scene
                .ada
                .read_all()
                .await
                .0
                .to_string()
                .contains("into the void")
        );
    }

    /// Ben holds it against `Ada` that she saw another history: he reads on, and posts after his human's word alone.
    async fn assert_warned(mut self, error: &str) {
        let read = self.ben.read_all().await;
        assert_eq!(read.integrity(), ("warning", error));
        let detail = read.0["integrity"]["detail"].as_str().unwrap();
        assert!(detail.contains("\"Ada\""), "the sender is named: {detail}");
        assert_eq!(read.0["mode"], "observe");
        for answer in [
            json!({ "action": "decline" }),
            json!({ "action": "accept" }),
            json!({ "action": "cancel" }),
        ] {
            let text = json!({ "text": "not without a person's word" });
            let id = self.ben.server.start_call("post", text).await;
            let (refused, _) = self.ben.server.answer_asked(id, &answer).await;
            assert_eq!(refused.code(), "not_acknowledged", "{answer}: {}", refused.text());
        }

        let seq = self.scene.ada.post("Ada goes on").await;
        let last = self.ben.read_all().await.0["messages"]
            .as_array()
            .unwrap()
            .last()
            .cloned();
        let last = last.unwrap();
        assert_eq!(last["text"], "Ada goes on", "reading goes on: {last}");
        assert_eq!(last["problem"], error, "and each such message says so: {last}");
        assert!(seq >= last["seq"].as_u64().unwrap());
        let (posted, questions) = self
            .ben
            .server
            .call_agreed("post", json!({ "text": "with a person's word" }))
            .await;
        assert_eq!(questions.len(), 1);
        assert!(questions[0].contains("Ada"), "{}", questions[0]);
        assert!(!posted.failed(), "{}", posted.text());
        let who = self.ben.server.call("who", json!({})).await;
        assert_eq!(
            who.structured()["integrity"]["state"],
            "ok",
            "a person has looked at it"
        );
    }
}

/// The sealed bytes with one bit of the ciphertext flipped.
fn altered(record: &mut Value) {
    let mut sealed = wire::encoding::from_base64url(record["sealed"].as_str().unwrap()).unwrap();
    sealed[100] ^= 1;
    record["sealed"] = json!(wire::encoding::to_base64url(&sealed));
}

#[tokio::test]
async fn an_honest_plane_gives_no_alarm() {
    let mut stage = Stage::set().await;
    stage.hostile.tell_history(|_| {});
    stage.hostile.tell(|_, _| {});
    let read = stage.ben.read_all().await;
    for (seq, text) in (FIRST..).zip(TEXTS) {
        read.assert_text(seq, text);
    }
    assert_eq!(read.integrity(), ("ok", ""));
    let seq = stage.ben.post("and Ben answers").await;
    stage
        .scene
        .ada
        .read_all()
        .await
        .assert_text(seq, "and Ben answers");
    assert_eq!(stage.ben.read_all().await.integrity(), ("ok", ""));
}

#[tokio::test]
async fn an_altered_message_does_not_open_and_the_chain_goes_on() {
    let mut stage = Stage::set().await;
    stage.hostile.tell_history(|records| altered(at(records, 7)));
    let read = stage.ben.read_all().await;
    read.assert_text(6, TEXTS[1]);
    read.assert_unreadable(7, "auth_failed");
    assert_eq!(
        read.integrity(),
        ("ok", ""),
        "what is damaged is said of the message alone"
    );
    // Ada's next message is written at the true head, which covers the spot.
    stage.scene.ada.post("after it").await;
    assert_eq!(stage.ben.read_all().await.problem(8), Some("fork"));
    stage.assert_warned("fork").await;
}

#[tokio::test]
async fn two_messages_that_changed_places_are_told_by_their_heads() {
    let mut stage = Stage::set().await;
    stage.hostile.tell_history(|records| {
        records.swap(4, 5);
        renumber(records);
    });
    let read = stage.ben.read_all().await;
    // The second was written when the first was there; the first before anything of the second.
    assert_eq!(read.problem(5), Some("head_ahead"));
    assert_eq!(read.problem(6), Some("head_regressed"));
    assert_eq!(read.problem(7), Some("fork"));
    stage.assert_warned("fork").await;
}

#[tokio::test]
async fn a_message_served_again_is_a_replay() {
    let stage = Stage::set().await;
    stage.hostile.tell_history(|records| {
        let mut again = at(records, 5).clone();
        again["seq"] = json!(8);
        records.insert(7, again);
        renumber(records);
    });
    stage.assert_failed("replay").await;
}

#[tokio::test]
async fn a_record_of_another_epoch_is_out_of_order() {
    let stage = Stage::set().await;
    stage
        .hostile
        .tell_history(|records| at(records, 6)["epoch"] = json!(2));
    stage.assert_failed("epoch_order").await;
}

#[tokio::test]
async fn records_that_come_in_another_order_are_a_gap() {
    let stage = Stage::set().await;
    stage.hostile.tell_history(|records| records.swap(5, 6));
    stage.assert_failed("seq_gap").await;
}

#[tokio::test]
async fn a_record_left_out_is_a_gap() {
    let mut stage = Stage::set().await;
    let asked = Arc::new(AtomicU32::new(0));
    let count = asked.clone();
    stage.hostile.tell_history(|records| {
        records.remove(5);
    });
    stage.hostile.tell(move |call, _| {
        count.fetch_add(u32::from(call.is(Method::GET, "records")), Ordering::SeqCst);
    });
    stage.ben.read_all().await;
    assert_eq!(
        asked.load(Ordering::SeqCst),
        2,
        "it is read once more before it is held against the plane"
    );
    stage.assert_failed("seq_gap").await;
}

#[tokio::test]
async fn a_record_left_out_and_hidden_by_new_numbers_is_told_by_the_next_head() {
    let mut stage = Stage::set().await;
    stage.hostile.tell_history(|records| {
        records.remove(5);
        renumber(records);
    });
    // Ada wrote her third message at head 6; here it stands at 6 itself.
    assert_eq!(stage.ben.read_all().await.problem(6), Some("head_ahead"));
    stage.assert_warned("head_ahead").await;
}

#[tokio::test]
async fn an_event_moved_behind_a_message_is_told_by_the_next_head() {
    let mut stage = Stage::set().await;
    let _cleo = Agent::joined("Cleo", stage.scene.link()).await;
    stage.scene.ada.post("after Cleo came").await;
    stage.hostile.tell_history(|records| {
        records.swap(6, 7);
        renumber(records);
    });
    let read = stage.ben.read_all().await;
    read.assert_text(8, TEXTS[2]);
    assert_eq!(read.problem(9), Some("fork"));
    stage.assert_warned("fork").await;
}

#[tokio::test]
async fn two_histories_are_told_apart_at_the_first_message_that_crosses() {
    let mut stage = Stage::set().await;
    let _cleo = Agent::joined("Cleo", stage.scene.link()).await;
    stage.hostile.tell_history(|records| {
        let joined = at(records, 8);
        joined["body"] = json!(json!({ "event": "left", "participant_id": joined["sender"] }).to_string());
    });
    // Ben writes at his own history's head, which differs from Ada's at 8.
    let seq = stage.ben.post("across the fork").await;
    let read = stage.scene.ada.read_all().await;
    assert_eq!(read.at(seq)["from_id"], stage.ben_id);
    assert_eq!(read.problem(seq), Some("fork"));
    assert_eq!(read.integrity(), ("warning", "fork"));
    assert!(
        read.0["integrity"]["detail"]
            .as_str()
            .unwrap()
            .contains("\"Ben\"")
    );
    assert_eq!(stage.scene.ada.try_post("no").await.code(), "not_acknowledged");
    // And the other way, once Ada goes on after her human's word.
    stage.scene.ada.post("back across the fork").await;
    stage.assert_warned("fork").await;
}

#[tokio::test]
async fn a_plane_that_goes_back_is_caught_by_the_head_that_was_kept() {
    let mut stage = Stage::set().await;
    stage.ben.read_all().await.assert_text(7, TEXTS[2]);
    stage.hostile.tell_history(|records| records.truncate(5));
    stage.assert_failed("rollback").await;
}

#[tokio::test]
async fn another_history_before_the_kept_head_is_a_rollback_even_to_a_client_that_lost_its_cache() {
    let mut stage = Stage::set().await;
    stage.ben.read_all().await.assert_text(7, TEXTS[2]);
    stage.ben.server.kill().await;
    std::fs::remove_dir_all(stage.ben.machine.devpilot().join("cache")).unwrap();
    stage.hostile.tell_history(|records| altered(at(records, 6)));
    stage.ben = Agent::on(stage.ben.machine).await;
    stage.assert_failed("rollback").await;
}

#[tokio::test]
async fn a_message_under_another_s_name_does_not_open() {
    let mut stage = Stage::set().await;
    let mut cleo = Agent::joined("Cleo", stage.scene.link()).await;
    let id = cleo.id().await;
    stage
        .hostile
        .tell_history(move |records| at(records, 7)["sender"] = json!(id));
    let read = stage.ben.read_all().await;
    read.assert_unreadable(7, "auth_failed");
    assert_eq!(read.integrity(), ("ok", ""));
}

#[tokio::test]
async fn a_message_under_the_reader_s_own_name_is_not_its_own() {
    let stage = Stage::set().await;
    let id = stage.ben_id.clone();
    stage
        .hostile
        .tell_history(move |records| at(records, 6)["sender"] = json!(id));
    stage.assert_failed("own_record_mismatch").await;
}

#[tokio::test]
async fn a_record_of_another_session_does_not_open() {
    let mut stage = Stage::set().await;
    let (mut other, link) = share(&stage.scene.plane, "Another session", "of Ada's").await;
    other.post("said elsewhere").await;
    let foreign = HostilePlane::before(stage.scene.plane.port()).await;
    let seen: Arc<Mutex<Option<Value>>> = Arc::default();
    let seeing = seen.clone();
    foreign.tell_history(move |records| *seeing.lock().unwrap() = records.last().cloned());
    let port = foreign.port();
    let link = link.replace(&format!(":{}/", stage.scene.plane.port()), &format!(":{port}/"));
    let mut dan = Agent::joined("Dan", &link).await;
    other.post("said elsewhere again").await;
    dan.read_all().await;
    let record = seen.lock().unwrap().clone().unwrap();
    assert_eq!(record["class"], "message");

    stage.hostile.tell_history(move |records| {
        let moved = at(records, 7);
        moved["sealed"] = record["sealed"].clone();
        moved["item_id"] = record["item_id"].clone();
    });
    stage.ben.read_all().await.assert_unreadable(7, "auth_failed");
}

#[tokio::test]
async fn a_post_that_was_confirmed_and_left_out_is_missed_by_its_author() {
    let mut stage = Stage::set().await;
    let seq = stage.ben.post("Ben was here").await;
    stage.hostile.tell_history(move |records| {
        records.retain(|record| record["seq"] != seq);
        renumber(records);
    });
    stage.scene.ada.post("in its place").await;
    stage.assert_failed("own_record_mismatch").await;
}

#[tokio::test]
async fn a_post_that_was_confirmed_and_changed_is_not_what_was_sent() {
    let mut stage = Stage::set().await;
    let seq = stage.ben.post("Ben was here").await;
    stage
        .hostile
        .tell_history(move |records| altered(at(records, seq)));
    stage.assert_failed("own_record_mismatch").await;
}

#[tokio::test]
async fn a_post_is_not_taken_for_stored_under_a_number_that_lies_behind() {
    let mut stage = Stage::set().await;
    stage.ben.read_all().await;
    stage.hostile.tell(|asked, answer| {
        if asked.is(Method::POST, "records") {
            answer.body["seq"] = json!(2);
        }
    });
    let refused = stage.ben.try_post("where did it go").await;
    assert_eq!(refused.code(), "own_record_mismatch", "{}", refused.text());
}

#[tokio::test]
async fn a_gap_that_closes_when_read_once_more_is_no_fault() {
    let mut stage = Stage::set().await;
    let asked = AtomicU32::new(0);
    stage.hostile.tell(move |call, answer| {
        if call.is(Method::GET, "records") && asked.fetch_add(1, Ordering::SeqCst) == 0 {
            answer.body["records"].as_array_mut().unwrap().remove(0);
        }
    });
    let read = stage.ben.read_all().await;
    assert_eq!(read.integrity(), ("ok", ""));
    read.assert_text(7, TEXTS[2]);
    stage.hostile.tell_the_truth();
}
