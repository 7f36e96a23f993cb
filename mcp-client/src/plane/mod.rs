//! The HTTP client of the plane: typed calls over `wire::api`, each bounded in time, each cancelled by dropping it.
//!
//! This room knows origins, tokens, status codes and back-off. It knows no key and opens nothing, it never follows
//! a redirect, and it never sends a machine token to another origin than the one that issued it. What a plane or a
//! proxy writes as text is never passed on: callers get codes and word them themselves.

mod backoff;
mod calls;
mod error;
mod http;
mod origin;
mod proxy;
mod tls;

pub use calls::{Alive, Entry, Keeper, MachineToken, Plane};
pub use error::{PlaneError, Unsettled};
pub use http::{Http, HttpSettings};
pub use origin::{BadOrigin, Origin};
pub use proxy::{ProxyName, ProxySetting, ProxyTrouble};
pub use tls::{Authorities, Distrust, NoCertificate};

/// Until when a call may go on, retries included.
pub type Deadline = tokio::time::Instant;

/// The deadline some seconds from now.
pub fn within(seconds: u64) -> Deadline {
    Deadline::now() + std::time::Duration::from_secs(seconds)
}
