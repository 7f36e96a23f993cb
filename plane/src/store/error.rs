//! What can go wrong in the store. It goes to the log, never to a caller.

/// Postgres' code for a lock that was not given in time.
const LOCKED: &str = "55P03";

/// The store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database can't be reached or refused the statement.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
    /// The database can't be brought up to date.
    #[error("the database can't be migrated")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// The database was made by a newer binary.
    #[error(
        "the database has a newer schema than this binary knows; run the newer binary, or restore a backup"
    )]
    NewerSchema,
    /// The database lacks migrations that this binary needs.
    #[error("the database has an older schema; run `devpilot-plane migrate`")]
    OlderSchema,
    /// The folder of the SQLite file can't be made.
    #[error("the data folder can't be made")]
    Folder(#[source] std::io::Error),
    /// The store failed while several changes were under way; whether this one was made is not known.
    #[error("the store failed, and whether the change was made is not known")]
    Unknown,
    /// The operating system gave no randomness.
    #[error("no randomness")]
    NoRandomness,
    /// A row holds what this binary never writes.
    #[error("a stored {0} can't be read")]
    Corrupt(&'static str),
}

impl StoreError {
    /// Whether a session was locked by somebody else for too long; others are not touched by that.
    pub(crate) fn is_locked(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(error)) if error.code().as_deref() == Some(LOCKED))
    }

    /// Whether trying again later may help: the database is away, busy or restarting.
    pub fn is_unavailable(&self) -> bool {
        match self {
            Self::Database(error) => match error {
                sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed
                | sqlx::Error::Io(_)
                | sqlx::Error::Tls(_)
                | sqlx::Error::Protocol(_) => true,
                sqlx::Error::Database(error) => error.code().is_some_and(|code| passes(&code)),
                _ => false,
            },
            Self::NewerSchema | Self::OlderSchema | Self::Unknown => true,
            Self::NoRandomness | Self::Migrate(_) | Self::Folder(_) | Self::Corrupt(_) => false,
        }
    }
}

/// Conditions that pass. Postgres has codes of five symbols: no connection (08), rolled back (40), no resources
/// (53), going down or starting (57), the system (58). SQLite has numbers, extended in the higher bits: busy
/// (5), locked (6), a failed read or write (10), full (13).
fn passes(code: &str) -> bool {
    if code.len() == 5 {
        return ["08", "40", "53", "57", "58"]
            .iter()
            .any(|class| code.starts_with(class));
    }
    code.parse::<u32>()
        .is_ok_and(|code| matches!(code & 0xff, 5 | 6 | 10 | 13))
}
