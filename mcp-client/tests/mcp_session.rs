//! Two clients as processes, over a real plane: the story from share to who, consent, and long transcripts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use serde_json::json;
use stdio::Machine;
use stdio::pair::{CONTEXT, Pair, agent, texts};
use stdio::plane::{Plane, Store};

#[tokio::test]
async fn the_story_from_share_to_who() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let Pair {
            mut ada,
            ada_machine,
            mut ben,
            ben_machine,
        } = Pair::in_relay(&plane).await;

        let read = ben.call("read", json!({ "since": 0 })).await;
        let read = read.structured();
        assert_eq!(read["messages"][0]["text"], CONTEXT, "the hand-off comes first");
        assert_eq!(read["card"]["messages"], 1);
        assert_eq!(read["title"], "Flaky login test");
        assert_eq!(read["integrity"]["state"], "ok");
        assert_eq!(read["mode"], "relay");

        let waiting = ada.start_call("wait", json!({ "timeout_s": 45 })).await;
        let (posted, questions) = ben
            .call_agreed(
                "post",
                json!({ "text": "Is the clock mocked?", "kind": "question" }),
            )
            .await;
        let seq = posted.structured()["seq"].clone();
        assert_eq!(questions.len(), 1, "in relay the human is asked");
        assert!(questions[0].contains("Is the clock mocked?"), "{}", questions[0]);

        let woken = stdio::Called(ada.answer(waiting).await);
        let message = &woken.structured()["messages"][0];
        assert_eq!(woken.structured()["woke_by"], "messages");
        assert_eq!(
            (&message["text"], &message["seq"]),
            (&json!("Is the clock mocked?"), &seq)
        );
        assert_eq!(
            (&message["from"], &message["kind"]),
            (&json!("Ben"), &json!("question"))
        );
        assert_eq!(
            (&message["untrusted"], &message["origin"]),
            (&json!(true), &json!("participant"))
        );
        assert!(woken.text().contains("Is the clock mocked?"));

        let (first, second) = (ada.call("who", json!({})).await, ben.call("who", json!({})).await);
        let (first, second) = (first.structured(), second.structured());
        assert_eq!(first["head_hash"], second["head_hash"]);
        assert_eq!(first["head_hash"].as_str().unwrap().len(), 32 + 7);
        assert_eq!(first["participants"].as_array().unwrap().len(), 2);

        let (ada, ben) = (ada.close().await, ben.close().await);
        let everything = ada.lines.concat() + &ben.lines.concat() + &ada.stderr + &ben.stderr;
        let secrets: Vec<String> = [ada_machine.secrets(), ben_machine.secrets()].concat();
        assert!(
            secrets.len() >= 4,
            "the search would find nothing: {}",
            secrets.len()
        );
        for secret in secrets {
            assert!(
                !everything.contains(&secret),
                "a secret of {} symbols got out",
                secret.len()
            );
        }
    }
}

#[tokio::test]
async fn no_process_list_shows_a_link() {
    let plane = Plane::start(Store::Sqlite).await;
    let pair = Pair::new(&plane).await;
    let key = pair.ada_machine.link().split_once('#').unwrap().1.to_owned();
    let mut seen = 0;
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        if let Ok(line) = std::fs::read_to_string(process.path().join("cmdline")) {
            seen += usize::from(line.contains("devpilot-session"));
            assert!(!line.contains(&key), "{}", process.path().display());
        }
    }
    assert!(cfg!(not(target_os = "linux")) || seen >= 2, "{seen}");
}

#[tokio::test]
async fn in_observe_waiting_is_refused_and_the_way_on_is_named() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let refused = pair.ben.call("wait", json!({})).await;
    assert_eq!(refused.code(), "mode_observe");
    assert!(refused.text().contains("relay"), "{}", refused.text());
}

