//! The derivations of `crypto.md` section 3, as they stand there.

use wire::epoch_record::Commitments;
use wire::ids::SessionId;
use wire::transcript::sha256;

use crate::kdf::{Derived, hkdf};
use crate::secret::{ContentKey, FullSecret, ViewSecret};
use crate::signature::SigningSeed;

/// Derives for one session and epoch.
pub(super) struct Schedule {
    salt: [u8; 20],
}

impl Schedule {
    pub(super) fn new(session: &SessionId, epoch: u32) -> Self {
        Self {
            salt: salt(session, epoch),
        }
    }

    /// The view secret, and what an epoch record says of the full one.
    pub(super) fn committed(&self, secret: &FullSecret) -> (ViewSecret, Commitments) {
        let posting_key = self.posting_seed(secret).public();
        let opening = hkdf(&self.salt, secret.expose(), &[b"devpilot-session v1 opening"]);
        let view = self.view_secret(&opening, &posting_key);
        let commitments = Commitments {
            full_verifier: sha256(&self.full_proof(secret)[..]),
            view_verifier: sha256(&self.view_proof(&view)[..]),
            posting_key,
            masked_opening: *self.mask(&view, &opening),
        };
        (view, commitments)
    }

    pub(super) fn posting_seed(&self, secret: &FullSecret) -> SigningSeed {
        SigningSeed::new(hkdf(
            &self.salt,
            secret.expose(),
            &[b"devpilot-session v1 posting key"],
        ))
    }

    pub(super) fn view_secret(&self, opening: &Derived, posting_key: &[u8; 32]) -> ViewSecret {
        let derived = hkdf(
            &self.salt,
            &opening[..],
            &[b"devpilot-session v1 view secret", posting_key],
        );
        ViewSecret::from_bytes(*derived)
    }

    /// The opening from the masked one, and the other way round.
    pub(super) fn mask(&self, view: &ViewSecret, opening: &[u8; 32]) -> Derived {
        let mut mask = hkdf(&self.salt, view.expose(), &[b"devpilot-session v1 opening mask"]);
        for (mask, byte) in mask.iter_mut().zip(opening) {
            *mask ^= byte;
        }
        mask
    }

    pub(super) fn full_proof(&self, secret: &FullSecret) -> Derived {
        hkdf(&self.salt, secret.expose(), &[b"devpilot-session v1 full proof"])
    }

    pub(super) fn view_proof(&self, view: &ViewSecret) -> Derived {
        hkdf(&self.salt, view.expose(), &[b"devpilot-session v1 view proof"])
    }

    pub(super) fn content_key(&self, view: &ViewSecret) -> ContentKey {
        ContentKey::from_bytes(*hkdf(
            &self.salt,
            view.expose(),
            &[b"devpilot-session v1 content"],
        ))
    }
}

/// `sid ‖ u32(epoch)`.
pub(crate) fn salt(session: &SessionId, epoch: u32) -> [u8; 20] {
    let mut salt = [0; 20];
    let (sid, number) = salt.split_at_mut(16);
    sid.copy_from_slice(session.as_bytes());
    number.copy_from_slice(&epoch.to_be_bytes());
    salt
}
