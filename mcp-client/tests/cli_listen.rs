//! `listen` as a process, over a real plane, beside the agent's own MCP server.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::time::{Duration, Instant};

use serde_json::json;
use stdio::Machine;
use stdio::auto::{in_auto, listening};
use stdio::pair::{agent, texts};
use stdio::plane::{Plane, Store};
use stdio::room::{Listener, Room, said};
use stdio::terminal::at_terminal;

/// From a post to the end of the process.
const AT_ONCE: Duration = Duration::from_secs(1);

/// By the time a post is answered it has woken whoever listened.
#[tokio::test]
async fn a_post_says_whom_it_wakes_and_who_sees_it_later() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let room = Room::in_relay(&plane).await;
        let post = async || {
            let posted = room.ada.run(["post", "--as", "human", "--json"], b"needle").await;
            posted.json()
        };
        let listener = room.listen(&[]).await;
        let heard = post().await;
        listener.woken(AT_ONCE).await;
        let later = post().await;
        for (posted, listening, not_listening) in [
            (&heard, json!(["Ben"]), json!([])),
            (&later, json!([]), json!(["Ben"])),
        ] {
            assert_eq!(
                (&posted["listening"], &posted["not_listening"]),
                (&listening, &not_listening),
                "{posted}"
            );
        }
    }
}

#[tokio::test]
async fn it_wakes_within_a_second_once_for_many_and_nothing_counts_as_read() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let mut room = Room::in_relay(&plane).await;
        let listener = room.listen(&[]).await;
        room.post("needle one").await;
        let woken = listener.woken(AT_ONCE).await;
        assert_eq!(woken["woke_by"], "messages", "{woken}");
        assert_eq!(
            (&woken["unread"], &woken["mode"]),
            (&json!(1), &json!("relay")),
            "{woken}"
        );
        assert_eq!(woken["session"], room.session);
        assert_eq!(woken["title"], "Stale 'cache' <b>", "as it is shown everywhere");
        let rearm = woken["rearm"].as_str().unwrap();
        let program = room.ben.devpilot().join("bin/devpilot-session");
        assert!(rearm.starts_with(program.to_str().unwrap()), "{rearm}");

        room.post("needle two").await;
        room.post("needle three").await;
        // Something is unread as it starts: at once, and once for all three.
        let again = room.ben.run(["listen"], b"").await;
        assert_eq!((again.code(), &said(&again)["unread"]), (0, &json!(3)), "{again}");
        let read = room.server.call("read", json!({})).await;
        assert_eq!(
            texts(&read.structured()["messages"]),
            ["needle one", "needle two", "needle three"],
            "all of it is new to the agent"
        );
        let then = room.ben.run(["listen", "--timeout", "1"], b"").await;
        assert_eq!(
            (then.code(), &said(&then)["woke_by"]),
            (2, &json!("timed_out")),
            "{then}"
        );
        assert_eq!(said(&then)["rearm"], format!("{rearm} --timeout 1"), "{then}");
    }
}

#[tokio::test]
async fn what_the_agent_wrote_itself_is_not_unread_for_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::in_relay(&plane).await;
    room.post("needle one").await;
    for text in ["needle own", "needle own again"] {
        let (posted, _) = room.server.call_agreed("post", json!({ "text": text })).await;
        posted.structured();
    }
    room.post("needle two").await;
    let (own, _) = room
        .server
        .call_agreed("post", json!({ "text": "needle own at the end" }))
        .await;
    let own = own.structured()["seq"].as_u64().unwrap();
    let woken = room.ben.run(["listen"], b"").await;
    assert_eq!(woken.code(), 0, "{woken}");
    let said = said(&woken);
    assert_eq!(
        (&said["unread"], &said["newest"]),
        (&json!(2), &json!(own - 1)),
        "{said}"
    );
}

#[tokio::test]
async fn one_that_is_asked_to_listen_for_too_long_says_that_it_was_shortened() {
    let plane = Plane::start(Store::Sqlite).await;
    let room = Room::in_relay(&plane).await;
    room.post("needle").await;
    let long = room.ben.run(["listen", "--timeout", "99999"], b"").await;
    assert_eq!(long.code(), 0, "{long}");
    let next = said(&long)["next"].as_str().unwrap().to_owned();
    assert!(
        next.contains("at most 28800 s") && next.contains("from 99999 s"),
        "{next}"
    );
    let rearm = said(&long)["rearm"].as_str().unwrap().to_owned();
    assert!(rearm.ends_with(" --timeout 28800"), "{rearm}");
    let longest = room.ben.run(["listen", "--timeout", "28800"], b"").await;
    let next = said(&longest)["next"].as_str().unwrap().to_owned();
    assert!(!next.contains("at most"), "{next}");
}

