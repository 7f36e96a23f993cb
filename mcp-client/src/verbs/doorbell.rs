//! The owner's seat is told that somebody waits at the door. How many, and never a name: names are somebody else's text.

use wire::event::Kind;

use super::app::App;
use super::host::Host;
use super::present::short;
use crate::session::Session;

/// The sentence for an answer, if somebody waits for this seat to open.
pub(super) fn ring(app: &App, host: &dyn Host, session: &mut Session) -> Option<String> {
    // The plane's newest word may be older than what a refusal told of the end.
    let is_over = session.kept().is_ok_and(|kept| session.end(&kept).is_some());
    if is_over {
        return None;
    }
    let count = session.knocking_for_me();
    session.told_of_knocks();
    let who = match count {
        0 => return None,
        1 => "1 person or agent waits".to_owned(),
        more => format!("{more} wait"),
    };
    let id = short(session.id());
    let command = app.command(&format!("door --session {id}"));
    let look = match host.reader() {
        Kind::Agent => "Tell your human to look in their own terminal",
        Kind::Human => "Look who it is",
    };
    Some(format!(
        "{who} at the door, to be let in or not by a person. {look}: {command}"
    ))
}
