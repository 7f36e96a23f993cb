//! The state of one seat, as its file holds it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use seal::roster::KnownState;
use serde::{Deserialize, Serialize};
use wire::api::Checkpoint;
use wire::encoding::{Blob, Bytes32};
use wire::event::{Capability, Kind};
use wire::ids::{ParticipantId, ProposalId, SessionId};
use wire::timestamp::Timestamp;

use super::consent::{Alarm, Consent, Ended, ShareMark};
use super::pending::{AtTheDoor, Pending};
use super::secrets::{EpochSecret, IdentitySecrets, SessionToken};
use crate::plane::Origin;

/// The format this version writes.
pub(crate) const VERSION: u64 = 1;

/// The last record a reader accepted, with the transcript hash up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Its seq.
    pub seq: u64,
    /// H(seq).
    pub hash: Bytes32,
}

/// A message of which its reader has been shown the first part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Begun {
    /// Its seq.
    pub seq: u64,
    /// The byte of its shown text that comes next.
    pub offset: u64,
}

/// When and where a seat was last used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastUsed {
    /// When.
    pub at: Timestamp,
    /// The repository's top folder, or else the folder, as [`super::Place`] names it.
    pub place: String,
}

/// Everything a seat must not lose. Debug names it and shows nothing of what it holds.
///
/// Other people's text in it (`title`, names in `people`) is as it was opened: it passes `render` before it is shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatState {
    /// The format, from 1.
    pub version: u64,
    /// How often the file was replaced: ties the progress file to it.
    #[serde(default)]
    pub(super) revision: u64,
    /// Whether a progress file was begun with this revision: if there is none, it was lost.
    #[serde(default)]
    pub(super) progress_kept: bool,
    /// Set where the progress file was lost or damaged: own messages after the head may have been sent from here, until
    /// everything the plane has was read once.
    #[serde(default)]
    pub progress_lost: bool,
    /// The plane.
    pub plane: Origin,
    /// The session.
    pub session: SessionId,
    /// The participant.
    pub participant: ParticipantId,
    /// An agent or a person; fixed at the first join.
    pub kind: Kind,
    /// The capability of the proof shown last.
    pub capability: Capability,
    /// The name it goes by.
    pub name: String,
    /// Its host program, for its profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its own keys.
    pub identity: IdentitySecrets,
    /// Its token; none before the first answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<SessionToken>,
    /// What it holds by epoch: S of the newest, R of the others. After a re-key S of the old one is deleted.
    pub secrets: BTreeMap<u32, EpochSecret>,
    /// The epoch records accepted, by epoch.
    #[serde(default)]
    pub epoch_records: BTreeMap<u32, Blob>,
    /// Its own sealed profile by epoch: a repeated join or return sends the same bytes.
    #[serde(default)]
    pub profiles: BTreeMap<u32, Blob>,
    /// The owner participant in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<ParticipantId>,
    /// The seq up to which its reader has been shown everything.
    #[serde(default)]
    pub cursor: u64,
    /// The message after the cursor that its reader is in the middle of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<Begun>,
    /// The seq of the newest message that a wait for messages addressed to its reader has shown. Apart from the cursor: what
    /// it shows stays unread.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shown_for_me: u64,
    /// The last record accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// Where the accepted history begins, if not at its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// Whom its human has let in at the door.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub let_in: BTreeSet<ParticipantId>,
    /// Requests not answered yet.
    #[serde(default, skip_serializing_if = "Pending::is_empty")]
    pub pending: Pending,
    /// Set where a door stood in its way: of a seat that never got in, until it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_the_door: Option<AtTheDoor>,
    /// Keys, rights and claims of everybody whose profile opened.
    #[serde(default)]
    pub people: Vec<KnownState>,
    /// The title as last opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Until when the session lives unless somebody writes; the plane's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Set once the session is over for this seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
    /// When and where it was last used.
    pub last_used: LastUsed,
    /// Handoff files of this session; deleted when it ends or re-keys.
    #[serde(default)]
    pub handoffs: Vec<PathBuf>,
    /// The human's word on proposals.
    #[serde(default)]
    pub consents: BTreeMap<ProposalId, Consent>,
    /// The proposal of auto that its reader was last told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_proposal: Option<ProposalId>,
    /// The `share` call that made the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<ShareMark>,
    /// A failed check, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alarm: Option<Alarm>,
}

impl SeatState {
    /// A seat that has done nothing yet: keys drawn, nothing sent.
    pub fn new(
        plane: Origin,
        session: SessionId,
        participant: ParticipantId,
        kind: Kind,
        capability: Capability,
        identity: IdentitySecrets,
        last_used: LastUsed,
    ) -> Self {
        Self {
            version: VERSION,
            revision: 0,
            progress_kept: true,
            progress_lost: false,
            plane,
            session,
            participant,
            kind,
            capability,
            name: String::new(),
            host: None,
            identity,
            token: None,
            secrets: BTreeMap::new(),
            epoch_records: BTreeMap::new(),
            profiles: BTreeMap::new(),
            owner: None,
            cursor: 0,
            begun: None,
            shown_for_me: 0,
            head: None,
            checkpoint: None,
            let_in: BTreeSet::new(),
            pending: Pending::default(),
            at_the_door: None,
            people: Vec::new(),
            title: None,
            expires_at: None,
            ended: None,
            last_used,
            handoffs: Vec::new(),
            consents: BTreeMap::new(),
            told_proposal: None,
            share: None,
            alarm: None,
        }
    }

    /// The newest epoch that a secret is held of.
    pub fn newest_epoch(&self) -> Option<u32> {
        self.secrets.last_key_value().map(|(epoch, _)| *epoch)
    }
}

/// Whether there is nothing to keep.
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
pub(super) fn is_zero(seq: &u64) -> bool {
    *seq == 0
}

impl fmt::Debug for SeatState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SeatState({} in {})", self.participant, self.session)
    }
}
