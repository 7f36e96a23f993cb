//! `connect`: a machine without anything gets its token by a code, from a real plane.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::process::Stdio;

use serde_json::{Value, json};
use stdio::plane::{Plane, Store};
#[cfg(target_os = "linux")]
use stdio::terminal::at_terminal;
use stdio::{Machine, Ran};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

/// A `connect --json` that waits for a yes.
struct Connecting {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    code: Value,
}

impl Connecting {
    async fn start<const N: usize>(machine: &Machine, arguments: [&str; N]) -> Self {
        let mut child = machine
            .command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().expect("a line with the code");
        Self {
            child,
            lines,
            code: serde_json::from_str(&line).unwrap(),
        }
    }

    fn user_code(&self) -> &str {
        self.code["user_code"].as_str().unwrap()
    }

    /// Its exit code, last line and standard error.
    async fn end(mut self) -> (i32, Value, String) {
        let line = self.lines.next_line().await.unwrap().unwrap_or_default();
        let mut said = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .await
            .unwrap();
        let code = self.child.wait().await.unwrap().code().unwrap_or(-1);
        (code, serde_json::from_str(&line).unwrap_or_default(), said)
    }
}

fn url(plane: &Plane) -> String {
    format!("http://127.0.0.1:{}", plane.port())
}

fn stored(machine: &Machine) -> Option<Value> {
    let text = std::fs::read(machine.devpilot().join("credentials.json")).ok()?;
    serde_json::from_slice(&text).ok()
}

