//! The document as one JSON object: what is known of the session, then `records` in order.

use std::io;

use super::{Head, Record};
use crate::redact;

/// What ends it.
pub(super) const END: &str = "\n]}\n";

/// Everything before the records.
pub(super) fn head(head: &Head) -> io::Result<String> {
    let object = cleaned(serde_json::to_value(head)?);
    let open = object.strip_suffix('}').unwrap_or(&object);
    Ok(format!("{open},\"records\":["))
}

/// One record, on a line of its own.
pub(super) fn record(record: &Record, first: bool) -> io::Result<String> {
    let comma = if first { "" } else { "," };
    Ok(format!("{comma}\n{}", cleaned(serde_json::to_value(record)?)))
}

fn cleaned(mut value: serde_json::Value) -> String {
    redact::json_except(&mut value, None);
    value.to_string()
}
