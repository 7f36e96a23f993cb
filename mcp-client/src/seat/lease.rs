//! The lease of a seat: an MCP process is this participant while it lives.
//!
//! It is a lock on a file of its own, which the system ends with the process, however it dies.

use std::fmt;
use std::fs::{File, TryLockError};

use wire::event::Kind;
use wire::ids::SessionId;

use super::error::SeatError;
use super::store::{Seat, Seats};
use super::summary::SeatSummary;
use crate::home::{HomeError, files};

/// Held by a process that is this seat; dropping it frees the seat.
pub struct Lease {
    _file: File,
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lease")
    }
}

/// What an MCP process finds.
#[derive(Debug)]
pub enum LeaseOutcome {
    /// A seat of its own.
    Leased(Seat, Lease),
    /// Every agent's seat is held by another process: join as a new participant with the secrets of this one.
    AllHeld(Seat),
    /// This machine has no agent's seat in that session.
    NoSeat,
}

impl Seat {
    /// Leases this seat; none while another process holds it.
    ///
    /// # Errors
    /// The lease's file can't be used.
    pub fn try_lease(&self) -> Result<Option<Lease>, SeatError> {
        let path = self.inner.file.with_extension("lease");
        let file = files::open_private(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lease { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(HomeError::io(&path, source).into()),
        }
    }
}

impl Seats {
    /// Leases a free agent's seat of a session that is in it, the one last used first. `seats` is a [`Seats::list`], in
    /// its order.
    ///
    /// # Errors
    /// A file can't be used, or was damaged and has been set aside.
    pub fn lease(&self, seats: &[SeatSummary], session: &SessionId) -> Result<LeaseOutcome, SeatError> {
        self.lease_one(seats, session, true)
    }

    /// As [`Seats::lease`], of those that have not got in yet.
    ///
    /// # Errors
    /// As [`Seats::lease`].
    pub fn lease_outside(
        &self,
        seats: &[SeatSummary],
        session: &SessionId,
    ) -> Result<LeaseOutcome, SeatError> {
        self.lease_one(seats, session, false)
    }

    fn lease_one(
        &self,
        seats: &[SeatSummary],
        session: &SessionId,
        inside: bool,
    ) -> Result<LeaseOutcome, SeatError> {
        let mut held = None;
        let mut fitting: Vec<&SeatSummary> = seats
            .iter()
            .filter(|seat| seat.session == *session && seat.kind == Kind::Agent && seat.is_in() == inside)
            .collect();
        // One that left can read what it has, and nothing else.
        fitting.sort_by_key(|seat| seat.has_left());
        for summary in fitting {
            let seat = match self.open(session, &summary.participant) {
                Ok(seat) => seat,
                // Removed since the list was made.
                Err(SeatError::Missing { .. }) => continue,
                Err(error) => return Err(error),
            };
            match seat.try_lease()? {
                Some(lease) => return Ok(LeaseOutcome::Leased(seat, lease)),
                None => held = held.or(Some(seat)),
            }
        }
        Ok(held.map_or(LeaseOutcome::NoSeat, LeaseOutcome::AllHeld))
    }
}
