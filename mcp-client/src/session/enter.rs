//! Coming in: creating a session, joining with a link, repeating either when its answer was lost
//! (`crypto.md` sections 5, 6.1 and 6.2).

use std::collections::BTreeMap;

use seal::identity::Identity;
use seal::json::Object;
use seal::link::Link;
use seal::random::{self, Nonce};
use seal::rekey;
use seal::secret::{FullSecret, LinkKind};
use wire::api::{Create, Join, JoiningParticipant, SealedTitle};
use wire::encoding::{Blob, Bytes32, Secret32};
use wire::event::{Capability, Kind};
use wire::ids::SessionId;
use wire::problem::Code;

use super::error::SessionError;
use super::keep::{LOCK, capability_of};
use super::{Clock, Meter, Session};
use crate::home::SecretText;
use crate::plane::{Deadline, Entry, Http, MachineToken, Origin, PlaneError, Unsettled};
use crate::seat::{
    AtTheDoor, EpochSecret, IdentitySecrets, LastUsed, PendingEntry, SeatLock, SeatState, Seats,
    SessionToken, ShareMark,
};

/// Who comes in.
#[derive(Debug, Clone)]
pub struct Newcomer {
    /// An agent or a person; fixed from here on.
    pub kind: Kind,
    /// The name it goes by.
    pub name: String,
    /// Its host program, for its profile.
    pub host: Option<String>,
    /// Where it is used.
    pub last_used: LastUsed,
    /// Whether this process is that participant from now on: its seat is leased before another process can see it.
    pub leased: bool,
}

/// What every way in needs.
#[derive(Debug, Clone)]
pub struct Entering<'a> {
    /// Connections.
    pub http: &'a Http,
    /// The seats of this machine.
    pub seats: &'a Seats,
    /// Time.
    pub clock: &'a Clock,
    /// Who is told how far it is.
    pub meter: &'a Meter,
    /// Until when.
    pub until: Deadline,
}

impl Session {
    /// Creates a session. The seat is on disk before the first byte is sent; after a lost answer the same request is
    /// sent again, here or by [`Session::finish_entering`].
    ///
    /// # Errors
    /// The plane refuses or nothing reached it (the seat is then removed), or the answer was lost (it stays, to be
    /// finished later).
    pub async fn create(
        entering: &Entering<'_>,
        plane: Origin,
        machine: &MachineToken,
        title: &str,
        newcomer: Newcomer,
        share: ShareMark,
    ) -> Result<Self, SessionError> {
        let session = random::session_id()?;
        let me = Identity::random(session)?;
        let first = rekey::create(&session, FullSecret::random()?, me.participant_id());
        let profile = seal::profile::seal(
            &first.keys,
            &me,
            &newcomer.name,
            profile_members(newcomer.host.as_deref()),
            Nonce::random()?,
        )?;
        let title = SealedTitle {
            participant_id: *me.participant_id(),
            epoch: 1,
            sealed: Blob(seal::record::title::seal(
                &first.keys,
                &me,
                title,
                Nonce::random()?,
            )?),
        };
        let create = Create {
            session_id: session,
            epoch_record: Blob(first.record.clone()),
            title: title.clone(),
            label: None,
            participant: JoiningParticipant {
                participant_id: *me.participant_id(),
                kind: newcomer.kind,
                rejoin_verifier: Some(Bytes32(me.rejoin_verifier())),
                rejoin_secret: None,
                sealed_profile: Blob(profile.clone()),
            },
        };
        let secret = first.keys.link_secret(LinkKind::Full);
        let secret = secret.ok_or(SessionError::Impossible("an epoch of one's own without a secret"))?;
        let leased = newcomer.leased;
        let mut state = new_seat(plane, &me, Capability::Full, newcomer);
        state.secrets.insert(1, EpochSecret::from(&secret));
        state.epoch_records.insert(1, Blob(first.record));
        state.profiles.insert(1, Blob(profile));
        state.owner = Some(*me.participant_id());
        state.share = Some(share);
        state.pending.entry = Some(PendingEntry::Create(Box::new(create)));
        Self::enter(entering, &state, Some(machine), leased).await
    }

