//! What a route takes, and who is asking (`plane-api.md`, Credentials).
//!
//! A route is declared with a [`Takes`], and its handler gets the caller that this credential stands for. There
//! is no other way to mount one, so a route that forgot its credential does not compile.

use std::future::Future;

use http::{HeaderMap, header};
use utoipa::openapi::security::SecurityRequirement;
use wire::event::{Capability, Kind};
use wire::ids::SessionId;
use wire::token::TokenKind;

use super::edge::Known;
use super::refusal::Refusal;
use crate::service::{MachineCaller, OwnerCaller, Poster, Scope, Service, ServiceError, SessionCaller};

/// A declared credential; the handler must take its caller.
pub(super) struct Takes<C: Caller>(pub(super) C::Demand);

/// Any participant of the path's session.
pub(super) fn session() -> Takes<SessionCaller> {
    Takes(AtLeast::View)
}

/// As [`session`], for whoever appends by what the last look-up of its token said.
pub(super) fn poster() -> Takes<Poster> {
    Takes(())
}

/// A participant of the path's session with a full link: others get `view_only`.
pub(super) fn full_session() -> Takes<SessionCaller> {
    Takes(AtLeast::Full)
}

/// A participant of the path's session who is a person: others get `forbidden`.
pub(super) fn human_session() -> Takes<SessionCaller> {
    Takes(AtLeast::Human)
}

/// A machine whose token has one of these scopes.
pub(super) fn machine(scopes: &'static [Scope]) -> Takes<MachineCaller> {
    Takes(scopes)
}

/// A participant of the path's session, or a machine whose token has one of these scopes.
pub(super) fn session_or_machine(scopes: &'static [Scope]) -> Takes<OwnerCaller> {
    Takes(scopes)
}

/// Everybody: what is asked for is public, or its body carries the proof.
pub(super) fn nobody_in_particular() -> Takes<Stranger> {
    Takes(())
}

/// A caller who showed nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stranger;

/// What a session token must be good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtLeast {
    /// Reading.
    View,
    /// Writing.
    Full,
    /// Reading, as a person.
    Human,
}

/// The names of the two security schemes in the OpenAPI document.
pub(super) const SESSION_SCHEME: &str = "session_token";
/// See [`SESSION_SCHEME`].
pub(super) const MACHINE_SCHEME: &str = "machine_token";

/// Somebody a credential stands for.
pub(super) trait Caller: Known + Sized + Send + 'static {
    /// What a route may ask beyond the kind of the credential.
    type Demand: Copy + Send + Sync + 'static;

    /// Checks the credential of a request.
    fn identify(
        service: &Service,
        bearer: Option<Bearer>,
        session: Result<SessionId, Refusal>,
        demand: Self::Demand,
    ) -> impl Future<Output = Result<Self, Refusal>> + Send;

    /// That the credential counts now, before a request is refused for anything else.
    fn confirm(&self, _service: &Service) -> impl Future<Output = Result<(), Refusal>> + Send {
        async { Ok(()) }
    }

    /// How the OpenAPI document says it; one of these is enough.
    fn described(demand: Self::Demand) -> Vec<SecurityRequirement>;
}

/// A bearer token of a request.
pub(super) struct Bearer {
    kind: TokenKind,
    token: [u8; 32],
}

impl Bearer {
    /// The token of the one `Authorization` header. Anything else than `Bearer` and a well-formed token counts as
    /// none.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return None;
        };
        let (scheme, text) = value.to_str().ok()?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (kind, token) = TokenKind::parse(text).ok()?;
        Some(Self { kind, token })
    }

    fn of_kind(this: Option<Self>, kind: TokenKind) -> Result<[u8; 32], Refusal> {
        match this {
            Some(bearer) if bearer.kind == kind => Ok(bearer.token),
            _ => Err(ServiceError::Unauthorized.into()),
        }
    }
}

