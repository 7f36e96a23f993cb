//! `doctor`: each thing that can be wrong is made wrong, what doctor says helps is done to the letter, and doctor is
//! content.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::Value;
use stdio::plane::{Plane, Store, free_port, private};
use stdio::{Machine, Ran, binary};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

/// What doctor says, as a program reads it; and that it shows no secret of this machine.
async fn look(machine: &Machine) -> Value {
    let ran = machine.run(["doctor", "--json"], b"").await;
    let answer = ran.json();
    assert_eq!(ran.code(), i32::from(answer["well"] != true), "{ran}");
    for secret in machine.secrets() {
        assert!(
            !ran.stdout.contains(&secret) && !ran.stderr.contains(&secret),
            "a secret was shown"
        );
    }
    for check in answer["checks"].as_array().unwrap() {
        assert!(
            check["health"] != "failed" || check["remedy"].is_string(),
            "no remedy: {check}"
        );
    }
    answer
}

/// The checks that failed.
fn failed(answer: &Value) -> Vec<&Value> {
    let checks = answer["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["health"] == "failed").collect()
}

/// Looks; exactly this fails, and this is said.
async fn fails(machine: &Machine, check: &str, says: &str) -> Value {
    let answer = look(machine).await;
    let found = failed(&answer);
    assert_eq!(found.len(), 1, "{answer}");
    let text = found[0].to_string();
    assert!(found[0]["check"] == check && text.contains(says), "{answer}");
    found[0].clone()
}

async fn is_well(machine: &Machine) -> Value {
    let answer = look(machine).await;
    assert_eq!(answer["well"], true, "{answer}");
    answer
}

/// Runs what a remedy says in a shell, where the program is found by its name.
async fn obey(machine: &Machine, command: &str) -> Ran {
    let mut shell = tokio::process::Command::new("sh");
    shell.args(["-c", command]);
    machine.surround(&mut shell);
    let path = std::env::var("PATH").unwrap();
    let output = shell
        .env("PATH", format!("{}:{path}", binary().parent().unwrap().display()))
        .stdin(Stdio::null())
        .output()
        .await
        .unwrap();
    let ran = Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    assert_eq!(ran.code(), 0, "{command}: {ran}");
    ran
}

fn command(check: &Value) -> String {
    check["command"]
        .as_str()
        .unwrap_or_else(|| panic!("no command: {check}"))
        .to_owned()
}

/// Runs `devpilot-session connect …` as doctor printed it, with the operator's yes.
async fn connect(machine: &Machine, plane: &Plane, command: &str) {
    let arguments: Vec<&str> = command
        .strip_prefix("devpilot-session ")
        .unwrap()
        .split(' ')
        .collect();
    let mut connecting = tokio::process::Command::new(binary());
    connecting.args(arguments).arg("--json");
    machine.surround(&mut connecting);
    let mut child = connecting
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let code: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
    plane
        .admin(&["approve", code["user_code"].as_str().unwrap()])
        .await;
    assert!(child.wait().await.unwrap().success());
}

fn url(plane: &Plane) -> String {
    format!("http://127.0.0.1:{}", plane.port())
}

#[tokio::test]
async fn on_a_clean_machine_nothing_fails_and_the_ways_to_a_plane_are_named() {
    let machine = Machine::new();
    let answer = is_well(&machine).await;
    let plane = answer["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["check"] == "plane")
        .unwrap();
    assert_eq!(plane["health"], "note");
    assert_eq!(plane["command"], "devpilot-session connect https://PLANE");
    assert!(plane["remedy"].as_str().unwrap().contains("devpilot-plane serve"));
    let text = machine.run(["doctor"], b"").await;
    assert!(
        text.stdout
            .ends_with("Everything that this machine needs is there.\n"),
        "{text}"
    );
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
    assert_eq!(
        command(&away),
        format!("devpilot-plane serve --listen 127.0.0.1:{}", plane.port())
    );
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
    fails(&machine, "token", "Unset DEVPILOT_BRIDGE_TOKEN").await;
    let machine = machine.with("DEVPILOT_BRIDGE_TOKEN", "something-secret");
    let bad = fails(&machine, "token", "unset it").await;
    assert!(!bad.to_string().contains("something-secret"));
    let machine = machine.without("DEVPILOT_BRIDGE_TOKEN");
    is_well(&machine).await;

    let machine = machine.with("DEVPILOT_PLANE", "http://plane.example.org");
    fails(&machine, "token", "unset it").await;
    is_well(&machine.without("DEVPILOT_PLANE")).await;
}

#[tokio::test]
async fn a_config_toml_that_can_not_be_used() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.devpilot()).unwrap();
    private(&machine.devpilot());
    let file = machine.devpilot().join("config.toml");
    for (text, says) in [
        ("name = \"Ada\"\nproxi = \"http://u:hunter2@p\"\n", "line 2"),
        ("certificate_authorities = [\"corp.pem\"]\n", "corp.pem"),
        ("proxy = \"::hunter2::\"\n", "no proxy's address"),
    ] {
        std::fs::write(&file, text).unwrap();
        let wrong = fails(&machine, "config", says).await;
        assert!(!wrong.to_string().contains("hunter2"), "{wrong}");
        assert!(wrong["remedy"].as_str().unwrap().contains(file.to_str().unwrap()));
    }
    std::fs::write(machine.devpilot().join("corp.pem"), "no certificate").unwrap();
    std::fs::write(&file, "certificate_authorities = [\"corp.pem\"]\n").unwrap();
    fails(&machine, "config", "no whole certificate").await;
    // Corrected: its keys are those that the remedy names.
    std::fs::write(
        &file,
        "name = \"Ada\"\nproxy = \"http://u:hunter2@127.0.0.1:9\"\n",
    )
    .unwrap();
    let answer = is_well(&machine).await;
    assert!(answer.to_string().contains("a proxy") && !answer.to_string().contains("hunter2"));
}

