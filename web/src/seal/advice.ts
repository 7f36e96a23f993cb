// What each refusal means for the person who reads it, and what to do next. One sentence a name; nothing of the
// input is ever quoted.
import type { SealErrorCode } from "./error";

// Two names share it: to a person a cut link and a changed one are the same thing (crypto.md section 4.1).
const LINK_DAMAGED =
  "The link is incomplete or was changed on the way. Ask for it again, best as plain text.";

export const advice: Readonly<Record<SealErrorCode, string>> = {
  bad_encoding: "A value is not spelled as it must be. Nothing was taken from it.",
  bad_public_key: "The key of this participant cannot be used. Re-key without them and let them join anew.",
  input_too_long: "This text is longer than 65,536 bytes. Paste only the part with the link.",
  link_missing: "There is no session link in this text. Copy the whole note again.",
  link_no_key: "The link lacks the part after the #. Ask for the whole link, best as plain text.",
  link_version: "This link is of another version. Ask the operator of this page to update it.",
  link_truncated: LINK_DAMAGED,
  link_checksum: LINK_DAMAGED,
  link_ambiguous: "There are different session links in this text. Paste only the one to join.",
  link_insecure: "The link is not https. Ask the sender for an https link.",
  link_epoch: "The link names an epoch that cannot exist. Ask for a new one.",
  verifier_mismatch:
    "What the server says of this session does not fit the link. Do not go on; tell the sender.",
  blob_truncated: "This record is cut short and cannot be read.",
  version_unknown: "This record is of another version. Ask the operator of this page to update it.",
  too_large: "This is larger than a session carries. Make it shorter, or split it.",
  auth_failed: "This record was changed, or moved from where it belongs, and cannot be read.",
  bad_padding: "This record is not laid out by the rules and cannot be read.",
  author_unknown: "The author of this record is not known here, so it cannot be checked.",
  bad_signature: "This record is not signed by who it says it is from. Do not believe it.",
  not_certified: "The author of this record was not let in to write at that time. Do not believe it.",
  bad_content: "The content of this record does not have the form it must have.",
  profile_key_mismatch: "This profile holds the keys of another participant. It is not taken.",
  seq_gap: "The server left out or repeated a record. Nothing further is accepted from it.",
  bad_record: "The server sent a record of an impossible form. Nothing further is accepted from it.",
  epoch_order:
    "The server sent a record of another epoch than the one in force. Nothing further is accepted from it.",
  replay: "The server sent a message a second time. Nothing further is accepted from it.",
  rollback:
    "The server shows another history than before. Nothing further is accepted from it; ask its operator.",
  own_record_mismatch:
    "The server does not hold what was sent from here. Nothing further is accepted from it.",
  fork: "The sender of this message has seen another history. Compare heads with that person before going on.",
  head_ahead:
    "The sender of this message claims to have seen later records than there are. Compare heads with that person.",
  head_regressed: "The sender of this message has gone back in history. Compare heads with that person.",
  bad_notice: "A notice of the server cannot be understood. Its text is withheld.",
  bad_member: "An event of the server cannot be understood. Its text is withheld.",
  epoch_record_malformed:
    "The server sent something that is no epoch record. Nothing further is accepted from it.",
  rekey_not_owner: "A re-key does not come from the owner of the session. Nothing further is accepted.",
  rekey_removed: "The owner re-keyed the session without this participant. Ask for a new link.",
  rekey_auth: "The new secret in a re-key does not open. Ask the owner for a new link.",
  history_closed: "The history before the re-key was closed. Those who were there can tell.",
  attach_size: "The file has another size than its message says. Ask for it again.",
  attach_auth: "A part of the file was changed. Ask for it again.",
  attach_digest: "The file is not the one its message names. Ask for it again.",
  limit_reached: "A limit of this session is reached. Re-key it, or start a new session.",
};
