//! A participant's two key pairs and what follows from them (`crypto.md` section 6).

use wire::encoding::Secret32;
use wire::ids::{ParticipantId, SessionId};

use crate::random::Unavailable;
use crate::signature::{SIGNATURE_LEN, VerificationKey};

/// A participant's public keys. The id commits to both.
#[derive(Debug, Clone)]
pub struct PeerKeys {
    /// `pk`, X25519: re-keys are sealed to it.
    pub agreement: [u8; 32],
    /// `vk`, Ed25519: records are signed with it.
    pub verification: VerificationKey,
}

impl PeerKeys {
    /// The participant id of these keys in a session.
    pub fn participant_id(&self, session: &SessionId) -> ParticipantId {
        todo!()
    }
}

/// One participant's own keys in one session. A seat holds one set; what is written under it is serialised.
pub struct Identity {
    session_id: SessionId,
    participant_id: ParticipantId,
    agreement: x25519_dalek::StaticSecret,
    signing: ed25519_dalek::SigningKey,
}

impl Identity {
    /// Fresh keys for a session.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn random(session: SessionId) -> Result<Self, Unavailable> {
        todo!()
    }

    /// Keys from the state file: `sk` and `seed`, as drawn.
    pub fn from_bytes(session: SessionId, agreement: &[u8; 32], signing: &[u8; 32]) -> Self {
        todo!()
    }

    /// `sk` and `seed`, for the state file alone.
    pub fn expose(&self) -> (&[u8; 32], &[u8; 32]) {
        todo!()
    }

    /// The session these keys are for.
    pub const fn session_id(&self) -> &SessionId {
        &self.session_id
    }

    /// The id made from the public keys.
    pub const fn participant_id(&self) -> &ParticipantId {
        &self.participant_id
    }

    /// The public keys.
    pub fn public(&self) -> PeerKeys {
        todo!()
    }

    /// What brings this participant back after its token died; goes into request bodies alone.
    pub fn rejoin_secret(&self) -> Secret32 {
        todo!()
    }

    /// SHA-256 of the rejoin secret; the plane keeps it.
    pub fn rejoin_verifier(&self) -> [u8; 32] {
        todo!()
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_LEN] {
        todo!()
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}
