//! Log lines on standard error: JSON for machines, plain text for a terminal.
//!
//! What may stand in a line is decided where it is written (`crypto.md` section 15, Logs). Two walls stand behind
//! that: libraries are heard from warnings up, whatever the environment says, and every line passes the redaction
//! of link secrets and tokens.

mod gathered;
mod json;
mod redact;

use std::io::{self, Write};
use std::str::FromStr;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

use gathered::Gathered;
use json::Json;
pub use redact::holds_link_token;

/// The lines of this process on their way to standard error.
static OUT: OnceLock<Gathered> = OnceLock::new();

/// How lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One JSON object a line.
    Json,
    /// For people.
    Plain,
}

/// How much the plane itself says. Libraries are heard from warnings up, always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// Faults.
    Error,
    /// Faults, and what may become one.
    Warn,
    /// Each request as well.
    Info,
    /// Health checks and wake-ups as well.
    Debug,
}

impl LogLevel {
    fn filter(self) -> LevelFilter {
        match self {
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
        }
    }
}

/// Starts logging for this process. A second call changes nothing. Whoever ends the process calls [`flush`] before.
pub fn start(format: LogFormat, level: LogLevel) {
    let _ = match Gathered::to(io::stderr()) {
        Ok(out) => {
            let out = OUT.get_or_init(|| out).clone();
            tracing::subscriber::set_global_default(subscriber(format, level, out))
        }
        // Without a thread to write them, lines are written where they are said.
        Err(_) => tracing::subscriber::set_global_default(subscriber(format, level, io::stderr)),
    };
    std::panic::set_hook(Box::new(|panic| {
        // Only the place: a panic's text may quote what a caller sent.
        let place = panic
            .location()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        tracing::error!(place, "a fault in the plane: panicked");
        flush();
    }));
}

/// Returns once the lines that were said until now are written, or after a second.
pub fn flush() {
    if let Some(out) = OUT.get() {
        out.flush();
    }
}

/// The subscriber that [`start`] installs, writing elsewhere.
pub fn subscriber<W>(format: LogFormat, level: LogLevel, out: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    Registry::default().with(lines(format, Redacting(out)).with_filter(heard(level)))
}

/// RUST_LOG is not read: turning a library up would log what it handles.
fn heard(level: LogLevel) -> Targets {
    let own = level.filter();
    Targets::new()
        .with_default(own.min(LevelFilter::from_level(Level::WARN)))
        .with_target(env!("CARGO_CRATE_NAME"), own)
}

fn lines<S, W>(format: LogFormat, out: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer().with_writer(out).with_ansi(false);
    match format {
        LogFormat::Json => layer.event_format(Json).boxed(),
        LogFormat::Plain => layer.with_target(false).boxed(),
    }
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        <Self as clap::ValueEnum>::from_str(text, false)
    }
}

/// Passes each line through the redaction on its way out.
struct Redacting<W>(W);

impl<'a, W: MakeWriter<'a>> MakeWriter<'a> for Redacting<W> {
    type Writer = RedactingWriter<W::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        RedactingWriter(self.0.make_writer())
    }

    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Self::Writer {
        RedactingWriter(self.0.make_writer_for(about))
    }
}

/// The formatter hands over a whole line at once, so no token is cut in two.
struct RedactingWriter<W>(W);

impl<W: Write> Write for RedactingWriter<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(&redact::redacted(line))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
