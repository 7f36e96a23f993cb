//! The door, as the owner's seat keeps it, and how many it has been told of.

use seal::profile::{self, Profile};
use wire::api::{Decide, Door, DoorState, Knock, SetDoor};
use wire::ids::ParticipantId;

use super::Session;
use super::error::SessionError;
use super::keep::LOCK;
use crate::plane::{Deadline, Keeper};

impl Session {
    /// Whether this seat is the owner participant in force.
    pub fn is_owner(&self) -> bool {
        self.owner() == Some(self.my_id())
    }

    /// How many wait at a door that asks for this seat to answer, by the plane's newest word; none for who does not keep it.
    pub fn knocking_for_me(&self) -> u32 {
        if !self.is_owner() {
            return 0;
        }
        // Whoever knocked comes in by an open door unasked, and stays outside of one that was closed, or of a session that is
        // over.
        let asking = self
            .plane_state()
            .filter(|state| state.door.state == DoorState::Ask && state.ended.is_none());
        asking.map_or(0, |state| state.door.knocking)
    }

    /// Whether more wait at the door than the reader of this process has been told of. Who is gone is forgotten, so that the
    /// next one is told of.
    pub fn has_untold_knocks(&mut self) -> bool {
        let now = self.knocking_for_me();
        let more = now > self.knocks_told;
        self.knocks_told = self.knocks_told.min(now);
        more
    }

    /// The reader has been told of everybody who waits at the door now.
    pub fn told_of_knocks(&mut self) {
        self.knocks_told = self.knocking_for_me();
    }

    /// The door, and who knocks.
    ///
    /// # Errors
    /// As [`Session::set_mode`]; `forbidden` where this seat does not keep it.
    pub async fn door(&mut self, until: Deadline) -> Result<Door, SessionError> {
        self.under_token(until, |plane, id, token| async move {
            plane.door(&id, Keeper::Seat(&token), until).await
        })
        .await
    }

    /// Sets the door.
    ///
    /// # Errors
    /// As [`Session::door`].
    pub async fn set_door(&mut self, set: &SetDoor, until: Deadline) -> Result<Door, SessionError> {
        self.under_token(until, |plane, id, token| async move {
            plane.set_door(&id, Keeper::Seat(&token), set, until).await
        })
        .await
    }

    /// Admits or refuses somebody who knocks.
    ///
    /// # Errors
    /// As [`Session::door`]; `not_found` where nobody of that id knocks.
    pub async fn decide(
        &mut self,
        who: &ParticipantId,
        decide: Decide,
        until: Deadline,
    ) -> Result<(), SessionError> {
        let admits = decide.admit;
        self.under_token(until, |plane, id, token| async move {
            plane.decide(&id, who, Keeper::Seat(&token), decide, until).await
        })
        .await?;
        if admits && let Err(error) = self.remember_admission(who).await {
            // It counts all the same; a later list calls them new.
            tracing::warn!(%error, "an admission is not remembered");
        }
        Ok(())
    }

    async fn remember_admission(&self, who: &ParticipantId) -> Result<(), SessionError> {
        let mut lock = self.seat.clone().lock(LOCK).await?;
        lock.let_in.insert(*who);
        lock.save()?;
        Ok(())
    }

    /// The profile of somebody who knocks, which fits their id. What it says of itself are claims.
    ///
    /// # Errors
    /// As [`profile::open`]: it was not sealed by that participant with this session's link.
    pub fn profile_of(&self, knock: &Knock) -> Result<Profile, seal::Error> {
        let keys = self.keys.newest().ok_or(seal::Error::AuthFailed)?;
        profile::open(keys, &knock.participant_id, knock.sealed_profile.as_slice())
    }
}
