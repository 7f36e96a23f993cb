//! A page of the transcript as JSON. What makes it long is base64url, which needs no escapes: it is written straight into
//! an answer of the right size, instead of into a text of its own that is looked through for quotes and copied. All else
//! is written as [`wire::api`] says; a test holds both against each other.

use std::io::{self, Write as _};

use axum::response::Response;
use base64_simd::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde::Serialize;
use wire::api::{Checkpoint, Page, Record, State};
use wire::encoding::Blob;
use wire::ids::{MessageId, ParticipantId};
use wire::transcript::RecordClass;

use super::openapi::{Responses, Schemas};
use super::reply::{Found, Reply, json_text};

/// What a record takes beside its sealed bytes, and what stands around the records.
const BESIDE: usize = 384;

/// 200 with a page.
#[derive(Debug)]
pub(super) struct FoundPage(pub(super) Page);

impl Reply for FoundPage {
    fn into_response(self) -> Response {
        json_text(StatusCode::OK, text(self.0))
    }

    fn described(schemas: &mut Schemas) -> Responses {
        Found::<Page>::described(schemas)
    }
}

/// What stands around the records.
#[derive(Serialize)]
struct Around {
    state: State,
    more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<Checkpoint>,
}

fn text(page: Page) -> Result<Vec<u8>, serde_json::Error> {
    let Page {
        records,
        state,
        more,
        checkpoint,
    } = page;
    let mut out = Vec::with_capacity(2 * BESIDE + records.iter().map(room).sum::<usize>());
    out.extend_from_slice(b"{\"records\":[");
    for (at, record) in records.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_record(&mut out, record)?;
    }
    out.push(b']');
    let around = out.len();
    let rest = Around {
        state,
        more,
        checkpoint,
    };
    serde_json::to_writer(&mut out, &rest)?;
    // Its brace has been opened before the records.
    if let Some(brace) = out.get_mut(around) {
        *brace = b',';
    }
    Ok(out)
}

/// At least so many bytes a record takes.
fn room(record: &Record) -> usize {
    let sealed = [&record.sealed, &record.epoch_record].into_iter().flatten();
    let body = record.body.as_ref().map_or(0, String::len);
    BESIDE + body + sealed.map(|blob| blob.0.len() / 3 * 4 + 4).sum::<usize>()
}

fn write_record(out: &mut Vec<u8>, mut record: Record) -> Result<(), serde_json::Error> {
    let sealed = record.sealed.take();
    let epoch_record = record.epoch_record.take();
    match (record.class, record.sender, record.item_id, &record.body) {
        (RecordClass::Message, Some(sender), Some(item_id), None) => {
            write_message(out, &record, sender, item_id).map_err(serde_json::Error::io)?;
        }
        _ => serde_json::to_writer(&mut *out, &record)?,
    }
    for (name, blob) in [("sealed", sealed), ("epoch_record", epoch_record)] {
        let Some(Blob(bytes)) = blob else { continue };
        // Into the object that has just been written.
        out.pop();
        out.extend_from_slice(b",\"");
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b"\":\"");
        URL_SAFE_NO_PAD.encode_append(&bytes, out);
        out.extend_from_slice(b"\"}");
    }
    Ok(())
}

/// What a message has beside its sealed bytes: nothing in it needs escapes either.
fn write_message(
    out: &mut Vec<u8>,
    record: &Record,
    sender: ParticipantId,
    item_id: MessageId,
) -> io::Result<()> {
    // All that a record may have, so that none is forgotten when there is more.
    let Record {
        seq,
        at,
        epoch,
        class: _,
        sender: _,
        item_id: _,
        sealed: _,
        signal,
        body: _,
        epoch_record: _,
    } = record;
    write!(
        out,
        r#"{{"seq":{seq},"at":"{at}","epoch":{epoch},"class":"message","sender":"{sender}","item_id":"{item_id}""#
    )?;
    if let Some(signal) = signal {
        write!(out, r#","signal":"{}""#, signal.word())?;
    }
    out.push(b'}');
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;

    const ID: &str = "2f6b1c1e-8f0e-4d43-9a3e-0c3a4f5e6d7c";
    const AT: &str = "2026-11-30T12:34:56.789Z";

    /// A page as the API describes it.
    fn described(records: &[Value], checkpoint: Option<Value>) -> Value {
        let mut page = json!({
            "records": records,
            "state": {
                "session_id": ID, "epoch": 3, "head_seq": 9, "min_seq": 2,
                "mode": { "name": "observe", "effective": "observe" }, "door": { "state": "open", "knocking": 0 },
                "owner": null, "created_at": AT, "expires_at": AT,
            },
            "more": true,
        });
        if let Some(checkpoint) = checkpoint {
            page["checkpoint"] = checkpoint;
        }
        page
    }

    fn record(class: &str, field: &str, text: &str) -> Value {
        let mut record = json!({ "seq": 7, "at": AT, "epoch": 3, "class": class, "sender": ID });
        record[field] = text.into();
        record
    }

    /// What is written of a page that was read from its description.
    fn written(described: &Value) -> (Value, usize, usize) {
        let page: Page = serde_json::from_value(described.clone()).unwrap();
        let out = text(page).unwrap();
        (serde_json::from_slice(&out).unwrap(), out.len(), out.capacity())
    }

    #[test]
    fn a_page_is_written_as_the_api_describes_it() {
        // "M" to "Mango": RFC 4648 in the alphabet for URLs, of every length modulo 3.
        let sealed = ["TQ", "TWE", "TWFu", "TWFuZw", "TWFuZ28", "-_-_"];
        let mut records: Vec<Value> = sealed
            .iter()
            .map(|text| record("message", "sealed", text))
            .collect();
        for signal in [None, Some("continue"), Some("done"), Some("blocked")] {
            let mut message = record("message", "sealed", "TWFu");
            message["item_id"] = "00000000-9999-aaaa-ffff-123456789abc".into();
            if let Some(signal) = signal {
                message["signal"] = signal.into();
            }
            records.push(message);
        }
        records.push(record("notice", "body", "{\"said\":\"\u{7}\\ \u{fc}\"}"));
        records.push(record("epoch", "epoch_record", "TWFuZ28"));
        for described in [
            described(&[], None),
            described(&records, None),
            described(
                &records,
                Some(json!({ "seq": 1, "hash": "A".repeat(43), "epoch_record": "TQ" })),
            ),
        ] {
            assert_eq!(written(&described).0, described);
        }
    }

    #[test]
    fn a_long_page_is_written_without_growing() {
        let sealed = "TWFu".repeat(400);
        let mut message = record("message", "sealed", &sealed);
        message["item_id"] = ID.into();
        message["signal"] = "continue".into();
        message["seq"] = u32::MAX.into();
        message["epoch"] = u32::MAX.into();
        let page = described(&vec![message; 200], None);
        let read: Page = serde_json::from_value(page.clone()).unwrap();
        let expected = 2 * BESIDE + read.records.iter().map(room).sum::<usize>();
        let (_, length, taken) = written(&page);
        assert_eq!(taken, expected, "{length} bytes took more than was made room for");
    }
}
