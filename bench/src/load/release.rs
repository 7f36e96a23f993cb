//! Requests that wait, and the post that releases them.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hdrhistogram::Histogram;
use wire::api::{Page, Posted};

use super::append::Posts;
use super::http::Connection;
use super::seat::Seat;

/// How long the plane gets to take the waiting requests in, before the post: for the first, and for each more.
const SETTLE: Duration = Duration::from_millis(4);
const SETTLE_EACH: Duration = Duration::from_micros(400);
/// Not counted at the beginning.
const WARM_UP: usize = 10;

/// Latencies from sending a post, in microseconds.
#[derive(Debug)]
pub(crate) struct Released {
    /// Until the post's own answer.
    pub(crate) answered: Histogram<u64>,
    /// Until the last waiting request returned.
    pub(crate) last: Histogram<u64>,
}

/// A writer and readers of one session, each with a connection of its own.
#[derive(Debug)]
pub(crate) struct Room {
    writer: Connection,
    posts: Posts,
    readers: Vec<(Connection, Seat)>,
    head: u64,
}

impl Room {
    /// Opens the connections. Nobody else may write to the session while it is used.
    ///
    /// # Errors
    /// The plane can't be reached.
    pub(crate) async fn open(
        address: SocketAddr,
        writer: &Seat,
        readers: Vec<Seat>,
        sealed: &[u8],
    ) -> Result<Self> {
        let mut seats = Vec::with_capacity(readers.len());
        for seat in readers {
            seats.push((Connection::open(address).await?, seat));
        }
        let mut room = Self {
            writer: Connection::open(address).await?,
            posts: Posts::new(std::iter::once(writer), sealed),
            readers: seats,
            head: 0,
        };
        let mut post = Vec::new();
        room.posts.write(0, &mut post);
        let posted: Posted = room.writer.exchange(&post).await?.json(201)?;
        room.head = posted.seq;
        Ok(room)
    }

    /// So many times: all readers wait, one post, all return with it.
    ///
    /// # Errors
    /// A reader that got something else.
    pub(crate) async fn run(&mut self, times: usize) -> Result<Released> {
        let mut released = Released {
            answered: Histogram::new(3)?,
            last: Histogram::new(3)?,
        };
        for time in 0..times + WARM_UP {
            let (answered, last) = self.once().await?;
            if time >= WARM_UP {
                released.answered.record(u64::try_from(answered.as_micros())?)?;
                released.last.record(u64::try_from(last.as_micros())?)?;
            }
        }
        Ok(released)
    }

    async fn once(&mut self) -> Result<(Duration, Duration)> {
        let mut settle = SETTLE;
        for (connection, seat) in &mut self.readers {
            connection.send(&seat.read_request(self.head, "&wait=50")).await?;
            settle += SETTLE_EACH;
        }
        tokio::time::sleep(settle).await;
        let mut post = Vec::new();
        self.posts.write(0, &mut post);

        let writer = &mut self.writer;
        let start = Instant::now();
        writer.send(&post).await?;
        let answer = async {
            let answer = writer.receive().await?;
            let answered = start.elapsed();
            Ok::<_, anyhow::Error>((answered, answer.json::<Posted>(201)?.seq))
        };
        let readers = async {
            let mut waiting: FuturesUnordered<_> = self
                .readers
                .iter_mut()
                .map(|(connection, _)| async {
                    let answer = connection.receive().await?;
                    Ok::<_, anyhow::Error>((start.elapsed(), answer))
                })
                .collect();
            let mut last = Duration::ZERO;
            let mut answers = Vec::with_capacity(waiting.len());
            while let Some(returned) = waiting.next().await {
                let (elapsed, answer) = returned?;
                last = last.max(elapsed);
                answers.push(answer);
            }
            drop(waiting);
            // Looked into once nobody is waited for any more.
            let mut seqs = Vec::with_capacity(answers.len());
            for answer in answers {
                let page: Page = answer.json(200)?;
                seqs.push(page.records.iter().map(|record| record.seq).collect::<Vec<_>>());
            }
            Ok((last, seqs))
        };
        let ((answered, seq), (last, seqs)) = tokio::try_join!(answer, readers)?;
        ensure!(
            seqs.iter().all(|seqs| *seqs == [seq]),
            "a waiting request returned with {seqs:?} and not with {seq}"
        );
        self.head = seq;
        Ok((answered, last))
    }
}
