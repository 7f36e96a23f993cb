//! Every limit of the plane in one place (`plane-api.md`, Limits), with its name and default.
//!
//! The names stand in `limit` of a problem and in the file given by `--limits`. A limit of zero, a negative,
//! huge or unknown one is refused at start: nothing fails open.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::json;

/// Why a file of limits was refused.
#[derive(Debug, thiserror::Error)]
pub enum BadLimits {
    /// It is no JSON object, or has a name twice.
    #[error("{0}")]
    Form(String),
    /// There is no limit of that name.
    #[error("`{name}` is no limit. The limits are {known}.")]
    Unknown {
        /// The name in the file.
        name: String,
        /// All names.
        known: String,
    },
    /// The value is no number, or would let everything or nothing through.
    #[error("`{name}` must be a whole number from 1 to {most}")]
    OutOfBounds {
        /// The limit.
        name: &'static str,
        /// The most it may be.
        most: u64,
    },
}

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident = $default:literal, at most $most:literal;)*) => {
        /// The limits in force. All are at least 1.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        pub struct Limits {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Limits {
            /// Each limit's name and the most it may be.
            pub const BOUNDS: &'static [(&'static str, u64)] = &[$((stringify!($name), $most),)*];

            fn set(&mut self, name: &str, value: u64) {
                match name {
                    $(stringify!($name) => self.$name = value,)*
                    _ => {}
                }
            }
        }
    };
}

limits! {
    /// Participants in a session at a time: in, and seen within 24 h.
    participants_in = 64, at most 256;
    /// New participant ids an epoch.
    new_ids_per_epoch = 512, at most 1_000_000;
    /// Epochs of a session.
    epochs = 500, at most 4_294_967_295;
    /// Re-keys of a session an hour.
    rekeys_per_hour = 10, at most 1_000_000;
    /// Records kept of a session; older ones are evicted.
    records_per_session = 100_000, at most 4_294_967_295;
    /// Bytes kept of a session; older ones are evicted.
    bytes_per_session = 268_435_456, at most 1_099_511_627_776;
    /// Appends of a participant a minute.
    appends_per_minute = 60, at most 100_000_000;
    /// Appends of a participant at once.
    append_burst = 20, at most 100_000_000;
    /// Sealed bytes of a participant a minute.
    append_bytes_per_minute = 8_388_608, at most 1_099_511_627_776;
    /// Records that all view participants of a session cause together, an hour.
    view_records_per_hour = 60, at most 100_000_000;
    /// Waits and streams of a participant at a time.
    waits_per_participant = 8, at most 10_000;
    /// Joins of an address and session id a minute, right or wrong.
    joins_per_minute_address = 10, at most 100_000_000;
    /// Joins and returns of a session a minute, after the proof.
    joins_per_minute_session = 60, at most 100_000_000;
    /// Requests with a rejoin secret, of an address and session id a minute.
    rejoins_per_minute_address = 60, at most 100_000_000;
    /// Requests to connect a machine, of an address a minute.
    connects_per_minute_address = 10, at most 100_000_000;
    /// Requests for a connected machine's token, of an address a minute, known codes or not.
    connect_polls_per_minute_address = 120, at most 100_000_000;
    /// Machines that wait to be approved at a time.
    connect_requests = 1_000, at most 1_000_000;
    /// How long the codes of a machine that waits count, in seconds.
    connect_life_s = 600, at most 3_600;
    /// Wrong codes of an approver within the life of a code.
    connect_tries = 5, at most 1_000;
    /// The largest budget of an auto.
    max_budget = 200, at most 1_000_000;
    /// The longest auto, in seconds.
    max_ttl_s = 28_800, at most 2_592_000;
    /// How long a proposal may be accepted, in seconds.
    proposal_life_s = 600, at most 86_400;
    /// Knocks at a session's door at a time.
    knocks = 32, at most 10_000;
    /// Bytes of attachments that no record names yet, a session.
    untied_bytes = 134_217_728, at most 1_099_511_627_776;
    /// A record's request body, in bytes.
    body_records = 353_280, at most 1_073_741_824;
    /// A create or re-key body, in bytes.
    body_create = 34_816, at most 1_073_741_824;
    /// A chunk's body, in bytes.
    body_chunk = 1_048_592, at most 1_073_741_824;
    /// Any other body, in bytes.
    body_other = 16_384, at most 1_073_741_824;
    /// A request's head, in bytes.
    head_bytes = 16_384, at most 1_048_576;
    /// Open connections at a time.
    connections = 16_384, at most 1_000_000;
    /// How long a request may take to arrive, in seconds.
    request_time_s = 15, at most 3_600;
    /// How long a piece of an event stream, 16 KiB, may be on its way before the reader is too slow, in seconds.
    stream_piece_s = 20, at most 3_600;
    /// How long a session lives after its last message, in seconds.
    session_life_s = 2_592_000, at most 315_360_000;
    /// How long an ended session may still be read, in seconds.
    retention_s = 2_592_000, at most 315_360_000;
    /// How long a tombstone stays, in seconds.
    tombstone_life_s = 7_776_000, at most 315_360_000;
    /// How long a session token lives unless it is used, in seconds.
    token_life_s = 2_592_000, at most 315_360_000;
    /// Bytes of posts that wait to be appended, over all sessions.
    append_queue_bytes = 16_777_216, at most 17_179_869_184;
}

