//! Reading the file: hex, rows, and a row as a test.

use std::str::FromStr;

use libtest_mimic::Trial;
use seal::Error;
use serde_json::Value;
use wire::ids::{ParticipantId, SessionId};

/// One test for each row of `rows`, under `group` and the row's own name or number.
pub(crate) fn rows(group: &str, rows: &'static Value, check: fn(&'static Value)) -> Vec<Trial> {
    let rows = rows.as_array().expect("rows");
    let named = rows.iter().enumerate().map(|(at, row)| {
        let name = match (row["name"].as_str(), row.as_str()) {
            (Some(name), _) | (None, Some(name)) => format!("{group}: {at} {}", name.escape_debug()),
            (None, None) => format!("{group}: {at}"),
        };
        Trial::test(name, move || {
            check(row);
            Ok(())
        })
    });
    named.collect()
}

pub(crate) fn hex(value: &Value) -> Vec<u8> {
    let text = value.as_str().expect("hex");
    assert!(text.len().is_multiple_of(2), "half a byte");
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

pub(crate) fn array<const N: usize>(value: &Value) -> [u8; N] {
    hex(value).try_into().expect("another length")
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

pub(crate) fn number<N: TryFrom<u64>>(value: &Value) -> N {
    N::try_from(value.as_u64().expect("a number"))
        .ok()
        .expect("in range")
}

pub(crate) fn session(value: &Value) -> SessionId {
    SessionId::from_bytes(array(value))
}

pub(crate) fn participant(value: &Value) -> ParticipantId {
    ParticipantId::from_bytes(array(value))
}

/// The error that a row names.
pub(crate) fn error(row: &Value) -> Error {
    let name = text(&row["error"]);
    Error::from_name(name).unwrap_or_else(|| panic!("no error is called {name}"))
}

pub(crate) fn parse<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}
