// The sizes and limits of version 1 (crypto.md sections 4.1, 7, 10.1, 11 and 13), in bytes where nothing else is said.

/** The longest text that is searched for a link. */
export const LINK_INPUT_MAX = 65_536;

/** The first byte of every sealed form and every epoch record. */
export const VERSION = 1;
export const ID_LEN = 16;
export const KEY_LEN = 32;
export const HASH_LEN = 32;
export const NONCE_LEN = 24;
export const TAG_LEN = 16;
export const SIGNATURE_LEN = 64;

/** The shortest frame, and the length up to which all frames are alike. */
export const FRAME_MIN = 512;
export const MESSAGE_FRAME_MAX = 258_048;
export const SMALL_FRAME_MAX = 3_968;
/** What sealing adds to a frame: version, nonce, tag. */
export const SEALED_OVERHEAD = 1 + NONCE_LEN + TAG_LEN;
/** The shortest sealed form of any kind. */
export const SEALED_MIN = SEALED_OVERHEAD + FRAME_MIN;
/** The longest JSON text of a message, and of a title, profile or goal. */
export const MESSAGE_JSON_MAX = 257_940;
export const SMALL_JSON_MAX = 3_900;

/** The deepest JSON that is written, the object itself counted. */
export const NESTING_WRITTEN_MAX = 16;
/** The deepest that is read; the native client's parser ends there too, so both refuse the same texts. */
export const NESTING_READ_MAX = 127;

/** The last seq, and the last epoch. */
export const SEQ_MAX = 0xffff_ffff;
export const EPOCH_MAX = 0xffff_ffff;

export const EPOCH_HEADER_LEN = 169;
export const HISTORY_BLOCK_LEN = 72;
export const ENTRY_LEN = 97;
export const ENTRIES_MAX = 256;

/** Plaintext of a full chunk of an attachment. */
export const CHUNK_LEN = 1_048_576;
export const FILE_MAX = 67_108_864;
