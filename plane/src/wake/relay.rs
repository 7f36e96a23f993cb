//! Wake-ups between the plane processes of one Postgres.
//!
//! Ids of changed sessions are sent outside any transaction and on a connection of their own: a NOTIFY in the transaction
//! that appends would make all commits of the database wait for one lock. The first change is told at once, those of the
//! following milliseconds as one notification: each one wakes every process, whatever it holds.
//!
//! A listener counts only once it has heard a word of its own, and is asked now and then whether it still works: behind
//! some poolers it never hears, and a connection that was cut silently hears no more.

use std::collections::BTreeSet;

use sqlx::postgres::PgListener;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use wire::encoding::{from_base64url, to_base64url};
use wire::ids::SessionId;

use super::hearing::{Ear, Hearing};
use super::{Hub, WakeTimes};
use crate::store::side::{self, Side};

const CHANNEL: &str = "devpilot_session_wake";
/// Ids that wait to be sent.
pub(crate) const QUEUE: usize = 65_536;
/// Ids in one notification. Postgres takes at most 8,000 bytes: a tag and so many ids have 5,355.
const IDS_A_PAYLOAD: usize = 250;

/// One process's side of the relay.
#[derive(Debug)]
pub(crate) struct Relay {
    side: Side,
    hub: Hub,
    ear: Ear,
    times: WakeTimes,
    /// Tells this process's notifications from others'.
    tag: [u8; 16],
}

/// Why listening ended.
#[derive(Debug, thiserror::Error)]
enum Lost {
    #[error("the connection failed")]
    Connection(#[from] sqlx::Error),
    #[error("the connection was closed")]
    Closed,
    #[error("the connection does not answer")]
    Silent,
    #[error("a notification of its own did not arrive")]
    Deaf,
}

impl Relay {
    pub(crate) const fn new(side: Side, hub: Hub, ear: Ear, times: WakeTimes, tag: [u8; 16]) -> Self {
        Self {
            side,
            hub,
            ear,
            times,
            tag,
        }
    }

    /// Sends what this process committed, until `stop` fires or the other end of `changed` is gone; what waits then is sent
    /// still.
    pub(crate) async fn send(&self, mut changed: mpsc::Receiver<SessionId>, stop: CancellationToken) {
        let mut arrived = Vec::new();
        while let Some(1..) = stop
            .run_until_cancelled(changed.recv_many(&mut arrived, QUEUE))
            .await
        {
            self.tell(&mut arrived).await;
            stop.run_until_cancelled(sleep(self.times.apart)).await;
        }
        while let Ok(session) = changed.try_recv() {
            arrived.push(session);
        }
        self.tell(&mut arrived).await;
    }

    async fn tell(&self, arrived: &mut Vec<SessionId>) {
        let sessions: BTreeSet<SessionId> = arrived.drain(..).collect();
        let sessions: Vec<SessionId> = sessions.into_iter().collect();
        for part in sessions.chunks(IDS_A_PAYLOAD) {
            let payload = encode(&self.tag, part);
            if let Err(error) = self.side.tell(CHANNEL, &payload, self.times.answer).await {
                tracing::warn!(%error, "other processes were not told of a change; they re-read by themselves");
            }
        }
    }

    /// Says where listening can't work.
    pub(crate) fn announce(&self) {
        if !self.side.may_hear() {
            tracing::warn!(
                poll_ms = self.times.poll.as_millis(),
                "LISTEN can't work: the pooler before Postgres is in transaction mode. This process looks for other \
                 processes' changes by itself; for less delay, connect the plane to Postgres itself"
            );
        }
    }

    /// Wakes this process for what others committed. Never returns.
    pub(crate) async fn receive(&self) {
        if !self.side.may_hear() {
            return std::future::pending().await;
        }
        loop {
            let lost = self.listen().await;
            self.ear.set(Hearing::Polling);
            // Whatever was committed in the gap was not heard.
            self.hub.wake_all();
            match lost {
                Lost::Deaf => {
                    tracing::warn!(
                        poll_ms = self.times.poll.as_millis(),
                        "LISTEN does not work: what this process told itself did not arrive. It looks for other processes' \
                         changes by itself, and tries to listen again later"
                    );
                    sleep(self.times.deaf).await;
                }
                lost => {
                    tracing::warn!(
                        error = &lost as &dyn std::error::Error,
                        "the listener for other processes' changes connects again"
                    );
                    sleep(self.times.pause).await;
                }
            }
        }
    }

    async fn listen(&self) -> Lost {
        match self.hear().await {
            Ok(never) => match never {},
            Err(lost) => lost,
        }
    }

    async fn hear(&self) -> Result<std::convert::Infallible, Lost> {
        let begun = async {
            let mut listener = self.side.listener().await?;
            listener.listen(CHANNEL).await?;
            Ok::<_, sqlx::Error>(listener)
        };
        let mut listener = timeout(self.times.answer, begun)
            .await
            .map_err(|_| Lost::Silent)??;
        self.prove(&mut listener).await?;
        self.ear.set(Hearing::Listening);
        self.hub.wake_all();
        loop {
            match timeout(self.times.silence, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => self.wake(notification.payload()),
                Ok(Ok(None)) => return Err(Lost::Closed),
                Ok(Err(error)) => return Err(error.into()),
                // A connection that was cut silently answers nothing.
                Err(_) => timeout(self.times.answer, side::ping(&mut listener))
                    .await
                    .map_err(|_| Lost::Silent)??,
            }
        }
    }

    /// Returns once the listener has heard what this process tells itself.
    async fn prove(&self, listener: &mut PgListener) -> Result<(), Lost> {
        let own = encode(&self.tag, &[]);
        self.side.tell(CHANNEL, &own, self.times.answer).await?;
        let heard = async {
            loop {
                match listener.try_recv().await? {
                    Some(heard) if heard.payload() == own => return Ok(()),
                    Some(other) => self.wake(other.payload()),
                    None => return Err(Lost::Closed),
                }
            }
        };
        timeout(self.times.answer, heard).await.unwrap_or(Err(Lost::Deaf))
    }

    fn wake(&self, payload: &str) {
        match decode(payload) {
            Some((tag, _)) if tag == self.tag => {}
            Some((_, sessions)) => sessions.into_iter().for_each(|session| self.hub.wake(session)),
            None => self.hub.wake_all(),
        }
    }
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
