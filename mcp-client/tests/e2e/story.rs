//! The stories of `product.md` that must work: share, join, read, post, wait, who; and that a restart loses nothing.

use mcp_client::verbs::{Answer, Ask, ReadArgs, SetTo};
use wire::event::Kind;

use crate::party::{Party, texts};
use crate::plane::TestPlane;

#[tokio::test]
async fn two_machines_share_join_read_post_and_see_each_other() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));

    let shared = ana.share("Login race", "The race is in session.rs.").await;
    assert!(shared.created);
    assert_eq!(
        (shared.seq, shared.mode.as_str(), shared.link_allows.as_str()),
        (Some(3), "observe", "full")
    );
    let note = std::fs::read_to_string(&shared.handoff_file).unwrap();
    let link = shared.link.unwrap();
    assert!(
        note.lines().any(|line| line == link),
        "the link stands alone on a line of the note"
    );

    // The whole note, as it was pasted.
    let joined = sam.join(&note).await;
    assert_eq!((joined.title.as_str(), joined.me.as_str()), ("Login race", "Sam"));
    assert!(joined.joined && joined.may_write);
    let handoff = joined.card.handoff.as_ref().unwrap();
    assert_eq!(handoff.text.as_deref(), Some("The race is in session.rs."));
    assert_eq!(
        (handoff.from.as_str(), handoff.untrusted, handoff.seq),
        ("Ana", true, 3)
    );
    assert_eq!(joined.card.participants.len(), 2);
    assert!(!joined.text().contains(&link[link.len() - 64..]));

    // The cursor is the head after joining.
    assert!(sam.read().await.messages.is_empty());
    let posted = sam.post("I take it.").await;
    assert_eq!(posted.seq, 5);
    assert_eq!(posted.not_listening, ["Ana"]);
    let read = ana.read().await;
    assert_eq!(texts(&read), ["I take it."]);
    assert_eq!(read.integrity.confirmed_by.as_deref(), Some("Sam"));
    assert_eq!(read.integrity.confirmed_up_to, Some(4));
    assert!(ana.read().await.messages.is_empty());

    let (one, other) = (ana.who().await, sam.who().await);
    assert_eq!((one.head_seq, &one.head_hash), (other.head_seq, &other.head_hash));
    assert_eq!(one.head_hash.len(), 8 * 4 + 7);
    let me: Vec<_> = one
        .participants
        .iter()
        .filter(|row| row.me)
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(me, ["Ana"]);
    assert!(one.participants.iter().all(|row| row.may_write));
}

#[tokio::test]
async fn a_restart_keeps_identity_cursor_and_history() {
    let plane = TestPlane::start().await;
    let (ana, mut sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Restart", "first").await.link.unwrap();
    let before = sam.join(&link).await;
    ana.post("second").await;
    sam.restart();
    assert_eq!(texts(&sam.read().await), ["second"]);
    // The same link again is the same seat.
    let again = sam.join(&link).await;
    assert!(!again.joined);
    assert_eq!(again.my_id, before.my_id);
    assert_eq!(ana.who().await.participants.len(), 2);
    // Without the cache the plane is read again, and must lead to the same head.
    std::fs::remove_dir_all(sam.home().join("cache")).unwrap();
    sam.restart();
    ana.post("third").await;
    assert_eq!(texts(&sam.read().await), ["third"]);
    assert_eq!(texts(&sam.read_all().await), ["first", "second", "third"]);
    assert_eq!(sam.read_all().await.integrity.state, "ok");
}

#[tokio::test]
async fn the_same_share_within_ten_minutes_is_the_same_session() {
    let plane = TestPlane::start().await;
    let mut ana = Party::new("Ana", &plane);
    let first = ana.share("Twice", "once").await;
    let second = ana.share("Twice", "once").await;
    ana.restart();
    let third = ana.share("Twice", "once").await;
    let other = ana.share("Twice", "another text").await;
    assert_eq!(
        (&first.session, &first.session),
        (&second.session, &third.session)
    );
    assert!(!second.created && !third.created && second.seq.is_none() && third.seq.is_none());
    assert_ne!(first.session, other.session);
    let mine = ana
        .try_read(ReadArgs {
            since: Some(0),
            session: Some(first.session),
            ..ReadArgs::default()
        })
        .await;
    assert_eq!(texts(&mine.unwrap()), ["once"]);
}

#[tokio::test]
async fn two_agents_of_one_user_are_two_participants() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    ana.share("Beside", "hello").await;
    let second = ana.beside();
    let read = mcp_client::verbs::read::run(&second, ReadArgs::default(), &ana.host)
        .await
        .unwrap();
    assert_eq!(read.answer.title, "Beside");
    let who = ana.who().await;
    assert_eq!(who.participants.len(), 2);
    let ids: std::collections::BTreeSet<_> = who.participants.iter().map(|row| row.id.clone()).collect();
    assert_eq!(ids.len(), 2);
    let seats = std::fs::read_dir(ana.home().join("sessions").join(&who.session)).unwrap();
    let files: Vec<_> = seats
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "json"))
        .collect();
    assert_eq!(files.len(), 2);
    let token = |at: usize| {
        let text = std::fs::read_to_string(files[at].path()).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        (
            json["token"]["text"].clone(),
            json["identity"]["sk"].clone(),
            json["identity"]["seed"].clone(),
        )
    };
    let (one, other) = (token(0), token(1));
    assert!(one.0 != other.0 && one.1 != other.1 && one.2 != other.2);
}

