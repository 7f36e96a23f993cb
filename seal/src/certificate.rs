//! The right to write in one epoch: the posting key's signature on a participant id (`crypto.md` section 6.2).

use wire::ids::{ParticipantId, SessionId};

use crate::keys::EpochKeys;
use crate::signature::{SIGNATURE_LEN, VerificationKey};

/// Makes a participant's certificate; none without the full secret. The posting seed lives no longer than this call.
pub fn make(keys: &EpochKeys, participant: &ParticipantId) -> Option<[u8; SIGNATURE_LEN]> {
    let seed = keys.posting_seed()?;
    Some(seed.sign(&text(keys.session_id(), keys.epoch(), participant)))
}

/// Whether a certificate gives a participant the right to write in an epoch.
pub fn verifies(
    posting_key: &VerificationKey,
    session: &SessionId,
    epoch: u32,
    participant: &ParticipantId,
    certificate: &[u8],
) -> bool {
    posting_key.verifies(&text(session, epoch, participant), certificate)
}

/// What is signed: 67 bytes.
fn text(session: &SessionId, epoch: u32, participant: &ParticipantId) -> Vec<u8> {
    let label: &[u8] = b"devpilot-session v1 certificate";
    [
        label,
        session.as_bytes(),
        &epoch.to_be_bytes(),
        participant.as_bytes(),
    ]
    .concat()
}
