//! `rekey` and `end` on the command line, over a real plane: a person at a terminal decides, and nobody else.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use serde_json::{Value, json};
use stdio::pair::{Pair, texts};
use stdio::plane::{Plane, Store};
use stdio::terminal::at_terminal;
use stdio::{Called, Machine, Ran};

/// Ada shared at her terminal; the others are agents' shells that came in by her note, in this order.
struct Room {
    ada: Machine,
    others: Vec<Machine>,
    session: String,
    link: String,
}

impl Room {
    async fn of(plane: &Plane, names: &[&str]) -> Self {
        let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
        let share = ["share", "--title", "Stale cache", "--as", "human", "--json"];
        let shared = ada.run(share, b"What I know: the cache is stale.").await;
        assert_eq!(shared.code(), 0, "{shared}");
        let link = ada.link();
        let mut others = Vec::new();
        for name in names {
            let other = Machine::new().with("DEVPILOT_NAME", name);
            let joined = other.run(["join", "-"], link.as_bytes()).await;
            assert_eq!(joined.code(), 0, "{joined}");
            others.push(other);
        }
        Self {
            session: shared.json()["session"].as_str().unwrap().to_owned(),
            ada,
            others,
            link,
        }
    }

    /// The first 8 characters of everybody's id, in the order of coming in.
    async fn short_ids(&self) -> Vec<String> {
        let who = self.ada.run(["who", "--json", "--as", "human"], b"").await.json();
        let all = who["participants"].as_array().unwrap().iter();
        all.map(|one| one["short_id"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Whether the first link still lets somebody in: nothing was re-keyed.
    async fn assert_unchanged(&self) {
        let late = Machine::new().with("DEVPILOT_NAME", "Late");
        let joined = late.run(["join", "-"], self.link.as_bytes()).await;
        assert_eq!(joined.code(), 0, "{joined}");
    }
}

fn assert_says(ran: &Ran, parts: &[&str]) {
    for part in parts {
        assert!(ran.stdout.contains(part), "{part}: {ran}");
    }
}

#[tokio::test]
async fn everybody_is_listed_and_asked_for_and_then_the_word() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let room = Room::of(&plane, &["Ben", "Carla", "Dora"]).await;
        room.others[0].run(["post"], b"by Ben").await;
        let ids = room.short_ids().await;
        let typed = "k\nd\nmaybe\nr\n\nrekey\n";
        let ran = at_terminal(&room.ada, "rekey", typed).await;
        assert_eq!(ran.code(), 0, "{ran}");
        assert_says(
            &ran,
            &[
                &format!("\"Ada\" {} (human, you)", ids[0]),
                "Ctrl-C",
                "Type k to keep, r for may only read, d to drop:",
                &format!("\"Ben\" {} (agent", ids[1]),
                "last post never",
                "can't be taken back",
                "Re-keyed \"Stale cache\"",
                "bin/devpilot-session link --session ",
                &format!("\"Dora\" {}, may only read", ids[3]),
            ],
        );
        let key = room.link.split_once('#').unwrap().1;
        assert!(!ran.stdout.contains(key) && !ran.stdout.contains("dp1"), "{ran}");

        let posted = room.others[0].run(["post"], b"with no new link").await;
        assert_eq!(posted.code(), 0, "{posted}");
        let removed = room.others[1].run(["post"], b"me too").await;
        assert_eq!(removed.code(), 1, "{removed}");
        assert!(
            removed.stderr.contains("without this participant") && removed.stderr.contains("new link"),
            "{removed}"
        );
        let read = room.others[2].run(["read", "--json"], b"").await;
        assert_eq!(texts(&read.json()["messages"]), ["by Ben", "with no new link"]);
        let reader = room.others[2].run(["post"], b"no").await;
        assert!(
            reader.code() == 1 && reader.stderr.contains("full link"),
            "{reader}"
        );

        // The old note is gone, the old link dead and called so; the new note works.
        let again = at_terminal(&room.ada, "link --as human", "link\n").await;
        assert_eq!(again.code(), 0, "{again}");
        let new = room.ada.link();
        assert_ne!(new, room.link);
        let late = Machine::new().with("DEVPILOT_NAME", "Late");
        let dead = late.run(["join", "-"], room.link.as_bytes()).await;
        assert_eq!(dead.code(), 1, "{dead}");
        assert!(
            dead.stderr.contains("This link was ended") && dead.stderr.contains("Ask for the new one"),
            "{dead}"
        );
        let joined = late.run(["join", "-", "--json"], new.as_bytes()).await;
        assert_eq!(joined.json()["title"], "Stale cache", "{joined}");
        // Who was removed comes back by it, as the same.
        let back = room.others[1].run(["join", "-", "--json"], new.as_bytes()).await;
        assert!(
            back.json()["my_id"].as_str().unwrap().starts_with(&ids[2]),
            "{back}"
        );
    }
}

#[tokio::test]
async fn ids_on_the_command_line_still_take_the_typed_word() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let room = Room::of(&plane, &["Ben", "Carla"]).await;
        let ids = room.short_ids().await;
        let rest = format!("rekey --keep {} --drop {} --history close", ids[1], ids[2]);
        let arguments = ["rekey", "--keep", &ids[1], "--drop", &ids[2], "--history=close"];
        for typed in ["rekey\n", "yes\nrekey\nkeep\n"] {
            let refused = room.ada.run(arguments, typed.as_bytes()).await;
            assert_eq!(refused.code(), 3, "no terminal: {refused}");
            assert!(refused.stderr.contains("Nothing was changed"), "{refused}");
        }
        for typed in ["yes\n", "\n", "REKEY\n"] {
            let refused = at_terminal(&room.ada, &rest, typed).await;
            assert_eq!(refused.code(), 3, "{refused}");
        }
        for wrong in [
            "rekey --keep Ben".to_owned(),
            format!("rekey --keep {}", &ids[1][..7]),
            format!("rekey --keep {0} --drop {0}", ids[1]),
            format!("rekey --drop {}", ids[0]),
        ] {
            let refused = at_terminal(&room.ada, &wrong, "keep\nkeep\nkeep\nrekey\n").await;
            assert_eq!(refused.code(), 2, "{wrong}: {refused}");
        }
        room.assert_unchanged().await;

