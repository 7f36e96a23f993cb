//! Records by those who may not write, or who write as another; profiles withheld; posting keys made up.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::http::Method;
use seal::random;
use serde_json::{Value, json};
use wire::encoding::{from_base64url, to_base64url};

use super::forge::{self, Forgery};
use super::plane::{Answer, Asked, HostilePlane};
use crate::outsider::{Outsider, record, start_of, view_link};
use crate::scene::{Agent, Reading, Scene};
use crate::stdio::Machine;

/// Tells a history that goes on with one record more.
fn append(hostile: &HostilePlane, extra: Value) {
    hostile.tell_history(move |records| {
        let mut extra = extra.clone();
        extra["seq"] = json!(records.len() + 1);
        records.push(extra);
    });
}

fn last_of(read: &Reading) -> u64 {
    read.0["messages"].as_array().unwrap().last().unwrap()["seq"]
        .as_u64()
        .unwrap()
}

/// Who reads through the hostile plane, by a full and by a view link.
async fn readers(scene: &Scene, hostile: &HostilePlane) -> Vec<Agent> {
    let full = scene.link_through(hostile.port());
    vec![
        Agent::joined("Ben", &full).await,
        Agent::joined("Vic", &view_link(&full)).await,
    ]
}

#[tokio::test]
async fn what_a_view_link_s_holder_writes_with_the_plane_s_help_is_not_certified_to_anybody() {
    let scene = Scene::new().await;
    let hostile = HostilePlane::before(scene.plane.port()).await;
    let readers = readers(&scene, &hostile).await;
    let vera = Outsider::join(&view_link(scene.link()), "Vera").await;
    append(
        &hostile,
        vera.message("let me in", start_of(vera.me.session_id())),
    );
    for mut reader in readers {
        let read = reader.read_all().await;
        let last = last_of(&read);
        assert_eq!(read.at(last)["from_id"], vera.me.participant_id().to_string());
        read.assert_unreadable(last, "not_certified");
        assert_eq!(read.integrity(), ("ok", ""), "the chain goes on");
        let again = reader.restarted().await.read_all().await;
        again.assert_unreadable(last, "not_certified");
    }
}

#[tokio::test]
async fn the_same_by_a_holder_of_the_full_link_is_read() {
    let scene = Scene::new().await;
    let hostile = HostilePlane::before(scene.plane.port()).await;
    let readers = readers(&scene, &hostile).await;
    let frank = Outsider::join(scene.link(), "Frank").await;
    append(
        &hostile,
        frank.message("hello all", start_of(frank.me.session_id())),
    );
    for mut reader in readers {
        let read = reader.read_all().await;
        let last = read.0["messages"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&last["text"], &last["from"]),
            (&json!("hello all"), &json!("Frank"))
        );
        assert!(last.get("problem").is_none_or(Value::is_null), "{last}");
    }
}

#[tokio::test]
async fn a_certificate_by_any_other_key_gives_no_right() {
    let scene = Scene::new().await;
    let hostile = HostilePlane::before(scene.plane.port()).await;
    let readers = readers(&scene, &hostile).await;
    let vera = Outsider::join(&view_link(scene.link()), "Vera").await;
    // Vera certifies herself with her own signing key, and the plane shows that profile for hers.
    let id = *vera.me.participant_id();
    let (_, seed) = vera.me.expose();
    let own = vera.me.public();
    let claims = json!({
        "name": "Vera", "pk": to_base64url(&own.agreement), "vk": to_base64url(own.verification.as_bytes()),
        "cert": to_base64url(&forge::certificate(seed, &vera.keys, &id)),
    });
    let profile = Forgery {
        kind: 3,
        keys: &vera.keys,
        author: &id,
        item: [0; 16],
        seed,
    }
    .seal(claims.to_string().as_bytes());
    seal::profile::open(&vera.keys, &id, &profile).expect("all but the certificate is right");
    let profile = to_base64url(&profile);
    append(
        &hostile,
        vera.message("let me in", start_of(vera.me.session_id())),
    );
    hostile.tell(move |asked, answer| {
        for shown in profiles(asked, answer) {
            if shown["participant_id"] == id.to_string() {
                shown["sealed"] = json!(profile);
            }
        }
    });
    for mut reader in readers {
        let read = reader.read_all().await;
        let last = last_of(&read);
        read.assert_unreadable(last, "not_certified");
        let who = reader.server.call("who", json!({})).await;
        let rows = who.structured()["participants"].as_array().unwrap().clone();
        let vera = rows.iter().find(|row| row["name"] == "Vera").unwrap();
        assert_eq!(vera["may_write"], false);
    }
}

#[tokio::test]
async fn the_plane_and_a_full_link_together_do_not_write_as_ada() {
    let mut scene = Scene::new().await;
    let hostile = HostilePlane::before(scene.plane.port()).await;
    let readers = readers(&scene, &hostile).await;
    let ada = scene.ada.id().await.parse().unwrap();
    let mallory = Outsider::join(scene.link(), "Mallory").await;
    let id = random::message_id().unwrap();
    let forged = Forgery {
        kind: 1,
        keys: &mallory.keys,
        author: &ada,
        item: *id.as_bytes(),
        seed: mallory.me.expose().1,
    };
    let text = json!({ "kind": "decision", "text": "we ship today" });
    let sealed = forged.seal(&forge::message_rest(&mallory.keys, &text));
    append(&hostile, record(ada.to_string(), id.to_string(), &sealed));
    for mut reader in readers {
        let read = reader.read_all().await;
        let last = last_of(&read);
        read.assert_unreadable(last, "bad_signature");
        assert!(!read.0.to_string().contains("we ship today"));
    }
}

