//! What is known to be impossible, before anybody is asked about it; and why a call changed nothing.

use wire::event::{Capability, Kind, ModeName};

use super::SetTo;
use crate::session::Session;
use crate::verbs::failure::Failure;
use crate::verbs::host::Host;
use crate::verbs::{modes, wording};

/// Refuses what the plane would refuse, by its newest word. The safe direction is never held up.
pub(super) fn check(session: &Session, set: Option<SetTo>, host: &dyn Host) -> Result<(), Failure> {
    let raises = matches!(set, Some(SetTo::Relay | SetTo::Auto | SetTo::Accept));
    if raises && let Some(end) = session.end(&*session.kept()?) {
        return Err(wording::is_over(end));
    }
    let Some(state) = session.plane_state() else {
        return Ok(());
    };
    if raises && state.capability == Some(Capability::View) {
        return Err(Failure::new(
            "view_only",
            "This seat may read only, so it can't set the mode, and nothing was changed. Ask a full participant to; stop ends an \
             auto that is on.",
        ));
    }
    match (set, state.mode.name) {
        (Some(SetTo::Relay), ModeName::Auto) => Err(Failure::new(
            "in_auto",
            "Auto is on, and nothing was changed. To go to relay, stop it first, which counts at once.",
        )),
        (Some(SetTo::Auto), ModeName::Auto) => Err(in_auto(host)),
        _ => Ok(()),
    }
}

/// That nothing can be proposed while auto is on.
pub(super) fn in_auto(host: &dyn Host) -> Failure {
    let accept = match host.reader() {
        Kind::Agent => format!("your human accepts it ({})", modes::to_accept(host.face())),
        Kind::Human => "accept it (`mode accept`)".to_owned(),
    };
    Failure::new(
        "in_auto",
        format!(
            "Auto is on already, and nothing was proposed. To take part, {accept}; to begin anew, stop it first."
        ),
    )
}

/// Why nothing changed, as an answer says it. `refused`: what else goes on is not this seat's to end.
pub(super) fn why_unchanged(set: SetTo, refused: bool) -> &'static str {
    match set {
        SetTo::Stop if refused => {
            "Nothing was changed: this seat may read only, and may end auto alone. Ask a full participant to set observe."
        }
        SetTo::Stop => "Nothing was changed: there was nothing to stop.",
        SetTo::Observe => "Nothing was changed: the session was in observe already.",
        SetTo::Relay => "Nothing was changed: the session was in relay already.",
        SetTo::Auto => "Nothing was changed: exactly this is proposed already.",
        SetTo::Accept => "Nothing was changed: it was accepted for this seat already.",
        SetTo::Decline => "Nothing was changed.",
    }
}
