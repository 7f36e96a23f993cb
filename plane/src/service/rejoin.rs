//! `POST /v1/sessions/{id}/rejoin`: who was here reads the epoch records that came since (`crypto.md` 6.1).

use std::net::IpAddr;

use subtle::ConstantTimeEq as _;
use wire::api::{EpochRecords, Rejoin};
use wire::encoding::Blob;
use wire::epoch_record::{EpochRecord, EpochType};
use wire::ids::{ParticipantId, SessionId};
use wire::transcript::sha256;

use super::{Answer, Service, ServiceError};
use crate::store::{StoreError, epochs, participants};

impl Service {
    /// `POST rejoin`: the epoch records after the one named, up to and including the first of type 1 that does not
    /// list this participant. Needs no token and gives none.
    ///
    /// # Errors
    /// `RateLimited`; `BadProof`: unknown session, id or secret, always alike.
    pub async fn rejoin(&self, session: SessionId, from: IpAddr, request: Rejoin) -> Answer<EpochRecords> {
        self.count_join(session, from, true)?;
        let given = sha256(request.rejoin_secret.expose());
        let mut tx = self.shared.store.begin_read().await?;
        let known = participants::find(&mut tx.on(), session, request.participant_id).await?;
        let verifier = known.map_or([0; 32], |participant| participant.rejoin_verifier);
        if !bool::from(given.ct_eq(&verifier)) {
            return Err(ServiceError::BadProof);
        }
        let records = epochs::after(&mut tx.on(), session, request.after_epoch).await?;
        let records = records.into_iter().map(|(_, record)| record);
        Ok(EpochRecords {
            epoch_records: up_to_removal(records, request.participant_id)?,
        })
    }
}

fn up_to_removal(records: impl Iterator<Item = Vec<u8>>, who: ParticipantId) -> Answer<Vec<Blob>> {
    let mut shown = Vec::new();
    for record in records {
        let parsed = EpochRecord::parse(&record).map_err(|_| StoreError::Corrupt("epoch record"))?;
        shown.push(Blob(record));
        if parsed.epoch_type == EpochType::OwnerRekey && parsed.entry(&who).is_none() {
            break;
        }
    }
    Ok(shown)
}
