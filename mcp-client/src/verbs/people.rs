//! Whom a name means: participants by name, tagged name, id or the first digits of an id.

use wire::ids::ParticipantId;

use super::failure::{Failure, code};
use super::host::Face;
use super::present::Presenter;
use crate::render;
use crate::session::Session;

/// Hex digits of an id that are taken for it.
const DIGITS: usize = 4;

/// The one participant that `named` means.
pub(super) fn one(
    session: &Session,
    presenter: &Presenter<'_>,
    named: &str,
    face: Face,
) -> Result<ParticipantId, Failure> {
    let wanted = named.trim().trim_start_matches('@');
    let shown = render::name(wanted);
    let digits = wanted
        .trim_start_matches('#')
        .replace('-', "")
        .to_ascii_lowercase();
    let is_digits = digits.len() >= DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let fits = |id: &ParticipantId, name: &str| {
        let by_name = presenter.name(id).eq_ignore_ascii_case(wanted)
            || render::name(name).eq_ignore_ascii_case(&shown);
        let by_id = is_digits && id.to_string().replace('-', "").starts_with(&digits);
        by_name || by_id
    };
    let fitting: Vec<ParticipantId> = session
        .roster()
        .iter()
        .filter(|(id, known)| fits(id, &known.claims.name))
        .map(|(id, _)| *id)
        .collect();
    match fitting.as_slice() {
        [one] => Ok(*one),
        [] => Err(Failure::new(
            code::BAD_ARGUMENT,
            format!(
                "Nobody here is called \"{shown}\". Ask {} for names and ids.",
                face.call("who")
            ),
        )),
        _ => Err(Failure::new(
            code::BAD_ARGUMENT,
            format!(
                "Several participants are called \"{shown}\". Name one by its id from {}.",
                face.call("who")
            ),
        )),
    }
}

/// Everybody that `named` means.
pub(super) fn all(
    session: &Session,
    presenter: &Presenter<'_>,
    named: &[String],
    face: Face,
) -> Result<Vec<ParticipantId>, Failure> {
    named
        .iter()
        .map(|named| one(session, presenter, named, face))
        .collect()
}
