//! Who is told when others wrote: subscribers to a transcript, in both eras of the protocol.
//!
//! Up to 2025-11-25 a host subscribes to an address and the connection is told; from 2026-07-28 on each listening
//! request is. Either way what goes out is the address alone, never a word of what was written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{RequestId, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use wire::ids::SessionId;

use super::resources;

/// The most sessions that one follower follows.
const MOST: usize = 256;

/// What a follower is, and how it is reached.
#[derive(Clone)]
enum Outlet {
    /// The connection.
    Connection(Peer<RoleServer>),
    /// A listening request.
    Listening(SubscriptionSink),
}

impl Outlet {
    /// Whether both are the same follower.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Connection(_), Self::Connection(_)) => true,
            (Self::Listening(one), Self::Listening(other)) => one.id() == other.id(),
            _ => false,
        }
    }

    async fn tell(&self, session: &SessionId) {
        let uri = resources::uri(session);
        // A host that is gone is noticed where its next answer is written.
        match self {
            Self::Connection(peer) => {
                let _ = peer
                    .notify_resource_updated(ResourceUpdatedNotificationParam::new(uri))
                    .await;
            }
            Self::Listening(sink) => {
                let _ = sink.notify_resource_updated(uri).await;
            }
        }
    }
}

/// One follower, and up to which message of each session it has been told.
struct Follower {
    outlet: Outlet,
    told: BTreeMap<SessionId, u64>,
}

/// All followers. Cheap to clone: clones share one state.
#[derive(Clone, Default)]
pub(super) struct Subscriptions {
    followers: Arc<Mutex<Vec<Follower>>>,
}

impl Subscriptions {
    /// The connection follows a session, of which it knows everything up to `newest`. False if it follows too many.
    pub(super) fn subscribe(&self, peer: Peer<RoleServer>, session: SessionId, newest: u64) -> bool {
        self.follow(Outlet::Connection(peer), [(session, newest)])
    }

    /// The connection no longer follows a session.
    pub(super) fn unsubscribe(&self, session: &SessionId) {
        let mut followers = self.followers();
        for follower in followers.iter_mut() {
            if matches!(follower.outlet, Outlet::Connection(_)) {
                follower.told.remove(session);
            }
        }
        followers.retain(|follower| !follower.told.is_empty());
    }

    /// A listening request follows sessions, until what is returned is dropped.
    pub(super) fn listen(
        &self,
        sink: SubscriptionSink,
        sessions: impl IntoIterator<Item = (SessionId, u64)>,
    ) -> Listening {
        let id = sink.id().clone();
        self.follow(Outlet::Listening(sink), sessions);
        Listening {
            subscriptions: self.clone(),
            id,
        }
    }

    /// The sessions that somebody follows.
    pub(super) fn sessions(&self) -> Vec<SessionId> {
        let followers = self.followers();
        let followed = followers
            .iter()
            .flat_map(|follower| follower.told.keys().copied());
        let mut sessions: Vec<SessionId> = followed.collect();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    }

    /// Tells everybody who follows this session and has not been told of its newest message by somebody else.
    pub(super) async fn tell(&self, session: &SessionId, newest: u64) {
        for outlet in self.untold(session, newest) {
            outlet.tell(session).await;
        }
    }

    /// Who is to be told; from then on they count as told.
    fn untold(&self, session: &SessionId, newest: u64) -> Vec<Outlet> {
        let mut followers = self.followers();
        followers
            .iter_mut()
            .filter_map(|follower| {
                let told = follower.told.get_mut(session).filter(|told| **told < newest)?;
                *told = newest;
                Some(follower.outlet.clone())
            })
            .collect()
    }

    fn follow(&self, outlet: Outlet, sessions: impl IntoIterator<Item = (SessionId, u64)>) -> bool {
        let mut followers = self.followers();
        let at = followers.iter().position(|known| known.outlet.is(&outlet));
        let mut follower = match at {
            Some(at) => followers.swap_remove(at),
            None => Follower {
                outlet,
                told: BTreeMap::new(),
            },
        };
        let mut all = true;
        for (session, newest) in sessions {
            if follower.told.len() >= MOST {
                all = false;
                break;
            }
            follower.told.insert(session, newest);
        }
        followers.push(follower);
        all
    }

    fn followers(&self) -> MutexGuard<'_, Vec<Follower>> {
        self.followers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listening request that follows; dropping it ends that.
pub(super) struct Listening {
    subscriptions: Subscriptions,
    id: RequestId,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut followers = self.subscriptions.followers();
        followers.retain(|follower| match &follower.outlet {
            Outlet::Listening(sink) => *sink.id() != self.id,
            Outlet::Connection(_) => true,
        });
    }
}

#[cfg(test)]
mod tests;
