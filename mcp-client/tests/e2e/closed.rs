//! What a re-key closes and whom it puts out, as those who stay and those who come later are told of it.

use mcp_client::verbs::{Answer, Choice, ReadArgs, RekeyAnswer};

use crate::keeper::{Keeper, rekey, rekey_with};
use crate::party::{Party, texts, three};
use crate::plane::{Store, TestPlane};

/// Keeps the history once more, and gives the question with the answer.
async fn keep(owner: &Party, stay: &[&str]) -> (String, RekeyAnswer) {
    let keeper = Keeper::of(owner);
    let list = keeper.look().await.unwrap();
    let stay: Vec<_> = stay.iter().map(|id| (*id, Choice::Keep)).collect();
    let done = keeper.decide(list, &stay, true).await.unwrap();
    let asked = keeper.host.questions.lock().unwrap()[0].text.clone();
    (asked, done)
}

/// `crypto.md` section 10.3: a link opens back to the first epoch whose record has no block, and nothing before it.
#[tokio::test]
async fn a_history_kept_after_one_that_was_closed_opens_what_came_since_and_says_so() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let ana = Party::new("Ana", &plane);
        let shared = ana.share("Chain", "first").await;
        let (asked, done) = keep(&ana, &[]).await;
        assert!(asked.contains("opens the whole transcript"), "{asked}");
        assert_eq!((done.opens_from_epoch, done.opens_from_seq), (1, Some(1)));
        ana.post("second").await;
        let closed = rekey_with(&ana, &[], false).await.unwrap();
        assert_eq!((closed.history.as_str(), closed.opens_from_epoch), ("closed", 3));
        ana.post("third").await;

        let (asked, done) = keep(&ana, &[]).await;
        let from = closed.opens_from_seq.unwrap();
        for said in [&asked, &done.opens, &done.text()] {
            assert!(!said.contains("whole transcript"), "{said}");
            assert!(
                said.contains("opens what came since the re-key of 20")
                    && said.contains(&format!("Z (epoch 3, #{from}), which closed what was before")),
                "{said}"
            );
        }
        assert_eq!((done.history.as_str(), done.epoch), ("kept", 4));
        assert_eq!((done.opens_from_epoch, done.opens_from_seq), (3, Some(from)));

        // What was said is what the link does.
        let late = Party::new("Late", &plane);
        let joined = late.join(&ana.link(&shared.session).await).await;
        let line = format!(
            "2 messages before #{from} can't be read with this link: the owner closed what came before."
        );
        let hand_off = joined.card.handoff_closed.clone().unwrap();
        assert!(
            hand_off.contains(&line) && hand_off.contains("hand off again"),
            "{hand_off}"
        );
        assert!(joined.card.handoff.is_none());
        assert_eq!(joined.card.messages, 1);
        assert_eq!(joined.card.latest.len(), 1);
        assert!(!joined.text().contains("no_key"), "{}", joined.text());
        let read = late.read_all().await;
        assert_eq!(texts(&read), ["third"]);
        assert_eq!(read.events.iter().filter(|event| event.text == line).count(), 1);
        assert!(read.text().contains(&line) && !read.text().contains("no_key"));
    }
}

/// One line stands for all of it, and a reader who goes on from an answer misses nothing and sees nothing twice.
#[tokio::test]
async fn closed_messages_are_one_line_wherever_an_answer_begins() {
    let plane = TestPlane::start().await;
    let ana = Party::new("Ana", &plane);
    let shared = ana.share("Pages", "one").await;
    for text in ["two", "three", "four"] {
        ana.post(text).await;
    }
    rekey_with(&ana, &[], false).await.unwrap();
    ana.post("five").await;
    let late = Party::new("Late", &plane);
    late.join(&ana.link(&shared.session).await).await;
    let page = async |since| {
        let args = ReadArgs {
            since: Some(since),
            limit: Some(1),
            ..ReadArgs::default()
        };
        late.try_read(args).await.unwrap()
    };
    let (mut since, mut told, mut read) = (0, Vec::new(), Vec::new());
    loop {
        let answer = page(since).await;
        told.extend(answer.events.iter().map(|event| event.text.clone()));
        read.extend(texts(&answer));
        if !answer.more {
            break;
        }
        assert!(answer.next_since > since);
        since = answer.next_since;
    }
    assert_eq!(read, ["five"]);
    assert_eq!(
        told.iter()
            .filter(|text| text.starts_with("4 messages before #"))
            .count(),
        1,
        "{told:?}"
    );
    // The first two records are the creation and its creator's coming; from inside the row, what is left of it.
    let inside = page(4).await;
    assert!(
        inside.events[0].text.starts_with("2 messages before #"),
        "{:?}",
        inside.events
    );
}

#[tokio::test]
async fn who_was_put_out_is_called_so_and_not_offered_again() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam, eve) = three(&plane);
        let shared = ana.share("Out", "start").await;
        let link = shared.link.unwrap();
        let eve_id = eve.join(&link).await.my_id;
        let sam_id = sam.join(&link).await.my_id;
        rekey(&ana, &[&sam_id]).await.unwrap();
        sam.post("goes on").await;

        let who = ana.who().await;
        let shown: Vec<_> = who
            .participants
            .iter()
            .map(|one| (one.name.as_str(), one.why_out.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [
                ("Ana", None),
                ("Sam", None),
                ("Eve", Some("out since the re-key"))
            ]
        );
        let text = who.text();
        let line = text.lines().find(|line| line.contains("\"Eve\"")).unwrap();
        assert!(line.ends_with("agent, out since the re-key"), "{line}");

        let events = ana.read_all().await.events;
        let rekeyed = events
            .iter()
            .find(|event| event.text.starts_with("The owner re-keyed"))
            .unwrap();
        let named = format!("Out: \"Eve\" {}.", &eve_id[..8]);
        assert!(rekeyed.text.ends_with(&named), "{}", rekeyed.text);
        let goes_on = "\"Sam\" (agent) goes on after the re-key.";
        assert!(events.iter().any(|event| event.text == goes_on), "{events:?}");
        assert!(
            !events.iter().any(|event| event.text.contains("came back")),
            "{events:?}"
        );

        // Somebody new sees the same, and not a stranger who may write.
        let late = Party::new("Late", &plane);
        let new_link = ana.link(&shared.session).await;
        let card = late.join(&new_link).await.card;
        assert_eq!(card.participants_here, 3);
        assert!(card.participants.iter().all(|one| one.id != eve_id));
        let last = late.who().await.participants.pop().unwrap();
        assert_eq!(
            (last.id, last.why_out.as_deref()),
            (eve_id.clone(), Some("out since the re-key"))
        );

        let list = Keeper::of(&ana).look().await.unwrap();
        assert_eq!(list.out_earlier, 1);
        assert!(list.participants.iter().all(|one| one.id != eve_id));
        // By the new link she is back, for everybody.
        eve.join(&new_link).await;
        let back = ana.read_all().await.events;
        assert_eq!(back.last().unwrap().text, "\"Eve\" (agent) came back.");
        let list = Keeper::of(&ana).look().await.unwrap();
        assert_eq!(list.out_earlier, 0);
        assert!(list.participants.iter().any(|one| one.id == eve_id));
    }
}
