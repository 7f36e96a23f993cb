//! The outermost layer: every request passes here once on its way in and out. It gives the request its id, finds
//! where it comes from, keeps a panic from taking more than its request, sets the headers that every answer has,
//! and writes the one log line and the figures.
//!
//! Log lines carry the route as the table has it, never the path, the query, a header or a body.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::panic::AssertUnwindSafe;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::FutureExt as _;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use wire::ids::{ParticipantId, SessionId, UserId};

use super::app::App;
use super::credential::Stranger;
use super::path;
use super::refusal::Refusal;
use crate::metrics::{self, Seen};
use crate::service::{MachineCaller, OwnerCaller, Poster, SessionCaller};

/// The address of the connection's other end; the server puts it there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) IpAddr);

/// The address of the client, as far as trusted proxies tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClientAddress(IpAddr);

impl ClientAddress {
    /// That of a request that came in here.
    pub(super) fn of(parts: &Parts) -> IpAddr {
        parts
            .extensions
            .get::<Self>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |address| address.0)
    }
}

/// Who asked, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// Nobody known.
    Nobody,
    /// A participant.
    Participant(ParticipantId),
    /// A machine's user.
    User(UserId),
}

/// The session of a request, for the log.
struct Named(Option<SessionId>);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(id) => id.fmt(f),
            None => f.write_str("-"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody => f.write_str("-"),
            Self::Participant(id) => write!(f, "participant {id}"),
            Self::User(id) => write!(f, "user {id}"),
        }
    }
}

/// A name for one request, in the log and in the answer: its number, hashed with a random key of this process.
struct RequestId(String);

impl RequestId {
    fn new() -> Self {
        static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        static REQUESTS: AtomicU64 = AtomicU64::new(0);
        let number = REQUESTS.fetch_add(1, Ordering::Relaxed);
        Self(format!("{:016x}", KEY.hash_one(number)))
    }
}

/// The route of a request for what is not there.
const UNMATCHED: &str = "unmatched";
static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Carries a request in and its answer out.
///
/// Not an `async fn`: its future would have the room of the request for as long as that is under way.
pub(super) fn edge(
    State(app): State<App>,
    mut request: Request<Body>,
    next: Next,
) -> impl Future<Output = Response> + Send {
    let asked = Asked::by(&request);
    let peer = request
        .extensions()
        .get::<Peer>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0);
    let client = app.options().trusted_proxies.client(peer, request.headers());
    request.extensions_mut().insert(ClientAddress(client));

    let under_way = metrics::under_way();
    let carried_out = match head_too_large(&app, request.method(), request.uri(), request.headers()) {
        Some(refusal) => Err(refusal),
        None => Ok(Box::pin(AssertUnwindSafe(next.run(request)).catch_unwind())),
    };
    async move {
        let response = match carried_out {
            Err(refusal) => refusal.into_response(),
            Ok(answer) => answer.await.unwrap_or_else(|_| Refusal::Internal.into_response()),
        };
        drop(under_way);
        asked.answered(response)
    }
}

/// What is kept of a request until it is answered.
struct Asked {
    at: Instant,
    id: RequestId,
    method: Method,
    matched: Option<MatchedPath>,
    session: Option<SessionId>,
    waiting: bool,
}

impl Asked {
    fn by(request: &Request<Body>) -> Self {
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let template = matched.as_ref().map_or(UNMATCHED, MatchedPath::as_str);
        Self {
            at: Instant::now(),
            id: RequestId::new(),
            method: request.method().clone(),
            session: path::session_id(template, request.uri().path()).ok(),
            waiting: request.uri().query().is_some_and(|query| query.contains("wait=")),
            matched,
        }
    }

    /// Sets the headers that every answer has, and writes the log line and the figures.
    fn answered(&self, mut response: Response) -> Response {
        let (id, method) = (&self.id, &self.method);
        let template = self.matched.as_ref().map_or(UNMATCHED, MatchedPath::as_str);
        set_headers(response.headers_mut(), template, id);
        let status = response.status();
        let subject = response
            .extensions_mut()
            .remove::<Subject>()
            .unwrap_or(Subject::Nobody);
        let took = self.at.elapsed();
        metrics::answered(&Seen {
            method,
            route: template,
            status: status.as_u16(),
            waiting: self.waiting,
            took,
        });
        let session = Named(self.session);
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        if matches!(template, "/healthz" | "/readyz" | "/metrics") && status.is_success() {
            tracing::debug!(request = %id.0, %method, route = template, status = status.as_u16(), took_ms, "answered");
        } else {
            tracing::info!(
                request = %id.0, %method, route = template, status = status.as_u16(), took_ms, %session, by = %subject,
                "answered"
            );
        }
        response
    }
}

fn head_too_large(app: &App, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Refusal> {
    const AROUND_A_HEADER: usize = ": \r\n".len();
    const AROUND_A_REQUEST_LINE: usize = "  HTTP/1.1\r\n\r\n".len();
    let line = method.as_str().len() + uri.path_and_query().map_or(0, |text| text.as_str().len());
    let fields: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + AROUND_A_HEADER)
        .sum();
    let most = app.limits().head_bytes;
    let size = (line + AROUND_A_REQUEST_LINE + fields) as u64;
    (size > most).then_some(Refusal::TooLarge {
        limit: "head_bytes",
        most,
    })
}

/// There are no CORS headers, on purpose: no other site's script reads from a plane.
fn set_headers(headers: &mut HeaderMap, template: &str, id: &RequestId) {
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    // Pages bring their own; whatever else a browser is led to open runs nothing, loads nothing and is framed nowhere.
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(
            "default-src 'none'; frame-ancestors 'none'",
        ));
    if template.starts_with("/v1/") || !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if let Ok(value) = HeaderValue::from_str(&id.0) {
        headers.insert(REQUEST_ID.clone(), value);
    }
}

/// Who the log says it was.
pub(super) trait Known {
    /// The id that stands for this caller.
    fn subject(&self) -> Subject;
}

impl Known for SessionCaller {
    fn subject(&self) -> Subject {
        Subject::Participant(self.participant_id)
    }
}

impl Known for Poster {
    fn subject(&self) -> Subject {
        self.caller.subject()
    }
}

impl Known for MachineCaller {
    fn subject(&self) -> Subject {
        Subject::User(self.user_id)
    }
}

impl Known for OwnerCaller {
    fn subject(&self) -> Subject {
        match self {
            Self::Participant(caller) => caller.subject(),
            Self::Machine(caller) => caller.subject(),
        }
    }
}

impl Known for Stranger {
    fn subject(&self) -> Subject {
        Subject::Nobody
    }
}
