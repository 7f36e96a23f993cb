//! What can go wrong in the store.

use std::path::PathBuf;

/// The store can't be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Its folder or file can't be made.
    #[error("{} can't be used: {source}. Name another folder with --data.", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// The system's word.
        source: std::io::Error,
    },
    /// A newer version of this program wrote it.
    #[error(
        "{} was written by a newer version of this program. Update this one, or name another folder with --data.",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
    },
    /// It can't be brought up to date.
    #[error("the history's file can't be brought up to date: {0}. Move it away to start a new one.")]
    Migrate(sqlx::migrate::MigrateError),
    /// It failed.
    #[error("the history's file failed: {0}")]
    Database(#[from] sqlx::Error),
}
