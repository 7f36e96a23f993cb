//! `watch`: what happens in a session as it happens, for a person at a terminal.
//!
//! It acts for a seat without being it, and moves no cursor. An agent waits by `wait` and `listen` alone, which its mode
//! allows or not: in observe nothing is shown live to one.

mod sight;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use wire::api::ParticipantRow;
use wire::event::{Kind, ModeName};
use wire::ids::ParticipantId;

pub(crate) use sight::listens;
pub use sight::{Sight, Sights, Watcher};

use self::sight::note;
use super::app::App;
use super::choose::{CALL_S, Intent};
use super::failure::{Failure, code};
use super::host::Host;
use super::listening::{self, After};
use super::modes::{self, ModeView};
use super::page::{Inside, page};
use super::present::Presenter;
use super::reach::in_turn;
use super::{doorbell, wording};
use crate::plane::{PlaneError, within};
use crate::render::Budget;
use crate::session::view::Entry;
use crate::session::{Session, SessionError};

/// Messages to begin with, unless the call says another number.
const LAST: u32 = 10;
/// The longest request: presence is looked at after each.
const REQUEST_S: u32 = 10;
/// Between two looks where the plane holds no request: a person looking on through an agent's seat, or one in observe.
const LOOK: Duration = Duration::from_secs(3);
/// Between two looks at this seat's own files.
const OWN_LOOK: Duration = Duration::from_secs(1);
/// Everything that came is shown whole.
const WHOLE: Budget = Budget {
    entries: usize::MAX - 1,
    bytes: usize::MAX,
};

/// What to watch.
#[derive(Debug, Clone, Default)]
pub struct WatchArgs {
    /// How many messages to begin with, default 10.
    pub last: Option<u32>,
    /// The session: id, its first 8 characters, or title.
    pub session: Option<String>,
}

/// Watches until the session is over or nobody looks any more.
///
/// # Errors
/// No such session or seat; cancelled; for an agent in observe; the plane refuses for good.
pub async fn run(
    app: &App,
    args: WatchArgs,
    host: &dyn Host,
    watcher: &mut dyn Watcher,
) -> Result<(), Failure> {
    let until = within(CALL_S);
    let shared = app
        .pick(host, args.session.as_deref(), Intent::Attend, until)
        .await?;
    let mut watch = Watch::default();
    {
        let mut session = in_turn(&shared, until).await?;
        let warnings = app.sync_softly(&mut session, until).await?;
        let rows = app.participants(&mut session, until).await;
        watch.allowed(app, host, &session)?;
        let mut seen = watch.begins(app, &session, &rows, args.last.unwrap_or(LAST))?;
        seen.extend(warnings.into_iter().map(note));
        if !watcher.see(Sights { seen })? || watch.over {
            return Ok(());
        }
    }
    let mut cuts = 0;
    loop {
        let stepped = tokio::select! {
            stepped = step(app, host, &shared) => stepped,
            () = host.cancelled().cancelled() => return Err(cancelled()),
        };
        let mut seen = Vec::new();
        match stepped {
            Ok(rows) => {
                if std::mem::take(&mut watch.away) {
                    seen.push(note("The plane is there again."));
                }
                cuts = 0;
                let mut session = in_turn(&shared, within(CALL_S)).await?;
                seen.extend(watch.goes_on(app, host, &mut session, &rows)?);
            }
            Err(Stopped::Away(failure)) => {
                // One cut alone is nothing a person needs to know.
                if cuts > 0 && !std::mem::replace(&mut watch.away, true) {
                    seen.push(note(format!("{} It is tried again.", failure.message())));
                }
                let pause = listening::pause_after(cuts);
                cuts += 1;
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = host.cancelled().cancelled() => return Err(cancelled()),
                }
            }
            Err(Stopped::For(failure)) => return Err(failure),
        }
        if !seen.is_empty() && !watcher.see(Sights { seen })? {
            return Ok(());
        }
        if watch.over {
            return Ok(());
        }
        watch.allowed(app, host, &*in_turn(&shared, within(CALL_S)).await?)?;
    }
}

