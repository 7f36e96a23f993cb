//! The seats of this machine: listing, making, opening, removing.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use wire::ids::{ParticipantId, SessionId};

use super::error::SeatError;
use super::lease::Lease;
use super::lock::Remembered;
use super::progress;
use super::state::{SeatState, VERSION};
use super::summary::SeatSummary;
use crate::home::{Home, HomeError, checked, files};
use crate::plane::Origin;

const REMEDY: &str =
    "Join the session again with its link; as a new participant, since this one's keys were in it.";

/// All seats of this machine.
#[derive(Debug, Clone)]
pub struct Seats {
    pub(super) home: Home,
    /// Planes that have a new address, by the old one.
    moved: Arc<BTreeMap<Origin, Origin>>,
}

/// What is in the sessions folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// Every seat that can be read, the one last used first.
    pub seats: Vec<SeatSummary>,
    /// One sentence for each file that can't, to be shown once: a damaged one has been set aside.
    pub problems: Vec<String>,
    /// Seats that were damaged, now or earlier, where they are kept.
    pub set_aside: Vec<PathBuf>,
}

/// One seat. Clones are the same seat; what one of them remembers the others know.
#[derive(Clone)]
pub struct Seat {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) home: Home,
    moved: Arc<BTreeMap<Origin, Origin>>,
    pub(super) session: SessionId,
    pub(super) participant: ParticipantId,
    pub(super) file: PathBuf,
    pub(super) progress: PathBuf,
    /// What this process last read or wrote, while the file is still that one.
    pub(super) remembered: Mutex<Option<Remembered>>,
    /// Keeps this process's own tasks in order, without polling the file lock.
    pub(super) turn: Arc<tokio::sync::Mutex<()>>,
    /// While this process holds the lock, under which alone the files change.
    pub(super) locked: AtomicBool,
}

impl Seats {
    /// The seats kept in a home.
    pub fn new(home: Home) -> Self {
        Self {
            home,
            moved: Arc::default(),
        }
    }

    /// The same, where a person said that planes have new addresses: seats at an old one are used at the new one.
    #[must_use]
    pub fn on_moved_planes(mut self, moved: BTreeMap<Origin, Origin>) -> Self {
        self.moved = Arc::new(moved);
        self
    }

    /// Every seat, without secrets, the one last used first.
    ///
    /// # Errors
    /// The sessions folder is there and can't be read. Single files that can't are in [`Listing::problems`].
    pub fn list(&self) -> Result<Listing, SeatError> {
        let mut listing = Listing::default();
        for folder in entries(&self.home.sessions_folder())? {
            let Some(session) = id_of::<SessionId>(&folder, "") else {
                continue;
            };
            let inside = match entries(&folder) {
                Ok(inside) => inside,
                // Other sessions go on.
                Err(error) => {
                    listing.problems.push(error.to_string());
                    continue;
                }
            };
            files::sweep_temporary(&folder, SystemTime::now());
            for file in inside {
                if is_set_aside_seat(&file) {
                    listing.set_aside.push(file);
                    continue;
                }
                let Some(participant) = id_of::<ParticipantId>(&file, ".json") else {
                    continue;
                };
                match checked::read_json::<SeatSummary>(&file, VERSION, REMEDY) {
                    Ok(Some(mut seat)) if seat.session == session && seat.participant == participant => {
                        move_on(&mut seat.plane, &self.moved);
                        listing.seats.push(seat);
                    }
                    Ok(Some(_)) => listing.problems.push(format!(
                        "{} holds another seat than its name says; it is not used.",
                        file.display()
                    )),
                    Ok(None) => {}
                    Err(error) => {
                        if let HomeError::Damaged { kept, .. } = &error {
                            listing.set_aside.push(kept.clone());
                        }
                        listing.problems.push(error.to_string());
                    }
                }
            }
        }
        listing
            .seats
            .sort_by_key(|seat| (std::cmp::Reverse(seat.last_used.at), seat.participant));
        Ok(listing)
    }

    /// As [`Seats::create`], leased from its first moment on: no other process ever finds it free.
    ///
    /// # Errors
    /// As [`Seats::create`] and [`Seat::try_lease`].
    pub fn create_leased(&self, state: &SeatState) -> Result<(Seat, Option<Lease>), SeatError> {
        let seat = self.seat(state.session, state.participant);
        self.make_folder(&state.session)?;
        let lease = seat.try_lease()?;
        Ok((self.create(state)?, lease))
    }

