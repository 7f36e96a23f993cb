//! What is on disk when a request comes to the plane, and what the request says.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use axum::http::Method;
use mcp_client::verbs::{Ask, ModeArgs, SetTo};
use serde_json::Value;
use wire::encoding::from_base64url;
use wire::epoch_record::EpochRecord;
use wire::event::Kind;

use crate::admin::administrator;
use crate::auto::in_auto;
use crate::keeper::{rekey, rekey_as_admin};
use crate::party::{Party, texts, through};
use crate::plane::TestPlane;
use crate::rekey::seat;
use crate::tamper::{Exchange, Fate, Tamper};

/// What a test took down while requests were under way.
type Notes = Arc<Mutex<Vec<Value>>>;

/// Takes down what `look` makes of each post to a path with this end. The sender has no answer yet.
fn watch(way: &Tamper, end: &'static str, look: impl Fn(&Value) -> Value + Send + 'static) -> Notes {
    let notes = Notes::default();
    let taken = notes.clone();
    way.rule(move |exchange: Exchange<'_>| {
        if exchange.method == Method::POST && exchange.path.ends_with(end) {
            taken.lock().unwrap().push(look(exchange.request));
        }
        Fate::Pass
    });
    notes
}

#[tokio::test]
async fn an_owner_s_new_secret_and_record_are_on_disk_before_the_plane_hears_of_them() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let ana = Arc::new(Party::at("Ana", &way.origin, &plane.token, Kind::Agent));
    let session = ana.share("First", "start").await.session;
    let (watched, id) = (ana.clone(), session.clone());
    let notes = watch(&way, "/rekey", move |request| {
        let kept = seat(&watched, &id)["pending"]["rekey"].clone();
        assert_eq!(kept["record"], request["epoch_record"], "byte for byte");
        kept
    });
    rekey(&ana, &[]).await.unwrap();
    let notes = notes.lock().unwrap();
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["epoch"], 2);
    let secret = notes[0]["secret"].as_str().unwrap();
    assert_eq!(
        seat(&ana, &session)["secrets"]["2"]["full"],
        secret,
        "the one that is in force"
    );
}

#[tokio::test]
async fn an_owner_holds_the_new_epoch_before_it_asks_for_anything_under_it() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let ana = Arc::new(Party::at("Ana", &way.origin, &plane.token, Kind::Agent));
    let session = ana.share("Held", "start").await.session;
    let (watched, id) = (ana.clone(), session.clone());
    let notes = watch(&way, "/rejoin", move |_| seat(&watched, &id));
    rekey(&ana, &[]).await.unwrap();
    let notes = notes.lock().unwrap();
    assert!(notes[0]["secrets"]["2"]["full"].is_string());
    assert!(notes[0]["epoch_records"]["2"].is_string());
    assert_eq!(notes[0]["pending"], Value::Null);
    assert!(
        notes[0]["secrets"]["1"].get("full").is_none(),
        "the old S is gone"
    );
}

#[tokio::test]
async fn an_administrator_s_record_is_on_disk_for_its_user_alone_before_the_plane_hears_of_it() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let session = Party::new("Ana", &plane).share("Desk", "start").await.session;
    let admin = administrator(&plane, &way.origin).await;
    let file = admin.home().join("rekeys").join(format!("{session}.json"));
    let watched = file.clone();
    let notes = watch(&way, "/rekey", move |request| {
        let record = from_base64url(request["epoch_record"].as_str().unwrap()).unwrap();
        if EpochRecord::parse(&record).unwrap().epoch == u32::MAX {
            // It can't come into force: the plane's refusal names the epoch that is.
            return Value::Null;
        }
        let kept: Value = serde_json::from_slice(&std::fs::read(&watched).unwrap()).unwrap();
        let mode = std::fs::metadata(&watched).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        assert_eq!(kept["record"], request["epoch_record"], "byte for byte");
        kept["epoch"].clone()
    });
    let (answer, _link) = rekey_as_admin(&admin, &session).await.unwrap();
    let notes = notes.lock().unwrap();
    assert_eq!(notes.last(), Some(&Value::from(answer.epoch)));
    assert!(!file.exists(), "the link was shown");
}