#[cfg(unix)]
#[tokio::test]
async fn a_home_folder_that_others_may_look_into() {
    use std::os::unix::fs::PermissionsExt;
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let shared = machine.run(["share", "--title", "x"], b"context").await;
    assert_eq!(shared.code(), 0, "{shared}");
    is_well(&machine).await;
    let open = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let program = machine.devpilot().join("bin/devpilot-session");
    let mode = std::fs::metadata(&program).unwrap().permissions().mode();
    open(&machine.devpilot(), 0o755);
    let loose = fails(&machine, "home", "may look into").await;
    obey(&machine, &command(&loose)).await;
    is_well(&machine).await;
    open(&machine.devpilot().join("credentials.json"), 0o644);
    let loose = fails(&machine, "home", "credentials.json").await;
    obey(&machine, &command(&loose)).await;
    is_well(&machine).await;
    assert_eq!(
        std::fs::metadata(&program).unwrap().permissions().mode(),
        mode,
        "the program must stay runnable"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_home_folder_that_can_not_be_one() {
    let machine = Machine::new();
    std::fs::write(machine.home().join("file"), "").unwrap();
    let blocked = machine.home().join("file").join("home");
    let machine = machine.with("DEVPILOT_HOME", blocked.to_str().unwrap());
    let answer = look(&machine).await;
    assert!(
        failed(&answer)
            .iter()
            .any(|check| check["remedy"].as_str().unwrap().contains("set DEVPILOT_HOME")),
        "{answer}"
    );
    let machine = machine.with("DEVPILOT_HOME", "/tmp");
    fails(&machine, "home", "unset it").await;
    is_well(&machine.without("DEVPILOT_HOME")).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_kept_program_that_does_not_run() {
    let machine = Machine::new();
    obey(&machine, "devpilot-session sessions").await;
    is_well(&machine).await;
    let kept = machine.devpilot().join("bin/devpilot-session");
    std::fs::remove_file(&kept).unwrap();
    for (content, says) in [
        ("not a program", "does not run"),
        ("#!/bin/sh\necho devpilot-session 0.0.9\n", "0.0.9"),
        (
            "#!/bin/sh\necho 'devpilot-session \u{1b}[2Jhello'\n",
            "does not run",
        ),
    ] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(&kept, content).unwrap();
        std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o755)).unwrap();
        let broken = fails(&machine, "program", says).await;
        obey(&machine, &command(&broken)).await;
        is_well(&machine).await;
        std::fs::remove_file(&kept).unwrap();
    }
}

#[tokio::test]
async fn damaged_files_are_named_until_a_person_has_looked() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let shared = machine.run(["share", "--title", "x", "--json"], b"context").await;
    assert_eq!(shared.code(), 0, "{shared}");
    let link = machine.link();
    let sessions = machine.devpilot().join("sessions");
    let folder = std::fs::read_dir(&sessions)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_dir())
        .unwrap();
    let seat = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "json"))
        .unwrap();
    std::fs::write(&seat, "{\"version\":1, torn").unwrap();
    let answer = look(&machine).await;
    assert_eq!(failed(&answer).len(), 2, "{answer}");
    assert!(
        answer.to_string().contains("Join such a session again"),
        "{answer}"
    );
    let joined = machine.run(["join", "-"], link.as_bytes()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    let aside = fails(&machine, "files", "kept aside").await;
    obey(&machine, &command(&aside)).await;
    is_well(&machine).await;

    std::fs::write(
        machine.devpilot().join("credentials.json"),
        "{\"version\":1, \"planes\": {\"dpm_torn",
    )
    .unwrap();
    let answer = look(&machine).await;
    assert!(
        failed(&answer).iter().any(|check| check["check"] == "token"),
        "{answer}"
    );
    assert!(!answer.to_string().contains("dpm_torn"));
    connect(
        &machine,
        &plane,
        &format!("devpilot-session connect {}", url(&plane)),
    )
    .await;
    let aside = fails(&machine, "files", "credentials.json.damaged-").await;
    obey(&machine, &command(&aside)).await;
    is_well(&machine).await;
}

/// A plane's `/healthz` with a clock of its own, so many seconds from the right time.
async fn clock_of_its_own() -> (u16, Arc<AtomicI64>) {
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
                format!(
                    "{{\"status\":\"ok\",\"version\":\"{}\"}}",
                    env!("CARGO_PKG_VERSION")
                )
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
    let (port, off) = clock_of_its_own().await;
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
async fn the_host_of_a_link_is_never_contacted() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner();
    let shared = ada.run(["share", "--title", "x"], b"context").await;
    assert_eq!(shared.code(), 0, "{shared}");
    let ben = Machine::new();
    let joined = ben.run(["join", "-"], ada.link().as_bytes()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    let before = plane.log();
    let answer = is_well(&ben).await;
    assert!(!answer.to_string().contains("127.0.0.1"), "{answer}");
    assert_eq!(plane.log(), before, "the plane was asked");
    is_well(&ada).await;
    assert_ne!(plane.log(), before, "this test looks at the wrong log");
}

#[tokio::test]
async fn a_plane_that_nobody_answers_for_costs_seconds_and_no_more() {
    let machine = Machine::new().with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{}", free_port()));
    let started = std::time::Instant::now();
    fails(&machine, "plane", "does not answer").await;
    assert!(started.elapsed() < std::time::Duration::from_secs(5));
}
