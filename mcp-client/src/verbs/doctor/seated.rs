//! What the open seats of this machine depend on: planes that no token names, whether those still know the sessions, and
//! whether the transcripts hold. Nothing is written: no cursor moves, and no seat comes back by it.

use futures_util::future::join_all;
use seal::identity::Identity;
use wire::api::{Rejoin, TokenText};
use wire::problem::Code;

use super::Check;
use crate::config::Config;
use crate::home::Home;
use crate::plane::{Origin, Plane, PlaneError, within};
use crate::render;
use crate::seat::{SeatSummary, Seats};
use crate::session::{Clock, integrity};
use crate::verbs::command::Program;
use crate::verbs::present::{kind_word, short};
use crate::verbs::wording;

/// How many planes that only seats name are looked at: those last used.
const PLANES_MAX: usize = 8;
/// How many sessions of one plane are asked about and named: those last used.
const SESSIONS_MAX: usize = 4;
/// How long one request may take, in seconds.
const CALL_S: u64 = 10;

/// The sessions that go on, by the planes they are on.
pub(super) struct Seated {
    seats: Seats,
    /// One seat of each session, the one last used first.
    open: Vec<SeatSummary>,
}

impl Seated {
    /// From this machine's files. What can't be read there is another check's to say.
    pub(super) fn of(home: &Home, config: &Config, clock: &Clock) -> Self {
        let seats = Seats::new(home.clone()).on_moved_planes(config.moved.clone());
        let now = clock.now();
        let mut open: Vec<SeatSummary> = Vec::new();
        for seat in seats.list().map(|listing| listing.seats).unwrap_or_default() {
            let known = open.iter().any(|other| other.session == seat.session);
            if seat.is_in() && seat.is_alive(now) && !known {
                open.push(seat);
            }
        }
        Self { seats, open }
    }

    /// Their planes that are not among `configured`.
    pub(super) fn planes_beside(&self, configured: &[Origin]) -> Vec<Origin> {
        let mut planes: Vec<Origin> = Vec::new();
        for seat in &self.open {
            if !configured.contains(&seat.plane) && !planes.contains(&seat.plane) {
                planes.push(seat.plane.clone());
            }
        }
        planes.truncate(PLANES_MAX);
        planes
    }

    fn on<'a>(&'a self, plane: &'a Origin) -> impl Iterator<Item = &'a SeatSummary> {
        self.open.iter().filter(move |seat| seat.plane == *plane)
    }

    /// What depends on a plane, as the end of a sentence about it.
    pub(super) fn dependents(&self, plane: &Origin) -> String {
        let sessions: Vec<&SeatSummary> = self.on(plane).collect();
        match sessions.as_slice() {
            [] => String::new(),
            sessions => format!("; on it depend: {}", named(sessions)),
        }
    }

    /// Whether a plane that answers still knows the sessions that this machine is in there.
    pub(super) async fn known(&self, plane: &Plane, program: &Program) -> Option<Check> {
        let sessions: Vec<&SeatSummary> = self.on(plane.origin()).take(SESSIONS_MAX).collect();
        let answers = join_all(sessions.iter().map(|seat| self.is_known(plane, seat))).await;
        let origin = plane.origin();
        let (mut gone, mut unclear, mut why) = (Vec::new(), Vec::new(), None);
        for (seat, answer) in sessions.iter().zip(answers) {
            match answer {
                Known::Yes => {}
                Known::Forgotten => gone.push(*seat),
                Known::Unclear(error) => {
                    unclear.push(*seat);
                    why = Some(error);
                }
            }
        }
        if let Some(first) = gone.first() {
            let failed = Check::failed(
                "sessions",
                format!(
                    "{origin} does not know {}, though this machine is in it",
                    named(&gone)
                ),
                "It was purged, or another plane, or one without its data, is at that address now: ask whoever runs it. What was \
                 read stays readable here. To go on, share a new session or join with a new link, and leave the old one:",
            );
            let whose = kind_word(first.kind);
            let leave = format!("leave --session {} --as {whose}", short(&first.session));
            return Some(failed.by(program.line(&leave)));
        }
        if let Some(error) = why {
            let about = format!("whether {origin} knows {} is not known", named(&unclear));
            return Some(Check::failed("sessions", about, wording::plane(&error).message()));
        }
        (!sessions.is_empty()).then(|| Check::ok("sessions", format!("{origin} knows {}", named(&sessions))))
    }

    async fn is_known(&self, plane: &Plane, summary: &SeatSummary) -> Known {
        let until = within(CALL_S);
        let kept = self.seats.open(&summary.session, &summary.participant);
        // A seat that can't be read is another check's to say.
        let Ok(kept) = kept.and_then(|seat| seat.read()) else {
            return Known::Yes;
        };
        if let Some(token) = &kept.token {
            let token = TokenText(token.text.expose().to_owned());
            match plane.session(&kept.session, &token, until).await {
                Err(error) if matches!(error.code(), Some(Code::Unauthorized | Code::Rekeyed)) => {}
                Ok(_) => return Known::Yes,
                Err(error) => return Known::by(error),
            }
        }
        // A token that is over says nothing of the session: its seat would come back by this proof.
        let me = Identity::from_bytes(
            kept.session,
            kept.identity.sk.expose(),
            kept.identity.seed.expose(),
        );
        let proof = Rejoin {
            participant_id: kept.participant,
            rejoin_secret: me.rejoin_secret(),
            after_epoch: kept.newest_epoch().unwrap_or_default(),
        };
        match plane.rejoin(&kept.session, &proof, until).await {
            Ok(_) => Known::Yes,
            Err(error) if error.code() == Some(Code::BadProof) => Known::Forgotten,
            Err(error) => Known::by(error),
        }
    }

    /// Sessions whose transcript does not hold, or in which somebody was shown another one.
    pub(super) fn alarms(&self) -> Vec<Check> {
        let mut checks = Vec::new();
        for seat in &self.open {
            let alarm = seat.alarm.as_ref();
            let Some(error) =
                integrity::failed(alarm).or_else(|| integrity::open_warning(alarm).map(|(error, _)| error))
            else {
                continue;
            };
            let seq = alarm.map_or(0, |alarm| alarm.seq);
            checks.push(Check::failed(
                "integrity",
                format!(
                    "{}: what its plane shows does not hold together ({}, at #{seq})",
                    named(&[seat]),
                    error.name()
                ),
                wording::sentence(error),
            ));
        }
        checks
    }
}

/// What a plane says of a session.
enum Known {
    Yes,
    Forgotten,
    /// This stood in the way of asking.
    Unclear(PlaneError),
}

impl Known {
    fn by(error: PlaneError) -> Self {
        match error.code() {
            // It knows it well enough to say that.
            Some(Code::SessionEnded | Code::Forbidden | Code::ViewOnly) => Self::Yes,
            _ => Self::Unclear(error),
        }
    }
}

/// Sessions by title and id.
fn named(sessions: &[&SeatSummary]) -> String {
    let name = |seat: &&SeatSummary| {
        let title = render::title(seat.title.as_deref().unwrap_or_default());
        format!("{} ({})", render::in_quotes(&title), short(&seat.session))
    };
    let some: Vec<String> = sessions.iter().take(SESSIONS_MAX).map(name).collect();
    match sessions.len() - some.len() {
        0 => some.join(", "),
        more => format!("{} and {more} more", some.join(", ")),
    }
}
