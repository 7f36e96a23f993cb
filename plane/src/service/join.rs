//! `POST /v1/sessions/{id}/participants`: joining and returning (`crypto.md` section 6.1), once the proof is right.

use std::net::IpAddr;

use wire::api::{Join, Joined, JoiningParticipant, Knocking, TokenText};
use wire::encoding::Blob;
use wire::event::{Capability, MemberEvent};
use wire::ids::{ParticipantId, SessionId};
use wire::token::TokenKind;
use wire::transcript::sha256;

use super::random::random;
use super::shape::{self, Identity};
use super::state::Viewer;
use super::write::SessionWrite;
use super::{Answer, JoinOutcome, Service, ServiceError};
use crate::door::Enter;
use crate::rate::{Allowance, Counted};
use crate::store::participants::{NewParticipant, ParticipantRow};
use crate::store::tokens::NewToken;
use crate::store::{epochs, knocks, orgs, participants, profiles, titles, tokens, tombstones};

/// When somebody at the door asks again, in seconds.
const KNOCK_AGAIN_S: u64 = 3;
/// Who was not seen for so long takes no place.
const AWAY_MS: i64 = 86_400_000;

/// A request whose proof is right.
pub(super) struct Entry {
    pub(super) session: SessionId,
    pub(super) epoch: u32,
    pub(super) capability: Capability,
    pub(super) identity: Identity,
    pub(super) participant: JoiningParticipant,
}

impl Service {
    /// `POST participants`: joins or returns; the address counts against the join rate.
    ///
    /// # Errors
    /// In this order: `BadRequest`, `TooLarge`; `RateLimited`; `BadProof`; `RateLimited` of the session;
    /// `ProofRekeyed`; `SessionEnded`; `ParticipantExists`; `DoorClosed`; `Forbidden`: no view links by policy;
    /// `QuotaExceeded`; `RateLimited` of view participants.
    pub async fn join(&self, session: SessionId, from: IpAddr, request: Join) -> Answer<JoinOutcome> {
        let identity = shape::joining(&request.participant)?;
        self.count_join(session, from, identity.proven)?;
        let capability = self.prove(session, &request).await?;
        let allowance = Allowance::a_minute(self.shared.limits.joins_per_minute_session);
        self.count(Counted::Joins(session), allowance, "joins_per_minute_session")?;
        let entry = Entry {
            session,
            epoch: request.epoch,
            capability,
            identity,
            participant: request.participant,
        };
        match SessionWrite::open(&self.shared, session).await? {
            Some(write) => self.enter(write, entry).await,
            None => self.gone(session).await,
        }
    }

    /// The proof was right, and the session is purged.
    async fn gone(&self, session: SessionId) -> Answer<JoinOutcome> {
        let mut conn = self.shared.store.reader().await?;
        let stone = tombstones::find(&mut conn.on(), session)
            .await?
            .ok_or(ServiceError::BadProof)?;
        Err(ServiceError::SessionEnded {
            at: stone.at,
            cause: stone.cause,
        })
    }

    /// All that comes after the proof, under the session's lock.
    async fn enter(&self, mut write: SessionWrite<'_>, mut entry: Entry) -> Answer<JoinOutcome> {
        if write.row.epoch != entry.epoch {
            return Err(ServiceError::ProofRekeyed {
                epoch: write.row.epoch,
            });
        }
        write.live()?;
        let id = entry.participant.participant_id;
        let known = participants::find(&mut write.on(), entry.session, id).await?;
        let knock = self.knock_of(&mut write, entry.session, id).await?;
        let same = match (&known, &knock) {
            (Some(known), _) => entry.identity.proven && entry.identity.is(&known.rejoin_verifier),
            (None, Some(knock)) => entry.identity.is(&knock.rejoin_verifier),
            (None, None) => true,
        };
        if !same {
            return Err(ServiceError::ParticipantExists);
        }
        // Fixed at the first join, also in what the door's keeper is shown.
        if let Some(known) = &known {
            entry.participant.kind = known.kind;
        }
        let enter = self
            .at_the_door(&mut write, &entry, known.as_ref(), knock.as_ref())
            .await?;
        let newcomer = match enter {
            Enter::Return => false,
            Enter::Pass => true,
            Enter::Closed => return Err(ServiceError::DoorClosed),
            Enter::Knock => {
                write.commit().await?;
                return Ok(JoinOutcome::Knocking(Knocking {
                    knocking: true,
                    retry_after_s: KNOCK_AGAIN_S,
                }));
            }
        };
        self.check_room(&mut write, &entry, known.as_ref()).await?;
        self.admit(write, entry, known, newcomer).await
    }

