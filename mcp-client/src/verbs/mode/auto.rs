//! Proposing, accepting and declining auto. What is sent is what the human was shown; whatever changed meanwhile is not
//! accepted.

use tokio::sync::Mutex;
use wire::event::ModeName;

use super::ask::{Asking, Shown};
use super::possible::in_auto;
use super::terms::Terms;
use crate::plane::{Deadline, within};
use crate::session::auto::{self, Standing, Why};
use crate::session::{Agreed, Session, goal_hash};
use crate::verbs::app::App;
use crate::verbs::choose::CALL_S;
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::Host;
use crate::verbs::present::Presenter;
use crate::verbs::reach::in_turn;
use crate::verbs::{compose, modes, proposals, secrets, wording};

/// Proposes, after this machine's human said yes to goal, budget and time. Until when the call may go on; none where
/// exactly this is proposed already.
pub(super) async fn propose(
    shared: &Mutex<Session>,
    host: &dyn Host,
    terms: &Terms,
    until: Deadline,
) -> Result<Option<Deadline>, Failure> {
    let (asking, title, command) = {
        let session = in_turn(shared, until).await?;
        if is_proposed(&session, terms)? {
            return Ok(None);
        }
        if session_mode(&session) == Some(ModeName::Auto) {
            return Err(in_auto(host));
        }
        let asking = Asking::propose(&session, terms, host.reader())?;
        let title = Presenter::new(&session).title();
        let command = compose::allowing("mode auto", &session)? + &terms.options();
        (asking, title, command)
    };
    if !terms.findings.is_empty() {
        let about = secrets::About {
            title: &title,
            findings: &terms.findings,
            content: &terms.goal,
            nothing: "Nothing was proposed.",
            command: &command,
        };
        secrets::ask(host, &about).await?;
    }
    asking.put(host).await?;
    // The time a human took to answer does not count.
    let until = within(CALL_S);
    let mut session = in_turn(shared, until).await?;
    session
        .propose(&terms.goal, terms.budget, terms.ttl_s, until)
        .await?;
    read_on(&mut session, until).await;
    Ok(Some(until))
}

/// Whether the same call was made before and only its answer was lost: the human said yes to exactly this.
fn is_proposed(session: &Session, terms: &Terms) -> Result<bool, Failure> {
    let kept = session.kept()?;
    let open = session
        .plane_state()
        .and_then(|state| state.mode.proposal.as_ref());
    Ok(open.is_some_and(|open| {
        kept.consents.get(&open.proposal_id).is_some_and(|consent| {
            consent.goal == Some(goal_hash(&terms.goal))
                && (consent.budget, consent.ttl_s) == (terms.budget, terms.ttl_s)
                && (open.budget, open.ttl_s) == (terms.budget, terms.ttl_s)
                && !consent.over
        })
    }))
}

/// Accepts the proposal that this machine's human was shown and said yes to. As [`propose`]; none where it was accepted
/// already.
pub(super) async fn accept(
    app: &App,
    shared: &Mutex<Session>,
    host: &dyn Host,
    until: Deadline,
) -> Result<Option<Deadline>, Failure> {
    let (asking, id, agreed) = {
        let session = in_turn(shared, until).await?;
        let Some((shown, agreed)) = to_accept(&session)? else {
            return Ok(None);
        };
        let seats = app.list()?.seats;
        let is_here = seats.iter().any(|seat| seat.participant == shown.by);
        (Asking::accept(&session, &shown, is_here), shown.id, agreed)
    };
    asking.put(host).await?;
    let until = within(CALL_S);
    let mut session = in_turn(shared, until).await?;
    session.accept_auto(id, agreed, until).await?;
    read_on(&mut session, until).await;
    Ok(Some(until))
}

