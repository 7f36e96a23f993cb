//! What the plane and its clients say to each other.
//!
//! Ids, strict encodings, the API's JSON types, the epoch record's layout, the transcript hash, the
//! plaintext events and the problem codes. This room does no I/O, reads no clock, holds no key and
//! knows no cipher: the plane links it, and must not be able to open a record.
//!
//! Sources: `crypto.md` sections 2, 8, 9.1 and 10.1; `plane-api.md`; `modes.md`.

pub mod api;
pub mod encoding;
pub mod epoch_record;
pub mod event;
pub mod ids;
pub mod problem;
pub mod sizes;
pub mod timestamp;
pub mod token;
pub mod transcript;
