//! Requests whose answer is not known yet. Each is on disk before its first byte is sent, and after a crash the same
//! bytes are sent again (`crypto.md` sections 6.1, 7 and 10.2).

use std::fmt;

use serde::{Deserialize, Serialize};
use wire::api::{Create, Post};
use wire::encoding::{Blob, Secret32};
use wire::timestamp::Timestamp;

use super::secrets::EpochSecret;

/// What is out, at most one of each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// A create, a join or a return.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<PendingEntry>,
    /// A return with a link that a person gave, by a seat that is in already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upgrade: Option<PendingUpgrade>,
    /// A post.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub post: Option<PendingPost>,
    /// A re-key by this seat as owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rekey: Option<PendingRekey>,
}

impl Pending {
    /// Whether nothing is out.
    pub fn is_empty(&self) -> bool {
        self.entry.is_none() && self.upgrade.is_none() && self.post.is_none() && self.rekey.is_none()
    }
}

/// A way in that was not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PendingEntry {
    /// The whole request; repeated as it is.
    Create(Box<Create>),
    /// A first join with the secret of an epoch; repeated with the rejoin secret in place of the verifier, and with the
    /// profile bytes kept in [`super::SeatState::profiles`].
    Join {
        /// The epoch.
        epoch: u32,
    },
    /// A return of a participant that is known; its profile bytes are kept as well.
    Return {
        /// The epoch.
        epoch: u32,
    },
}

/// What a door told a seat that never got in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtTheDoor {
    /// To wait: whoever keeps it has not answered. Since when.
    Knocking(Timestamp),
    /// To stay out: refused, or the door was closed meanwhile. When.
    TurnedAway(Timestamp),
}

/// A return with another link than the one this seat goes by: to a later epoch, or to the right to write. What the seat
/// goes by is left alone until it is answered, since a door may stand in between.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingUpgrade {
    /// The link's epoch.
    pub epoch: u32,
    /// The link's secret.
    pub secret: EpochSecret,
    /// The profile sealed for it: repeats send the same bytes.
    pub profile: Blob,
}

impl fmt::Debug for PendingUpgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingUpgrade({})", self.epoch)
    }
}

/// A post that was not answered yet, or whose record was not accepted yet: the records before it come first, and whoever
/// reads them must know it as this seat's own.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingPost {
    /// The whole request: message id, epoch, sealed bytes and what the plane is told beside them.
    pub request: Post,
    /// Whether the plane said `rekeyed` to it once; the next answer then decides whether it was stored.
    #[serde(default)]
    pub after_rekey: bool,
    /// Its seq, once the plane has answered: it is not sent again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored: Option<u64>,
}

impl fmt::Debug for PendingPost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingPost({})", self.request.message_id)
    }
}

/// A re-key that was not answered yet: S' is on disk before it is sent.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingRekey {
    /// The epoch it opens.
    pub epoch: u32,
    /// S'.
    pub secret: Secret32,
    /// The epoch record, byte for byte.
    pub record: Blob,
}

impl fmt::Debug for PendingRekey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PendingRekey({})", self.epoch)
    }
}