impl Limits {
    /// The limits of a JSON file: names and numbers; what it leaves out has its default.
    ///
    /// # Errors
    /// Another form, an unknown name, zero, a negative or huge number, anything that is no whole number.
    pub fn from_json(text: &[u8]) -> Result<Self, BadLimits> {
        let named: BTreeMap<String, serde_json::Value> =
            json::read(text).map_err(|refusal| BadLimits::Form(refusal.to_string()))?;
        let mut limits = Self::default();
        for (name, value) in named {
            let Some(&(name, most)) = Self::BOUNDS.iter().find(|(known, _)| *known == name) else {
                let known: Vec<&str> = Self::BOUNDS.iter().map(|(name, _)| *name).collect();
                return Err(BadLimits::Unknown {
                    name,
                    known: known.join(", "),
                });
            };
            match value.as_u64() {
                Some(value) if (1..=most).contains(&value) => limits.set(name, value),
                _ => return Err(BadLimits::OutOfBounds { name, most }),
            }
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_within_their_bounds() {
        let defaults = serde_json::to_value(Limits::default()).unwrap();
        for (name, most) in Limits::BOUNDS {
            let value = defaults[name].as_u64().unwrap();
            assert!((1..=*most).contains(&value), "{name}");
        }
        assert_eq!(defaults.as_object().unwrap().len(), Limits::BOUNDS.len());
    }

    #[test]
    fn a_file_sets_what_it_names() {
        let limits = Limits::from_json(br#"{"append_burst": 500, "participants_in": 1}"#).unwrap();
        let expected = Limits {
            append_burst: 500,
            participants_in: 1,
            ..Limits::default()
        };
        assert_eq!(limits, expected);
        assert_eq!(Limits::from_json(b"{}").unwrap(), Limits::default());
    }

    #[test]
    fn nothing_fails_open() {
        for value in [
            "0",
            "-1",
            "1.5",
            "1e3",
            "18446744073709551615",
            "1e400",
            "\"20\"",
            "null",
            "true",
            "[]",
            "{}",
        ] {
            let text = format!("{{\"append_burst\": {value}}}");
            assert!(Limits::from_json(text.as_bytes()).is_err(), "{value}");
        }
        for text in [
            "",
            "[]",
            "{",
            "{\"burst\": 1}",
            "{\"append_burst\": 1, \"append_burst\": 2}",
        ] {
            assert!(Limits::from_json(text.as_bytes()).is_err(), "{text}");
        }
        let said = Limits::from_json(br#"{"burst": 1}"#).unwrap_err().to_string();
        assert!(
            said.contains("`burst`") && said.contains("append_burst"),
            "{said}"
        );
    }
}