#[tokio::test]
async fn the_line_it_prints_listens_again_also_after_a_kill() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::in_relay(&plane).await;
    let mut line = {
        let shown = room.server.call("mode", json!({})).await;
        shown.structured()["listen"].as_str().unwrap().to_owned()
    };
    for round in ["needle first", "needle second"] {
        let killed = room.listen(&[]).await;
        killed.signal("KILL");
        assert_eq!(killed.end().await.status.code(), None);
        // The line as a shell takes it, in another folder than the agent's.
        let mut shell = tokio::process::Command::new("sh");
        room.ben.surround(&mut shell);
        shell.args(["-c", &line]).current_dir("/");
        let listener = Listener::start(&mut shell);
        room.until_listening().await;
        room.post(round).await;
        let woken = listener.woken(Duration::from_secs(3)).await;
        // The same line each time; by the program that is kept, once one is.
        let rearm = woken["rearm"].as_str().unwrap().to_owned();
        let words = |line: &str| line.split_once(" listen ").unwrap().1.to_owned();
        assert_eq!(words(&rearm), words(&line));
        if round == "needle second" {
            assert_eq!(rearm, line);
        }
        line = rearm;
        let read = room.server.call("read", json!({})).await;
        assert_eq!(texts(&read.structured()["messages"]), [round]);
    }
}

#[tokio::test]
async fn a_home_of_another_name_stands_in_the_line() {
    let plane = Plane::start(Store::Sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("Ben's files");
    let ada = plane.owner();
    let shared = ada.run(["share", "--title", "T", "--as", "human"], b"x").await;
    assert_eq!(shared.code(), 0, "{shared}");
    let relay = at_terminal(&ada, "mode relay --as human", "relay\n").await;
    assert_eq!(relay.code(), 0, "{relay}");
    let ben = Machine::new().with("DEVPILOT_HOME", home.to_str().unwrap());
    let joined = ben
        .run(["join", "-", "--json"], ada.link().as_bytes())
        .await
        .json();
    let line = joined["listen"].as_str().unwrap();
    // Hosts give the home to their server alone, and not to the agent's shell.
    let mut shell = tokio::process::Command::new("sh");
    let ben = ben.without("DEVPILOT_HOME");
    ben.surround(&mut shell);
    shell.args(["-c", &format!("{line} --timeout 0")]);
    let ran = Listener::start(&mut shell).end().await;
    assert_eq!(ran.code(), 2, "{ran}");
    assert_eq!(said(&ran)["session"], joined["session"]);
}

#[tokio::test]
async fn in_observe_it_ends_at_once_and_when_the_mode_falls_to_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::new(&plane).await;
    room.post("needle unread").await;
    let refused = room.ben.run(["listen"], b"").await;
    assert_eq!(refused.code(), 3, "also where something is unread: {refused}");
    let answer = said(&refused);
    assert_eq!(
        (&answer["woke_by"], answer.get("rearm")),
        (&json!("observe"), None),
        "{answer}"
    );
    room.mode("relay").await;
    room.server.call("read", json!({})).await.structured();
    let listener = room.listen(&["--timeout", "60"]).await;
    let started = Instant::now();
    room.mode("observe").await;
    let fell = listener.end().await;
    assert_eq!(fell.code(), 3, "{fell}");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(said(&fell)["mode"], "observe");
    let ended = at_terminal(&room.ada, &format!("end --session {}", room.session), "end\n").await;
    assert_eq!(ended.code(), 0, "{ended}");
    let over = room.ben.run(["listen", "--session", &room.session], b"").await;
    assert_eq!(
        (over.code(), &said(&over)["woke_by"]),
        (3, &json!("ended")),
        "{over}"
    );
}

#[tokio::test]
async fn two_of_one_seat_and_its_server_do_not_hinder_each_other() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::in_relay(&plane).await;
    let one = room.listen(&[]).await;
    let two = room.listen(&[]).await;
    let who = room.server.call("who", json!({})).await;
    assert_eq!(
        who.structured()["participants"].as_array().unwrap().len(),
        2,
        "nobody new came in"
    );
    let waiting = room.server.start_call("wait", json!({ "timeout_s": 20 })).await;
    let (posted, _) = {
        room.post("needle for all three").await;
        (room.server.answer(waiting).await, ())
    };
    assert_eq!(
        posted["result"]["structuredContent"]["woke_by"], "messages",
        "{posted}"
    );
    for listener in [one, two] {
        // Either may find that the server has read it already: then it goes on.
        let mut listener = listener;
        let started = Instant::now();
        while listener.is_running() && started.elapsed() < AT_ONCE {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        if listener.is_running() {
            room.post("needle again").await;
        }
        listener.woken(AT_ONCE).await;
    }
}

