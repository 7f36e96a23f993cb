//! `healthcheck`: asks `/readyz` of a running plane, for containers that have no other program to ask with.

use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http::{Request, StatusCode, Uri, header};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tokio::net::TcpStream;

use super::Failure;
use super::output::Output;
use crate::config::{ListenSettings, ServeSettings, StoreSettings, listen};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The plane to ask, http only [default: where --listen says, on this machine]
    #[arg(long, value_name = "URL")]
    url: Option<Uri>,

    #[command(flatten)]
    listen: ListenSettings,
}

pub(super) async fn run(store: StoreSettings, arguments: Arguments, output: &Output) -> Result<(), Failure> {
    let settings = ServeSettings {
        listen: arguments.listen,
        ..ServeSettings::default()
    }
    .with_file(&store)?;
    let here = listen(&settings.listen);
    let authority = match &arguments.url {
        None if here.ip().is_unspecified() => format!("localhost:{}", here.port()),
        None => here.to_string(),
        Some(url) => place(url)?,
    };
    match tokio::time::timeout(PATIENCE, ask(&authority)).await {
        Ok(Ok(StatusCode::OK)) => {
            output.answer(&json!({ "ready": true }), |_| "ready".to_owned());
            Ok(())
        }
        Ok(Ok(status)) => Err(Failure::Unhealthy(format!(
            "the plane at {authority} answers {status}"
        ))),
        Ok(Err(error)) => Err(Failure::Unhealthy(format!(
            "no plane answers at {authority}: {error}"
        ))),
        Err(_) => Err(Failure::Unhealthy(format!(
            "the plane at {authority} does not answer"
        ))),
    }
}

fn place(url: &Uri) -> Result<String, Failure> {
    match (url.scheme_str(), url.host()) {
        (Some("http"), Some(host)) => Ok(format!("{host}:{}", url.port_u16().unwrap_or(80))),
        _ => Err(Failure::Unhealthy(
            "--url must be http://HOST:PORT, past any proxy".to_owned(),
        )),
    }
}

async fn ask(authority: &str) -> std::io::Result<StatusCode> {
    let stream = TcpStream::connect(authority).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(std::io::Error::other)?;
    let request = Request::get("/readyz")
        .header(header::HOST, authority)
        .body(Empty::<Bytes>::new())
        .map_err(std::io::Error::other)?;
    tokio::select! {
        answer = sender.send_request(request) => answer.map(|answer| answer.status()).map_err(std::io::Error::other),
        ended = connection => Err(ended.err().map_or_else(
            || std::io::ErrorKind::UnexpectedEof.into(),
            std::io::Error::other,
        )),
    }
}
