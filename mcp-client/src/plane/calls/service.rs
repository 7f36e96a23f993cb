//! Whether a plane is there at all.

use std::time::SystemTime;

use reqwest::Method;
use wire::api::Health;

use super::Plane;
use crate::plane::http::Call;
use crate::plane::{Deadline, PlaneError};

/// A plane that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alive {
    /// Its version, as it says; `unknown` if that is none.
    pub version: String,
    /// What time it has, to the second.
    pub date: Option<SystemTime>,
}

impl Plane {
    /// Asks once whether it is there. Says nothing about this machine but its address.
    ///
    /// # Errors
    /// What the way to the plane gives.
    pub async fn alive(&self, until: Deadline) -> Result<Alive, PlaneError> {
        let call = Call::new(Method::GET, &self.origin, "/healthz".to_owned());
        let good = self.http.once(&call, until).await?;
        let Health { version, .. } = self.parse(&good)?;
        let plain = |symbol: u8| symbol.is_ascii_alphanumeric() || matches!(symbol, b'.' | b'-' | b'+');
        let fits = (1..=32).contains(&version.len()) && version.bytes().all(plain);
        Ok(Alive {
            version: if fits { version } else { "unknown".to_owned() },
            date: good.date,
        })
    }
}
