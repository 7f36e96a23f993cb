//! The command that goes on where an answer ended: in the same session, through the same seat, with the same filters. What
//! was not typed is filled in, since a default may be another by then.

use super::Setting;
use super::transcript::STANDARD_INPUT;
use crate::cli::arguments::{KindArgument, Read};
use crate::guard;
use crate::verbs::{Acting, Host as _, command};

/// What of a `read` chooses which messages it shows.
#[derive(Default)]
pub(super) struct Filters {
    options: String,
    /// The query is no argument.
    from_input: bool,
}

/// The filters of a `read`.
pub(super) fn filters(read: &Read) -> Filters {
    let mut options = String::new();
    let limit = read.limit.map(|limit| limit.to_string());
    let max_bytes = read.max_bytes.map(|bytes| bytes.to_string());
    for (option, value) in [
        ("kind", &read.kind),
        ("topic", &read.topic),
        ("from", &read.from),
        ("query", &read.query),
        ("limit", &limit),
        ("max-bytes", &max_bytes),
    ] {
        if let Some(value) = value {
            options.push_str(&command::option(option, value));
        }
    }
    Filters {
        options,
        from_input: read.query.as_deref() == Some(STANDARD_INPUT),
    }
}

/// Where a `read` goes on.
pub(super) enum Place {
    /// What was shown counts as read.
    Unread,
    /// After a seq, inside the message there at a byte.
    After(u64, Option<u64>),
}

impl Place {
    /// Of an answer that has more; none of another.
    pub(super) fn of(more: bool, counts: bool, next_since: u64, next_offset: Option<u64>) -> Option<Self> {
        more.then_some(match counts {
            true => Self::Unread,
            false => Self::After(next_since, next_offset),
        })
    }
}

/// The last line of an answer that does not show everything: the `read` that goes on.
pub(super) async fn line(
    setting: &Setting<'_>,
    session: &str,
    filters: &Filters,
    place: Option<Place>,
) -> Option<String> {
    let place = match place? {
        Place::Unread => String::new(),
        Place::After(since, offset) => {
            let offset = offset.map_or_else(String::new, |offset| format!(" --offset {offset}"));
            format!(" --since {since}{offset}")
        }
    };
    let common = &setting.common;
    let mut acting = setting.app.acting(setting.host, Some(session)).await;
    // Who reads, not whose the seat is: a person may look on through the seat of their agent.
    acting.kind = Some(setting.host.kind()).filter(|_| common.acting_as.is_none());
    acting.seat = common.seat.clone().or(acting.seat);
    let told = match common.acting_as {
        Some(KindArgument::Agent) => " --as agent",
        Some(KindArgument::Human) => " --as human",
        None => "",
    };
    let words = format!("read{}{told}{}{place}", Acting::options(&acting), filters.options);
    // What is not to be repeated is not.
    let is_clean = guard::scan("arguments", words.as_bytes()).is_ok_and(|found| found.is_empty());
    if !is_clean || words.contains(char::is_control) {
        return Some(format!(
            "There is more: `read{place}` again, with the same filters"
        ));
    }
    let input = match filters.from_input {
        true => ", with the same on standard input",
        false => "",
    };
    Some(format!("There is more{input}: {}", setting.app.command(&words)))
}
