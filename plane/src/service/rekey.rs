//! `POST /v1/sessions/{id}/rekey`: the next epoch begins, and with its record all tokens end (`crypto.md` 10).

use wire::api::{Rekey, Rekeyed};
use wire::epoch_record::{EntryCapability, EpochRecord, EpochType};
use wire::event::Capability;
use wire::ids::SessionId;
use wire::transcript::sha256;

use super::acts::Act;
use super::end::keeper;
use super::shape::{Identity, bad_request};
use super::write::SessionWrite;
use super::{Answer, MachineCaller, Outcome, Service, ServiceError};
use crate::modes::Event;
use crate::store::{epochs, knocks, participants, tombstones};

const HOUR_MS: i64 = 3_600_000;

impl Service {
    /// `POST rekey`: by the owner user or an org admin; type 1 by the owner user with the owner participant's
    /// rejoin secret. The record in force again is answered as it was.
    ///
    /// # Errors
    /// In this order: `NotFound`, `Forbidden`; `BadRequest`; `BadProof`; `SessionEnded`; `EpochMoved`;
    /// `Forbidden`: another owner field than the one in force; `QuotaExceeded`.
    pub async fn rekey(
        &self,
        by: &MachineCaller,
        session: SessionId,
        request: Rekey,
    ) -> Answer<Outcome<Rekeyed>> {
        let record = EpochRecord::parse(request.epoch_record.as_slice());
        let Some(mut write) = SessionWrite::open(&self.shared, session).await? else {
            return self.rekey_gone(by, session).await;
        };
        keeper(by, write.row.org_id, write.row.owner_user)?;
        let record = record.map_err(|_| {
            bad_request("The epoch record is malformed. Make it as crypto.md section 10.1 says.")
        })?;
        if record.session_id != session || record.epoch_type == EpochType::Creation {
            return Err(bad_request(
                "A re-key takes an epoch record of type 1 or 2 for this session.",
            ));
        }
        if record.epoch_type == EpochType::OwnerRekey {
            let secret = request.rejoin_secret.as_ref().ok_or(bad_request(
                "An owner re-key takes the rejoin secret of the owner participant.",
            ))?;
            let identity = Identity {
                verifier: sha256(secret.expose()),
                proven: true,
            };
            owner_proof(&mut write, &identity).await?;
        }
        let bytes = request.epoch_record.0;
        let epoch = write.row.epoch;
        if let Some((seq, in_force)) = epochs::find(&mut write.on(), session, epoch).await?
            && in_force == bytes
        {
            return Ok(Outcome::Again(Rekeyed { epoch, seq }));
        }
        write.live()?;
        if record.epoch.checked_sub(1) != Some(epoch) {
            return Err(ServiceError::EpochMoved { epoch });
        }
        self.may_rekey(&mut write, by, &record).await?;
        self.begin_epoch(write, by, record, bytes).await.map(Outcome::New)
    }

    /// A purged session: over, for those who might have re-keyed it.
    async fn rekey_gone<T>(&self, by: &MachineCaller, session: SessionId) -> Answer<T> {
        let mut conn = self.shared.store.reader().await?;
        let stone = tombstones::find(&mut conn.on(), session)
            .await?
            .ok_or(ServiceError::NotFound)?;
        keeper(by, stone.org_id, stone.owner_user)?;
        Err(ServiceError::SessionEnded {
            at: stone.at,
            cause: stone.cause,
        })
    }

    /// The owner in force, and the limits.
    async fn may_rekey(
        &self,
        write: &mut SessionWrite<'_>,
        by: &MachineCaller,
        record: &EpochRecord,
    ) -> Answer<()> {
        let session = write.row.session_id;
        if record.epoch_type == EpochType::OwnerRekey {
            if write.row.owner.is_none() || record.owner != write.row.owner {
                return Err(ServiceError::Forbidden {
                    detail: "An owner re-key names the owner participant in force. After an administrator re-key \
                             there is none: make another administrator re-key.",
                });
            }
            if by.user_id != write.row.owner_user {
                return Err(ServiceError::Forbidden {
                    detail: "An owner re-key takes a machine token of the session's owner user.",
                });
            }
        }
        if u64::from(record.epoch) > self.shared.limits.epochs {
            return Err(ServiceError::QuotaExceeded { limit: "epochs" });
        }
        let since = write.now.plus_millis(-HOUR_MS);
        let made = epochs::rekeys_since(&mut write.on(), session, since).await?;
        if made >= self.shared.limits.rekeys_per_hour {
            return Err(ServiceError::QuotaExceeded {
                limit: "rekeys_per_hour",
            });
        }
        Ok(())
    }

    async fn begin_epoch(
        &self,
        mut write: SessionWrite<'_>,
        by: &MachineCaller,
        record: EpochRecord,
        bytes: Vec<u8>,
    ) -> Answer<Rekeyed> {
        let (session, epoch, now) = (write.row.session_id, record.epoch, write.now);
        write.row.epoch = epoch;
        write.row.owner = record.owner;
        write.row.full_verifier = record.commitments.full_verifier;
        write.row.view_verifier = record.commitments.view_verifier;
        let seq = write.epoch_record(record.owner, bytes.clone().into())?;
        write.step(&Event::Rekey)?;
        epochs::insert(&mut write.on(), session, epoch, seq, now, &bytes).await?;
        if record.epoch_type == EpochType::OwnerRekey {
            keep_the_listed(&mut write, &record).await?;
        }
        knocks::drop_all(&mut write.on(), session).await?;
        write.recount_knocks().await?;
        write
            .record_act(by, Act::Rekey, Some(format!("epoch {epoch}")))
            .await?;
        write.commit().await?;
        Ok(Rekeyed { epoch, seq })
    }
}

/// Who is listed stays, with what the record gives them: one kept with a view secret passes the door as a new one
/// with a full proof, wherever that came from. The others are as new.
async fn keep_the_listed(write: &mut SessionWrite<'_>, record: &EpochRecord) -> Answer<()> {
    let session = write.row.session_id;
    let mut everybody = participants::list(&mut write.on(), session).await?;
    everybody.sort_unstable_by_key(|row| row.participant_id);
    for row in everybody.into_iter().filter(|row| row.removed_epoch.is_none()) {
        let id = row.participant_id;
        let kept = record.entry(&id).map(|entry| match entry.capability {
            EntryCapability::Full => Capability::Full,
            EntryCapability::View => Capability::View,
        });
        match kept {
            None => participants::removed(&mut write.on(), session, id, record.epoch).await?,
            Some(capability) if capability != row.capability => {
                participants::kept(&mut write.on(), session, id, capability).await?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Holds the rejoin secret against the owner participant's; where there is no owner, nothing is held against it.
async fn owner_proof(write: &mut SessionWrite<'_>, identity: &Identity) -> Answer<()> {
    let (session, owner) = (write.row.session_id, write.row.owner);
    let Some(owner) = owner else {
        return Ok(());
    };
    let known = participants::find(&mut write.on(), session, owner).await?;
    if known.is_some_and(|known| identity.is(&known.rejoin_verifier)) {
        Ok(())
    } else {
        Err(ServiceError::BadProof)
    }
}
