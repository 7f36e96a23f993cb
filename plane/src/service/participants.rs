//! `GET /v1/sessions/{id}/participants`: who is here, with presence, and the profiles that say who may write.

use wire::api::{ParticipantRow, Participants};
use wire::encoding::Blob;
use wire::timestamp::Timestamp;

use super::{Answer, Service, SessionCaller};
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

/// A row as it is shown: what the database has, or what this process saw since.
fn shown(row: participants::ParticipantRow, local: Option<Local>, now: Timestamp) -> ParticipantRow {
    let stopped = local.is_some_and(|local| local.stopped);
    let listening = !stopped && row.listening_until.is_some_and(|until| now < until);
    let is_in = row.left_at.is_none();
    ParticipantRow {
        participant_id: row.participant_id,
        kind: row.kind,
        capability: row.capability,
        joined_at: row.joined_at,
        last_seen_at: local.map_or(row.last_seen_at, |local| local.last_seen_at.max(row.last_seen_at)),
        left_at: row.left_at,
        listening: is_in && (listening || local.is_some_and(|local| local.listening)),
        fetched_seq: local.map_or(row.fetched_seq, |local| local.fetched_seq.max(row.fetched_seq)),
    }
}
