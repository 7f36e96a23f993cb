//! Appends through the whole API by many connections at once.
//!
//! It is a closed loop: every connection sends its next post once the last one is answered. The rate that comes of it
//! is what the plane holds with so many at once; the latencies are those under that load, and no more than that.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;
use tokio::task::JoinSet;
use wire::encoding::to_base64url;
use wire::ids::MessageId;

use super::http::{Connection, request_head};
use super::seat::Seat;

/// Not counted at the beginning of a load: connections are made, caches are filled.
const WARM_UP: Duration = Duration::from_millis(300);
const ID: usize = wire::ids::UUID_TEXT_LEN;

/// Posts with the same sealed bytes, each with an id of its own: to the plane a message like any other.
#[derive(Debug)]
pub(crate) struct Posts {
    /// One of each seat.
    seats: Vec<Beginning>,
    /// What follows the epoch.
    rest: Vec<u8>,
}

/// What a seat's posts begin with.
#[derive(Debug)]
struct Beginning {
    /// The request's head.
    head: Vec<u8>,
    /// The epoch, in digits.
    epoch: String,
}

const BEFORE_ID: &[u8] = br#"{"message_id":""#;
const BEFORE_EPOCH: &[u8] = br#"","epoch":"#;

impl Posts {
    /// Posts by these seats.
    pub(crate) fn new<'a>(seats: impl Iterator<Item = &'a Seat>, sealed: &[u8]) -> Self {
        let rest = format!(r#","sealed":"{}"}}"#, to_base64url(sealed)).into_bytes();
        let fixed = BEFORE_ID.len() + ID + BEFORE_EPOCH.len() + rest.len();
        let seats = seats
            .map(|seat| {
                let epoch = seat.keys.epoch().to_string();
                let path = format!("/v1/sessions/{}/records", seat.session);
                let length = fixed + epoch.len();
                let head = request_head("POST", &path, Some(&seat.token), Some(length));
                Beginning { head, epoch }
            })
            .collect();
        Self { seats, rest }
    }

    /// Writes the next post by a seat; the message's id.
    pub(crate) fn write(&self, seat: usize, request: &mut Vec<u8>) -> MessageId {
        request.clear();
        let id = MessageId::from_bytes(fastrand::u128(..).to_be_bytes());
        let Some(Beginning { head, epoch }) = self.seats.get(seat) else {
            return id;
        };
        for part in [
            head.as_slice(),
            BEFORE_ID,
            id.to_string().as_bytes(),
            BEFORE_EPOCH,
            epoch.as_bytes(),
            &self.rest,
        ] {
            request.extend_from_slice(part);
        }
        id
    }

    /// How many seats there are.
    pub(crate) fn seats(&self) -> usize {
        self.seats.len()
    }
}

/// What a load came to.
#[derive(Debug)]
pub(crate) struct Appended {
    /// Appends a second.
    pub(crate) rate: f64,
    /// From sending a post to its answer, in microseconds.
    pub(crate) latency: Histogram<u64>,
    /// All posts that were acknowledged, those before and after the time that counts as well.
    pub(crate) acknowledged: usize,
}

/// A quantile of latencies, in microseconds; of none, no number.
#[allow(
    clippy::cast_precision_loss,
    reason = "microseconds of a run are far below 2^52"
)]
pub(crate) fn micros(latency: &Histogram<u64>, quantile: f64) -> f64 {
    if latency.is_empty() {
        return f64::NAN;
    }
    latency.value_at_quantile(quantile) as f64
}

/// Posts by so many connections for so long. They take the posts in turn, and of these each time a seat at random.
///
/// # Errors
/// A post that was refused: then there is no figure.
pub(crate) async fn run(
    address: SocketAddr,
    posts: &[Arc<Posts>],
    connections: usize,
    duration: Duration,
) -> Result<Appended> {
    let mut open = Vec::with_capacity(connections);
    for posts in posts.iter().cycle().take(connections) {
        open.push((Connection::open(address).await?, Arc::clone(posts)));
    }
    let from = Instant::now() + WARM_UP;
    let until = from + duration;
    let mut writers = JoinSet::new();
    for (connection, posts) in open {
        writers.spawn(write(connection, posts, from, until));
    }
    let mut latency = Histogram::new(3)?;
    let mut acknowledged = 0;
    while let Some(writer) = writers.join_next().await {
        let (counted, all) = writer??;
        latency.add(counted)?;
        acknowledged += all;
    }
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let rate = latency.len() as f64 / duration.as_secs_f64();
    Ok(Appended {
        rate,
        latency,
        acknowledged,
    })
}

/// Posts until the second moment; the latencies of answers that come between both, and the number of all answers.
async fn write(
    mut connection: Connection,
    posts: Arc<Posts>,
    from: Instant,
    until: Instant,
) -> Result<(Histogram<u64>, usize)> {
    let mut latency = Histogram::new(3)?;
    let mut acknowledged = 0;
    let mut request = Vec::new();
    loop {
        posts.write(fastrand::usize(..posts.seats()), &mut request);
        let sent = Instant::now();
        if sent >= until {
            return Ok((latency, acknowledged));
        }
        connection.exchange(&request).await?.is(201)?;
        let answered = Instant::now();
        acknowledged += 1;
        if answered >= from && answered < until {
            latency.record(u64::try_from((answered - sent).as_micros())?)?;
        }
    }
}
