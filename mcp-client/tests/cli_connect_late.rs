//! `connect` where nobody says yes: the client counts the code's time itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use axum::routing::post;
use serde_json::{Value, json};
use stdio::Machine;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A plane that gives a code for two seconds and never says that it is too old. It keeps no connection, so that it is away
/// once `left` comes.
async fn plane(left: oneshot::Receiver<()>) -> String {
    let codes = json!({
        "device_code": "A".repeat(43), "user_code": "WDJBMJHT", "verification_uri": "", "expires_in": 2, "interval": 1
    });
    let pending = json!({
        "type": "about:blank", "title": "Bad Request", "status": 400, "detail": "Not yet.", "code": "authorization_pending"
    });
    let answer = |status, media, body: Value| {
        let head = [("content-type", media), ("connection", "close")];
        (status, head, body.to_string())
    };
    let codes = answer(StatusCode::OK, "application/json", codes);
    let pending = answer(StatusCode::BAD_REQUEST, "application/problem+json", pending);
    let routes = axum::Router::new()
        .route("/v1/connect", post(async || codes))
        .route("/v1/connect/token", post(async || pending));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        tokio::select! {
            served = axum::serve(listener, routes) => served.unwrap(),
            _ = left => {}
        }
    });
    url
}

/// A plane that goes on to say that nobody said yes yet, and one that is away when the time is up, keep nobody waiting.
#[tokio::test]
async fn once_the_code_is_too_old_it_gives_up_whatever_the_plane_says() {
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

    for goes_away in [false, true] {
        let (leave, left) = oneshot::channel();
        let url = plane(left).await;
        let machine = Machine::new();
        let mut child = machine
            .command(["connect", &url, "--json"])
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut code = String::new();
        output.read_line(&mut code).await.unwrap();
        assert!(code.contains("WDJB-MJHT"), "{code}");
        let started = Instant::now();
        let leave = match goes_away {
            true => leave.send(()).map(|()| None).unwrap(),
            false => Some(leave),
        };
        let mut last = String::new();
        let ending = output.read_to_string(&mut last);
        let ended = tokio::time::timeout(Duration::from_secs(20), ending).await;
        ended.expect("it gives up").unwrap();
        let took = started.elapsed();
        assert!(took < Duration::from_secs(8), "{took:?}");
        let answer: Value = serde_json::from_str(&last).unwrap();
        assert_eq!(answer["error"], "not_connected", "{answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("Nobody said yes in time"), "{answer}");
        assert_eq!(child.wait().await.unwrap().code(), Some(1));
        let stored = std::fs::read(machine.devpilot().join("credentials.json")).unwrap();
        let stored: Value = serde_json::from_slice(&stored).unwrap();
        assert_eq!(stored["planes"], json!({}));
        drop(leave);
    }
}
