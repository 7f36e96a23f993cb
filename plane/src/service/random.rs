//! The operating system's randomness, for tokens and ids.

use super::{Answer, ServiceError};

/// `N` random bytes.
pub(super) fn random<const N: usize>() -> Answer<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| ServiceError::NoRandomness)?;
    Ok(bytes)
}
