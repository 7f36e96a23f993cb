//! The server: accepts connections, speaks HTTP/1.1 on each, and goes down in order.
//!
//! Its own accept loop instead of axum's, because of memory and time: small buffers (a waiting request costs its
//! connection's buffers for up to 50 s), a bound on the time a head may take, on a client that takes nothing, and on
//! the number of connections.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{HeaderValue, Request, Uri};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use super::app::{App, MetricsAt, Options};
use super::at_once::at_once;
use super::edge::Peer;
use super::stall::StallGuard;
use super::{openapi, routes};
use crate::limits::Limits;
use crate::metrics::{self, Exporter};
use crate::service::Service;

/// hyper's least read buffer.
const LEAST_BUFFER: usize = 8_192;
/// How long requests under way may take to finish once the process goes down; the rest of its 10 s is for the store.
const LONGEST_DRAIN: Duration = Duration::from_secs(8);
/// By when the process is gone at the latest, whatever the store does not answer.
const GONE_WITHIN: Duration = Duration::from_millis(9_500);
/// How long connections stay open for requests that were sent before their clients could know.
const LAST_WORDS: Duration = Duration::from_millis(250);
/// How long to wait when the system has no more file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often measurements are folded into the figures.
const TIDY_EVERY: Duration = Duration::from_secs(5);

/// Where the plane listens.
#[derive(Debug)]
pub struct Listeners {
    /// For the API and the pages.
    pub plane: TcpListener,
    /// For the figures alone; `None`: they are shown where [`Options::metrics_at`] says.
    pub metrics: Option<TcpListener>,
}

/// Serves until `stop` resolves, then goes down: readiness turns false, waits are answered, open appends finish.
///
/// # Errors
/// The OpenAPI document can't be written, or the listener has no address.
pub async fn serve(
    listeners: Listeners,
    service: Service,
    mut options: Options,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    if listeners.metrics.is_some() {
        options.metrics_at = MetricsAt::Elsewhere;
    }
    if options.origin.is_none() {
        options.origin = Some(format!("http://{}", listeners.plane.local_addr()?));
    }
    let exporter = Exporter::start();
    let service_routes = routes::service_routes(options.metrics_at);
    let api = routes::api();
    let document = openapi::document(api.iter().chain(&service_routes));
    let document = serde_json::to_vec(&document).map_err(io::Error::other)?;
    let app = App::new(service, options, exporter, document.into());

    let all = api
        .into_iter()
        .chain(service_routes)
        .chain(routes::pages())
        .collect();
    let plane = Arc::new(Connections::new(routes::mounted(all, app.clone()), &app));
    let aside = Arc::new(Connections::new(
        routes::mounted(vec![routes::metrics()], app.clone()),
        &app,
    ));

    tokio::pin!(stop);
    tokio::select! {
        () = plane.accept(&listeners.plane) => {}
        () = aside.accept_if(listeners.metrics.as_ref()) => {}
        () = tidy(app.exporter()) => {}
        () = &mut stop => {}
    }

    tracing::info!("going down");
    let gone = Instant::now() + GONE_WITHIN;
    app.draining().cancel();
    app.service().end_waits();
    // New connections are still taken, to hear that another process answers; those that came first, first.
    tokio::select! {
        biased;
        () = plane.accept(&listeners.plane) => {}
        () = aside.accept_if(listeners.metrics.as_ref()) => {}
        done = tokio::time::timeout(LONGEST_DRAIN, plane.finished()) => {
            if done.is_err() {
                tracing::warn!("some requests did not finish in time");
            }
        }
    }
    if timeout_at(gone, app.service().drain()).await.is_err() {
        tracing::warn!("the store did not finish in time");
    }
    Ok(())
}

async fn tidy(exporter: &Exporter) {
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        exporter.tidy();
    }
}

/// The connections of one listener.
struct Connections {
    router: Router,
    protocol: http1::Builder,
    places: Arc<Semaphore>,
    draining: CancellationToken,
    tasks: TaskTracker,
}

impl Connections {
    fn new(router: Router, app: &App) -> Self {
        let places = usize::try_from(app.limits().connections).unwrap_or(Semaphore::MAX_PERMITS);
        let tasks = TaskTracker::new();
        tasks.close();
        Self {
            router,
            protocol: protocol(app.limits()),
            places: Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))),
            draining: app.draining().clone(),
            tasks,
        }
    }

    /// Accepts for as long as it is polled.
    async fn accept(self: &Arc<Self>, listener: &TcpListener) {
        loop {
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
                return;
            };
            match listener.accept().await {
                Ok((stream, peer)) => {
                    let this = Arc::clone(self);
                    self.tasks.spawn(at_once(async move {
                        this.speak(stream, Peer(peer.ip())).await;
                        drop(place);
                    }));
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn accept_if(self: &Arc<Self>, listener: Option<&TcpListener>) {
        match listener {
            Some(listener) => self.accept(listener).await,
            None => std::future::pending().await,
        }
    }

    async fn finished(&self) {
        self.tasks.wait().await;
    }

    /// One connection, to its end. When the client goes away, hyper drops the handler's future with it.
    async fn speak(&self, stream: TcpStream, peer: Peer) {
        let present = metrics::connection();
        let _ = stream.set_nodelay(true);
        let service = hyper::service::service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            apart(&mut request);
            self.router.clone().call(request.map(Body::new))
        });
        let mut protocol = self.protocol.clone();
        let late = self.draining.is_cancelled();
        protocol.keep_alive(!late);
        let connection = protocol.serve_connection(TokioIo::new(StallGuard::new(stream)), service);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = self.draining.cancelled(), if !late => {
                // A request that is in the socket already is answered; hyper would close over it.
                match tokio::time::timeout(LAST_WORDS, &mut connection).await {
                    Ok(ended) => ended,
                    Err(_) => {
                        connection.as_mut().graceful_shutdown();
                        connection.await
                    }
                }
            }
        };
        // Clients break off all the time; what their requests met is in the log already.
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection broke off");
        }
        drop(present);
    }
}

/// Takes a request's head out of the connection's read buffer. That one is of use again then; else hyper, which listens for
/// the end of the connection while a request is under way, takes a second one beside it.
fn apart(request: &mut Request<Incoming>) {
    for value in request.headers_mut().values_mut() {
        if let Ok(own) = HeaderValue::from_bytes(value.as_bytes()) {
            *value = own;
        }
    }
    if let Ok(own) = Uri::try_from(request.uri().to_string()) {
        *request.uri_mut() = own;
    }
}

fn protocol(limits: &Limits) -> http1::Builder {
    let head = usize::try_from(limits.head_bytes).unwrap_or(LEAST_BUFFER);
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits.request_time_s))
        // A head beyond the limit still fits, so that it is answered with a problem document.
        .max_buf_size(head.saturating_mul(2).max(LEAST_BUFFER));
    protocol
}
