//! Session tokens are looked up in the database on every request; for most posts the append itself does it ([`super::live`]).
//! Those that come while a look-up runs are the next one, together: for the database, one statement over many keys costs little
//! more than over one.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use wire::ids::SessionId;

use super::open::Shared;
use super::{Answer, ServiceError};
use crate::store::tokens::{self, Found, TokenRow};
use crate::store::{Conn, StoreError};

/// Tokens in one look-up.
const TOGETHER: usize = 128;
/// Look-ups that may wait; more wait to be let in.
const QUEUE: usize = 1_024;

/// One token to be looked up.
#[derive(Debug)]
pub(crate) struct Ask {
    session: SessionId,
    hash: [u8; 32],
    reply: oneshot::Sender<Answer<Option<TokenRow>>>,
}

/// The way to the task that looks up.
#[derive(Debug, Clone)]
pub(crate) struct Lookups(mpsc::Sender<Ask>);

impl Lookups {
    /// The way in, and what [`run`] takes.
    pub(super) fn new() -> (Self, mpsc::Receiver<Ask>) {
        let (asks, asked) = mpsc::channel(QUEUE);
        (Self(asks), asked)
    }

    /// The token of that hash in this session, by a look-up that begins after this call.
    pub(super) async fn find(&self, session: SessionId, hash: [u8; 32]) -> Answer<Option<TokenRow>> {
        let (reply, answer) = oneshot::channel();
        let ask = Ask { session, hash, reply };
        self.0.send(ask).await.map_err(|_| ServiceError::Draining)?;
        answer.await.unwrap_or(Err(ServiceError::Draining))
    }
}

/// Looks up what is asked, until it is stopped.
pub(super) async fn run(shared: Arc<Shared>, mut asked: mpsc::Receiver<Ask>, stop: CancellationToken) {
    let mut together = Vec::with_capacity(TOGETHER);
    let mut held = None;
    loop {
        let some = stop
            .run_until_cancelled(asked.recv_many(&mut together, TOGETHER))
            .await;
        if some.is_none_or(|count| count == 0) {
            return;
        }
        let keys: Vec<_> = together.iter().map(|ask| (ask.session, ask.hash)).collect();
        let was_held = held.is_some();
        let mut found = find(&shared, &mut held, &keys).await;
        if was_held && found.as_ref().is_err_and(StoreError::is_unavailable) {
            // The connection that was held may have been cut; a new one tells.
            found = find(&shared, &mut held, &keys).await;
        }
        match found {
            Ok(found) => {
                for (ask, token) in together.drain(..).zip(found) {
                    // Who asked may be gone.
                    let _gone = ask.reply.send(token.map_err(ServiceError::from));
                }
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "tokens could not be looked up"
                );
                for ask in together.drain(..) {
                    let _gone = ask.reply.send(Err(StoreError::Unknown.into()));
                }
            }
        }
    }
}

/// One look-up, on the connection that is held from one to the next unless it failed.
async fn find(
    shared: &Shared,
    held: &mut Option<Conn>,
    keys: &[(SessionId, [u8; 32])],
) -> Result<Vec<Found>, StoreError> {
    let mut conn = match held.take() {
        Some(conn) => conn,
        None => shared.store.hold(false).await?,
    };
    let found = tokens::find_many(&mut conn.on(), keys).await?;
    *held = Some(conn);
    Ok(found)
}
