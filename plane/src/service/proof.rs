//! The proof of a link, before anything else of a join (`crypto.md` section 6.1).
//!
//! Whoever has none learns nothing: an unknown session or epoch takes the same look-ups and comparisons, and gives
//! the same answer, as a wrong proof.

use std::net::IpAddr;

use subtle::{Choice, ConstantTimeEq as _};
use wire::api::Join;
use wire::epoch_record::EpochRecord;
use wire::event::Capability;
use wire::ids::SessionId;
use wire::transcript::sha256;

use super::{Answer, Service, ServiceError};
use crate::rate::{Allowance, Counted};
use crate::store::{StoreError, epochs, tombstones};

/// The verifiers that a proof is held against.
#[derive(Debug, Clone, Copy)]
struct Verifiers {
    full: [u8; 32],
    view: [u8; 32],
    /// Whether they are anybody's; a dummy's fit nothing.
    real: bool,
}

impl Verifiers {
    const DUMMY: Self = Self {
        full: [0; 32],
        view: [0; 32],
        real: false,
    };

    /// The capability of a proof, compared in constant time and always against both.
    fn capability(&self, proof: &[u8; 32]) -> Option<Capability> {
        let real = Choice::from(u8::from(self.real));
        let full = proof.ct_eq(&self.full) & real;
        let view = proof.ct_eq(&self.view) & real;
        if bool::from(full) {
            Some(Capability::Full)
        } else if bool::from(view) {
            Some(Capability::View)
        } else {
            None
        }
    }
}

impl Service {
    /// Counts a join request before its proof is looked at, for known and unknown ids alike.
    pub(super) fn count_join(&self, session: SessionId, from: IpAddr, returning: bool) -> Answer<()> {
        let (most, limit) = if returning {
            (
                self.shared.limits.rejoins_per_minute_address,
                "rejoins_per_minute_address",
            )
        } else {
            (
                self.shared.limits.joins_per_minute_address,
                "joins_per_minute_address",
            )
        };
        let what = Counted::joins_from(from, session, returning);
        self.count(what, Allowance::a_minute(most), limit)
    }

    pub(super) fn count(&self, what: Counted, allowance: Allowance, limit: &'static str) -> Answer<()> {
        self.shared
            .rates
            .take(what, 1, allowance, self.shared.now())
            .map_err(|retry_after_s| ServiceError::RateLimited { limit, retry_after_s })
    }

    /// Holds the proof against the verifiers of the epoch named, or of the tombstone, or of nobody.
    pub(super) async fn prove(&self, session: SessionId, request: &Join) -> Answer<Capability> {
        let mut tx = self.shared.store.begin_read().await?;
        let record = epochs::find(&mut tx.on(), session, request.epoch).await?;
        let stone = tombstones::find(&mut tx.on(), session).await?;
        drop(tx);
        let verifiers = match (record, stone) {
            (Some((_, record)), _) => {
                let record = EpochRecord::parse(&record).map_err(|_| StoreError::Corrupt("epoch record"))?;
                Verifiers {
                    full: record.commitments.full_verifier,
                    view: record.commitments.view_verifier,
                    real: true,
                }
            }
            (None, Some(stone)) => Verifiers {
                full: stone.full_verifier,
                view: stone.view_verifier,
                real: stone.epoch == request.epoch,
            },
            (None, None) => Verifiers::DUMMY,
        };
        verifiers
            .capability(&sha256(request.proof.expose()))
            .ok_or(ServiceError::BadProof)
    }
}
