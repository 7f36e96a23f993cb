//! Planes: whether they answer, their clock and version, this machine's token.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::scene::{check, command, connect, fails, is_well, look, url};
use crate::stdio::plane::{Plane, Store, free_port};
use crate::stdio::shell::{obey, shell};
use crate::stdio::{Machine, binary};

#[tokio::test]
async fn on_a_clean_machine_nothing_fails_and_the_ways_to_a_plane_are_named() {
    let machine = Machine::new();
    let answer = is_well(&machine).await;
    let none = check(&answer, "plane");
    assert_eq!(none["health"], "note");
    assert!(none["remedy"].as_str().unwrap().contains("devpilot-plane serve"));
    let text = machine.run(["doctor"], b"").await;
    assert!(
        text.stdout
            .ends_with("Everything that this machine needs is there.\n"),
        "{text}"
    );
    let program = check(&answer, "program");
    assert_eq!(program["health"], "note");
    obey(&machine, &command(program), b"").await;
    assert_eq!(check(&is_well(&machine).await, "program")["health"], "ok");
    let plane = Plane::start(Store::Sqlite).await;
    let line = command(none).replace("https://PLANE", &url(&plane));
    connect(&machine, &plane, &line).await;
    assert_eq!(check(&is_well(&machine).await, "token")["health"], "ok");
}