fn scope_checked(caller: MachineCaller, scopes: &[Scope]) -> Result<MachineCaller, Refusal> {
    if scopes.is_empty() || scopes.iter().any(|scope| caller.may(*scope)) {
        Ok(caller)
    } else {
        Err(ServiceError::Forbidden {
            detail: "This machine token lacks the scope for that. Ask an admin of your org for one that has it.",
        }
        .into())
    }
}

fn scopes_described(scopes: &[Scope]) -> SecurityRequirement {
    SecurityRequirement::new(MACHINE_SCHEME, scopes.iter().map(|scope| scope.word()))
}

impl Caller for SessionCaller {
    type Demand = AtLeast;

    async fn identify(
        service: &Service,
        bearer: Option<Bearer>,
        session: Result<SessionId, Refusal>,
        demand: AtLeast,
    ) -> Result<Self, Refusal> {
        let token = Bearer::of_kind(bearer, TokenKind::Session)?;
        let caller = service.session_caller(session?, &token).await?;
        match demand {
            AtLeast::Full if caller.capability != Capability::Full => Err(ServiceError::ViewOnly.into()),
            AtLeast::Human if caller.kind != Kind::Human => Err(ServiceError::Forbidden {
                detail: "This is for people. An agent waits for records with GET records and `wait`.",
            }
            .into()),
            _ => Ok(caller),
        }
    }

    fn described(_: AtLeast) -> Vec<SecurityRequirement> {
        vec![SecurityRequirement::new::<_, [&str; 0], _>(SESSION_SCHEME, [])]
    }
}

impl Caller for Poster {
    type Demand = ();

    async fn identify(
        service: &Service,
        bearer: Option<Bearer>,
        session: Result<SessionId, Refusal>,
        (): (),
    ) -> Result<Self, Refusal> {
        let token = Bearer::of_kind(bearer, TokenKind::Session)?;
        Ok(service.poster(session?, &token).await?)
    }

    async fn confirm(&self, service: &Service) -> Result<(), Refusal> {
        Ok(service.confirm(self).await?)
    }

    fn described((): ()) -> Vec<SecurityRequirement> {
        SessionCaller::described(AtLeast::View)
    }
}

impl Caller for MachineCaller {
    type Demand = &'static [Scope];

    async fn identify(
        service: &Service,
        bearer: Option<Bearer>,
        session: Result<SessionId, Refusal>,
        scopes: &'static [Scope],
    ) -> Result<Self, Refusal> {
        let token = Bearer::of_kind(bearer, TokenKind::Machine)?;
        let caller = scope_checked(service.machine_caller(&token).await?, scopes)?;
        // On a route without a session, or with an id of another form, there is nothing to keep.
        if let Ok(session) = session {
            service.may_keep(&caller, session).await?;
        }
        Ok(caller)
    }

    fn described(scopes: &'static [Scope]) -> Vec<SecurityRequirement> {
        vec![scopes_described(scopes)]
    }
}

impl Caller for OwnerCaller {
    type Demand = &'static [Scope];

    async fn identify(
        service: &Service,
        bearer: Option<Bearer>,
        session: Result<SessionId, Refusal>,
        scopes: &'static [Scope],
    ) -> Result<Self, Refusal> {
        match bearer {
            Some(Bearer {
                kind: TokenKind::Machine,
                ..
            }) => MachineCaller::identify(service, bearer, session, scopes)
                .await
                .map(Self::Machine),
            _ => SessionCaller::identify(service, bearer, session, AtLeast::View)
                .await
                .map(Self::Participant),
        }
    }

    fn described(scopes: &'static [Scope]) -> Vec<SecurityRequirement> {
        let mut either = SessionCaller::described(AtLeast::View);
        either.push(scopes_described(scopes));
        either
    }
}

impl Caller for Stranger {
    type Demand = ();

    async fn identify(
        _: &Service,
        _: Option<Bearer>,
        _: Result<SessionId, Refusal>,
        (): (),
    ) -> Result<Self, Refusal> {
        Ok(Self)
    }

    fn described((): ()) -> Vec<SecurityRequirement> {
        Vec::new()
    }
}