    /// Policy and quotas.
    async fn check_room(
        &self,
        write: &mut SessionWrite<'_>,
        entry: &Entry,
        known: Option<&ParticipantRow>,
    ) -> Answer<()> {
        let org = write.row.org_id;
        if entry.capability == Capability::View
            && orgs::policy(&mut write.on(), org).await?.view_links_refused
        {
            return Err(ServiceError::Forbidden {
                detail: "The organisation of this session allows no view links. Ask for the full link.",
            });
        }
        let away = write.now.plus_millis(-AWAY_MS);
        let takes_a_place = known.is_none_or(|known| {
            known.left_at.is_some() || known.removed_epoch.is_some() || known.last_seen_at <= away
        });
        if takes_a_place {
            let inside = participants::count_in(&mut write.on(), entry.session, away).await?;
            if inside >= self.shared.limits.participants_in {
                return Err(ServiceError::QuotaExceeded {
                    limit: "participants_in",
                });
            }
        }
        if known.is_none() {
            let id = entry.participant.participant_id;
            let new = participants::count_new(&mut write.on(), entry.session, entry.epoch, id).await?;
            if new >= self.shared.limits.new_ids_per_epoch {
                return Err(ServiceError::QuotaExceeded {
                    limit: "new_ids_per_epoch",
                });
            }
        }
        Ok(())
    }

    /// In: `joined` unless nothing new would be said, and a token in place of the earlier ones.
    async fn admit(
        &self,
        mut write: SessionWrite<'_>,
        entry: Entry,
        known: Option<ParticipantRow>,
        newcomer: bool,
    ) -> Answer<JoinOutcome> {
        let (session, epoch, capability) = (entry.session, entry.epoch, entry.capability);
        let id = entry.participant.participant_id;
        let kind = entry.participant.kind;
        let profile = entry.participant.sealed_profile;
        let stored = profiles::find(&mut write.on(), session, id, epoch).await?;
        let is_in = known.as_ref().is_some_and(|known| known.left_at.is_none());
        let says_nothing_new = is_in && stored.as_deref() == Some(profile.as_slice());
        let now = write.now;
        let mut seq = write.row.head_seq;
        if !says_nothing_new {
            self.count_view_record(session, capability, &write)?;
            let joined = MemberEvent::Joined {
                participant_id: id,
                kind,
                capability,
                sealed_profile: profile.clone(),
            };
            seq = write.member(id, &joined)?;
        }
        if known.is_some() {
            participants::returned(&mut write.on(), session, id, capability, now).await?;
        } else {
            let new = NewParticipant {
                participant_id: id,
                kind,
                capability,
                rejoin_verifier: entry.identity.verifier,
                seq,
                epoch,
                at: now,
            };
            participants::insert(&mut write.on(), session, &new).await?;
        }
        if newcomer {
            write.row.door.spend();
            knocks::drop_one(&mut write.on(), session, id).await?;
            write.recount_knocks().await?;
        }
        profiles::save(&mut write.on(), session, id, epoch, now, profile.as_slice()).await?;
        let token = self.give_token(&mut write, id, capability).await?;
        let epoch_records = epochs::after(&mut write.on(), session, 0).await?;
        let title = titles::find(&mut write.on(), session).await?;
        let row = write.commit().await?;
        Ok(JoinOutcome::Joined(Box::new(Joined {
            session_token: token,
            capability,
            state: self.shared.state_for(&row, Viewer::participant(id, capability)),
            epoch_records: epoch_records
                .into_iter()
                .map(|(_, record)| Blob(record))
                .collect(),
            title,
        })))
    }

    /// A new token; the participant's earlier ones end.
    async fn give_token(
        &self,
        write: &mut SessionWrite<'_>,
        who: ParticipantId,
        capability: Capability,
    ) -> Answer<TokenText> {
        let token = random()?;
        let (session, epoch, now) = (write.row.session_id, write.row.epoch, write.now);
        let new = NewToken {
            hash: sha256(&token),
            participant_id: who,
            capability,
            epoch,
            expires_at: now.plus_millis(self.shared.token_life_ms()),
        };
        tokens::end(&mut write.on(), session, who).await?;
        tokens::end_expired(&mut write.on(), session, now).await?;
        tokens::insert(&mut write.on(), session, &new).await?;
        Ok(TokenText(TokenKind::Session.format(&token)))
    }

    /// View participants of a session together cause so many records an hour.
    fn count_view_record(
        &self,
        session: SessionId,
        capability: Capability,
        write: &SessionWrite<'_>,
    ) -> Answer<()> {
        if capability == Capability::Full {
            return Ok(());
        }
        let allowance = Allowance::an_hour(self.shared.limits.view_records_per_hour);
        self.shared
            .rates
            .take(Counted::ViewRecords(session), 1, allowance, write.now)
            .map_err(|retry_after_s| ServiceError::RateLimited {
                limit: "view_records_per_hour",
                retry_after_s,
            })
    }
}
