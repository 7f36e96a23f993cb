//! Knocking: what happens at the door before somebody new is in. The decision itself is pure ([`crate::door`]).

use wire::event::Capability;
use wire::ids::{ParticipantId, SessionId};

use super::join::Entry;
use super::write::SessionWrite;
use super::{Answer, Service, ServiceError};
use crate::door::{Applicant, Decision, Enter};
use crate::store::knocks::{self, KnockRow};
use crate::store::participants::ParticipantRow;

/// How long a knock stands after its last repeat.
const KNOCK_LIFE_MS: i64 = 600_000;

impl KnockRow {
    /// What was decided about one who shows this capability. Who was let in to read knocks anew to write.
    fn decision(&self, shows: Capability) -> Option<Decision> {
        let more = (self.capability, shows) == (Capability::View, Capability::Full);
        match (self.refused_at, self.admitted_at) {
            (Some(_), _) => Some(Decision::Refused),
            (None, Some(_)) if !more => Some(Decision::Admitted {
                until: self.lapses_at,
            }),
            (None, _) => None,
        }
    }
}

impl Service {
    /// The knock of an id that still counts: a refusal does for the epoch, all else until it lapses.
    pub(super) async fn knock_of(
        &self,
        write: &mut SessionWrite<'_>,
        session: SessionId,
        who: ParticipantId,
    ) -> Answer<Option<KnockRow>> {
        let knock = knocks::find(&mut write.on(), session, who).await?;
        let now = write.now;
        Ok(knock.filter(|knock| knock.refused_at.is_some() || now < knock.lapses_at))
    }

    /// Whether somebody comes in; a knock is stored.
    pub(super) async fn at_the_door(
        &self,
        write: &mut SessionWrite<'_>,
        entry: &Entry,
        known: Option<&ParticipantRow>,
        knock: Option<&KnockRow>,
    ) -> Answer<Enter> {
        let decision = knock.and_then(|knock| knock.decision(entry.capability));
        let applicant = known.map_or(Applicant::New(decision), |known| {
            let listed = known.removed_epoch.is_none();
            Applicant::known(listed, known.capability, entry.capability, decision)
        });
        let enter = write.row.door.enter(write.now, applicant);
        if enter == Enter::Knock {
            self.knock(write, entry, knock).await?;
        }
        Ok(enter)
    }

    async fn knock(
        &self,
        write: &mut SessionWrite<'_>,
        entry: &Entry,
        earlier: Option<&KnockRow>,
    ) -> Answer<()> {
        let now = write.now;
        knocks::drop_lapsed(&mut write.on(), entry.session, now).await?;
        if earlier.is_none() {
            let (waiting, _) = knocks::sum(&mut write.on(), entry.session, now).await?;
            if u64::from(waiting) >= self.shared.limits.knocks {
                return Err(ServiceError::QuotaExceeded { limit: "knocks" });
            }
        }
        let knock = KnockRow {
            participant_id: entry.participant.participant_id,
            kind: entry.participant.kind,
            capability: entry.capability,
            rejoin_verifier: entry.identity.verifier,
            sealed_profile: entry.participant.sealed_profile.0.clone(),
            epoch: entry.epoch,
            since: earlier.map_or(now, |earlier| earlier.since),
            lapses_at: now.plus_millis(KNOCK_LIFE_MS),
            admitted_at: None,
            refused_at: None,
        };
        knocks::save(&mut write.on(), entry.session, &knock).await?;
        write.recount_knocks().await
    }
}