/// Why a step came to nothing.
enum Stopped {
    /// The plane is away.
    Away(Failure),
    /// For good.
    For(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::For(failure)
    }
}

impl From<SessionError> for Stopped {
    fn from(error: SessionError) -> Self {
        let away = matches!(&error, SessionError::Plane(error) if is_away(error));
        let failure = wording::session(error);
        if away {
            Self::Away(failure)
        } else {
            Self::For(failure)
        }
    }
}

/// One request, and who is here then.
async fn step(
    app: &App,
    host: &dyn Host,
    shared: &Arc<Mutex<Session>>,
) -> Result<Vec<ParticipantRow>, Stopped> {
    let until = within(CALL_S);
    let (waiting, head, held) = {
        let session = in_turn(shared, until).await?;
        let kept = session.kept().map_err(Stopped::from)?;
        let mode = modes::of(&session, &kept, app.clock.now());
        // A held request counts as listening: a person who looks on is not the agent whose seat it is.
        let held = match kept.kind {
            Kind::Human => true,
            Kind::Agent => host.reader() == Kind::Agent && mode.mine != ModeName::Observe,
        };
        let waiting = session.waiting().map_err(Stopped::from)?;
        (waiting, session.head().seq, held)
    };
    let heard = match held {
        true => tokio::select! {
            heard = waiting.wait(REQUEST_S, until) => Some(heard),
            () = written_here(shared, head) => None,
        },
        false => {
            tokio::time::sleep(LOOK).await;
            None
        }
    };
    let mut session = in_turn(shared, within(CALL_S)).await?;
    let until = within(CALL_S);
    let taken = match heard {
        Some(Ok(heard)) => session.hear(heard, until).await,
        Some(Err(error)) => match listening::after(&error) {
            // It is read on, and then shown why.
            After::ComeBack | After::Observe => session.sync(until).await,
            After::Ended => session.ended_by(&error).await,
            After::Shorter | After::Give => Err(error.into()),
        },
        None => session.sync(until).await,
    };
    match taken {
        Err(_) if session.end(&*session.kept().map_err(Stopped::from)?).is_some() => Ok(Vec::new()),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(app.participants(&mut session, until).await),
    }
}

/// Until another process of this seat has written behind `head`: the plane ends no held request for what the seat that asks
/// has written itself.
async fn written_here(shared: &Mutex<Session>, head: u64) {
    loop {
        tokio::time::sleep(OWN_LOOK).await;
        // What can't be read is said by the step after this one.
        let kept = shared.lock().await.kept();
        if kept.is_ok_and(|kept| kept.head.is_some_and(|newest| newest.seq > head)) {
            return;
        }
    }
}

fn is_away(error: &PlaneError) -> bool {
    error.is_passing()
        || matches!(
            error,
            PlaneError::Unreachable { .. } | PlaneError::TimedOut { .. }
        )
}

/// What was shown so far.
#[derive(Default)]
struct Watch {
    /// Up to this seq.
    seq: u64,
    mode: Option<(ModeName, Option<u32>)>,
    listening: BTreeMap<ParticipantId, bool>,
    integrity: String,
    away: bool,
    over: bool,
}

impl Watch {
    /// A person may look on in every mode; what an agent is shown live goes by its mode.
    fn allowed(&self, app: &App, host: &dyn Host, session: &Session) -> Result<(), Failure> {
        let mode = modes::of(session, &*session.kept()?, app.clock.now());
        if host.kind() == Kind::Agent && mode.mine == ModeName::Observe && mode.gone.is_none() {
            return Err(
                Failure::new("mode_observe", modes::why_not_wait(mode, host.face())).with_advice(
                    "`watch` is for people: at a terminal, or with `--as human`, it works in every mode.",
                ),
            );
        }
        Ok(())
    }

