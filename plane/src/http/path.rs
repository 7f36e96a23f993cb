//! Ids in paths: exactly the hyphenated lower-case form, as it stands in the request line (nothing is decoded).

use std::str::FromStr;

use http::Uri;
use utoipa::PartialSchema;
use utoipa::openapi::path::Parameter;
use wire::ids::{ParticipantId, SessionId};

use super::query::in_path;
use super::refusal::Refusal;

/// The placeholder of a session's id.
pub(super) const SESSION_ID: &str = "session_id";
/// The placeholder of a participant's id.
const PARTICIPANT_ID: &str = "participant_id";

/// What a handler takes from the path.
pub(super) trait FromPath: Sized + Send + 'static {
    /// Reads them.
    ///
    /// # Errors
    /// An id of another form.
    fn read(template: &str, uri: &Uri) -> Result<Self, Refusal>;

    /// How the OpenAPI document says it.
    fn described() -> Vec<Parameter>;
}

/// The text in place of `{name}`, if the route has that placeholder.
fn captured<'a>(template: &str, path: &'a str, name: &str) -> Option<&'a str> {
    let place = |part: &str| part.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name);
    template
        .split('/')
        .zip(path.split('/'))
        .find_map(|(part, text)| place(part).then_some(text))
}

fn id<T: FromStr>(template: &str, path: &str, name: &str) -> Result<T, Refusal> {
    captured(template, path, name)
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| Refusal::Form("Ids in paths are lower-case hyphenated UUIDs.".to_owned()))
}

/// The id in place of `{session_id}`.
///
/// # Errors
/// Another form, or no such placeholder.
pub(super) fn session_id(template: &str, path: &str) -> Result<SessionId, Refusal> {
    id(template, path, SESSION_ID)
}

impl FromPath for () {
    fn read(_: &str, _: &Uri) -> Result<Self, Refusal> {
        Ok(())
    }

    fn described() -> Vec<Parameter> {
        Vec::new()
    }
}

impl FromPath for SessionId {
    fn read(template: &str, uri: &Uri) -> Result<Self, Refusal> {
        session_id(template, uri.path())
    }

    fn described() -> Vec<Parameter> {
        vec![in_path(SESSION_ID, Self::schema())]
    }
}

impl FromPath for (SessionId, ParticipantId) {
    fn read(template: &str, uri: &Uri) -> Result<Self, Refusal> {
        Ok((
            session_id(template, uri.path())?,
            id(template, uri.path(), PARTICIPANT_ID)?,
        ))
    }

    fn described() -> Vec<Parameter> {
        vec![
            in_path(SESSION_ID, SessionId::schema()),
            in_path(PARTICIPANT_ID, ParticipantId::schema()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = "/v1/sessions/{session_id}/records";

    #[test]
    fn the_hyphenated_lower_case_form_is_the_only_one() {
        let id = "2f6b1c1e-8f0e-4d43-9a3e-0c3a4f5e6d7c";
        let read = |text: &str| session_id(TEMPLATE, &format!("/v1/sessions/{text}/records"));
        assert_eq!(read(id).map(|id| id.to_string()).ok().as_deref(), Some(id));
        for bad in [
            "",
            "x",
            &id.to_uppercase(),
            &id.replace('-', ""),
            &id.replace('2', "%32"),
            "..%2f..",
            "%00",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_route_without_the_placeholder_has_no_session() {
        assert!(session_id("/v1/me", "/v1/me").is_err());
    }
}
