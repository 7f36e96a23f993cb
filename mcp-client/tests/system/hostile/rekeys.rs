//! A re-key that the plane offers: by somebody else, by a made-up owner, by somebody who was removed, changed on the way,
//! without this reader, by an administrator.

use axum::http::{Method, StatusCode};
use seal::identity::Identity;
use seal::keys::EpochKeys;
use seal::rekey::{self, History, Kept};
use seal::secret::FullSecret;
use serde_json::{Value, json};
use wire::encoding::to_base64url;
use wire::epoch_record::{EntryCapability, EpochRecord};
use wire::ids::ParticipantId;

use super::plane::HostilePlane;
use crate::outsider::Outsider;
use crate::scene::{Agent, Scene};

/// Ada owns the session; Ben's plane is in league with Mallory, who holds the full link.
struct Stage {
    scene: Scene,
    hostile: HostilePlane,
    ben: Agent,
    mallory: Outsider,
    ada_id: ParticipantId,
    ben_id: ParticipantId,
}

impl Stage {
    async fn set() -> Self {
        let mut scene = Scene::new().await;
        let hostile = HostilePlane::before(scene.plane.port()).await;
        let mut ben = Agent::joined("Ben", &scene.link_through(hostile.port())).await;
        Self {
            ada_id: scene.ada.id().await.parse().unwrap(),
            ben_id: ben.id().await.parse().unwrap(),
            mallory: Outsider::join(scene.link(), "Mallory").await,
            scene,
            hostile,
            ben,
        }
    }

    /// Ben as the one who is kept, by his keys as everybody has them.
    async fn ben_kept(&self) -> Vec<Kept> {
        let keys = self.mallory.keys_of(&self.ben_id).await;
        vec![Kept::new(keys, EntryCapability::Full).unwrap()]
    }

    /// Mallory as owner in her own name.
    async fn by_mallory(&self) -> Vec<u8> {
        let kept = self.ben_kept().await;
        rekey::by_owner(
            &self.mallory.keys,
            &self.mallory.me,
            secret(),
            kept,
            History::Closed,
        )
        .unwrap()
        .record
    }

    /// In Ada's name, sealed with Mallory's private key, since there is no other.
    fn as_ada(&self, kept: Vec<Kept>) -> Vec<u8> {
        let made = rekey::by_owner(
            &self.mallory.keys,
            &self.mallory.me,
            secret(),
            kept,
            History::Closed,
        );
        let mut record = EpochRecord::parse(&made.unwrap().record).unwrap();
        record.owner = Some(self.ada_id);
        record.to_bytes()
    }

    /// In Ada's name, by who has neither her key nor any secret of the epoch before.
    async fn without_the_old_secret(&self, old_epoch: u32) -> Vec<u8> {
        let (made_up, _) = EpochKeys::open_epoch(self.mallory.me.session_id(), old_epoch, secret());
        let kept = self.ben_kept().await;
        let made = rekey::by_owner(&made_up, &self.mallory.me, secret(), kept, History::Closed);
        let mut record = EpochRecord::parse(&made.unwrap().record).unwrap();
        record.owner = Some(self.ada_id);
        record.to_bytes()
    }

    /// Ada re-keys at her terminal: Ben stays, Mallory is out.
    #[cfg(target_os = "linux")]
    async fn true_rekey(&self) {
        let short = |id: &ParticipantId| id.to_string()[..8].to_owned();
        let command = format!(
            "rekey --keep {} --drop {} --history keep",
            short(&self.ben_id),
            short(self.mallory.me.participant_id())
        );
        let ran = crate::stdio::terminal::at_terminal(&self.scene.ada.machine, &command, "rekey\n").await;
        assert_eq!(ran.code(), 0, "{ran}");
    }

    fn by_admin(&self) -> Vec<u8> {
        rekey::by_admin(self.mallory.me.session_id(), 1, secret())
            .unwrap()
            .record
    }

    /// Shows the record at the end of the transcript.
    fn show(&self, record: &[u8]) {
        let parsed = EpochRecord::parse(record).unwrap();
        let owner = parsed.owner;
        let mut shown =
            json!({ "epoch": parsed.epoch, "class": "epoch", "epoch_record": to_base64url(record) });
        if let Some(owner) = owner {
            shown["sender"] = json!(owner.to_string());
        }
        self.hostile.tell_history(move |records| {
            let mut shown = shown.clone();
            shown["at"] = records[0]["at"].clone();
            shown["seq"] = json!(records.len() + 1);
            records.push(shown);
        });
    }