    /// Joins with a link, as a new participant.
    ///
    /// # Errors
    /// `verifier_mismatch` before anything of the answer is used; the plane refuses (the seat is then removed);
    /// [`SessionError::Knocking`] or no answer (it stays, to be finished by the next call).
    pub async fn join(
        entering: &Entering<'_>,
        plane: Origin,
        link: &Link,
        newcomer: Newcomer,
    ) -> Result<Self, SessionError> {
        let me = Identity::random(link.session_id)?;
        let profile = profile_for(link, &me, &newcomer.name, newcomer.host.as_deref())?;
        let leased = newcomer.leased;
        let mut state = new_seat(plane, &me, capability_of(link.secret.kind()), newcomer);
        state.secrets.insert(link.epoch, EpochSecret::from(&link.secret));
        state.profiles.insert(link.epoch, Blob(profile));
        state.pending.entry = Some(PendingEntry::Join { epoch: link.epoch });
        Self::enter(entering, &state, None, leased).await
    }

    /// Stores the new seat, sends the request it holds, and removes the seat again if the plane said no.
    async fn enter(
        entering: &Entering<'_>,
        state: &SeatState,
        machine: Option<&MachineToken>,
        leased: bool,
    ) -> Result<Self, SessionError> {
        let (seat, lease) = match leased {
            true => entering.seats.create_leased(state)?,
            false => (entering.seats.create(state)?, None),
        };
        let mut session = Self::open(
            entering.http,
            seat.clone(),
            entering.clock.clone(),
            entering.meter.clone(),
        )?;
        session.lease = lease;
        match session.request_entry(machine, false, entering.until).await {
            Ok(()) => Ok(session),
            Err(error) => {
                let open = match &error {
                    // Where nothing listens on this machine, the link is of another one.
                    SessionError::Plane(error) => {
                        error.is_effect_open() || (error.is_passing() && !error.is_refused_here())
                    }
                    SessionError::Knocking { .. } => true,
                    _ => false,
                };
                if !open {
                    seat.remove()?;
                }
                Err(error)
            }
        }
    }

    /// Sends a create, join or return that was never answered once more. Nothing happens if there is none.
    ///
    /// # Errors
    /// As [`Session::create`] and [`Session::join`]; [`SessionError::TurnedAway`] where it knocked before. A seat whose link
    /// opens nothing any more, and which never got in, is removed.
    pub async fn finish_entering(
        &mut self,
        machine: Option<&MachineToken>,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let result = self.request_entry(machine, true, until).await;
        if let Err(SessionError::Plane(error)) = &result
            && error.code().is_some_and(ends_a_first_join)
            && matches!(self.seat.read()?.pending.entry, Some(PendingEntry::Join { .. }))
        {
            self.seat.clone().remove()?;
        }
        result
    }

    /// Lets a join that was not answered yet go on with this link, where it is a later or another one: the same participant
    /// then asks with it. Nothing happens to a seat that is in, or by a link older than the one it knocks with.
    ///
    /// # Errors
    /// The seat's file can't be written; no randomness.
    pub async fn aim_at(&mut self, link: &Link) -> Result<(), SessionError> {
        let mut lock = self.seat.clone().lock(LOCK).await?;
        let Some(PendingEntry::Join { epoch }) = lock.pending.entry else {
            return Ok(());
        };
        let secret = EpochSecret::from(&link.secret);
        if link.epoch < epoch || lock.secrets.get(&link.epoch) == Some(&secret) {
            return Ok(());
        }
        let profile = profile_for(link, &self.me, &lock.name, lock.host.as_deref())?;
        lock.secrets = BTreeMap::from([(link.epoch, secret)]);
        lock.profiles = BTreeMap::from([(link.epoch, Blob(profile))]);
        lock.capability = capability_of(link.secret.kind());
        lock.at_the_door = None;
        lock.pending.entry = Some(PendingEntry::Join { epoch: link.epoch });
        lock.save()?;
        Ok(())
    }

    async fn request_entry(
        &mut self,
        machine: Option<&MachineToken>,
        repeated: bool,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let mut lock = self.seat.clone().lock(LOCK).await?;
        match lock.pending.entry.clone() {
            None => return Ok(()),
            Some(PendingEntry::Create(create)) => {
                let machine = machine.ok_or(SessionError::Impossible("a create without a machine token"))?;
                let created = match self.plane.create(machine, &create, until).await {
                    Ok(created) => created,
                    Err(Unsettled { error, is_open }) => {
                        drop(lock);
                        // Nothing reached the plane, so a seat that stayed would be of a session that never was.
                        if !is_open && !repeated && error.is_passing() {
                            self.seat.clone().remove()?;
                        }
                        return Err(error.into());
                    }
                };
                lock.token = Some(SessionToken {
                    text: SecretText::new(created.session_token.0),
                    epoch: 1,
                });
                lock.pending.entry = None;
                lock.expires_at = Some(created.state.expires_at);
                self.hear_state(created.state);
                self.title = Some(create.title);
                lock.save()?;
            }
            Some(PendingEntry::Join { epoch }) => self.first_join(&mut lock, epoch, repeated, until).await?,
            Some(PendingEntry::Return { .. }) => self.come_back(&mut lock, until).await?,
        }
        drop(lock);
        // The owner's keys before anything else, so that a later re-key can be told from a forged one.
        self.learn_participants(1, until).await?;
        self.sync(until).await
    }

