//! Going down in order (`plane-api.md`, Service), and clients that go away.

use std::time::{Duration, Instant};

use plane::limits::Limits;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

use crate::client::finish;
use crate::server::{Seat, Server, wide};
use crate::sse::Sse;

/// A session in relay with somebody who may wait in it, and its head.
async fn relay(server: &Server) -> (Seat, u64) {
    let seat = server.create().await;
    server
        .call(&seat, "POST", "/mode")
        .json(&json!({ "set": "relay" }))
        .send()
        .await
        .ok(200);
    let head = server.call(&seat, "GET", "").send().await.ok(200)["state"]["head_seq"]
        .as_u64()
        .unwrap();
    (seat, head)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_are_answered_and_posts_under_way_finish() {
    let mut server = Server::start().await;
    let (seat, head) = relay(&server).await;
    let mut waits = Vec::new();
    for _ in 0..5 {
        waits.push(
            server
                .call(&seat, "GET", &format!("/records?after={head}&wait=50"))
                .start()
                .await,
        );
    }
    // A post whose body has begun to arrive.
    let message = Seat::message().to_string();
    let (first, rest) = message.split_at(100);
    let length = message.len().to_string();
    let posting = server
        .call(&seat, "POST", "/records")
        .header("Content-Type", "application/json")
        .header("Content-Length", &length);
    let mut posting = posting.start().await;
    posting.write_all(first.as_bytes()).await.unwrap();
    // Requests on other connections are handled in order of arrival or later; this one sees both under way.
    until_under_way(&server, 7).await;

    let started = Instant::now();
    server.stop();
    let mut told = Vec::new();
    for wait in waits {
        let answer = finish(wait).await;
        let said = answer.problem(503, "draining");
        assert_eq!(
            answer.header("retry-after").unwrap(),
            said["retry_after_s"].to_string()
        );
        told.push(said["retry_after_s"].as_u64().unwrap());
    }
    assert!(told.iter().all(|seconds| (1..=5).contains(seconds)), "{told:?}");

    server.get("/readyz").send().await.problem(503, "draining");
    server.get("/healthz").send().await.ok(200);
    server
        .call(&seat, "GET", "")
        .send()
        .await
        .problem(503, "draining");

    posting.write_all(rest.as_bytes()).await.unwrap();
    assert_eq!(finish(posting).await.ok(201)["seq"], head + 1);
    server.down().await;
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    assert!(
        tokio::net::TcpStream::connect(server.address).await.is_err(),
        "still listening"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_are_told_when_to_come_back_and_the_plane_is_down_in_time() {
    let mut server = Server::start().await;
    let host = server.create().await;
    let person = server.join_person(&host).await;
    let mut streams = Vec::new();
    for _ in 0..8 {
        let mut stream = Sse::open(server.call(&person, "GET", "/events?after=3")).await;
        stream.until(|event| event.name == "presence").await;
        streams.push(stream);
    }
    let started = Instant::now();
    server.stop();
    for mut stream in streams {
        let bye = stream.event().await.unwrap();
        assert_eq!(
            (bye.name.as_str(), &bye.json()["code"]),
            ("bye", &json!("draining"))
        );
        let back = bye.json()["retry_after_s"].as_u64().unwrap();
        assert!((1..=5).contains(&back), "{back}");
        assert_eq!(stream.event().await, None);
    }
    server.down().await;
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
}

/// Polls until so many requests are being carried out, the asking one among them. Other tests of this process count
/// as well, so this is the least.
async fn until_under_way(server: &Server, least: u64) {
    let name = "devpilot_plane_http_requests_under_way ";
    for _ in 0..500 {
        let figures = server.get("/metrics").send().await.text();
        let line = figures
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or("0");
        if line.parse::<u64>().unwrap() >= least {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the requests never got under way");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_while_going_down_is_stored_and_nothing_else() {
    let mut server = Server::start().await;
    let (seat, head) = relay(&server).await;
    let mut posts = Vec::new();
    for _ in 0..200 {
        posts.push(tokio::spawn(
            server
                .call(&seat, "POST", "/records")
                .json(&Seat::message())
                .send(),
        ));
    }
    let first = posts.remove(0).await.unwrap().ok(201);
    server.stop();
    let mut seqs = vec![first["seq"].as_u64().unwrap()];
    for post in posts {
        // Connections that had not been accepted when the listener closed are reset.
        let Ok(answer) = post.await else { continue };
        if answer.status == 201 {
            seqs.push(answer.json()["seq"].as_u64().unwrap());
        } else {
            answer.problem(503, "draining");
        }
    }
    server.down().await;
    seqs.sort_unstable();
    let stored = server.reopened_head(&seat).await;
    assert_eq!(seqs, (head + 1..=stored).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_plane_with_nothing_to_do_is_down_at_once() {
    let mut server = Server::start().await;
    server.get("/healthz").send().await.ok(200);
    let started = Instant::now();
    server.stop();
    server.down().await;
    assert!(
        started.elapsed() < Duration::from_secs(2),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn a_client_that_goes_away_frees_its_wait() {
    let server = Server::with_limits(Limits {
        waits_per_participant: 1,
        ..wide()
    })
    .await;
    let (seat, head) = relay(&server).await;
    let target = format!("/records?after={head}&wait=1");
    let full = async || server.call(&seat, "GET", &target).send().await.status == 429;
    let long = server.call(&seat, "GET", &format!("/records?after={head}&wait=50"));
    // Whoever comes first has the one place: the long wait or the question whether it has.
    let mut waiting = long.start().await;
    for attempt in 0.. {
        if full().await {
            break;
        }
        assert!(attempt < 20, "the long wait never took its place");
        waiting = long.start().await;
    }
    drop(waiting);
    let freed = Instant::now();
    while full().await {
        assert!(
            freed.elapsed() < Duration::from_secs(5),
            "the place of a wait that is gone is still taken"
        );
    }
}
