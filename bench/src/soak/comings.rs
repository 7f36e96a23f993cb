//! Sessions that are made, joined, written to, left and ended, and sessions that are re-keyed, all the time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use wire::api::Page;

use super::ledger::Ledger;
use super::rooms::post;
use crate::fixture::Site;
use crate::load::append::Posts;
use crate::load::http::Connection;
use crate::load::seat::Seat;

/// Who make sessions, and how often each does.
const MAKERS: usize = 2;
const MAKE: Duration = Duration::from_millis(500);
/// Newcomers of each such session.
const NEWCOMERS: usize = 2;
/// Sessions that are re-keyed, and how often each is.
const REKEYED: usize = 4;
const REKEY: Duration = Duration::from_secs(2);

/// A plane with what its owner has.
#[derive(Debug, Clone)]
struct Owned {
    plane: SocketAddr,
    machine_token: String,
    sealed: Vec<u8>,
}

/// Starts all of them.
///
/// # Errors
/// The plane refused.
pub(super) async fn start(site: &Site, ledger: &Arc<Ledger>, load: &mut JoinSet<Result<()>>) -> Result<()> {
    let owned = Owned {
        plane: site.plane.address,
        machine_token: site.machine_token.clone(),
        sealed: site.sealed.clone(),
    };
    for _ in 0..MAKERS {
        load.spawn(come_and_go(owned.clone(), Arc::clone(ledger)));
    }
    for _ in 0..REKEYED {
        let owner = site.new_session().await?;
        load.spawn(rekey(owned.clone(), owner, Arc::clone(ledger)));
    }
    Ok(())
}

impl Owned {
    /// One message by somebody, in the epoch of the posts of this load.
    async fn say(&self, connection: &mut Connection, seat: &Seat, ledger: &Ledger) -> Result<()> {
        let posts = Posts::new(std::iter::once(seat), &self.sealed);
        let mut request = Vec::new();
        posts.write(0, &mut request);
        post(connection, &request, ledger).await?;
        Ok(())
    }
}

async fn come_and_go(owned: Owned, ledger: Arc<Ledger>) -> Result<()> {
    let mut ticks = interval(MAKE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // Connections come and go as well.
        let mut connection = Connection::open(owned.plane).await?;
        let owner = Seat::create(&mut connection, &owned.machine_token).await?;
        let mut newcomers = Vec::with_capacity(NEWCOMERS);
        for _ in 0..NEWCOMERS {
            let newcomer = owner.join(&mut connection).await?;
            owned.say(&mut connection, &newcomer, &ledger).await?;
            newcomers.push(newcomer);
            ledger.join();
        }
        let request = owner.read_request(0, "&limit=100");
        let page: Page = connection.exchange(&request).await?.json(200)?;
        ensure!(
            page.records.len() >= 2 * NEWCOMERS,
            "{} records are there",
            page.records.len()
        );
        for newcomer in newcomers {
            newcomer.leave(&mut connection).await?;
        }
        owner.end(&mut connection, &owned.machine_token).await?;
    }
}

async fn rekey(owned: Owned, mut owner: Seat, ledger: Arc<Ledger>) -> Result<()> {
    let mut ticks = interval(REKEY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut connection = Connection::open(owned.plane).await?;
    let mut other = owner.join(&mut connection).await?;
    loop {
        ticks.tick().await;
        let next = owner.rekey(&mut connection, &owned.machine_token, &other).await?;
        owner.come_back(&mut connection, &next).await?;
        other.come_back(&mut connection, &next).await?;
        owned.say(&mut connection, &other, &ledger).await?;
        ledger.rekey();
    }
}