#[tokio::test]
async fn a_view_link_reads_and_does_not_write() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let shared = ana.share("View", "look").await;
    let args = mcp_client::verbs::ShareArgs {
        session: Some(shared.session),
        view_only: true,
        reveal_link: true,
        ..Default::default()
    };
    let view = mcp_client::verbs::share::run(&ana.app, args, &ana.host)
        .await
        .unwrap()
        .answer;
    assert_eq!(view.link_allows, "view");
    let joined = sam.join(&view.link.unwrap()).await;
    assert!(!joined.may_write);
    assert_eq!(joined.card.handoff.unwrap().text.as_deref(), Some("look"));
    assert_eq!(sam.try_post("no").await.unwrap_err().code(), "view_only");
    // The full link makes a writer of the same participant.
    let full = sam.join(&shared.link.unwrap()).await;
    assert_eq!(full.my_id, joined.my_id);
    assert!(full.may_write);
    sam.post("yes").await;
    assert_eq!(texts(&ana.read().await), ["yes"]);
}

#[tokio::test]
async fn a_wait_wakes_for_others_and_moves_the_cursor_once_written() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Wait", "context").await.link.unwrap();
    sam.join(&link).await;
    // Ana has not read that Sam joined: no message, so nothing is unread, and observe refuses.
    assert_eq!(ana.try_wait(5).await.unwrap_err().code(), "mode_observe");
    ana.will_answer([Ask::Yes]);
    let mode = ana.set_mode(SetTo::Relay).await.unwrap();
    assert_eq!((mode.mode.as_str(), mode.changed), ("relay", true));
    sam.will_answer([Ask::Yes]);
    let (woken, posted) = tokio::join!(ana.try_wait(20), async {
        // The post finds the wait under way, or is there at once when it starts: both must wake it.
        sam.post("done with the first part").await
    });
    let woken = woken.unwrap();
    assert_eq!(woken.woke_by, "messages");
    assert_eq!(woken.messages.last().unwrap().seq, posted.seq);
    assert!(
        ana.read().await.messages.is_empty(),
        "the wait's answer was written out"
    );

    // A wait whose answer was not written leaves the cursor where it was.
    sam.will_answer([Ask::Yes]);
    sam.post("and the second").await;
    let args = mcp_client::verbs::WaitArgs::default();
    let lost = mcp_client::verbs::wait::run(&ana.app, args, &ana.host)
        .await
        .unwrap();
    assert_eq!(lost.answer.messages.len(), 1);
    drop(lost);
    assert_eq!(texts(&ana.read().await), ["and the second"]);

    let stopped = ana.set_mode(SetTo::Observe).await.unwrap();
    assert_eq!(stopped.mode, "observe");
}

