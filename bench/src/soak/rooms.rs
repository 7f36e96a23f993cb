//! Sessions that stay for the whole time: a writer each, who posts now and then, and readers who wait; and posts to many
//! other sessions, so that the plane takes up and lets go of them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use wire::api::Page;

use super::ledger::Ledger;
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

/// When the newest post of a room was sent.
type Sent = Arc<Mutex<Instant>>;

/// Starts all of them.
///
/// # Errors
/// The plane refused.
pub(super) async fn start(site: &Site, ledger: &Arc<Ledger>, load: &mut JoinSet<Result<()>>) -> Result<()> {
    let plane = site.plane.address;
    for _ in 0..ROOMS {
        let owner = site.new_session().await?;
        let sent: Sent = Arc::new(Mutex::new(Instant::now()));
        for reader in seat::joined(plane, &owner, READERS).await? {
            load.spawn(read(plane, reader, Arc::clone(&sent), Arc::clone(ledger)));
        }
        let posts = Arc::new(Posts::new(std::iter::once(&owner), &site.sealed));
        load.spawn(write(plane, posts, PAUSE, Some(sent), Arc::clone(ledger)));
    }
    for _ in 0..STROLLERS {
        let posts = Arc::clone(&site.spread);
        load.spawn(write(plane, posts, STROLL, None, Arc::clone(ledger)));
    }
    Ok(())
}

async fn write(
    plane: SocketAddr,
    posts: Arc<Posts>,
    pause: Duration,
    sent: Option<Sent>,
    ledger: Arc<Ledger>,
) -> Result<()> {
    let mut connection = Connection::open(plane).await?;
    let mut ticks = interval(pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut request = Vec::new();
    loop {
        ticks.tick().await;
        posts.write(fastrand::usize(..posts.seats()), &mut request);
        let start = Instant::now();
        if let Some(sent) = &sent {
            *sent.lock().unwrap_or_else(PoisonError::into_inner) = start;
        }
        post(&mut connection, &request, &ledger).await?;
        ledger.post(start.elapsed());
    }
}

/// Posts, and posts the same again where the plane says when.
pub(super) async fn post(connection: &mut Connection, request: &[u8], ledger: &Ledger) -> Result<()> {
    for _ in 0..PATIENCE {
        let answer = connection.exchange(request).await?;
        let Some(seconds) = answer.retry_after.filter(|_| answer.status == 429) else {
            return answer.is(201);
        };
        ledger.later();
        tokio::time::sleep(Duration::from_secs(seconds)).await;
    }
    bail!("a post was put off {PATIENCE} times")
}

/// Waits, again and again: each record comes once, in its place.
async fn read(plane: SocketAddr, seat: Seat, sent: Sent, ledger: Arc<Ledger>) -> Result<()> {
    let mut connection = Connection::open(plane).await?;
    let mut head = 0;
    let mut caught_up = false;
    loop {
        let request = seat.read_request(head, "&wait=20");
        let page: Page = connection.exchange(&request).await?.json(200)?;
        if caught_up && page.records.len() == 1 {
            let sent = *sent.lock().unwrap_or_else(PoisonError::into_inner);
            ledger.wake(sent.elapsed());
        }
        for record in &page.records {
            ensure!(record.seq == head + 1, "{} follows {head}", record.seq);
            head = record.seq;
        }
        caught_up = !page.more;
    }
}
