//! No cockpit, a plane that must not hear of it, and settings that are wrong.

use serde_json::json;

use crate::scene::{Agent, Cockpit, Listener, Repository, ask, history, run_hook, server};
use crate::stdio::Machine;
use crate::stdio::plane::{free_port, private};

#[tokio::test]
async fn without_a_cockpit_there_is_one_plain_sentence() {
    let url = format!("http://127.0.0.1:{}", free_port());
    let machine = Machine::new().with("DEVPILOT_COCKPIT_URL", &url);
    // Keeps the program.
    machine.run(["sessions"], b"").await;
    let repository = Repository::new(&machine, "pay", &[("f", "0")]);
    let mut server = server(&machine, &repository.top).await;
    let called = ask(&mut server, json!({ "paths": ["f"] })).await;
    assert_eq!(called.code(), "no_cockpit");
    let sentence = format!(
        "No cockpit answers at {url}, so nothing is known here of earlier tasks: go on without, or have your user start one."
    );
    let kept = machine.devpilot().join("bin/devpilot-session");
    let line = format!("{} cockpit", kept.display());
    assert_eq!(
        called.text(),
        format!("{sentence}\nCommand, for your user's own terminal: {line}")
    );
    let ran = machine
        .command(["history", "f"])
        .current_dir(&repository.top)
        .output()
        .await
        .unwrap();
    assert_eq!(ran.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(ran.stderr).unwrap(),
        format!("devpilot-session: {sentence}\n  {line}\n")
    );
    assert_eq!(ran.stdout, b"");
}

#[tokio::test]
async fn a_cockpit_elsewhere_needs_tls_and_bad_questions_say_what_is_wrong() {
    for url in [
        "http://192.0.2.1:3847",
        "http://cockpit.example",
        "file:///etc/passwd",
        "nonsense",
    ] {
        let machine = Machine::new().with("DEVPILOT_COCKPIT_URL", url);
        let repository = Repository::new(&machine, "pay", &[("f", "0")]);
        let ran = history(&machine, &repository.top, &["f"]).await;
        assert_eq!(
            (ran.code(), &ran.json()["error"]),
            (2, &json!("bad_argument")),
            "{ran}"
        );
        assert!(
            ran.json()["message"]
                .as_str()
                .unwrap()
                .contains("DEVPILOT_COCKPIT_URL"),
            "{ran}"
        );
    }
    let machine = Machine::new();
    let mut server = server(&machine, machine.home()).await;
    for arguments in [
        json!({}),
        json!({ "paths": [] }),
        json!({ "paths": "f" }),
        json!({ "paths": ["f"], "limit": 0 }),
        json!({ "paths": ["f"], "limit": 51 }),
        json!({ "paths": vec!["f"; 101] }),
        json!({ "paths": ["f"], "repo": "/nowhere" }),
        json!({ "paths": ["/f"], "repo": "https://example.org/a/b" }),
        json!({ "paths": ["f"], "unknown": 1 }),
    ] {
        assert!(ask(&mut server, arguments.clone()).await.failed(), "{arguments}");
    }
}

/// Everything that the cockpit is for is done while a plane is known, with a token for it. It hears nothing.
#[tokio::test]
async fn nothing_of_it_reaches_the_plane() {
    let plane = Listener::answering("200 OK", "application/json", "{}").await;
    let machine = Machine::new()
        .with("DEVPILOT_PLANE", &plane.url)
        .with("DEVPILOT_BRIDGE_TOKEN", "dpm_0123456789abcdefghijklmnop")
        .with("HTTP_PROXY", &plane.url)
        .with("HTTPS_PROXY", &plane.url)
        .with("ALL_PROXY", &plane.url);
    std::fs::create_dir_all(machine.devpilot()).unwrap();
    private(&machine.devpilot());
    std::fs::write(
        machine.devpilot().join("config.toml"),
        format!("proxy = \"{}\"\n", plane.url),
    )
    .unwrap();
    let cockpit = Cockpit::start(&machine).await;
    let repository = Repository::new(&machine, "pay", &[("f", "0")]);
    repository.git(&["remote", "add", "origin", &format!("{}/acme/pay.git", plane.url)]);
    let agent = Agent {
        cockpit: &cockpit,
        machine: &machine,
        repository: &repository,
        session: "s",
    };
    agent.event("SessionStart", json!({ "source": "startup" })).await;
    agent.prompt("Change it").await;
    repository.write("f", "1");
    agent.stop("Done.").await;
    let mut server = server(&machine, &repository.top).await;
    let called = ask(&mut server, json!({ "paths": ["f"] })).await;
    assert_eq!(called.structured()["tasks"][0]["title"], "Change it");
    agent.event("SessionEnd", json!({ "reason": "other" })).await;
    server.close().await;
    assert_eq!(plane.heard(), [""; 0], "somebody else heard of it");
}

#[tokio::test]
async fn a_hook_is_silent_and_quick_without_a_cockpit_and_tells_no_stranger() {
    // A stranger has the port that the cockpit had, and the files it left behind are still there.
    let stranger = Listener::answering("200 OK", "application/json", "{}").await;
    let machine = Machine::new().with("DEVPILOT_COCKPIT_URL", &stranger.url);
    let cockpit = Cockpit::start(&machine).await;
    let command = cockpit.said["settings"]["hooks"]["UserPromptSubmit"][0]["hooks"][0]["command"].clone();
    let own = cockpit.url().to_owned();
    cockpit.kill().await;
    let address = machine.devpilot().join("cockpit/address.json");
    let left = std::fs::read_to_string(&address).unwrap();
    std::fs::write(&address, left.replace(&own, &stranger.url)).unwrap();
    let input = json!({ "hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": machine.home(), "prompt": "secret" });
    let started = std::time::Instant::now();
    let ran = run_hook(&machine, command.as_str().unwrap(), &input).await;
    assert_eq!(
        (ran.code(), ran.stdout.as_str(), ran.stderr.as_str()),
        (0, "", "")
    );
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
    assert_eq!(stranger.heard(), [""; 0]);
}

#[tokio::test]
async fn each_face_is_told_of_arguments_as_it_writes_them() {
    let machine = Machine::new();
    let mut server = server(&machine, machine.home()).await;
    for (arguments, options, name) in [
        (
            json!({ "paths": ["f"], "limit": 51 }),
            &["f", "--limit", "51"][..],
            "limit",
        ),
        (json!({ "paths": ["f"] }), &["f"][..], "repo"),
        (
            json!({ "paths": ["f"], "repo": "./nowhere" }),
            &["f", "--repo", "./nowhere"][..],
            "repo",
        ),
    ] {
        let called = ask(&mut server, arguments).await;
        let said = called.text();
        assert!(said.contains(&format!("`{name}`")), "{said}");
        let ran = history(&machine, machine.home(), options).await;
        assert_ne!(ran.code(), 0, "{ran}");
        let said = ran.json()["message"].as_str().unwrap().to_owned();
        assert!(said.contains(&format!("`--{name}`")), "{said}");
        assert!(!said.contains(&format!("`{name}`")), "{said}");
    }
}
