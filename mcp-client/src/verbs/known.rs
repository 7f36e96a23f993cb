//! What this machine knows of a session that is named by its whole id.

use wire::api::SessionEnd;
use wire::ids::SessionId;

use super::app::App;
use super::failure::Failure;
use super::wording;
use crate::plane::{Deadline, Origin};
use crate::seat::Seat;
use crate::session::Session;

/// What the seats of this machine say.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The plane, where a seat names it.
    pub(super) plane: Option<Origin>,
    /// The newest epoch a seat holds.
    pub(super) epoch: Option<u32>,
    /// How many seats there are.
    pub(super) seats: u64,
    /// Whether one of them is the owner participant.
    pub(super) owner: bool,
}

impl App {
    /// What is known; nothing, where this machine was never in it or lost its state.
    pub(super) fn known_of(&self, session: &SessionId) -> Result<Known, Failure> {
        let mut known = Known::default();
        for seat in self.seats_of(session)? {
            let kept = seat.read().map_err(|error| wording::seat(&error))?;
            known.seats += 1;
            known.owner |= kept.owner == Some(kept.participant);
            known.epoch = known.epoch.max(kept.newest_epoch());
            known.plane.get_or_insert_with(|| kept.plane.clone());
        }
        Ok(known)
    }

    /// That a session is over, where a seat of this machine knows or learns it: then there is nothing to ask a person about.
    pub(super) async fn over(
        &self,
        session: &SessionId,
        until: Deadline,
    ) -> Result<Option<SessionEnd>, Failure> {
        for seat in self.seats_of(session)? {
            let kept = seat.read().map_err(|error| wording::seat(&error))?;
            // A seat that never got in has nothing to read on with.
            if kept.token.is_none() {
                continue;
            }
            let mut seat = Session::open(&self.http, seat, self.clock.clone(), self.meter.clone())?;
            if let Err(error) = seat.sync(until).await {
                tracing::info!(%error, "the session was not read on");
            }
            if let Some(end) = seat.end(&*seat.kept()?) {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// This machine's seats in a session.
    pub(super) fn seats_of(&self, session: &SessionId) -> Result<Vec<Seat>, Failure> {
        let listing = self.list()?;
        let seats = listing.seats.iter().filter(|seat| seat.session == *session);
        seats
            .map(|seat| self.seats.open(session, &seat.participant))
            .collect::<Result<_, _>>()
            .map_err(|error| wording::seat(&error))
    }
}
