//! The seat of this machine that owns a session.

use std::sync::Arc;

use tokio::sync::Mutex;
use wire::ids::SessionId;

use super::app::App;
use super::choose::Intent;
use super::failure::Failure;
use super::host::Host;
use super::unmeant::{no_session, no_such_seat};
use super::wording;
use crate::plane::Deadline;
use crate::seat::choose::{self, Asking};
use crate::seat::{Listing, Place, Seat};
use crate::session::{Session, SessionError};

impl App {
    /// The session that a call of its owner names or means, under this machine's seat that owns it, whoever of this
    /// machine uses that seat: its lock is all that is taken.
    pub(super) async fn owned_session(
        &self,
        host: &dyn Host,
        named: Option<&str>,
        until: Deadline,
    ) -> Result<Arc<Mutex<Session>>, Failure> {
        let current = self.process.lock().await.current;
        let _turn = self.entrance_here(until).await?;
        let listing = self.list()?;
        let place = Place::of(host.folder());
        let asking = self.asking(&listing, &place, named, current);
        let id = choose::or_the_only_one(&asking, choose::session(&asking))
            .map_err(|error| no_session(host.face(), &error))?;
        let seat = self.owning_seat(host, &asking, &listing, &id)?;
        if let Some(held) = self.held(&id).await {
            let same = super::reach::in_turn(&held, until).await?.my_id() == seat.participant();
            if same {
                return Ok(held);
            }
        }
        let session = self.open(host, seat, &place, Intent::Decide, until).await?;
        Ok(self.hold(session, None).await)
    }

    fn owning_seat(
        &self,
        host: &dyn Host,
        asking: &Asking<'_>,
        listing: &Listing,
        id: &SessionId,
    ) -> Result<Seat, Failure> {
        let named = match host.seat() {
            None => None,
            Some(named) => Some(
                choose::seat(asking, id, host.kind(), Some(named))
                    .ok_or_else(|| no_such_seat(listing, id))?,
            ),
        };
        let mut without_owner = false;
        for summary in listing.seats.iter().filter(|seat| seat.session == *id) {
            if named.is_some_and(|named| named.participant != summary.participant) {
                continue;
            }
            let seat = self
                .seats
                .open(id, &summary.participant)
                .map_err(|error| wording::seat(&error))?;
            let kept = seat.read().map_err(|error| wording::seat(&error))?;
            if kept.owner == Some(summary.participant) {
                return Ok(seat);
            }
            without_owner |= kept.owner.is_none() && !kept.epoch_records.is_empty();
        }
        Err(wording::session(match without_owner {
            true => SessionError::NoOwner,
            false => SessionError::NotOwner,
        }))
    }
}
