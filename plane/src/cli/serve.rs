//! `serve`: opens the store, listens, and serves until told to stop.

use std::net::SocketAddr;

use tokio::net::TcpListener;

use super::output::Output;
use super::{Failure, local, stop};
use crate::clock::Clock;
use crate::config::{Config, ServeSettings, StoreSettings};
use crate::http::{Listeners, MetricsAt, Options, serve};
use crate::metrics::Exporter;
use crate::service::{Service, ServiceConfig, WakeTimes};
use crate::{logging, pages, store::StoreUrl};

pub(super) async fn run(
    store: StoreSettings,
    settings: ServeSettings,
    output: &Output,
) -> Result<(), Failure> {
    let settings = settings.with_file(&store)?;
    let config = Config::of(&store.with_file()?, &settings, Output::on_terminal())?;
    logging::start(config.log_format, config.log_level);
    // What is measured before somebody collects it is lost.
    Exporter::start();
    let stop = stop::told()?;

    // The address first: a plane that can't listen must not touch the database.
    let plane = listen(config.listen, "listen").await?;
    let metrics = match config.metrics_listen {
        Some(address) => Some(listen(address, "metrics-listen").await?),
        None => None,
    };
    let listen = plane.local_addr()?;
    let service = Service::open(ServiceConfig {
        store: config.store.store.clone(),
        limits: config.limits.clone(),
        clock: Clock::System,
        wakes: WakeTimes::default(),
    })
    .await?;

    let origin = config
        .public_url
        .as_ref()
        .map_or_else(|| format!("http://{listen}"), ToString::to_string);
    let token = if config.store.is_embedded() {
        Some(local::ensure_token(&service, &origin).await?)
    } else {
        None
    };
    if Output::on_terminal() {
        output.remark(&welcome(&config, &origin, listen, token.as_ref()));
    }
    tracing::info!(%listen, %origin, embedded = config.store.is_embedded(), "listening");

    let options = Options {
        limits: config.limits,
        trusted_proxies: config.trusted_proxies,
        metrics_at: MetricsAt::Here,
        origin: Some(origin),
        app: pages::built(),
    };
    serve(Listeners { plane, metrics }, service, options, stop).await?;
    tracing::info!("stopped");
    Ok(())
}

async fn listen(listen: SocketAddr, flag: &'static str) -> Result<TcpListener, Failure> {
    TcpListener::bind(listen)
        .await
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse => Failure::AddressTaken { listen, flag },
            _ => Failure::Address { listen, flag, error },
        })
}

/// What somebody who starts it by hand wants to know.
fn welcome(config: &Config, origin: &str, listen: SocketAddr, token: Option<&local::Token>) -> String {
    let data = match &config.store.store {
        StoreUrl::Postgres(_) => "Postgres (DATABASE_URL)".to_owned(),
        StoreUrl::Sqlite(path) => path.display().to_string(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut lines = vec![
        String::new(),
        format!("  DevPilot session plane {version}"),
        String::new(),
        format!("  Listening   http://{listen}"),
        format!("  Data        {data}"),
    ];
    if origin != format!("http://{listen}") {
        lines.push(format!("  Links       {origin}"));
    }
    match token {
        Some(token) => {
            let what = if token.is_new { "new, in" } else { "in" };
            lines.push(format!("  Token       {what} {}", token.file.display()));
            lines.push(String::new());
            lines.push("  Next        claude mcp add devpilot --scope user -- devpilot-session".to_owned());
            lines.push("              then say to your agent: share this session".to_owned());
        }
        None => {
            lines.push(String::new());
            lines.push("  Next        devpilot-plane admin org create ORG".to_owned());
            lines.push("              devpilot-plane admin member create --org ORG --name NAME".to_owned());
            lines.push(
                "              devpilot-plane admin token create --org ORG --member NAME --scopes share,rekey".to_owned(),
            );
        }
    }
    lines.push("  Stop        Ctrl-C".to_owned());
    lines.push(String::new());
    lines.join("\n")
}
