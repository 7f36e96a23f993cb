//! The wait itself: long requests one after the other, without holding the session, until something comes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};
use wire::event::{Kind, ModeName};
use wire::problem::Code;

use super::app::App;
use super::asleep::Step;
use super::failure::{Failure, code};
use super::host::Host;
use super::modes::{self, ModeView};
use super::news::{For, has_news};
use super::reach::in_turn;
use super::wording;
use crate::plane::{Deadline, PlaneError};
use crate::session::{Heard, Session, SessionError, Waiting};

/// The longest request: the plane's own limit.
const REQUEST_MAX_S: u64 = 50;
/// The shortest request after cuts.
const REQUEST_MIN_S: u64 = 5;
/// What one step may take beyond the end of the wait, where the plane answers.
pub(super) const GRACE: Duration = Duration::from_secs(4);
/// The shortest time a plane is given to answer at all, however short the wait.
const ANSWER_MIN: Duration = Duration::from_secs(2);
/// What a request may take beyond the time it is held: this share of it, and so much at least.
const HELD_SHARE: u32 = 8;
const HELD_MIN: Duration = Duration::from_secs(1);
/// Between two signs of life.
const PROGRESS: Duration = Duration::from_secs(10);
/// After a request that was refused or cut.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause between two tries of somebody who has hours.
const PAUSE_MAX: Duration = Duration::from_secs(15);
/// How often a wait reads on for the notice of an end that it sees already.
const NOTICE_ROUNDS: u32 = 4;
/// What a wait may hold the session for while it reads on, since other calls come between.
const READING: Duration = Duration::from_secs(10);
/// How long another call is given to leave the session, and the plane to answer, however late it is.
const LATE: Duration = Duration::from_secs(2);
/// The time of a look at the plane after a sleep: of each of two, since the first may go over a connection that died meanwhile.
const AWAKE: Duration = Duration::from_secs(3);

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woke {
    Messages,
    ModeChanged,
    /// Somebody new waits at the door that this seat keeps.
    Knocking,
    Ended,
    TimedOut,
}

impl Woke {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::ModeChanged => "mode_changed",
            Self::Knocking => "knocking",
            Self::Ended => "ended",
            Self::TimedOut => "timed_out",
        }
    }
}

