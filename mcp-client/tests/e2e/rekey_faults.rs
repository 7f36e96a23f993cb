//! An owner's re-key whose process or wire breaks: at every request, before or after it reached the plane. Whatever is in
//! force afterwards is the same for everybody, and the next command finds it out.

use mcp_client::verbs::Choice;
use serde_json::Value;
use wire::event::Kind;

use crate::keeper::{Keeper, rekey, rekey_as_admin};
use crate::party::{Party, texts};
use crate::plane::{Store, TestPlane};
use crate::rekey::seat;
use crate::tamper::{Fate, Tamper};

/// Ana owns, Sam is to stay, Eve is to go. Ana's way to the plane can break.
struct Scene {
    plane: TestPlane,
    way: Tamper,
    ana: Party,
    sam: Party,
    eve: Party,
    sam_id: String,
    session: String,
    old_link: String,
}

impl Scene {
    async fn set(store: Store) -> Self {
        let plane = TestPlane::on(store).await;
        let way = Tamper::before(&plane.origin).await;
        let ana = Party::at("Ana", &way.origin, &plane.token, Kind::Agent);
        let (sam, eve) = (Party::new("Sam", &plane), Party::new("Eve", &plane));
        let shared = ana.share("Crash", "start").await;
        let old_link = shared.link.unwrap();
        let sam_id = sam.join(&old_link).await.my_id;
        eve.join(&old_link).await;
        ana.read().await;
        Self {
            plane,
            way,
            ana,
            sam,
            eve,
            sam_id,
            session: shared.session,
            old_link,
        }
    }

    /// Everything is as after any re-key that kept Sam.
    async fn assert_moved_over(&self) {
        self.sam.post("by Sam").await;
        let read = self.ana.read().await;
        assert_eq!(texts(&read).last().map(String::as_str), Some("by Sam"));
        assert_eq!(read.integrity.state, "ok");
        assert_eq!(
            self.eve.try_post("still in?").await.unwrap_err().code(),
            "rekey_removed"
        );
        let kept = seat(&self.ana, &self.session);
        assert_eq!(kept["pending"], Value::Null);
        let secrets = kept["secrets"].as_object().unwrap();
        assert_eq!(secrets.len(), 2, "epochs 1 and 2");
        assert!(secrets["1"].get("view").is_some() && secrets["2"].get("full").is_some());
        let late = Party::new("Late", &self.plane);
        let joined = late.join(&self.ana.link(&self.session).await).await;
        assert_eq!(
            (
                joined.title.as_str(),
                joined.card.handoff.unwrap().text.as_deref()
            ),
            ("Crash", Some("start"))
        );
        assert_eq!(
            late.try_join(&self.old_link).await.map(|card| card.joined),
            Ok(false)
        );
        let dead = Party::new("Old", &self.plane)
            .try_join(&self.old_link)
            .await
            .unwrap_err();
        assert_eq!(dead.code(), "rekeyed");
    }
}

/// Breaks the wire at each request of a re-key in turn. A new process, or the one that lives on, then goes on.
async fn broken_at_each_request(store: Store, arrives: bool, restarts: bool) {
    let mut cuts = 0;
    for at in 0.. {
        let mut scene = Scene::set(store).await;
        let keeper = Keeper::of(&scene.ana);
        let list = keeper.look().await.unwrap();
        scene.way.cut_after(at, arrives);
        let outcome = keeper.decide(list, &[(&scene.sam_id, Choice::Keep)], true).await;
        drop(keeper);
        let broke = scene.way.mend();
        if restarts {
            scene.ana.restart();
        }
        // Any call of any process goes on from there.
        scene.ana.post("from the server").await;
        let keeper = Keeper::of(&scene.ana);
        let list = keeper.look().await.unwrap();
        if list.epoch == 1 {
            assert!(outcome.is_err(), "at {at}: it was told as done");
            keeper
                .decide(list, &[(&scene.sam_id, Choice::Keep)], true)
                .await
                .unwrap();
        } else {
            assert_eq!(list.epoch, 2, "at {at}");
        }
        scene.assert_moved_over().await;
        if !broke {
            assert!(outcome.unwrap().warnings.is_empty());
            break;
        }
        cuts += 1;
    }
    assert!(
        cuts >= 6,
        "read, participants, re-key, rejoin, return, read, title: only {cuts}"
    );
}

