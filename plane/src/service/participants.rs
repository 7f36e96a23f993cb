//! `GET /v1/sessions/{id}/participants`: who is here, with presence, and the profiles that say who may write.

use wire::api::{ParticipantRow, Participants};
use wire::encoding::Blob;
use wire::timestamp::Timestamp;

use super::{Answer, Service, SessionCaller, roster};
use crate::presence::Local;
use crate::store::{epochs, participants, profiles};

impl Service {
    /// `GET participants`; with an epoch also the newest profile of each in each epoch from there on, and the epoch
    /// records.
    ///
    /// # Errors
    /// The store failed.
    pub async fn participants(
        &self,
        by: &SessionCaller,
        profiles_from_epoch: Option<u32>,
    ) -> Answer<Participants> {
        let session = by.session_id;
        let mut tx = self.shared.store.begin_read().await?;
        let rows = participants::list(&mut tx.on(), session).await?;
        let (sealed_profiles, epoch_records) = match profiles_from_epoch {
            None => (None, None),
            Some(from) => {
                let profiles = profiles::from_epoch(&mut tx.on(), session, from).await?;
                let records = epochs::after(&mut tx.on(), session, from.saturating_sub(1)).await?;
                let records = records.into_iter().map(|(_, record)| Blob(record)).collect();
                (Some(profiles), Some(records))
            }
        };
        drop(tx);
        let now = self.shared.now();
        let shown = rows.into_iter().map(|row| {
            let local = self.shared.presence.local(session, row.participant_id);
            shown(row, local, now)
        });
        Ok(Participants {
            participants: shown.collect(),
            sealed_profiles,
            epoch_records,
        })
    }
}

/// A row as it is shown. Who left does not listen.
fn shown(row: participants::ParticipantRow, local: Option<Local>, now: Timestamp) -> ParticipantRow {
    let presence = roster::shown(&row.presence(), local, now);
    ParticipantRow {
        participant_id: row.participant_id,
        kind: row.kind,
        capability: row.capability,
        joined_at: row.joined_at,
        last_seen_at: presence.last_seen_at,
        left_at: row.left_at,
        listening: row.left_at.is_none() && presence.listening,
        fetched_seq: presence.fetched_seq,
    }
}
