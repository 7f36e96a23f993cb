//! The secret guard through both faces: what looks like a credential is refused with its kind and place, let through by a
//! human alone, and never repeated, whatever is logged.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use serde_json::{Value, json};
use stdio::pair::{Pair, agent, texts};
use stdio::plane::{Plane, Store};
use stdio::proxy::Proxy;
use stdio::secret::{mute, secret, silent};
use stdio::{Called, Machine, Server};

fn text() -> String {
    format!("How to reproduce:\nexport KEY={}\nmake test", secret())
}

const KIND: &str = "a GitHub personal access token";
const PLACE: &str = "`text`, line 2, column 12";

fn yes() -> Value {
    json!({ "action": "accept", "content": { "confirm": true } })
}

async fn asked(server: &mut Server, tool: &str, arguments: Value, action: &Value) -> (Called, Vec<String>) {
    let id = server.start_call(tool, arguments).await;
    server.answer_asked(id, action).await
}

/// Sessions that a machine has seats in: a folder each.
fn seats(machine: &Machine) -> usize {
    let sessions = std::fs::read_dir(machine.devpilot().join("sessions"));
    let sessions = sessions.into_iter().flatten().flatten();
    sessions.filter(|entry| entry.path().is_dir()).count()
}

#[tokio::test]
async fn a_credential_is_refused_with_its_kind_and_place_and_never_its_value() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let Pair {
            mut ada,
            ben,
            ben_machine,
            ada_machine: _machine,
        } = Pair::new(&plane).await;
        drop(ben.close().await);
        for later_era in [false, true] {
            let mut ben = mute(&ben_machine, later_era).await;
            let hides = [
                (json!({ "text": text() }), PLACE),
                (
                    json!({ "text": "see the topic", "topic": secret() }),
                    "`topic`, line 1, column 1",
                ),
                (
                    json!({ "text": "see", "paths": ["a.rs", secret()] }),
                    "`path 2`, line 1, column 1",
                ),
            ];
            for (arguments, place) in hides {
                let refused = ben.call("post", arguments).await;
                assert_eq!(refused.code(), "secret_found");
                for part in [
                    KIND,
                    place,
                    "Nothing was sent",
                    "do not run it yourself",
                    "post --allow-secrets",
                ] {
                    assert!(refused.text().contains(part), "{part}: {}", refused.text());
                }
            }
            let goal = json!({ "set": "auto", "goal": text() });
            let refused = ben.call("mode", goal).await;
            assert_eq!(refused.code(), "secret_found");
            assert!(
                refused.text().contains("mode auto --allow-secrets"),
                "{}",
                refused.text()
            );
            // No argument lets it through.
            let told = ben
                .call("post", json!({ "text": text(), "allow_secrets": true }))
                .await;
            assert_eq!(told.code(), "bad_argument");
            ben.call("read", json!({})).await.structured();
            let closed = ben.close().await;
            silent(&closed.lines.concat());
            silent(&closed.stderr);
        }
        let read = ada.call("read", json!({ "since": 0 })).await;
        assert_eq!(read.structured()["messages"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn nothing_is_asked_of_the_plane_for_a_post_that_is_refused() {
    let plane = Plane::start(Store::Sqlite).await;
    let proxy = Proxy::before(plane.port()).await;
    let Pair {
        ben,
        ben_machine,
        ada,
        ..
    } = Pair::through(&plane, proxy.port()).await;
    drop((ben.close().await, ada));
    let mut ben = mute(&ben_machine, false).await;
    proxy.hold();
    let started = std::time::Instant::now();
    let refused = ben.call("post", json!({ "text": text() })).await;
    assert_eq!(refused.code(), "secret_found");
    assert!(
        started.elapsed().as_secs() < 10,
        "it waited for the plane: {:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn only_a_human_s_yes_lets_it_through_and_the_question_shows_no_value() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    for (action, code) in [
        (json!({ "action": "decline" }), "declined"),
        (json!({ "action": "cancel" }), "dismissed"),
        (json!({ "action": "accept" }), "empty_answer"),
        (
            json!({ "action": "accept", "content": { "confirm": "true" } }),
            "empty_answer",
        ),
    ] {
        let (refused, questions) = asked(&mut pair.ada, "post", json!({ "text": text() }), &action).await;
        assert_eq!((refused.code(), questions.len()), (code, 1), "{action}");
        assert!(refused.text().contains(PLACE), "{}", refused.text());
        silent(refused.text());
        for part in ["Flaky login test", KIND, PLACE] {
            assert!(questions[0].contains(part), "{part}: {}", questions[0]);
        }
        silent(&questions[0]);
    }
    let (posted, _) = asked(&mut pair.ada, "post", json!({ "text": text() }), &yes()).await;
    assert!(posted.structured()["seq"].is_u64(), "{}", posted.0);
    silent(&posted.0.to_string());
    let read = pair.ben.call("read", json!({})).await;
    assert_eq!(
        texts(&read.structured()["messages"]),
        [text()],
        "what was allowed arrives as it is"
    );
    // The yes was for that text alone.
    let (_, questions) = asked(&mut pair.ada, "post", json!({ "text": text() + "!" }), &yes()).await;
    assert_eq!(questions.len(), 1);
}

#[tokio::test]
async fn in_the_later_era_a_yes_counts_for_the_text_that_was_shown() {
    let plane = Plane::start(Store::Sqlite).await;
    let Pair {
        ada,
        ada_machine,
        mut ben,
        ben_machine: _machine,
    } = Pair::new(&plane).await;
    drop(ada.close().await);
    let mut ada = ada_machine.server();
    ada.without_initialize(json!({ "elicitation": {} }));
    let round = |arguments: Value, first: &Value| {
        json!({
            "name": "devpilot_session_post", "arguments": arguments, "requestState": first["requestState"],
            "inputResponses": { "consent": yes() }
        })
    };
    let first = ada.call("post", json!({ "text": text() })).await.0["result"].clone();
    assert_eq!(first["resultType"], "input_required", "{first}");
    let shown = first["inputRequests"]["consent"]["params"]["message"]
        .as_str()
        .unwrap();
    assert!(shown.contains(KIND) && shown.contains(PLACE), "{shown}");
    silent(&first.to_string());
    let other = json!({ "text": text() + "!" });
    let anew = ada.request("tools/call", round(other, &first)).await["result"].clone();
    assert_eq!(
        anew["resultType"], "input_required",
        "another text is another question: {anew}"
    );
    let first = ada.call("post", json!({ "text": text() })).await.0["result"].clone();
    let posted = Called(
        ada.request("tools/call", round(json!({ "text": text() }), &first))
            .await,
    );
    assert!(posted.structured()["seq"].is_u64(), "{}", posted.0);
    let read = ben.call("read", json!({})).await;
    assert_eq!(texts(&read.structured()["messages"]), [text()]);
}

#[tokio::test]
async fn in_relay_the_credential_comes_first_and_stays_out_of_the_question_with_the_text() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::in_relay(&plane).await;
    let (refused, questions) = asked(
        &mut pair.ada,
        "post",
        json!({ "text": text() }),
        &json!({ "action": "decline" }),
    )
    .await;
    assert_eq!((refused.code(), questions.len()), ("declined", 1));
    let (posted, questions) = asked(&mut pair.ada, "post", json!({ "text": text() }), &yes()).await;
    assert_eq!(posted.structured()["human"], "approved");
    assert_eq!(questions.len(), 2);
    assert!(questions[0].contains(KIND), "{}", questions[0]);
    assert!(
        questions[1].contains("How to reproduce:\nexport KEY=[credential withheld]\nmake test")
            || questions[1].contains("export [credential withheld]"),
        "{}",
        questions[1]
    );
    silent(&questions.concat());
    let named = json!({ "text": "see", "topic": secret(), "paths": [secret()] });
    let (_, questions) = asked(&mut pair.ada, "post", named, &yes()).await;
    assert_eq!(questions.len(), 2);
    silent(&questions.concat());
    let (_, questions) = asked(&mut pair.ada, "post", json!({ "text": "no credential" }), &yes()).await;
    assert_eq!(questions.len(), 1, "only what is needed is asked");
}

#[tokio::test]
async fn a_hand_off_is_asked_about_before_there_is_a_session() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let share = json!({ "title": "Keys", "context": text() });
    let mut ada = mute(&machine, false).await;
    let refused = ada.call("share", share.clone()).await;
    assert_eq!(refused.code(), "secret_found");
    assert!(
        refused.text().contains("`context`, line 2, column 12"),
        "{}",
        refused.text()
    );
    let titled = ada
        .call("share", json!({ "title": secret(), "context": "x" }))
        .await;
    let named = json!({ "title": "Keys", "context": "x", "with": secret() });
    let named = ada.call("share", named).await;
    assert_eq!((titled.code(), named.code()), ("secret_found", "secret_found"));
    let closed = ada.close().await;
    silent(&(closed.lines.concat() + &closed.stderr));
    assert_eq!(seats(&machine), 0, "nothing was made");

    let mut ada = agent(&machine).await;
    let (_, questions) = asked(
        &mut ada,
        "share",
        json!({ "title": secret(), "context": "x" }),
        &yes(),
    )
    .await;
    assert_eq!(questions.len(), 0, "a title stands in the note: nobody is asked");
    let (refused, questions) = asked(&mut ada, "share", share.clone(), &json!({ "action": "decline" })).await;
    assert_eq!((refused.code(), questions.len()), ("declined", 1));
    assert_eq!(seats(&machine), 0, "nothing was made");
    let (shared, questions) = asked(&mut ada, "share", share.clone(), &yes()).await;
    assert_eq!(
        (shared.structured()["created"].clone(), questions.len()),
        (json!(true), 1)
    );
    assert_eq!(seats(&machine), 1);
    let (again, questions) = asked(&mut ada, "share", share, &yes()).await;
    assert_eq!(
        (again.structured()["created"].clone(), questions.len()),
        (json!(false), 0)
    );
}