#[tokio::test]
async fn a_wire_that_breaks_before_each_request_in_turn_loses_nothing() {
    for store in Store::here() {
        broken_at_each_request(store, false, true).await;
    }
}

#[tokio::test]
async fn a_wire_that_breaks_after_each_request_in_turn_loses_nothing() {
    for store in Store::here() {
        broken_at_each_request(store, true, true).await;
    }
}

#[tokio::test]
async fn the_server_that_lives_on_goes_on_from_wherever_the_command_broke() {
    for store in Store::here() {
        broken_at_each_request(store, true, false).await;
    }
}

#[tokio::test]
async fn a_lost_answer_is_told_as_open_and_finished_first_by_the_next_command() {
    let scene = Scene::set(Store::Sqlite).await;
    let lose = |path: &'static str| {
        move |exchange: crate::tamper::Exchange<'_>| match exchange.path.ends_with(path) {
            true => Fate::Page(500),
            false => Fate::Pass,
        }
    };
    scene.way.rule(lose("/rekey"));
    let open = rekey(&scene.ana, &[&scene.sam_id]).await.unwrap_err();
    assert!(
        open.message().contains("not known yet") && open.message().contains("rekey` again"),
        "{open}"
    );
    let pending = seat(&scene.ana, &scene.session)["pending"]["rekey"].clone();
    assert_eq!(pending["epoch"], 2, "S' is on disk");
    scene.way.rule(|_| Fate::Pass);
    let list = Keeper::of(&scene.ana).look().await.unwrap();
    assert_eq!((list.finished_earlier, list.epoch), (true, 2));
    let kept = seat(&scene.ana, &scene.session);
    assert_eq!(
        kept["secrets"]["2"]["full"], pending["secret"],
        "the very secret that was drawn"
    );
    assert_eq!(kept["epoch_records"]["2"], pending["record"]);
    scene.assert_moved_over().await;
}

/// It never came to the plane, and an administrator was first: S' is worth nothing and forgotten.
#[tokio::test]
async fn another_record_of_that_epoch_in_force_ends_the_pending_one() {
    let scene = Scene::set(Store::Sqlite).await;
    scene.way.swallow("/rekey");
    rekey(&scene.ana, &[&scene.sam_id]).await.unwrap_err();
    scene.way.swallow("");
    // Until then everything goes on as before, and every reader is told.
    let read = scene.ana.read_all().await;
    assert!(
        read.warnings
            .iter()
            .any(|warning| warning.contains("not taken effect")),
        "{:?}",
        read.warnings
    );
    let other = Party::new("Owner's other machine", &scene.plane);
    let (_, link) = rekey_as_admin(&other, &scene.session).await.unwrap();
    let refused = Keeper::of(&scene.ana).look().await.unwrap_err();
    assert_eq!(refused.code(), "new_link_needed");
    let kept = seat(&scene.ana, &scene.session);
    assert_eq!(kept["pending"], Value::Null);
    assert!(
        kept["secrets"]["2"] == Value::Null,
        "nothing of the epoch is held"
    );
    let link = crate::party::through(&link, &scene.way.origin);
    scene.ana.join(&link).await;
    scene.ana.post("with the administrator's link").await;
    assert_eq!(scene.ana.read_all().await.integrity.state, "ok");
}

/// A word counts for the list it was given over: what never arrived is not sent behind a person's back.
#[tokio::test]
async fn a_re_key_that_never_arrived_is_forgotten_and_decided_anew() {
    for store in Store::here() {
        let scene = Scene::set(store).await;
        scene.way.swallow("/rekey");
        rekey(&scene.ana, &[&scene.sam_id]).await.unwrap_err();
        scene.way.swallow("");
        // Somebody comes in whom no list has shown yet.
        let late = Party::new("Late", &scene.plane);
        late.join(&scene.old_link).await;
        let keeper = Keeper::of(&scene.ana);
        let list = keeper.look().await.unwrap();
        assert_eq!(
            (list.epoch, list.finished_earlier, list.forgot_earlier),
            (1, false, true)
        );
        assert!(list.participants.iter().any(|one| one.name == "Late"));
        assert_eq!(seat(&scene.ana, &scene.session)["pending"], Value::Null);
        late.post("nobody put me out").await;
        let again = keeper.look().await.unwrap();
        assert!(!again.forgot_earlier, "it is told once");
        let decided = keeper.decide(again, &[(&scene.sam_id, Choice::Keep)], true).await;
        assert_eq!(decided.unwrap().epoch, 2);
        scene.assert_moved_over().await;
    }
}