#[tokio::test]
async fn a_person_waits_in_observe_and_a_cancelled_wait_ends() {
    let plane = TestPlane::start().await;
    let ana = Party::of_kind("Ana", &plane, Kind::Human);
    ana.share("Cancel", "context").await;
    let cancel = async {
        tokio::task::yield_now().await;
        ana.host.cancelled.cancel();
    };
    let (ended, ()) = tokio::join!(ana.try_wait(40), cancel);
    assert_eq!(ended.unwrap_err().code(), "cancelled");
}

#[tokio::test]
async fn long_histories_come_in_pages_and_one_long_message_in_parts() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Pages", "start").await.link.unwrap();
    sam.join(&link).await;
    let long: String = (0..9_000).map(|n| format!("{n:05} ")).collect();
    for text in ["one", long.as_str(), "three"] {
        sam.post(text).await;
    }
    let (mut got, mut parts) = (Vec::new(), String::new());
    let mut args = ReadArgs {
        since: Some(4),
        max_bytes: Some(12_000),
        ..ReadArgs::default()
    };
    loop {
        let page = ana.try_read(args.clone()).await.unwrap();
        let size = serde_json::to_string(&page).unwrap().len().max(page.text().len());
        assert!(size <= 12_000, "{size} bytes");
        for message in page.messages {
            match message.offset {
                Some(offset) => {
                    assert_eq!(offset as usize, parts.len());
                    assert_eq!(message.total_bytes, Some(long.len() as u64));
                    parts.push_str(&message.text.unwrap());
                }
                None => got.push(message.text.unwrap()),
            }
        }
        if !page.more {
            break;
        }
        args.since = Some(page.next_since);
        args.offset = page.next_offset;
    }
    assert_eq!(got, ["one", "three"]);
    assert!(parts == long, "nothing is lost or doubled across parts");
}

#[tokio::test]
async fn filters_choose_and_never_move_the_cursor() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Filters", "start").await.link.unwrap();
    sam.join(&link).await;
    let post = |kind: &str, topic: Option<&str>, text: &str| mcp_client::verbs::PostArgs {
        kind: Some(kind.to_owned()),
        topic: topic.map(str::to_owned),
        text: text.to_owned(),
        ..Default::default()
    };
    for args in [
        post("question", Some("auth"), "which cookie?"),
        post("decision", None, "lax"),
    ] {
        let delivered = mcp_client::verbs::post::run(&sam.app, args, &sam.host)
            .await
            .unwrap();
        delivered.commit(&sam.app).await.unwrap();
    }
    let read = |args: ReadArgs| async { texts(&ana.try_read(args).await.unwrap()) };
    assert_eq!(
        read(ReadArgs {
            kind: Some("decision".to_owned()),
            ..ReadArgs::default()
        })
        .await,
        ["lax"]
    );
    assert_eq!(
        read(ReadArgs {
            topic: Some("AUTH".to_owned()),
            ..ReadArgs::default()
        })
        .await,
        ["which cookie?"]
    );
    let from = ReadArgs {
        from: Some("ana".to_owned()),
        since: Some(0),
        ..ReadArgs::default()
    };
    assert_eq!(read(from).await, ["start"]);
    assert_eq!(read(ReadArgs::default()).await, ["which cookie?", "lax"]);
    let card = ana.read_all().await.card.unwrap();
    assert_eq!(card.unanswered.len(), 1);
    let nobody = ReadArgs {
        from: Some("Eve".to_owned()),
        ..ReadArgs::default()
    };
    assert_eq!(ana.try_read(nobody).await.unwrap_err().code(), "bad_argument");
}

#[tokio::test]
async fn what_a_person_is_in_alone_is_not_for_agents_to_look_through() {
    let plane = TestPlane::start().await;
    let ana = Party::of_kind("Ana", &plane, Kind::Human);
    let id = ana.share("Private", "Between people.").await.session;
    let id = id.parse().unwrap();
    let beside = ana.beside();
    assert_eq!(beside.transcripts().unwrap(), []);
    let failure = beside.transcript(&id, None).await.unwrap_err();
    assert_eq!(failure.code(), "no_session");
    assert!(!failure.to_string().contains("Between people."));
}
