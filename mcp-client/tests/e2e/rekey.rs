//! After an owner's re-key: those who stay go on by themselves, a message under way is stored once, those left out stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::Method;
use seal::identity::Identity;
use seal::keys::EpochKeys;
use seal::rekey::{self, History, Kept};
use seal::roster::Roster;
use serde_json::Value;
use wire::encoding::{Blob, from_base64url};
use wire::epoch_record::{EntryCapability, EpochRecord};
use wire::ids::ParticipantId;
use wire::token::TokenKind;

use crate::party::{Party, texts, through};
use crate::plane::TestPlane;
use crate::tamper::{Fate, Tamper};

fn seat(party: &Party, session: &str) -> Value {
    let folder = party.home().join("sessions").join(session);
    let file = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|end| end == "json"))
        .unwrap();
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn bytes(value: &Value) -> [u8; 32] {
    from_base64url(value.as_str().unwrap())
        .unwrap()
        .try_into()
        .unwrap()
}

/// What the owner's client will do: draw a new secret and seal it to those named. Gives the new link's text.
async fn rekey(plane: &TestPlane, owner: &Party, session: &str, keep: &[(&str, EntryCapability)]) -> String {
    let seat = seat(owner, session);
    let id = session.parse().unwrap();
    let epoch = seat["secrets"]
        .as_object()
        .unwrap()
        .keys()
        .map(|epoch| epoch.parse::<u32>().unwrap())
        .max()
        .unwrap();
    let record = from_base64url(seat["epoch_records"][epoch.to_string()].as_str().unwrap()).unwrap();
    let record = EpochRecord::parse(&record).unwrap();
    let secret = bytes(&seat["secrets"][epoch.to_string()]["full"]);
    let secret = seal::secret::LinkSecret::from_bytes(seal::secret::LinkKind::Full, secret);
    let old = EpochKeys::check(&record, secret).unwrap();
    let identity = &seat["identity"];
    let me = Identity::from_bytes(id, &bytes(&identity["sk"]), &bytes(&identity["seed"]));
    let people = serde_json::from_value(seat["people"].clone()).unwrap();
    let roster = Roster::from_state(id, people).unwrap();
    let mut kept = Vec::new();
    let own = me.participant_id().to_string();
    for (who, capability) in keep
        .iter()
        .copied()
        .chain([(own.as_str(), EntryCapability::Full)])
    {
        let who: ParticipantId = who.parse().unwrap();
        kept.push(Kept::new(roster.get(&who).unwrap().keys.clone(), capability).unwrap());
    }
    let nonce = seal::random::Nonce::random().unwrap();
    let secret = seal::secret::FullSecret::random().unwrap();
    let new = rekey::by_owner(&old, &me, secret, kept, History::Open(nonce)).unwrap();
    let (_, token) = TokenKind::parse(&plane.token).unwrap();
    let owner_user = plane.service.machine_caller(&token).await.unwrap();
    let request = wire::api::Rekey {
        epoch_record: Blob(new.record),
        rejoin_secret: Some(me.rejoin_secret()),
    };
    plane.service.rekey(&owner_user, id, request).await.unwrap();
    let link = seal::link::Link {
        origin: plane.origin.clone(),
        session_id: id,
        epoch: epoch + 1,
        secret: new.keys.link_secret(seal::secret::LinkKind::Full).unwrap(),
    };
    link.to_text().to_string()
}

