//! Figures for Prometheus. Labels are routes, methods and statuses: never a path, an id or an address.

use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use http::Method;
use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram, gauge,
    histogram,
};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

const REQUESTS: &str = "devpilot_plane_http_requests_total";
const SECONDS: &str = "devpilot_plane_http_request_seconds";
const UNDER_WAY: &str = "devpilot_plane_http_requests_under_way";
const CONNECTIONS: &str = "devpilot_plane_connections";
const STREAMS: &str = "devpilot_plane_event_streams";
const LOST_LINES: &str = "devpilot_plane_log_lines_lost_total";
const LISTENING: &str = "devpilot_plane_listening";

/// From a cached read to a wait's 50 s.
const BUCKETS: [f64; 14] = [
    0.000_5, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 20.0, 60.0,
];

/// Shows the figures of this process.
#[derive(Clone)]
pub struct Exporter(Option<PrometheusHandle>);

impl Exporter {
    /// Starts collecting; every call in a process answers the same figures.
    pub fn start() -> Self {
        static STARTED: OnceLock<Exporter> = OnceLock::new();
        STARTED.get_or_init(Self::install).clone()
    }

    fn install() -> Self {
        let builder = match PrometheusBuilder::new().set_buckets(&BUCKETS) {
            Ok(builder) => builder,
            Err(error) => {
                tracing::warn!(%error, "no figures: the buckets were refused");
                return Self(None);
            }
        };
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("no figures: something else collects them");
            return Self(None);
        }
        describe_counter!(REQUESTS, "Requests answered");
        describe_histogram!(
            SECONDS,
            "From a request's head to its answer, in seconds; waits=\"true\": held requests"
        );
        describe_gauge!(UNDER_WAY, "Requests being carried out");
        describe_gauge!(CONNECTIONS, "Open connections");
        describe_gauge!(STREAMS, "Open event streams");
        describe_counter!(LOST_LINES, "Log lines that could not be written");
        describe_gauge!(
            LISTENING,
            "1: changes by other processes over the same Postgres are heard at once; 0: they are looked for, once a second"
        );
        Self(Some(handle))
    }

    /// The figures in Prometheus's text form.
    pub fn text(&self) -> String {
        match &self.0 {
            Some(handle) => handle.render(),
            None => "# no figures are collected\n".to_owned(),
        }
    }

    /// Folds what was measured into the figures; without it unread measurements pile up.
    pub(crate) fn tidy(&self) {
        if let Some(handle) = &self.0 {
            handle.run_upkeep();
        }
    }
}

/// One answered request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    /// By which method.
    pub(crate) method: &'a Method,
    /// The route as the table has it, or "unmatched".
    pub(crate) route: &'a str,
    /// The answer's status.
    pub(crate) status: u16,
    /// Whether it was to be held.
    pub(crate) waiting: bool,
    /// How long it took.
    pub(crate) took: Duration,
}

/// Anything may stand in a request line; only the methods in use become labels.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// The figures of one route, by one method and with one status.
struct Figures {
    requests: Counter,
    seconds: Histogram,
}

impl Figures {
    fn of(seen: &Seen<'_>) -> Self {
        let route = seen.route.to_owned();
        let method = method_label(seen.method);
        let waits = if seen.waiting { "true" } else { "false" };
        Self {
            requests: counter!(REQUESTS, "method" => method, "route" => route.clone(), "status" => seen.status.to_string()),
            seconds: histogram!(SECONDS, "route" => route, "waits" => waits),
        }
    }

    fn count(&self, took: Duration) {
        self.requests.increment(1);
        self.seconds.record(took.as_secs_f64());
    }
}

/// Method, status and whether it was to be held: what tells the figures of a route apart.
type Kind = (&'static str, u16, bool);

/// Those that were counted in before: to find one by its labels takes a dozen allocations. There are no more of them than
/// there are labels.
static KNOWN: LazyLock<RwLock<HashMap<String, HashMap<Kind, Figures>>>> = LazyLock::new(RwLock::default);

/// Counts an answered request.
pub(crate) fn answered(seen: &Seen<'_>) {
    let kind = (method_label(seen.method), seen.status, seen.waiting);
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(figures) = known.get(seen.route).and_then(|route| route.get(&kind)) {
        figures.count(seen.took);
        return;
    }
    drop(known);
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let route = known.entry(seen.route.to_owned()).or_default();
    route
        .entry(kind)
        .or_insert_with(|| Figures::of(seen))
        .count(seen.took);
}

/// Counts something that is there, for as long as this lives.
pub(crate) struct Present(Gauge);

impl Present {
    fn new(name: &'static str) -> Self {
        let gauge = gauge!(name);
        gauge.increment(1);
        Self(gauge)
    }
}

impl Drop for Present {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// A request that is being carried out.
pub(crate) fn under_way() -> Present {
    Present::new(UNDER_WAY)
}

/// An open connection.
pub(crate) fn connection() -> Present {
    Present::new(CONNECTIONS)
}

/// An open event stream.
pub(crate) fn stream() -> Present {
    Present::new(STREAMS)
}

/// Whether changes by other processes are heard at once.
pub(crate) fn listening(hears: bool) {
    gauge!(LISTENING).set(if hears { 1.0 } else { 0.0 });
}

/// Counts log lines that could not be written.
pub(crate) fn lost_lines(count: u64) {
    counter!(LOST_LINES).increment(count);
}
