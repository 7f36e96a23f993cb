//! What is refused by its shape alone, before anything is looked up, so that it tells nothing of what exists.

use subtle::ConstantTimeEq as _;
use wire::api::{JoiningParticipant, SealedTitle};
use wire::encoding::Blob;
use wire::sizes::{SEALED_MESSAGE_MAX, SEALED_MIN, SEALED_SMALL_MAX, SEALED_VERSION};
use wire::transcript::sha256;

use super::{Answer, ServiceError};

/// The longest public label, in bytes.
const LABEL_MAX: usize = 200;
/// Attachments that one record may name.
pub(super) const ATTACHMENTS_MAX: usize = 16;

pub(super) const fn bad_request(detail: &'static str) -> ServiceError {
    ServiceError::BadRequest { detail, limit: None }
}

fn sealed(sealed: &Blob, most: usize, limit: &'static str) -> Answer<()> {
    let bytes = sealed.as_slice();
    if bytes.len() > most {
        return Err(ServiceError::TooLarge { limit });
    }
    if bytes.len() < SEALED_MIN || bytes.first() != Some(&SEALED_VERSION) {
        return Err(bad_request(
            "That is no sealed form of version 1. Send what the client's sealing made, whole.",
        ));
    }
    Ok(())
}

/// A sealed message.
pub(super) fn message(form: &Blob) -> Answer<()> {
    sealed(form, SEALED_MESSAGE_MAX, "sealed_message")
}

/// A sealed title, profile or goal.
pub(super) fn small(form: &Blob) -> Answer<()> {
    sealed(form, SEALED_SMALL_MAX, "sealed_small")
}

/// A title.
pub(super) fn title(title: &SealedTitle) -> Answer<()> {
    small(&title.sealed)
}

/// A public label.
pub(super) fn label(label: Option<&str>) -> Answer<()> {
    let fits = label.is_none_or(|label| label.len() <= LABEL_MAX && !label.chars().any(char::is_control));
    if fits {
        Ok(())
    } else {
        Err(bad_request(
            "A label has at most 200 bytes and no control characters. Shorten it.",
        ))
    }
}

/// Who comes in, by the verifier of its rejoin secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Identity {
    /// SHA-256 of the rejoin secret, given or computed.
    pub(super) verifier: [u8; 32],
    /// Whether the secret itself was shown.
    pub(super) proven: bool,
}

impl Identity {
    /// Whether it is the one of a stored verifier; compared in constant time.
    pub(super) fn is(&self, verifier: &[u8; 32]) -> bool {
        self.verifier.ct_eq(verifier).into()
    }
}

/// A joining participant has a profile, and exactly one of verifier and secret.
pub(super) fn joining(participant: &JoiningParticipant) -> Answer<Identity> {
    small(&participant.sealed_profile)?;
    match (&participant.rejoin_verifier, &participant.rejoin_secret) {
        (Some(verifier), None) => Ok(Identity {
            verifier: verifier.0,
            proven: false,
        }),
        (None, Some(secret)) => Ok(Identity {
            verifier: sha256(secret.expose()),
            proven: true,
        }),
        (None, None) | (Some(_), Some(_)) => Err(bad_request(
            "Send exactly one of rejoin_verifier (the first time) and rejoin_secret (to return).",
        )),
    }
}
