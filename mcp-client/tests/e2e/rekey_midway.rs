//! Re-keys in the middle of things: somebody waits, a message is under way, one is away, one lurks under another's name.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::http::Method;
use mcp_client::verbs::{Ask, Choice, SetTo};

use crate::keeper::{Keeper, rekey, rekey_with};
use crate::party::{Party, texts, through};
use crate::plane::{Store, TestPlane};
use crate::tamper::{Fate, Tamper};

/// Ends Sam's next post open, stored or not, then re-keys; the same call must be one record either way.
async fn in_flight(store: Store, stored: bool) {
    let plane = TestPlane::on(store).await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, mut sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("In flight", "start").await;
    let sam_id = sam.join(&through(&shared.link.unwrap(), &way.origin)).await.my_id;
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
    rekey(&ana, &[&sam_id]).await.unwrap();
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
    for store in Store::here() {
        in_flight(store, true).await;
    }
}

#[tokio::test]
async fn a_post_not_stored_before_the_re_key_is_sealed_anew() {
    for store in Store::here() {
        in_flight(store, false).await;
    }
}

/// A re-key between Sam's reading and the coming of its post, which the plane may have had already by a sender that
/// repeats, such as a proxy: the post itself is told that the token ended.
async fn overtaken(store: Store, stored: bool) {
    let plane = TestPlane::on(store).await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Arc::new(Party::new("Ana", &plane)), Party::new("Sam", &plane));
    let shared = ana.share("Overtaken", "start").await;
    let sam_id = sam.join(&through(&shared.link.unwrap(), &way.origin)).await.my_id;
    sam.post("before").await;
    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = sent.clone();
    way.rule(move |exchange| {
        if (exchange.method, exchange.path.ends_with("/records")) == (&Method::POST, true) {
            let code = exchange.answer["code"].as_str().map(str::to_owned);
            seen.lock().unwrap().push((exchange.request.clone(), code));
        }
        Fate::Pass
    });
    let owner = ana.clone();
    way.overtake("/records", stored, async move {
        rekey(&owner, &[&sam_id]).await.unwrap();
    });
    let seq = sam.post("overtaken").await.seq;

    let sent = sent.lock().unwrap().clone();
    let codes: Vec<_> = sent.iter().map(|(_, code)| code.as_deref()).collect();
    let (first, last) = (&sent[0].0, &sent.last().unwrap().0);
    assert_eq!(first["epoch"], 1);
    assert_eq!(
        sent[1].0, *first,
        "the very same bytes once more, under the new token"
    );
    if stored {
        assert_eq!(codes, [Some("rekeyed"), None]);
    } else {
        assert_eq!(codes, [Some("rekeyed"), Some("epoch_moved"), None]);
        assert_eq!(last["message_id"], first["message_id"]);
        assert_eq!(last["epoch"], 2);
        assert_ne!(last["sealed"], first["sealed"], "sealed anew");
    }
    // 4 is Sam's joining and 5 "before"; the re-key and the return come after 6, or instead of it.
    assert_eq!(seq == 6, stored, "{seq}");
    for reader in [&*ana, &sam] {
        let read = reader.read_all().await;
        assert_eq!(texts(&read)[1..], ["before", "overtaken"], "once");
        assert_eq!(read.integrity.state, "ok");
    }
}

#[tokio::test]
async fn a_post_that_was_stored_when_its_token_ended_is_sent_once_more_and_stored_once() {
    for store in Store::here() {
        overtaken(store, true).await;
    }
}

#[tokio::test]
async fn a_post_that_was_not_stored_when_its_token_ended_is_sealed_anew_under_the_same_id() {
    for store in Store::here() {
        overtaken(store, false).await;
    }
}