        // The one who just came in to show it is asked for.
        let ran = at_terminal(&room.ada, &format!("{rest} --json > answer"), "drop\nrekey\n").await;
        assert_eq!(ran.code(), 0, "{ran}");
        let answer = std::fs::read_to_string(room.ada.home().join("answer")).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(
            (&answer["epoch"], &answer["history"]),
            (&json!(2), &json!("closed"))
        );
        let out: Vec<&str> = answer["out"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap())
            .collect();
        assert_eq!(out, ["Carla", "Late"]);
        room.others[0].run(["post"], b"still in").await;
        let read = room.ada.run(["read", "--json", "--as", "human"], b"").await;
        assert_eq!(texts(&read.json()["messages"]), ["still in"]);
    }
}

#[tokio::test]
async fn a_server_that_waits_moves_over_when_a_person_re_keys_its_very_seat() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let Pair {
            mut ada,
            ada_machine,
            mut ben,
            ben_machine: _ben_machine,
        } = Pair::in_relay(&plane).await;
        let who = ben.call("who", json!({})).await;
        let ben_id = who.structured()["my_id"].as_str().unwrap()[..8].to_owned();
        let waiting = ada.start_call("wait", json!({ "timeout_s": 45 })).await;
        let bens = ben.call("read", json!({})).await;
        assert!(!bens.failed(), "{}", bens.text());
        let ben_waits = ben.start_call("wait", json!({ "timeout_s": 45 })).await;
        let ran = at_terminal(
            &ada_machine,
            &format!("rekey --keep {ben_id} --history keep"),
            "rekey\n",
        )
        .await;
        assert_eq!(ran.code(), 0, "{ran}");
        // A person's own seat on this machine posts, so both who wait have something to hear.
        let again = at_terminal(&ada_machine, "link", "link\n").await;
        assert_eq!(again.code(), 0, "{again}");
        let eva = Machine::new().with("DEVPILOT_NAME", "Eva");
        let joined = eva
            .run(["join", "-", "--as", "human"], ada_machine.link().as_bytes())
            .await;
        assert_eq!(joined.code(), 0, "{joined}");
        let posted = eva.run(["post", "--as", "human"], b"after the re-key").await;
        assert_eq!(posted.code(), 0, "{posted}");
        for (server, id) in [(&mut ada, waiting), (&mut ben, ben_waits)] {
            let woken = Called(server.answer(id).await);
            assert_eq!(texts(&woken.structured()["messages"]), ["after the re-key"]);
            assert_eq!(woken.structured()["integrity"]["state"], "ok");
        }
        let (posted, _) = ada
            .call_agreed("post", json!({ "text": "from the same seat" }))
            .await;
        assert!(!posted.failed(), "{}", posted.text());
    }
}

