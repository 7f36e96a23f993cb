//! What this program says of itself: to standard error, each line through the redaction, whoever wrote it.
//!
//! `RUST_LOG` reaches our own targets alone. Libraries are capped at warn by a second filter that the environment can't
//! lift, since below that they log whole requests.
//!
//! Source: `mcp-client.md`, Environment; `crypto.md` section 15.

use std::io::{self, Write};
use std::panic::PanicHookInfo;

use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt, Targets, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::home::Environment;
use crate::redact;

/// Targets that are ours.
const OURS: [&str; 4] = ["mcp_client", "devpilot_session", "seal", "wire"];

/// Starts logging for this process, and takes over what a panic prints. Called once, first thing.
pub fn start(environment: &Environment) {
    std::panic::set_hook(Box::new(|panic| report_panic(panic, io::stderr())));
    let (filter, understood) = wanted(environment.get("RUST_LOG").as_deref());
    // A second start, as in tests, keeps the first.
    let started = subscriber(filter, io::stderr).try_init().is_ok();
    if started && !understood {
        tracing::warn!("RUST_LOG was not understood and counts as unset");
    }
}

/// The filter of a `RUST_LOG`, such as `debug` or `mcp_client=trace`; and whether it made sense. What it does not name
/// stays at warn.
fn wanted(setting: Option<&str>) -> (Targets, bool) {
    let unset = Targets::new().with_default(LevelFilter::WARN);
    match setting.map(str::parse::<Targets>) {
        None => (unset, true),
        Some(Ok(named)) => {
            let default = named.default_level().unwrap_or(LevelFilter::WARN);
            (unset.with_default(default).with_targets(named), true)
        }
        Some(Err(_)) => (unset, false),
    }
}

fn subscriber<W>(filter: Targets, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let capped = filter.and(filter_fn(is_allowed));
    let lines = fmt::layer()
        .with_ansi(false)
        .with_writer(Redacting(writer))
        .with_filter(capped);
    tracing_subscriber::registry().with(lines)
}

/// Ours at any level, all else from warn up.
fn is_allowed(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    let ours = OURS.iter().any(|name| {
        target
            .strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    });
    // That there is no clipboard is no fault, and answers say it.
    let most = if target.starts_with("arboard") {
        Level::ERROR
    } else {
        Level::WARN
    };
    ours || *metadata.level() <= most
}

fn report_panic(panic: &PanicHookInfo<'_>, out: impl Write) {
    let payload = panic.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = panic
        .location()
        .map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
    // Nobody is left to tell if standard error is gone.
    let _ = writeln!(
        Line::new(out),
        "devpilot-session: internal fault{place}: {message}"
    );
}

/// Makes writers that redact whole lines.
struct Redacting<W>(W);

impl<'a, W: MakeWriter<'a>> MakeWriter<'a> for Redacting<W> {
    type Writer = Line<W::Writer>;

    fn make_writer(&'a self) -> Self::Writer {
        Line::new(self.0.make_writer())
    }
}

/// Gathers one event, so that no secret is split over two writes, and passes it on redacted.
struct Line<W: Write> {
    out: W,
    gathered: Vec<u8>,
}

impl<W: Write> Line<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            gathered: Vec::new(),
        }
    }
}

impl<W: Write> Write for Line<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W: Write> Drop for Line<W> {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.gathered);
        // Nobody is left to tell if standard error is gone.
        let _ = self.out.write_all(redact::text(&text).as_bytes());
        let _ = self.out.flush();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    const LINK: &str = "https://p.example/s/1#dp1faaaabbbbccccddddeeeeffffgggg";

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(setting: Option<&str>, act: impl FnOnce()) -> String {
        let out = Shared::default();
        let writer = out.clone();
        let (filter, _) = wanted(setting);
        tracing::subscriber::with_default(subscriber(filter, move || writer.clone()), act);
        out.text()
    }

    fn speak() {
        tracing::trace!(target: "mcp_client::seat", "ours-trace");
        tracing::warn!(target: "mcp_client", "ours-warn");
        tracing::debug!(target: "hyper_util::client", "theirs-debug");
        tracing::info!(target: "reqwest", "theirs-info");
        tracing::debug!(target: "mcp_client_like", "likeness-debug");
        tracing::warn!(target: "rustls", "theirs-warn");
    }

    #[test]
    fn the_environment_reaches_our_targets_and_no_others() {
        for setting in [
            "trace",
            "hyper_util=trace,reqwest=trace,mcp_client=trace,mcp_client_like=trace,rustls=trace",
        ] {
            let text = logged(Some(setting), speak);
            for said in ["ours-trace", "ours-warn", "theirs-warn"] {
                assert!(text.contains(said), "{said} under {setting}: {text}");
            }
            for silent in ["theirs-debug", "theirs-info", "likeness-debug"] {
                assert!(!text.contains(silent), "{silent} under {setting}: {text}");
            }
        }
    }

    #[test]
    fn without_a_setting_warnings_are_shown() {
        for setting in [
            None,
            Some("mcp_client=loud"),
            Some("hyper_util=trace"),
            Some("[[["),
        ] {
            let text = logged(setting, speak);
            assert!(
                text.contains("ours-warn") && !text.contains("ours-trace"),
                "{text}"
            );
        }
        assert!(!wanted(Some("mcp_client=loud")).1);
    }

    #[test]
    fn every_line_is_redacted_in_message_and_fields() {
        let text = logged(None, || {
            tracing::warn!(
                link = LINK,
                "see {LINK} and Bearer dps_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE"
            );
        });
        assert!(!text.contains("aaaabbbb") && !text.contains("AbCdEf"), "{text}");
        assert_eq!(text.matches("[session link withheld]").count(), 2, "{text}");
    }

    #[test]
    fn a_panic_is_reported_redacted() {
        let out = Shared::default();
        let writer = out.clone();
        // The hook belongs to the whole process: other tests may panic on purpose meanwhile, so it is kept short.
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| report_panic(panic, writer.clone())));
        let caught = std::panic::catch_unwind(|| panic!("could not use {LINK}"));
        std::panic::set_hook(before);
        assert!(caught.is_err());
        let text = out.text();
        assert!(
            text.contains("internal fault at ") && text.contains("logging.rs:"),
            "{text}"
        );
        assert!(
            text.contains("could not use") && !text.contains("aaaabbbb"),
            "{text}"
        );
    }
}