    fn begins(
        &mut self,
        app: &App,
        session: &Session,
        rows: &[ParticipantRow],
        last: u32,
    ) -> Result<Vec<Sight>, Failure> {
        let presenter = Presenter::new(session);
        let mut seen = vec![Sight::Session {
            session: session.id().to_string(),
            title: presenter.title(),
            participants: here(session, rows)
                .map(|row| presenter.participant(row))
                .collect(),
        }];
        self.listening = now_listening(session, rows);
        let newest: Vec<u64> = session
            .view()
            .messages()
            .rev()
            .take(usize::try_from(last).unwrap_or(usize::MAX))
            .map(|(entry, _)| entry.seq)
            .collect();
        self.seq = newest
            .last()
            .map_or(session.head().seq, |first| first.saturating_sub(1));
        seen.extend(self.news(app, session, &presenter)?);
        Ok(seen)
    }

    fn goes_on(
        &mut self,
        app: &App,
        host: &dyn Host,
        session: &mut Session,
        rows: &[ParticipantRow],
    ) -> Result<Vec<Sight>, Failure> {
        let at_the_door = session.has_untold_knocks();
        let rung = doorbell::ring(app, host, session).filter(|_| at_the_door);
        let presenter = Presenter::new(session);
        let mut seen = self.news(app, session, &presenter)?;
        if !rows.is_empty() {
            let now = now_listening(session, rows);
            for (id, listening) in &now {
                if self.listening.get(id).copied().unwrap_or_default() != *listening {
                    seen.push(Sight::Listening {
                        name: presenter.name(id),
                        short_id: id.to_string().chars().take(8).collect(),
                        listening: *listening,
                    });
                }
            }
            self.listening = now;
        }
        seen.extend(rung.map(note));
        Ok(seen)
    }

    /// Records behind what was shown, then the mode and integrity where they changed.
    fn news(
        &mut self,
        app: &App,
        session: &Session,
        presenter: &Presenter<'_>,
    ) -> Result<Vec<Sight>, Failure> {
        let entries = session.view().after(self.seq);
        let all = |_: &Entry| true;
        let shown = page(presenter, entries, all, self.seq, Inside::Byte(0), WHOLE);
        self.seq = shown.next_since;
        let messages = shown
            .messages
            .into_iter()
            .map(|item| (item.seq, Sight::Message(Box::new(item))));
        let events = shown
            .events
            .into_iter()
            .map(|item| (item.seq, Sight::Event(item)));
        let mut both: Vec<(u64, Sight)> = messages.chain(events).collect();
        both.sort_by_key(|(seq, _)| *seq);
        let mut seen: Vec<Sight> = both.into_iter().map(|(_, sight)| sight).collect();
        let mode: ModeView = modes::of(session, &*session.kept()?, app.clock.now());
        if self.mode != Some((mode.mine, mode.budget_left)) {
            self.mode = Some((mode.mine, mode.budget_left));
            seen.push(Sight::Mode {
                mode: modes::word(mode.mine).to_owned(),
                budget_left: mode.budget_left,
                auto_ends_at: mode.ends_at.map(|at| at.to_string()),
            });
        }
        let integrity = presenter.integrity();
        if integrity.state != "ok" && integrity.state != self.integrity {
            seen.push(Sight::Integrity(integrity.clone()));
        }
        self.integrity = integrity.state;
        if let Some(over) = modes::session_over(mode) {
            self.over = true;
            seen.push(note(over));
        }
        Ok(seen)
    }
}

/// Those who take part now.
fn here<'a>(session: &'a Session, rows: &'a [ParticipantRow]) -> impl Iterator<Item = &'a ParticipantRow> {
    rows.iter()
        .filter(|row| row.left_at.is_none() && session.belongs(&row.participant_id))
}

fn now_listening(session: &Session, rows: &[ParticipantRow]) -> BTreeMap<ParticipantId, bool> {
    here(session, rows)
        .filter(|row| row.participant_id != *session.my_id())
        .map(|row| (row.participant_id, row.listening))
        .collect()
}

fn cancelled() -> Failure {
    Failure::new(
        code::CANCELLED,
        "It is no longer watched. Nothing counts as read.",
    )
}