/// What there is to accept; none where it was accepted already.
fn to_accept(session: &Session) -> Result<Option<(Shown, Agreed)>, Failure> {
    let Some(mode) = session.plane_state().map(|state| &state.mode) else {
        return Err(nothing_open());
    };
    let kept = session.kept()?;
    if let Some(open) = &mode.proposal {
        if open.by == *session.my_id() {
            return Err(Failure::new(
                "forbidden",
                "This is your own proposal: somebody else has to accept it. Nothing was changed.",
            ));
        }
        let goal = proposals::goal(session, open).ok_or_else(unreadable)?;
        let agreed = Agreed {
            budget: open.budget,
            ttl_s: open.ttl_s,
            since_seq: session.head().seq,
        };
        let shown = Shown {
            id: open.proposal_id,
            by: open.by,
            budget: open.budget,
            ttl_s: open.ttl_s,
            ends_at: None,
            goal,
        };
        return Ok(Some((shown, agreed)));
    }
    let (ModeName::Auto, Some(id)) = (mode.name, mode.proposal_id) else {
        return Err(nothing_open());
    };
    if let Some(consent) = kept.consents.get(&id) {
        match auto::standing(consent, &id, &session.auto_facts()) {
            Standing::Running(_) => return Ok(None),
            Standing::Over(why) if why != Why::Here => {
                return Err(Failure::new(
                    "auto_over",
                    format!(
                        "{} For this participant it does not begin again under the same proposal. Nothing was accepted; your \
                         human may propose anew.",
                        modes::over(why)
                    ),
                ));
            }
            // What was ended here, by a stop or by leaving, a new yes may begin again.
            Standing::Idle | Standing::Over(_) => {}
        }
    }
    let began = auto::last_change(session.view()).filter(|change| change.to == ModeName::Auto);
    let Some((began, budget, ttl_s)) = began.and_then(|began| Some((began, began.budget?, began.ttl_s?)))
    else {
        return Err(Failure::new(
            code::NO_PROPOSAL,
            "The plane says auto, and the transcript does not say with what budget and time. Nothing was accepted; tell your \
             human.",
        ));
    };
    let sealed = mode.goal.as_ref().filter(|goal| goal.proposal_id == id);
    let by = sealed.map(|goal| goal.participant_id).ok_or_else(unreadable)?;
    let goal = sealed
        .and_then(|goal| session.goal(goal))
        .ok_or_else(unreadable)?;
    let agreed = Agreed {
        budget,
        ttl_s,
        since_seq: began.seq.saturating_sub(1),
    };
    let shown = Shown {
        id,
        by,
        budget,
        ttl_s,
        ends_at: mode.expires_at,
        goal,
    };
    Ok(Some((shown, agreed)))
}

/// Drops the open proposal, whoever made it.
pub(super) async fn decline(session: &mut Session, host: &dyn Host, until: Deadline) -> Result<(), Failure> {
    let mode = session.plane_state().map(|state| &state.mode);
    if mode.is_some_and(|mode| mode.name == ModeName::Auto) {
        return Err(Failure::new(
            "in_auto",
            "Auto is on, so there is no proposal to decline. To end it use stop, which counts at once.",
        ));
    }
    let open = mode.and_then(|mode| mode.proposal.as_ref());
    let (id, mine) = open
        .map(|open| (open.proposal_id, open.by == *session.my_id()))
        .ok_or_else(nothing_open)?;
    if mine {
        session.end_own_auto(host.lives_on()).await?;
    }
    session.decline(id, until).await.map_err(wording::session)
}

/// The notice, and with it what the consent stands for, is read at once; if that does not work, with the next call.
pub(super) async fn read_on(session: &mut Session, until: Deadline) {
    if let Err(error) = session.sync(until).await {
        tracing::info!(%error, "nothing was read after the change of mode");
    }
}

fn session_mode(session: &Session) -> Option<ModeName> {
    session.plane_state().map(|state| state.mode.name)
}

fn nothing_open() -> Failure {
    Failure::new(
        code::NO_PROPOSAL,
        "There is no open proposal: none was made, or it lapsed, was declined or replaced. Nothing was changed.",
    )
}

fn unreadable() -> Failure {
    Failure::new(
        code::NO_PROPOSAL,
        "The proposal's goal can't be read here, so there is nothing your human could say yes to. Nothing was accepted; ask \
         for a new proposal.",
    )
}