#[tokio::test]
async fn a_goal_is_scanned_before_it_is_shown() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut pair = Pair::new(&plane).await;
    let goal = json!({ "set": "auto", "goal": format!("Deploy with {}", secret()) });
    let (refused, questions) = asked(
        &mut pair.ada,
        "mode",
        goal.clone(),
        &json!({ "action": "decline" }),
    )
    .await;
    assert_eq!((refused.code(), questions.len()), ("declined", 1));
    let (proposed, questions) = asked(&mut pair.ada, "mode", goal, &yes()).await;
    assert!(!proposed.failed(), "{}", proposed.text());
    assert_eq!(questions.len(), 2);
    assert!(
        questions[1].contains("Deploy with [credential withheld]"),
        "{}",
        questions[1]
    );
    silent(&questions.concat());
}

#[tokio::test]
async fn a_name_that_is_a_credential_gets_nobody_in() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner();
    let shared = ada
        .run(["share", "--title", "Names", "--as", "human"], b"start")
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    let ben = Machine::new().with("DEVPILOT_NAME", &secret());
    let refused = ben.run(["join", "-", "--json"], ada.link().as_bytes()).await;
    assert_eq!(refused.json()["error"], "secret_found", "{refused}");
    silent(&refused.to_string());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn on_the_command_line_a_word_at_the_terminal_lets_it_through_and_nothing_else() {
    use stdio::terminal::at_terminal;

    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane
        .owner()
        .with("DEVPILOT_NAME", "Ada")
        .with("RUST_LOG", "trace");
    let shared = ada
        .run(["share", "--title", "By hand", "--as", "human"], b"start")
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    std::fs::write(ada.home().join("text"), text()).unwrap();

    let refused = ada.run(["post", "--as=human", "--json"], text().as_bytes()).await;
    assert_eq!(
        (refused.code(), &refused.json()["error"]),
        (1, &json!("secret_found")),
        "{refused}"
    );
    let command = refused.json()["command"].as_str().unwrap().to_owned();
    assert!(
        command.contains("devpilot-session post --allow-secrets --session "),
        "{command}"
    );
    silent(&refused.to_string());

    let alone = ada
        .run(
            ["post", "--as=human", "--allow-secrets", "--json"],
            text().as_bytes(),
        )
        .await;
    assert_eq!(
        (alone.code(), &alone.json()["error"]),
        (3, &json!("cannot_ask")),
        "{alone}"
    );
    let topic = ada
        .run(
            [
                "post",
                "--allow-secrets",
                "--topic",
                &secret(),
                "--as=human",
                "--json",
            ],
            b"x",
        )
        .await;
    assert_eq!(topic.code(), 3, "{topic}");
    silent(&(alone.to_string() + &topic.to_string()));

    for (typed, code) in [("yes\n", 3), ("\n", 3), ("allow\n", 0)] {
        let ran = at_terminal(&ada, "post --allow-secrets --as human < text 2> log", typed).await;
        assert_eq!(ran.code(), code, "{typed:?}: {ran}");
        // A command has no argument of that name.
        assert!(
            ran.stdout.contains(&PLACE.replace("text", "standard input")),
            "{ran}"
        );
        silent(&ran.to_string());
        silent(&std::fs::read_to_string(ada.home().join("log")).unwrap());
    }
    let read = ada
        .run(["read", "--since", "0", "--as=human", "--json"], b"")
        .await;
    let read = read.json();
    assert_eq!(texts(&read["messages"]), ["start", &text()]);
    // A text without a credential is not asked about.
    std::fs::write(ada.home().join("text"), "plain").unwrap();
    let plain = at_terminal(&ada, "post --allow-secrets --as human < text", "").await;
    assert_eq!(plain.code(), 0, "{plain}");
}

