//! Input that no client of ours sends: an error from the list, and the process stays up.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::server::{Server, new_id};

async fn raw(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // The plane may close before it has read all; both ends of that are fine.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    answer
}

#[tokio::test]
async fn garbage_ends_a_connection_and_nothing_else() {
    let server = Server::start().await;
    let head = format!(
        "POST /v1/sessions/{}/participants HTTP/1.1\r\nHost: x\r\n",
        new_id()
    );
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(200_000));
    for bytes in [
        b"\0\0\0\0\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET  /  HTTP/1.1\r\n\r\n".to_vec(),
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        format!("{head}Content-Length: -1\r\n\r\n").into_bytes(),
        format!("{head}Content-Length: 99999999999999999999\r\n\r\n").into_bytes(),
        format!("{head}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{{}}").into_bytes(),
        format!("{head}Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n")
            .into_bytes(),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n").into_bytes(),
        long.into_bytes(),
    ] {
        let answer = raw(&server, &bytes).await;
        assert!(
            answer.is_empty() || answer.starts_with(b"HTTP/1."),
            "{}",
            String::from_utf8_lossy(&answer)
        );
        assert!(
            !answer.starts_with(b"HTTP/1.1 2") && !answer.starts_with(b"HTTP/1.1 5"),
            "{answer:?}"
        );
    }
    server.get("/healthz").send().await.ok(200);
}

#[tokio::test]
async fn a_head_over_the_limit_is_too_large() {
    let server = Server::start().await;
    let most = 16_384;
    let with_padding = |size: usize| server.get("/healthz").header("X-Padding", &"x".repeat(size));
    with_padding(most - 200).send().await.ok(200);
    let said = with_padding(most).send().await.problem(413, "too_large");
    assert_eq!(said["limit"], "head_bytes");
    server
        .get(&format!("/v1/{}", "a".repeat(most)))
        .send()
        .await
        .problem(413, "too_large");
}

#[tokio::test]
async fn paths_play_no_tricks() {
    let server = Server::start().await;
    for path in [
        "/v1/../healthz",
        "/v1/sessions/../../healthz",
        "//healthz",
        "/healthz/",
        "/v1/%2e%2e/healthz",
        "/V1/me",
        "/v1/me/",
        "/v1",
    ] {
        server.get(path).send().await.problem(404, "not_found");
    }
}

#[tokio::test]
async fn another_method_on_a_known_path_is_not_found() {
    let server = Server::start().await;
    let seat = server.create().await;
    for (method, tail) in [
        ("PATCH", ""),
        ("PUT", "/records"),
        ("DELETE", "/participants"),
        ("OPTIONS", ""),
        ("TRACE", "/records"),
    ] {
        let answer = server
            .call(&seat, method, tail)
            .header("Origin", "https://evil.example")
            .send()
            .await;
        answer.problem(404, "not_found");
        assert!(
            answer
                .headers
                .iter()
                .all(|(name, _)| !name.starts_with("access-control-"))
        );
    }
}

#[tokio::test]
async fn a_burst_of_connections_that_say_nothing_leaves_others_alone() {
    let server = Server::start().await;
    let mut silent = Vec::new();
    for _ in 0..300 {
        silent.push(TcpStream::connect(server.address).await.unwrap());
    }
    server.get("/healthz").send().await.ok(200);
}
