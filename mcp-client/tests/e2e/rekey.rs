//! An owner's re-key: those who stay go on by themselves, those left out stop, and a person decides over the list they saw.

use mcp_client::home::Home;
use mcp_client::seat::Seats;
use mcp_client::verbs::{Ask, Choice};
use serde_json::Value;

use crate::keeper::{Keeper, rekey};
use crate::party::{Party, texts, three};
use crate::plane::{Store, TestPlane};

/// A party's only seat in a session, as its files hold it.
pub fn seat(party: &Party, session: &str) -> Value {
    let seats = Seats::new(Home::at(party.home()));
    let listed = seats.list().unwrap().seats;
    let mut mine = listed.iter().filter(|seat| seat.session.to_string() == session);
    let seat = mine.next().unwrap();
    assert!(mine.next().is_none(), "one participant, whatever happened");
    let seat = seats.open(&seat.session, &seat.participant).unwrap();
    serde_json::to_value(&*seat.read().unwrap()).unwrap()
}

fn handoffs(party: &Party) -> usize {
    std::fs::read_dir(party.home().join("handoffs")).unwrap().count()
}

#[tokio::test]
async fn those_who_stay_go_on_and_those_left_out_stop() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam, eve) = three(&plane);
        let shared = ana.share("Rekey", "start").await;
        let old_link = shared.link.unwrap();
        let sam_id = sam.join(&old_link).await.my_id;
        let eve_id = eve.join(&old_link).await.my_id;
        assert_eq!(handoffs(&ana), 1);
        let done = rekey(&ana, &[&sam_id]).await.unwrap();
        assert_eq!((done.epoch, done.warnings.as_slice()), (2, [].as_slice()));
        assert_eq!(done.out.iter().map(|one| &one.id).collect::<Vec<_>>(), [&eve_id]);
        assert_eq!(handoffs(&ana), 0, "the note with the old link is gone");

        // The plane still lists her; whoever looks is told what that is worth.
        let who = ana.who().await;
        let in_epoch: Vec<(&str, bool)> = who
            .participants
            .iter()
            .map(|one| (one.name.as_str(), one.in_epoch))
            .collect();
        assert_eq!(in_epoch, [("Ana", true), ("Sam", true), ("Eve", false)]);

        let posted = sam.post("after the re-key").await;
        assert_eq!(posted.not_listening, ["Ana"], "Eve will not see it");
        assert_eq!(texts(&ana.read().await), ["after the re-key"]);
        ana.post("me too").await;
        let read = sam.read().await;
        assert_eq!(texts(&read), ["me too"]);
        assert_eq!(read.integrity.state, "ok");

        // The old S is gone from both disks, the old R is kept.
        for party in [&ana, &sam] {
            let kept = seat(party, &shared.session);
            assert!(kept["secrets"]["1"].get("view").is_some() && kept["secrets"]["2"].get("full").is_some());
            assert!(kept.get("pending").is_none(), "{kept}");
        }

        let stopped = eve.try_post("let me in").await.unwrap_err();
        assert_eq!(stopped.code(), "rekey_removed");
        assert!(stopped.message().contains("ask the owner for a new link"));
        assert!(
            !stopped.message().contains("again"),
            "no advice to retry: {stopped}"
        );
        assert_eq!(texts(&eve.read_all().await), ["start"]);

        // The old link is dead and says so; the new one opens the history as well.
        let late = Party::new("Late", &plane);
        let failure = late.try_join(&old_link).await.unwrap_err();
        assert_eq!(failure.code(), "rekeyed");
        assert!(
            failure.message().contains("Ask for the new one") && failure.message().contains("does not help")
        );
        let new_link = ana.link(&shared.session).await;
        let joined = late.join(&new_link).await;
        assert_eq!(joined.card.handoff.unwrap().text.as_deref(), Some("start"));
        assert_eq!(joined.title, "Rekey", "the owner sealed it again");
        assert_eq!(
            texts(&late.read_all().await),
            ["start", "after the re-key", "me too"]
        );
        // With the new link whoever was left out comes back under its old id.
        let back = eve.join(&new_link).await;
        assert!(back.may_write && back.my_id == eve_id);
        eve.post("back again").await;
        assert_eq!(texts(&ana.read().await), ["back again"]);
    }
}

#[tokio::test]
async fn a_participant_kept_with_a_view_secret_reads_on_and_writes_no_more() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let shared = ana.share("View", "start").await;
        let sam_id = sam.join(&shared.link.unwrap()).await.my_id;
        let keeper = Keeper::of(&ana);
        let list = keeper.look().await.unwrap();
        keeper
            .decide(list, &[(&sam_id, Choice::ReadOnly)], true)
            .await
            .unwrap();
        ana.post("read this").await;
        assert_eq!(texts(&sam.read().await), ["read this"]);
        assert_eq!(sam.try_post("no").await.unwrap_err().code(), "view_only");
        // What is kept once more is kept as it is: a re-key gives nobody more than they have.
        let done = rekey(&ana, &[&sam_id]).await.unwrap();
        assert_eq!(
            done.stays
                .iter()
                .map(|one| one.given.as_str())
                .collect::<Vec<_>>(),
            ["full", "view"]
        );
        assert_eq!(sam.try_post("no").await.unwrap_err().code(), "view_only");
    }
}