#[tokio::test]
async fn a_plane_that_is_away_and_a_token_that_was_revoked() {
    let mut plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let answer = is_well(&machine).await;
    let names: Vec<&str> = answer["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| check["check"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "home",
            "config",
            "program",
            "seats",
            "plane",
            "clock",
            "token",
            "clipboard"
        ]
    );

    plane.kill().await;
    let away = fails(&machine, "plane", "does not answer").await;
    // In the operator's shell, which knows the plane's program and where its data is.
    let mut serve = shell(&machine, &format!("exec {}", command(&away)));
    let path = std::env::join_paths(
        std::iter::once(binary().parent().unwrap().to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut served = serve
        .env("PATH", path.unwrap())
        .env("DEVPILOT_PLANE_DATA", plane.data())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let started = std::time::Instant::now();
    while look(&machine).await["well"] != true {
        assert!(
            started.elapsed() < std::time::Duration::from_secs(30),
            "it does not come back"
        );
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    served.kill().await.unwrap();
    plane.restart().await;
    is_well(&machine).await;

    let tokens: Value =
        serde_json::from_str(&plane.admin(&["token", "list", "--org", "local", "--json"]).await).unwrap();
    plane
        .admin(&["token", "revoke", tokens[0]["token_id"].as_str().unwrap()])
        .await;
    let revoked = fails(&machine, "token", "revoked").await;
    connect(&machine, &plane, &command(&revoked)).await;
    is_well(&machine).await;
}

#[tokio::test]
async fn a_plane_without_a_token_and_what_the_environment_says() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = Machine::new().with("DEVPILOT_PLANE", &url(&plane));
    let missing = fails(&machine, "token", "there is none").await;
    connect(&machine, &plane, &command(&missing)).await;
    is_well(&machine).await;

    let machine = machine.with("DEVPILOT_BRIDGE_TOKEN", &format!("dpm_{}", "A".repeat(43)));
    let foreign = fails(&machine, "token", "Unset DEVPILOT_BRIDGE_TOKEN").await;
    let machine = machine.without("DEVPILOT_BRIDGE_TOKEN");
    obey(&machine, &command(&foreign), b"").await;
    is_well(&machine).await;
    let machine = machine.with("DEVPILOT_BRIDGE_TOKEN", "something-secret");
    let bad = fails(&machine, "token", "unset it").await;
    assert!(!bad.to_string().contains("something-secret"));
    unset_as_said(&machine, &bad).await;
    let machine = machine.without("DEVPILOT_BRIDGE_TOKEN");
    is_well(&machine).await;

    let machine = machine.with("DEVPILOT_PLANE", "http://plane.example.org");
    let bad = fails(&machine, "token", "unset it").await;
    unset_as_said(&machine, &bad).await;
    is_well(&machine.without("DEVPILOT_PLANE")).await;
}

/// In the shell where the line was run the trouble is gone.
async fn unset_as_said(machine: &Machine, check: &Value) {
    let line = format!("{}; '{}' doctor", command(check), binary().display());
    obey(machine, &line, b"").await;
}

#[tokio::test]
async fn a_token_that_may_not_share_and_how_to_get_one_that_may() {
    let plane = Plane::start(Store::Sqlite).await;
    let members = plane.admin(&["member", "list", "--org", "local", "--json"]).await;
    let members: Value = serde_json::from_str(&members).unwrap();
    let member = members[0]["name"].as_str().unwrap();
    let made = plane
        .admin(&[
            "token", "create", "--org", "local", "--member", member, "--scopes", "rekey",
        ])
        .await;
    let token = made
        .split_whitespace()
        .find(|word| word.starts_with("dpm_"))
        .unwrap();

    let machine = plane.owner().with("DEVPILOT_BRIDGE_TOKEN", token);
    let answer = is_well(&machine).await;
    let lacking = check(&answer, "token");
    assert!(
        lacking["about"].as_str().unwrap().contains("can't share"),
        "{lacking}"
    );
    assert!(
        lacking["remedy"]
            .as_str()
            .unwrap()
            .contains("unset DEVPILOT_BRIDGE_TOKEN")
    );
    let line = command(lacking);
    let machine = machine.without("DEVPILOT_BRIDGE_TOKEN");
    obey(&machine, &line, b"").await;
    assert_eq!(check(&is_well(&machine).await, "token")["health"], "ok");

    // The same, stored.
    let file = machine.devpilot().join("credentials.json");
    let mut stored: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    stored["planes"][url(&plane)]["token"] = Value::from(token);
    std::fs::write(&file, stored.to_string()).unwrap();
    let answer = is_well(&machine).await;
    let lacking = check(&answer, "token");
    assert_eq!(lacking["health"], "note", "{lacking}");
    connect(&machine, &plane, &command(lacking)).await;
    assert_eq!(check(&is_well(&machine).await, "token")["health"], "ok");
    let shared = machine.run(["share", "--title", "x"], b"context").await;
    assert_eq!(shared.code(), 0, "{shared}");
}

#[tokio::test]
async fn a_plane_elsewhere_that_does_not_answer_is_named_anew_in_config_toml() {
    let plane = Plane::start(Store::Sqlite).await;
    let gone = "https://plane.invalid";
    let machine = plane.owner();
    let file = machine.devpilot().join("credentials.json");
    let stored = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, stored.replace(&url(&plane), gone)).unwrap();
    let answer = look(&machine).await;
    let away = check(&answer, "plane");
    assert_eq!(away["health"], "failed", "{answer}");
    let remedy = away["remedy"].as_str().unwrap();
    assert!(remedy.contains("network") && away["command"].is_null(), "{away}");
    let (_, lines) = remedy.split_once("config.toml: ").unwrap();
    let (table, entry) = lines.split_once(" and below that ").unwrap();
    let entry = entry
        .trim_end_matches('.')
        .replace("https://NEW.ADDRESS", &url(&plane));
    std::fs::write(
        machine.devpilot().join("config.toml"),
        format!("{table}\n{entry}\n"),
    )
    .unwrap();
    is_well(&machine).await;

    // One that the environment names is named there.
    let machine = machine.with("DEVPILOT_PLANE", gone);
    let answer = look(&machine).await;
    let away = check(&answer, "plane");
    assert!(
        away["remedy"]
            .as_str()
            .unwrap()
            .contains("set DEVPILOT_PLANE to it"),
        "{answer}"
    );
    is_well(&machine.with("DEVPILOT_PLANE", &url(&plane))).await;
}

