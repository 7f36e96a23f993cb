//! By what this machine keeps a session's door: the owner participant's seat, else a machine token.

use wire::api::{Decide, Door, Knock, SessionEnd, SetDoor};
use wire::ids::{ParticipantId, SessionId};
use wire::problem::Code;

use crate::plane::{Deadline, Keeper, MachineToken, Origin, Plane, PlaneError};
use crate::render::NameTable;
use crate::seat::choose::{self, ChooseError};
use crate::seat::{Place, SeatSummary};
use crate::session::{Session, SessionError};
use crate::verbs::app::App;
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::Host;
use crate::verbs::present::Presenter;
use crate::verbs::unmeant::no_session;
use crate::verbs::wording;

/// The keeper of one session's door.
pub(super) struct DoorKeeper {
    id: SessionId,
    plane: Plane,
    /// A seat of this machine in it: the owner's, or another one, by which names are read alone.
    seat: Option<Session>,
    /// Whether that seat is the owner participant.
    owner: bool,
    /// Not looked for where the owner's seat is enough.
    machine: Option<MachineToken>,
}

impl DoorKeeper {
    /// For the session that a call names or means. A full session id is enough for a machine token.
    pub(super) fn of(app: &App, host: &dyn Host, named: Option<&str>) -> Result<Self, Failure> {
        let listing = app.list()?;
        let place = Place::of(host.folder());
        let asking = app.asking(&listing, &place, named, None);
        let chosen = choose::or_the_only_one(&asking, choose::session(&asking));
        let by_id = named.and_then(|named| named.trim().parse::<SessionId>().ok());
        let id = match (chosen, by_id) {
            (Ok(id), _) => id,
            // A seat that is still on its way in keeps no door and reads no name.
            (
                Err(ChooseError::Unknown { .. } | ChooseError::NoSession | ChooseError::NotIn { .. }),
                Some(id),
            ) => id,
            (Err(error), _) => return Err(no_session(host.face(), &error)),
        };
        let mine = |seat: &&SeatSummary| seat.session == id && seat.is_in();
        let owner = listing.seats.iter().filter(mine).find(|seat| seat.is_owner());
        let seat = owner.or_else(|| listing.seats.iter().find(mine));
        let origin = match seat {
            Some(seat) => seat.plane.clone(),
            None => app.share_plane()?,
        };
        let machine = match owner {
            Some(_) => None,
            None => Some(
                app.machine_token(&origin)
                    .map_err(|failure| nobody(failure, &origin))?,
            ),
        };
        let session = match seat {
            Some(seat) => {
                let file = app.seats.open(&id, &seat.participant);
                let file = file.map_err(|error| wording::seat(&error))?;
                Some(Session::open(
                    &app.http,
                    file,
                    app.clock.clone(),
                    app.meter.clone(),
                )?)
            }
            None => None,
        };
        Ok(Self {
            id,
            plane: Plane::new(app.http.clone(), origin),
            seat: session,
            owner: owner.is_some(),
            machine,
        })
    }

    /// The session.
    pub(super) fn session(&self) -> &SessionId {
        &self.id
    }

    /// Whether a seat of this machine is in it.
    pub(super) fn has_seat(&self) -> bool {
        self.seat.is_some()
    }

    /// Its title, as a seat of this machine knows it.
    pub(super) fn title(&self) -> String {
        let title = self.seat.as_ref().map(|seat| Presenter::new(seat).title());
        title.unwrap_or_else(|| "untitled".to_owned())
    }

