//! Sizes fixed by the cryptography (`crypto.md` sections 7, 10.1, 11 and 13), in bytes.

/// The shortest sealed form of any kind.
pub const SEALED_MIN: usize = 553;
/// The longest sealed message.
pub const SEALED_MESSAGE_MAX: usize = 258_089;
/// The longest sealed title, profile or goal.
pub const SEALED_SMALL_MAX: usize = 4_009;
/// The longest JSON text inside a message.
pub const MESSAGE_JSON_MAX: usize = 257_940;
/// The longest JSON text inside a title, profile or goal.
pub const SMALL_JSON_MAX: usize = 3_900;
/// The first byte of every sealed form of this version.
pub const SEALED_VERSION: u8 = 1;
/// Entries in one epoch record.
pub const EPOCH_ENTRIES_MAX: usize = 256;
/// The last possible seq.
pub const SEQ_MAX: u64 = u32::MAX as u64;
/// Plaintext bytes of a full attachment chunk.
pub const CHUNK: usize = 1_048_576;
/// The largest attachment.
pub const FILE_MAX: u64 = 67_108_864;