#[tokio::test]
async fn who_returns_keeps_the_new_secret_and_the_profile_that_it_sends_first() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Arc::new(Party::new("Sam", &plane)));
    let shared = ana.share("Return", "start").await;
    let sam_id = sam.join(&through(&shared.link.unwrap(), &way.origin)).await.my_id;
    let (watched, id) = (sam.clone(), shared.session.clone());
    let notes = watch(&way, "/participants", move |request| {
        let kept = seat(&watched, &id);
        assert!(kept["profiles"]["2"].is_string(), "{:?}", kept["profiles"]);
        assert_eq!(
            kept["profiles"]["2"], request["participant"]["sealed_profile"],
            "byte for byte"
        );
        assert!(kept["epoch_records"]["2"].is_string());
        kept["secrets"]["2"].clone()
    });
    rekey(&ana, &[&sam_id]).await.unwrap();
    sam.read().await;
    let notes = notes.lock().unwrap();
    assert_eq!(notes.len(), 1, "one return");
    // Both hold the same S'.
    assert!(notes[0]["full"].is_string());
    assert_eq!(notes[0], seat(&ana, &shared.session)["secrets"]["2"]);
}

#[tokio::test]
async fn an_agent_s_post_in_auto_is_for_auto_alone_and_no_other_post_is() {
    let plane = TestPlane::start().await;
    let (ana, sam, way, session) = in_auto(&plane).await;
    let pat = Party::of_kind("Pat", &plane, Kind::Human);
    pat.join(&through(&ana.link(&session).await, &way.origin)).await;
    let modes = watch(&way, "/records", |request| request["expect_mode"].clone());
    assert_eq!(sam.post("of its own").await.mode, "auto");
    pat.post("a person's").await;
    assert_eq!(sam.mode(ModeArgs::default()).await.unwrap().mode, "auto");
    ana.set_mode(SetTo::Stop).await.unwrap();
    let stopped = sam.read().await;
    assert_eq!(stopped.mode, "observe");
    // A late reply goes nowhere at all; what follows is at its human's word.
    assert_eq!(sam.try_post("late").await.unwrap_err().code(), "auto_over");
    sam.post("at my human's word").await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    sam.read().await;
    assert_eq!(sam.post("in relay").await.mode, "relay");
    let expected = [Value::from("auto"), Value::Null, Value::Null, Value::Null];
    assert_eq!(*modes.lock().unwrap(), expected);
}

/// Its number is known and the records before it are not read yet: another process of the seat, or the next one, must know
/// it as its own all the same.
#[tokio::test]
async fn a_post_behind_one_that_was_not_read_yet_is_known_as_one_s_own_after_a_restart() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, mut sam) = (Arc::new(Party::new("Ana", &plane)), Party::new("Sam", &plane));
    let shared = ana.share("Own", "start").await;
    sam.join(&through(&shared.link.unwrap(), &way.origin)).await;
    let first = ana.clone();
    way.overtake("/records", false, async move {
        first.post("first").await;
    });
    let own = sam.post("second").await.seq;
    sam.restart();
    let read = sam.read_all().await;
    assert_eq!(read.integrity.state, "ok", "{:?}", read.integrity);
    assert_eq!(texts(&read)[1..], ["first", "second"]);
    // The next one is another message, in its own place.
    assert!(sam.post("third").await.seq > own);
    let read = ana.read_all().await;
    assert_eq!(texts(&read)[1..], ["first", "second", "third"]);
    let kept = seat(&sam, &shared.session);
    assert_eq!(kept["pending"]["post"], Value::Null, "nothing waits any more");
}

/// Somebody else wrote before the first of two posts, and nothing was read in between: the second one's head still covers
/// the first, or everybody is warned of a sender who has gone back in history.
#[tokio::test]
async fn two_posts_in_a_row_behind_one_that_was_not_read_yet_warn_nobody() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let shared = ana.share("Rows", "start").await;
    let pat = Party::of_kind("Pat", &plane, Kind::Human);
    pat.join(&shared.link.unwrap()).await;
    pat.read().await;
    ana.post("first").await;
    let second = pat.post("second").await.seq;
    let third = pat.post("third").await.seq;
    assert_eq!(third, second + 1);
    for reader in [&ana, &pat] {
        let read = reader.read_all().await;
        assert_eq!(read.integrity.state, "ok", "{:?}", read.integrity);
        assert_eq!(texts(&read)[1..], ["first", "second", "third"]);
    }
    ana.post("nothing stands in the way").await;
}
