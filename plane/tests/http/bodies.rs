//! Request bodies: limits to the byte, strict JSON, time (`plane-api.md`, first paragraph and Limits).

use std::time::{Duration, Instant};

use plane::limits::Limits;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::client::finish;
use crate::server::{Seat, Server, wide};

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// The body as exactly `size` bytes, by white space.
fn padded(body: &Value, size: u64) -> Vec<u8> {
    let mut text = body.to_string().into_bytes();
    text.resize(usize::try_from(size).unwrap(), b' ');
    text
}

#[tokio::test]
async fn a_body_may_have_its_limit_and_not_one_byte_more() {
    let server = Server::start().await;
    let seat = server.create().await;
    let limits = Limits::default();
    let relay = json!({ "set": "relay" });
    for (tail, body, most, name, status) in [
        (
            "/records",
            Seat::message(),
            limits.body_records,
            "body_records",
            201,
        ),
        ("/mode", relay, limits.body_other, "body_other", 200),
    ] {
        let post = || server.call(&seat, "POST", tail).header(JSON.0, JSON.1);
        let refused = post()
            .raw(padded(&body, most + 1))
            .send()
            .await
            .problem(413, "too_large");
        assert_eq!(refused["limit"], name);
        let refused = post()
            .chunked(&padded(&body, most + 1), 1_000)
            .send()
            .await
            .problem(413, "too_large");
        assert_eq!(refused["limit"], name);
        post().raw(padded(&body, most)).send().await.ok(status);
    }
    let message = padded(&Seat::message(), limits.body_records);
    server
        .call(&seat, "POST", "/records")
        .header(JSON.0, JSON.1)
        .chunked(&message, 4_096)
        .send()
        .await
        .ok(201);
    let create = || {
        server
            .request("POST", "/v1/sessions")
            .bearer(&server.machine)
            .header(JSON.0, JSON.1)
    };
    let body = Seat::create_body();
    create()
        .raw(padded(&body, limits.body_create + 1))
        .send()
        .await
        .problem(413, "too_large");
    create()
        .raw(padded(&body, limits.body_create))
        .send()
        .await
        .ok(201);
}

#[tokio::test]
async fn a_client_that_writes_first_hears_the_refusal_of_a_body_far_too_large() {
    let server = Server::start().await;
    let seat = server.create().await;
    let body = vec![b' '; 900_000];
    server
        .call(&seat, "POST", "/mode")
        .raw(body.clone())
        .send()
        .await
        .problem(413, "too_large");
    server
        .request("POST", &seat.path("/records"))
        .raw(body.clone())
        .send()
        .await
        .problem(401, "unauthorized");
    server
        .request("POST", "/v1/nothing")
        .raw(body)
        .send()
        .await
        .problem(404, "not_found");
}

#[tokio::test]
async fn a_client_that_asks_first_is_told_before_it_sends() {
    let server = Server::start().await;
    let seat = server.create().await;
    let request = server
        .call(&seat, "POST", "/mode")
        .header("Expect", "100-continue")
        .header("Content-Length", "99999");
    finish(request.start().await).await.problem(413, "too_large");
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_timed_out() {
    let server = Server::with_limits(Limits {
        request_time_s: 1,
        ..wide()
    })
    .await;
    let seat = server.create().await;
    let request = server
        .call(&seat, "POST", "/mode")
        .header(JSON.0, JSON.1)
        .header("Content-Length", "16");
    let mut stream = request.start().await;
    stream.write_all(b"{\"set\":").await.unwrap();
    let started = Instant::now();
    finish(stream).await.problem(408, "time_out");
    assert!(
        (1..5).contains(&started.elapsed().as_secs()),
        "{:?}",
        started.elapsed()
    );
}

#[tokio::test]
async fn a_head_that_does_not_arrive_ends_the_connection() {
    let server = Server::with_limits(Limits {
        request_time_s: 1,
        ..wide()
    })
    .await;
    let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        .await
        .unwrap();
    let mut bytes = Vec::new();
    let reading = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut bytes);
    let _ = tokio::time::timeout(Duration::from_secs(10), reading)
        .await
        .expect("the connection is closed");
}

