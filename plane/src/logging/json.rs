//! A line as one JSON object: when, how grave, what was said with its fields, and by which part.
//!
//! It is made whole before it is handed on. The subscriber's own form writes each bracket and quote on its way to the
//! output alone, which for the line of a request takes as long as all else that this process does with one.

use std::error::Error;
use std::fmt::{self, Debug};

use serde::ser::{SerializeMap, Serializer as _};
use serde_json::Serializer;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The line of a request fits.
const ROOM: usize = 512;

/// Makes lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(&self, _: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut line = Vec::with_capacity(ROOM);
        write(&mut line, event).map_err(|_| fmt::Error)?;
        line.push(b'\n');
        out.write_str(std::str::from_utf8(&line).map_err(|_| fmt::Error)?)
    }
}

fn write(line: &mut Vec<u8>, event: &Event<'_>) -> Result<(), serde_json::Error> {
    let about = event.metadata();
    let mut time = String::with_capacity(32);
    // Without a time it is said all the same.
    let _ = SystemTime.format_time(&mut Writer::new(&mut time));
    let mut json = Serializer::new(line);
    let mut map = json.serialize_map(None)?;
    map.serialize_entry("timestamp", &time)?;
    map.serialize_entry("level", about.level().as_str())?;
    let mut fields = Fields {
        map: &mut map,
        done: Ok(()),
    };
    event.record(&mut fields);
    fields.done?;
    map.serialize_entry("target", about.target())?;
    map.end()
}

/// Writes fields into an object.
struct Fields<'a, M: SerializeMap> {
    map: &'a mut M,
    done: Result<(), M::Error>,
}

impl<M: SerializeMap> Fields<'_, M> {
    fn add(&mut self, field: &Field, value: &(impl serde::Serialize + ?Sized)) {
        if self.done.is_ok() {
            self.done = self.map.serialize_entry(field.name(), value);
        }
    }
}

impl<M: SerializeMap> Visit for Fields<'_, M> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, &value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, &value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, &value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.add(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, &format_args!("{value:?}"));
    }
}
