// crypto.md a second time: all the cryptography of a session, for the page. No I/O but the browser's random generator and
// its WebCrypto, and a part of itself that is loaded when it is needed; no clock, no DOM; throws only SealError, and Unloaded
// where that part does not come. The way through it: findLink gives a Link; its secret, checked with an epoch record, gives
// EpochKeys for a Keyring; an Identity signs; sealMessage and sealProfile seal; a Transcript accepts records in order and
// learns into a Roster who may write.
export { advice } from "./advice";
export { AttachmentOpening, openAttachment, sealedChunkLengths, type Offer } from "./attachment";
export { equal, type Bytes } from "./bytes";
export { fromBase64Url, toBase64Url, toHex } from "./encoding";
export { parseEpochRecord, type Commitments, type EpochRecord, type EpochType } from "./epoch-record";
export { codeOf, SealError, type SealErrorCode } from "./error";
export { openHistory, openPast } from "./history";
export { loadHpke, Unloaded } from "./hpke-part";
export * from "./ids";
export { Identity, participantIdOf, type PublicKeys } from "./identity";
export { isObject, parseObject, type JsonObject, type JsonValue } from "./json";
export { entryKeys, EpochKeys, Keyring, proofOf, type HeldKeys, type ReadingKeys } from "./keys";
export * as limits from "./limits";
export { findLink } from "./link/find";
export { formatLink, type Link } from "./link/link";
export { isExposed, isSessionLink, redact } from "./link/redact";
export { openMessage, sealMessage, type Head, type Message } from "./message";
export { openProfile, sealProfile, type Profile } from "./profile";
export { type Author } from "./record";
export { openRekey, type Owner } from "./rekey";
export { makeAdminRekey, makeCreation, makeOwnerRekey, type Kept, type NewEpoch } from "./rekey-make";
export { Roster, type Known, type Learned } from "./roster";
export { Secret, type LinkKind, type LinkSecret } from "./secret";
export { openGoal, openTitle, sealGoal, sealTitle } from "./small";
export { ownerInForce } from "./succession";
export { type Reader } from "./transcript/admission";
export { headText } from "./transcript/chain";
export { type Access, type EpochChange, type Outcome, type Standing } from "./transcript/outcome";
export { fromWire, type RawRecord, type WireRecord } from "./transcript/raw";
export { Transcript, type Checkpoint, type KeptTranscript } from "./transcript/transcript";
