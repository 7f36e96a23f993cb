//! Connections: how many there are at once, how long one may take to say what it wants, and how they end.
//!
//! Any user of the machine can connect, so that holding connections must not shut out their owner: with all places taken,
//! the one that has asked nothing for the longest makes room. A request that is being answered is never cut.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use crate::limits;

/// How long to wait when the system has no more file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// One connection, as those who may cut it know it.
#[derive(Default)]
struct Place {
    /// A request of it is being answered.
    busy: AtomicBool,
    /// It has to make room.
    cut: Notify,
}

/// Serves until `stop` resolves; then no more than `drain` is given to what is under way.
pub(crate) async fn serve(
    listener: TcpListener,
    routes: Router,
    stop: impl Future<Output = ()>,
    drain: Duration,
) {
    let (stopping, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut places = VecDeque::new();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            Some(_) = tasks.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    if let Some(place) = taken(&mut places) {
                        tasks.spawn(speak(stream, routes.clone(), place, stopped.clone()));
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop((listener, routes));
    // Nobody may be connected.
    let _ = stopping.send(true);
    // What does not end in time is cut with the set.
    let _ = tokio::time::timeout(drain, async { while tasks.join_next().await.is_some() {} }).await;
}

/// A place for one more; none if every other is being answered.
fn taken(places: &mut VecDeque<Weak<Place>>) -> Option<Arc<Place>> {
    places.retain(|place| place.strong_count() > 0);
    if places.len() >= limits::CONNECTIONS {
        let waits = |place: &Weak<Place>| {
            place
                .upgrade()
                .is_none_or(|place| !place.busy.load(Ordering::Relaxed))
        };
        let oldest = places.iter().position(waits)?;
        if let Some(place) = places.remove(oldest).and_then(|place| place.upgrade()) {
            place.cut.notify_one();
        }
    }
    let place = Arc::new(Place::default());
    places.push_back(Arc::downgrade(&place));
    Some(place)
}

/// One connection, to its end.
async fn speak(stream: TcpStream, routes: Router, place: Arc<Place>, mut stopped: watch::Receiver<bool>) {
    let routes = TowerToHyperService::new(routes);
    let service = service_fn(|request| {
        let (answer, place) = (routes.call(request), Arc::clone(&place));
        place.busy.store(true, Ordering::Relaxed);
        async move {
            let answer = answer.await;
            place.busy.store(false, Ordering::Relaxed);
            answer
        }
    });
    // The time for a head counts from the end of the answer before it: it is the longest that a connection may be idle.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEAD_TIME)
        .max_buf_size(limits::HEAD)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let stopping = async move {
        // Whoever would say it has ended.
        let _ = stopped.wait_for(|stopped| *stopped).await;
    };
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = place.cut.notified() => return,
        () = stopping => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // Clients break off all the time.
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}
