//! Nothing gives a key away on the client's side: not to the model, not to a log, not to the process list.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::needles::Needles;
use crate::scene::Agent;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Called, Machine, link_in};

/// Command lines of all processes, looked at all the time.
struct ProcessList {
    seen: Arc<Mutex<BTreeSet<String>>>,
    stop: Arc<AtomicBool>,
    watch: std::thread::JoinHandle<()>,
}

impl ProcessList {
    fn watch() -> Self {
        let (seen, stop) = (
            Arc::<Mutex<BTreeSet<String>>>::default(),
            Arc::<AtomicBool>::default(),
        );
        let (collected, stopped) = (seen.clone(), stop.clone());
        let watch = std::thread::spawn(move || {
            while !stopped.load(Ordering::SeqCst) {
                let lines = std::fs::read_dir("/proc")
                    .into_iter()
                    .flatten()
                    .flatten()
                    .filter_map(|process| std::fs::read_to_string(process.path().join("cmdline")).ok());
                collected.lock().unwrap().extend(lines);
                std::thread::park_timeout(Duration::from_millis(2));
            }
        });
        Self { seen, stop, watch }
    }

    fn end(self) -> String {
        self.stop.store(true, Ordering::SeqCst);
        self.watch.join().unwrap();
        let seen = self.seen.lock().unwrap();
        seen.iter().cloned().collect::<Vec<_>>().join("\n")
    }
}

fn traced(machine: Machine, name: &str) -> Machine {
    machine
        .with("RUST_LOG", "trace")
        .with("RUST_BACKTRACE", "1")
        .with("DEVPILOT_NAME", name)
}

/// Looks for the key of a link and for all that the machines keep.
fn secrets(link: &str, machines: &[&Machine]) -> Needles {
    let mut needles = Needles::default();
    let key = link.split_once('#').unwrap().1;
    needles.text("the link's token", key);
    // A part is enough to be worth something.
    needles.text("the link's secret", &key["dp1f".len()..][..51]);
    let found = seal::link::find(link).unwrap();
    needles.bytes("the link's secret", found.secret.expose());
    let mut kept = 0;
    for machine in machines {
        for secret in machine.secrets() {
            kept += 1;
            needles.text("a secret kept on disk", &secret);
            if let Ok(bytes) = wire::encoding::from_base64url(&secret) {
                needles.bytes("a secret kept on disk", &bytes);
            }
        }
    }
    // Per seat: key, seed and token.
    assert!(
        kept >= 3 * machines.len(),
        "only {kept} secrets would be looked for"
    );
    needles
}

/// Calls with everything in the wrong place, a link above all: what a confused model does.
async fn confuse(agent: &mut Agent, link: &str) -> Vec<Called> {
    let mut answers = Vec::new();
    let key = link.split_once('#').unwrap().1;
    let note = format!("Join with {link} please");
    for (tool, arguments) in [
        ("join", json!({ "link": &link[..link.len() - 3] })),
        (
            "join",
            json!({ "link": format!("{link} and {}x", &link[..link.len() - 1]) }),
        ),
        ("join", json!({ "link": 7, "source": link })),
        ("join", json!({ "source": link })),
        ("join", json!({ "link": { "text": link } })),
        ("join", json!({ link: true })),
        ("join", json!({ key: key })),
        ("read", json!({ "session": link })),
        ("read", json!({ "since": link })),
        ("read", json!({ "from": link })),
        ("read", json!({ "kind": key, "topic": link })),
        ("post", json!({ "text": note })),
        ("post", json!({ "text": "hello", "to": [link] })),
        ("post", json!({ "text": "hello", "topic": link })),
        ("post", json!({ "text": "hello", "paths": [key] })),
        ("post", json!({ "text": "hello", "kind": link })),
        ("post", json!({ "text": "hello", "signal": key })),
        ("wait", json!({ "timeout_s": key })),
        ("who", json!({ "session": key })),
        ("mode", json!({ "set": link })),
        ("mode", json!({ "session": key })),
        (key, json!({})),
        (link, json!({ "link": link })),
    ] {
        answers.push(agent.server.call(tool, arguments).await);
    }
    answers.push(Called(
        agent.server.request(&format!("tools/{key}"), json!({})).await,
    ));
    answers.push(Called(
        agent.server.request("prompts/get", json!({ "name": link })).await,
    ));
    answers.push(Called(
        agent
            .server
            .request("resources/read", json!({ "uri": link }))
            .await,
    ));
    answers
}

