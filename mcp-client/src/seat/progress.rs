//! The part of a seat that moves with every post and every read, in a file of its own beside the seat's:
//! `<participant>.progress`.
//!
//! It is appended to, one line a step, and the last whole line counts: one wait for the disk makes a step durable, where
//! replacing the seat's file takes two and writes everything else again. A line belongs to the revision of the seat's
//! file it was written after; a replaced file leaves older lines behind without effect.

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wire::timestamp::Timestamp;
use zeroize::Zeroizing;

use super::pending::Pending;
use super::state::{Head, SeatState};
use crate::home::{HomeError, files};

/// A file longer than this is folded into the seat's own with the next step.
pub(super) const FOLD_AT: u64 = 256 * 1024;

/// What a line holds.
#[derive(Serialize, Deserialize)]
struct Progress {
    revision: u64,
    cursor: u64,
    head: Option<Head>,
    pending: Pending,
    expires_at: Option<Timestamp>,
}

/// The last whole line, and how long the file is.
#[derive(Default)]
pub(super) struct Found {
    line: Option<Zeroizing<Vec<u8>>>,
    pub(super) length: u64,
}

pub(super) fn path(seat: &Path) -> PathBuf {
    seat.with_extension("progress")
}

/// How long the file is; 0 if there is none.
pub(super) fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// To be read before the seat's file: a line of the revision found there is then never older than that file.
pub(super) fn read(path: &Path) -> Result<Found, HomeError> {
    let Some(bytes) = files::read(path)? else {
        return Ok(Found::default());
    };
    // What follows the last line end is the torn line of a writer that died: nothing was sent after it.
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .and_then(|end| bytes.get(..end))
        .unwrap_or_default();
    let line = whole
        .rsplit(|byte| *byte == b'\n')
        .next()
        .filter(|line| !line.is_empty());
    Ok(Found {
        line: line.map(|line| Zeroizing::new(line.to_vec())),
        length: bytes.len() as u64,
    })
}

impl Found {
    /// Brings a state up to date, if the line belongs to it.
    pub(super) fn apply(&self, state: &mut SeatState) {
        let Some(line) = &self.line else { return };
        match serde_json::from_slice::<Progress>(line) {
            Ok(progress) if progress.revision == state.revision => {
                state.cursor = progress.cursor;
                state.head = progress.head;
                state.pending = progress.pending;
                state.expires_at = progress.expires_at;
            }
            Ok(_) => {}
            Err(_) => tracing::warn!("a seat's progress could not be read; what the plane has is read again"),
        }
    }
}

/// Takes out of a state what a line holds; what is left moves seldom.
pub(super) fn take_out(state: &mut SeatState) {
    state.cursor = 0;
    state.head = None;
    state.pending = Pending::default();
    state.expires_at = None;
}

/// Appends a line and gives the file's new length. With `durable`, waits for the disk.
pub(super) fn append(path: &Path, state: &SeatState, durable: bool) -> Result<u64, HomeError> {
    let error = |source| HomeError::io(path, source);
    let progress = Progress {
        revision: state.revision,
        cursor: state.cursor,
        head: state.head,
        pending: state.pending.clone(),
        expires_at: state.expires_at,
    };
    let line = files::to_json(path, &progress)?;
    let mut file = files::open_private(path)?;
    let end = file.seek(SeekFrom::End(0)).map_err(error)?;
    if end > 0 {
        let mut last = [0];
        file.seek(SeekFrom::Start(end - 1)).map_err(error)?;
        file.read_exact(&mut last).map_err(error)?;
        if last != *b"\n" {
            file.write_all(b"\n").map_err(error)?;
        }
    }
    file.write_all(&line).map_err(error)?;
    if durable {
        file.sync_data().map_err(error)?;
    }
    file.stream_position().map_err(error)
}

/// Empties the file once the seat's own holds everything. What is left after a crash in between is of an older revision.
pub(super) fn clear(path: &Path) -> Result<(), HomeError> {
    match OpenOptions::new().write(true).open(path) {
        Ok(file) => file.set_len(0).map_err(|source| HomeError::io(path, source)),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(HomeError::io(path, source)),
    }
}
