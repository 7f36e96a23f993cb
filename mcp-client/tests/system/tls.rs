//! https by Debian's caddy, whose certificate authority nobody knows but who is told.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::scene::{Agent, CONTEXT, TITLE};
use crate::stdio::caddy::Caddy;
use crate::stdio::plane::{Plane, free_port};
use crate::stdio::{Called, Machine};

#[tokio::test]
async fn share_and_join_over_https_with_a_private_certificate_authority() {
    let port = free_port();
    let plane = Plane::start_behind(&format!("https://localhost:{port}")).await;
    let Some(mut caddy) = Caddy::before(plane.port(), "localhost", port).await else {
        return;
    };
    let mut ada = Agent::on(caddy.trusted_by(plane.owner()).with("DEVPILOT_NAME", "Ada")).await;
    let share = json!({ "title": TITLE, "context": CONTEXT });
    let shared = ada.server.call("share", share.clone()).await;
    shared.structured();
    let warnings = shared.structured()["warnings"].to_string();
    let link = ada.machine.link();
    assert!(
        link.starts_with(&format!("https://localhost:{port}/s/")),
        "links lead to the public address"
    );

    let machine = Machine::new()
        .with("DEVPILOT_NAME", "Ben")
        .with("DEVPILOT_SESSION_LINK", &link);
    let mut ben = Agent::on(caddy.trusted_by(machine)).await;
    let joined = ben.server.call("join", json!({})).await;
    assert_eq!(joined.structured()["card"]["handoff"]["text"], CONTEXT);
    ada.server
        .call_agreed("mode", json!({ "set": "relay" }))
        .await
        .0
        .structured();
    ben.server.call("read", json!({})).await.structured();
    let waiting = ben.server.start_call("wait", json!({})).await;
    ada.server
        .call_agreed("post", json!({ "text": "over https" }))
        .await
        .0
        .structured();
    let woken = Called(ben.server.answer(waiting).await);
    assert_eq!(woken.structured()["messages"][0]["text"], "over https");

    // Who was not told of the authority does not go on, and learns what to do.
    let asked = Instant::now();
    let (_, refused) = Agent::join("Cleo", &link).await;
    assert!(
        asked.elapsed() < Duration::from_secs(10),
        "it is not tried again and again"
    );
    assert_eq!(refused.code(), "plane_unreachable", "{}", refused.text());
    for part in [
        // The root, whose file is to be named: not the intermediate that signed the server's certificate.
        "\"CN=Caddy Local Authority - ",
        "ECC Root\"",
        "certificate_authorities",
        "config.toml",
    ] {
        assert!(refused.text().contains(part), "`{part}`: {}", refused.text());
    }
    assert!(!refused.text().contains(link.split_once('#').unwrap().1));
    assert!(!warnings.contains("#dp1"));
    caddy.kill().await;
}

#[tokio::test]
async fn an_authority_that_is_not_there_is_named() {
    let machine = Machine::new().with("DEVPILOT_SESSION_LINK", "https://plane.invalid/s/none");
    std::fs::create_dir_all(machine.devpilot()).unwrap();
    std::fs::write(
        machine.devpilot().join("config.toml"),
        "certificate_authorities = [\"gone.pem\"]\n",
    )
    .unwrap();
    let ran = machine.run(["who"], b"").await;
    assert!(!ran.status.success(), "{ran}");
    assert!(
        ran.stderr.contains("gone.pem") && ran.stderr.contains("config.toml"),
        "{ran}"
    );
}
