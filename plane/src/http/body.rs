//! Request bodies: read up to the route's limit and within the time a request may take, then strictly typed.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use http_body_util::BodyExt as _;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;
use utoipa::openapi::request_body::{RequestBody as Described, RequestBodyBuilder};
use utoipa::openapi::{ContentBuilder, Required};

use super::openapi::Schemas;
use super::refusal::Refusal;
use crate::json;
use crate::limits::Limits;

/// How large a route's body may be, by the limit's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyLimit {
    /// `body_records`
    Records,
    /// `body_create`
    Create,
    /// `body_other`
    Other,
}

impl BodyLimit {
    const fn name(self) -> &'static str {
        match self {
            Self::Records => "body_records",
            Self::Create => "body_create",
            Self::Other => "body_other",
        }
    }

    const fn most(self, limits: &Limits) -> u64 {
        match self {
            Self::Records => limits.body_records,
            Self::Create => limits.body_create,
            Self::Other => limits.body_other,
        }
    }
}

/// What a route takes as its body.
pub(super) trait RequestBody: Sized + Send + 'static {
    /// Reads it.
    ///
    /// # Errors
    /// Another content type or form.
    fn read(content_type: Option<&HeaderValue>, bytes: &[u8]) -> Result<Self, Refusal>;

    /// How the OpenAPI document says it.
    fn described(schemas: &mut Schemas) -> Option<Described>;
}

/// A JSON object.
#[derive(Debug)]
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned + ToSchema + Send + 'static> RequestBody for Json<T> {
    fn read(content_type: Option<&HeaderValue>, bytes: &[u8]) -> Result<Self, Refusal> {
        if !is_json(content_type) {
            return Err(Refusal::Form(
                "Send JSON, with `Content-Type: application/json`.".to_owned(),
            ));
        }
        Ok(Self(json::read(bytes)?))
    }

    fn described(schemas: &mut Schemas) -> Option<Described> {
        let content = ContentBuilder::new()
            .schema(Some(schemas.reference::<T>()))
            .build();
        Some(
            RequestBodyBuilder::new()
                .content("application/json", content)
                .required(Some(Required::True))
                .build(),
        )
    }
}

/// A JSON object whose fields may all be left out, and then the object as well.
#[derive(Debug)]
pub(super) struct JsonOrNothing<T>(pub(super) T);

impl<T: DeserializeOwned + Default + ToSchema + Send + 'static> RequestBody for JsonOrNothing<T> {
    fn read(content_type: Option<&HeaderValue>, bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        Json::read(content_type, bytes).map(|Json(body)| Self(body))
    }

    fn described(schemas: &mut Schemas) -> Option<Described> {
        Json::<T>::described(schemas).map(|mut body| {
            body.required = Some(Required::False);
            body
        })
    }
}

/// A call without fields: no body, or `{}`.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoBody;

impl RequestBody for NoBody {
    fn read(content_type: Option<&HeaderValue>, bytes: &[u8]) -> Result<Self, Refusal> {
        if bytes.is_empty() {
            return Ok(Self);
        }
        Json::<wire::api::Nothing>::read(content_type, bytes).map(|_| Self)
    }

    fn described(_: &mut Schemas) -> Option<Described> {
        None
    }
}

/// `application/json`, alone or with `charset=utf-8`. No form of another site can send that.
fn is_json(content_type: Option<&HeaderValue>) -> bool {
    let Some(text) = content_type.and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let mut parts = text.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default();
    kind.eq_ignore_ascii_case("application/json")
        && parts.all(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            name.eq_ignore_ascii_case("charset") && value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
}

/// A body that is still on its way.
pub(super) struct Arriving {
    body: Body,
    declared: Option<u64>,
    /// The client waits for our word before it sends.
    asks_first: bool,
    done: bool,
}

/// After a refusal, so much of an unread body is taken and thrown away, for so long: a client that is still
/// writing would otherwise see a broken connection instead of the answer.
const DISCARD_BYTES: u64 = 1 << 20;
/// See [`DISCARD_BYTES`].
const DISCARD_TIME: Duration = Duration::from_secs(1);

impl Arriving {
    /// The body of a request with these headers.
    pub(super) fn new(body: Body, headers: &HeaderMap) -> Self {
        let declared = headers
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.parse().ok());
        let done = http_body::Body::is_end_stream(&body);
        Self {
            body,
            declared,
            asks_first: headers.contains_key(header::EXPECT),
            done,
        }
    }

    /// All of it.
    ///
    /// # Errors
    /// More than the limit, too slow, or cut off.
    pub(super) async fn read(&mut self, limit: BodyLimit, limits: &Limits) -> Result<Bytes, Refusal> {
        if self.done {
            return Ok(Bytes::new());
        }
        let time = Duration::from_secs(limits.request_time_s);
        tokio::time::timeout(time, self.read_all(limit.name(), limit.most(limits)))
            .await
            .unwrap_or(Err(Refusal::TimeOut))
    }

    async fn read_all(&mut self, limit: &'static str, most: u64) -> Result<Bytes, Refusal> {
        let too_large = || Refusal::TooLarge { limit, most };
        if self.declared.is_some_and(|length| length > most) {
            return Err(too_large());
        }
        // Most bodies come in one piece, which is read where it stands.
        let mut one = Bytes::new();
        let mut several = Vec::new();
        while let Some(chunk) = self.next_chunk().await {
            let chunk =
                chunk.map_err(|_| Refusal::Form("The body broke off or is badly chunked.".to_owned()))?;
            let so_far = one.len().max(several.len());
            if so_far as u64 + chunk.len() as u64 > most {
                return Err(too_large());
            }
            if so_far == 0 {
                one = chunk;
                continue;
            }
            if several.is_empty() {
                several.reserve(usize::try_from(self.declared.unwrap_or(0)).unwrap_or(0));
                several.extend_from_slice(&std::mem::take(&mut one));
            }
            several.extend_from_slice(&chunk);
        }
        Ok(if several.is_empty() { one } else { several.into() })
    }

    async fn next_chunk(&mut self) -> Option<Result<Bytes, axum::Error>> {
        loop {
            match self.body.frame().await {
                None => {
                    self.done = true;
                    return None;
                }
                Some(Err(error)) => {
                    self.done = true;
                    return Some(Err(error));
                }
                // Trailers say nothing to us.
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        return Some(Ok(bytes));
                    }
                }
            }
        }
    }

    /// Throws away what is left, within bounds.
    pub(super) async fn discard(&mut self) {
        if self.done || self.asks_first {
            return;
        }
        let throw_away = async {
            let mut seen = 0;
            while let Some(Ok(chunk)) = self.next_chunk().await {
                seen += chunk.len() as u64;
                if seen > DISCARD_BYTES {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(DISCARD_TIME, throw_away).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_from_what_forms_can_send() {
        for (text, taken) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/json;charset=\"UTF-8\"", true),
            ("application/json; charset=latin-1", false),
            ("application/json; boundary=x", false),
            ("application/jsonp", false),
            ("text/plain", false),
            ("text/plain; application/json", false),
            ("", false),
        ] {
            assert_eq!(is_json(Some(&HeaderValue::from_static(text))), taken, "{text}");
        }
        assert!(!is_json(None));
    }
}
