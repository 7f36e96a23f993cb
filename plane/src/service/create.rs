//! `POST /v1/sessions`: a session begins with its epoch record and its creator's `joined`.

use wire::api::{Create, Created, TokenText};
use wire::epoch_record::{EpochRecord, EpochType};
use wire::event::{Capability, MemberEvent};
use wire::ids::ParticipantId;
use wire::token::TokenKind;
use wire::transcript::{self, RecordClass, sha256};

use super::random::random;
use super::shape::{self, bad_request};
use super::state::{Viewer, state};
use super::write::{next_record, text};
use super::{Answer, MachineCaller, Outcome, Scope, Service, ServiceError};
use crate::door::DoorPolicy;
use crate::modes::ModeState;
use crate::store::participants::NewParticipant;
use crate::store::session::SessionRow;
use crate::store::tokens::NewToken;
use crate::store::{Tx, epochs, orgs, participants, profiles, records, session, titles, tokens, tombstones};

/// A create whose parts fit together.
struct Checked {
    request: Create,
    record: EpochRecord,
    creator: ParticipantId,
    verifier: [u8; 32],
}

impl Service {
    /// `POST /v1/sessions`. The same request again is answered with a further token.
    ///
    /// # Errors
    /// `Forbidden`: no scope `share`; `BadRequest`, `TooLarge`: the parts don't fit together; `SessionExists`;
    /// `EpochMoved`, `SessionEnded`: it was created by this request, and has moved on; `QuotaExceeded`.
    pub async fn create(&self, by: &MachineCaller, request: Create) -> Answer<Outcome<Created>> {
        if !by.may(Scope::Share) {
            return Err(ServiceError::Forbidden {
                detail: "Creating a session takes a machine token with scope share.",
            });
        }
        let checked = check(request)?;
        let mut tx = self.shared.store.begin_write().await?;
        let row = self.new_row(&mut tx, by, &checked).await?;
        if session::insert(&mut tx.on(), &row).await? {
            // After the insert, which waits for a purge of the same id that is under way.
            if tombstones::find(&mut tx.on(), row.session_id).await?.is_some() {
                return Err(ServiceError::SessionExists);
            }
            self.begin(tx, row, checked).await.map(Outcome::New)
        } else {
            self.create_again(tx, by, checked).await.map(Outcome::Again)
        }
    }

    async fn new_row(&self, tx: &mut Tx, by: &MachineCaller, checked: &Checked) -> Answer<SessionRow> {
        let policy = orgs::policy(&mut tx.on(), by.org_id).await?;
        if let Some(most) = policy.max_sessions
            && session::org_is_full(&mut tx.on(), by.org_id, most.into()).await?
        {
            let known = session::load(&mut tx.on(), checked.request.session_id).await?;
            if known.is_none() {
                return Err(ServiceError::QuotaExceeded {
                    limit: "max_sessions",
                });
            }
        }
        let now = self.shared.now();
        let expires_at = now.plus_millis(self.shared.session_life_ms());
        Ok(SessionRow {
            session_id: checked.request.session_id,
            org_id: by.org_id,
            owner_user: by.user_id,
            owner: Some(checked.creator),
            label: checked.request.label.clone(),
            epoch: 1,
            full_verifier: checked.record.commitments.full_verifier,
            view_verifier: checked.record.commitments.view_verifier,
            // One made anew under the id of a purged one has no version of that.
            version: now.millis(),
            head_seq: 0,
            min_seq: 1,
            carried_hash: transcript::start(&checked.request.session_id),
            bytes: 0,
            mode: ModeState::default(),
            door: policy
                .default_door
                .map_or_else(DoorPolicy::default, |state| DoorPolicy {
                    state,
                    ..DoorPolicy::default()
                }),
            knocking: 0,
            knocks_due: None,
            created_at: now,
            expires_at,
            ended: None,
            look_at: expires_at,
        })
    }