#[tokio::test]
async fn no_answer_no_log_line_and_no_process_list_holds_a_key() {
    let plane = Plane::start(Store::Sqlite).await;
    let processes = ProcessList::watch();
    let mut ada = Agent::on(traced(plane.owner(), "Ada")).await;
    let share = json!({ "title": "Leaks", "context": "all of it", "with": "Ben" });
    ada.server.call("share", share).await.structured();
    let link = ada.machine.link();
    let machine = traced(Machine::new(), "Ben").with("DEVPILOT_SESSION_LINK", &link);
    let mut ben = Agent::on(machine).await;
    ben.server.call("join", json!({})).await.structured();
    // Again with the link in the call: it comes back no more than from elsewhere.
    ben.server
        .call("join", json!({ "link": link }))
        .await
        .structured();
    let again = json!({ "session": "Leaks" });
    ada.server.call("share", again).await.structured();
    // Another agent of the same user is another participant, with keys and a token of its own.
    let mut second = ben.machine.server();
    second.initialize("2025-06-18", json!({})).await;
    let joined = second.call("join", json!({})).await;
    assert_ne!(joined.structured()["my_id"].as_str().unwrap(), ben.id().await);
    second.call("who", json!({})).await.structured();

    ada.server
        .call_agreed("mode", json!({ "set": "relay" }))
        .await
        .0
        .structured();
    ben.server.call("read", json!({})).await.structured();
    let waiting = json!({
        "name": "devpilot_session_wait", "arguments": {}, "_meta": { "progressToken": "p" }
    });
    let waiting = ben.server.post("tools/call", waiting).await;
    let (_, questions) = ada
        .server
        .call_agreed("post", json!({ "text": "a text to be found" }))
        .await;
    let woken = Called(ben.server.answer(waiting).await);
    assert_eq!(woken.structured()["messages"][0]["text"], "a text to be found");
    ben.server.call("read", json!({ "since": 0 })).await.structured();
    ben.server.call("who", json!({})).await.structured();

    let answers = confuse(&mut ben, &link).await;
    for answer in &answers {
        let wrong = answer.failed() || answer.0.get("error").is_some() || answer.0["result"].is_object();
        assert!(wrong, "{}", answer.0);
    }
    let leaked = ben.server.call("read", json!({ "since": 0 })).await;
    assert!(
        !leaked.0.to_string().contains("Join with"),
        "a text with a link was posted"
    );

    let needles = secrets(&link, &[&ada.machine, &ben.machine]);
    let mut logs = String::new();
    let mut lines = questions.join("\n");
    for server in [ada.server, ben.server, second] {
        let closed = server.close().await;
        lines.push_str(&closed.lines.join("\n"));
        logs.push_str(&closed.stderr);
    }
    assert!(lines.contains("a text to be found"));
    needles.assert_not_in("standard output", lines.as_bytes());
    assert!(logs.lines().count() > 5, "nothing is logged: {logs}");
    needles.assert_not_in("standard error", logs.as_bytes());
    let processes = processes.end();
    assert!(
        cfg!(not(target_os = "linux")) || processes.contains("devpilot-session"),
        "{processes}"
    );
    needles.assert_not_in("the process list", processes.as_bytes());
}

#[tokio::test]
async fn the_link_comes_back_only_where_it_was_asked_for() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut ada = Agent::on(traced(plane.owner(), "Ada")).await;
    let share = json!({ "title": "Asked for", "context": "all of it", "reveal_link": true });
    let mut shared = ada.server.call("share", share).await;
    let structured = shared.structured().clone();
    let link = structured["link"].as_str().unwrap().to_owned();
    let note = std::fs::read_to_string(structured["handoff_file"].as_str().unwrap()).unwrap();
    assert_eq!(link, link_in(&note), "it is the link of the note");
    assert_eq!(structured["link_withheld"], false);
    let cost = structured["warnings"].to_string();
    assert!(
        cost.contains("model's provider"),
        "what that costs is said: {cost}"
    );

    let needles = secrets(&link, &[&ada.machine]);
    // Beside the member and its line in the text it is nowhere.
    let result = &mut shared.0["result"];
    result["structuredContent"]
        .as_object_mut()
        .unwrap()
        .remove("link");
    let text = result["content"][0]["text"].as_str().unwrap();
    let rest: Vec<&str> = text.lines().filter(|line| line.trim() != link).collect();
    assert_eq!(
        rest.len() + 1,
        text.lines().count(),
        "one line of the text is the link"
    );
    result["content"][0]["text"] = Value::from(rest.join("\n"));
    needles.assert_not_in("the rest of the answer", shared.0.to_string().as_bytes());
    ada.server.lines.clear();
    ada.server.call("read", json!({ "since": 0 })).await.structured();
    ada.server.call("who", json!({})).await.structured();
    let closed = ada.server.close().await;
    needles.assert_not_in("later answers", closed.lines.join("\n").as_bytes());
    needles.assert_not_in("standard error", closed.stderr.as_bytes());
}