#[tokio::test]
async fn those_who_stay_go_on_and_those_left_out_stop() {
    let plane = TestPlane::start().await;
    let (ana, sam, eve) = (
        Party::new("Ana", &plane),
        Party::new("Sam", &plane),
        Party::new("Eve", &plane),
    );
    let shared = ana.share("Rekey", "start").await;
    let old_link = shared.link.unwrap();
    let sam_id = sam.join(&old_link).await.my_id;
    eve.join(&old_link).await;
    ana.who().await;
    let new_link = rekey(&plane, &ana, &shared.session, &[(&sam_id, EntryCapability::Full)]).await;

    sam.post("after the re-key").await;
    assert_eq!(texts(&ana.read().await), ["after the re-key"]);
    ana.post("me too").await;
    let read = sam.read().await;
    assert_eq!(texts(&read), ["me too"]);
    assert_eq!(read.integrity.state, "ok");

    // The old S is gone from the disk, the old R is kept.
    let kept = seat(&sam, &shared.session);
    assert!(kept["secrets"]["1"].get("view").is_some() && kept["secrets"]["2"].get("full").is_some());

    assert_eq!(
        eve.try_post("let me in").await.unwrap_err().code(),
        "rekey_removed"
    );
    assert_eq!(texts(&eve.read_all().await), ["start"]);

    // The old link is dead and says so; the new one opens the history as well.
    let late = Party::new("Late", &plane);
    let failure = late.try_join(&old_link).await.unwrap_err();
    assert_eq!(failure.code(), "rekeyed");
    assert!(failure.message().contains("Ask for the new one") && failure.message().contains("does not help"));
    let joined = late.join(&new_link).await;
    assert_eq!(joined.card.handoff.unwrap().text.as_deref(), Some("start"));
    assert_eq!(
        texts(&late.read_all().await),
        ["start", "after the re-key", "me too"]
    );
    // With the new link whoever was left out comes back under its old id.
    let back = eve.join(&new_link).await;
    assert!(back.may_write);
    eve.post("back again").await;
    assert_eq!(texts(&ana.read().await), ["back again"]);
}

#[tokio::test]
async fn a_participant_kept_with_a_view_secret_reads_on_and_writes_no_more() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("View", "start").await;
    let sam_id = sam.join(&shared.link.unwrap()).await.my_id;
    ana.who().await;
    rekey(&plane, &ana, &shared.session, &[(&sam_id, EntryCapability::View)]).await;
    ana.post("read this").await;
    assert_eq!(texts(&sam.read().await), ["read this"]);
    assert_eq!(sam.try_post("no").await.unwrap_err().code(), "view_only");
}

/// Ends Sam's next post open, stored or not, then re-keys; the same call must be one record either way.
async fn in_flight(stored: bool) {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, mut sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("In flight", "start").await;
    let sam_id = sam.join(&through(&shared.link.unwrap(), &way.origin)).await.my_id;
    ana.who().await;
    let seen = Arc::new(AtomicBool::new(false));
    let saw = seen.clone();
    if stored {
        way.rule(
            move |exchange| match (exchange.method, exchange.path.ends_with("/records")) {
                (&Method::POST, true) => {
                    saw.store(true, Ordering::SeqCst);
                    Fate::Page(500)
                }
                _ => Fate::Pass,
            },
        );
    } else {
        way.swallow("/records");
        seen.store(true, Ordering::SeqCst);
    }
    sam.try_post("in flight").await.unwrap_err();
    assert!(seen.load(Ordering::SeqCst));
    way.rule(|_| Fate::Pass);
    way.swallow("");
    rekey(&plane, &ana, &shared.session, &[(&sam_id, EntryCapability::Full)]).await;
    sam.restart();
    let posted = sam.post("in flight").await;
    // 4 is Sam's joining; stored before the re-key it is 5, else the re-key and the return come first.
    assert_eq!(posted.seq < 6, stored, "{}", posted.seq);
    sam.post("and on").await;
    assert_eq!(texts(&ana.read().await), ["in flight", "and on"]);
    assert_eq!(sam.read_all().await.integrity.state, "ok");
}

#[tokio::test]
async fn a_post_stored_before_the_re_key_is_found_to_be() {
    in_flight(true).await;
}

#[tokio::test]
async fn a_post_not_stored_before_the_re_key_is_sealed_anew() {
    in_flight(false).await;
}
