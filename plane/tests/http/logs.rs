//! What the log says, and what it never says (`crypto.md` section 15, Logs).

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use plane::logging::{LogFormat, LogLevel, subscriber};
use serde_json::{Value, json};

use crate::server::{Seat, Server, new_id};

/// All lines of this test process.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

static LINES: OnceLock<Lines> = OnceLock::new();

/// Logs to memory, as loud as the operator can make it.
pub(crate) fn start() {
    LINES.get_or_init(|| {
        let lines = Lines::default();
        let out = lines.clone();
        let subscriber = subscriber(LogFormat::Json, LogLevel::Debug, move || out.clone());
        tracing::subscriber::set_global_default(subscriber).unwrap();
        lines
    });
}

fn text() -> String {
    String::from_utf8(LINES.get().unwrap().0.lock().unwrap().clone()).unwrap()
}

#[tokio::test]
async fn a_request_is_one_line_with_its_route_and_ids() {
    let server = Server::start().await;
    let seat = server.create().await;
    let answer = server.call(&seat, "GET", "?").send().await;
    let name = answer.header("x-request-id").unwrap().to_owned();
    let text = text();
    let lines: Vec<Value> = text
        .lines()
        .filter(|line| line.contains(&name))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = &lines[0];
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["method"], "GET");
    assert_eq!(line["route"], "/v1/sessions/{session_id}");
    assert_eq!(line["status"], 200);
    assert_eq!(line["session"], json!(seat.session));
    assert_eq!(line["by"], format!("participant {}", seat.id));
    assert!(line["took_ms"].is_u64());
}

#[tokio::test]
async fn no_line_holds_a_secret() {
    let server = Server::start().await;
    let seat = server.create().await;
    let guest = server.join(&seat, false).await;
    let message = Seat::message();
    server
        .call(&seat, "POST", "/records")
        .json(&message)
        .send()
        .await
        .ok(201);
    let rejoin =
        json!({ "participant_id": guest.id, "rejoin_secret": guest.rejoin_secret(), "after_epoch": 1 });
    server
        .request("POST", &seat.path("/rejoin"))
        .json(&rejoin)
        .send()
        .await
        .ok(200);

    let link = format!("dp1f{}", "q".repeat(64));
    server.get(&format!("/s/{}%23{link}", seat.session)).send().await;
    server.get(&format!("/s/{}?x={link}", seat.session)).send().await;
    server.get(&format!("/unmatched-path/{link}")).send().await;
    server
        .get(&format!("{}?token={}", seat.path(""), seat.token))
        .send()
        .await
        .problem(400, "bad_request");
    let query_word = format!("private-{}", new_id());
    server
        .call(&seat, "GET", &format!("/records?{query_word}"))
        .send()
        .await
        .problem(400, "bad_request");
    server
        .call(&seat, "POST", "/mode")
        .json(&json!({ "set": query_word }))
        .send()
        .await
        .problem(400, "bad_request");

    let codes = server.request("POST", "/v1/connect").send().await.ok(200);
    let code = |name: &str| codes[name].as_str().unwrap().to_owned();
    server
        .get(&format!("/connect?user_code={}", code("user_code")))
        .send()
        .await;
    server.approve(&code("user_code")).await;
    let device_code = json!({ "device_code": code("device_code") });
    let connected = server
        .request("POST", "/v1/connect/token")
        .json(&device_code)
        .send()
        .await
        .ok(200);

    let text = text();
    for secret in [
        code("user_code").as_str(),
        &code("device_code"),
        connected["machine_token"].as_str().unwrap(),
        seat.token.as_str(),
        &guest.token,
        &server.machine,
        &seat.full_proof(),
        &guest.rejoin_secret(),
        message["sealed"].as_str().unwrap(),
        &link,
        &link[..20],
        &query_word,
        "unmatched-path",
    ] {
        assert!(!text.contains(secret), "a line holds {secret}");
    }
    assert!(text.contains(r#""route":"/s/{*rest}""#) && text.contains(r#""route":"unmatched""#));
}

#[test]
fn libraries_are_heard_from_warnings_up_and_every_line_is_redacted() {
    let lines = Lines::default();
    let out = lines.clone();
    let quiet = subscriber(LogFormat::Json, LogLevel::Debug, move || out.clone());
    tracing::subscriber::with_default(quiet, || {
        tracing::debug!(target: "plane::http", "own debug");
        tracing::info!(target: "sqlx::query", "library info");
        tracing::warn!(target: "sqlx::query", "library warning");
        tracing::trace!(target: "plane::http", "own trace");
        tracing::warn!(target: "hyper", token = %format!("dps_{}", "x".repeat(43)), "link dp1v{}", "b".repeat(64));
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("own debug") && text.contains("library warning"));
    assert!(!text.contains("library info") && !text.contains("own trace"));
    assert!(text.contains("[token withheld]") && text.contains("[session link withheld]"));
    assert!(!text.contains("xxxx") && !text.contains("bbbb"), "{text}");
}
