//! What comes due in a session: its mode, its expiry, knocks, tokens, old profiles, the end of its retention; and what
//! else has its time: tombstones, machines that wait to be connected.

use futures_util::stream::{self, StreamExt};
use wire::ids::SessionId;

use super::open::Shared;
use super::write::SessionWrite;
use super::{Answer, Service};
use crate::store::session::DueFrom;
use crate::store::{Tx, connects, knocks, participants, profiles, session, tokens, tombstones};

/// Sessions that are looked at in one round.
const AT_A_TIME: u32 = 200;
/// Sessions that are swept side by side: some of the connections, and never all.
const AT_ONCE: usize = 8;
/// Profiles of past epochs stay so long.
const OLD_PROFILES_MS: i64 = 2_592_000_000;

impl Service {
    /// One round of the sweeper, which runs by itself: whatever is due now is done when this returns.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep(&self) -> Answer<()> {
        self.shared.sweep_due().await?;
        self.shared.drop_tombstones().await?;
        self.shared.drop_connects().await?;
        self.shared.write_presence().await
    }
}

impl Shared {
    /// Does what is due in all sessions. One that can't be looked at now keeps no other waiting: it is due again
    /// in the next round.
    pub(crate) async fn sweep_due(&self) -> Answer<()> {
        // To a clock that was set back these are not due yet.
        let passed = Vec::from_iter(self.deadlines.passed(self.clock.monotonic()));
        self.sweep_each(&passed).await;
        let mut from = DueFrom::START;
        loop {
            let mut conn = self.store.reader().await?;
            let (due, to) = session::due(&mut conn.on(), self.store_time(), &from, AT_A_TIME).await?;
            drop(conn);
            from = to;
            self.sweep_each(&due).await;
            if due.len() < AT_A_TIME as usize {
                return Ok(());
            }
        }
    }

    async fn sweep_each(&self, sessions: &[SessionId]) {
        stream::iter(sessions)
            .for_each_concurrent(AT_ONCE, |session| async move {
                if let Err(error) = self.sweep_one(*session).await {
                    tracing::warn!(%session, %error, "what is due in a session is left for the next round");
                }
            })
            .await;
    }

    async fn sweep_one(&self, session: SessionId) -> Answer<()> {
        let clock = self.clock.monotonic();
        // Opening applies the expiry of mode and session.
        let Some(mut write) = SessionWrite::open_soon(self, session).await? else {
            self.deadlines.forget(session, clock);
            return Ok(());
        };
        let now = write.now;
        if let Some(ended) = write.row.ended
            && now >= ended.purge_at
        {
            self.deadlines.forget(session, clock);
            return self.purge(write, ended.cause, ended.at).await;
        }
        knocks::drop_lapsed(&mut write.on(), session, now).await?;
        write.recount_knocks().await?;
        tokens::end_expired(&mut write.on(), session, now).await?;
        let epoch = write.row.epoch;
        if epoch > 1 {
            let before = now.plus_millis(-OLD_PROFILES_MS);
            profiles::drop_old(&mut write.on(), session, epoch, before).await?;
        }
        write.commit().await?;
        self.deadlines.forget(session, clock);
        Ok(())
    }

    /// Forgets purged sessions whose time is up.
    pub(crate) async fn drop_tombstones(&self) -> Answer<()> {
        let mut conn = self.store.writer().await?;
        tombstones::drop_due(&mut conn.on(), self.now()).await?;
        Ok(())
    }

    /// Forgets machines that asked to be connected and whose time is up.
    pub(crate) async fn drop_connects(&self) -> Answer<()> {
        let mut conn = self.store.writer().await?;
        connects::drop_due(&mut conn.on(), self.now()).await?;
        Ok(())
    }

    /// Writes what was seen since the last time, in one batch.
    pub(crate) async fn write_presence(&self) -> Answer<()> {
        let lines = self.presence.take(self.now());
        if lines.is_empty() {
            return Ok(());
        }
        let mut tx: Tx = self.store.begin_write().await?;
        participants::no_sync(&mut tx.on()).await?;
        for line in lines {
            participants::seen(&mut tx.on(), line.session, line.participant, &line.seen).await?;
            if let Some((token, expires_at)) = line.renew {
                tokens::renew(&mut tx.on(), line.session, &token, expires_at).await?;
            }
        }
        tx.commit().await?;
        Ok(())
    }
}