#[tokio::test]
async fn who_came_in_since_the_list_was_shown_is_a_reason_to_look_again() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam, eve) = three(&plane);
        let shared = ana.share("Race", "start").await;
        let link = shared.link.unwrap();
        let sam_id = sam.join(&link).await.my_id;
        ana.read().await;
        let keeper = Keeper::of(&ana);
        let list = keeper.look().await.unwrap();
        eve.join(&link).await;
        let refused = keeper
            .decide(list, &[(&sam_id, Choice::Keep)], true)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), "list_changed");
        assert!(refused.message().contains("\"Eve\""), "{refused}");
        eve.post("nothing happened").await;
        // On the next list she is there, and marked as new.
        let keeper = Keeper::of(&ana);
        let list = keeper.look().await.unwrap();
        let new: Vec<(&str, bool)> = list
            .participants
            .iter()
            .map(|one| (one.name.as_str(), one.new))
            .collect();
        assert_eq!(new, [("Ana", false), ("Sam", false), ("Eve", true)]);
        keeper
            .decide(list, &[(&sam_id, Choice::Keep)], true)
            .await
            .unwrap();
        assert_eq!(eve.try_post("out").await.unwrap_err().code(), "rekey_removed");
    }
}

#[tokio::test]
async fn without_the_typed_word_nothing_is_sent() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let shared = ana.share("Word", "start").await;
        let link = shared.link.unwrap();
        let sam_id = sam.join(&link).await.my_id;
        for (answer, code) in [
            (Ask::No, "declined"),
            (Ask::Empty, "empty_answer"),
            (Ask::CannotAsk, "cannot_ask"),
        ] {
            let keeper = Keeper::of(&ana);
            *keeper.host.answers.lock().unwrap() = [answer].into();
            let list = keeper.look().await.unwrap();
            let refused = keeper
                .decide(list, &[(&sam_id, Choice::Keep)], true)
                .await
                .unwrap_err();
            assert_eq!(refused.code(), code);
            let asked = keeper.host.questions.lock().unwrap()[0].text.clone();
            for said in [
                "can't be taken back",
                "links",
                &format!("\"Sam\" {}", &sam_id[..8]),
                "Those who stay go on by themselves",
                "Knocks end, and the door stays as it is",
            ] {
                assert!(asked.contains(said), "{said}: {asked}");
            }
        }
        assert!(
            Party::new("Late", &plane).join(&link).await.joined,
            "the old link works"
        );
    }
}

#[tokio::test]
async fn who_does_not_own_the_session_is_told_what_there_is_to_do() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        sam.join(&ana.share("Whose", "start").await.link.unwrap()).await;
        let refused = Keeper::of(&sam).look().await.unwrap_err();
        assert_eq!(refused.code(), "not_owner");
        assert!(refused.message().contains("rekey --admin"), "{refused}");
    }
}

#[tokio::test]
async fn the_owner_without_a_token_or_with_one_that_does_not_reach_is_told_which_one_it_takes() {
    use plane::service::Scope;
    use wire::event::Kind;
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let made = plane
            .service
            .admin_create_token("test", "owner", &[Scope::Share], None)
            .await
            .unwrap();
        let ana = Party::at("Ana", &plane.origin, &made.token.0, Kind::Agent);
        let link = ana.share("Scope", "start").await.link.unwrap();
        let mut keeper = Keeper::of(&ana);
        keeper.app = ana.without_token();
        let none = keeper.look().await.unwrap_err();
        assert_eq!(none.code(), "no_machine_token");
        assert_eq!(
            none.command(),
            Some(format!("connect {}", plane.origin).as_str()),
            "{none}"
        );
        let refused = rekey(&ana, &[]).await.unwrap_err();
        assert_eq!(refused.code(), "forbidden");
        assert!(
            refused.message().contains("scope `rekey`")
                && refused.message().contains("DEVPILOT_BRIDGE_TOKEN"),
            "{refused}"
        );
        let kept = Party::new("Late", &plane).join(&link).await;
        assert!(kept.joined, "nothing changed");
        // Nothing is left over that a later call would send.
        assert!(seat(&ana, &kept.session).get("pending").is_none());
    }
}

#[tokio::test]
async fn two_re_keys_of_one_seat_at_once_are_one_after_the_other_or_one() {
    for store in Store::here() {
        let plane = TestPlane::on(store).await;
        let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
        let shared = ana.share("Twice", "start").await;
        let sam_id = sam.join(&shared.link.unwrap()).await.my_id;
        let (one, other) = (Keeper::of(&ana), Keeper::of(&ana));
        let (first, second) = (one.look().await.unwrap(), other.look().await.unwrap());
        let stay = [(sam_id.as_str(), Choice::Keep)];
        let (one, other) = tokio::join!(one.decide(first, &stay, true), other.decide(second, &stay, false));
        let refused: Vec<_> = [one, other].into_iter().filter_map(Result::err).collect();
        assert_eq!(refused.len(), 1);
        assert_eq!(
            refused[0].code(),
            "list_changed",
            "the second decided over a list that is no longer so"
        );
        sam.post("once moved over").await;
        assert_eq!(texts(&ana.read().await), ["once moved over"]);
        let kept = seat(&ana, &shared.session);
        assert_eq!(
            kept["secrets"].as_object().unwrap().len(),
            2,
            "epochs 1 and 2: {}",
            kept["secrets"].as_object().unwrap().len()
        );
    }
}
