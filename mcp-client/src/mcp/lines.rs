//! The lines of the wire: what each one that came is, and what goes out. No I/O of its own.

use std::collections::VecDeque;
use std::io;

use rmcp::RoleServer;
use rmcp::model::{ErrorCode, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::async_rw::{JsonRpcMessageCodec, JsonRpcMessageCodecError};
use serde::Serialize;
use serde_json::{Value, json};
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder};

/// The longest line that is read. What one call may hold is some 250 KiB.
pub(super) const LINE_MAX: usize = 4 << 20;

/// The most messages in a batch.
const BATCH_MAX: usize = 1_000;

/// Takes lines off the input. Of one that is too long nothing is kept.
pub(super) struct Lines(AnyDelimiterCodec);

/// One line, without what ends it.
pub(super) enum Line {
    Whole(Bytes),
    TooLong,
}

/// What a line was.
pub(super) enum Incoming {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Empty, or a notification of another protocol.
    Nothing,
    Refused(Refused),
    /// Several messages as one array, in their order.
    Batch(VecDeque<Value>),
}

/// Why a line was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    NotJson,
    TooLong,
    NotRpc,
    LongBatch,
}

/// What is written of a message. JSON-RPC 2.0, section 5: an error whose request can't be told has the id null, and not none.
pub(super) fn outgoing(message: TxJsonRpcMessage<RoleServer>) -> Outgoing {
    if let JsonRpcMessage::Error(error) = &message
        && error.id.is_none()
        && let Ok(Value::Object(mut members)) = serde_json::to_value(&message)
    {
        members.insert("id".to_owned(), Value::Null);
        return Outgoing::Refusal(Value::Object(members));
    }
    Outgoing::Message(Box::new(message))
}

/// What is written.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Outgoing {
    Message(Box<TxJsonRpcMessage<RoleServer>>),
    Refusal(Value),
}

impl Default for Lines {
    fn default() -> Self {
        Self(AnyDelimiterCodec::new_with_max_length(
            b"\n".to_vec(),
            b"\n".to_vec(),
            LINE_MAX,
        ))
    }
}

impl Decoder for Lines {
    type Item = Line;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> Result<Option<Line>, io::Error> {
        line(self.0.decode(buffer))
    }

    fn decode_eof(&mut self, buffer: &mut BytesMut) -> Result<Option<Line>, io::Error> {
        line(self.0.decode_eof(buffer))
    }
}

/// An error would end what reads by this; a line that is too long ends nothing.
fn line(decoded: Result<Option<Bytes>, AnyDelimiterCodecError>) -> Result<Option<Line>, io::Error> {
    match decoded {
        Ok(bytes) => Ok(bytes.map(Line::Whole)),
        Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(Line::TooLong)),
        Err(AnyDelimiterCodecError::Io(error)) => Err(error),
    }
}

/// Reads one message of a batch.
pub(super) fn read_of_batch(message: &Value) -> Incoming {
    match read(Line::Whole(message.to_string().into())) {
        // A batch holds messages and no further batches.
        Incoming::Batch(_) => Incoming::Refused(Refused::NotRpc),
        one => one,
    }
}

/// Takes apart what begins as an array. The revision of 2025-03-26 requires it of servers, and leaves them free to answer one
/// by one, as here: so no answer waits for another, and a cancelled request holds up none.
fn batch(bytes: &[u8]) -> Incoming {
    match serde_json::from_slice::<VecDeque<Value>>(bytes) {
        Ok(messages) if messages.is_empty() => Incoming::Refused(Refused::NotRpc),
        Ok(messages) if messages.len() > BATCH_MAX => Incoming::Refused(Refused::LongBatch),
        Ok(messages) => Incoming::Batch(messages),
        Err(_) => Incoming::Refused(Refused::NotJson),
    }
}

/// Reads one line.
pub(super) fn read(line: Line) -> Incoming {
    let bytes = match line {
        Line::Whole(bytes) if bytes.trim_ascii().is_empty() => return Incoming::Nothing,
        Line::Whole(bytes) => bytes,
        Line::TooLong => return Incoming::Refused(Refused::TooLong),
    };
    if bytes.trim_ascii_start().starts_with(b"[") {
        return batch(&bytes);
    }
    let mut codec = JsonRpcMessageCodec::<RxJsonRpcMessage<RoleServer>>::new();
    match codec.decode_eof(&mut BytesMut::from(bytes)) {
        Ok(Some(message)) => Incoming::Message(Box::new(message)),
        Ok(None) => Incoming::Nothing,
        Err(JsonRpcMessageCodecError::Serde(error)) if error.is_data() => Incoming::Refused(Refused::NotRpc),
        Err(_) => Incoming::Refused(Refused::NotJson),
    }
}

impl Refused {
    /// The answer. JSON-RPC 2.0, section 5: the id is null where that of the request can't be told. Nothing of the line is
    /// repeated.
    pub(super) fn answer(self) -> Outgoing {
        let (code, message) = match self {
            Self::NotJson => (
                ErrorCode::PARSE_ERROR,
                "Parse error: this line is not JSON. Send each message as JSON on a line of its own."
                    .to_owned(),
            ),
            Self::TooLong => (
                ErrorCode::PARSE_ERROR,
                format!(
                    "Parse error: this line has more than {LINE_MAX} bytes and was not read. Send less at once."
                ),
            ),
            Self::LongBatch => (
                ErrorCode::INVALID_REQUEST,
                format!(
                    "Invalid Request: this batch has more than {BATCH_MAX} messages. Send fewer at once."
                ),
            ),
            Self::NotRpc => (
                ErrorCode::INVALID_REQUEST,
                "Invalid Request: this line is JSON, but no message of JSON-RPC 2.0.".to_owned(),
            ),
        };
        Outgoing::Refusal(
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code.0, "message": message } }),
        )
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use rmcp::model::{ErrorData, JsonRpcError};

    use super::*;

    #[test]
    fn an_error_of_no_known_request_has_the_id_null() {
        let error = JsonRpcMessage::Error(JsonRpcError::new(None, ErrorData::invalid_request("no", None)));
        let written = serde_json::to_value(outgoing(error)).unwrap();
        assert_eq!(written.get("id"), Some(&Value::Null), "{written}");
        assert_eq!(written["error"]["message"], "no");
    }
}
