//! The key schedule of an epoch and the check that ties a secret to an epoch record
//! (`crypto.md` sections 3 and 5).

mod schedule;

use std::collections::BTreeMap;

use subtle::ConstantTimeEq;
use wire::encoding::Secret32;
use wire::epoch_record::{Commitments, EpochRecord};
use wire::ids::SessionId;
use wire::transcript::sha256;

use crate::error::Error;
use crate::secret::{ContentKey, FullSecret, LinkKind, LinkSecret, ViewSecret};
use crate::signature::{SigningSeed, VerificationKey};
use schedule::Schedule;

pub(crate) use schedule::salt;

/// What a joiner shows the plane for a link: the full or the view proof, by the link's kind.
///
/// Needs no epoch record: the join request comes before it.
pub fn proof(session: &SessionId, epoch: u32, secret: &LinkSecret) -> Secret32 {
    let schedule = Schedule::new(session, epoch);
    match secret {
        LinkSecret::Full(secret) => Secret32::new(*schedule.full_proof(secret)),
        LinkSecret::View(secret) => Secret32::new(*schedule.view_proof(secret)),
    }
}

/// The keys of one epoch, checked together with its record.
#[derive(Debug)]
pub struct EpochKeys {
    session_id: SessionId,
    epoch: u32,
    secret: Held,
    content: ContentKey,
    posting: VerificationKey,
}

/// What the keys come from.
#[derive(Debug)]
enum Held {
    Full(FullSecret, ViewSecret),
    View(ViewSecret),
    /// Bare keys of a test vector: nothing to check, no link to make.
    #[cfg(feature = "hazmat")]
    Nothing(ViewSecret),
}

impl EpochKeys {
    /// The keys of an epoch that this client opens itself, from a fresh secret, with what goes into its record.
    pub fn open_epoch(session: &SessionId, epoch: u32, secret: FullSecret) -> (Self, Commitments) {
        let schedule = Schedule::new(session, epoch);
        let (view, commitments) = schedule.committed(&secret);
        let keys = Self {
            session_id: *session,
            epoch,
            content: schedule.content_key(&view),
            posting: VerificationKey::from_bytes(commitments.posting_key),
            secret: Held::Full(secret, view),
        };
        (keys, commitments)
    }

    /// Takes a secret from a link, the state file, a re-key or a history block, and the record of its epoch: the
    /// check of section 5.
    ///
    /// # Errors
    /// `verifier_mismatch` when they do not belong together.
    pub fn check(record: &EpochRecord, secret: LinkSecret) -> Result<Self, Error> {
        let keys = match secret {
            LinkSecret::Full(secret) => Self::open_epoch(&record.session_id, record.epoch, secret).0,
            LinkSecret::View(view) => Self {
                session_id: record.session_id,
                epoch: record.epoch,
                content: Schedule::new(&record.session_id, record.epoch).content_key(&view),
                posting: VerificationKey::from_bytes(record.commitments.posting_key),
                secret: Held::View(view),
            },
        };
        keys.check_record(record)?;
        Ok(keys)
    }

    /// Keys for sealing the profile of a join request, which goes out before the record is known. They open nothing and
    /// judge nobody: a view secret alone does not give the posting key.
    pub(crate) fn for_entry(session: &SessionId, epoch: u32, secret: &LinkSecret) -> Self {
        match secret {
            LinkSecret::Full(secret) => {
                Self::open_epoch(session, epoch, FullSecret::from_bytes(*secret.expose())).0
            }
            LinkSecret::View(view) => Self {
                session_id: *session,
                epoch,
                content: Schedule::new(session, epoch).content_key(view),
                posting: VerificationKey::from_bytes([0; 32]),
                secret: Held::View(ViewSecret::from_bytes(*view.expose())),
            },
        }
    }

