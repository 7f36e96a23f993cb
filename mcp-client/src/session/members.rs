//! Who belongs to the epoch in force, and who could be taken along into the next.
//!
//! The plane lists everybody there ever was. What counts is the epoch's own record and the profiles that were checked.

use seal::rekey;
use seal::transcript::MemberKind;
use wire::api::ParticipantRow;
use wire::epoch_record::{EntryCapability, EpochRecord, EpochType};
use wire::ids::ParticipantId;
use wire::timestamp::Timestamp;

use super::Session;
use super::error::SessionError;
use super::view::What;
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

/// What somebody is to the epoch in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// In it, by its record or by a valid profile.
    In,
    /// The owner's re-key does not list them, and they have not come in since.
    PutOut,
    /// They have not come in since an administrator re-keyed.
    NotBack,
    /// They came in since, by the plane's word, and have shown nothing that holds.
    Unproven,
}

/// How far back a link opens the transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The earliest epoch it opens.
    pub epoch: u32,
    /// The record that began it, where this view has it: its seq, and when, by the plane's word.
    pub began: Option<(u64, Timestamp)>,
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

    /// Whether somebody belongs to the epoch in force: by its record, or by a valid profile of it. The plane lists those
    /// who don't all the same.
    pub fn belongs(&self, who: &ParticipantId) -> bool {
        self.membership(who) == Membership::In
    }

    /// What somebody is to the epoch in force.
    pub fn membership(&self, who: &ParticipantId) -> Membership {
        let epoch = self.transcript.epoch();
        let shown = || self.roster.get(who).is_some_and(|known| known.epoch >= epoch);
        if epoch <= 1 || self.given_by_record(who).is_some() || shown() {
            return Membership::In;
        }
        let newest_first = self.view.entries().iter().rev();
        let mut since = newest_first.take_while(|entry| entry.epoch >= epoch);
        let came = since.any(|entry| {
            matches!(&entry.what, What::Member(Some(member))
                if member.participant_id == *who && matches!(member.kind, MemberKind::Joined { .. }))
        });
        match self.record_in_force().map(|record| record.epoch_type) {
            Some(EpochType::OwnerRekey) if !came => Membership::PutOut,
            Some(EpochType::AdminRekey) if !came => Membership::NotBack,
            _ => Membership::Unproven,
        }
    }

    /// With what the re-key of this epoch kept somebody who has not moved over to it: until they come, they have shown no
    /// certificate of it.
    pub fn kept_with(&self, who: &ParticipantId) -> Option<EntryCapability> {
        let epoch = self.transcript.epoch();
        let moved = self.roster.get(who).is_some_and(|known| known.epoch >= epoch);
        if moved || epoch <= 1 {
            return None;
        }
        self.given_by_record(who)
    }

    /// Whether a re-key put somebody out who has not come in since.
    pub fn is_out(&self, who: &ParticipantId) -> bool {
        matches!(self.membership(who), Membership::PutOut | Membership::NotBack)
    }

    /// How far back the link of the epoch in force opens the transcript (`crypto.md` section 10.3).
    ///
    /// # Errors
    /// The seat's file can't be read.
    pub fn reach(&self) -> Result<Reach, SessionError> {
        let kept = self.seat.read()?;
        let opens_before = |epoch: u32| {
            let bytes = kept.epoch_records.get(&epoch);
            let record = bytes.and_then(|bytes| EpochRecord::parse(bytes.as_slice()).ok());
            record.is_some_and(|record| record.history.is_some())
        };
        let mut epoch = self.transcript.epoch();
        while epoch > 1 && opens_before(epoch) {
            epoch -= 1;
        }
        let mut entries = self.view.entries().iter();
        let began =
            entries.find(|entry| matches!(&entry.what, What::Epoch(new) if new.change.epoch == epoch));
        Ok(Reach {
            epoch,
            began: began.map(|entry| (entry.seq, entry.at)),
        })
    }

    /// How the epoch in force came to be.
    pub fn epoch_type(&self) -> Option<EpochType> {
        self.record_in_force().map(|record| record.epoch_type)
    }

    fn record_in_force(&self) -> Option<EpochRecord> {
        EpochRecord::parse(self.transcript.state().epoch_record.as_slice()).ok()
    }

    fn given_by_record(&self, who: &ParticipantId) -> Option<EntryCapability> {
        let record = self.record_in_force()?;
        record.entry(who).map(|entry| entry.capability)
    }
}