    /// The row is inserted; now come the two records and all that belongs to the creator.
    async fn begin(&self, mut tx: Tx, mut row: SessionRow, checked: Checked) -> Answer<Created> {
        let now = row.created_at;
        let bytes = checked.request.epoch_record.0.into();
        let profile = checked.request.participant.sealed_profile;
        let first = next_record(&mut row, now, RecordClass::Epoch, Some(checked.creator), bytes)?;
        let joined = MemberEvent::Joined {
            participant_id: checked.creator,
            kind: checked.request.participant.kind,
            capability: Capability::Full,
            sealed_profile: profile.clone(),
        };
        let body = text(&joined)?;
        let second = next_record(&mut row, now, RecordClass::Member, Some(checked.creator), body)?;
        let new = NewParticipant {
            participant_id: checked.creator,
            kind: checked.request.participant.kind,
            capability: Capability::Full,
            rejoin_verifier: checked.verifier,
            seq: second.seq,
            epoch: 1,
            at: now,
        };
        let id = row.session_id;
        let mut on = tx.on();
        session::save(&mut on, &row).await?;
        epochs::insert(&mut on, id, 1, first.seq, now, &first.body).await?;
        participants::insert(&mut on, id, &new).await?;
        profiles::save(&mut on, id, checked.creator, 1, now, profile.as_slice()).await?;
        titles::save(&mut on, id, &checked.request.title).await?;
        records::insert(&mut on, id, &[first, second]).await?;
        self.created(tx, row, checked.creator).await
    }

    /// The id is taken: by this very request, or by something else.
    async fn create_again(&self, mut tx: Tx, by: &MachineCaller, checked: Checked) -> Answer<Created> {
        let id = checked.request.session_id;
        let time = self.shared.store_time();
        let known = session::load(&mut tx.on(), id).await?;
        // Nobody holds up somebody else's session.
        if known.is_none_or(|known| known.owner_user != by.user_id) {
            return Err(ServiceError::SessionExists);
        }
        // Locked, so that nobody leaves, is re-keyed or is purged between this look and the new token.
        let (row, _) = session::lock(&mut tx.on(), id, time)
            .await?
            .ok_or(ServiceError::SessionExists)?;
        let first = epochs::find(&mut tx.on(), id, 1).await?;
        let creator = participants::find(&mut tx.on(), id, checked.creator).await?;
        let same = row.owner_user == by.user_id
            && first.is_some_and(|(_, record)| record == checked.request.epoch_record.0)
            && creator.is_some_and(|creator| creator.left_at.is_none());
        if !same {
            return Err(ServiceError::SessionExists);
        }
        if row.epoch != 1 {
            return Err(ServiceError::EpochMoved { epoch: row.epoch });
        }
        if let Some(ended) = row.ended {
            return Err(ServiceError::SessionEnded {
                at: ended.at,
                cause: ended.cause,
            });
        }
        self.created(tx, row, checked.creator).await
    }

    async fn created(&self, mut tx: Tx, row: SessionRow, creator: ParticipantId) -> Answer<Created> {
        let token = random()?;
        let new = NewToken {
            hash: sha256(&token),
            participant_id: creator,
            capability: Capability::Full,
            epoch: 1,
            expires_at: self.shared.now().plus_millis(self.shared.token_life_ms()),
        };
        tokens::insert(&mut tx.on(), row.session_id, &new).await?;
        tx.commit().await?;
        let viewer = Viewer::participant(creator, Capability::Full);
        Ok(Created {
            session_token: TokenText(TokenKind::Session.format(&token)),
            state: state(&row, viewer, self.shared.now()),
        })
    }
}

/// What a create must be, without a look at the store (`crypto.md` section 10.1).
fn check(request: Create) -> Answer<Checked> {
    let identity = shape::joining(&request.participant)?;
    shape::title(&request.title)?;
    shape::label(request.label.as_deref())?;
    if identity.proven {
        return Err(bad_request(
            "Creating a session takes the rejoin verifier, not the rejoin secret.",
        ));
    }
    let record = EpochRecord::parse(request.epoch_record.as_slice())
        .map_err(|_| bad_request("The epoch record is malformed. Make it as crypto.md section 10.1 says."))?;
    let creator = request.participant.participant_id;
    let fits = record.epoch_type == EpochType::Creation
        && record.session_id == request.session_id
        && record.owner == Some(creator)
        && request.title.participant_id == creator
        && request.title.epoch == 1;
    if !fits {
        return Err(bad_request(
            "Session id, epoch record, participant and title don't belong together. The record must be of type 0 \
             for this session, owned by this participant, and the title by it in epoch 1.",
        ));
    }
    Ok(Checked {
        creator,
        record,
        verifier: identity.verifier,
        request,
    })
}