/// What follows the program's name in the line that a refusal gives a person.
#[cfg(target_os = "linux")]
fn by_hand(command: &str) -> String {
    let (_, line) = command.split_once("/devpilot-session ").unwrap();
    line.lines().next().unwrap().to_owned()
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_line_that_a_refusal_gives_a_person_works_at_their_terminal() {
    use stdio::terminal::at_terminal;

    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner();
    let shared = ada.run(["share", "--title", "By an agent"], b"start").await;
    assert_eq!(shared.code(), 0, "{shared}");
    std::fs::write(ada.home().join("text"), text()).unwrap();
    let handoff = ada.run(["read", "--since", "0", "--json"], b"").await.json()["messages"][0]["seq"].clone();
    let reply = format!("--reply-to={handoff}");
    // Refused for what it holds, and for want of a terminal.
    let refused = ada.run(["post", &reply, "--json"], text().as_bytes()).await;
    let alone = ada.run(["post", "--allow-secrets", &reply, "--json"], b"x").await;
    assert_eq!((refused.code(), alone.code()), (1, 3), "{refused}{alone}");
    for told in [refused, alone] {
        let line = by_hand(told.json()["command"].as_str().unwrap());
        assert!(
            line.contains("--as agent --seat ") && line.contains("--reply-to"),
            "{line}"
        );
        let ran = at_terminal(&ada, &format!("{line} < text"), "allow\n").await;
        assert_eq!(ran.code(), 0, "{line}: {ran}");
    }
    let relay = at_terminal(&ada, "mode relay", "relay\n").await;
    assert_eq!(relay.code(), 0, "{relay}");
    std::fs::write(ada.home().join("text"), "in relay").unwrap();
    let refused = ada.run(["post", "--kind=answer", "--json"], b"in relay").await;
    assert_eq!(refused.json()["error"], "cannot_ask", "{refused}");
    let line = by_hand(refused.json()["command"].as_str().unwrap());
    let ran = at_terminal(&ada, &format!("{line} < text"), "send\n").await;
    assert_eq!(ran.code(), 0, "{line}: {ran}");
    let read = ada.run(["read", "--since", "0", "--json"], b"").await.json();
    assert_eq!(texts(&read["messages"]), ["start", &text(), &text(), "in relay"]);
    assert_eq!(read["messages"][1]["reply_to"], handoff);
    assert_eq!(read["messages"][3]["kind"], "answer");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_line_of_an_agent_s_host_works_at_a_person_s_terminal_in_any_folder() {
    use stdio::terminal::at_terminal;

    let plane = Plane::start(Store::Sqlite).await;
    let Pair {
        ada: _ada,
        ada_machine: _machine,
        ben,
        ben_machine,
    } = Pair::new(&plane).await;
    drop(ben.close().await);
    let mut ben = mute(&ben_machine, false).await;
    let refused = ben.call("post", json!({ "text": text() })).await;
    let line = by_hand(refused.text());
    assert!(line.contains("--as agent --seat "), "{line}");
    std::fs::write(ben_machine.home().join("text"), text()).unwrap();
    let ran = at_terminal(&ben_machine, &format!("{line} < text"), "allow\n").await;
    assert_eq!(ran.code(), 0, "{line}: {ran}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_person_at_their_own_terminal_is_not_sent_to_their_human() {
    use stdio::terminal::at_terminal;

    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner();
    let shared = ada
        .run(["share", "--title", "By hand", "--as", "human"], b"start")
        .await;
    assert_eq!(shared.code(), 0, "{shared}");
    std::fs::write(ada.home().join("text"), text()).unwrap();
    let refused = at_terminal(&ada, "post < text", "").await;
    assert_eq!(refused.code(), 1, "{refused}");
    for (part, is_said) in [
        ("in your own terminal", true),
        ("ask your human", false),
        ("do not run it", false),
        ("--as agent", false),
    ] {
        assert_eq!(refused.stdout.contains(part), is_said, "{part}: {refused}");
    }
    let line = by_hand(&refused.stdout);
    let ran = at_terminal(&ada, &format!("{} < text", line.trim_end()), "allow\n").await;
    assert_eq!(ran.code(), 0, "{line}: {ran}");
}