    /// The first request carries the verifier, each repeat the rejoin secret.
    async fn first_join(
        &mut self,
        lock: &mut SeatLock,
        epoch: u32,
        repeated: bool,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let secret = lock
            .secrets
            .get(&epoch)
            .ok_or(SessionError::Impossible("no secret to enter with"))?;
        let proof = seal::keys::proof(self.id(), epoch, &secret.to_link_secret());
        let join = |verifier: Option<Bytes32>, rejoin_secret: Option<Secret32>| Join {
            proof: proof.clone(),
            epoch,
            participant: JoiningParticipant {
                participant_id: lock.participant,
                kind: lock.kind,
                rejoin_verifier: verifier,
                rejoin_secret,
                sealed_profile: lock.profiles.get(&epoch).cloned().unwrap_or_default(),
            },
        };
        let first = join(Some(Bytes32(self.me.rejoin_verifier())), None);
        let repeat = join(None, Some(self.me.rejoin_secret()));
        let id = *self.id();
        let answer = if repeated {
            self.plane.join(&id, &repeat, until).await
        } else {
            match self.plane.join(&id, &first, until).await {
                Err(error)
                    if (error.is_effect_open() || error.is_passing())
                        && !matches!(error, PlaneError::TimedOut { .. })
                        && !error.is_refused_here() =>
                {
                    self.plane.join(&id, &repeat, until).await
                }
                answer => answer,
            }
        };
        match answer {
            Ok(Entry::Joined(joined)) => self.admitted(lock, *joined, epoch),
            Ok(Entry::Knocking(knocking)) => {
                if !matches!(lock.at_the_door, Some(AtTheDoor::Knocking(_))) {
                    lock.at_the_door = Some(AtTheDoor::Knocking(self.clock.now()));
                    lock.save()?;
                }
                Err(SessionError::Knocking {
                    me: lock.participant,
                    retry_after_s: knocking.retry_after_s,
                })
            }
            Err(error) if error.code() == Some(Code::DoorClosed) && lock.at_the_door.is_some() => {
                lock.at_the_door = Some(AtTheDoor::TurnedAway(self.clock.now()));
                lock.save()?;
                Err(SessionError::TurnedAway)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether a link opens nothing any more: a seat that never got in by it is then of no use. A door may open again.
fn ends_a_first_join(code: Code) -> bool {
    matches!(
        code,
        Code::BadProof | Code::SessionEnded | Code::Rekeyed | Code::Forbidden
    )
}

/// A seat that has sent nothing yet.
fn new_seat(plane: Origin, me: &Identity, capability: Capability, newcomer: Newcomer) -> SeatState {
    let (agreement, signing) = me.expose();
    let identity = IdentitySecrets {
        sk: Secret32::new(*agreement),
        seed: Secret32::new(*signing),
    };
    let session: SessionId = *me.session_id();
    let mut state = SeatState::new(
        plane,
        session,
        *me.participant_id(),
        newcomer.kind,
        capability,
        identity,
        newcomer.last_used,
    );
    state.name = newcomer.name;
    state.host = newcomer.host;
    state
}

/// What a profile says beside name and keys: claims, like the name.
pub(super) fn profile_members(host: Option<&str>) -> Object {
    let mut members = Object::new();
    if let Some(host) = host {
        members.insert("host".to_owned(), host.into());
    }
    members
}

/// The profile goes out with the join request, before the epoch's record is known.
pub(super) fn profile_for(
    link: &Link,
    me: &Identity,
    name: &str,
    host: Option<&str>,
) -> Result<Vec<u8>, SessionError> {
    let more = profile_members(host);
    let nonce = Nonce::random()?;
    Ok(seal::profile::seal_for_entry(
        link.epoch,
        &link.secret,
        me,
        name,
        more,
        nonce,
    )?)
}
