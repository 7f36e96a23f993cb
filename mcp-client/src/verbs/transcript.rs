//! A session's transcript as something to look at: which ones this machine has, and the newest part of one, rendered as
//! `read` renders it. Marks nothing as read, takes no seat, and shows what is there where the plane can't be reached.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::Mutex;
use wire::event::Kind;
use wire::ids::SessionId;

use super::app::App;
use super::failure::{Failure, code};
use super::page::{Inside, newest, page};
use super::present::Presenter;
use super::reach::in_turn;
use super::text::Text;
use super::{modes, proposals, read, wording};
use crate::plane::within;
use crate::render::{self, Budget};
use crate::seat::{Place, choose};
use crate::session::{Session, SessionError};

/// How long looking may take, the plane included: an application is waiting to show it.
const LOOK_S: u64 = 5;

/// A session that this machine's agents have a transcript of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptItem {
    /// The session.
    pub session: SessionId,
    /// Its title as it is shown: somebody else's words.
    pub title: String,
    /// Whether it is over, as far as this machine knows.
    pub over: bool,
    /// When an agent here last used it.
    pub last_used_at: String,
}

/// What somebody looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Its newest part as text, other people's words quoted as untrusted data.
    pub text: String,
}

impl App {
    /// The transcripts there are, the one last used first. From this machine's files: nothing is opened and nobody is
    /// asked. A person's own seats are not for agents to look through.
    ///
    /// # Errors
    /// The folder of the seats can't be read.
    pub fn transcripts(&self) -> Result<Vec<TranscriptItem>, Failure> {
        let now = self.clock.now();
        let mut found: Vec<TranscriptItem> = Vec::new();
        let listing = self.list()?;
        let seats = listing.seats.iter();
        for seat in seats.filter(|seat| seat.kind == Kind::Agent && seat.is_in()) {
            if found.iter().all(|known| known.session != seat.session) {
                found.push(TranscriptItem {
                    session: seat.session,
                    title: render::title(seat.title.as_deref().unwrap_or_default()),
                    over: !seat.is_alive(now),
                    last_used_at: seat.last_used.at.to_string(),
                });
            }
        }
        Ok(found)
    }

    /// The newest part of one, by a seat last used in `folder` if there are several.
    ///
    /// # Errors
    /// No agent of this machine is in it; nothing of it is here and the plane can't be reached.
    pub async fn transcript(&self, id: &SessionId, folder: Option<&Path>) -> Result<Transcript, Failure> {
        let until = within(LOOK_S);
        let session = self.look(id, folder).await?;
        let mut session = in_turn(&session, until).await?;
        let stale = match session.sync(until).await {
            Ok(()) | Err(SessionError::Failed(_)) => None,
            Err(error) => Some(wording::session(error)),
        };
        if let Some(failure) = &stale
            && (session.view().entries().is_empty() || !session.is_caught_up()?)
        {
            return Err(failure.clone());
        }
        let text = self.rendered(&session, stale.as_ref())?;
        Ok(Transcript { text })
    }

    fn rendered(&self, session: &Session, stale: Option<&Failure>) -> Result<String, Failure> {
        let kept = session.kept()?;
        let presenter = Presenter::new(session);
        let mode = modes::of(session, &kept, self.clock.now());
        let mut text = Text::about(&presenter.title(), &session.id().to_string());
        text.mode(
            modes::word(mode.mine),
            mode.budget_left,
            mode.ends_at.map(|at| at.to_string()).as_deref(),
        );
        text.proposal(proposals::open(session, &presenter).as_ref());
        text.integrity(&presenter.integrity());
        if let Some(failure) = stale {
            text.line(format_args!(
                "Only what this machine already had: {}",
                failure.message()
            ));
        }
        let entries = session.view().entries();
        let mut budget = Budget {
            entries: read::LIMIT as usize,
            bytes: read::BYTES as usize,
        };
        let mut begins = newest(&presenter, entries, budget);
        if begins > 0 {
            // The hand-off is what the rest is about: it comes first, however much has been said since.
            let hand_off = presenter.hand_off(budget.bytes / HAND_OFF_PART);
            if let Some(message) = &hand_off {
                let taken = serde_json::to_string(message).map_or(0, |json| json.len());
                budget.bytes = budget.bytes.saturating_sub(taken);
                begins = newest(&presenter, entries, budget);
            }
            let first = entries.get(begins).map_or(0, |first| first.seq);
            if let Some(message) = hand_off.filter(|message| message.seq < first) {
                text.line("The hand-off:");
                text.message(&message);
            }
            text.line(format_args!(
                "The newest follow, from {first} on. `devpilot_session_read` with since: 0 has everything."
            ));
        }
        let shown = entries.get(begins..).unwrap_or_default();
        let since = shown
            .first()
            .map_or(session.base(), |first| first.seq.saturating_sub(1));
        let page = page(&presenter, shown, |_| true, since, Inside::Byte(0), budget);
        text.timeline(&page.messages, &page.events);
        if page.messages.is_empty() && page.events.is_empty() {
            text.line("Nothing was said yet.");
        }
        Ok(text.finish())
    }

    /// The seq of the newest message by somebody else that is here of a session; 0 where there is none.
    ///
    /// # Errors
    /// As [`App::transcript`], without the plane.
    pub async fn newest_by_others(&self, id: &SessionId, folder: Option<&Path>) -> Result<u64, Failure> {
        let session = self.look(id, folder).await?;
        let session = in_turn(&session, within(LOOK_S)).await?;
        Ok(session.view().newest_by_others(0).unwrap_or(0))
    }

    /// The session as this process uses it, or else by an agent's seat of this machine, which is not leased by it.
    async fn look(&self, id: &SessionId, folder: Option<&Path>) -> Result<Arc<Mutex<Session>>, Failure> {
        let mut process = self.process.lock().await;
        if let Some(held) = process.held.get(id) {
            return Ok(held.session.clone());
        }
        if let Some(session) = process.looked_at.get(id) {
            return Ok(session.clone());
        }
        let listing = self.list()?;
        let place = Place::of(folder);
        let asking = self.asking(&listing, &place, None, None);
        let summary = choose::seat(&asking, id, Kind::Agent, None).ok_or_else(|| {
            Failure::new(
                code::NO_SESSION,
                "No agent of this machine is in that session. Join it with its link.",
            )
        })?;
        let seat = self
            .seats
            .open(id, &summary.participant)
            .map_err(|error| wording::seat(&error))?;
        let session = Session::open(&self.http, seat, self.clock.clone(), self.meter.clone())?;
        let session = Arc::new(Mutex::new(session));
        process.looked_at.insert(*id, session.clone());
        Ok(session)
    }
}

/// How much of what is shown the hand-off may take: a third.
const HAND_OFF_PART: usize = 3;
