//! Who belongs to the epoch in force, and who could be taken along into the next.
//!
//! The plane lists everybody there ever was. What counts is the epoch's own record and the profiles that were checked.

use seal::rekey;
use wire::api::ParticipantRow;
use wire::epoch_record::{EntryCapability, EpochRecord};
use wire::ids::ParticipantId;

use super::Session;
use super::error::SessionError;
use crate::plane::Deadline;

/// Whether somebody can be kept at an owner's re-key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keepable {
    /// With everything.
    Full,
    /// With the view secret, which is what it has; to give more takes a full link.
    View,
    /// An earlier re-key left it out, and it has not come back since: it could not open its entry.
    Out,
    /// No valid profile of it was seen, or one whose key nothing can be sealed to.
    NoProfile,
}

impl Session {
    /// Everybody as the plane sees them now, with all profiles learned anew.
    ///
    /// # Errors
    /// What the plane or the way to it gives, and what coming back gives.
    pub async fn everybody(&mut self, until: Deadline) -> Result<Vec<ParticipantRow>, SessionError> {
        self.sync(until).await?;
        let rows = self.learn_participants(1, until).await?;
        self.store().await?;
        Ok(rows)
    }

    /// What somebody could be kept with. The right to write counts, and what this epoch's own record gave them; never
    /// the plane's word.
    pub fn keepable(&self, who: &ParticipantId) -> Keepable {
        let epoch = self.transcript.epoch();
        let entry = self.given_by_record(who);
        let Some(known) = self.roster.get(who) else {
            return Keepable::NoProfile;
        };
        if rekey::check_agreement(&self.me, &known.keys).is_err() {
            return Keepable::NoProfile;
        }
        if self.roster.may_write(who, epoch) || entry == Some(EntryCapability::Full) {
            Keepable::Full
        } else if entry.is_some() || known.epoch >= epoch {
            Keepable::View
        } else {
            Keepable::Out
        }
    }

    /// Whether somebody belongs to the epoch in force: by its record, or by a valid profile of it. Whoever does not is
    /// out since a re-key, or has shown nothing that holds; the plane lists them all the same.
    pub fn belongs(&self, who: &ParticipantId) -> bool {
        let epoch = self.transcript.epoch();
        let shown = || self.roster.get(who).is_some_and(|known| known.epoch >= epoch);
        epoch <= 1 || self.given_by_record(who).is_some() || shown()
    }

    fn given_by_record(&self, who: &ParticipantId) -> Option<EntryCapability> {
        let record = EpochRecord::parse(self.transcript.state().epoch_record.as_slice()).ok()?;
        record.entry(who).map(|entry| entry.capability)
    }
}
