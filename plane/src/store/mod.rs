//! The store: Postgres or SQLite behind one type. It speaks SQL and nothing of HTTP.

/// The store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database can't be reached or refused the statement.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}
