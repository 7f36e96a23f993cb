//! Real processes over one database: the program, its clock, its signals.

use std::sync::Arc;

use plane::clock::{Clock, SetClock};
use plane::service::{Role, Scope, Service, ServiceConfig, WakeTimes};
use plane::store::StoreUrl;

use crate::fixture::{Database, Engine, Plane, token, wide};
use crate::over_http::Process;
use crate::process::{Home, Running};

/// Processes that serve, and a service beside them that sets sessions up and reads: nothing of its own runs in the
/// background, so that whatever happens by itself happens in the processes.
pub(crate) struct RealPlane {
    pub(crate) plane: Plane,
    pub(crate) processes: Vec<Process>,
    _running: Vec<Running>,
    _home: Home,
}

impl RealPlane {
    /// One process on SQLite, two on Postgres.
    pub(crate) async fn start(engine: Engine) -> Self {
        let database = Arc::new(Database::new(engine).await);
        let service = Service::open_for_admin(ServiceConfig {
            store: database.url.clone(),
            limits: wide(),
            clock: Clock::System,
            wakes: WakeTimes::default(),
        })
        .await
        .unwrap();
        service.admin_create_org("org").await.unwrap();
        for (name, role) in [("owner", Role::Member), ("admin", Role::Admin)] {
            service.admin_create_member("org", name, role).await.unwrap();
        }
        let machine = token(&service, "owner", &[Scope::Share, Scope::Rekey]).await;
        let admin = token(&service, "admin", &[Scope::Admin]).await;
        let home = Home::new();
        let count = if engine == Engine::Postgres { 2 } else { 1 };
        let running: Vec<_> = (0..count).map(|_| serve(&home, &database.url)).collect();
        Self {
            plane: Plane {
                service,
                machine,
                admin,
                clock: SetClock::new(Clock::System.now()),
                database,
            },
            processes: running.iter().map(|one| Process::at(one.address)).collect(),
            _running: running,
            _home: home,
        }
    }
}

fn serve(home: &Home, store: &StoreUrl) -> Running {
    let limits = home.path().join("limits.json");
    std::fs::write(
        &limits,
        r#"{"append_burst": 10000, "appends_per_minute": 100000}"#,
    )
    .unwrap();
    let limits = limits.to_str().unwrap();
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--limits", limits]);
    match store {
        StoreUrl::Sqlite(file) => command.arg("--data").arg(file.parent().unwrap()),
        StoreUrl::Postgres(url) => command.env("DATABASE_URL", url),
    };
    Running::start(command)
}
