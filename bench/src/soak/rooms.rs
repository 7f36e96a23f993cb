//! Sessions that stay for the whole time: a writer each, who posts now and then, and readers who wait; and posts to many
//! other sessions, so that the plane takes up and lets go of them.

use std::future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use futures_util::future::join_all;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};
use wire::api::{Page, Posted};

use super::ledger::Ledger;
use super::room::Room;
use crate::fixture::Site;
use crate::load::append::Posts;
use crate::load::http::Connection;
use crate::load::seat::{self, Seat};

/// Sessions with readers, and readers of each.
const ROOMS: usize = 16;
const READERS: usize = 4;
/// Between two posts of one writer.
const PAUSE: Duration = Duration::from_millis(100);
/// Writers to all the other sessions.
const STROLLERS: usize = 4;
const STROLL: Duration = Duration::from_millis(40);
/// A post that is put off so often is lost.
const PATIENCE: usize = 100;

/// How long the answers to the last posts may take.
const ANSWERED: Duration = Duration::from_secs(30);
/// How long it may take until all readers have what was acknowledged. A plane looks again by itself every four seconds: who
/// is not woken is not to pass by that.
pub(super) const REACHED: Duration = Duration::from_secs(2);

/// The sessions with readers.
#[derive(Debug)]
pub(super) struct Rooms(Vec<Arc<Room>>);

/// Starts all of them.
///
/// # Errors
/// The plane refused.
pub(super) async fn start(
    site: &Site,
    ledger: &Arc<Ledger>,
    load: &mut JoinSet<Result<()>>,
) -> Result<Rooms> {
    let plane = site.plane.address;
    let mut rooms = Vec::with_capacity(ROOMS);
    for _ in 0..ROOMS {
        let owner = site.new_session().await?;
        let room = Arc::new(Room::new(owner.session, READERS));
        let readers = seat::joined(plane, &owner, READERS).await?;
        for (reader, seat) in readers.into_iter().enumerate() {
            load.spawn(read(plane, seat, reader, Arc::clone(&room), Arc::clone(ledger)));
        }
        let posts = Arc::new(Posts::new(std::iter::once(&owner), &site.sealed));
        load.spawn(write(
            plane,
            posts,
            PAUSE,
            Some(Arc::clone(&room)),
            Arc::clone(ledger),
        ));
        rooms.push(room);
    }
    for _ in 0..STROLLERS {
        let posts = Arc::clone(&site.spread);
        load.spawn(write(plane, posts, STROLL, None, Arc::clone(ledger)));
    }
    Ok(Rooms(rooms))
}

impl Rooms {
    /// Lets the writers stop, and waits until all readers have what was acknowledged.
    ///
    /// # Errors
    /// Not all of them do, in time.
    pub(super) async fn finish(&self) -> Result<()> {
        self.0.iter().for_each(|room| room.close());
        timeout(ANSWERED, join_all(self.0.iter().map(|room| room.done())))
            .await
            .context("a post is still without an answer")?;
        self.reach(REACHED).await
    }

    async fn reach(&self, within: Duration) -> Result<()> {
        // Who is late is seen by what they have.
        let _ = timeout(within, join_all(self.0.iter().map(|room| room.reached()))).await;
        let late: Vec<String> = self.0.iter().flat_map(|room| room.late()).collect();
        ensure!(
            late.is_empty(),
            "what was acknowledged did not come within {within:?}:\n{}",
            late.join("\n")
        );
        Ok(())
    }
}

async fn write(
    plane: SocketAddr,
    posts: Arc<Posts>,
    pause: Duration,
    room: Option<Arc<Room>>,
    ledger: Arc<Ledger>,
) -> Result<()> {
    let mut connection = Connection::open(plane).await?;
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut request = Vec::new();
    loop {
        ticks.tick().await;
        let id = posts.write(fastrand::usize(..posts.seats()), &mut request);
        let start = Instant::now();
        if let Some(room) = &room
            && !room.send(id, start)?
        {
            // A part of the load that ends counts as a failure.
            return future::pending().await;
        }
        let seq = post(&mut connection, &request, &ledger).await?;
        ledger.post(start.elapsed());
        if let Some(room) = &room {
            room.acknowledge(seq)?;
        }
    }
}

/// Posts, and posts the same again where the plane says when; the record's number.
pub(super) async fn post(connection: &mut Connection, request: &[u8], ledger: &Ledger) -> Result<u64> {
    for _ in 0..PATIENCE {
        let answer = connection.exchange(request).await?;
        let Some(seconds) = answer.retry_after.filter(|_| answer.status == 429) else {
            return Ok(answer.json::<Posted>(201)?.seq);
        };
        ledger.later();
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
    bail!("a post was put off {PATIENCE} times")
}

/// Waits, again and again: each record comes once, in its place.
async fn read(
    plane: SocketAddr,
    seat: Seat,
    reader: usize,
    room: Arc<Room>,
    ledger: Arc<Ledger>,
) -> Result<()> {
    let mut connection = Connection::open(plane).await?;
    let mut head = 0;
    loop {
        let request = seat.read_request(head, "&wait=20");
        let page: Page = connection.exchange(&request).await?.json(200)?;
        let now = Instant::now();
        for record in &page.records {
            if let Some(took) = room.see(reader, record.seq, record.item_id, now)? {
                ledger.wake(took);
            }
            head = record.seq;
        }
    }
}

#[cfg(test)]
mod tests {
    use wire::ids::{MessageId, SessionId};

    use super::*;

    #[tokio::test]
    async fn a_reader_without_the_last_record_fails_the_run_and_is_named() {
        let (one, other) = ([1; 16], [2; 16]);
        let rooms = Rooms(
            [one, other]
                .map(|session| Arc::new(Room::new(SessionId::from_bytes(session), 1)))
                .to_vec(),
        );
        let now = Instant::now();
        for room in &rooms.0 {
            assert!(room.send(MessageId::from_bytes(one), now).unwrap());
            room.acknowledge(1).unwrap();
        }
        let see = |room: &Room| room.see(0, 1, Some(MessageId::from_bytes(one)), now);
        see(&rooms.0[1]).unwrap();
        let error = rooms.reach(Duration::ZERO).await.unwrap_err().to_string();
        assert!(error.contains("session 01010101-"), "{error}");
        assert!(!error.contains("02020202-"), "{error}");
        see(&rooms.0[0]).unwrap();
        rooms.reach(Duration::ZERO).await.unwrap();
    }
}
