//! `hook`: what a host's agent is told at the events of its host, once and without a word of any message.
//!
//! A hook looks at this machine's files alone: nothing is opened, nothing counts as read, and nothing is sent but to the
//! cockpit of this user, if one runs. It decides what is told and words it; how long it may take, and that its host never fails by it, is the face's to see to.
//!
//! - `input`, `answer`: what a host says and hears, as JSON
//! - `unread`: what this machine's files hold for the seat that is meant
//! - `decide`: whether something is told, and what; pure
//! - `report`: what a cockpit is told; `turn`, `check`: how the agent's last turn went
//!
//! Source: `mcp-client.md`, Waking without a model turn.

mod answer;
mod check;
mod decide;
mod input;
mod report;
mod turn;
mod unread;

use std::sync::Arc;

pub use answer::HookAnswer;
pub use input::{Event, HookInput};

use super::app::App;
use super::failure::{Failure, code};

/// Answers a host at one of its events; none where there is nothing to say. `input` is what the host wrote on standard
/// input.
///
/// # Errors
/// The input is not what a host writes at that event; a file can't be read, or what is told can't be noted: then
/// nothing is told.
pub async fn run(app: Arc<App>, event: Event, input: &[u8]) -> Result<Option<HookAnswer>, Failure> {
    let parsed = HookInput::parse(event, input)?;
    let (shared, meant) = (app.clone(), parsed.clone());
    let looking = tokio::task::spawn_blocking(move || look(&shared, event, &meant));
    let ((), looked) = tokio::join!(report::tell(&app, event, &parsed, input), looking);
    looked.map_err(|_| Failure::new(code::INTERNAL, "The hook was cut off."))?
}

/// What is told, from this machine's files. It is noted before it is told: rather not told than told for ever.
fn look(app: &App, event: Event, input: &HookInput) -> Result<Option<HookAnswer>, Failure> {
    // An agent inside an agent has no seat of its own, and what it is told its host would not hear; nor after an end.
    if input.inside || matches!(event, Event::StopFailure | Event::SessionEnd) {
        return Ok(None);
    }
    let Some(found) = unread::find(app, event, input)? else {
        return Ok(None);
    };
    let mut told = found.told()?;
    let mark = told.of(&input.session);
    let tell = decide::decide(event, input, &found.facts, mark);
    let Some(tell) = tell else { return Ok(None) };
    told.note(
        &input.session,
        decide::noted(tell, &found.facts, mark, app.clock.now()),
    );
    found.keep_told(&told)?;
    Ok(Some(HookAnswer::new(event, tell, &found.facts)))
}