#[tokio::test]
async fn it_goes_on_over_a_restarted_plane_and_a_re_key() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let room = Room::in_relay(&plane).await;
    let mut listener = room.listen(&[]).await;
    plane.kill().await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(listener.is_running(), "a plane that is away is no end");
    plane.restart().await;
    room.until_listening().await;
    let rekeyed = at_terminal(&room.ada, "rekey --history keep", "k\nrekey\n").await;
    assert_eq!(rekeyed.code(), 0, "{rekeyed}");
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(listener.is_running(), "it stays");
    room.post("needle under the new key").await;
    let woken = listener.woken(Duration::from_secs(3)).await;
    assert_eq!(woken["unread"], 1, "{woken}");
}

#[tokio::test]
async fn the_last_message_of_an_auto_wakes_and_nothing_is_listened_for_behind_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = in_auto(&plane, 2).await;
    let mut command = pair.ben_machine.command(["listen"]);
    let first = Listener::start(&mut command);
    listening(&mut pair.ada).await;
    pair.ada
        .call("post", json!({ "text": "needle one" }))
        .await
        .structured();
    let woken = first.woken(AT_ONCE).await;
    assert_eq!(
        (&woken["mode"], woken["rearm"].is_string()),
        (&json!("auto"), true),
        "{woken}"
    );
    pair.ben.call("read", json!({})).await.structured();
    let last = Listener::start(&mut command);
    listening(&mut pair.ada).await;
    pair.ada
        .call("post", json!({ "text": "needle two" }))
        .await
        .structured();
    let woken = last.woken(AT_ONCE).await;
    assert_eq!(
        (&woken["woke_by"], &woken["mode"]),
        (&json!("messages"), &json!("observe")),
        "{woken}"
    );
    assert_eq!(woken.get("rearm"), None, "{woken}");
    let after = pair.ben_machine.run(["listen"], b"").await;
    assert_eq!(after.code(), 3, "{after}");
    // The agent itself is told that auto is over: listening told nobody.
    let read = pair.ben.call("read", json!({})).await;
    assert_eq!(texts(&read.structured()["messages"]), ["needle two"]);
    assert!(read.text().contains("Auto is over"), "{}", read.text());
}

#[tokio::test]
async fn a_plane_that_was_never_there_is_said() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let room = Room::in_relay(&plane).await;
    plane.kill().await;
    let ran = room.ben.run(["listen", "--timeout", "3"], b"").await;
    assert_eq!((ran.code(), ran.stdout.as_str()), (1, ""), "{ran}");
    assert!(ran.stderr.contains("Nothing listens at"), "{ran}");
}

/// The time is up, which is what was asked for: the agent is not told that nobody wrote, since nobody knows.
#[tokio::test]
async fn a_plane_that_went_away_while_it_listened_is_a_time_that_is_up() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let room = Room::in_relay(&plane).await;
    let listener = room.listen(&["--timeout", "5"]).await;
    plane.kill().await;
    let ran = listener.end().await;
    assert_eq!(ran.code(), 2, "{ran}");
    let said = said(&ran);
    assert_eq!(said["woke_by"], "timed_out", "{said}");
    assert!(
        said["rearm"].as_str().unwrap().ends_with(" --timeout 5"),
        "{said}"
    );
    let next = said["next"].as_str().unwrap();
    assert!(
        next.contains("can't be reached") && !next.contains("Nobody wrote"),
        "{next}"
    );
}

#[tokio::test]
async fn it_ends_by_a_signal_and_where_nobody_hears_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let room = Room::in_relay(&plane).await;
    for name in ["TERM", "INT"] {
        let listener = room.listen(&[]).await;
        listener.signal(name);
        let ran = listener.end().await;
        assert_eq!((ran.code(), ran.stdout.as_str()), (130, ""), "{name}: {ran}");
    }
    let deserted = room.listen(&[]).await.deserted().await;
    assert_eq!(deserted.code(), Some(130));
}