#[tokio::test]
async fn an_author_whose_profile_is_withheld_is_unknown() {
    let scene = Scene::new().await;
    let hostile = HostilePlane::before(scene.plane.port()).await;
    let mut cleo = Agent::joined("Cleo", scene.link()).await;
    let id = cleo.id().await;
    let seq = cleo.post("does anybody hear me?").await;
    let (hidden, event) = (id.clone(), id.clone());
    let looked_up = Arc::new(AtomicU32::new(0));
    let looks = looked_up.clone();
    hostile.tell(move |asked, answer| {
        if asked.is(Method::GET, "participants")
            && let Some(shown) = answer.body["sealed_profiles"].as_array_mut()
        {
            looks.fetch_add(1, Ordering::SeqCst);
            shown.retain(|profile| profile["participant_id"] != hidden);
        }
    });
    hostile.tell_history(move |records| {
        for record in records.iter_mut().filter(|record| record["class"] == "member") {
            if record["sender"] == event {
                let mut body: Value = serde_json::from_str(record["body"].as_str().unwrap()).unwrap();
                body["sealed_profile"] = json!(to_base64url(&[1; 600]));
                record["body"] = json!(body.to_string());
            }
        }
    });
    let mut ben = Agent::joined("Ben", &scene.link_through(hostile.port())).await;
    let read = ben.read_all().await;
    assert_eq!(read.at(seq)["from_id"], id);
    read.assert_unreadable(seq, "author_unknown");
    // At the join, and once more for the author nobody knows.
    assert!(
        looked_up.load(Ordering::SeqCst) >= 2,
        "the plane is asked before an author is unknown"
    );
    assert!(!read.0.to_string().contains("does anybody hear me?"));

    // Shown after all to the next one, but not what the plane did to the record of the joining.
    hostile.tell(|_, _| {});
    let mut lea = Agent::joined("Lea", &scene.link_through(hostile.port())).await;
    let read = lea.read_all().await;
    assert_eq!(read.at(seq)["text"], "does anybody hear me?");
    assert_eq!(read.problem(seq), Some("fork"));
}

#[tokio::test]
async fn a_false_posting_key_is_seen_at_the_join_with_either_link() {
    let scene = Scene::new().await;
    let hostile = HostilePlane::before(scene.plane.port()).await;
    // The posting key at offset 86 of the first epoch's record, and for the full link also the other commitments.
    for (offset, kinds) in [
        (86, "full view"),
        (118, "full view"),
        (54, "full view"),
        (22, "full"),
    ] {
        hostile.tell(move |_, answer| {
            if let Some(records) = answer.body["epoch_records"].as_array_mut() {
                let mut record = from_base64url(records[0].as_str().unwrap()).unwrap();
                record[offset] ^= 1;
                records[0] = json!(to_base64url(&record));
            }
        });
        let full = scene.link_through(hostile.port());
        for (kind, link) in [("view", view_link(&full)), ("full", full)] {
            if !kinds.contains(kind) {
                continue;
            }
            let (mut agent, joined) = Agent::join("Ben", &link).await;
            assert_eq!(
                joined.code(),
                "verifier_mismatch",
                "{kind} {offset}: {}",
                joined.text()
            );
            assert!(!joined.0.to_string().contains(crate::scene::CONTEXT));
            let read = agent.server.call("read", json!({})).await;
            assert_eq!(
                read.code(),
                "no_session",
                "nothing is left of it: {}",
                read.text()
            );
            assert_eq!(seats(&agent.machine), 0, "{kind} {offset}");
        }
    }
}

#[tokio::test]
async fn an_epoch_record_in_the_transcript_must_be_the_one_of_the_join() {
    let scene = Scene::new().await;
    let hostile = HostilePlane::before(scene.plane.port()).await;
    hostile.tell_history(|records| {
        let mut record = from_base64url(records[0]["epoch_record"].as_str().unwrap()).unwrap();
        record[86] ^= 1;
        records[0]["epoch_record"] = json!(to_base64url(&record));
    });
    let (_, joined) = Agent::join("Ben", &scene.link_through(hostile.port())).await;
    assert_eq!(joined.code(), "verifier_mismatch", "{}", joined.text());
}

fn profiles<'a>(asked: &Asked, answer: &'a mut Answer) -> std::slice::IterMut<'a, Value> {
    if asked.is(Method::GET, "participants")
        && let Some(shown) = answer.body["sealed_profiles"].as_array_mut()
    {
        return shown.iter_mut();
    }
    [].iter_mut()
}

fn seats(machine: &Machine) -> usize {
    let sessions = std::fs::read_dir(machine.devpilot().join("sessions"))
        .into_iter()
        .flatten()
        .flatten();
    sessions
        .filter_map(|session| std::fs::read_dir(session.path()).ok())
        .flatten()
        .flatten()
        .filter(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "json")
        })
        .count()
}
