//! What all requests share.

use std::sync::Arc;

use bytes::Bytes;
use tokio_util::sync::CancellationToken;

use super::address::TrustedProxies;
use crate::limits::Limits;
use crate::metrics::Exporter;
use crate::pages::{BuiltApp, Files};
use crate::service::Service;

/// Where the figures are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricsAt {
    /// Under `/metrics`, beside the API.
    #[default]
    Here,
    /// On a listener of their own alone.
    Elsewhere,
}

/// What the HTTP layer needs to know beside the service.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The limits in force.
    pub limits: Limits,
    /// Whose word on a client's address counts.
    pub trusted_proxies: TrustedProxies,
    /// Where the figures are shown.
    pub metrics_at: MetricsAt,
    /// What links are built from, without a slash at its end; none: the address listened on.
    pub origin: Option<String>,
    /// The web app; none: its page says how to join.
    pub app: Option<&'static BuiltApp>,
}

/// The shared state; cloning it is cheap.
#[derive(Clone)]
pub(super) struct App(Arc<Shared>);

struct Shared {
    service: Service,
    options: Options,
    exporter: Exporter,
    openapi: Bytes,
    files: Files,
    draining: CancellationToken,
}

impl App {
    pub(super) fn new(service: Service, options: Options, exporter: Exporter, openapi: Bytes) -> Self {
        let draining = CancellationToken::new();
        let files = Files::with(options.app);
        Self(Arc::new(Shared {
            service,
            options,
            files,
            exporter,
            openapi,
            draining,
        }))
    }

    pub(super) fn service(&self) -> &Service {
        &self.0.service
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.0.options.limits
    }

    pub(super) fn options(&self) -> &Options {
        &self.0.options
    }

    pub(super) fn exporter(&self) -> &Exporter {
        &self.0.exporter
    }

    /// The OpenAPI document as JSON.
    pub(super) fn openapi(&self) -> Bytes {
        self.0.openapi.clone()
    }

    /// What browsers get.
    pub(super) fn files(&self) -> &Files {
        &self.0.files
    }

    /// Fires when the process begins to go down.
    pub(super) fn draining(&self) -> &CancellationToken {
        &self.0.draining
    }

    pub(super) fn is_draining(&self) -> bool {
        self.0.draining.is_cancelled()
    }
}
