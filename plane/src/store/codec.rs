//! From columns to types and back. What does not fit was not written by this binary, and is an error.

use wire::event::{Capability, Kind};
use wire::problem::EndCause;
use wire::timestamp::Timestamp;

use super::StoreError;

pub(super) fn id<T>(bytes: &[u8], make: fn([u8; 16]) -> T) -> Result<T, StoreError> {
    bytes.try_into().map(make).map_err(|_| StoreError::Corrupt("id"))
}

pub(super) fn maybe_id<T>(bytes: Option<&[u8]>, make: fn([u8; 16]) -> T) -> Result<Option<T>, StoreError> {
    bytes.map(|bytes| id(bytes, make)).transpose()
}

pub(super) fn hash(bytes: &[u8]) -> Result<[u8; 32], StoreError> {
    bytes.try_into().map_err(|_| StoreError::Corrupt("hash"))
}

pub(super) fn count(value: i64) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| StoreError::Corrupt("count"))
}

pub(super) fn small(value: i64) -> Result<u32, StoreError> {
    u32::try_from(value).map_err(|_| StoreError::Corrupt("count"))
}

/// A count as a column holds it. Beyond what one can hold it is the largest one.
pub(super) fn stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn millis(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::millis)
}

pub(super) const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Agent => "agent",
        Kind::Human => "human",
    }
}

pub(super) fn kind(word: &str) -> Result<Kind, StoreError> {
    [Kind::Agent, Kind::Human]
        .into_iter()
        .find(|kind| kind_word(*kind) == word)
        .ok_or(StoreError::Corrupt("kind"))
}

pub(super) const fn capability_word(capability: Capability) -> &'static str {
    match capability {
        Capability::Full => "full",
        Capability::View => "view",
    }
}

pub(super) fn capability(word: &str) -> Result<Capability, StoreError> {
    [Capability::Full, Capability::View]
        .into_iter()
        .find(|capability| capability_word(*capability) == word)
        .ok_or(StoreError::Corrupt("capability"))
}

pub(super) const fn cause_word(cause: EndCause) -> &'static str {
    match cause {
        EndCause::Ended => "ended",
        EndCause::Expired => "expired",
        EndCause::Purged => "purged",
    }
}

pub(super) fn cause(word: &str) -> Result<EndCause, StoreError> {
    [EndCause::Ended, EndCause::Expired, EndCause::Purged]
        .into_iter()
        .find(|cause| cause_word(*cause) == word)
        .ok_or(StoreError::Corrupt("cause"))
}
