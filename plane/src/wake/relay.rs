//! Wake-ups between the plane processes of one Postgres.
//!
//! Ids of changed sessions are gathered for a few milliseconds and sent as one notification, outside any
//! transaction and on a connection of their own: a NOTIFY in the transaction that appends would make all commits
//! of the database wait for one lock.

use std::collections::BTreeSet;
use std::time::Duration;

use sqlx::postgres::PgListener;
use sqlx::{Executor as _, PgPool};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use wire::encoding::{from_base64url, to_base64url};
use wire::ids::SessionId;

use super::Hub;

const CHANNEL: &str = "devpilot_session_wake";
const NOTIFY: &str = "SELECT pg_notify($1, $2)";
/// Ids that wait to be sent.
pub(crate) const QUEUE: usize = 65_536;
/// How long ids are gathered.
const GATHER: Duration = Duration::from_millis(3);
/// Ids in one notification. Postgres takes at most 8,000 bytes: a tag and so many ids have 5,355.
const IDS_A_PAYLOAD: usize = 250;
/// How long to wait before connecting again.
const PAUSE: Duration = Duration::from_millis(500);
/// A listener that hears nothing for so long asks whether it is still connected.
const SILENCE: Duration = Duration::from_secs(10);
/// How long the answer to that may take.
const ANSWER: Duration = Duration::from_secs(3);

/// One process's side of the relay.
#[derive(Debug)]
pub(crate) struct Relay {
    pool: PgPool,
    hub: Hub,
    /// Tells this process's notifications from others'.
    tag: [u8; 16],
}

impl Relay {
    pub(crate) const fn new(pool: PgPool, hub: Hub, tag: [u8; 16]) -> Self {
        Self { pool, hub, tag }
    }

    /// Sends what this process committed, until the other end of `changed` is gone.
    pub(crate) async fn send(&self, mut changed: mpsc::Receiver<SessionId>) {
        let mut arrived = Vec::new();
        while changed.recv_many(&mut arrived, QUEUE).await > 0 {
            sleep(GATHER).await;
            while let Ok(session) = changed.try_recv() {
                arrived.push(session);
            }
            let sessions: BTreeSet<SessionId> = arrived.drain(..).collect();
            let sessions: Vec<SessionId> = sessions.into_iter().collect();
            for part in sessions.chunks(IDS_A_PAYLOAD) {
                let payload = encode(&self.tag, part);
                let sent = sqlx::query(NOTIFY)
                    .bind(CHANNEL)
                    .bind(payload)
                    .execute(&self.pool)
                    .await;
                if let Err(error) = sent {
                    tracing::warn!(%error, "other processes were not told of a change; they re-read by themselves");
                }
            }
        }
    }

    /// Wakes this process for what others committed. Never returns.
    pub(crate) async fn receive(&self) {
        loop {
            if let Err(error) = self.listen().await {
                tracing::warn!(%error, "the listener for other processes' changes connects again");
            }
            // Whatever was committed in the gap was not heard.
            self.hub.wake_all();
            sleep(PAUSE).await;
        }
    }

    async fn listen(&self) -> Result<(), sqlx::Error> {
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(CHANNEL).await?;
        self.hub.wake_all();
        loop {
            match timeout(SILENCE, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => self.wake(notification.payload()),
                Ok(Ok(None)) => return Ok(()),
                Ok(Err(error)) => return Err(error),
                // A connection that was cut silently answers nothing.
                Err(_) => ping(&mut listener).await?,
            }
        }
    }

    fn wake(&self, payload: &str) {
        match decode(payload) {
            Some((tag, _)) if tag == self.tag => {}
            Some((_, sessions)) => sessions.into_iter().for_each(|session| self.hub.wake(session)),
            None => self.hub.wake_all(),
        }
    }
}

async fn ping(listener: &mut PgListener) -> Result<(), sqlx::Error> {
    timeout(ANSWER, listener.execute("SELECT 1"))
        .await
        .map_err(|_| sqlx::Error::PoolTimedOut)??;
    Ok(())
}

fn encode(tag: &[u8; 16], sessions: &[SessionId]) -> String {
    let mut bytes = Vec::with_capacity(16 * (sessions.len() + 1));
    bytes.extend_from_slice(tag);
    for session in sessions {
        bytes.extend_from_slice(session.as_bytes());
    }
    to_base64url(&bytes)
}

fn decode(payload: &str) -> Option<([u8; 16], Vec<SessionId>)> {
    let bytes = from_base64url(payload).ok()?;
    let (ids, rest) = bytes.as_chunks::<16>();
    let (tag, sessions) = ids.split_first()?;
    rest.is_empty().then(|| {
        (
            *tag,
            sessions.iter().copied().map(SessionId::from_bytes).collect(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_payload_fits_into_a_notification_and_comes_back() {
        let sessions: Vec<SessionId> = (0..IDS_A_PAYLOAD)
            .map(|n| SessionId::from_bytes((n as u128).to_be_bytes()))
            .collect();
        let payload = encode(&[9; 16], &sessions);
        assert!(payload.len() < 8_000, "Postgres refuses longer ones");
        assert_eq!(decode(&payload), Some(([9; 16], sessions)));
    }

    #[test]
    fn what_is_no_payload_is_told_from_one() {
        assert_eq!(decode(""), None);
        assert_eq!(decode("!"), None);
        assert_eq!(decode(&to_base64url(&[0; 17])), None);
    }
}
