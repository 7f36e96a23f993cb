//! Event streams as server-sent events (the HTML standard's `text/event-stream`).
//!
//! A stream is pulled: nothing is gathered for a reader before its connection has room for it. One that leaves a
//! piece on its way for too long is told so and ended, so that what waits for it is bounded in size and time.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use tokio::time::Instant;
use utoipa::openapi::{ContentBuilder, RefOr, ResponseBuilder};
use wire::api::{Bye, ByeCode, StreamEvent};

use super::openapi::{Responses, Schemas};
use super::refusal::jittered_s;
use super::reply::Reply;
use crate::limits::Limits;
use crate::metrics::{self, Present};
use crate::service::{EventStream, StreamItem};

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("text/event-stream");
/// Tells proxies that would otherwise hold answers back until they are complete.
static NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// The most that is handed to the connection at once. Events that are larger go in pieces.
const PIECE: usize = 16_384;

/// A stream that is an answer.
pub(super) struct Streaming {
    stream: EventStream,
    pace: Pace,
    _present: Present,
}

impl Streaming {
    /// The answer, by these limits.
    pub(super) fn new(stream: EventStream, limits: &Limits) -> Self {
        Self {
            stream,
            pace: Pace::new(Duration::from_secs(limits.stream_piece_s)),
            _present: metrics::stream(),
        }
    }
}

impl Reply for Streaming {
    fn into_response(self) -> Response {
        let flow = Flow {
            streaming: self,
            stage: Stage::Running,
            rest: Bytes::new(),
        };
        let pieces = futures_util::stream::unfold(flow, |mut flow| async {
            let piece = flow.next().await?;
            Some((Ok::<_, Infallible>(piece), flow))
        });
        let mut response = Response::new(Body::from_stream(pieces));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, CONTENT_TYPE);
        headers.insert(NO_BUFFERING.clone(), HeaderValue::from_static("no"));
        response
    }

    fn described(schemas: &mut Schemas) -> Responses {
        let content = ContentBuilder::new()
            .schema(Some(schemas.reference::<StreamEvent>()))
            .build();
        let response = ResponseBuilder::new()
            .description("Server-sent events. `event` and `data` of each are those of the schema; a record's `id` is its seq.")
            .content("text/event-stream", content)
            .build();
        vec![("200".to_owned(), RefOr::T(response))]
    }
}

/// How far a stream has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It goes on.
    Running,
    /// The reader is too slow: the event that it has begun to receive is finished, and it is told.
    Late,
    /// It has been told.
    Over,
}

/// A stream on its way out, piece by piece.
struct Flow {
    streaming: Streaming,
    stage: Stage,
    /// What is left of an event that is larger than a piece.
    rest: Bytes,
}

impl Flow {
    async fn next(&mut self) -> Option<Bytes> {
        let Streaming { stream, pace, .. } = &mut self.streaming;
        if self.stage == Stage::Running && pace.is_late(Instant::now()) {
            self.stage = Stage::Late;
        }
        if self.rest.is_empty() {
            let item = match self.stage {
                Stage::Running => stream.next().await?,
                Stage::Late => {
                    self.stage = Stage::Over;
                    stream.too_slow()
                }
                Stage::Over => return None,
            };
            self.rest = written(item)?;
        }
        let most = match self.stage {
            Stage::Running => self.rest.len().min(PIECE),
            Stage::Late | Stage::Over => self.rest.len(),
        };
        let piece = self.rest.split_to(most);
        pace.offered(Instant::now());
        Some(piece)
    }
}

/// How long the piece handed over last has been on its way.
struct Pace {
    longest: Duration,
    since: Option<Instant>,
}

impl Pace {
    const fn new(longest: Duration) -> Self {
        Self { longest, since: None }
    }

    /// A piece is handed over.
    fn offered(&mut self, now: Instant) {
        self.since = Some(now);
    }

    /// The connection asks for the next piece: whether it took too long over the last.
    fn is_late(&self, now: Instant) -> bool {
        self.since
            .is_some_and(|since| now.saturating_duration_since(since) > self.longest)
    }
}

/// An item as it stands in the stream. JSON has no line breaks, so one `data` line holds it.
fn written(item: StreamItem) -> Option<Bytes> {
    let event = match item {
        StreamItem::Comment => return Some(Bytes::from_static(b":\n\n")),
        StreamItem::Event(StreamEvent::Bye(bye)) => StreamEvent::Bye(in_time(bye)),
        StreamItem::Event(event) => event,
    };
    let (name, json) = match &event {
        StreamEvent::Checkpoint(checkpoint) => ("checkpoint", serde_json::to_string(checkpoint)),
        StreamEvent::Record(record) => ("record", serde_json::to_string(record)),
        StreamEvent::State(state) => ("state", serde_json::to_string(state)),
        StreamEvent::Presence(presence) => ("presence", serde_json::to_string(presence)),
        StreamEvent::Bye(bye) => ("bye", serde_json::to_string(bye)),
    };
    let id = match &event {
        StreamEvent::Record(record) => format!("id: {}\n", record.seq),
        _ => String::new(),
    };
    match json {
        Ok(json) => Some(format!("event: {name}\n{id}data: {json}\n\n").into()),
        Err(error) => {
            tracing::error!(%error, "an event can't be written as JSON");
            None
        }
    }
}

/// Readers that are sent away together shall not come back together.
fn in_time(bye: Bye) -> Bye {
    Bye {
        retry_after_s: (bye.code == ByeCode::Draining).then(jittered_s),
        ..bye
    }
}

#[cfg(test)]
mod tests;