/// Waits until somebody else has posted, the mode has changed, somebody knocks at the door that this seat keeps, the session
/// is over, or the time is up. For posts alone: until somebody else has posted, this seat is in observe, or the same ends.
pub(super) async fn listen(
    app: &App,
    shared: &Arc<Mutex<Session>>,
    host: &dyn Host,
    what: For,
    started: Deadline,
    end: Deadline,
) -> Result<Woke, Failure> {
    let posts = what == For::Posts;
    let (mut before, told) = {
        // Nothing has come of it yet: a plane that is silent is not waited for longer than the wait itself.
        let mut session = match read_on(shared, host, end.max(started + ANSWER_MIN)).await {
            Ok(session) => session,
            Err(failure) => return ended(shared, end, failure).await,
        };
        let now = mode(app, &session)?;
        let may_listen = modes::may_wait(now);
        if (!posts || may_listen) && has_news(&session, what, host.kind())? {
            return Ok(Woke::Messages);
        }
        if posts && now.gone.is_none() && !may_listen {
            return Ok(Woke::ModeChanged);
        }
        // Of each command's process nobody was told anything before: it would wake for the same knock again and again.
        if !host.lives_on() {
            session.told_of_knocks();
        }
        (now, session.kept()?.told_proposal)
    };
    if before.gone.is_some() {
        return Ok(Woke::Ended);
    }
    if before.mine == ModeName::Observe && host.kind() == Kind::Agent {
        if before.over.is_some() {
            turn(shared, end).await?.auto_told().await?;
        }
        return Err(Failure::new(
            "mode_observe",
            modes::why_not_wait(before, host.face()),
        ));
    }
    // One that is its own, or that it was told of, is no news.
    let own = before.kind == host.kind();
    let is_new = |(id, mine): (_, bool)| !mine && told != Some(id);
    if !posts && own && before.proposal.is_some_and(is_new) {
        return Ok(Woke::ModeChanged);
    }
    if !posts && turn(shared, end).await?.has_untold_knocks() {
        return Ok(Woke::Knocking);
    }
    let mut cuts = 0;
    let mut longest = REQUEST_MAX_S;
    loop {
        // The plane counts whole seconds: rather a little longer than a wait that is over before its time.
        let left = end.saturating_duration_since(Deadline::now()).as_millis();
        let left = u64::try_from(left.div_ceil(1_000)).unwrap_or(u64::MAX);
        if left == 0 {
            return Ok(Woke::TimedOut);
        }
        let waiting = turn(shared, end).await?.waiting()?;
        let seconds = left.min(longest).min(own_seconds(app, before));
        let asked = Step::begin();
        let until = held_until(seconds);
        let heard = hold(&waiting, (seconds, until), host, started, end).await?;
        let slept = asked.slept(until);
        let mut session = turn(shared, end).await?;
        match heard {
            Ok(heard) => {
                cuts = 0;
                session.hear(heard, reading_until(end)).await?;
                // What it heard may be as old as the sleep was long.
                if slept && !has_news(&session, what, host.kind())? {
                    drop(session);
                    session = match look_again(shared, host, end).await {
                        Ok(session) => session,
                        Err(failure) => return ended(shared, end, failure).await,
                    };
                }
            }
            Err(error) => match after(&error) {
                After::ComeBack => {
                    if let Err(error) = session.sync(reading_until(end)).await {
                        drop(session);
                        return ended(shared, end, wording::session(error)).await;
                    }
                }
                After::Shorter if slept => {
                    drop(session);
                    session = match look_again(shared, host, end).await {
                        Ok(session) => session,
                        Err(failure) => return ended(shared, end, failure).await,
                    };
                }
                After::Shorter => {
                    // A proxy that cuts idle requests: stay below what it lets through.
                    longest = (asked.elapsed().as_secs() * 4 / 5).clamp(REQUEST_MIN_S, longest);
                    drop(session);
                    let pause = if posts { pause_after(cuts) } else { PAUSE };
                    cuts = cuts.saturating_add(1);
                    if Deadline::now() + pause + PAUSE >= end {
                        return Err(wording::plane(&error));
                    }
                    tracing::debug!(%error, ?pause, "the plane is tried again");
                    until_cancelled(host, tokio::time::sleep(pause)).await?;
                    continue;
                }
                After::Observe => {
                    session.sync(reading_until(end)).await?;
                    // What ended it may be a message.
                    return Ok(match has_news(&session, what, host.kind())? {
                        true => Woke::Messages,
                        false => Woke::ModeChanged,
                    });
                }
                After::Ended => {
                    session.ended_by(&error).await?;
                    return Ok(Woke::Ended);
                }
                After::Give => return Err(wording::plane(&error)),
            },
        }
        if has_news(&session, what, host.kind())? {
            return Ok(Woke::Messages);
        }
        let mut now = mode(app, &session)?;
        if now.gone.is_some() {
            return Ok(Woke::Ended);
        }
        for _ in 0..NOTICE_ROUNDS {
            if now.mine != ModeName::Observe || before.mine != ModeName::Auto || now.over.is_some() {
                break;
            }
            // The time is up, and the notice that says so comes within a second.
            drop(session);
            until_cancelled(host, tokio::time::sleep(PAUSE / 2)).await?;
            session = read_on(shared, host, end + GRACE).await?;
            now = mode(app, &session)?;
        }
        if posts {
            if now.mine == ModeName::Observe {
                return Ok(Woke::ModeChanged);
            }
            before = now;
            continue;
        }
        if (now.session, now.mine, now.proposal) != (before.session, before.mine, before.proposal) {
            return Ok(Woke::ModeChanged);
        }
        if session.has_untold_knocks() {
            return Ok(Woke::Knocking);
        }
    }
}

/// What did not work, unless it is that the session is over: that is an answer to a wait.
async fn ended(shared: &Mutex<Session>, end: Deadline, failure: Failure) -> Result<Woke, Failure> {
    let session = turn(shared, end).await?;
    match session.end(&*session.kept()?) {
        Some(_) if failure.code() == "session_ended" => Ok(Woke::Ended),
        _ => Err(failure),
    }
}

/// The session, once other calls have left it: by the end of the wait, or in a moment where that is past.
pub(super) async fn turn(shared: &Mutex<Session>, end: Deadline) -> Result<MutexGuard<'_, Session>, Failure> {
    in_turn(shared, late(end)).await
}

fn late(end: Deadline) -> Deadline {
    (end + GRACE).max(Deadline::now() + LATE)
}

/// Looks at the plane after a sleep, in which the time of a request, or of the whole wait, has passed: that the plane did not
/// answer meanwhile says nothing of it.
async fn look_again<'a>(
    shared: &'a Mutex<Session>,
    host: &dyn Host,
    end: Deadline,
) -> Result<MutexGuard<'a, Session>, Failure> {
    match read_on(shared, host, Deadline::now() + AWAKE).await {
        // With time left the plane is tried for as long as that.
        Err(_) => read_on(shared, host, end.max(Deadline::now() + AWAKE)).await,
        looked => looked,
    }
}

