//! The part of a seat that moves with every post and every read, in a file of its own beside the seat's:
//! `<participant>.progress`.
//!
//! It is appended to, one line a step, and the last whole line counts: one wait for the disk makes a step durable, where
//! replacing the seat's file takes two and writes everything else again. A line belongs to the revision of the seat's
//! file it was written after; a replaced file leaves older lines behind without effect.
//!
//! Each line begins with a checksum, a file is begun with each revision, and after the last line stands a mark that the next
//! step writes over, so that damage and loss are seen, a cut at the end of a line as well. They are a fault of this machine:
//! the seat then goes on from its own file, and says so in [`SeatState::progress_lost`].

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use wire::timestamp::Timestamp;
use zeroize::Zeroizing;

use super::pending::Pending;
use super::state::{Begun, Head, SeatState, is_zero};
use crate::home::checked::{SUM, checksum};
use crate::home::{HomeError, files};

/// A file longer than this is folded into the seat's own, sooner or later by what the next step is.
pub(super) const FOLD_AT: u64 = 256 * 1024;

/// What stands after the last line.
const END: &[u8] = b"end\n";

/// How often a file without its end is looked at: whoever writes one takes less than a look.
const LOOKS: usize = 4;

/// What a line holds.
#[derive(Serialize, Deserialize)]
struct Progress {
    revision: u64,
    cursor: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<Begun>,
    #[serde(default, skip_serializing_if = "is_zero")]
    shown_for_me: u64,
    head: Option<Head>,
    pending: Pending,
    expires_at: Option<Timestamp>,
    #[serde(default)]
    lost: bool,
}

/// The last whole line, and how long the file is.
#[derive(Default)]
pub(super) struct Found {
    line: Option<Zeroizing<Vec<u8>>>,
    /// The mark of the end is not there: a writer that died, or a file that was cut.
    torn: bool,
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
    let mut found = look(path)?;
    for _ in 1..LOOKS {
        if !found.is_odd() {
            break;
        }
        std::thread::yield_now();
        found = look(path)?;
    }
    Ok(found)
}

fn look(path: &Path) -> Result<Found, HomeError> {
    let Some(bytes) = files::read(path)? else {
        return Ok(Found::default());
    };
    // Without the mark, what follows the last line end is the torn line of a writer that died, and nothing was sent after
    // it; or else the file was cut.
    let ended = bytes.strip_suffix(END);
    let lines = ended.unwrap_or(&bytes);
    let whole = lines
        .iter()
        .rposition(|byte| *byte == b'\n')
        .and_then(|end| lines.get(..end))
        .unwrap_or_default();
    let line = whole
        .rsplit(|byte| *byte == b'\n')
        .next()
        .filter(|line| !line.is_empty());
    Ok(Found {
        line: line.map(|line| Zeroizing::new(line.to_vec())),
        torn: ended.is_none() && !bytes.is_empty(),
        length: bytes.len() as u64,
    })
}

impl Found {
    /// Torn or damaged, or looked at while somebody was writing.
    fn is_odd(&self) -> bool {
        self.torn || self.line.as_ref().is_some_and(|line| parse(line).is_none())
    }

    /// Brings a state up to date, if the line belongs to it. False where the file is damaged.
    pub(super) fn apply(&self, state: &mut SeatState) -> bool {
        let Some(line) = &self.line else {
            state.progress_lost |= state.progress_kept;
            return true;
        };
        let Some(progress) = parse(line) else {
            state.progress_lost = true;
            return false;
        };
        if progress.revision == state.revision {
            state.cursor = progress.cursor;
            state.begun = progress.begun;
            state.shown_for_me = progress.shown_for_me;
            state.head = progress.head;
            state.pending = progress.pending;
            state.expires_at = progress.expires_at;
            state.progress_lost = progress.lost || self.torn;
        } else if progress.revision > state.revision {
            // The seat's file is an older one than these steps were made after.
            state.progress_lost = true;
        }
        true
    }
}

/// What a line says; none where its checksum or its form is wrong.
fn parse(line: &[u8]) -> Option<Progress> {
    let json = if line.starts_with(b"{") {
        line
    } else {
        let (sum, rest) = line.split_at_checked(SUM)?;
        let json = rest.strip_prefix(b" ")?;
        (sum == checksum(json).as_bytes()).then_some(json)?
    };
    serde_json::from_slice(json).ok()
}

