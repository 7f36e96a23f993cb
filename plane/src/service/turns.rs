//! How many waits and streams begin at a time. What beginning takes is several times what holding one does: thousands of
//! clients that come back together would have it all at once, and the process would not give it back.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::{Answer, ServiceError};
use crate::store::StoreError;

/// Beginnings at a time: more than the store has connections.
const AT_A_TIME: usize = 32;
/// How long one waits for its turn: as long as it would wait for a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// The turns.
#[derive(Debug)]
pub(crate) struct Turns(Semaphore);

impl Default for Turns {
    fn default() -> Self {
        Self(Semaphore::new(AT_A_TIME))
    }
}

impl Turns {
    /// A turn, in the order of asking; to be held until what begins has begun.
    ///
    /// # Errors
    /// `Store`: those before it take too long, since the store does.
    pub(super) async fn next(&self) -> Answer<SemaphorePermit<'_>> {
        match timeout(PATIENCE, self.0.acquire()).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_)) => Err(ServiceError::Draining),
            Err(_) => Err(StoreError::Unknown.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn so_many_begin_at_a_time_the_next_when_one_has_begun_and_none_waits_for_ever() {
        let turns = Turns::default();
        let mut held = Vec::new();
        for _ in 0..AT_A_TIME {
            held.push(turns.next().now_or_never().unwrap().unwrap());
        }
        assert!(turns.next().now_or_never().is_none());
        held.pop();
        held.push(turns.next().now_or_never().unwrap().unwrap());
        let refused = turns.next().await.unwrap_err();
        assert!(matches!(refused, ServiceError::Store(_)), "{refused:?}");
    }
}