    /// Stores a new seat, before anything is sent for it.
    ///
    /// # Errors
    /// [`SeatError::Exists`]; the file can't be written.
    pub fn create(&self, state: &SeatState) -> Result<Seat, SeatError> {
        let seat = self.seat(state.session, state.participant);
        self.make_folder(&state.session)?;
        if seat.inner.file.exists() {
            return Err(SeatError::Exists {
                participant: state.participant,
            });
        }
        files::write_atomic(&seat.inner.file, &checked::to_json(&seat.inner.file, state)?)?;
        progress::begin(&seat.inner.progress, state)?;
        Ok(seat)
    }

    /// Opens a seat that is there.
    ///
    /// # Errors
    /// [`SeatError::Missing`]; the file can't be read, or was damaged and has been set aside.
    pub fn open(&self, session: &SessionId, participant: &ParticipantId) -> Result<Seat, SeatError> {
        let seat = self.seat(*session, *participant);
        seat.read()?;
        Ok(seat)
    }

    fn make_folder(&self, session: &SessionId) -> Result<(), HomeError> {
        self.home.make_folder(&self.home.sessions_folder())?;
        self.home.make_folder(&self.home.session_folder(session))
    }

    fn seat(&self, session: SessionId, participant: ParticipantId) -> Seat {
        let file = self.home.seat_file(&session, &participant);
        Seat {
            inner: Arc::new(Inner {
                home: self.home.clone(),
                moved: self.moved.clone(),
                session,
                participant,
                progress: progress::path(&file),
                file,
                remembered: Mutex::new(None),
                turn: Arc::default(),
                locked: AtomicBool::new(false),
            }),
        }
    }
}

impl Seat {
    /// The session.
    pub fn session(&self) -> &SessionId {
        &self.inner.session
    }

    /// The participant.
    pub fn participant(&self) -> &ParticipantId {
        &self.inner.participant
    }

    /// The home it is kept in.
    pub fn home(&self) -> &Home {
        &self.inner.home
    }

    /// The state as it is now, to look at. To change it, take the [lock](Seat::lock).
    ///
    /// # Errors
    /// [`SeatError::Missing`]; the file can't be read, or was damaged and has been set aside.
    pub fn read(&self) -> Result<Arc<SeatState>, SeatError> {
        if let Some(state) = self.inner.remembered() {
            return Ok(state);
        }
        let remembered = self.inner.load()?;
        let state = remembered.state();
        self.inner.remember(Some(remembered));
        Ok(state)
    }

    /// Removes the seat with its keys, and its handoff files. What it wrote stays in the session.
    ///
    /// # Errors
    /// A file is there and can't be removed.
    pub fn remove(self) -> Result<(), SeatError> {
        let state = self.read()?;
        crate::note::handoff::remove(&self.inner.home, &state.handoffs)?;
        self.inner.remember(None);
        remove_file(&self.inner.progress)?;
        remove_file(&self.told_file())?;
        remove_file(&self.inner.file)?;
        Ok(())
    }
}

impl Inner {
    fn load(&self) -> Result<Remembered, SeatError> {
        let missing = SeatError::Missing {
            session: self.session,
            participant: self.participant,
        };
        let found = match progress::read(&self.progress) {
            Err(error) if error.is_in_the_way() => {
                files::set_aside(&self.progress)?;
                progress::Found::default()
            }
            found => found?,
        };
        let (file, bytes) = match files::read_open(&self.file) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Err(missing),
            Err(HomeError::NotAFile { .. } | HomeError::TooLarge { .. }) => {
                return Err(files::damaged(&self.file, REMEDY)?.into());
            }
            Err(error) => return Err(error.into()),
        };
        let mut state: SeatState = checked::parse_json(&self.file, &bytes, VERSION, REMEDY)?;
        if (state.session, state.participant) != (self.session, self.participant) {
            return Err(missing);
        }
        move_on(&mut state.plane, &self.moved);
        let mut length = found.length;
        if !found.apply(&mut state) {
            files::set_aside(&self.progress)?;
            length = 0;
        }
        Remembered::new(file, &self.file, length, Arc::new(state))
    }
}

/// Puts the new address of a plane in place of an old one.
fn move_on(plane: &mut Origin, moved: &BTreeMap<Origin, Origin>) {
    if let Some(new) = moved.get(plane) {
        plane.clone_from(new);
    }
}

fn remove_file(path: &Path) -> Result<(), HomeError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(HomeError::io(path, error)),
        _ => Ok(()),
    }
}

/// The entries of a folder that may not be there yet.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, HomeError> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(entries.flatten().map(|entry| entry.path()).collect()),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(HomeError::io(folder, error)),
    }
}

fn is_set_aside_seat(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains(&format!(".json{}", files::SET_ASIDE))
}

fn id_of<T: std::str::FromStr>(path: &Path, suffix: &str) -> Option<T> {
    path.file_name()?.to_str()?.strip_suffix(suffix)?.parse().ok()
}
