//! Answers: what handlers hand back, as HTTP and as the OpenAPI document says it.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{ContentBuilder, RefOr, ResponseBuilder};
use wire::api;

use super::openapi::{Responses, Schemas};
use super::refusal::Refusal;
use crate::service::{JoinOutcome, Outcome};

/// Something a handler may hand back.
pub(super) trait Reply {
    /// The answer.
    fn into_response(self) -> Response;

    /// How the OpenAPI document says it.
    fn described(schemas: &mut Schemas) -> Responses;
}

/// 200 with JSON.
#[derive(Debug)]
pub(super) struct Found<T>(pub(super) T);

fn json<T: Serialize>(status: StatusCode, value: &T) -> Response {
    json_text(status, serde_json::to_vec(value))
}

/// An answer of a text that was written as JSON, or could not be.
pub(super) fn json_text(status: StatusCode, text: serde_json::Result<Vec<u8>>) -> Response {
    match text {
        Ok(text) => {
            let mut response = Response::new(Body::from(text));
            *response.status_mut() = status;
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        Err(error) => {
            tracing::error!(%error, "an answer can't be written as JSON");
            Refusal::Internal.into_response()
        }
    }
}

fn json_described<T: ToSchema>(status: u16, text: &str, schemas: &mut Schemas) -> Responses {
    let content = ContentBuilder::new()
        .schema(Some(schemas.reference::<T>()))
        .build();
    let response = ResponseBuilder::new()
        .description(text)
        .content("application/json", content)
        .build();
    vec![(status.to_string(), RefOr::T(response))]
}

impl<T: Serialize + ToSchema> Reply for Found<T> {
    fn into_response(self) -> Response {
        json(StatusCode::OK, &self.0)
    }

    fn described(schemas: &mut Schemas) -> Responses {
        json_described::<T>(200, "Done.", schemas)
    }
}

impl<T: Serialize + ToSchema> Reply for Outcome<T> {
    fn into_response(self) -> Response {
        match self {
            Self::New(value) => json(StatusCode::CREATED, &value),
            Self::Again(value) => json(StatusCode::OK, &value),
        }
    }

    fn described(schemas: &mut Schemas) -> Responses {
        let mut responses = json_described::<T>(201, "Carried out.", schemas);
        responses.extend(json_described::<T>(200, "Had been carried out before.", schemas));
        responses
    }
}

impl Reply for JoinOutcome {
    fn into_response(self) -> Response {
        match self {
            Self::Joined(joined) => json(StatusCode::CREATED, &joined),
            Self::Knocking(knocking) => {
                let mut response = json(StatusCode::ACCEPTED, &knocking);
                let seconds = HeaderValue::from(knocking.retry_after_s);
                response.headers_mut().insert(header::RETRY_AFTER, seconds);
                response
            }
        }
    }

    fn described(schemas: &mut Schemas) -> Responses {
        let mut responses = json_described::<api::Joined>(201, "In.", schemas);
        responses.extend(json_described::<api::Knocking>(202, "At the door.", schemas));
        responses
    }
}

/// A file or text that is served as it is, with its own headers.
#[derive(Debug)]
pub(super) struct Served {
    /// The status.
    pub(super) status: StatusCode,
    /// The content type.
    pub(super) content_type: &'static str,
    /// Further headers.
    pub(super) headers: &'static [(HeaderName, HeaderValue)],
    /// The content.
    pub(super) content: bytes::Bytes,
}

impl Reply for Served {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.content));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.extend(self.headers.iter().cloned());
        response
    }

    fn described(_: &mut Schemas) -> Responses {
        vec![(
            "200".to_owned(),
            RefOr::T(ResponseBuilder::new().description("Served as it is.").build()),
        )]
    }
}