#[tokio::test]
async fn a_wait_is_not_cut_by_the_time_a_request_may_take() {
    let server = Server::with_limits(Limits {
        request_time_s: 1,
        ..wide()
    })
    .await;
    let seat = server.create().await;
    server
        .call(&seat, "POST", "/mode")
        .json(&json!({ "set": "relay" }))
        .send()
        .await
        .ok(200);
    let head = server.call(&seat, "GET", "").send().await.ok(200)["state"]["head_seq"].clone();
    let page = server
        .call(&seat, "GET", &format!("/records?after={head}&wait=2"))
        .send()
        .await
        .ok(200);
    assert_eq!(page["records"], json!([]));
}

#[tokio::test]
async fn only_json_is_taken() {
    let server = Server::start().await;
    let seat = server.create().await;
    let body = json!({ "set": "relay" }).to_string().into_bytes();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        let post = server
            .call(&seat, "POST", "/mode")
            .header("Content-Type", kind)
            .raw(body.clone());
        post.send().await.problem(400, "bad_request");
    }
    server
        .call(&seat, "POST", "/mode")
        .raw(body.clone())
        .send()
        .await
        .problem(400, "bad_request");
    let post = server
        .call(&seat, "POST", "/mode")
        .header("Content-Type", "application/json; charset=utf-8");
    post.raw(body).send().await.ok(200);
}

#[tokio::test]
async fn a_refusal_says_what_is_allowed_and_repeats_nothing() {
    let server = Server::start().await;
    let seat = server.create().await;
    let post = async |body: Value| server.call(&seat, "POST", "/mode").json(&body).send().await;
    let said = post(json!({ "set": "surprise-word" }))
        .await
        .problem(400, "bad_request");
    assert_eq!(
        said["detail"],
        "The field `set` can't be taken: it must be `observe` or `relay`."
    );
    let said = post(json!({ "set": "relay", "surprise-field": 1 }))
        .await
        .problem(400, "bad_request");
    assert!(!said.to_string().contains("surprise") && said["detail"].as_str().unwrap().contains("`set`"));
    post(json!({ "set": null })).await.problem(400, "bad_request");
    post(json!({})).await.problem(400, "bad_request");
}

#[tokio::test]
async fn calls_without_fields_take_no_body_or_an_empty_object() {
    let server = Server::start().await;
    let seat = server.create().await;
    server
        .call(&seat, "GET", "")
        .json(&json!({}))
        .send()
        .await
        .ok(200);
    server
        .call(&seat, "GET", "")
        .json(&json!({ "x": 1 }))
        .send()
        .await
        .problem(400, "bad_request");
    server
        .call(&seat, "POST", "/leave")
        .json(&json!([]))
        .send()
        .await
        .problem(400, "bad_request");
    for leaving in [true, false] {
        let guest = server.join(&seat, false).await;
        let leave = server.call(&guest, "POST", "/leave");
        let answer = if leaving { leave } else { leave.json(&json!({})) }.send().await;
        assert_eq!(answer.ok(200), json!({}));
    }
}

#[tokio::test]
async fn query_values_are_bounded() {
    let server = Server::start().await;
    let seat = server.create().await;
    for bad in [
        "after=-1",
        "after=x",
        "limit=0",
        "limit=1001",
        "wait=51",
        "wait=1&wait=1",
        "nonsense=1",
    ] {
        server
            .call(&seat, "GET", &format!("/records?{bad}"))
            .send()
            .await
            .problem(400, "bad_request");
    }
    let page = server
        .call(&seat, "GET", "/records?after=0&limit=1&wait=0")
        .send()
        .await
        .ok(200);
    assert_eq!(
        (page["records"].as_array().unwrap().len(), &page["more"]),
        (1, &json!(true))
    );
}
