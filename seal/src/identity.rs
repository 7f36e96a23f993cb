//! A participant's two key pairs and what follows from them (`crypto.md` section 6).

use std::fmt;

use ed25519_dalek::{Signer, SigningKey};
use sha2::{Digest, Sha256};
use wire::encoding::Secret32;
use wire::ids::{ParticipantId, SessionId};
use wire::transcript::sha256;
use x25519_dalek::{PublicKey, StaticSecret};
use zeroize::Zeroizing;

use crate::kdf::{Derived, hkdf};
use crate::random::{self, Unavailable};
use crate::signature::{SIGNATURE_LEN, VerificationKey};

/// A participant's public keys. The id commits to both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerKeys {
    /// `pk`, X25519: re-keys are sealed to it.
    pub agreement: [u8; 32],
    /// `vk`, Ed25519: records are signed with it.
    pub verification: VerificationKey,
}

impl PeerKeys {
    /// The participant id of these keys in a session: a version 8 UUID (RFC 9562).
    pub fn participant_id(&self, session: &SessionId) -> ParticipantId {
        let mut hash = Sha256::new();
        hash.update(b"devpilot-session v1 participant");
        hash.update(session.as_bytes());
        hash.update(self.agreement);
        hash.update(self.verification.as_bytes());
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = <[u8; 32]>::from(hash.finalize());
        let (g, i) = (g & 0x0f | 0x80, i & 0x3f | 0x80);
        ParticipantId::from_bytes([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
    }
}

/// One participant's own keys in one session. A seat holds one set; what is written under it is serialised.
pub struct Identity {
    session_id: SessionId,
    participant_id: ParticipantId,
    agreement: StaticSecret,
    signing: SigningKey,
}

impl Identity {
    /// Fresh keys for a session.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn random(session: SessionId) -> Result<Self, Unavailable> {
        let agreement: Zeroizing<[u8; 32]> = Zeroizing::new(random::bytes()?);
        let signing: Zeroizing<[u8; 32]> = Zeroizing::new(random::bytes()?);
        Ok(Self::from_bytes(session, &agreement, &signing))
    }

    /// Keys from the state file: `sk` and `seed`, as drawn.
    pub fn from_bytes(session: SessionId, agreement: &[u8; 32], signing: &[u8; 32]) -> Self {
        let agreement = StaticSecret::from(*agreement);
        let signing = SigningKey::from_bytes(signing);
        let participant_id = public_keys(&agreement, &signing).participant_id(&session);
        Self {
            session_id: session,
            participant_id,
            agreement,
            signing,
        }
    }

    /// `sk` and `seed`, for the state file alone.
    pub fn expose(&self) -> (&[u8; 32], &[u8; 32]) {
        (self.agreement.as_bytes(), self.signing.as_bytes())
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
        public_keys(&self.agreement, &self.signing)
    }

    /// What brings this participant back after its token died; goes into request bodies alone.
    pub fn rejoin_secret(&self) -> Secret32 {
        Secret32::new(*self.rejoin())
    }

    /// SHA-256 of the rejoin secret; the plane keeps it.
    pub fn rejoin_verifier(&self) -> [u8; 32] {
        sha256(&self.rejoin()[..])
    }

    fn rejoin(&self) -> Derived {
        hkdf(
            self.session_id.as_bytes(),
            self.agreement.as_bytes(),
            &[b"devpilot-session v1 rejoin"],
        )
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; SIGNATURE_LEN] {
        self.signing.sign(message).to_bytes()
    }

    pub(crate) const fn agreement(&self) -> &StaticSecret {
        &self.agreement
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Identity")
    }
}

fn public_keys(agreement: &StaticSecret, signing: &SigningKey) -> PeerKeys {
    PeerKeys {
        agreement: PublicKey::from(agreement).to_bytes(),
        verification: VerificationKey::from_bytes(signing.verifying_key().to_bytes()),
    }
}
