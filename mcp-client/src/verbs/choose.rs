//! Which session a call is for, and the seat it acts under (`mcp-client.md`, Which session and Seats).

use std::sync::Arc;

use seal::link::Link;
use tokio::sync::Mutex;
use wire::event::Kind;
use wire::ids::SessionId;

use super::app::App;
use super::failure::{Failure, code};
use super::host::Host;
use super::unmeant::{beside_damage, no_seat, no_session};
use super::{secrets, wording};
use crate::plane::Deadline;
use crate::seat::choose::{self, Asking};
use crate::seat::{LastUsed, LeaseOutcome, Listing, PendingEntry, Place, Seat, SeatSummary};
use crate::session::{Entering, Newcomer, Session, SessionError};

/// How long entering, reading or posting may take, retries included: hosts give a call about 60 s.
pub(super) const CALL_S: u64 = 30;

/// A seat that was found for a call.
pub(super) struct Taken {
    pub(super) session: Arc<Mutex<Session>>,
    /// Whether it came in by this call: as a new one, since other agents held every seat there was, or as one that was
    /// still on its way in.
    pub(super) joined: bool,
}

/// What a call does with the session.
#[derive(Debug, Clone, Copy)]
pub(super) enum Intent<'a> {
    /// Looks on. A command may look on from anywhere; it does not move the seat to its folder.
    Read,
    /// Looks on for whoever of this machine has the seat, and leaves no trace of where.
    Attend,
    /// Decides something, for whoever of this machine has the seat.
    Decide,
    /// As `Decide`, in the safe direction: where this machine is in one session, that one is meant in every folder.
    Calm,
    /// Writes; a post to the wrong session can't be taken back.
    Post,
    /// Goes out of it, which can't be taken back either.
    Leave,
    /// Comes in, and goes on with a way in that was begun. The link, if it has one.
    Enter(Option<&'a Link>),
}

impl App {
    /// The session that a call names or means, in use from here on.
    pub(super) async fn pick(
        &self,
        host: &dyn Host,
        named: Option<&str>,
        intent: Intent<'_>,
        until: Deadline,
    ) -> Result<Arc<Mutex<Session>>, Failure> {
        let current = self.process.lock().await.current;
        if let (None, Some(current)) = (named, current)
            && let Some(session) = self.held(&current).await
        {
            return Ok(session);
        }
        // Two first calls at once would else take two seats.
        let _turn = self.entrance_here(until).await?;
        let listing = self.list()?;
        let place = Place::of(host.folder());
        let asking = self.asking(&listing, &place, named, current);
        let chosen = match intent {
            // What lives on would go on to write where it has looked.
            Intent::Read | Intent::Attend if !host.lives_on() => choose::session_to_read(&asking),
            Intent::Decide if !host.lives_on() => choose::or_the_only_one(&asking, choose::session(&asking)),
            Intent::Read | Intent::Attend | Intent::Decide => choose::session(&asking),
            Intent::Calm => choose::session_to_calm(&asking),
            Intent::Post if !host.lives_on() => {
                choose::or_the_only_one(&asking, choose::session_for_post(&asking))
            }
            Intent::Post | Intent::Leave | Intent::Enter(_) => choose::session_for_post(&asking),
        };
        let id = chosen.map_err(|error| beside_damage(no_session(host.face(), &error), &listing))?;
        self.use_session(host, &listing, &place, &id, intent, until).await
    }

    /// The session that a command without a name means in its folder. Looks at this machine's list alone.
    ///
    /// # Errors
    /// None, or several.
    pub(crate) fn meant(&self, host: &dyn Host) -> Result<SessionId, Failure> {
        self.named_here(host, &self.list()?, None)
    }

    /// The session that a command names, or means in its folder.
    ///
    /// # Errors
    /// As [`App::meant`]; of that name there is none.
    pub(super) fn named_here(
        &self,
        host: &dyn Host,
        listing: &Listing,
        named: Option<&str>,
    ) -> Result<SessionId, Failure> {
        let place = Place::of(host.folder());
        let asking = self.asking(listing, &place, named, None);
        choose::or_the_only_one(&asking, choose::session(&asking))
            .map_err(|error| beside_damage(no_session(host.face(), &error), listing))
    }

