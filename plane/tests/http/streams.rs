//! Event streams over real connections (`plane-api.md`, The transcript, events).

use std::time::{Duration, Instant};

use plane::limits::Limits;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;
use wire::encoding::to_base64url;

use crate::server::{Seat, Server, new_id, wide};
use crate::sse::{Event, Sse};

fn record(seq: u64) -> impl Fn(&Event) -> bool {
    move |event| event.id == Some(seq)
}

fn ids(events: &[Event]) -> Vec<u64> {
    events.iter().filter_map(|event| event.id).collect()
}

/// A session with a person in it; its head is 3.
async fn person(server: &Server) -> (Seat, Seat) {
    let host = server.create().await;
    let person = server.join_person(&host).await;
    (host, person)
}

#[tokio::test]
async fn a_stream_is_what_event_sources_read() {
    let server = Server::start().await;
    let (host, person) = person(&server).await;
    let mut stream = Sse::open(server.call(&person, "GET", "/events")).await;
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(stream.head.header(name), Some(value), "{name}");
    }
    let seen = stream.until(record(3)).await;
    let names: Vec<_> = seen.iter().map(|event| (event.name.as_str(), event.id)).collect();
    assert_eq!(
        names,
        [
            ("state", None),
            ("presence", None),
            ("record", Some(1)),
            ("record", Some(2)),
            ("record", Some(3)),
        ]
    );
    server.post(&host).await;
    let seen = stream.until(|event| event.name == "state").await;
    let page = server
        .call(&person, "GET", "/records?after=3")
        .send()
        .await
        .ok(200);
    assert_eq!(seen[0].json(), page["records"][0]);
    assert_eq!(seen[1].json(), page["state"]);
}

#[tokio::test]
async fn who_comes_back_goes_on_after_what_it_received_last() {
    let server = Server::start().await;
    let (host, person) = person(&server).await;
    for _ in 0..4 {
        server.post(&host).await;
    }
    let again = server
        .call(&person, "GET", "/events?after=1")
        .header("Last-Event-ID", "5");
    let seen = Sse::open(again).await.until(record(7)).await;
    assert_eq!(ids(&seen), [6, 7]);
    for bad in ["x", "-1", "4294967296"] {
        let again = server
            .call(&person, "GET", "/events")
            .header("Last-Event-ID", bad);
        let said = again.send().await.problem(400, "bad_request");
        assert!(
            said["detail"].as_str().unwrap().contains("Last-Event-ID"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn streams_are_for_people_of_the_session() {
    let server = Server::start().await;
    let (host, person) = person(&server).await;
    server
        .call(&host, "GET", "/events")
        .send()
        .await
        .problem(403, "forbidden");
    server
        .get(&person.path("/events"))
        .send()
        .await
        .problem(401, "unauthorized");
    let (_, stranger) = self::person(&server).await;
    let crossing = server.get(&person.path("/events")).bearer(&stranger.token);
    crossing.send().await.problem(401, "unauthorized");
    let in_url = server.call(&person, "GET", "/events?token=x");
    in_url.send().await.problem(400, "bad_request");
}

#[tokio::test]
async fn a_ninth_stream_is_refused_and_one_that_is_gone_frees_its_place() {
    let server = Server::start().await;
    let (_, person) = person(&server).await;
    let open = async || Sse::open(server.call(&person, "GET", "/events?after=3")).await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(open().await);
    }
    let refused = server.call(&person, "GET", "/events").send().await;
    assert_eq!(
        refused.problem(429, "rate_limited")["limit"],
        "waits_per_participant"
    );
    streams.pop();
    let freed = Instant::now();
    // The head alone: the stream ends with it.
    while server.call(&person, "HEAD", "/events").send().await.status == 429 {
        assert!(
            freed.elapsed() < Duration::from_secs(5),
            "the place is still taken"
        );
    }
    streams.push(open().await);
}

/// A message of about 250 KB.
fn large() -> serde_json::Value {
    let mut sealed = vec![0; 250_000];
    getrandom::fill(&mut sealed).unwrap();
    sealed[0] = 1;
    json!({ "message_id": new_id(), "epoch": 1, "sealed": to_base64url(&sealed) })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_takes_nothing_is_told_so_and_holds_up_nobody() {
    let limits = Limits {
        stream_piece_s: 1,
        append_bytes_per_minute: 1_073_741_824,
        ..wide()
    };
    let server = Server::with_limits(limits).await;
    let (host, person) = person(&server).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut slow = socket.connect(server.address).await.unwrap();
    let head = format!(
        "GET {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n",
        person.path("/events"),
        person.token
    );
    slow.write_all(head.as_bytes()).await.unwrap();
    let mut slow = Sse::on(slow).await;
    slow.until(record(3)).await;

    // Far more than the system keeps for a connection; the reader beside it gets all.
    let mut quick = Sse::open(server.call(&person, "GET", "/events?after=3")).await;
    for seq in 4..=60 {
        server
            .call(&host, "POST", "/records")
            .json(&large())
            .send()
            .await
            .ok(201);
        quick.until(record(seq)).await;
    }
    // The one place where time must pass: the piece that the slow one does not take gets older than a second.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let seen = slow.until(|event| event.name == "bye").await;
    let received = ids(&seen);
    assert_eq!(
        received,
        (4..4 + received.len() as u64).collect::<Vec<_>>(),
        "no gap before the end"
    );
    assert!(received.len() < 57, "it was ended before it had all");
    assert_eq!(seen.last().unwrap().json(), json!({ "code": "too_slow" }));
    assert_eq!(slow.event().await, None);

    // It comes back and has the rest.
    let last = received.last().unwrap_or(&3).to_string();
    let again = server
        .call(&person, "GET", "/events")
        .header("Last-Event-ID", &last);
    let rest = Sse::open(again).await.until(record(60)).await;
    assert_eq!(ids(&rest).len(), 57 - received.len());
}
