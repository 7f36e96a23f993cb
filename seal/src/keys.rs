//! The key schedule of an epoch and the check that ties a secret to an epoch record
//! (`crypto.md` sections 3 and 5).

use std::collections::BTreeMap;

use wire::encoding::Secret32;
use wire::epoch_record::{Commitments, EpochRecord};
use wire::ids::SessionId;

use crate::error::Error;
use crate::secret::{ContentKey, FullSecret, LinkKind, LinkSecret, ViewSecret};
use crate::signature::VerificationKey;

/// What a joiner shows the plane for a link: the full or the view proof, by the link's kind.
///
/// Needs no epoch record: the join request comes before it.
pub fn proof(session: &SessionId, epoch: u32, secret: &LinkSecret) -> Secret32 {
    todo!()
}

/// The keys of one epoch, checked together with its record.
#[derive(Debug)]
pub struct EpochKeys {
    session_id: SessionId,
    epoch: u32,
    full: Option<FullSecret>,
    view: ViewSecret,
    content: ContentKey,
    posting: VerificationKey,
}

impl EpochKeys {
    /// The keys of an epoch that this client opens itself, from a fresh secret, with what goes into its record.
    pub fn open_epoch(session: &SessionId, epoch: u32, secret: FullSecret) -> (Self, Commitments) {
        todo!()
    }

    /// Takes a secret from a link, the state file or a history block, and the record of its epoch: the check of
    /// section 5.
    ///
    /// # Errors
    /// `verifier_mismatch` when they do not belong together.
    pub fn check(record: &EpochRecord, secret: LinkSecret) -> Result<Self, Error> {
        todo!()
    }

    /// Checks a record of the same epoch against these keys, as [`EpochKeys::check`] did.
    ///
    /// # Errors
    /// `verifier_mismatch`, also for a record of another session or epoch.
    pub fn check_record(&self, record: &EpochRecord) -> Result<(), Error> {
        todo!()
    }

    /// The session.
    pub const fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// The epoch.
    pub const fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Whether these keys can make certificates and full links.
    pub const fn kind(&self) -> LinkKind {
        match self.full {
            Some(_) => LinkKind::Full,
            None => LinkKind::View,
        }
    }

    /// `S`, if held: for full links and the state file.
    pub const fn full_secret(&self) -> Option<&FullSecret> {
        self.full.as_ref()
    }

    /// `R`: for view links and the state file.
    pub const fn view_secret(&self) -> &ViewSecret {
        &self.view
    }

    /// The key of this epoch's sealed records.
    pub const fn content_key(&self) -> &ContentKey {
        &self.content
    }

    /// The key that judges certificates of this epoch.
    pub const fn posting_key(&self) -> &VerificationKey {
        &self.posting
    }

    /// A copy of the secret for a link of the given kind; none for a full link without `S`.
    pub fn link_secret(&self, kind: LinkKind) -> Option<LinkSecret> {
        todo!()
    }

    /// Forgets `S`, once its epoch is over.
    pub fn forget_full_secret(&mut self) {
        self.full = None;
    }
}

/// The keys of all epochs that this reader can open.
///
/// `S` is kept of the newest alone: of an epoch that is over, reading is all that is left.
#[derive(Debug, Default)]
pub struct Keyring {
    epochs: BTreeMap<u32, EpochKeys>,
}

impl Keyring {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the keys of an epoch in.
    pub fn insert(&mut self, keys: EpochKeys) {
        todo!()
    }

    /// The keys of an epoch.
    pub fn get(&self, epoch: u32) -> Option<&EpochKeys> {
        self.epochs.get(&epoch)
    }

    /// The keys of the newest epoch held.
    pub fn newest(&self) -> Option<&EpochKeys> {
        self.epochs.last_key_value().map(|(_, keys)| keys)
    }

    /// All, ascending by epoch.
    pub fn iter(&self) -> impl Iterator<Item = &EpochKeys> {
        self.epochs.values()
    }
}