#[tokio::test]
async fn relay_needs_the_human_s_own_yes() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    for (answer, code) in [
        (json!({ "action": "decline" }), "declined"),
        (json!({ "action": "cancel" }), "dismissed"),
        (json!({ "action": "accept" }), "empty_answer"),
        (json!({ "action": "accept", "content": {} }), "empty_answer"),
    ] {
        let id = pair.ada.start_call("mode", json!({ "set": "relay" })).await;
        let (refused, questions) = pair.ada.answer_asked(id, &answer).await;
        assert_eq!((refused.code(), questions.len()), (code, 1), "{answer}");
    }
    let mode = pair.ada.call("mode", json!({})).await;
    assert_eq!(mode.structured()["mode"], "observe");

    let mut mute = pair.ada_machine.server();
    mute.initialize("2025-06-18", json!({})).await;
    let refused = mute.call("mode", json!({ "set": "relay" })).await;
    assert_eq!(refused.code(), "cannot_ask");
    assert!(
        refused.text().contains("do not run it yourself"),
        "{}",
        refused.text()
    );
}

/// The host's own permission prompt stands in for a host that can't ask, and for none that can.
#[tokio::test]
async fn a_host_that_was_asked_and_answers_nonsense_has_no_yes() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let (relay, _) = pair.ada.call_agreed("mode", json!({ "set": "relay" })).await;
    relay.structured();
    for response in [
        json!({ "result": "garbage" }),
        json!({ "result": { "foo": 1 } }),
        json!({ "result": { "action": "maybe" } }),
        json!({ "error": { "code": -32000, "message": "User rejected" } }),
        json!({ "error": { "code": -32601, "message": "Method not found" } }),
    ] {
        let id = pair
            .ada
            .start_call("post", json!({ "text": "without a word" }))
            .await;
        let (refused, questions) = pair.ada.answer_with(id, &response).await;
        assert_eq!(
            (refused.code(), questions.len()),
            ("empty_answer", 1),
            "{response}"
        );
    }
    let read = pair.ben.call("read", json!({ "since": 0 })).await;
    assert!(!read.0.to_string().contains("without a word"), "{}", read.0);
}

#[tokio::test]
async fn in_the_later_era_the_human_is_asked_in_a_second_round() {
    let plane = Plane::start(Store::Sqlite).await;
    let pair = Pair::new(&plane).await;
    let mut ada = pair.ada_machine.server();
    ada.without_initialize(json!({ "elicitation": {} }));
    drop(pair.ada);
    let first = ada.call("mode", json!({ "set": "relay" })).await.0["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let shown = first["inputRequests"]["consent"]["params"]["message"]
        .as_str()
        .unwrap();
    assert!(shown.contains("Flaky login test"), "{shown}");
    let params = json!({
        "name": "devpilot_session_mode", "arguments": { "set": "relay" }, "requestState": first["requestState"],
        "inputResponses": { "consent": { "action": "accept", "content": { "confirm": true } } }
    });
    let second = stdio::Called(ada.request("tools/call", params).await);
    assert_eq!(second.structured()["mode"], "relay");
}

#[tokio::test]
async fn a_home_and_a_path_are_enough_to_share_and_to_join() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada_machine = plane.owner().without("DEVPILOT_CLIPBOARD");
    let mut ada = agent(&ada_machine).await;
    let shared = ada
        .call("share", json!({ "title": "Bare", "context": "All of it" }))
        .await;
    assert_eq!(shared.structured()["clipboard"], "none", "there is no display");
    let ben_machine = Machine::new().without("DEVPILOT_CLIPBOARD");
    let mut ben = agent(&ben_machine).await;
    let joined = ben.call("join", json!({ "link": ada_machine.link() })).await;
    assert_eq!(joined.structured()["card"]["handoff"]["text"], "All of it");
}

#[tokio::test]
async fn one_waiting_call_does_not_hold_up_another() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ada.call("read", json!({})).await.structured();
    let waiting = pair.ada.start_call("wait", json!({})).await;
    let (posted, _) = pair.ada.call_agreed("post", json!({ "text": "meanwhile" })).await;
    posted.structured();
    let (theirs, _) = pair.ben.call_agreed("post", json!({ "text": "for Ada" })).await;
    theirs.structured();
    let woken = stdio::Called(pair.ada.answer(waiting).await);
    assert_eq!(texts(&woken.structured()["messages"]), ["for Ada"]);
}

