//! What can go wrong, by the names of `crypto.md` section 14.
//!
//! A name is stable and machine-readable. Neither it nor the sentence beside it carries a secret or a
//! plaintext, so both may be logged and shown. They are for the person in front of the client: what failed
//! to open, and why, is not reported to the plane.

use std::fmt;

/// The advice for a link that did not arrive whole; two names share it (`crypto.md` section 4.1).
const LINK_DAMAGED: &str =
    "the link is incomplete or was changed on the way; ask for it again, best as plain text";

macro_rules! errors {
    ($($(#[$doc:meta])* $variant:ident $name:literal $advice:expr;)*) => {
        /// A refusal, under its name of `crypto.md` section 14.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Error {
            $($(#[$doc])* $variant,)*
        }

        impl Error {
            /// Every error, in the order of section 14.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable, machine-readable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What happened and what to do next, for a person.
            pub const fn advice(self) -> &'static str {
                match self {
                    $(Self::$variant => $advice,)*
                }
            }

            /// The error of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|error| error.name() == name)
            }
        }
    };
}

errors! {
    /// A text is not the one canonical spelling of a value.
    BadEncoding "bad_encoding" "a value is not spelled as it must be; nothing was taken from it";
    /// An X25519 public key gives an all-zero result, so nothing can be sealed to it.
    BadPublicKey "bad_public_key" "this participant's key cannot be used; re-key without it and let it join anew";
    /// More text than a link is looked for in.
    InputTooLong "input_too_long" "the text is longer than 65,536 bytes; paste only the part with the link";
    /// No link in the text.
    LinkMissing "link_missing" "there is no session link in this text; copy the whole note again";
    /// The address is there, the part after the `#` is not.
    LinkNoKey "link_no_key" "the link lacks the part after the #; ask for the whole link, best as plain text";
    /// A link of another version.
    LinkVersion "link_version" "this link is of another version; update this program";
    /// A link that was cut.
    LinkTruncated "link_truncated" LINK_DAMAGED;
    /// A link that was changed.
    LinkChecksum "link_checksum" LINK_DAMAGED;
    /// More than one link in the text.
    LinkAmbiguous "link_ambiguous" "there are different session links in this text; paste only the one to join";
    /// A link over plain HTTP to another machine.
    LinkInsecure "link_insecure" "the link is not https; ask the sender for an https link";
    /// A link for epoch 0, which does not exist.
    LinkEpoch "link_epoch" "the link names an epoch that cannot exist; ask for a new one";
    /// A secret and an epoch record do not belong together.
    VerifierMismatch "verifier_mismatch" "the plane's epoch record does not fit the link; do not go on, tell the sender";
    /// Shorter than any sealed form.
    BlobTruncated "blob_truncated" "a sealed record is cut short; it cannot be read";
    /// A sealed form of another version.
    VersionUnknown "version_unknown" "a sealed record is of another version; update this program";
    /// Longer than its kind allows.
    TooLarge "too_large" "this is larger than a session carries; make it shorter or split it";
    /// The ciphertext, or what it is bound to, was changed.
    AuthFailed "auth_failed" "a sealed record was changed, or moved from where it belongs; it cannot be read";
    /// The frame inside is not padded by the rule.
    BadPadding "bad_padding" "a sealed record is not laid out by the rules; it cannot be read";
    /// No valid profile of the author was seen.
    AuthorUnknown "author_unknown" "the author of a record is not known; ask the plane for the participants";
    /// The signature is not the author's.
    BadSignature "bad_signature" "a record is not signed by who it says it is from; do not believe it";
    /// The author has no right to write in the record's epoch.
    NotCertified "not_certified" "the author of a record was not let in to write in its epoch; do not believe it";
    /// What is inside does not have the form of its kind.
    BadContent "bad_content" "the content of a record does not have the form it must have";
    /// The keys in a profile are not those of the participant id.
    ProfileKeyMismatch "profile_key_mismatch" "a profile holds keys of another participant; it is not taken";
    /// A record is not the next one.
    SeqGap "seq_gap" "the plane left out or repeated a record; nothing further is accepted from it";
    /// A record does not have the form of its class.
    BadRecord "bad_record" "the plane sent a record of an impossible form; nothing further is accepted from it";
    /// A record of another epoch than the one in force.
    EpochOrder "epoch_order" "the plane sent a record of another epoch than the one in force; nothing further is accepted from it";
    /// A message id that was there before.
    Replay "replay" "the plane sent a message a second time; nothing further is accepted from it";
    /// The plane went back behind what was accepted.
    Rollback "rollback" "the plane shows another history than before; nothing further is accepted from it, ask its operator";
    /// One's own record is missing or changed, or there is one that was never sent.
    OwnRecordMismatch "own_record_mismatch" "what was sent from here and what the plane holds differ; nothing further is accepted. If this machine's files were restored from a backup or copied, join again with the session's link: everything is then checked anew. Otherwise the plane lost or changed messages; ask its operator";
    /// The sender has seen another history.
    Fork "fork" "the sender of this message has seen another history; compare heads with that person before going on";
    /// The sender claims to have seen records that do not exist yet.
    HeadAhead "head_ahead" "the sender of this message claims to have seen later records than there are; compare heads with that person";
    /// The sender claims to have seen less than before.
    HeadRegressed "head_regressed" "the sender of this message has gone back in history; compare heads with that person";
    /// A notice that is not an object with an event.
    BadNotice "bad_notice" "a notice of the plane cannot be understood; its text is withheld";
    /// A member event that is not one, or is about another id.
    BadMember "bad_member" "a member event of the plane cannot be understood; its text is withheld";
    /// Bytes that are no epoch record of this session.
    EpochRecordMalformed "epoch_record_malformed" "the plane sent something that is no epoch record; nothing further is accepted from it";
    /// A re-key that does not come from the owner in force.
    RekeyNotOwner "rekey_not_owner" "a re-key does not come from the owner of the session; nothing further is accepted";
    /// A re-key that leaves this participant out.
    RekeyRemoved "rekey_removed" "the owner re-keyed the session without this participant; ask for a new link";
    /// This participant's entry in a re-key does not open.
    RekeyAuth "rekey_auth" "the new secret in a re-key does not open; ask the owner for a new link";
    /// The epoch before may not be read from this one.
    HistoryClosed "history_closed" "the history before the re-key was closed; who was there can tell";
    /// Chunks in another number or of other lengths than the size implies.
    AttachSize "attach_size" "the attachment has another size than its message says; ask for it again";
    /// A chunk was changed.
    AttachAuth "attach_auth" "a part of the attachment was changed; ask for it again";
    /// The chunks are not those the message names.
    AttachDigest "attach_digest" "the attachment is not the one its message names; ask for it again";
    /// A limit of section 13 would be passed.
    LimitReached "limit_reached" "a limit of this session is reached; re-key it or start a new session";
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name(), self.advice())
    }
}

impl std::error::Error for Error {}

impl From<wire::encoding::BadEncoding> for Error {
    fn from(_: wire::encoding::BadEncoding) -> Self {
        Self::BadEncoding
    }
}

impl From<wire::epoch_record::Malformed> for Error {
    fn from(_: wire::epoch_record::Malformed) -> Self {
        Self::EpochRecordMalformed
    }
}
