//! What an accepted record yields.

use wire::epoch_record::EpochType;
use wire::event::{Capability, Kind, Notice};
use wire::ids::ParticipantId;

use crate::error::Error;
use crate::record::message::Message;
use crate::roster::Learned;
use crate::secret::LinkKind;

/// What an accepted record yields. In each case it is in the chain.
#[derive(Debug)]
pub enum Outcome {
    /// A message that opened, by who it says it is from.
    Message {
        /// Its text and head.
        message: Message,
        /// What its head says about the two histories.
        standing: Standing,
    },
    /// A message of an epoch whose key is not held.
    NoKey,
    /// A message that did not open, under the name of the error. There is no text.
    Unreadable(Error),
    /// A notice: the plane's claim, never text for a model. None is one that this version does not know.
    Notice(Option<Notice>),
    /// `bad_notice`: shown as one that this version does not know.
    BadNotice,
    /// A member event: the plane's claim.
    Member(Member),
    /// `bad_member`: shown as an event that this version does not know.
    BadMember,
    /// A new epoch is in force.
    Epoch(EpochChange),
}

impl Outcome {
    /// The name of `crypto.md` section 9: `ok`, `unchecked`, `no_key`, `notice`, `member`, `epoch`, or an error's.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Message {
                standing: Standing::Confirmed(_),
                ..
            } => "ok",
            Self::Message {
                standing: Standing::Unchecked,
                ..
            } => "unchecked",
            Self::Message {
                standing: Standing::Differs(error),
                ..
            }
            | Self::Unreadable(error) => error.name(),
            Self::NoKey => "no_key",
            Self::Notice(_) => "notice",
            Self::BadNotice => Error::BadNotice.name(),
            Self::Member(_) => "member",
            Self::BadMember => Error::BadMember.name(),
            Self::Epoch(_) => "epoch",
        }
    }
}

/// What the head in a message says about its sender's history and this reader's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The sender has confirmed everything up to this seq.
    Confirmed(u64),
    /// The head lies before this reader's checkpoint.
    Unchecked,
    /// `fork`, `head_ahead` or `head_regressed`: name the sender, treat the mode as observe, post only after a person
    /// acknowledges, keep reading.
    Differs(Error),
}

/// A member event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Who it is about.
    pub participant_id: ParticipantId,
    /// What happened.
    pub kind: MemberKind,
}

/// What happened to a participant, by the plane's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberKind {
    /// Joined, or came back.
    Joined {
        /// An agent or a person, if the plane said one of these.
        kind: Option<Kind>,
        /// What it may do by the plane's word; whether it may write is in `learned` and the roster.
        capability: Option<Capability>,
        /// What its profile yielded; an error counts as not seen.
        learned: Result<Learned, Error>,
    },
    /// Left.
    Left,
    /// Was refused at the door.
    Refused,
    /// Something that this version does not know.
    Unknown,
}

/// A new epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochChange {
    /// Its number.
    pub epoch: u32,
    /// How it came to be.
    pub epoch_type: EpochType,
    /// Its owner; none after an administrator re-key.
    pub owner: Option<ParticipantId>,
    /// What it means for this reader.
    pub access: Access,
}

/// What a new epoch means for this reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its keys were held already, and fit.
    Held,
    /// Its keys came with the re-key and are in the keyring now. Return with a new profile.
    Given(LinkKind),
    /// `rekey_removed`: the owner left this participant out. Stop and wait for a link from a person.
    Removed,
    /// An administrator re-keyed. Stop and wait for a link from a person; take none from the transcript or the plane.
    NewLinkNeeded,
    /// An earlier epoch whose keys this reader never had.
    Unheld,
}