/// A line and the mark after it.
fn line_of(path: &Path, state: &SeatState) -> Result<Zeroizing<Vec<u8>>, HomeError> {
    let progress = Progress {
        revision: state.revision,
        cursor: state.cursor,
        begun: state.begun,
        shown_for_me: state.shown_for_me,
        head: state.head,
        pending: state.pending.clone(),
        expires_at: state.expires_at,
        lost: state.progress_lost,
    };
    let json = files::to_json(path, &progress)?;
    let sum = checksum(json.strip_suffix(b"\n").unwrap_or(&json));
    let mut line = Zeroizing::new(Vec::with_capacity(json.len() + SUM + 1 + END.len()));
    line.extend_from_slice(sum.as_bytes());
    line.push(b' ');
    line.extend_from_slice(&json);
    line.extend_from_slice(END);
    Ok(line)
}

/// A copy of the state, if it differs from the one before in nothing but what a line holds. What else there is moves seldom.
pub(super) fn moved(before: &SeatState, state: &SeatState) -> Option<SeatState> {
    let mut next = state.clone();
    take_over(&mut next, before);
    let only = next == *before;
    take_over(&mut next, state);
    only.then_some(next)
}

fn take_over(state: &mut SeatState, from: &SeatState) {
    state.cursor = from.cursor;
    state.begun = from.begun;
    state.shown_for_me = from.shown_for_me;
    state.head = from.head;
    state.pending.clone_from(&from.pending);
    state.expires_at = from.expires_at;
    state.progress_lost = from.progress_lost;
}

/// Appends a line and gives the file's new length. With `durable`, waits for the disk.
pub(super) fn append(path: &Path, state: &SeatState, durable: bool) -> Result<u64, HomeError> {
    let error = |source| HomeError::io(path, source);
    let line = line_of(path, state)?;
    let mut file = files::open_private(path)?;
    let length = file.metadata().map_err(error)?.len();
    let start = end_of_lines(&mut file, length).map_err(error)?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(1 + line.len()));
    if start.torn {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(&line);
    let written = file
        .seek(SeekFrom::Start(start.at))
        .and_then(|_| file.write_all(&bytes));
    if let Err(source) = written {
        // A full disk: what was there before is whole again, as far as that takes no room.
        let back = file
            .set_len(start.at)
            .and_then(|()| file.seek(SeekFrom::Start(start.at)))
            .and_then(|_| if start.ended { file.write_all(END) } else { Ok(()) });
        if let Err(error) = back {
            tracing::warn!(%error, file = %path.display(), "a step that was not written could not be taken back");
        }
        return Err(error(source));
    }
    if durable {
        file.sync_data().map_err(error)?;
    }
    file.stream_position().map_err(error)
}

/// Waits for the disk with what was appended without.
pub(super) fn sync(path: &Path) -> Result<(), HomeError> {
    let synced = File::options()
        .write(true)
        .open(path)
        .and_then(|file| file.sync_data());
    match synced {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(HomeError::io(path, error)),
        _ => Ok(()),
    }
}

/// Where the next line goes.
struct Start {
    at: u64,
    /// The mark of the end is there.
    ended: bool,
    /// Not after a whole line.
    torn: bool,
}

fn end_of_lines(file: &mut File, length: u64) -> std::io::Result<Start> {
    let mut tail = [0; END.len()];
    let tail_length = END.len() as u64;
    if length < tail_length {
        return Ok(Start {
            at: length,
            ended: false,
            torn: length > 0,
        });
    }
    file.seek(SeekFrom::Start(length - tail_length))?;
    file.read_exact(&mut tail)?;
    let ended = tail == *END;
    Ok(Start {
        at: if ended { length - tail_length } else { length },
        ended,
        torn: tail.last() != Some(&b'\n'),
    })
}

/// Begins the file anew once the seat's own holds everything, in one step, so that no reader finds it empty. What is left
/// after a crash in between is of an older revision.
pub(super) fn begin(path: &Path, state: &SeatState) -> Result<u64, HomeError> {
    let line = line_of(path, state)?;
    files::replace_unsynced(path, &line).map_err(|source| HomeError::io(path, source))?;
    Ok(line.len() as u64)
}
