//! Knocking: what happens at the door before somebody new is in. The decision itself is pure ([`crate::door`]).

use wire::event::{Capability, Kind};
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
    /// What was decided about one who comes in this way. An admission holds for what its keeper could see: who comes with
    /// more, as another kind or under another profile knocks anew. A refusal holds for the id.
    fn decision(&self, entry: &Entry) -> Option<Decision> {
        match (self.refused_at, self.admitted_at) {
            (Some(_), _) => Some(Decision::Refused),
            (None, Some(_)) if self.shows(entry) => Some(Decision::Admitted {
                until: self.lapses_at,
            }),
            (None, _) => None,
        }
    }

    /// Whether the keeper of the door saw this entry when they saw this knock.
    fn shows(&self, entry: &Entry) -> bool {
        self.kind == entry.participant.kind
            && self.sealed_profile == entry.participant.sealed_profile.as_slice()
            && (self.capability, entry.capability) != (Capability::View, Capability::Full)
    }

    /// Nobody has answered it yet.
    fn is_waiting(&self) -> bool {
        self.admitted_at.is_none() && self.refused_at.is_none()
    }
}

/// With what a repeated knock stands. While its keeper may be reading the question, a knock never comes to ask for more,
/// nor for another kind: whoever wants that is asked about again once this one is answered.
fn stands(entry: &Entry, earlier: Option<&KnockRow>) -> (Kind, Capability) {
    let shown = (entry.participant.kind, entry.capability);
    match earlier.filter(|earlier| earlier.is_waiting()) {
        None => shown,
        Some(earlier) if earlier.capability == Capability::View => (earlier.kind, Capability::View),
        Some(earlier) => (earlier.kind, entry.capability),
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
        let decision = knock.and_then(|knock| knock.decision(entry));
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
        let (kind, capability) = stands(entry, earlier);
        let knock = KnockRow {
            participant_id: entry.participant.participant_id,
            kind,
            capability,
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
