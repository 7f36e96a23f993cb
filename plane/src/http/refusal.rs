//! Every way a request ends without its answer, and the one place where each becomes a problem document
//! (RFC 9457; `plane-api.md`, Errors).
//!
//! The service layer says why it refused ([`ServiceError`]); this layer adds what it finds before it calls
//! the service. A fault of the plane's own is logged with its detail and answered bare.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, StatusCode, header};
use wire::problem::{Code, Extras, Problem};

use crate::json::JsonRefusal;
use crate::service::ServiceError;
use crate::store::StoreError;

/// Why a request was refused.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The service refused, or failed.
    Service(ServiceError),
    /// The body is not the JSON asked for.
    Json(JsonRefusal),
    /// Path, query, head or body have another form; the text says which is asked for.
    Form(String),
    /// More bytes than the limit of this name lets in.
    TooLarge {
        /// The limit's name.
        limit: &'static str,
        /// What it is set to.
        most: u64,
    },
    /// The body did not arrive in time.
    TimeOut,
    /// No such route, or not by this method.
    NoRoute,
    /// A fault of the plane's own. What happened is in the log.
    Internal,
}

impl From<ServiceError> for Refusal {
    fn from(error: ServiceError) -> Self {
        Self::Service(error)
    }
}

impl From<JsonRefusal> for Refusal {
    fn from(refusal: JsonRefusal) -> Self {
        Self::Json(refusal)
    }
}

impl Refusal {
    /// The problem document. Logs faults of the plane's own on the way: nobody else sees them.
    fn problem(self) -> Problem {
        match self {
            Self::Service(error) => of_service(error),
            Self::Json(refusal) => Problem::new(Code::BadRequest, refusal.to_string()),
            Self::Form(detail) => Problem::new(Code::BadRequest, detail),
            Self::TooLarge { limit, most } => with(
                Code::TooLarge,
                format!("At most {most} bytes are taken here. Send less."),
                Extras {
                    limit: Some(limit.to_owned()),
                    ..Extras::default()
                },
            ),
            Self::TimeOut => Problem::new(
                Code::TimeOut,
                "The request did not arrive in time. Send it again; a repeated request is carried out once.",
            ),
            Self::NoRoute => Problem::new(
                Code::NotFound,
                "There is no such call. GET /v1/openapi.json lists the calls of this plane.",
            ),
            Self::Internal => internal(),
        }
    }

