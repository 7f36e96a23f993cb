//! A plane's HTTP server within the test, with the test's clock, and what its callers ask of it.

use std::net::SocketAddr;

use plane::http::{Listeners, Options, serve};
use plane::limits::Limits;
use plane::service::Service;
use serde_json::Value;
use tokio::net::TcpListener;
use wire::token::TokenKind;

use crate::client::{Answer, Request};
use crate::fixture::Seat;

/// The way into one process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process(SocketAddr);

impl Process {
    /// Serves until the test ends.
    pub(crate) async fn of(service: &Service, limits: &Limits) -> Self {
        let plane = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = plane.local_addr().unwrap();
        let (service, limits) = (service.clone(), limits.clone());
        tokio::spawn(async move {
            let options = Options {
                limits,
                ..Options::default()
            };
            let listeners = Listeners { plane, metrics: None };
            serve(listeners, service, options, std::future::pending())
                .await
                .unwrap();
        });
        Self(address)
    }

    /// A process that listens there.
    pub(crate) const fn at(address: SocketAddr) -> Self {
        Self(address)
    }

    pub(crate) const fn address(self) -> SocketAddr {
        self.0
    }

    /// A body as it stands, with a seat's token.
    pub(crate) async fn post_text(self, seat: &Seat, tail: &str, body: &str) -> Answer {
        let target = format!("/v1/sessions/{}{tail}", seat.session);
        let request = Request::new(self.0, "POST", &target).bearer(&TokenKind::Session.format(&seat.token));
        let request = request.header("Content-Type", "application/json");
        request.raw(body.as_bytes().to_vec()).send().await
    }

    /// A call with a seat's token.
    pub(crate) async fn call(self, seat: &Seat, method: &str, tail: &str, body: Option<&Value>) -> Answer {
        let target = format!("/v1/sessions/{}{tail}", seat.session);
        let request = Request::new(self.0, method, &target).bearer(&TokenKind::Session.format(&seat.token));
        match body {
            Some(body) => request.json(body).send().await,
            None => request.send().await,
        }
    }

    /// A read with a seat's token.
    pub(crate) async fn get(self, seat: &Seat, tail: &str) -> Value {
        self.call(seat, "GET", tail, None).await.ok(200)
    }
}
