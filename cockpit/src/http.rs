//! The routes, and who may use them.
//!
//! Three walls, each enough against its kind of stranger. Against other users of the machine: the token. Against pages in a
//! browser: the token, no request that carries `Origin`, and no body that is not JSON. Against names that a page makes point
//! here: the `Host` header.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use subtle::ConstantTimeEq as _;

use crate::contract::{Problem, VERSION};
use crate::limits;
use crate::service::{Service, ServiceError};

/// What the routes share.
#[derive(Clone)]
struct Shared {
    service: Service,
    token: std::sync::Arc<str>,
}

/// The routes over a service, for whoever has `token`.
pub(crate) fn routes(service: Service, token: &str) -> Router {
    let shared = Shared {
        service,
        token: token.into(),
    };
    Router::new()
        .route("/v1/events", post(events))
        .route("/v1/history", post(history))
        .route("/v1/health", get(health))
        .fallback(|| async { problem(StatusCode::NOT_FOUND, "not_found", "There is no such route.") })
        .method_not_allowed_fallback(|| async {
            problem(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "The route takes another method.",
            )
        })
        .layer(DefaultBodyLimit::max(limits::BODY))
        .layer(middleware::from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}

async fn events(State(shared): State<Shared>, body: Result<Bytes, BytesRejection>) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return not_taken(&rejection),
    };
    match serde_json::from_slice(&body) {
        Ok(event) => answered(shared.service.take(event).await),
        Err(error) => malformed(&error),
    }
}

async fn history(State(shared): State<Shared>, body: Result<Bytes, BytesRejection>) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(rejection) => return not_taken(&rejection),
    };
    match serde_json::from_slice(&body) {
        Ok(question) => answered(shared.service.ask(&question).await),
        Err(error) => malformed(&error),
    }
}

/// Without a token: it says that a cockpit is here, which whoever can connect knows.
async fn health() -> Response {
    Json(serde_json::json!({ "cockpit": env!("CARGO_PKG_VERSION"), "version": VERSION })).into_response()
}

async fn guard(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if !is_for_this_machine(headers) {
        return problem(
            StatusCode::FORBIDDEN,
            "forbidden",
            "The Host header names another machine.",
        );
    }
    if headers.contains_key(header::ORIGIN) {
        return problem(
            StatusCode::FORBIDDEN,
            "forbidden",
            "Pages in a browser are not answered.",
        );
    }
    if request.uri().path() != "/v1/health" {
        if !has_token(headers, &shared.token) {
            let text =
                "The token is missing or wrong: it is in the file address.json of the cockpit's folder.";
            return problem(StatusCode::UNAUTHORIZED, "unauthorized", text);
        }
        if request.method() == axum::http::Method::POST && !is_json(headers) {
            let text = "The body is application/json.";
            return problem(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", text);
        }
    }
    tokio::time::timeout(limits::REQUEST_TIME, next.run(request))
        .await
        .unwrap_or_else(|_| {
            problem(
                StatusCode::SERVICE_UNAVAILABLE,
                "timed_out",
                "It took too long. Ask again in a moment.",
            )
        })
}

fn is_for_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|ours| name.eq_ignore_ascii_case(ours))
}

fn has_token(headers: &HeaderMap, token: &str) -> bool {
    headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .is_some_and(|given| given.as_bytes().ct_eq(token.as_bytes()).into())
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json"))
}

/// A body that is too large, or that broke off.
fn not_taken(rejection: &BytesRejection) -> Response {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let text = format!("The body is larger than {} bytes.", limits::BODY);
            problem(StatusCode::PAYLOAD_TOO_LARGE, "too_large", &text)
        }
        _ => problem(StatusCode::BAD_REQUEST, "bad_request", "The body broke off."),
    }
}

/// Says where a body is wrong, without what stands there.
fn malformed(error: &serde_json::Error) -> Response {
    let text = format!(
        "The body is not what this route takes (line {}, column {}).",
        error.line(),
        error.column()
    );
    problem(StatusCode::BAD_REQUEST, "bad_request", &text)
}

fn answered<T: serde::Serialize>(result: Result<T, ServiceError>) -> Response {
    let error = match result {
        Ok(answer) => return Json(answer).into_response(),
        Err(error) => error,
    };
    let (status, name) = match &error {
        ServiceError::Refused(_) => (StatusCode::BAD_REQUEST, "bad_request"),
        ServiceError::Ambiguous => (StatusCode::CONFLICT, "ambiguous"),
        ServiceError::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
        ServiceError::Store(_) | ServiceError::Git(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
    };
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        tracing::warn!(%error, "a request failed");
    }
    problem(status, name, &error.to_string())
}

fn problem(status: StatusCode, error: &str, message: &str) -> Response {
    let problem = Problem {
        error: error.to_owned(),
        message: message.to_owned(),
    };
    (status, Json(problem)).into_response()
}
