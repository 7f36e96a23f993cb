//! Thousands of requests that nothing is answered to: waits and event streams, held open.

use std::net::SocketAddr;

use anyhow::{Result, ensure};
use futures_util::{StreamExt as _, TryStreamExt as _};
use tokio::io::AsyncReadExt as _;
use wire::api::Page;

use super::http::{Connection, request};
use super::seat::Seat;

/// Connections opened at a time.
const AT_A_TIME: usize = 32;

/// What is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// `GET records?wait=`.
    Waits,
    /// `GET events`.
    Streams,
}

/// Opens so many, each by one of the seats in turn, at the end of its session.
///
/// # Errors
/// The plane refused.
pub(crate) async fn open(
    address: SocketAddr,
    seats: &[Seat],
    held: Held,
    count: usize,
) -> Result<Vec<Connection>> {
    let mut asking = Connection::open(address).await?;
    let mut heads = Vec::with_capacity(seats.len());
    for seat in seats {
        let page: Page = asking
            .exchange(&seat.read_request(0, "&limit=1"))
            .await?
            .json(200)?;
        heads.push(page.state.head_seq);
    }
    let each = seats.iter().zip(heads).cycle().take(count);
    futures_util::stream::iter(each)
        .map(|(seat, head)| async move {
            let mut connection = Connection::open(address).await?;
            match held {
                Held::Waits => connection.send(&seat.read_request(head, "&wait=50")).await?,
                Held::Streams => {
                    let path = format!("/v1/sessions/{}/events?after={head}", seat.session);
                    connection
                        .send(&request("GET", &path, Some(&seat.token), None))
                        .await?;
                    let mut start = [0; 12];
                    connection.stream.read_exact(&mut start).await?;
                    ensure!(
                        &start == b"HTTP/1.1 200",
                        "no stream: {}",
                        String::from_utf8_lossy(&start)
                    );
                }
            }
            Ok::<_, anyhow::Error>(connection)
        })
        .buffer_unordered(AT_A_TIME)
        .try_collect()
        .await
}
