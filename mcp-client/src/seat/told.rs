//! Of what is unread at a seat, what a host's own sessions were told of already: `<participant>.told`, beside the seat.
//!
//! It holds numbers and no text. Losing it loses nothing: something is then told once more.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wire::timestamp::Timestamp;
use wire::transcript::sha256;

use super::error::SeatError;
use super::store::Seat;
use crate::home::{HomeError, files};

/// The format this version writes.
const VERSION: u64 = 1;
/// Sessions of hosts that are remembered; the one told longest ago is forgotten first.
const HOSTS_MAX: usize = 32;
/// Hex digits by which a host's session is known here: what a host calls it may be long, and is nobody's business.
const NAME: usize = 16;

/// What one session of a host was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// When it was told last.
    pub at: Timestamp,
    /// That something is unread, up to this seq.
    pub unread: u64,
    /// To go on, because of messages up to this seq.
    pub go_on: u64,
}

/// What the sessions of hosts were told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    version: u64,
    hosts: BTreeMap<String, Mark>,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            version: VERSION,
            hosts: BTreeMap::new(),
        }
    }
}

impl Told {
    /// What a session of a host was told; none before the first time.
    pub fn of(&self, host_session: &str) -> Option<Mark> {
        self.hosts.get(&name(host_session)).copied()
    }

    /// Notes what a session of a host is told now.
    pub fn note(&mut self, host_session: &str, mark: Mark) {
        self.hosts.insert(name(host_session), mark);
        while self.hosts.len() > HOSTS_MAX {
            let oldest = self.hosts.iter().min_by_key(|(_, mark)| mark.at);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else {
                return;
            };
            self.hosts.remove(&oldest);
        }
    }
}

fn name(host_session: &str) -> String {
    let hash = sha256(host_session.as_bytes());
    let digits = hash.iter().take(NAME / 2);
    digits.map(|byte| format!("{byte:02x}")).collect()
}

impl Seat {
    /// What hosts were told of this seat. A damaged file is set aside, and counts as nothing told.
    ///
    /// # Errors
    /// The file can't be read, or a newer version wrote it.
    pub fn told(&self) -> Result<Told, SeatError> {
        match files::read_json(&self.told_file(), VERSION, "Something may be told once more.") {
            Ok(told) => Ok(told.unwrap_or_default()),
            Err(HomeError::Damaged { .. }) => Ok(Told::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps what hosts were told.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn keep_told(&self, told: &Told) -> Result<(), SeatError> {
        let path = self.told_file();
        let json = files::to_json(&path, told)?;
        // What a loss of power takes is told once more.
        files::replace_unsynced(&path, &json).map_err(|source| HomeError::io(&path, source))?;
        Ok(())
    }

    pub(super) fn told_file(&self) -> std::path::PathBuf {
        self.inner.file.with_extension("told")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_told_longest_ago_is_forgotten() {
        let mut told = Told::default();
        for at in (0..40).rev() {
            let mark = Mark {
                at: Timestamp::from_millis(at),
                unread: 1,
                go_on: 0,
            };
            told.note(&format!("host {at}"), mark);
        }
        assert_eq!(told.hosts.len(), HOSTS_MAX);
        assert!(told.of("host 39").is_some() && told.of("host 8").is_some());
        assert!(told.of("host 7").is_none() && told.of("another").is_none());
    }
}