#[tokio::test]
async fn who_left_is_not_said_to_see_a_post_at_the_next_read() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let cleo = Machine::new()
        .with("DEVPILOT_NAME", "Cleo")
        .with("DEVPILOT_SESSION_LINK", &pair.ada_machine.link());
    let joined = cleo.run(["join", "--as=human"], b"").await;
    assert_eq!(joined.code(), 0, "{joined}");
    for (text, expected) in [("both", json!(["Ben", "Cleo"])), ("one", json!(["Ben"]))] {
        if text == "one" {
            let left = cleo.run(["leave", "--as=human"], b"").await;
            assert_eq!(left.code(), 0, "{left}");
        }
        let posted = pair.ada.call("post", json!({ "text": text })).await;
        let mut names: Vec<&str> = posted.structured()["not_listening"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        names.sort_unstable();
        assert_eq!(json!(names), expected);
        assert_eq!(posted.structured()["listening"], json!([]));
        assert_eq!(
            posted.text().contains("Cleo"),
            text == "both",
            "{}",
            posted.text()
        );
    }
}

/// A later `read` brings what was said to others, which a wait for what is mine alone has passed over, and that too.
#[tokio::test]
async fn waiting_for_what_is_mine_alone_marks_nothing_as_read() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    let who = pair.ada.call("who", json!({})).await;
    let ada = who.structured()["my_id"].clone();
    for message in [
        json!({ "text": "for whoever reads it" }),
        json!({ "text": "for Ada", "to": [ada] }),
        json!({ "text": "for nobody either" }),
    ] {
        let (posted, _) = pair.ben.call_agreed("post", message).await;
        posted.structured();
    }
    // The second one is not woken again by what the first has shown, which is not behind the cursor either.
    for (expected, woke_by) in [(vec!["for Ada"], "messages"), (vec![], "timed_out")] {
        let mine = pair
            .ada
            .call("wait", json!({ "for_me": true, "timeout_s": 1 }))
            .await;
        assert_eq!(texts(&mine.structured()["messages"]), expected);
        assert_eq!(mine.structured()["woke_by"], woke_by);
    }
    let unread = pair.ada.call("read", json!({})).await;
    assert_eq!(
        texts(&unread.structured()["messages"]),
        ["for whoever reads it", "for Ada", "for nobody either"]
    );
    // The other way of waiting marks as read what it shows.
    let (posted, _) = pair.ben.call_agreed("post", json!({ "text": "at last" })).await;
    posted.structured();
    let any = pair.ada.call("wait", json!({ "timeout_s": 5 })).await;
    assert_eq!(texts(&any.structured()["messages"]), ["at last"]);
    let unread = pair.ada.call("read", json!({})).await;
    assert!(texts(&unread.structured()["messages"]).is_empty());
}

#[tokio::test]
async fn two_agents_of_one_machine_are_two_participants() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let mut second = agent(&pair.ben_machine).await;
    let joined = second.call("join", json!({})).await;
    let other = joined.structured()["my_id"].clone();
    let mine = pair.ben.call("who", json!({})).await.structured()["my_id"].clone();
    assert_ne!(other, mine);
}

#[tokio::test]
async fn a_long_message_comes_in_parts_and_whole() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let line = "Zeile mit Umlauten äöü und 🙂 am Ende.\n";
    let text = line.repeat(60_000 / line.len());
    pair.ada.call("post", json!({ "text": text })).await.structured();

    let (mut parts, mut more, mut arguments) = (String::new(), true, json!({}));
    while more {
        let answer = pair.ben.call("read", arguments).await;
        let read = answer.structured();
        assert!(answer.text().len() <= 26_000, "{}", answer.text().len());
        for message in read["messages"].as_array().unwrap() {
            assert_eq!(message["offset"].as_u64().unwrap_or(0) as usize, parts.len());
            parts.push_str(message["text"].as_str().unwrap());
        }
        more = read["more"].as_bool().unwrap();
        arguments = json!({ "since": read["next_since"], "offset": read["next_offset"] });
    }
    assert!(parts == text, "{} of {} bytes", parts.len(), text.len());
}