/// One waits, one is away for two re-keys, one is out, one lurks under another's name, one comes by the new link.
async fn five(store: Store, history: bool) {
    let plane = TestPlane::on(store).await;
    let (ana, sam, mut olga) = (
        Party::new("Ana", &plane),
        Party::new("Sam", &plane),
        Party::new("Olga", &plane),
    );
    let (eve, lurker, late) = (
        Party::new("Eve", &plane),
        Party::new("Sam", &plane),
        Party::new("Late", &plane),
    );
    let shared = ana.share("Five", "start").await;
    let link = shared.link.unwrap();
    let sam_id = sam.join(&link).await.my_id;
    let olga_id = olga.join(&link).await.my_id;
    eve.join(&link).await;
    let lurker_id = lurker.join(&link).await.my_id;
    sam.post("by the true Sam").await;
    ana.read().await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    sam.read().await;

    // By name the two can't be told apart; the list shows ids, and who of them ever wrote.
    let keeper = Keeper::of(&ana);
    let list = keeper.look().await.unwrap();
    let of = |id: &str| list.participants.iter().find(|one| one.id == id).unwrap();
    assert!(of(&sam_id).last_post_seq.is_some() && of(&lurker_id).last_post_seq.is_none());
    assert_ne!(
        of(&sam_id).name,
        of(&lurker_id).name,
        "tagged: {:?}",
        of(&lurker_id).name
    );
    assert_eq!(list.find(&sam_id[..8]).unwrap().id, sam_id);
    assert!(list.find("Sam").is_err(), "a name names nobody here");

    let waiting = async { sam.try_wait(30).await.unwrap() };
    let meanwhile = async {
        ana.until_listening(&sam_id).await;
        let stay = [(sam_id.as_str(), Choice::Keep), (olga_id.as_str(), Choice::Keep)];
        keeper.decide(list.clone(), &stay, history).await.unwrap();
        ana.post("after the first").await
    };
    let (woken, _) = tokio::join!(waiting, meanwhile);
    assert_eq!(
        woken
            .messages
            .iter()
            .map(|message| message.text.as_deref())
            .collect::<Vec<_>>(),
        [Some("after the first")],
        "in the middle of a wait, with no new link and nothing lost"
    );
    rekey_with(&ana, &[&sam_id, &olga_id], history).await.unwrap();
    ana.post("after the second").await;

    olga.restart();
    assert_eq!(
        texts(&olga.read_all().await),
        ["start", "by the true Sam", "after the first", "after the second"]
    );
    olga.post("back from a journey").await;
    for out in [&eve, &lurker] {
        assert_eq!(
            out.try_post("still here?").await.unwrap_err().code(),
            "rekey_removed"
        );
        assert!(out.try_join(&link).await.unwrap_err().message().contains("ended"));
    }

    let joined = late.join(&ana.link(&shared.session).await).await;
    assert_eq!(joined.title, "Five");
    let read = texts(&late.read_all().await);
    if history {
        assert_eq!(read[..2], ["start".to_owned(), "by the true Sam".to_owned()]);
    } else {
        assert!(
            !read
                .iter()
                .any(|text| text == "start" || text == "by the true Sam" || text == "after the first"),
            "{read:?}"
        );
    }
    assert_eq!(read.last().map(String::as_str), Some("back from a journey"));
    late.post("hello").await;
    for party in [&ana, &sam, &olga] {
        let read = party.read_all().await;
        assert_eq!(read.integrity.state, "ok");
        assert_eq!(texts(&read).last().map(String::as_str), Some("hello"));
    }
    let shown = ana.who().await;
    let names: Vec<&str> = shown
        .participants
        .iter()
        .filter(|one| one.may_write)
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names.len(), 4, "Ana, Sam, Olga and Late: {names:?}");
}

#[tokio::test]
async fn five_participants_with_the_history_kept() {
    for store in Store::here() {
        five(store, true).await;
    }
}

#[tokio::test]
async fn five_participants_with_the_history_closed() {
    for store in Store::here() {
        five(store, false).await;
    }
}

#[tokio::test]
async fn what_is_posted_while_the_session_is_re_keyed_again_and_again_is_stored_once_and_in_order() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let shared = ana.share("Storm", "start").await;
        let sam_id = sam.join(&shared.link.unwrap()).await.my_id;
        let wanted: Vec<String> = (0..12).map(|n| format!("message {n}")).collect();
        let writing = async {
            for text in &wanted {
                sam.post(text).await;
            }
        };
        let re_keying = async {
            for epoch in 2..=4 {
                assert_eq!(rekey(&ana, &[&sam_id]).await.unwrap().epoch, epoch);
            }
        };
        tokio::join!(writing, re_keying);
        for reader in [&ana, &sam] {
            let read = reader.read_all().await;
            assert_eq!(texts(&read)[1..], wanted);
            assert_eq!(read.integrity.state, "ok");
        }
        // Who comes by the newest link reads through all of it, each record under its own epoch.
        let late = Party::new("Late", &plane);
        late.join(&ana.link(&shared.session).await).await;
        assert_eq!(texts(&late.read_all().await)[1..], wanted);
    }
}

#[tokio::test]
async fn who_waits_when_it_is_put_out_is_told_at_once_and_why() {
    for (by_owner, code) in [(true, "rekey_removed"), (false, "new_link_needed")] {
        let plane = TestPlane::start().await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let shared = ana.share("Out", "start").await;
        let sam_id = sam.join(&shared.link.unwrap()).await.my_id;
        ana.will_answer([Ask::Yes]);
        ana.set_mode(SetTo::Relay).await.unwrap();
        sam.read().await;
        let meanwhile = async {
            ana.until_listening(&sam_id).await;
            if by_owner {
                rekey(&ana, &[]).await.unwrap();
            } else {
                crate::keeper::rekey_as_admin(&ana, &shared.session)
                    .await
                    .unwrap();
            }
        };
        let (waited, ()) = tokio::join!(sam.try_wait(40), meanwhile);
        let told = waited.unwrap_err();
        assert_eq!(told.code(), code);
        assert!(
            told.message().contains("new link") && !told.message().contains("try again"),
            "{told}"
        );
    }
}