    /// Says that Ben's token is over, and hands the record to him when he asks.
    fn hand_out(&self, record: &[u8]) {
        let record = to_base64url(record);
        self.hostile.tell(move |asked, answer| {
            if asked.is(Method::POST, "rejoin") {
                answer.status = StatusCode::OK;
                answer.body = json!({ "epoch_records": [record] });
            } else if asked.is(Method::POST, "participants") {
                panic!("nobody returns under a secret of the plane's making");
            } else {
                answer.status = StatusCode::UNAUTHORIZED;
                answer.body = json!({
                    "type": "about:blank", "title": "Rekeyed", "status": 401, "detail": "Read the epoch records.",
                    "code": "rekeyed", "epoch": 2,
                });
            }
        });
    }

    /// Ben reads nothing new and posts nothing, and says why.
    async fn assert_stopped(mut self, error: &str) {
        for round in ["at once", "after a restart"] {
            let refused = self.ben.try_post("under whose key?").await;
            assert_eq!(refused.code(), error, "{round}: {}", refused.text());
            let read = self.ben.server.call("read", json!({ "since": 0 })).await;
            if !read.failed() {
                let first = &read.structured()["messages"][0];
                assert_eq!(
                    first["text"],
                    crate::scene::CONTEXT,
                    "what was read stays readable"
                );
                let said = read.0.to_string();
                let warned = read.structured()["warnings"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .any(|warning| warning.as_str().unwrap().contains("re-key"));
                assert!(said.contains(error) || warned, "{round}: {said}");
            }
            self.ben = self.ben.restarted().await;
        }
        self.hostile.tell_the_truth();
        let ada = self.scene.ada.read_all().await;
        assert!(!ada.0.to_string().contains("under whose key?"));
    }
}

fn secret() -> FullSecret {
    FullSecret::random().unwrap()
}

#[tokio::test]
async fn a_rekey_by_somebody_else_is_not_the_owner_s() {
    let stage = Stage::set().await;
    let record = stage.by_mallory().await;
    stage.show(&record);
    stage.assert_stopped("rekey_not_owner").await;

    let stage = Stage::set().await;
    let record = stage.by_mallory().await;
    stage.hand_out(&record);
    stage.assert_stopped("rekey_not_owner").await;
}

#[tokio::test]
async fn a_rekey_in_the_owner_s_name_does_not_open_without_her_key() {
    let stage = Stage::set().await;
    let record = stage.as_ada(stage.ben_kept().await);
    stage.show(&record);
    stage.assert_stopped("rekey_auth").await;

    let stage = Stage::set().await;
    let record = stage.as_ada(stage.ben_kept().await);
    stage.hand_out(&record);
    stage.assert_stopped("rekey_auth").await;
}

#[tokio::test]
async fn a_plane_alone_has_no_secret_to_seal_a_rekey_with() {
    let stage = Stage::set().await;
    let record = stage.without_the_old_secret(1).await;
    stage.show(&record);
    stage.assert_stopped("rekey_auth").await;

    let stage = Stage::set().await;
    let record = stage.without_the_old_secret(1).await;
    stage.hand_out(&record);
    stage.assert_stopped("rekey_auth").await;
}

/// Who owns the session is not the plane's to say anew: not when this reader left and comes back by its link.
#[tokio::test]
async fn a_return_does_not_change_who_owns_the_session() {
    let mut stage = Stage::set().await;
    let left = stage.ben.machine.run(["leave"], b"").await;
    assert_eq!(left.code(), 0, "{left}");
    let record = to_base64url(&stage.by_mallory().await);
    let mallory = *stage.mallory.me.participant_id();
    stage.hostile.tell(move |asked, answer| {
        if asked.is(Method::POST, "participants") {
            let first = answer.body["epoch_records"][0].as_str().unwrap();
            let mut first = EpochRecord::parse(&wire::encoding::from_base64url(first).unwrap()).unwrap();
            first.owner = Some(mallory);
            answer.body["epoch_records"][0] = json!(to_base64url(&first.to_bytes()));
        } else if asked.is(Method::POST, "rejoin") {
            answer.status = StatusCode::OK;
            answer.body = json!({ "epoch_records": [record] });
        } else if asked.is(Method::GET, "records") {
            answer.status = StatusCode::UNAUTHORIZED;
            answer.body = json!({
                "type": "about:blank", "title": "Rekeyed", "status": 401, "detail": "Read the epoch records.",
                "code": "rekeyed", "epoch": 2,
            });
        }
    });
    let link = stage.scene.link_through(stage.hostile.port());
    for round in ["at once", "after a restart"] {
        let refused = stage.ben.server.call("join", json!({ "link": link })).await;
        assert_eq!(refused.code(), "rollback", "{round}: {}", refused.text());
        stage.ben = stage.ben.restarted().await;
    }
}

/// The plane with somebody who was removed: she holds the old link, and all that the plane has, and gets nobody over.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn who_was_removed_moves_nobody_with_the_planes_help() {
    // Ben has not heard of the true one yet, and hers takes its place.
    let stage = Stage::set().await;
    let (own_name, ada_s) = (stage.by_mallory().await, stage.as_ada(stage.ben_kept().await));
    stage.true_rekey().await;
    stage.hand_out(&own_name);
    stage.assert_stopped("rekey_not_owner").await;

