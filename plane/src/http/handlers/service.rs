//! Health, figures and the API's description (`plane-api.md`, Service).

use http::StatusCode;
use wire::api;

use crate::http::body::NoBody;
use crate::http::call::{Call, Handled};
use crate::http::credential::Stranger;
use crate::http::query::NoQuery;
use crate::http::reply::{Found, Served};
use crate::service::ServiceError;

type Ask = Call<Stranger, NoBody, NoQuery, ()>;

fn health() -> Found<api::Health> {
    Found(api::Health {
        status: "ok".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

pub(in crate::http) async fn healthz(_: Ask) -> Handled<Found<api::Health>> {
    Ok(health())
}

pub(in crate::http) async fn readyz(ask: Ask) -> Handled<Found<api::Health>> {
    if ask.app.is_draining() {
        return Err(ServiceError::Draining.into());
    }
    ask.app.service().ready().await?;
    Ok(health())
}

pub(in crate::http) async fn openapi(ask: Ask) -> Handled<Served> {
    Ok(Served {
        status: StatusCode::OK,
        content_type: "application/json",
        headers: &[],
        content: ask.app.openapi(),
    })
}

pub(in crate::http) async fn assets(ask: Ask) -> Handled<Found<api::Assets>> {
    let assets = ask.app.files().hashes();
    Ok(Found(api::Assets { assets }))
}

pub(in crate::http) async fn metrics(ask: Ask) -> Handled<Served> {
    Ok(Served {
        status: StatusCode::OK,
        content_type: "text/plain; version=0.0.4; charset=utf-8",
        headers: &[],
        content: ask.app.exporter().text().into(),
    })
}