/// What doctor asks a plane, of a version, with a clock of its own, so many seconds from the right time.
async fn clock_of_its_own(version: &'static str) -> (u16, Arc<AtomicI64>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let off = Arc::new(AtomicI64::new(0));
    let shown = off.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            let asked = String::from_utf8_lossy(&request[..length]).into_owned();
            let now = std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .unwrap()
                .as_secs();
            let at = i64::try_from(now).unwrap() + shown.load(Ordering::SeqCst);
            let date = httpdate::fmt_http_date(
                std::time::UNIX_EPOCH + std::time::Duration::from_secs(u64::try_from(at).unwrap()),
            );
            let body = if asked.starts_with("GET /healthz") {
                format!("{{\"status\":\"ok\",\"version\":\"{version}\"}}")
            } else {
                let id = "2f6b1c1e-8f0e-4d43-9a3e-0c3a4f5e6d7c";
                format!("{{\"user\":\"{id}\",\"org\":\"{id}\",\"role\":\"member\",\"scopes\":[\"share\"]}}")
            };
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: {date}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (port, off)
}

#[tokio::test]
async fn a_clock_that_is_wrong() {
    let (port, off) = clock_of_its_own(env!("CARGO_PKG_VERSION")).await;
    let machine = Machine::new()
        .with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{port}"))
        .with("DEVPILOT_BRIDGE_TOKEN", &format!("dpm_{}", "A".repeat(43)));
    is_well(&machine).await;
    for (seconds, says) in [(3_600, " s behind"), (-3_600, " s ahead")] {
        off.store(seconds, Ordering::SeqCst);
        let wrong = fails(&machine, "clock", says).await;
        assert_eq!(command(&wrong), "sudo timedatectl set-ntp true");
        off.store(0, Ordering::SeqCst);
        is_well(&machine).await;
    }
}

#[tokio::test]
async fn the_host_of_a_link_is_never_contacted_unless_this_machine_is_in_its_session() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner();
    let shared = ada.run(["share", "--title", "x"], b"context").await;
    assert_eq!(shared.code(), 0, "{shared}");
    let ben = Machine::new().with("DEVPILOT_SESSION_LINK", &ada.link());
    untouched(&ben, &plane).await;
    let joined = ben.run(["join"], b"").await;
    assert_eq!(joined.code(), 0, "{joined}");
    let before = plane.log().await;
    is_well(&ben).await;
    assert_ne!(plane.log().await, before, "this test looks at the wrong log");
    let left = ben.run(["leave"], b"").await;
    assert_eq!(left.code(), 0, "{left}");
    untouched(&ben, &plane).await;
}

/// Doctor asks nothing of the plane, and does not name it.
async fn untouched(machine: &Machine, plane: &Plane) {
    let before = plane.log().await;
    let answer = is_well(machine).await;
    assert!(!answer.to_string().contains("127.0.0.1"), "{answer}");
    assert_eq!(plane.log().await, before, "the plane was asked");
}

#[tokio::test]
async fn a_plane_that_nobody_answers_for_costs_seconds_and_no_more() {
    let machine = Machine::new().with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{}", free_port()));
    let started = std::time::Instant::now();
    fails(&machine, "plane", "does not answer").await;
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}

#[tokio::test]
async fn a_plane_of_another_version_is_named_with_ours() {
    let token = format!("dpm_{}", "A".repeat(43));
    for (version, health) in [
        ("0.9.0", "note"),
        ("1.0.0", "note"),
        (env!("CARGO_PKG_VERSION"), "ok"),
    ] {
        let (port, _) = clock_of_its_own(version).await;
        let machine = Machine::new()
            .with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{port}"))
            .with("DEVPILOT_BRIDGE_TOKEN", &token);
        let answer = is_well(&machine).await;
        let plane = check(&answer, "plane");
        assert_eq!(plane["health"], health, "{plane}");
        let about = plane["about"].as_str().unwrap();
        assert!(about.contains(version), "{plane}");
        if health == "note" {
            assert!(
                about.contains(concat!("this is ", env!("CARGO_PKG_VERSION"))),
                "{plane}"
            );
            assert!(
                plane["remedy"].as_str().unwrap().contains("update the older"),
                "{plane}"
            );
        }
    }
}