    /// What choosing goes by.
    pub(super) fn asking<'a>(
        &self,
        listing: &'a Listing,
        place: &'a Place,
        named: Option<&'a str>,
        current: Option<SessionId>,
    ) -> Asking<'a> {
        Asking {
            seats: &listing.seats,
            named,
            current,
            place,
            now: self.clock.now(),
        }
    }

    /// A session of this machine, as the one this process used last.
    async fn use_session(
        &self,
        host: &dyn Host,
        listing: &Listing,
        place: &Place,
        id: &SessionId,
        intent: Intent<'_>,
        until: Deadline,
    ) -> Result<Arc<Mutex<Session>>, Failure> {
        if let Some(session) = self.held(id).await {
            return Ok(session);
        }
        if let Some(taken) = self.take_seat(host, listing, place, id, intent, until).await? {
            return Ok(taken.session);
        }
        Err(beside_damage(no_seat(host, listing, id), listing))
    }

    /// The session, if this process uses it already.
    pub(super) async fn held(&self, id: &SessionId) -> Option<Arc<Mutex<Session>>> {
        let mut process = self.process.lock().await;
        let session = process.held.get(id).map(|held| held.session.clone())?;
        process.current = Some(*id);
        Some(session)
    }

    /// A seat of this machine for this caller: a free one is leased, with all held a new one joins with their secret. Only
    /// who comes in gets a seat that never got in, and then it is in.
    pub(super) async fn take_seat(
        &self,
        host: &dyn Host,
        listing: &Listing,
        place: &Place,
        id: &SessionId,
        intent: Intent<'_>,
        until: Deadline,
    ) -> Result<Option<Taken>, Failure> {
        if host.lives_on() {
            return self.lease_seat(host, listing, place, id, intent, until).await;
        }
        let asking = self.asking(listing, place, None, None);
        let other = match host.kind() {
            Kind::Agent => Kind::Human,
            Kind::Human => Kind::Agent,
        };
        let own = choose::seat(&asking, id, host.kind(), host.seat());
        // Looking on and setting the mode go by any seat of this machine, and a person may take their agent out of a session;
        // writing is each participant's own.
        let beside = || choose::seat(&asking, id, other, host.seat());
        let summary = match (intent, host.kind()) {
            (Intent::Read | Intent::Attend, _) => own.or_else(beside),
            // One that left can't.
            (Intent::Decide | Intent::Calm, _) => {
                let beside = beside();
                let in_it = |seat: &&SeatSummary| !seat.has_left();
                own.filter(in_it).or(beside.filter(in_it)).or(own).or(beside)
            }
            (Intent::Leave, Kind::Human) => own.or_else(|| choose::only_seat(&asking, id)),
            (Intent::Post | Intent::Leave, _) => own,
            (Intent::Enter(_), _) => {
                own.or_else(|| choose::seat_outside(&asking, id, host.kind(), host.seat()))
            }
        };
        let Some(summary) = summary else { return Ok(None) };
        let seat = self
            .seats
            .open(id, &summary.participant)
            .map_err(|error| wording::seat(&error))?;
        let joined = !summary.is_in();
        let session = self.go_in(host, seat, place, intent, until).await?;
        let session = self.hold(session, None).await;
        Ok(Some(Taken { session, joined }))
    }

    async fn lease_seat(
        &self,
        host: &dyn Host,
        listing: &Listing,
        place: &Place,
        id: &SessionId,
        intent: Intent<'_>,
        until: Deadline,
    ) -> Result<Option<Taken>, Failure> {
        let leased = self.seats.lease(&listing.seats, id);
        let mut leased = leased.map_err(|error| wording::seat(&error))?;
        let mut joined = false;
        if let (LeaseOutcome::AllHeld(_) | LeaseOutcome::NoSeat, Intent::Enter(_)) = (&leased, intent) {
            let outside = self.seats.lease_outside(&listing.seats, id);
            if let LeaseOutcome::Leased(seat, lease) = outside.map_err(|error| wording::seat(&error))? {
                leased = LeaseOutcome::Leased(seat, lease);
                joined = true;
            }
        }
        let session = match leased {
            LeaseOutcome::Leased(seat, lease) => {
                let session = self.go_in(host, seat, place, intent, until).await?;
                self.hold(session, Some(lease)).await
            }
            LeaseOutcome::AllHeld(seat) => {
                joined = true;
                self.join_beside(host, &seat, place, until).await?
            }
            LeaseOutcome::NoSeat => return Ok(None),
        };
        Ok(Some(Taken { session, joined }))
    }

    /// Another agent of this machine is every seat there is: this one joins as a participant of its own.
    async fn join_beside(
        &self,
        host: &dyn Host,
        beside: &Seat,
        place: &Place,
        until: Deadline,
    ) -> Result<Arc<Mutex<Session>>, Failure> {
        let kept = beside.read().map_err(|error| wording::seat(&error))?;
        let link = kept.newest_epoch().and_then(|epoch| {
            let secret = kept.secrets.get(&epoch)?.to_link_secret();
            Some(Link {
                origin: kept.plane.to_string(),
                session_id: kept.session,
                epoch,
                secret,
            })
        });
        let link =
            link.ok_or_else(|| Failure::new(code::NO_SESSION, "That seat has no key; join with the link."))?;
        let name = self.config.display_name(&self.environment);
        let newcomer = self.newcomer(host, place, name)?;
        let mut session = Session::join(&self.entering(until), kept.plane.clone(), &link, newcomer)
            .await
            .map_err(|error| {
                wording::session(error).with_advice(
                    "Other agents of this machine use every seat it has in that session, so you were about to come in as a \
                     participant of your own.",
                )
            })?;
        self.process.lock().await.joined_beside = true;
        let lease = session.take_lease();
        Ok(self.hold(session, lease).await)
    }

    /// As [`App::open`], for a seat that may never have got in: it goes on with the link that was given.
    async fn go_in(
        &self,
        host: &dyn Host,
        seat: Seat,
        place: &Place,
        intent: Intent<'_>,
        until: Deadline,
    ) -> Result<Session, Failure> {
        if let Intent::Enter(Some(link)) = intent {
            let mut session =
                Session::open(&self.http, seat.clone(), self.clock.clone(), self.meter.clone())?;
            session.aim_at(link).await?;
        }
        self.open(host, seat, place, intent, until).await
    }

    /// Opens a seat, goes on with what its way in had not finished, and notes where it is used now, if it is.
    pub(super) async fn open(
        &self,
        host: &dyn Host,
        seat: Seat,
        place: &Place,
        intent: Intent<'_>,
        until: Deadline,
    ) -> Result<Session, Failure> {
        let mut session = Session::open(&self.http, seat, self.clock.clone(), self.meter.clone())?;
        let kept = session.kept()?;
        if let Some(entry) = &kept.pending.entry {
            let machine = match entry {
                PendingEntry::Create(_) => Some(self.machine_token(&kept.plane)?),
                PendingEntry::Join { .. } | PendingEntry::Return { .. } => None,
            };
            session.finish_entering(machine.as_ref(), until).await?;
        }
        // Before anybody is asked for a text or a word. Looking on shows what was read.
        if matches!(intent, Intent::Decide | Intent::Calm | Intent::Post) && session.has_left()? {
            return Err(wording::session(SessionError::Left));
        }
        if is_use(host, intent, kept.kind) {
            let looks_on = matches!(intent, Intent::Read) && !host.lives_on();
            let mut used = self.last_used(place);
            if looks_on && !kept.last_used.place.is_empty() {
                used.place.clone_from(&kept.last_used.place);
            }
            session.note_use(used).await?;
        }
        Ok(session)
    }

    /// The seats of this machine. A file that can't be read is named in the log; the others still count.
    pub(super) fn list(&self) -> Result<Listing, Failure> {
        let listing = self.seats.list().map_err(|error| wording::seat(&error))?;
        for problem in &listing.problems {
            tracing::warn!("{problem}");
        }
        Ok(listing)
    }

    /// # Errors
    /// The name looks like a credential: everybody in the session would be shown it.
    pub(super) fn newcomer(&self, host: &dyn Host, place: &Place, name: String) -> Result<Newcomer, Failure> {
        secrets::refuse("name", &name, "Nobody came in by it")?;
        Ok(Newcomer {
            kind: host.kind(),
            name,
            host: host.program(),
            last_used: self.last_used(place),
            leased: host.lives_on(),
        })
    }

    pub(super) fn entering(&self, until: Deadline) -> Entering<'_> {
        Entering {
            http: &self.http,
            seats: &self.seats,
            clock: &self.clock,
            meter: &self.meter,
            until,
        }
    }

    fn last_used(&self, place: &Place) -> LastUsed {
        LastUsed {
            at: self.clock.now(),
            place: place.name().to_owned(),
        }
    }
}

/// Whether a call makes its folder the one where the seat is used. The folder is where an agent finds its session again
/// after a restart, so nobody moves it but who comes in and who the seat belongs to: not a person who looks on or decides
/// something, wherever their terminal is.
fn is_use(host: &dyn Host, intent: Intent<'_>, seat: Kind) -> bool {
    match intent {
        Intent::Enter(_) => true,
        Intent::Attend => false,
        Intent::Decide | Intent::Calm => host.lives_on(),
        Intent::Read | Intent::Post | Intent::Leave => host.lives_on() || host.kind() == seat,
    }
}