    /// How the door is kept, in a word: owner or machine.
    pub(super) fn kept_by(&self) -> &'static str {
        if self.owner { "owner" } else { "machine" }
    }

    /// The door. Where the owner's seat keeps it no longer, a machine token of this machine does.
    pub(super) async fn door(&mut self, app: &App, until: Deadline) -> Result<Door, Failure> {
        if let (true, Some(seat)) = (self.owner, &mut self.seat) {
            match seat.door(until).await {
                Err(error) if keeps_no_longer(&error) => match app.machine_token(self.plane.origin()) {
                    Ok(machine) => {
                        self.owner = false;
                        self.machine = Some(machine);
                    }
                    Err(_) => return Err(wording::session(error)),
                },
                door => return Ok(door?),
            }
        }
        let door = self.plane.door(&self.id, self.by_machine()?, until).await;
        door.map_err(|error| by_machine_refused(&error))
    }

    /// That the session is over, where a seat of this machine knows: then there is nothing to ask a person about.
    pub(super) async fn over(&mut self, until: Deadline) -> Result<Option<SessionEnd>, Failure> {
        let Some(seat) = &mut self.seat else {
            return Ok(None);
        };
        if let Err(error) = seat.sync(until).await {
            tracing::info!(%error, "the session was not read on");
        }
        Ok(seat.end(&*seat.kept()?))
    }

    /// Sets the door.
    pub(super) async fn set(&mut self, set: &SetDoor, until: Deadline) -> Result<Door, Failure> {
        if let (true, Some(seat)) = (self.owner, &mut self.seat) {
            return Ok(seat.set_door(set, until).await?);
        }
        let door = self
            .plane
            .set_door(&self.id, self.by_machine()?, set, until)
            .await;
        door.map_err(|error| by_machine_refused(&error))
    }

    /// Admits or refuses.
    pub(super) async fn decide(
        &mut self,
        who: &ParticipantId,
        admit: bool,
        until: Deadline,
    ) -> Result<(), Failure> {
        let decide = Decide { admit };
        let decided = if let (true, Some(seat)) = (self.owner, &mut self.seat) {
            seat.decide(who, decide, until).await
        } else {
            let by = self.by_machine()?;
            let decided = self.plane.decide(&self.id, who, by, decide, until).await;
            decided.map(drop).map_err(SessionError::from)
        };
        decided.map_err(|error| match error {
            SessionError::Plane(error) if error.code() == Some(Code::NotFound) => super::not_knocking(),
            error => wording::session(error),
        })
    }

    /// How those who knock are called beside those who are in, and what is wrong with a profile. A name is what its owner
    /// claims.
    pub(super) fn names(&self, knocking: &[Knock]) -> Names {
        let Some(session) = &self.seat else {
            return Names::default();
        };
        let opened: Vec<_> = knocking
            .iter()
            .map(|knock| (knock.participant_id, session.profile_of(knock)))
            .collect();
        let inside = session
            .roster()
            .iter()
            .map(|(id, known)| (id, known.claims.name.as_str()));
        let outside = opened
            .iter()
            .filter_map(|(id, profile)| Some((id, profile.as_ref().ok()?.claims.name.as_str())));
        Names {
            table: NameTable::new(inside.chain(outside), None),
            opened: opened
                .iter()
                .map(|(id, profile)| {
                    (
                        *id,
                        profile.as_ref().map(|profile| profile.may_write).map_err(|e| *e),
                    )
                })
                .collect(),
        }
    }

    fn by_machine(&self) -> Result<Keeper<'_>, Failure> {
        let machine = self.machine.as_ref();
        machine
            .map(Keeper::Machine)
            .ok_or_else(|| Failure::new(code::INTERNAL, "There is nothing to keep this door by."))
    }
}

/// The names of those who knock, and whether their profiles hold.
#[derive(Default)]
pub(super) struct Names {
    table: NameTable,
    /// Who may write by the certificate in a profile that opened.
    opened: std::collections::BTreeMap<ParticipantId, Result<bool, seal::Error>>,
}

impl Names {
    /// How somebody is called.
    pub(super) fn of(&self, knock: &Knock) -> String {
        self.table.get(&knock.participant_id)
    }

    /// What does not hold of somebody's profile, by name; `unread` where no seat of this machine can open it.
    pub(super) fn problem(&self, knock: &Knock) -> Option<&'static str> {
        use wire::event::Capability;
        match self.opened.get(&knock.participant_id) {
            None => Some("unread"),
            Some(Err(error)) => Some(error.name()),
            Some(Ok(false)) if knock.capability == Capability::Full => Some(seal::Error::NotCertified.name()),
            Some(Ok(_)) => None,
        }
    }
}

/// After a re-key the owner participant may be another or none; the owner user stays.
fn keeps_no_longer(error: &SessionError) -> bool {
    match error {
        SessionError::AdminRekeyed | SessionError::Removed | SessionError::Left => true,
        SessionError::Plane(error) => matches!(error.code(), Some(Code::Forbidden | Code::Rekeyed)),
        _ => false,
    }
}

/// Neither the owner's seat nor a machine token.
fn nobody(failure: Failure, origin: &Origin) -> Failure {
    if failure.code() != code::NO_MACHINE_TOKEN {
        return failure;
    }
    wording::owner_s_alone("keep the door", origin)
}

fn by_machine_refused(error: &PlaneError) -> Failure {
    match error.code() {
        Some(Code::NotFound) => Failure::new(
            "not_found",
            "The plane has no session of that id whose door this machine's token may keep. Check the id; the door is kept by the \
             session's owner and by administrators of its organisation.",
        ),
        Some(Code::Forbidden) => Failure::new(
            "forbidden",
            "This machine's token may not keep doors. Ask the plane's operator for one with the scope `rekey` or `admin`.",
        ),
        _ => wording::plane(error),
    }
}