/// The request was only slow. Its secret was forgotten here, and this seat's own entry in the record opens it.
#[tokio::test]
async fn a_forgotten_re_key_that_arrives_after_all_is_opened_like_anybodys() {
    for store in Store::here() {
        let scene = Scene::set(store).await;
        scene.way.swallow("/rekey");
        rekey(&scene.ana, &[&scene.sam_id]).await.unwrap_err();
        scene.way.swallow("");
        let secret = seat(&scene.ana, &scene.session)["pending"]["rekey"]["secret"].clone();
        let keeper = Keeper::of(&scene.ana);
        let list = keeper.look().await.unwrap();
        assert!(list.forgot_earlier);
        let held = seat(&scene.ana, &scene.session).to_string();
        assert!(!held.contains(secret.as_str().unwrap()), "S' is forgotten");
        assert_eq!(scene.way.deliver_late().await, [201]);
        // The decision over the list of before is worth nothing now.
        let outcome = keeper.decide(list, &[(&scene.sam_id, Choice::Keep)], true).await;
        assert_eq!(outcome.unwrap_err().code(), "list_changed");
        let kept = seat(&scene.ana, &scene.session);
        assert_eq!(kept["secrets"]["2"]["full"], secret, "opened by its own entry");
        scene.assert_moved_over().await;
    }
}

/// A plane that names everybody twice changes nothing: each is shown once and sealed to once.
#[tokio::test]
async fn whoever_the_plane_names_twice_is_on_the_list_once() {
    let scene = Scene::set(Store::Sqlite).await;
    scene.way.rule(|exchange| {
        if let Some(rows) = exchange
            .answer
            .get_mut("participants")
            .and_then(Value::as_array_mut)
        {
            rows.extend(rows.clone());
        }
        Fate::Pass
    });
    let keeper = Keeper::of(&scene.ana);
    let list = keeper.look().await.unwrap();
    assert_eq!(list.participants.len(), 3);
    let done = keeper
        .decide(list, &[(&scene.sam_id, Choice::Keep)], true)
        .await
        .unwrap();
    assert_eq!((done.epoch, done.stays.len(), done.out.len()), (2, 2, 1));
    scene.way.rule(|_| Fate::Pass);
    scene.assert_moved_over().await;
}

/// The disk takes nothing more from the moment on in which the plane has said yes.
#[tokio::test]
async fn a_re_key_in_force_is_told_as_such_also_where_this_machine_can_t_write_it_down() {
    let scene = Scene::set(Store::Sqlite).await;
    let keeper = Keeper::of(&scene.ana);
    let list = keeper.look().await.unwrap();
    let folder = scene.ana.home().join("sessions");
    let away = scene.ana.home().join("away");
    let (from, to) = (folder.clone(), away.clone());
    scene.way.rule(move |exchange| {
        if exchange.path.ends_with("/rekey") {
            std::fs::rename(&from, &to).unwrap();
        }
        Fate::Pass
    });
    let told = keeper
        .decide(list, &[(&scene.sam_id, Choice::Keep)], true)
        .await
        .unwrap();
    drop(keeper);
    assert_eq!(told.epoch, 2);
    assert!(
        told.warnings[0].starts_with("The re-key is in force."),
        "{:?}",
        told.warnings
    );
    scene.way.rule(|_| Fate::Pass);
    drop(std::fs::remove_dir_all(&folder));
    std::fs::rename(&away, &folder).unwrap();
    let list = Keeper::of(&scene.ana).look().await.unwrap();
    assert_eq!((list.epoch, list.finished_earlier), (2, true));
    scene.assert_moved_over().await;
}