    /// Checks a record of the same epoch against these keys, as [`EpochKeys::check`] did.
    ///
    /// # Errors
    /// `verifier_mismatch`, also for a record of another session or epoch.
    pub fn check_record(&self, record: &EpochRecord) -> Result<(), Error> {
        let fits = (self.session_id, self.epoch) == (record.session_id, record.epoch)
            && match &self.secret {
                Held::Full(secret, _) => self.full_fits(secret, &record.commitments),
                Held::View(view) => self.view_fits(view, &record.commitments),
                #[cfg(feature = "hazmat")]
                Held::Nothing(_) => true,
            };
        if fits {
            Ok(())
        } else {
            Err(Error::VerifierMismatch)
        }
    }

    fn full_fits(&self, secret: &FullSecret, record: &Commitments) -> bool {
        let (_, own) = Schedule::new(&self.session_id, self.epoch).committed(secret);
        (own.full_verifier.ct_eq(&record.full_verifier)
            & own.view_verifier.ct_eq(&record.view_verifier)
            & own.posting_key.ct_eq(&record.posting_key)
            & own.masked_opening.ct_eq(&record.masked_opening))
        .into()
    }

    /// The view secret commits to the posting key: no other unmasks to an opening that gives it again.
    fn view_fits(&self, view: &ViewSecret, record: &Commitments) -> bool {
        let schedule = Schedule::new(&self.session_id, self.epoch);
        let verifier = sha256(&schedule.view_proof(view)[..]);
        let opening = schedule.mask(view, &record.masked_opening);
        let again = schedule.view_secret(&opening, &record.posting_key);
        bool::from(verifier.ct_eq(&record.view_verifier)) & again.same(view)
    }

    /// Bare keys, without the secret they follow from and so without the check. For test vectors alone.
    #[cfg(feature = "hazmat")]
    pub fn unchecked(
        session: &SessionId,
        epoch: u32,
        view: [u8; 32],
        content: [u8; 32],
        posting_key: [u8; 32],
    ) -> Self {
        Self {
            session_id: *session,
            epoch,
            secret: Held::Nothing(ViewSecret::from_bytes(view)),
            content: ContentKey::from_bytes(content),
            posting: VerificationKey::from_bytes(posting_key),
        }
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
        match self.full_secret() {
            Some(_) => LinkKind::Full,
            None => LinkKind::View,
        }
    }

    /// `S`, if held: for the state file.
    pub const fn full_secret(&self) -> Option<&FullSecret> {
        match &self.secret {
            Held::Full(secret, _) => Some(secret),
            _ => None,
        }
    }

    /// `R`: for the state file.
    pub const fn view_secret(&self) -> &ViewSecret {
        match &self.secret {
            Held::Full(_, view) | Held::View(view) => view,
            #[cfg(feature = "hazmat")]
            Held::Nothing(view) => view,
        }
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
        match kind {
            LinkKind::Full => Some(LinkSecret::from_bytes(kind, *self.full_secret()?.expose())),
            LinkKind::View => Some(LinkSecret::from_bytes(kind, *self.view_secret().expose())),
        }
    }

    /// The posting key pair's seed; none without `S`. It is derived when a certificate is made, and forgotten.
    pub(crate) fn posting_seed(&self) -> Option<SigningSeed> {
        let secret = self.full_secret()?;
        Some(Schedule::new(&self.session_id, self.epoch).posting_seed(secret))
    }

    /// These keys without `S`, once their epoch is over.
    #[must_use]
    pub fn without_full_secret(self) -> Self {
        match self.secret {
            Held::Full(_, view) => Self {
                secret: Held::View(view),
                ..self
            },
            _ => self,
        }
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

    /// Takes the keys of an epoch in. What is held already is kept, unless the new ones can do more.
    pub fn insert(&mut self, keys: EpochKeys) {
        let epoch = keys.epoch();
        let held = self
            .get(epoch)
            .is_some_and(|held| held.kind() == LinkKind::Full || keys.kind() == LinkKind::View);
        if held {
            return;
        }
        let newest = self.newest().map_or(0, EpochKeys::epoch);
        if epoch < newest {
            self.epochs.insert(epoch, keys.without_full_secret());
            return;
        }
        if epoch > newest
            && let Some(over) = self.epochs.remove(&newest)
        {
            self.epochs.insert(newest, over.without_full_secret());
        }
        self.epochs.insert(epoch, keys);
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