#[tokio::test]
async fn the_command_line_keeps_a_key_to_itself_too() {
    let plane = Plane::start(Store::Sqlite).await;
    let processes = ProcessList::watch();
    let ada = traced(plane.owner(), "Ada");
    let shared = ada
        .run(["share", "--title", "By hand", "--json"], b"all of it")
        .await;
    assert!(shared.status.success(), "{shared}");
    let link = ada.link();
    let ben = traced(Machine::new(), "Ben");
    // Beside text of the note; the link comes from standard input, the post too.
    let joined = ben
        .run(["join", "-"], format!("Hello,\n{link}\nBye\n").as_bytes())
        .await;
    assert!(joined.status.success(), "{joined}");
    let mut said = vec![shared, joined];
    for (arguments, input) in [
        (["post", "--json"], &b"a text to be found"[..]),
        (["read", "--json"], b""),
        (["who", "--json"], b""),
        (["mode", "--json"], b""),
    ] {
        let ran = ben.run(arguments, input).await;
        assert!(ran.status.success(), "{ran}");
        said.push(ran);
    }
    let processes = processes.end();
    // In an argument it is refused, and not repeated: then the process list has shown it, by no doing of ours.
    let refused = ben.run(["join", link.as_str()], b"").await;
    assert!(!refused.status.success(), "{refused}");
    said.push(refused);
    let needles = secrets(&link, &[&ada, &ben]);
    for ran in &said {
        needles.assert_not_in("standard output", ran.stdout.as_bytes());
        needles.assert_not_in("standard error", ran.stderr.as_bytes());
    }
    assert!(cfg!(not(target_os = "linux")) || processes.contains("devpilot-session"));
    needles.assert_not_in("the process list", processes.as_bytes());
}

/// With everything logged that can be: the old secret, the new one, and the machine's token stay where they are kept.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_re_key_gives_no_key_away() {
    let plane = Plane::start(Store::Sqlite).await;
    let processes = ProcessList::watch();
    let ada = traced(plane.owner(), "Ada");
    let shared = ada
        .run(
            ["share", "--title", "Re-keyed", "--json", "--as=human"],
            b"all of it",
        )
        .await;
    assert!(shared.status.success(), "{shared}");
    let session = shared.json()["session"].as_str().unwrap().to_owned();
    let old_link = ada.link();
    let ben = traced(Machine::new(), "Ben");
    let joined = ben.run(["join", "-"], old_link.as_bytes()).await;
    assert!(joined.status.success(), "{joined}");
    let old = secrets(&old_link, &[&ada, &ben]);

    let mut said = vec![crate::stdio::terminal::at_terminal(&ada, "rekey", "keep\nafter\nrekey\n").await];
    said.push(ben.run(["post", "--json"], b"moved over").await);
    said.push(crate::stdio::terminal::at_terminal(&ada, "link --as human", "link\n").await);
    let new_link = ada.link();
    let new = secrets(&new_link, &[&ada, &ben]);
    // The administrator's is shown at the terminal; beside it there is the log.
    let command = format!("rekey --admin {session} 2> log");
    let shown = crate::stdio::terminal::at_terminal(&ada, &command, "rekey\n").await;
    assert!(shown.status.success(), "{shown}");
    let log = std::fs::read_to_string(ada.home().join("log")).unwrap();
    assert!(log.contains("re-key is sent"), "something is logged: {log}");
    let shown_link = link_in(&shown.stdout);
    said.push(ben.run(["join", "-", "--json"], shown_link.as_bytes()).await);
    said.push(crate::stdio::terminal::at_terminal(&ada, &format!("end --session {session}"), "end\n").await);
    let shown_secrets = secrets(&shown_link, &[&ada, &ben]);
    let processes = processes.end();
    for ran in &said {
        assert!(ran.status.success(), "{ran}");
    }
    for needles in [&old, &new, &shown_secrets] {
        for ran in &said {
            needles.assert_not_in("standard output", ran.stdout.as_bytes());
            needles.assert_not_in("standard error", ran.stderr.as_bytes());
        }
        needles.assert_not_in("the log of an administrator's re-key", log.as_bytes());
        needles.assert_not_in("the process list", processes.as_bytes());
        needles.assert_not_in("the plane's log", plane.log().await.as_bytes());
    }
}