fn token(machine: &Machine, plane: &str) -> String {
    stored(machine).unwrap()["planes"][plane]["token"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Connects a machine of a member, who is told apart by name.
async fn connected(machine: &Machine, plane: &Plane, member: &[&str]) -> Value {
    let url = url(plane);
    let connecting = Connecting::start(machine, ["connect", &url, "--json"]).await;
    let approve = [&["approve", connecting.user_code()], member].concat();
    plane.admin(&approve).await;
    let (code, answer, said) = connecting.end().await;
    assert_eq!(code, 0, "{answer} {said}");
    assert!(
        !answer.to_string().contains("dpm_") && !said.contains("dpm_"),
        "{answer} {said}"
    );
    answer
}

#[tokio::test]
async fn a_machine_without_anything_connects_and_shares_at_once() {
    for store in Store::here() {
        let mut plane = Plane::start(store).await;
        let url = url(&plane);
        let machine = Machine::new();
        let connecting = Connecting::start(&machine, ["connect", &url, "--json"]).await;
        let code = connecting.user_code();
        assert_eq!(connecting.code["state"], "waiting");
        assert_eq!(connecting.code["page"], format!("{url}/connect"));
        assert_eq!(
            connecting.code["operator_command"],
            format!("devpilot-plane admin approve {code}")
        );
        assert!(
            connecting.code.get("device_code").is_none(),
            "{}",
            connecting.code
        );
        assert_eq!(stored(&machine).unwrap()["planes"], json!({}));

        // The yes comes while the plane is away.
        plane.kill().await;
        let approved = plane.admin(&["approve", code, "--json"]).await;
        plane.restart().await;
        let approved: Value = serde_json::from_str(&approved).unwrap();
        let (status, answer, said) = connecting.end().await;
        assert_eq!(
            (status, &answer["state"]),
            (0, &Value::from("connected")),
            "{answer} {said}"
        );
        assert_eq!(
            (&answer["member"], &answer["org"]),
            (&approved["member"], &approved["org"])
        );
        assert_eq!(answer["is_default"], true);
        let token = token(&machine, &url);
        assert!(token.starts_with("dpm_"));
        for shown in [answer.to_string(), said, plane.log().await] {
            assert!(
                !shown.contains(&token) && !shown.contains("dpm_"),
                "the token was shown: {shown}"
            );
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(machine.devpilot().join("credentials.json")), 0o600);
            assert_eq!(mode(machine.devpilot()), 0o700);
        }
        // The line that it prints is what a person runs next: as a shell takes it, with the program on the path.
        let line = answer["next"].as_str().unwrap().lines().last().unwrap();
        let mut shell = tokio::process::Command::new("sh");
        machine.surround(&mut shell);
        let folder = stdio::binary().parent().unwrap().to_str().unwrap();
        let path = std::env::var("PATH").unwrap();
        shell.env("PATH", format!("{folder}:{path}")).args(["-c", line]);
        let shared = stdio::ran(&mut shell, b"context").await;
        assert_eq!(shared.code(), 0, "{line}: {shared}");
        assert!(shared.stdout.contains("The session is made."), "{line}: {shared}");
    }
}

/// A plane that takes every machine at once, and answers what it likes.
async fn hostile_plane() -> String {
    use axum::Json;
    use axum::routing::{get, post};

    let scopes = || {
        let mut scopes = vec!["share".to_owned(); 3_000];
        scopes.extend(
            [
                "\u{1b}[2Jadmin",
                "admin\n",
                "Admin",
                "run rm -rf /",
                "\u{202e}rekey",
                "",
            ]
            .map(str::to_owned),
        );
        scopes.extend((0..3_000).map(|number| format!("needle-{number}")));
        scopes.push("rekey".to_owned());
        scopes
    };
    let id = "00000000-0000-4000-8000-000000000000";
    let codes = json!({
        "device_code": "A".repeat(43), "user_code": "WDJBMJHT", "verification_uri": "https://evil.example/\u{1b}[2J",
        "expires_in": 60, "interval": 0
    });
    let connected = json!({
        "machine_token": format!("dpm_{}", "A".repeat(43)), "org": "O\u{1b}[2J\u{202e}rg", "member": "M\u{7}\u{200b}e", "scopes": scopes()
    });
    let me = json!({ "user": id, "org": id, "role": "member", "scopes": scopes() });
    let routes = axum::Router::new()
        .route("/v1/connect", post(async || Json(codes)))
        .route("/v1/connect/token", post(async || Json(connected)))
        .route("/v1/me", get(async || Json(me)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

#[tokio::test]
async fn of_what_a_hostile_plane_answers_only_what_there_is_reaches_a_person_or_a_program() {
    let url = hostile_plane().await;
    let machine = Machine::new();
    for state in ["connected", "already_connected"] {
        let ran = machine.run(["connect", &url, "--json"], b"").await;
        assert_eq!(ran.code(), 0, "{ran}");
        let last: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
        assert_eq!(last["state"], state);
        assert_eq!(
            last["scopes"],
            json!(["share", "rekey"]),
            "each once, and no word of its own"
        );
        if state == "connected" {
            assert_eq!((&last["org"], &last["member"]), (&json!("O[2Jrg"), &json!("Me")));
        }
        let said = machine.run(["connect", &url], b"").await;
        assert!(said.stdout.contains("may: share, rekey."), "{said}");
        for ran in [ran, said] {
            let said = format!("{}{}", ran.stdout, ran.stderr);
            let hidden =
                |symbol: char| symbol.is_control() && symbol != '\n' || "\u{202e}\u{200b}".contains(symbol);
            assert!(!said.contains(hidden) && !said.contains("needle"), "{ran}");
            assert!(
                !said.contains("\\u001b") && !said.contains("evil.example"),
                "{ran}"
            );
        }
    }
}

#[tokio::test]
async fn a_machine_that_is_connected_is_told_so_and_how_to_replace_its_token() {
    let plane = Plane::start(Store::Sqlite).await;
    let url = url(&plane);
    let machine = Machine::new();
    connected(&machine, &plane, &[]).await;
    let first = token(&machine, &url);
    let again = machine.run(["connect", &url], b"").await;
    assert_eq!(again.code(), 0, "{again}");
    let replace = format!("bin/devpilot-session connect {url} --replace");
    assert!(
        again.stdout.contains("already") && again.stdout.contains(&replace),
        "{again}"
    );
    assert_eq!(token(&machine, &url), first);

    // What it says works.
    let connecting = Connecting::start(&machine, ["connect", &url, "--replace", "--json"]).await;
    plane.admin(&["approve", connecting.user_code()]).await;
    let (code, answer, _) = connecting.end().await;
    assert_eq!(code, 0, "{answer}");
    assert!(
        answer["warnings"][0].as_str().unwrap().contains("token revoke"),
        "{answer}"
    );
    let second = token(&machine, &url);
    assert_ne!(second, first);

    // A token that was revoked is replaced without being asked to.
    let tokens: Value =
        serde_json::from_str(&plane.admin(&["token", "list", "--org", "local", "--json"]).await).unwrap();
    for one in tokens.as_array().unwrap() {
        let id = one["token_id"].as_str().unwrap();
        plane.admin(&["token", "revoke", id]).await;
    }
    connected(&machine, &plane, &[]).await;
    assert_ne!(token(&machine, &url), second);
}

#[tokio::test]
async fn the_plane_connected_last_is_shared_on_until_another_is_named() {
    let (one, two) = (
        Plane::start(Store::Sqlite).await,
        Plane::start(Store::Sqlite).await,
    );
    let machine = Machine::new();
    connected(&machine, &one, &[]).await;
    connected(&machine, &two, &[]).await;
    assert_eq!(stored(&machine).unwrap()["default"], url(&two));
    let said = machine.run(["connect", &url(&one)], b"").await;
    let command = format!("bin/devpilot-session connect {} --default", url(&one));
    assert!(said.stdout.contains(&command), "{said}");
    assert_eq!(
        stored(&machine).unwrap()["default"],
        url(&two),
        "asking changed it"
    );
    let set = machine
        .run(["connect", &url(&one), "--default", "--json"], b"")
        .await;
    assert_eq!(
        (set.code(), &set.json()["is_default"]),
        (0, &Value::from(true)),
        "{set}"
    );
    assert_eq!(stored(&machine).unwrap()["default"], url(&one));
    assert!(
        token(&machine, &url(&two)).starts_with("dpm_"),
        "the other one is still connected"
    );

    let named = machine.with("DEVPILOT_PLANE", &url(&two));
    let said = named.run(["connect", &url(&one), "--json"], b"").await.json();
    assert_eq!(said["is_default"], false);
    assert!(
        said["warnings"][0].as_str().unwrap().contains("DEVPILOT_PLANE"),
        "{said}"
    );
}

#[tokio::test]
async fn a_no_and_an_unanswered_code_store_nothing_and_say_what_to_do() {
    let plane = Plane::start_with(Store::Sqlite, Some("{\"connect_life_s\": 8}")).await;
    let (refused, forgotten) = (Machine::new(), Machine::new());
    let url = url(&plane);
    let refusing = Connecting::start(&refused, ["connect", &url, "--json"]).await;
    let forgetting = Connecting::start(&forgotten, ["connect", &url, "--json"]).await;
    plane.admin(&["approve", refusing.user_code(), "--deny"]).await;
    for (machine, connecting, says) in [
        (&refused, refusing, "refused"),
        (&forgotten, forgetting, "new code"),
    ] {
        let (code, answer, _) = connecting.end().await;
        assert_eq!(
            (code, &answer["error"]),
            (1, &Value::from("not_connected")),
            "{answer}"
        );
        assert!(answer["message"].as_str().unwrap().contains(says), "{answer}");
        assert_eq!(stored(machine).unwrap()["planes"], json!({}));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn interrupted_it_ends_at_once_and_stores_nothing() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = Machine::new();
    let connecting = Connecting::start(&machine, ["connect", &url(&plane), "--json"]).await;
    let pid = connecting.child.id().unwrap().to_string();
    let started = std::time::Instant::now();
    let sent = tokio::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .await
        .unwrap();
    assert!(sent.success());
    let (code, answer, said) = connecting.end().await;
    assert_eq!((code, said.as_str()), (130, ""));
    assert_eq!(answer["error"], "cancelled", "{answer}");
    assert!(started.elapsed() < std::time::Duration::from_secs(2));
    assert_eq!(stored(&machine).unwrap()["planes"], json!({}));
}

#[tokio::test]
async fn what_is_no_planes_address_is_refused_and_nothing_is_sent() {
    let machine = Machine::new();
    for (address, says) in [
        ("http://plane.example.org", "https://HOST"),
        ("plane.example.org", "https://HOST"),
        ("https://plane.example.org/connect", "https://HOST"),
        ("https://ada:secret@plane.example.org", "https://HOST"),
    ] {
        let ran = machine.run(["connect", address], b"").await;
        assert_eq!(ran.code(), 2, "{ran}");
        assert!(
            ran.stderr.contains(says) && !ran.stderr.contains("secret"),
            "{ran}"
        );
    }
    assert!(stored(&machine).is_none());
}

#[tokio::test]
async fn no_code_is_asked_for_where_the_token_could_not_be_stored() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = Machine::new();
    std::fs::create_dir_all(machine.devpilot().join("credentials.json")).unwrap();
    let ran: Ran = machine.run(["connect", &url(&plane)], b"").await;
    assert_eq!(ran.code(), 1, "{ran}");
    assert!(
        ran.stderr.contains("credentials.json") && !ran.stderr.contains("Code:"),
        "{ran}"
    );
    assert!(!plane.log().await.contains("/v1/connect"), "the plane was asked");
}

#[tokio::test]
async fn an_address_that_does_not_answer_is_to_be_checked_and_an_option_of_sessions_is_refused() {
    let machine = Machine::new();
    let away = "http://127.0.0.1:1";
    let wrong = "about no session";
    for (ran, code, says) in [
        (machine.run(["connect", away], b"").await, 1, "Check the address"),
        (
            machine.run(["connect", "http://plane.example.org"], b"").await,
            2,
            "an address without TLS",
        ),
        (
            machine.run(["connect", away, "--session", "x"], b"").await,
            2,
            wrong,
        ),
        (machine.run(["doctor", "--seat", "x"], b"").await, 2, wrong),
        (
            machine.run(["completions", "bash", "--as", "human"], b"").await,
            2,
            wrong,
        ),
    ] {
        assert_eq!(ran.code(), code, "{ran}");
        assert!(
            ran.stderr.contains(says) && !ran.stderr.contains("repeat the call"),
            "{ran}"
        );
    }
}

#[tokio::test]
async fn without_a_plane_sharing_names_both_ways_to_one() {
    let machine = Machine::new();
    let ran = machine.run(["share", "--title", "x"], b"context").await;
    assert_eq!(ran.code(), 1);
    // The line for a terminal that knows of no such program names it where it is kept.
    let kept = machine.devpilot().join("bin/devpilot-session");
    assert!(kept.is_file(), "{}", kept.display());
    for way in [
        "`devpilot-plane serve`".to_owned(),
        format!("\n  {} connect https://PLANE", kept.display()),
    ] {
        assert!(ran.stderr.contains(&way), "{way} is not in {ran}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_person_sees_code_page_and_the_operators_command() {
    let plane = Plane::start_with(Store::Sqlite, Some("{\"connect_life_s\": 3}")).await;
    let url = url(&plane);
    let seen = at_terminal(&Machine::new(), &format!("connect {url}"), "").await;
    for part in [
        "Code:  ",
        &format!("Page:  {url}/connect"),
        "devpilot-plane admin approve ",
    ] {
        assert!(seen.stdout.contains(part), "{seen}");
    }
    assert!(seen.stdout.contains("waiting for a yes"), "no progress: {seen}");
    assert_eq!(seen.code(), 1, "{seen}");
}
