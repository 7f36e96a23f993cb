//! A plane in this process, on a port of its own, with an embedded store that goes with it.

use plane::clock::Clock;
use plane::http::{Listeners, MetricsAt, Options, serve};
use plane::limits::Limits;
use plane::service::{Role, Scope, Service, ServiceConfig};
use plane::store::StoreUrl;
use tokio_util::sync::CancellationToken;

pub struct TestPlane {
    pub origin: String,
    pub token: String,
    pub service: Service,
    stop: CancellationToken,
    _data: tempfile::TempDir,
}

impl TestPlane {
    pub async fn start() -> Self {
        Self::with(|_| ()).await
    }

    /// With other limits than the plane's own.
    pub async fn with(change: impl FnOnce(&mut Limits)) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut limits = Limits::default();
        change(&mut limits);
        let service = Service::open(ServiceConfig {
            store: StoreUrl::Sqlite(data.path().join("plane.db")),
            limits: limits.clone(),
            clock: Clock::System,
        })
        .await
        .unwrap();
        service.admin_create_org("test").await.unwrap();
        service
            .admin_create_member("test", "owner", Role::Admin)
            .await
            .unwrap();
        let scopes = [Scope::Share, Scope::Rekey];
        let made = service
            .admin_create_token("test", "owner", &scopes, None)
            .await
            .unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let options = Options {
            limits,
            trusted_proxies: Default::default(),
            metrics_at: MetricsAt::Here,
        };
        let handle = service.clone();
        let listeners = Listeners {
            plane: listener,
            metrics: None,
        };
        tokio::spawn(async move { serve(listeners, service, options, stopped.cancelled_owned()).await });
        Self {
            origin,
            token: made.token.0,
            service: handle,
            stop,
            _data: data,
        }
    }
}

impl Drop for TestPlane {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
