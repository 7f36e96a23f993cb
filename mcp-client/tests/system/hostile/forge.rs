//! Sealed records made by hand, from `crypto.md` sections 3, 6.2 and 7 alone: what a program without our rules can seal.

use chacha20poly1305::XChaCha20Poly1305;
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{AeadInOut as _, KeyInit as _};
use ed25519_dalek::{Signer as _, SigningKey};
use hkdf::Hkdf;
use seal::keys::EpochKeys;
use seal::secret::LinkKind;
use serde_json::Value;
use sha2::Sha256;
use wire::ids::ParticipantId;

/// The frame of everything short.
const FRAME: usize = 512;

/// What is sealed as whose.
pub(super) struct Forgery<'a> {
    /// Its kind: 1 a message, 3 a profile.
    pub(super) kind: u8,
    /// The epoch's keys, of which the view secret alone is used.
    pub(super) keys: &'a EpochKeys,
    /// Who is said to have written it.
    pub(super) author: &'a ParticipantId,
    /// The message's id, or zeros.
    pub(super) item: [u8; 16],
    /// The seed that signs it.
    pub(super) seed: &'a [u8; 32],
}

impl Forgery<'_> {
    /// The sealed form of `rest`.
    pub(super) fn seal(&self, rest: &[u8]) -> Vec<u8> {
        let session = self.keys.session_id().as_bytes();
        let epoch = self.keys.epoch().to_be_bytes();
        let aad = [
            &[1, self.kind],
            &session[..],
            &epoch,
            self.author.as_bytes(),
            &self.item,
        ]
        .concat();
        let signed = [b"devpilot-session v1 record", &aad[..], rest].concat();
        let signature = SigningKey::from_bytes(self.seed).sign(&signed).to_bytes();
        let content = [&signature, rest].concat();
        let mut frame = u32::try_from(content.len()).unwrap().to_be_bytes().to_vec();
        frame.extend(content);
        assert!(frame.len() <= FRAME, "the forgery is too long for this file");
        frame.resize(FRAME, 0);

        let view = self.keys.link_secret(LinkKind::View).unwrap();
        let salt = [&session[..], &epoch].concat();
        let mut key = [0; 32];
        Hkdf::<Sha256>::new(Some(&salt), view.expose())
            .expand(b"devpilot-session v1 content", &mut key)
            .unwrap();
        let nonce: [u8; 24] = seal::random::bytes().unwrap();
        let tag: [u8; 16] = XChaCha20Poly1305::new((&key).into())
            .encrypt_inout_detached((&nonce).into(), &aad, InOutBuf::from(&mut frame[..]))
            .unwrap()
            .into();
        [&[1], &nonce[..], &frame, &tag].concat()
    }
}

/// A certificate for `who` by any key.
pub(super) fn certificate(seed: &[u8; 32], keys: &EpochKeys, who: &ParticipantId) -> [u8; 64] {
    let text = [
        &b"devpilot-session v1 certificate"[..],
        keys.session_id().as_bytes(),
        &keys.epoch().to_be_bytes(),
        who.as_bytes(),
    ]
    .concat();
    SigningKey::from_bytes(seed).sign(&text).to_bytes()
}

/// A message's rest: the head of somebody who has read nothing, and the JSON.
pub(super) fn message_rest(keys: &EpochKeys, json: &Value) -> Vec<u8> {
    let head = wire::transcript::start(keys.session_id());
    [&0_u64.to_be_bytes()[..], &head, json.to_string().as_bytes()].concat()
}