    let stage = Stage::set().await;
    stage.true_rekey().await;
    stage.hand_out(&ada_s);
    // Another session's record, even of the same people, is no record of this one.
    stage.assert_stopped("epoch_record_malformed").await;

    let stage = Stage::set().await;
    let ada_s = stage.as_ada(stage.ben_kept().await);
    stage.true_rekey().await;
    stage.hand_out(&ada_s);
    stage.assert_stopped("rekey_auth").await;

    // Ben has moved over; hers comes on top.
    for (named, error) in [(true, "rekey_not_owner"), (false, "rekey_auth")] {
        let mut stage = Stage::set().await;
        let mut record = stage.without_the_old_secret(2).await;
        if named {
            let mut hers = EpochRecord::parse(&record).unwrap();
            hers.owner = Some(*stage.mallory.me.participant_id());
            record = hers.to_bytes();
        }
        stage.true_rekey().await;
        stage.ben.read_all().await;
        stage.hand_out(&record);
        stage.assert_stopped(error).await;
    }
}

/// What the record says of the new epoch is bound to every entry: one bit of it changed, and none opens.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_true_rekey_changed_on_the_way_does_not_open() {
    // Posting key, full verifier, history.
    for at in [86, 22, 200] {
        let stage = Stage::set().await;
        stage.true_rekey().await;
        stage.hostile.tell(move |asked, answer| {
            if asked.is(Method::POST, "rejoin") {
                let record = answer.body["epoch_records"][0].as_str().unwrap();
                let mut record = wire::encoding::from_base64url(record).unwrap();
                record[at] ^= 1;
                answer.body = json!({ "epoch_records": [to_base64url(&record)] });
            }
        });
        stage.assert_stopped("rekey_auth").await;
    }
}

/// By a link of a person's, too, nobody is moved to a record that the link does not fit.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_record_that_does_not_fit_the_new_link_is_not_come_in_by() {
    let mut stage = Stage::set().await;
    let session = stage.mallory.me.session_id().to_string();
    let command = format!("rekey --admin {session}");
    let ran = crate::stdio::terminal::at_terminal(&stage.scene.ada.machine, &command, "rekey\n").await;
    assert_eq!(ran.code(), 0, "{ran}");
    let port = stage.scene.plane.port();
    let link = crate::stdio::link_in(&ran.stdout)
        .replace(&format!(":{port}/"), &format!(":{}/", stage.hostile.port()));
    let other = to_base64url(&stage.by_admin());
    stage.hostile.tell(move |asked, answer| {
        if asked.is(Method::POST, "participants") && answer.body["epoch_records"].is_array() {
            answer.body["epoch_records"][1] = json!(other);
        }
    });
    let refused = stage.ben.server.call("join", json!({ "link": link })).await;
    assert_eq!(refused.code(), "verifier_mismatch", "{}", refused.text());
    stage.hostile.tell_the_truth();
    let (eva, joined) = Agent::join("Eva", &link).await;
    joined.structured();
    drop(eva);
}

#[tokio::test]
async fn a_rekey_without_this_reader_stops_it() {
    let stage = Stage::set().await;
    let nobody = Identity::random(*stage.mallory.me.session_id()).unwrap();
    let kept = vec![Kept::new(nobody.public(), EntryCapability::Full).unwrap()];
    let record = stage.as_ada(kept);
    stage.hand_out(&record);
    stage.assert_stopped("rekey_removed").await;
}

#[tokio::test]
async fn an_administrator_s_rekey_waits_for_a_link_from_a_person() {
    let stage = Stage::set().await;
    let record = stage.by_admin();
    stage.hand_out(&record);
    stage.assert_stopped("new_link_needed").await;
}

#[tokio::test]
async fn what_is_shown_under_a_false_epoch_is_not_taken_in() {
    let stage = Stage::set().await;
    let record = stage.by_mallory().await;
    stage.show(&record);
    let mut ben = stage.ben;
    let read = ben.read_all().await;
    assert_eq!(read.integrity(), ("failed", "rekey_not_owner"));
    let events: Vec<&Value> = read.0["events"].as_array().unwrap().iter().collect();
    assert!(
        !events
            .iter()
            .any(|event| event["text"].as_str().unwrap().contains("re-keyed")),
        "{events:?}"
    );
}