/// Help: with --json standard output is one object, also where it did not work.
#[tokio::test]
async fn one_that_is_ended_by_a_signal_is_one_object_where_that_is_wanted() {
    let plane = Plane::start(Store::Sqlite).await;
    let room = Room::in_relay(&plane).await;
    for verb in ["wait", "listen"] {
        for name in ["TERM", "INT"] {
            let mut command = room.ben.command([verb, "--as", "agent", "--json"]);
            let listener = Listener::start(&mut command);
            room.until_listening().await;
            let started = Instant::now();
            listener.signal(name);
            let ran = listener.end().await;
            assert!(started.elapsed() < Duration::from_secs(2), "{verb} {name}");
            assert_eq!(
                (ran.code(), ran.stderr.as_str()),
                (130, ""),
                "{verb} {name}: {ran}"
            );
            assert_eq!(said(&ran)["error"], "cancelled", "{verb} {name}: {ran}");
            assert!(said(&ran)["message"].as_str().unwrap().contains("ounts as read"));
        }
    }
}

#[tokio::test]
async fn its_line_is_in_the_answers_of_relay_and_in_none_of_observe() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::new(&plane).await;
    let calls = [
        ("join", json!({})),
        ("mode", json!({})),
        ("share", json!({ "session": room.session })),
        ("read", json!({ "since": 0 })),
    ];
    for (tool, arguments) in &calls {
        let answer = room.server.call(tool, arguments.clone()).await;
        assert_eq!(answer.structured().get("listen"), None, "{tool}");
        assert!(!answer.text().contains(" listen "), "{tool}: {}", answer.text());
    }
    room.mode("relay").await;
    for (tool, arguments) in &calls {
        let answer = room.server.call(tool, arguments.clone()).await;
        let line = answer.structured()["listen"]
            .as_str()
            .unwrap_or_else(|| panic!("{tool}: {}", answer.0));
        assert!(answer.text().contains(line), "{tool}: {}", answer.text());
        assert!(
            line.contains(&format!("listen --session {} --seat ", room.session)),
            "{line}"
        );
    }
    let unread = room.server.call("read", json!({})).await;
    assert_eq!(
        unread.structured().get("listen"),
        None,
        "the way back alone has it"
    );
    // Nobody has to wake a person, who has no agent in that seat.
    for arguments in [
        &["mode", "--as", "human"][..],
        &["join", "-", "--as", "human"],
        &["read", "--since", "0", "--as", "human"],
    ] {
        let mut command = room.ada.command([]);
        let ran = stdio::ran(command.args(arguments), room.ada.link().as_bytes()).await;
        assert_eq!(ran.code(), 0, "{arguments:?}: {ran}");
        assert!(
            ran.stdout.contains("relay") && !ran.stdout.contains(" listen --session"),
            "{arguments:?}: {ran}"
        );
    }
    let set = at_terminal(&room.ada, "mode relay --as human", "relay\n").await;
    assert!(!set.stdout.contains(" listen --session"), "{set}");
}

#[tokio::test]
async fn after_a_cut_context_one_call_has_everything_to_go_on() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut room = Room::in_relay(&plane).await;
    room.post("needle: look at the key").await;
    room.server.call("read", json!({})).await.structured();
    room.server.close().await;
    // Another process, which knows of nothing but this machine's files.
    let mut fresh = agent(&room.ben).await;
    let back = fresh.call("read", json!({ "since": 0 })).await;
    let answer = back.structured();
    assert_eq!(answer["mode"], "relay");
    assert!(
        answer["listen"].as_str().unwrap().contains(" listen "),
        "{answer}"
    );
    let card = &answer["card"];
    assert_eq!(card["participants_here"], 2, "{card}");
    let me: Vec<_> = card["participants"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["me"] == true)
        .collect();
    assert_eq!(
        (me.len(), &me[0]["name"]),
        (1, &json!("Ben")),
        "it knows who it is"
    );
    assert_eq!(
        texts(&answer["messages"]),
        [stdio::room::HANDOFF, "needle: look at the key"],
        "the hand-off and what came after"
    );
    for part in [
        "Mode: relay",
        stdio::room::HANDOFF,
        "needle: look at the key",
        " listen --session ",
        "\"Ben\"",
    ] {
        assert!(back.text().contains(part), "{part}: {}", back.text());
    }
    let unread = fresh.call("read", json!({})).await;
    assert_eq!(
        texts(&unread.structured()["messages"]),
        [""; 0],
        "looking back changed nothing"
    );
}