/// Reads on until then at the latest, and gives the session back between two tries that the plane does not answer.
async fn read_on<'a>(
    shared: &'a Mutex<Session>,
    host: &dyn Host,
    mut until: Deadline,
) -> Result<MutexGuard<'a, Session>, Failure> {
    loop {
        let mut session = until_cancelled(host, in_turn(shared, until)).await??;
        let one_try = (Deadline::now() + READING).min(until);
        let step = Step::begin();
        match until_cancelled(host, session.sync(one_try)).await? {
            Ok(()) => return Ok(session),
            Err(SessionError::Plane(PlaneError::TimedOut { .. })) if step.slept(one_try) => {
                until = until.max(Deadline::now() + PAUSE + AWAKE);
            }
            Err(SessionError::Plane(PlaneError::TimedOut { .. })) if Deadline::now() + PAUSE < until => {}
            Err(error) => return Err(wording::session(error)),
        }
        drop(session);
        until_cancelled(host, tokio::time::sleep(PAUSE)).await?;
    }
}

/// What is left of an auto this seat is in, and two seconds in which the plane's notice may come first.
fn own_seconds(app: &App, view: ModeView) -> u64 {
    let Some(end) = view.ends_at.filter(|_| view.mine == ModeName::Auto) else {
        return REQUEST_MAX_S;
    };
    let left = end.millis().saturating_sub(app.clock.now().millis());
    u64::try_from(left).unwrap_or(0) / 1_000 + 2
}

fn reading_until(end: Deadline) -> Deadline {
    (Deadline::now() + READING).min(late(end))
}

/// When a request that the plane holds for so long is given up.
fn held_until(seconds: u64) -> Deadline {
    let held = Duration::from_secs(seconds);
    Deadline::now() + held + (held / HELD_SHARE).max(HELD_MIN)
}

/// One long request, with signs of life.
async fn hold(
    waiting: &Waiting,
    (seconds, until): (u64, Deadline),
    host: &dyn Host,
    started: Deadline,
    end: Deadline,
) -> Result<Result<Heard, PlaneError>, Failure> {
    let request = waiting.wait(u32::try_from(seconds).unwrap_or(u32::MAX), until);
    let mut request = std::pin::pin!(request);
    let total = end.saturating_duration_since(started).as_secs();
    loop {
        tokio::select! {
            heard = &mut request => return Ok(heard),
            () = host.cancelled().cancelled() => return Err(cancelled()),
            () = tokio::time::sleep(PROGRESS) => {
                host.progress(started.elapsed().as_secs(), total, "waiting for the others").await;
            }
        }
    }
}

/// What a request that did not succeed means for the next one.
pub(super) enum After {
    ComeBack,
    Shorter,
    Observe,
    Ended,
    Give,
}

pub(super) fn after(error: &PlaneError) -> After {
    match error {
        PlaneError::Problem {
            code: Code::Rekeyed | Code::Unauthorized,
            ..
        } => After::ComeBack,
        PlaneError::Problem {
            code: Code::ModeObserve,
            ..
        } => After::Observe,
        PlaneError::Problem {
            code: Code::SessionEnded,
            ..
        } => After::Ended,
        PlaneError::TimedOut { .. } => After::Shorter,
        error if error.is_passing() => After::Shorter,
        _ => After::Give,
    }
}

/// How long somebody who has hours leaves a plane alone that did not answer `cuts` times in a row; drawn, so that clients
/// which were cut off together don't come back together.
pub(super) fn pause_after(cuts: u32) -> Duration {
    let longest = PAUSE
        .saturating_mul(2_u32.saturating_pow(cuts.min(8)))
        .min(PAUSE_MAX);
    // Without randomness it is the longest.
    let drawn = seal::random::bytes::<1>().map_or(u8::MAX, |[drawn]| drawn);
    longest.mul_f64(0.5 + 0.5 * f64::from(drawn) / f64::from(u8::MAX))
}

fn mode(app: &App, session: &Session) -> Result<ModeView, SessionError> {
    Ok(modes::of(session, &*session.kept()?, app.clock.now()))
}

/// Ends a step when the caller gives up. What it had written is on disk; the rest is read again.
async fn until_cancelled<T>(host: &dyn Host, step: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::select! {
        value = step => Ok(value),
        () = host.cancelled().cancelled() => Err(cancelled()),
    }
}

fn cancelled() -> Failure {
    Failure::new(
        code::CANCELLED,
        "The wait was given up. Nothing was lost, and nothing counts as read.",
    )
}