/// The link stands on the terminal's screen and nowhere else, standard output and log included.
#[tokio::test]
async fn an_administrators_new_link_is_shown_once_on_the_terminal_alone() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let room = Room::of(&plane, &["Ben"]).await;
        // The state of this machine is lost; its token is not.
        let ada = plane
            .owner()
            .with("RUST_LOG", "trace")
            .with("DEVPILOT_NAME", "Ada");
        let command = format!("rekey --admin {}", room.session);
        let refused = ada.run(["rekey", "--admin", &room.session], b"rekey\n").await;
        assert_eq!(refused.code(), 3, "{refused}");
        let refused = at_terminal(&ada, &command, "no\n").await;
        assert_eq!(refused.code(), 3, "{refused}");
        room.assert_unchanged().await;

        let ran = at_terminal(&ada, &format!("{command} --json > answer 2> log"), "rekey\n").await;
        assert_eq!(ran.code(), 0, "{ran}");
        assert_says(&ran, &["Everybody is put out", "shown this once"]);
        let link = stdio::link_in(&ran.stdout);
        let key = link.split_once('#').unwrap().1;
        assert_eq!(ran.stdout.matches(key).count(), 1, "once");
        let secret = &key["dp1f".len()..][..40];
        for file in ["answer", "log"] {
            let text = std::fs::read_to_string(ada.home().join(file)).unwrap();
            assert!(!text.contains(secret) && !text.contains("dp1f"), "{file}: {text}");
        }
        let answer = std::fs::read_to_string(ada.home().join("answer")).unwrap();
        assert!(answer.contains("\"epoch\":2"), "{answer}");
        assert_eq!(
            ada.secrets()
                .iter()
                .filter(|kept| key.contains(kept.as_str()))
                .count(),
            0
        );
        let left = std::fs::read_dir(ada.devpilot().join("rekeys"))
            .unwrap()
            .flatten();
        assert!(
            left.map(|file| file.file_name())
                .all(|name| name.to_string_lossy().ends_with(".lock"))
        );

        let ben = &room.others[0];
        let stopped = ben.run(["post"], b"go on?").await;
        assert!(
            stopped.code() == 1
                && stopped.stderr.contains("administrator")
                && stopped.stderr.contains("person"),
            "{stopped}"
        );
        let back = ben.run(["join", "-", "--json"], link.as_bytes()).await;
        assert_eq!(
            (&back.json()["joined"], &back.json()["title"]),
            (&json!(false), &json!("Stale cache"))
        );
        let late = Machine::new().with("DEVPILOT_NAME", "Late");
        let joined = late.run(["join", "-", "--json"], link.as_bytes()).await;
        assert_eq!(
            joined.json()["title"],
            "Stale cache",
            "sealed anew by the first one back: {joined}"
        );
    }
}

#[tokio::test]
async fn an_end_takes_the_word_and_an_id_is_enough() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let room = Room::of(&plane, &["Ben"]).await;
        let refused = room.ada.run(["end"], b"end\n").await;
        assert_eq!(refused.code(), 3, "{refused}");
        let refused = at_terminal(&room.ada, "end", "yes\n").await;
        assert_eq!(refused.code(), 3, "{refused}");
        room.assert_unchanged().await;
        let nobodys = "end --session 00112233-4455-4677-8899-aabbccddeeff";
        let unknown = at_terminal(&room.ada, nobodys, "end\n").await;
        assert!(
            unknown.code() == 1 && unknown.stdout.contains("no session of that id"),
            "{unknown}"
        );
        let admin = "rekey --admin 00112233-4455-4677-8899-aabbccddeeff";
        let unknown = at_terminal(&room.ada, admin, "rekey\n").await;
        assert!(
            unknown.code() == 1 && unknown.stdout.contains("no session of that id"),
            "{unknown}"
        );
        assert!(!unknown.stdout.contains("dp1"), "{unknown}");

        let elsewhere = plane.owner();
        let ended = at_terminal(&elsewhere, &format!("end --session {}", room.session), "end\n").await;
        assert_eq!(ended.code(), 0, "{ended}");
        let posted = room.others[0].run(["post"], b"too late").await;
        assert!(
            posted.code() == 1 && posted.stderr.contains("was ended"),
            "{posted}"
        );
        // Here, too, and its note goes with it.
        let again = at_terminal(&room.ada, "end --purge", "end\n").await;
        assert_eq!(again.code(), 0, "{again}");
        assert_eq!(
            std::fs::read_dir(room.ada.devpilot().join("handoffs"))
                .unwrap()
                .count(),
            0
        );
        let listed = room.ada.run(["sessions", "--json"], b"").await;
        assert_eq!(listed.json()["seats"][0]["state"], "purged", "{listed}");
        let gone = Machine::new().run(["join", "-"], room.link.as_bytes()).await;
        assert!(gone.code() == 1 && gone.stderr.contains("was deleted"), "{gone}");
    }
}