#[tokio::test]
async fn more_of_what_was_filtered_is_asked_for_with_the_same_filters() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    for text in ["one apple", "two apples"] {
        let post = json!({ "text": text, "topic": "fruit" });
        pair.ada.call("post", post).await.structured();
    }
    for (filter, expected) in [
        (json!({ "topic": "fruit" }), "and the same filters."),
        (json!({ "query": "apple" }), "and the same query."),
        (
            json!({ "query": "apple", "topic": "fruit" }),
            "and the same query and filters.",
        ),
        (json!({ "since": 1 }), "with since"),
    ] {
        let mut arguments = filter;
        arguments["limit"] = json!(1);
        let read = pair.ben.call("read", arguments).await;
        let next = read.structured()["next"].as_str().unwrap().to_owned();
        assert!(next.contains(expected), "{next}");
    }
}

/// Calls a tool that marks as read what it shows until a message was there to its end; gives its text, and those of the
/// messages that came with its last part.
async fn in_parts(reader: &mut stdio::Server, tool: &str, bytes: usize) -> (String, Vec<String>) {
    let mut parts = String::new();
    loop {
        let answer = reader.call(tool, json!({})).await;
        let shown = answer.structured();
        let messages = &shown["messages"];
        assert_eq!(
            messages[0]["offset"].as_u64().unwrap_or(0) as usize,
            parts.len(),
            "{shown}"
        );
        parts.push_str(messages[0]["text"].as_str().unwrap());
        if parts.len() >= bytes {
            return (
                parts,
                texts(messages)[1..].iter().map(|&text| text.to_owned()).collect(),
            );
        }
        assert_eq!(shown["more"], true, "{shown}");
        let next = shown["next"].as_str().unwrap();
        assert!(next.contains("read on with `devpilot_session_read`"), "{next}");
        assert!(answer.text().contains(next), "{}", answer.text());
    }
}

#[tokio::test]
async fn what_is_unread_goes_on_inside_a_long_message_and_comes_to_its_end() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    pair.ben.call("read", json!({})).await.structured();
    for tool in ["read", "wait"] {
        let long = format!("{tool}: ") + &"0123456789 ".repeat(6_000);
        for text in [long.as_str(), "the short one after it"] {
            let (posted, _) = pair.ada.call_agreed("post", json!({ "text": text })).await;
            posted.structured();
        }
        // An own message in between is none that is read.
        let (own, _) = pair
            .ben
            .call_agreed("post", json!({ "text": "wait for me" }))
            .await;
        own.structured();
        let (whole, beside) = in_parts(&mut pair.ben, tool, long.len()).await;
        assert!(whole == long, "{} of {} bytes", whole.len(), long.len());
        assert_eq!(beside, ["the short one after it"]);
        let nothing = pair.ben.call("read", json!({})).await;
        assert_eq!(nothing.structured()["messages"], json!([]));
    }
}

#[tokio::test]
async fn five_thousand_messages_are_paged_within_the_budget() {
    const COUNT: usize = 5_000;
    let limits = json!({
        "appends_per_minute": 1_000_000, "append_burst": 1_000_000, "append_bytes_per_minute": 1_000_000_000
    });
    let plane = Plane::start_with(Store::Sqlite, Some(&limits.to_string())).await;
    let mut pair = Pair::new(&plane).await;
    let mut ids = Vec::new();
    for number in 0..COUNT {
        ids.push(
            pair.ada
                .start_call("post", json!({ "text": format!("message {number}") }))
                .await,
        );
        if ids.len() == 16 {
            pair.ada.answer(ids.remove(0)).await;
        }
    }
    for id in ids {
        pair.ada.answer(id).await;
    }
    let (mut read, mut more) = (Vec::new(), true);
    while more {
        let answer = pair.ben.call("read", json!({ "limit": 200 })).await;
        let structured = answer.structured();
        // A token is about three bytes of such text and more; 8,000 of them are 24,000 bytes.
        assert!(answer.text().len() <= 24_000, "{}", answer.text().len());
        assert!(structured.to_string().len() <= 24_000, "{structured}");
        let texts = texts(&structured["messages"]).into_iter();
        read.extend(texts.map(|text| text["message ".len()..].parse::<usize>().unwrap()));
        more = structured["more"].as_bool().unwrap();
    }
    read.sort_unstable();
    assert_eq!(read, (0..COUNT).collect::<Vec<_>>());
}