    /// The answer.
    pub(super) fn into_response(self) -> Response {
        let problem = self.problem();
        let mut response = Response::new(Body::from(serde_json::to_vec(&problem).unwrap_or_default()));
        *response.status_mut() =
            StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = problem.extras.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if problem.code == Code::Unauthorized || problem.code == Code::Rekeyed && problem.status == 401 {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

fn with(code: Code, detail: impl Into<String>, extras: Extras) -> Problem {
    Problem {
        extras,
        ..Problem::new(code, detail)
    }
}

fn internal() -> Problem {
    Problem::new(
        Code::Internal,
        "The plane failed. Try again; its operator finds the reason in the log.",
    )
}

fn of_service(error: ServiceError) -> Problem {
    use ServiceError as E;
    let plain = Problem::new;
    let extras = Extras::default();
    match error {
        E::BadRequest { detail, limit } => with(
            Code::BadRequest,
            detail,
            Extras {
                limit: limit.map(str::to_owned),
                ..extras
            },
        ),
        E::Unauthorized => plain(
            Code::Unauthorized,
            "Send a token that this call takes, in `Authorization: Bearer …`. A session token counts for its own \
             session until its participant leaves or returns: join or return for a new one.",
        ),
        E::TokenRekeyed { epoch } => with(
            Code::Rekeyed,
            "The session was re-keyed and this token ended. Ask `rejoin` for the epoch records, then return \
             with a proof of the new epoch; whoever was not kept needs a new link.",
            Extras {
                epoch: Some(epoch),
                ..extras
            },
        ),
        E::ProofRekeyed { epoch } => Problem {
            status: 403,
            ..with(
                Code::Rekeyed,
                "This link was ended by a re-key. Ask for a new one; trying again does not help.",
                Extras {
                    epoch: Some(epoch),
                    ..extras
                },
            )
        },
        E::BadProof => plain(
            Code::BadProof,
            "The proof fits no session of this id and epoch. Check that the link is complete, or ask for it again.",
        ),
        E::Forbidden { detail } => plain(Code::Forbidden, detail),
        E::ViewOnly => plain(
            Code::ViewOnly,
            "A view link reads and does not write. Ask for a full link, then return with its proof.",
        ),
        E::DoorClosed => plain(
            Code::DoorClosed,
            "The door lets nobody in. Ask the session's owner to open it, or to admit you.",
        ),
        E::QuotaExceeded { limit } => with(
            Code::QuotaExceeded,
            "There is no room left. Somebody has to leave or end a session first, or the operator to raise the limit.",
            Extras {
                limit: Some(limit.to_owned()),
                ..extras
            },
        ),
        E::NotFound => plain(
            Code::NotFound,
            "There is nothing of this id that your token may see. Check the id and the token.",
        ),
        E::SessionExists => plain(
            Code::SessionExists,
            "The session id is taken. Make a new random id and create again.",
        ),
        E::ParticipantExists => plain(
            Code::ParticipantExists,
            "The participant id is taken. Return with its rejoin secret, or join with new keys.",
        ),
        E::MessageIdReused { seq } => with(
            Code::MessageIdReused,
            "The message id stands for another message. Post this one under a new id.",
            Extras {
                seq: Some(seq),
                ..extras
            },
        ),
        E::EpochMoved { epoch } => with(
            Code::EpochMoved,
            "The session is in another epoch than the one named. Get its epoch records and seal anew.",
            Extras {
                epoch: Some(epoch),
                ..extras
            },
        ),
        E::ModeObserve => with(
            Code::ModeObserve,
            "The session is in observe: agents read when their human asks, and do not wait. Ask your human whether \
             to go to relay.",
            Extras {
                mode: Some(wire::event::ModeName::Observe),
                ..extras
            },
        ),
        E::AutoOver { mode } => with(
            Code::AutoOver,
            "Auto is over for you and nothing was posted. Read what is new and let your human decide.",
            Extras {
                mode: Some(mode),
                ..extras
            },
        ),
        E::InAuto => with(
            Code::InAuto,
            "The session is in auto. Stop it first.",
            Extras {
                mode: Some(wire::event::ModeName::Auto),
                ..extras
            },
        ),
        E::ProposalGone => plain(
            Code::ProposalGone,
            "That proposal is not there, or no longer. Read the state; propose anew under a new id.",
        ),
        E::SessionEnded { at, cause } => with(
            Code::SessionEnded,
            "The session is over and takes nothing more. Create a new one to go on.",
            Extras {
                at: Some(at.to_string()),
                cause: Some(cause),
                ..extras
            },
        ),
        E::TooLarge { limit } => with(
            Code::TooLarge,
            "That is more than may be sent here. Send less.",
            Extras {
                limit: Some(limit.to_owned()),
                ..extras
            },
        ),
        E::RateLimited { limit, retry_after_s } => with(
            Code::RateLimited,
            "Too often. Wait as long as Retry-After says, then send it again.",
            Extras {
                limit: Some(limit.to_owned()),
                retry_after_s: Some(retry_after_s.max(1)),
                ..extras
            },
        ),
        E::AuthorizationPending => plain(
            Code::AuthorizationPending,
            "Nobody has approved this machine yet. Ask again after the interval.",
        ),
        E::SlowDown { retry_after_s } => with(
            Code::SlowDown,
            "Nobody has approved this machine yet, and it asks too often. Wait five seconds longer from now on.",
            Extras {
                retry_after_s: Some(retry_after_s),
                ..extras
            },
        ),
        E::ExpiredToken => plain(
            Code::ExpiredToken,
            "This device code counts no more. Start again with POST /v1/connect.",
        ),
        E::AccessDenied => plain(
            Code::AccessDenied,
            "This machine was refused. Ask the plane's operator before you start again.",
        ),
        E::Draining => with(
            Code::Draining,
            "This process is going down. Send the request again; another process answers.",
            Extras {
                retry_after_s: Some(jittered_s()),
                ..extras
            },
        ),
        E::ChunkConflict => plain(
            Code::ChunkConflict,
            "The attachment has other bytes there, or was closed by a record. Upload again under a new attachment id.",
        ),
        E::NoRandomness => {
            tracing::error!("the operating system gave no randomness");
            internal()
        }
        E::Store(error) => of_store(&error),
    }
}

/// The error's own text and what stands behind it, for the log.
fn causes(error: &dyn std::error::Error) -> String {
    let causes: Vec<String> = std::iter::successors(Some(error), |cause| cause.source())
        .map(ToString::to_string)
        .collect();
    causes.join(": ")
}

fn of_store(error: &StoreError) -> Problem {
    let what = causes(error);
    if !error.is_unavailable() {
        tracing::error!(error = what, "a fault in the plane: the store refused");
        return internal();
    }
    tracing::error!(error = what, "the store is unavailable");
    with(
        Code::StoreUnavailable,
        "The plane can't reach its database. Try again in a moment; a repeated request is carried out once.",
        Extras {
            retry_after_s: Some(jittered_s()),
            ..Extras::default()
        },
    )
}

/// One to five seconds, so that clients which were sent away together don't come back together.
pub(super) fn jittered_s() -> u64 {
    getrandom::u32().map_or(3, |random| u64::from(random % 5) + 1)
}
