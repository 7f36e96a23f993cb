//! What a request that is held open costs in memory, counted at the allocator: bytes that are asked for, so that it is the
//! same on every machine. Sockets of the kernel and what an allocator adds to each piece are not in it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "../support/client.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod client;
#[path = "../http/server.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod server;

/// Nothing is logged: a log that is kept in memory would be counted.
mod logs {
    pub(crate) fn start() {}
}

use std::alloc::System;
use std::io::Write as _;
use std::net::TcpStream;
use std::time::Duration;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

use server::{Seat, Server};

#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Held by each participant, of the eight it may.
const EACH: usize = 4;
/// Counted.
const HELD: usize = 256;
/// The most that one may have: hyper's two buffers of 8 KiB, and what the plane needs of its own. Unoptimised futures are
/// larger.
const MOST: isize = 22_400;

fn in_use() -> isize {
    let stats = HEAP.stats();
    isize::try_from(stats.bytes_allocated).unwrap() - isize::try_from(stats.bytes_deallocated).unwrap()
}

/// Sends a request and leaves it. The socket is not the runtime's, so this end is not counted.
fn leave(server: &Server, seat: &Seat, target: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        seat.path(target),
        server.address,
        seat.token
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// Returns once a figure of the plane stands at a value.
async fn stands_at(server: &Server, figure: &str, value: usize) {
    let line = format!("{figure} {value}");
    for _ in 0..1_000 {
        let text = server.get("/metrics").send().await.text();
        if text.lines().any(|shown| shown == line) {
            // What led there is let go of.
            tokio::time::sleep(Duration::from_millis(50)).await;
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{figure} never was {value}");
}

/// Bytes of each request of a kind that is held, apart from its session's; the figure counts them, and others as well.
async fn bytes_each(target: &str, figure: &str, others: usize) -> isize {
    let server = Server::start().await;
    let mut seats = Vec::new();
    while seats.len() * EACH < HELD {
        let host = server.create().await;
        seats.push(server.join_person(&host).await);
    }
    let hold = || -> Vec<TcpStream> {
        let targets = seats.iter().flat_map(|seat| std::iter::repeat_n(seat, EACH));
        targets
            .take(HELD)
            .map(|seat| leave(&server, seat, target))
            .collect()
    };
    // Once in vain, so that tables, pools and caches have their size.
    let vain = hold();
    stands_at(&server, figure, HELD + others).await;
    drop(vain);
    stands_at(&server, figure, others).await;
    let before = in_use();
    let held = hold();
    stands_at(&server, figure, HELD + others).await;
    let each = (in_use() - before) / isize::try_from(HELD).unwrap();
    drop(held);
    each
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_request() {
    // The question for the figure is under way as well.
    let each = bytes_each(
        "/records?after=3&wait=50",
        "devpilot_plane_http_requests_under_way",
        1,
    )
    .await;
    assert!(each < MOST, "{each} bytes for each waiting request");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_stream() {
    let each = bytes_each("/events?after=3", "devpilot_plane_event_streams", 0).await;
    assert!(each < MOST, "{each} bytes for each event stream");
}
